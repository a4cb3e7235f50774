// Walking through the words of the target: along the line, between lines, with Shift a stretch.

/** The way an arrow points: 1 onwards, -1 back, as the text runs. */
function way(words, key) {
  const onwards = getComputedStyle(words).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  return key === onwards ? 1 : -1;
}

function go(words, to, extend) {
  words.select(extend ? words.anchor : to, to, { tell: true });
}

/** One word on or back, or to an end of the selection. */
export function walk(words, { key }) {
  if (!words.isChosen) return go(words, words.active, false);
  go(words, words.active + way(words, key), false);
}

/** The first word, or the last. */
export function edge(words, { key }) {
  go(words, key === "Home" ? 0 : words.options.length - 1, false);
}

/** The selection one word longer or shorter; with A all of it. */
export function extend(words, { key }) {
  if (key.toUpperCase() !== "A") return go(words, words.active + way(words, key), true);
  words.select(0, words.options.length - 1, { tell: true });
}

/** The nearest word of the line above or below. */
export function line(words, { key }) {
  const down = key === "ArrowDown";
  const box = (token) => token.element.getBoundingClientRect();
  const here = box(words.options[words.active]);
  const beyond = words.options.map((token, number) => ({ number, box: box(token) }))
    .filter(({ box: { top, bottom } }) => (down ? top >= here.bottom - 4 : bottom <= here.top + 4));
  if (!beyond.length) return;
  const distance = ({ box: other }) => Math.abs(other.top - here.top) * 100 +
    Math.abs(other.left + other.width / 2 - here.left - here.width / 2);
  go(words, beyond.reduce((a, b) => (distance(b) < distance(a) ? b : a)).number, false);
}
