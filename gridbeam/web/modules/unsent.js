// What was typed or done and is not stored yet, kept in the browser, so that neither a dead server
// nor a closed tab loses it. What a tab has kept is its own as long as it is there: it holds a lock
// of its name for that time. Who waits for the lock gets it when the tab is gone. Over plain HTTP
// from another machine there are no locks: there it is taken over at once, and the ids of acts keep
// anything from being done twice.

const PREFIX = "gridbeam.unsent.";
const TAB = [...crypto.getRandomValues(new Uint32Array(3))]
  .map((part) => part.toString(36)).join("");
const NOTHING = { acts: [], draft: null };

const nameOf = (tab, segment) => `${PREFIX}${tab}.${segment}`;
const lockOf = (tab) => `gridbeam.tab.${tab}`;

navigator.locks?.request(lockOf(TAB), () => new Promise(() => {}));

function read(name) {
  try {
    return { ...NOTHING, ...JSON.parse(localStorage.getItem(name)) };
  } catch {
    return NOTHING;
  }
}

/** What this tab has of a segment: its acts that nobody has acknowledged, oldest first, and the
 * draft of what is being typed. */
export const unsent = (segment) => read(nameOf(TAB, segment));

/** Keeps other acts, or another draft, of a segment; without any of both, forgets it. */
export function keepUnsent({ id, project, number }, change) {
  const kept = { ...unsent(id), project, number, ...change };
  if (kept.acts.length || kept.draft) localStorage.setItem(nameOf(TAB, id), JSON.stringify(kept));
  else localStorage.removeItem(nameOf(TAB, id));
}

/** What all tabs have in a project: of each the tab and the segment. */
function allIn(project) {
  return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length).split("."))
    .filter(([tab, segment]) => segment && read(nameOf(tab, segment)).project === project)
    .map(([tab, segment]) => ({ tab, segment: Number(segment) }));
}

/** What a tab that is gone has left of a segment is this tab's from now on. */
function taken(tab, segment) {
  const name = nameOf(tab, segment);
  if (localStorage.getItem(name) === null) return null;
  const left = read(name);
  const own = unsent(segment);
  const whole = { ...left, draft: left.draft ?? own.draft, acts: [...left.acts, ...own.acts] };
  localStorage.setItem(nameOf(TAB, segment), JSON.stringify(whole));
  localStorage.removeItem(name);
  return left;
}

/** Takes over what gone tabs have left in a project, now and when one goes: `found` is told each
 * segment and what there is of it, also what this tab has itself. */
export function takeOver(project, signal, found) {
  for (const { tab, segment } of allIn(project)) {
    const take = () => {
      const left = signal.aborted ? null : taken(tab, segment);
      if (left) found(segment, left);
    };
    if (tab === TAB) found(segment, unsent(segment));
    else if (!navigator.locks) take();
    else navigator.locks.request(lockOf(tab), { signal }, take).catch(() => {});
  }
}
