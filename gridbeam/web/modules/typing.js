// The fields in which words are typed: a small one in the place of a selection, a large one for
// the whole text.

import { el } from "./dom.js";

function fit(field) {
  field.size = Math.max(2, [...field.value].length + 1);
}

/** A field that grows with what is typed in it. */
export function typingField(value, language) {
  const field = el("input", { class: "typing", type: "text", value, lang: language, dir: "auto",
    "aria-label": "Words for this place. Enter requires them here, Escape leaves all as it was.",
    autocomplete: "off", autocapitalize: "off", spellcheck: "true", enterkeyhint: "done" });
  field.addEventListener("input", () => fit(field));
  fit(field);
  return field;
}

/** A field for the whole text, as high as what is in it. */
export function freeField(value, language) {
  const field = el("textarea", { class: "free", rows: "1", lang: language, dir: "auto",
    spellcheck: "true", "aria-label": "Translation, typed freely. Enter keeps it." });
  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  };
  field.addEventListener("input", grow);
  field.value = value;
  requestAnimationFrame(grow);
  return field;
}
