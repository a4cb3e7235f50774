// Positions in a text. The API counts code points, JavaScript UTF-16 units, and a person
// graphemes: this module is the only one that knows all three.

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const SPACELESS = new RegExp(`[${["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`).join("")}]`, "u");

/** Converts positions of one text. */
export class Positions {
  constructor(text) {
    this.units = [0];
    for (const point of text) this.units.push(this.units.at(-1) + point.length);
  }

  /** The UTF-16 index of a code point. */
  unit(point) {
    return this.units[Math.max(0, Math.min(point, this.units.length - 1))];
  }

  /** The code point that a UTF-16 index lies in. */
  point(unit) {
    let low = 0;
    let high = this.units.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.units[middle] <= unit) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** How many code points a text has. */
export const length = (text) => new Positions(text).units.length - 1;

/** The text between two code points. */
export function slice(text, start, end = Infinity) {
  const positions = new Positions(text);
  return text.slice(positions.unit(start), positions.unit(end));
}

/** The text with other words between two code points. */
export function splice(text, start, end, words) {
  return slice(text, 0, start) + words + slice(text, end);
}

/** The nearest index at or before this one that does not cut a grapheme. */
export function graphemeStart(text, unit) {
  return unit >= text.length ? text.length : graphemes.segment(text).containing(unit)?.index ?? 0;
}

function kindOf(grapheme) {
  if (/^\s/u.test(grapheme)) return "space";
  return /^[\p{P}\p{S}]/u.test(grapheme) ? "mark" : "word";
}

/** A stretch without spaces as words: marks at its ends stand alone, those inside belong to it. */
function* parts(pieces, language) {
  let first = pieces.findIndex((piece) => piece.kind === "word");
  if (first < 0) return yield pieces;
  let last = pieces.findLastIndex((piece) => piece.kind === "word");
  if (first > 0) yield pieces.slice(0, first);
  const core = pieces.slice(first, last + 1);
  if (core.some((piece) => SPACELESS.test(piece.text))) yield* spaceless(core, language);
  else yield core;
  if (last + 1 < pieces.length) yield pieces.slice(last + 1);
}

function* spaceless(core, language) {
  const start = core[0].index;
  const text = core.map((piece) => piece.text).join("");
  for (const word of new Intl.Segmenter(language, { granularity: "word" }).segment(text)) {
    yield [{ text: word.segment, index: start + word.index, kind: "word" }];
  }
}

/** The words, marks and spaces of a text, in UTF-16 units. */
export function words(text, language = undefined) {
  const found = [];
  let run = [];
  const close = () => {
    if (!run.length) return;
    for (const part of run[0].kind === "space" ? [run] : parts(run, language)) {
      const kind = part.every((piece) => piece.kind === part[0].kind) ? part[0].kind : "word";
      const start = part[0].index;
      const shown = part.map((piece) => piece.text).join("");
      found.push({ kind, start, end: start + shown.length, text: shown });
    }
    run = [];
  };
  for (const { segment, index } of graphemes.segment(text)) {
    const kind = kindOf(segment);
    if (run.length && (run[0].kind === "space") !== (kind === "space")) close();
    run.push({ text: segment, index, kind });
  }
  close();
  return found;
}

/** Words, marks, spaces and codes of a text, each with its code points `from` and `to`. */
export function tokens(text, codes = [], language = undefined) {
  const positions = new Positions(text);
  const found = [];
  let at = 0;
  const plain = (end) => {
    for (const word of words(text.slice(at, end), language)) {
      found.push({ ...word, start: word.start + at, end: word.end + at });
    }
  };
  for (const code of [...codes].sort((one, other) => one.start - other.start)) {
    const [start, end] = [positions.unit(code.start), positions.unit(code.end)];
    if (start < at || start === end) continue;
    plain(start);
    found.push({ kind: "code", start, end, text: text.slice(start, end), raw: code.raw });
    at = end;
  }
  plain(text.length);
  for (const token of found) {
    [token.from, token.to] = [positions.point(token.start), positions.point(token.end)];
  }
  return found;
}

/** Where a stretch of one text lies in a newer one: the nearest same words, or what took their
 * place. All in code points. */
export function rebase([start, end], before, after) {
  if (before === after) return [start, end];
  const [one, other] = [[...before], [...after]];
  let left = 0;
  while (left < one.length && left < other.length && one[left] === other[left]) left += 1;
  let right = 0;
  const most = Math.min(one.length, other.length) - left;
  while (right < most && one.at(-1 - right) === other.at(-1 - right)) right += 1;
  const shift = other.length - one.length;
  if (end <= left) return [start, end];
  if (start >= one.length - right) return [start + shift, end + shift];
  const sought = one.slice(start, end).join("");
  const places = [];
  for (let at = 0; sought && at + end - start <= other.length; at += 1) {
    if (other.slice(at, at + end - start).join("") === sought) places.push(at);
  }
  places.sort((a, b) => Math.abs(a - start) - Math.abs(b - start));
  if (places.length) return [places[0], places[0] + end - start];
  return [Math.min(start, left), Math.max(other.length - right, Math.min(start, left))];
}
