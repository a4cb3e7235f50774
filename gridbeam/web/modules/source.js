// The source text: terms of the glossary underlined by what became of them, codes as chips.

import { el } from "./dom.js";
import { marked } from "./marks.js";
import { Positions } from "./positions.js";

const STATES = {
  met: ["✓", "in the translation"],
  missing: ["!", "missing from the translation"],
  forbidden: ["✕", "forbidden, but in the translation"],
};

/** A code as a chip; screen readers hear that it is one. */
export function chip(text) {
  return el("span", { class: "code", "aria-label": `code ${text}`, role: "img" }, marked(text));
}

function term(text, { source, target, state }) {
  const [sign, means] = STATES[state] ?? ["", ""];
  const title = `${source || text} → ${target}: ${means}`;
  return el("span", { class: `term ${state}`, title },
    marked(text), el("sup", { "aria-hidden": "true" }, sign),
    el("span", { class: "unseen" }, ` (glossary: ${target}, ${means})`));
}

/** The pieces of a text: plain, codes, and terms that do not overlap. */
export function pieces({ text, codes = [] }, terms = []) {
  const positions = new Positions(text);
  const marks = [...codes.map((code) => ({ ...code, isCode: true })), ...terms]
    .sort((one, other) => one.start - other.start || other.end - one.end);
  const made = [];
  let at = 0;
  for (const mark of marks) {
    const [start, end] = [positions.unit(mark.start), positions.unit(mark.end)];
    if (start < at || end <= start) continue;
    made.push(...marked(text.slice(at, start)));
    const inside = text.slice(start, end);
    made.push(mark.isCode ? chip(inside) : term(inside, mark));
    at = end;
  }
  return [...made, ...marked(text.slice(at))].filter((piece) => piece !== "");
}

/** The terms of a segment as a list: the other place where what is missing is said. */
export function termList(terms) {
  return el("ul", { class: "terms", "aria-label": "Glossary" }, terms.map(({ source, target,
    state }) =>
    el("li", { class: state }, el("span", {}, source, " → ", el("b", {}, target)), " ",
      el("span", { class: `term-state ${state}` }, STATES[state]?.[0] ?? "", " ", state))));
}
