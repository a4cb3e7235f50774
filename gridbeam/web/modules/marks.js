// Characters that nobody sees, and that may turn a line around: each stands in a box of its own
// with a sign, so that it is seen and does nothing to its neighbours.

import { el } from "./dom.js";

const NAMES = {
  "\u061c": "ALM", "\u200b": "ZWSP", "\u200e": "LRM", "\u200f": "RLM", "\u2028": "LS",
  "\u2029": "PS", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO",
  "\u202e": "RLO", "\u2060": "WJ", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI",
  "\u2069": "PDI", "\u00ad": "SHY", "\ufeff": "BOM",
};
const CONTROLS = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
const HIDDEN = new RegExp(`[${CONTROLS}${Object.keys(NAMES).join("")}]`, "u");

function mark(character) {
  const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  const sign = NAMES[character] ?? code;
  const shown = { class: "unseen-mark", "data-sign": sign, title: `${sign} ${code}` };
  return el("bdi", shown, character);
}

/** A text as nodes, its hidden characters marked. */
export function marked(text) {
  if (!HIDDEN.test(text)) return [text];
  return [...text].reduce((made, character) => {
    if (HIDDEN.test(character)) made.push(mark(character));
    else if (typeof made.at(-1) === "string") made.push(made.pop() + character);
    else made.push(character);
    return made;
  }, []);
}
