// The pieces of a segment that only show: its status, its checks, its limits.

import { el, icon } from "./dom.js";

export const STATUSES = {
  new: ["circle", "new"],
  machine: ["half", "machine"],
  edited: ["pen", "edited"],
  confirmed: ["check", "confirmed"],
};

/** The status of a segment by sign and word. */
export function status({ status: name, review, findings: found }, { words = true } = {}) {
  const [sign, said] = STATUSES[name] ?? ["circle", name];
  const isWrong = name === "confirmed" && found.some(({ severity }) => severity === "error");
  return el("span", { class: `status ${name}` },
    icon(sign, words ? "" : said), words ? said : null,
    isWrong && words ? el("b", { class: "wrong" }, "with errors") : null,
    review ? icon("flag", "needs review") : null,
    review && words ? " needs review" : null);
}

/** What the checks found, as chips that say the rule and, in full, why. */
export function findings(found) {
  return el("ul", { class: "findings", "aria-label": "Checks" }, found.map(({ rule, severity,
    message }) =>
    el("li", { class: `finding ${severity}`, title: message },
      icon(severity === "info" ? "circle" : "warn", severity), el("b", {}, rule), " ",
      el("span", { class: "message" }, message))));
}

/** How many findings there are, as one chip: the gravest, and how many besides. */
export function findingsInShort(found) {
  const grave = found.find(({ severity }) => severity === "error") ?? found[0];
  const title = found.map(({ rule, message }) => `${rule}: ${message}`).join("\n");
  const more = found.length > 1 ? ` +${found.length - 1}` : "";
  return el("span", { class: `finding short ${grave.severity}`, title },
    icon("warn", `${found.length} found by the checks`), el("b", {}, grave.rule), more);
}

/** How much of each limit is used, in words and as a bar. */
export function limits(found) {
  return found.map(({ most, unit, length: used }) => [most, unit, used ?? 0]).map(
    ([most, unit, length]) => el("span",
    { class: `limit${length > most ? " over" : ""}` },
    el("meter", { min: 0, max: most, value: Math.min(length, most), "aria-label": `${unit} used` }),
    ` ${length}/${most} ${unit}`, length > most ? " too long" : ""));
}

/** How the last answer came about. */
export function measured(row, seconds) {
  const quality = typeof row.quality === "number" ? [`quality ${row.quality.toFixed(2)}`] : [];
  const time = typeof seconds === "number" ? [`${seconds.toFixed(1)} s`] : [];
  return [...quality, ...time].join(" · ");
}
