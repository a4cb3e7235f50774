// What was done but not yet acknowledged, kept in the browser, so that neither a dead server nor a
// closed tab loses it.

const name = (segment) => `gridbeam.unsent.${segment}`;

/** The acts on a segment that nobody has acknowledged, oldest first. */
export function unsent(segment) {
  try {
    return JSON.parse(localStorage.getItem(name(segment))) ?? [];
  } catch {
    return [];
  }
}

/** Keeps these acts; without any, forgets the segment. */
export function keepUnsent(segment, acts) {
  if (acts.length) localStorage.setItem(name(segment), JSON.stringify(acts));
  else localStorage.removeItem(name(segment));
}
