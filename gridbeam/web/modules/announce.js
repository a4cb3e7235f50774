// What is said to those who do not see the page. A pause before each message lets a reader hear
// the same words twice.

let waiting = 0;

/** Says it when the reader has nothing else to say. */
export function announce(text) {
  const place = document.getElementById("told");
  place.textContent = "";
  clearTimeout(waiting);
  waiting = setTimeout(() => { place.textContent = text; }, 60);
}

/** Says it at once. */
export function alarm(text) {
  const place = document.getElementById("warned");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 60);
}

const quoted = (pieces) => pieces.map((piece) => `“${piece.text.trim()}”`).join(", ");

/** The difference of two versions in one sentence. */
export function told(difference) {
  const of = (kind) => difference.filter((piece) => piece.kind === kind && piece.text.trim());
  const names = [["new", "new"], ["gone", "gone"], ["moved", "moved"]];
  const parts = names.filter(([kind]) => of(kind).length)
    .map(([kind, name]) => `${name} ${quoted(of(kind))}`);
  return parts.length ? `Changed: ${parts.join("; ")}.` : "Nothing changed.";
}
