// The open segment: source, target, alternatives, what was before, and what cannot be done. It
// shows what Acting says, and turns what a person does into acts.

import { Acting } from "./acting.js";
import "./alternatives.js";
import { verbs } from "./alternatives.js";
import { announce, told } from "./announce.js";
import { commandsOf } from "./commands.js";
import { changes, freshIn, lineBefore, withTail } from "./difference.js";
import { el } from "./dom.js";
import { Effort } from "./effort.js";
import { KeyPress } from "./keypress.js";
import { emptyTarget, footOf, headOf } from "./frame.js";
import { rebase } from "./positions.js";
import { refusal } from "./refusal.js";
import { elsewhereNotice, offlineNotice } from "./notices.js";
import { pieces, termList } from "./source.js";
import { swiping } from "./swiping.js";
import "./words.js";

export class OpenSegment extends HTMLElement {
  /** Shows a row; `outer` is the view around it: project, rowChanged, step, confirmed, grid. */
  begin(row, outer) {
    Object.assign(this, { row, outer, effort: new Effort(this) });
    this.acting = Acting.of(row, this.effort, {
      draft: (text) => this.showText(withTail(text, this.acting.text), "draft"),
      grid: (column) => outer.grid(column, this.row),
      changed: (change, wish, isLast) => this.changed(change, wish, isLast),
      closed: (change) => outer.rowChanged(change.segment),
      refused: (error, wish, mine) => refusal(this, error, wish, mine),
      offline: () => this.offline(),
      busy: (is) => this.toggleAttribute("busy", is),
    });
    this.commands = commandsOf(this);
    this.build();
    this.row = this.acting.row;
    this.refresh();
    if (this.acting.busy) this.showText(this.acting.text, "typed");
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
    const press = new KeyPress(this);
    this.addEventListener("keydown", (event) => press.down(event));
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
    if (this.notice) this.dismiss();
    const isShown = this.acting.text === (this.row.target?.text ?? "");
    if (isShown && !this.acting.busy) this.alternatives.ask(this.row, detail);
    else this.alternatives.clear();
  }

  changed(change, wish, isLast) {
    const same = change.segment.version === this.row.version;
    this.row = change.segment;
    this.outer.rowChanged(this.row);
    if (!isLast) return;
    if (["notice", "free"].some((name) => this[name]) && !same) this.dismiss();
    this.held = null;
    this.seconds = change.seconds;
    const { difference = [] } = change;
    const fresh = freshIn(difference);
    const before = changes(difference) && change.before?.text;
    this.was.replaceChildren(...(before ? [lineBefore(change, this.languages.target)] : []));
    this.alternatives.clear();
    this.refresh(fresh);
    announce(this.said(wish, difference));
    this.outer.acted(wish, this.row);
  }

  said({ act }, difference) {
    const plain = { lock: "Locked.", unlock: "Unlocked.", confirm: "Confirmed.", review: "Noted.",
      unconfirm: "Not confirmed any more." };
    const change = changes(difference) ? told(difference) : "";
    return `${plain[act] ?? ""} ${change}`.trim() || "Nothing changed.";
  }

  /** Puts a notice in the place of the alternatives, so that nothing moves. */
  notify(notice) {
    this.notice = notice;
    this.alternatives.stop();
    this.place.replaceChildren(notice);
  }

  dismiss() {
    this.notice = null;
    this.place.replaceChildren(this.alternatives);
    this.alternatives.clear();
  }

  offline() {
    if (this.notice?.matches(".offline")) return;
    this.notify(offlineNotice(() => this.acting.hurry()));
    announce("The server does not answer. What you typed is kept and will be sent.");
  }

  /** A newer version from elsewhere; what is typed or under way here is left alone. */
  renewed(row) {
    if (row.version <= this.row.version || this.acting.busy || this.free ||
      this.words.field) return;
    const before = this.row.target?.text;
    this.row = row;
    this.acting.rest(row);
    this.refresh();
    if (before !== row.target?.text && row.status !== "machine") {
      this.notify(elsewhereNotice(() => this.dismiss()));
    }
  }

  /** What is said of the text has changed, not the text. */
  judged(row) {
    if (row.version !== this.row.version) return;
    this.row = row;
    this.acting.row = row;
    if (!this.acting.busy && !this.free) this.refresh();
  }

  end() {
    this.commands.settle();
    this.alternatives.stop();
    this.effort.end();
    this.acting.end();
  }
}

customElements.define("open-segment", OpenSegment);
