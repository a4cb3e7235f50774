// The segments of a project: filter and search above, the list, panes beside it.

import { get, post } from "./api.js";
import { announce, alarm } from "./announce.js";
import { el, plural } from "./dom.js";
import { listen } from "./events.js";
import { toolbar } from "./filters.js";
import { Panes } from "./panes.js";
import { judged, renewed } from "./hearing.js";
import { listTrouble } from "./notices.js";
import { crumbsOf } from "./progress.js";
import { Rows } from "./rows.js";
import "./list.js";
import { OpenSegment } from "./segment.js";
import { shortcuts } from "./shortcuts.js";
import { Waiting } from "./waiting.js";

class SegmentsView {
  constructor({ view, crumbs, tools, help }) {
    Object.assign(this, { view, crumbs, tools, help });
    this.ending = new AbortController();
  }

  async begin([, id, number]) {
    this.project = await get(`projects/${id}`);
    document.title = `${this.project.name} · gridbeam`;
    this.rows = new Rows(this.project, () => this.loaded());
    this.list = el("segment-list", { tabindex: "-1" });
    this.waiting = new Waiting(this);
    this.trouble = el("div", { class: "bar-notice", role: "group", "aria-label": "The list",
      hidden: true });
    this.empty = el("p", { class: "nothing", hidden: true });
    this.toolbar = toolbar(this.project, (query) => this.filter(query), {
      translate: () => this.translateAll(), pane: (name) => this.panes.toggle(name) });
    this.panes = new Panes(this);
    this.view.replaceChildren(el("h1", { class: "unseen" }, this.project.name),
      this.toolbar.element,
      el("div", { class: "desk" }, el("div", { class: "rows" }, this.trouble,
        this.waiting.element, this.empty, this.list), this.panes.element));
    this.list.begin(this.rows, { makeOpen: (row) => this.makeOpen(row),
      wanted: (index) => this.go(index) });
    this.counts(this.project.counts);
    await this.filter({});
    listen(this.project.id, this.ending.signal, { counts: (counts) => this.counts(counts),
      segment: (row) => this.heard(row), opened: (counts) => this.caughtUp(counts) });
    shortcuts(this, this.ending.signal);
    if (number) await this.openAt(Number(number) - 1);
    this.waiting.begin(this.ending.signal);
    return this;
  }

  loaded() {
    const { total, isFiltered, trouble } = this.rows;
    this.trouble.hidden = !trouble;
    if (trouble) this.trouble.replaceChildren(...listTrouble(trouble, () => this.rows.hurry()));
    this.empty.hidden = total > 0 || Boolean(trouble);
    this.empty.textContent = isFiltered
      ? "No segment is like this. Choose “All”, or search for something else."
      : "This file has no text to translate.";
    if (this.list.runway) this.list.draw();
  }

  async filter(query) {
    this.list.close();
    this.list.shown.forEach((element, index) => this.list.drop(index, element));
    await this.rows.filter(query);
    this.list.scrollTop = 0;
    if (this.rows.isFiltered) announce(plural(this.rows.total, "segment"));
  }

  counts(counts) {
    this.project.counts = counts;
    this.toolbar.counts(counts);
    this.crumbs.replaceChildren(...crumbsOf(this.project));
  }

  makeOpen(row) {
    const segment = new OpenSegment();
    this.segment = segment;
    segment.begin(row, this);
    this.panes.opened(row);
    return segment;
  }

  go(index) {
    const row = this.rows.at(index);
    if (row) location.hash = `#/p/${this.project.id}/${row.number}`;
  }

  /** Whether an address lies in this view, which then shows it. */
  async moved([kind, id, number]) {
    if (kind !== "p" || Number(id) !== Number(this.project.id) || number === "study") return false;
    if (!number) this.list.close();
    else await this.openAt(Number(number) - 1);
    return true;
  }

  /** Opens the segment of this number, wherever the filter has put it. */
  async openAt(number) {
    let index = this.rows.placeOf(number);
    if (index === undefined) {
      this.toolbar.clear();
      await this.filter({});
      alarm(`Segment ${number + 1} is not like that: all segments are shown again.`);
      index = number;
    }
    const row = await this.rows.wait(index);
    if (!row) return;
    this.list.openAt(index);
    const first = this.segment.words.options?.[0]?.element ?? this.segment.querySelector(".main");
    first?.focus({ preventScroll: true });
    this.segment.letGo();
    this.waiting.remove(row.id);
    this.segment.restore();
    announce(`Segment ${row.number} of ${this.project.counts.total}, ${row.status}.`);
  }

  // What the open segment calls.

  rowChanged(row) {
    this.list.changed(row);
    this.panes.changed(row);
  }

  acted(wish, row) {
    if (["confirm", "unconfirm"].includes(wish.act)) this.panes.refresh("memory");
    if (wish.onwards) this.next(row);
  }

  async next(row) {
    const index = await this.rows.nextOpen(this.rows.places.get(row.id) + 1);
    if (index === undefined) announce("That was the last open segment.");
    else this.go(index);
  }

  step(by) {
    const index = this.list.open + by;
    if (index >= 0 && index < this.rows.total) this.rows.wait(index).then(() => this.go(index));
  }

  close() {
    const index = this.list.open;
    history.replaceState(null, "", `#/p/${this.project.id}`);
    this.list.close();
    this.panes.opened(null);
    if (index !== null) this.list.focusRow(index);
  }

  grid(column, row) {
    this.panes.grid(column, row);
  }

  showPane(name) {
    this.panes.toggle(name);
  }

  search() {
    this.toolbar.search.focus();
    this.toolbar.search.select();
  }

  /** Terms are marked anew after a glossary has changed. */
  async judgedAnew() {
    await this.rows.again();
    const row = this.segment?.isConnected && this.rows.at(this.list.open);
    if (row) judged(this.segment, row);
  }

  // What the server tells by itself.

  /** From now on every change is heard; what has changed before is asked for. */
  caughtUp(counts) {
    if (JSON.stringify(counts) !== JSON.stringify(this.project.counts)) this.rows.again();
    if (counts.new) this.translateAll();
  }

  async translateAll() {
    await post(`projects/${this.project.id}/translate`, {}).catch((error) => alarm(error.message));
  }

  heard(row) {
    if (this.segment?.isConnected && this.segment.row.id === row.id) renewed(this.segment, row);
    this.list.changed(row);
  }

  end() {
    this.list.close();
    this.rows.end();
    this.ending.abort();
  }
}

/** Shows the segments of the project that the address names. */
export async function showSegments(outer) {
  return new SegmentsView(outer).begin(outer.path);
}
