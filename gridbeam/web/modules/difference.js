// What changed between two versions: marks in the new one, and the old one with what is gone.

import { el } from "./dom.js";
import { marked } from "./marks.js";
import { Positions, slice } from "./positions.js";

/** The stretches of the new text that are new or have moved. */
export function freshIn(difference) {
  return difference.filter(({ kind, text }) => ["new", "moved"].includes(kind) && text.trim());
}

/** Whether any word changed. */
export const changes = (difference) => difference.some(({ kind }) => kind !== "kept");

/** The version before, in one line, with what is gone struck out. */
export function lineBefore({ before, difference }, language) {
  const text = before?.text ?? "";
  const gone = difference.filter(({ kind }) => kind === "gone");
  const positions = new Positions(text);
  const parts = [];
  let at = 0;
  for (const piece of gone) {
    const [start, end] = [positions.unit(piece.start), positions.unit(piece.end)];
    if (start < at) continue;
    parts.push(...marked(text.slice(at, start)), el("del", {}, marked(text.slice(start, end))));
    at = end;
  }
  return el("p", { class: "before", lang: language, dir: "auto" },
    el("span", { class: "label", lang: "en" }, "before"), " ", parts, marked(text.slice(at)));
}

const spaceBefore = (text, point) => /\s*$/u.exec(slice(text, 0, point))[0];

/** Both sides of a difference as a match of the memory shows it: each piece with the space that
 * stands before it in its own text. */
export function differing(difference, before, after) {
  const tags = { new: "ins", gone: "del" };
  return difference.flatMap(({ kind, text, start }) => [
    spaceBefore(kind === "gone" ? before : after, start),
    tags[kind] ? el(tags[kind], {}, marked(text)) : el("span", {}, marked(text))]);
}

/** A draft that is still being written, followed by the words of the text that it will replace, so
 * that what stands behind does not jump. */
export function withTail(draft, text) {
  const parts = (whole) => whole.match(/\S+\s*/g) ?? [];
  return `${draft.trimEnd()} ${parts(text).slice(parts(draft).length).join("")}`.trimEnd();
}
