// The open segment: source, target, alternatives, what was before, and what cannot be done. It
// shows what Acting says, and turns what a person does into acts.

import { Acting } from "./acting.js";
import "./alternatives.js";
import { verbs } from "./alternatives.js";
import { announce } from "./announce.js";
import { commandsOf } from "./commands.js";
import { el } from "./dom.js";
import { keepDraft, restoreDraft } from "./drafts.js";
import { Effort } from "./effort.js";
import { KeyPress } from "./keypress.js";
import { emptyTarget, footOf, headOf } from "./frame.js";
import { caughtUp, hearsOf } from "./hearing.js";
import { rebase } from "./positions.js";
import { pieces, termList } from "./source.js";
import { swiping } from "./swiping.js";
import "./words.js";

export class OpenSegment extends HTMLElement {
  /** Shows a row; `outer` is the view around it: project, rowChanged, step, confirmed, grid. */
  begin(row, outer) {
    Object.assign(this, { row, outer, effort: new Effort(this) });
    this.acting = Acting.of(row, this.effort, hearsOf(this));
    this.commands = commandsOf(this);
    this.build();
    this.row = this.acting.row;
    this.refresh();
    this.stand();
    this.acting.resume();
  }

  get languages() {
    return this.outer.project;
  }

  build() {
    const { source, target } = this.languages;
    const part = (name, ...inside) => el("div", { class: name }, ...inside);
    this.words = el("target-words", { lang: target, "aria-label": "Translation, word by word" });
    this.alternatives = el("word-alternatives");
    Object.assign(this, { head: part("head"), place: part("place", this.alternatives),
      sourceText: el("p", { class: "text", lang: source, dir: "auto" }), terms: part("term-place"),
      was: part("was"), foot: part("foot"), target: part("side target", this.words) });
    this.verbs = part("verbs", ...verbs(this.commands));
    this.replaceChildren(this.head, part("side source", this.sourceText, this.terms), this.target,
      this.was, part("sheet", this.place, this.verbs), this.foot);
    swiping(this, (by) => this.outer.step(by));
    this.press = new KeyPress(this);
    this.addEventListener("keydown", (event) => this.press.down(event));
    this.addEventListener("input", () => keepDraft(this));
    this.addEventListener("left", () => this.left());
    this.addEventListener("stretch", ({ detail }) => this.chose(detail));
    this.addEventListener("typed", ({ detail }) => this.commands.put(detail));
    this.addEventListener("taken", ({ detail }) => this.commands.put(detail));
    this.addEventListener("widened", ({ detail }) => this.words.selectStretch(detail));
    this.addEventListener("offered", ({ detail }) => announce(`Alternatives: ${detail}`));
  }

  /** Shows all of the row as the server knows it. */
  refresh(fresh = [], clash = []) {
    const { row } = this;
    this.head.replaceChildren(...headOf(row, this.commands, this.seconds));
    this.sourceText.replaceChildren(...pieces(row.source, row.terms));
    this.terms.replaceChildren(...(row.terms.length ? [termList(row.terms)] : []));
    this.foot.replaceChildren(...footOf(row, this.commands));
    this.target.classList.toggle("changed", fresh.length > 0);
    this.showState({ ...this.stateOf(row), fresh, clash });
    requestAnimationFrame(() => this.reachable());
  }

  /** A long source scrolls, and the keyboard can do so, too. */
  reachable() {
    const { parentNode: side } = this.sourceText;
    if (side.scrollHeight > side.clientHeight + 1) side.tabIndex = 0;
    else side.removeAttribute("tabindex");
  }

  stateOf({ target, locks, words }) {
    const { text = "", codes = [] } = target ?? {};
    return { text, codes, locks, words, language: this.languages.target };
  }

  showState(state, near = null) {
    const empty = !state.text;
    this.target.classList.remove("draft", "typed");
    if (this.free) return;
    if (empty) this.target.replaceChildren(emptyTarget(this.commands));
    else if (this.words.parentNode !== this.target) this.target.replaceChildren(this.words);
    if (!empty) this.words.show(state, near);
  }

  /** A text that the server has not acknowledged: typed words, or a draft of the search. */
  showText(text, kind, held = null) {
    const { row } = this;
    const from = row.target?.text ?? "";
    const moved = (stretch) => {
      const [start, end] = rebase([stretch.start, stretch.end], from, text);
      return { ...stretch, start, end };
    };
    if (held) this.held = { start: held[0], end: held[1], text };
    const typed = this.held && rebase([this.held.start, this.held.end], this.held.text, text);
    const own = typed ? [{ start: typed[0], end: typed[1], typed: true }] : [];
    this.showState({ text, codes: (row.target?.codes ?? []).map(moved), words: [],
      locks: [...row.locks.map(moved), ...own], language: this.languages.target }, held);
    this.target.classList.add(kind);
  }

  chose(detail) {
    this.classList.add("choosing");
    if (this.notice && !this.notice.matches(".stays")) this.dismiss();
    const isShown = this.acting.text === (this.row.target?.text ?? "");
    if (isShown && !this.acting.busy && !this.notice) this.alternatives.ask(this.row, detail);
    else this.alternatives.clear();
  }

  /** Shows the text that stands now, if another one is shown. */
  stand() {
    const { busy, text } = this.acting;
    if (!busy) return this.refresh();
    if (text !== this.words.state?.text || !this.words.isConnected) this.showText(text, "typed");
  }

  /** Puts a notice in the place of the alternatives, so that nothing moves. */
  notify(notice) {
    this.notice = notice;
    this.alternatives.clear();
    this.place.replaceChildren(notice);
  }

  /** The keyboard goes back to the words, if it was in the notice. */
  dismiss() {
    const had = this.notice?.contains(document.activeElement);
    this.notice = null;
    this.place.replaceChildren(this.alternatives);
    this.alternatives.clear();
    if (had) this.focusText();
  }

  /** The keyboard is on the text again. */
  focusText() {
    if (this.free) this.free.focus();
    else if (this.words.isConnected) this.words.focusWord();
    else this.querySelector(".main")?.focus();
  }

  /** No word is chosen any more. */
  letGo() {
    this.words.letGo?.();
    this.alternatives.clear();
    this.classList.remove("choosing");
  }

  /** A field is closed: what was typed in it is an act by now, or was dropped. */
  left() {
    keepDraft(this);
    caughtUp(this);
  }

  /** Goes on with what another visit has left of this segment. */
  takeUp(acts) {
    this.acting.takeUp(acts);
    this.stand();
    this.acting.resume();
    this.restore();
  }

  restore() {
    restoreDraft(this);
  }

  end() {
    this.commands.settle();
    this.alternatives.stop();
    this.effort.end();
    this.acting.end(this.outer.waiting.hearsOf(this.row));
  }
}

customElements.define("open-segment", OpenSegment);
