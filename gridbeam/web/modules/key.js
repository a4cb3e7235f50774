// Asks for the key of a server that wants one; it is kept until the tab is closed.

import { el } from "./dom.js";

let asking = null;

/** The key that the person gives, or null. Requests that wait together ask once. */
export function askForKey(status) {
  asking ??= new Promise((give) => {
    const field = el("input", { id: "key", type: "password", autocomplete: "off", required: true });
    const why = status === 403 ? "The server does not take this key." : "This server wants a key.";
    const form = el("form", { method: "dialog" },
      el("h2", { id: "key-title" }, why),
      el("label", { for: "key" }, "API key"), field,
      el("p", { class: "faint" }, "Made by “gridbeam keys create NAME” on the server."),
      el("div", { class: "buttons" }, el("button", { class: "main" }, "Go on")));
    const dialog = el("dialog", { "aria-labelledby": "key-title" }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      asking = null;
      give(field.value.trim() || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
