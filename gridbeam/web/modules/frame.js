// What stands around the text of the open segment: its head and its foot.

import { button, el, icon } from "./dom.js";
import { findings, limits, measured, status } from "./parts.js";

/** Number, status, how it came about, and the way to others. */
export function headOf(row, commands, seconds) {
  const quiet = (label, sign, command, key) =>
    button(label, () => commands[command](), { sign, key, quiet: true, class: "plain" });
  const fixed = row.locked
    ? el("span", { class: "fixed" }, icon("lock"), " the file says: leave it as it is") : "";
  return [el("span", { class: "number" }, String(row.number)), status(row), fixed,
    el("span", { class: "unstored" }, "not stored yet"),
    el("span", { class: "measured" }, measured(row, seconds)), el("span", { class: "gap" }),
    button(row.review ? "Needs no review" : "Needs review", () => commands.review(),
      { sign: "flag", quiet: true, class: "plain", "aria-pressed": String(row.review) }),
    quiet("Segment before", "left", "before", "Ctrl+↑"),
    quiet("Segment after", "right", "after", "Ctrl+↓"),
    quiet("Close the segment", "cross", "close")];
}

/** Checks, limits, forbidden words, and what is done with the segment as a whole. */
export function footOf(row, commands) {
  const done = row.status === "confirmed";
  return [findings(row.findings), ...limits(row.limits), ...forbidden(row, commands),
    el("span", { class: "gap" }),
    el("div", { class: "buttons" },
      button("Undo", () => commands.undo(), { key: "Ctrl+Z", disabled: !row.undo, class: "undo" }),
      button("Redo", () => commands.redo(), { key: "Ctrl+Y", disabled: !row.redo }),
      button("Translate", () => commands.translate(), { key: "F9",
        title: "A new translation; what is locked stays" }),
      button("Type freely", () => commands.free(), { key: "F2" }),
      button(done ? "Not confirmed" : "Confirm", () => commands[done ? "unconfirm" : "confirm"](),
        { key: done ? null : "Ctrl+Enter", class: "main", disabled: !row.target?.text }))];
}

function forbidden(row, commands) {
  if (!row.forbidden.length) return [];
  return [el("ul", { class: "forbids", "aria-label": "Forbidden words" },
    row.forbidden.map((words) =>
    el("li", {}, "not ", el("s", { dir: "auto" }, words), button(`Allow “${words}” again`,
      () => commands.allow(words), { sign: "cross", quiet: true, class: "plain" }))))];
}

/** What stands where there is no translation yet. */
export function emptyTarget(commands) {
  return el("p", { class: "empty" }, "Not translated yet. ",
    button("Translate", () => commands.translate(), { class: "main" }), " ",
    button("Type it", () => commands.free(), { key: "F2" }));
}
