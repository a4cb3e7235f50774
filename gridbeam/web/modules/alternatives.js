// What else could stand at a place: asked for when a selection rests, shown in a place of their
// own, numbered. What comes too late is not shown.

import { button, el } from "./dom.js";
import { marked } from "./marks.js";
import { get, isAbort, withQuery } from "./api.js";

const REST = 130;
const MOST = 7;

export class Alternatives extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Alternatives");
    this.clear();
  }

  /** Asks what else could stand there, once the selection has rested; at once when `settled`. */
  ask(row, { where, text, settled }) {
    this.stop();
    this.found = [];
    this.timer = setTimeout(() => this.fetch(row, where, text), settled ? 0 : REST);
  }

  async fetch(row, [start, end], chosen) {
    const abort = new AbortController();
    this.abort = abort;
    this.slow = setTimeout(() => this.say("looking for alternatives …"), 250);
    this.seen = row.target?.text ?? "";
    const query = { start, end, version: row.version, n: MOST };
    try {
      const found = await get(withQuery(`segments/${row.id}/alternatives`, query), abort.signal);
      if (this.abort === abort) this.show(found, [start, end], chosen);
    } catch (error) {
      if (isAbort(error) || this.abort !== abort) return;
      this.say(`${error.message} ${error.remedy ?? ""}`);
    } finally {
      if (this.abort === abort) clearTimeout(this.slow);
    }
  }

  show({ where, alternatives }, asked, chosen) {
    clearTimeout(this.slow);
    this.where = where ?? asked;
    if (String(this.where) !== String(asked)) this.tell("widened", this.where);
    this.found = alternatives.filter(({ text }) => text.trim() !== chosen.trim()).slice(0, MOST);
    if (!this.found.length) return this.say("No other words seem likely here. Type yours.");
    this.replaceChildren(...this.found.map(({ text }, number) => el("button",
      { type: "button", class: "alternative", click: () => this.take(number) },
      el("kbd", {}, String(number + 1)), el("bdi", {}, marked(text.trim() || "(nothing)")))));
    const said = this.found.map(({ text }, number) => `${number + 1} ${text.trim()}`);
    this.tell("offered", said.join(", "));
  }

  /** Puts an alternative in its place, if there are so many; then there are none any more. */
  take(number) {
    const chosen = this.found?.[number];
    if (!chosen) return;
    const { where, seen } = this;
    this.clear();
    this.tell("taken", { where, words: chosen.text.trim(), seen });
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }

  say(text) {
    this.replaceChildren(el("p", { class: "faint" }, text));
  }

  stop() {
    clearTimeout(this.timer);
    clearTimeout(this.slow);
    this.abort?.abort();
    this.abort = null;
  }

  /** Says how to come by alternatives; what is asked for is not wanted any more. */
  clear() {
    this.stop();
    this.found = [];
    this.say("Choose a word to see what else could stand there.");
  }
}

customElements.define("word-alternatives", Alternatives);

/** The buttons that a finger needs where a keyboard has keys. */
export function verbs(commands) {
  const one = (label, command, key) => button(label, () => commands[command](), { key });
  return [one("Edit", "edit", "Enter"), one("Lock", "lock", "L"), one("Unlock", "unlock", "⇧L"),
    one("Forbid", "forbid", "X"), one("Complete", "complete", "Tab"),
    button("Done", () => commands.leave(), { class: "done" })];
}
