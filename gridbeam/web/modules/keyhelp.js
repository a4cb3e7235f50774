// The list of all keys, made from the table that the page obeys.

import { button, el } from "./dom.js";
import { KEYS } from "./keys.js";

const SIGNS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

function keyed(shown) {
  if (!/[A-Z?]/.test(shown)) return [shown];
  return shown.split(" ").flatMap((combination) => combination === "…" ? [" … "] : [
    el("span", { class: "combination" }, combination.split("+").map((key) =>
      el("kbd", {}, SIGNS[key] ?? key))), " "]);
}

function section([title, lines]) {
  const said = lines.filter(([, , , says]) => says);
  return el("section", {}, el("h3", {}, title), el("dl", {}, said.flatMap(([place, shown, ,
    says]) => [
    el("dt", {}, keyed(shown)),
    el("dd", {}, says, place === "typing" ? el("small", {}, " (while typing)") : null,
      place === "free" ? el("small", {}, " (while typing freely)") : null)])));
}

/** Opens the list over the page; Escape closes it and gives the focus back. */
export function showKeys() {
  if (document.querySelector("dialog.keys")) return;
  const close = button("Close", () => dialog.close(), { sign: "cross", quiet: true,
    class: "plain" });
  const dialog = el("dialog", { class: "keys", "aria-labelledby": "keys-title" },
    el("header", {}, el("h2", { id: "keys-title" }, "Keys"), close),
    el("div", { class: "sections" }, KEYS.map(section)),
    el("p", { class: "faint" }, "L, X and G are also letters. Type on within two seconds and they ",
      "begin a word instead, and what they did is taken back; Enter opens the field at once."));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
