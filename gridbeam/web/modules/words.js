// The target text as words that can be walked, selected and typed over: a list of options with one
// tab stop. Events: `stretch` when a selection rests, `typed` when words are put in its place.

import { el, icon } from "./dom.js";
import { marked } from "./marks.js";
import { pointing } from "./pointing.js";
import { rebase, tokens } from "./positions.js";
import { typingField } from "./typing.js";

const overlaps = (token, { start, end }) => token.from < end && start < token.to;

/** How sure the model is, from 0 (not at all) to 3. */
function sureness(token, words) {
  const here = words.filter((word) => overlaps(token, word)).map((word) => word.confidence);
  const least = Math.min(1, ...here.filter((confidence) => confidence !== null));
  return [0.25, 0.5, 0.75].filter((bound) => least >= bound).length;
}

const LIST = { role: "listbox", "aria-multiselectable": "true", "aria-orientation": "horizontal" };
const UNSURE = ["very unsure", "unsure", "rather sure", ""];

export class TargetWords extends HTMLElement {
  connectedCallback() {
    this.dir = "auto";
    pointing(this);
  }

  /** Shows a text; while somebody types it waits. In code points: codes, locks, words with their
   * confidence, `fresh` stretches (new or moved), `clash` and `struck` stretches. */
  show(state, near = null) {
    if (this.field) { this.held = state; return; }
    const had = this.contains(document.activeElement);
    const { base } = this;
    const place = near ?? (base ? rebase(base.range, base.text, state.text) : [0, 0]);
    const chosen = this.isChosen || near;
    this.state = state;
    this.render();
    this.selectStretch(place, { focus: had });
    if (base && !near) this.base = base;
    if (!chosen) this.letGo();
  }

  render() {
    const { text, codes = [], language } = this.state;
    const all = tokens(text, codes, language);
    for (const [name, value] of Object.entries(LIST)) this.setAttribute(name, value);
    this.options = all.filter((token) => token.kind !== "space");
    this.replaceChildren(...all.map((token) => {
      token.element = token.kind === "space"
        ? el("span", { class: "space" }, marked(token.text)) : this.option(token);
      return token.element;
    }));
    this.all = all;
    this.options.forEach((token, number) => { token.element.number = number; });
  }

  option(token) {
    const { locks = [], words = [], fresh = [], clash = [], struck = [] } = this.state;
    const lock = locks.find((each) => overlaps(token, each));
    const sure = token.kind === "word" && !lock ? sureness(token, words) : 3;
    const is = { locked: lock, fresh: fresh.some((each) => overlaps(token, each)),
      clash: clash.some((each) => overlaps(token, each)), code: token.kind === "code",
      struck: struck.some((each) => overlaps(token, each)) };
    const names = Object.keys(is).filter((name) => is[name]);
    const states = [token.kind === "code" ? "code" : "", lock ? "locked" : "",
      is.fresh ? "changed" : "", is.clash ? "clashes" : "", UNSURE[sure]].filter(Boolean);
    const label = states.length ? `${token.text}, ${states.join(", ")}` : null;
    const ends = lock && token.to >= Math.min(lock.end, this.lastIn(lock));
    return el("span", { role: "option", tabindex: "-1", "aria-selected": "false",
      class: ["word", ...names, `sure${sure}`].join(" "), "aria-label": label },
    marked(token.text), ends ? icon("lock") : null);
  }

  /** Where the last word of a lock ends: its sign stands there. */
  lastIn(lock) {
    return this.options.findLast((token) => overlaps(token, lock)).to;
  }

  /** Selects from one word to another; `tell` says so to others. */
  select(anchor, active = anchor, { focus = true, tell = false, settled = false } = {}) {
    if (!this.options.length) return;
    const within = (number) => Math.max(0, Math.min(number, this.options.length - 1));
    [this.anchor, this.active, this.isChosen] = [within(anchor), within(active), true];
    this.mark(this.range);
    this.base = { text: this.state.text, range: this.range };
    this.options.forEach((token, number) => {
      token.element.tabIndex = number === this.active ? 0 : -1;
    });
    if (focus) this.options[this.active].element.focus();
    if (tell) this.tell("stretch", { where: this.range, text: this.chosen, settled });
  }

  /** Selects the words of a stretch, silently. */
  selectStretch([start, end], options) {
    const number = this.options.findIndex((token) => token.to > start);
    const first = number < 0 ? this.options.length - 1 : number;
    const last = this.options.findLastIndex((token) => token.from < end);
    this.select(first, Math.max(first, last), options);
  }

  /** The keyboard is on the words again. */
  focusWord() {
    this.options?.[this.active ?? 0]?.element.focus();
  }

  mark([from, to]) {
    for (const token of this.all ?? []) {
      const chosen = token.from >= from && token.to <= to;
      token.element.classList.toggle("chosen", chosen);
      if (token.kind !== "space") token.element.setAttribute("aria-selected", String(chosen));
    }
  }

  /** No word is selected; the last one stays the tab stop. */
  letGo() {
    this.isChosen = false;
    this.mark([Infinity, -1]);
  }

  get range() {
    const [first, last] = [Math.min(this.anchor, this.active), Math.max(this.anchor, this.active)];
    return [this.options[first].from, this.options[last].to];
  }

  /** The selection as an act names it: a place in the text that is shown. */
  get stretch() {
    return { where: this.range, seen: this.state.text };
  }

  get chosen() {
    const [from, to] = this.range;
    return this.all.filter((token) => token.from >= from && token.to <= to)
      .map((token) => token.text).join("");
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }

  /** Opens a field in the place of the selection, or after it; `start` is typed already. */
  type(start = null, { after = false } = {}) {
    if (this.field || !this.options.length) return;
    const [from, to] = this.range;
    const inside = this.all.filter((token) => token.from >= from && token.to <= to);
    if (!after) for (const token of inside) token.element.hidden = true;
    this.place = after ? [to, to] : [from, to];
    this.field = typingField(start ?? this.chosen, this.state.language);
    if (after) inside.at(-1).element.after(" ", this.field);
    else inside[0].element.before(this.field);
    this.field.focus();
    if (start === null) this.field.select();
    else this.field.setSelectionRange(start.length, start.length);
    this.asText();
  }

  /** While a field stands among them the words are no list to choose from. */
  asText() {
    for (const name of Object.keys(LIST)) this.removeAttribute(name);
    this.setAttribute("role", "group");
    for (const { element } of this.options) {
      for (const name of ["role", "aria-selected", "aria-label"]) element.removeAttribute(name);
    }
  }

  /** Puts what is typed in its place, as Enter does; with `null` leaves all as it was. */
  leaveField(words = this.field?.value.trim()) {
    if (!this.field) return;
    const [where, seen] = [this.place, this.state.text];
    const old = where[0] === where[1] ? "" : this.chosen;
    this.field.remove();
    this.field = null;
    this.state = this.held ?? this.state;
    this.held = null;
    const [anchor, active] = [this.anchor, this.active];
    this.render();
    this.select(anchor, active);
    if (words !== null && words !== old) this.tell("typed", { where, words, seen });
    this.tell("left");
  }
}

customElements.define("target-words", TargetWords);
