// The list of segments: of ten thousand rows only those in sight are in the page. All closed rows
// are equally high; the open one is measured.

import { el } from "./dom.js";
import { findingsInShort, status } from "./parts.js";
import { pieces } from "./source.js";

const BEYOND = 6;

export class SegmentList extends HTMLElement {
  /** `rows` has them, `makeOpen` makes the open one, `wanted` is called to open a place. */
  begin(rows, { makeOpen, wanted }) {
    Object.assign(this, { rows, makeOpen, wanted, open: null, focused: 0, shown: new Map() });
    this.runway = el("div", { class: "runway", role: "list", "aria-label": "Segments" });
    this.replaceChildren(this.runway);
    this.addEventListener("scroll", () => this.draw(), { passive: true });
    this.addEventListener("keydown", (event) => this.walk(event));
    this.sizes = new ResizeObserver(() => this.resized());
    this.sizes.observe(this);
  }

  get rowHeight() {
    return parseFloat(getComputedStyle(this).getPropertyValue("--row")) || 60;
  }

  get openHeight() {
    return this.open === null ? 0 : this.shown.get(this.open)?.offsetHeight ?? this.rowHeight;
  }

  top(index) {
    const height = this.rowHeight;
    const beyond = this.open !== null && index > this.open;
    return index * height + (beyond ? this.openHeight - height : 0);
  }

  resized() {
    if (this.measured === this.openHeight && this.wide === this.clientWidth) return this.draw();
    [this.measured, this.wide] = [this.openHeight, this.clientWidth];
    this.draw();
  }

  /** Draws what is in sight. */
  draw() {
    const { rows, runway, rowHeight: height } = this;
    const extra = this.open === null ? 0 : this.openHeight - height;
    runway.style.height = `${rows.total * height + Math.max(0, extra)}px`;
    const first = Math.max(0, Math.floor((this.scrollTop - Math.max(0, extra)) / height) - BEYOND);
    const last = Math.min(rows.total,
      Math.ceil((this.scrollTop + this.clientHeight) / height) + BEYOND);
    for (const [index, element] of this.shown) {
      if ((index < first || index >= last) && index !== this.open) this.drop(index, element);
    }
    for (let index = first; index < last; index += 1) this.place(index);
    if (this.open !== null) this.place(this.open);
  }

  drop(index, element) {
    this.sizes.unobserve(element);
    element.remove();
    this.shown.delete(index);
  }

  place(index) {
    let element = this.shown.get(index);
    const row = this.rows.at(index);
    if (!element) {
      element = el("div", { role: "listitem", class: "row", "aria-setsize": this.rows.total,
        "aria-posinset": index + 1 });
      this.shown.set(index, element);
      const after = [...this.shown].filter(([other]) => other > index)
        .sort(([one], [other]) => one - other)[0];
      this.runway.insertBefore(element, after?.[1] ?? null);
    }
    element.style.transform = `translateY(${this.top(index)}px)`;
    if (index !== this.open && element.row !== row) this.fill(element, row, index);
  }

  fill(element, row, index) {
    element.row = row;
    element.classList.remove("open");
    element.replaceChildren(...(row ? closedRow(row, this.rows.project) : [el("span",
      { class: "faint" }, "…")]));
    element.onclick = row ? () => this.wanted(index) : null;
    const opener = element.querySelector(".opener");
    if (opener) opener.tabIndex = index === this.focused ? 0 : -1;
  }

  /** The row has a newer version. */
  changed(row) {
    const index = this.rows.changed(row);
    if (index !== undefined && index !== this.open && this.shown.has(index)) this.place(index);
  }

  /** Opens the row at a place, and closes the one that was open. */
  openAt(index) {
    const was = this.open;
    const before = this.top(index) - this.scrollTop;
    this.close();
    const row = this.rows.at(index);
    if (!row) return null;
    this.place(index);
    const element = this.shown.get(index);
    [this.open, this.focused] = [index, index];
    element.row = null;
    element.onclick = null;
    element.classList.add("open");
    const segment = this.makeOpen(row);
    element.replaceChildren(segment);
    this.sizes.observe(element);
    this.draw();
    if (was !== null) this.scrollTop = Math.max(0, this.top(index) - before);
    this.intoSight(index);
    return segment;
  }

  close() {
    if (this.open === null) return;
    const index = this.open;
    const element = this.shown.get(index);
    element.firstElementChild?.end?.();
    this.sizes.unobserve(element);
    this.open = null;
    this.fill(element, this.rows.at(index), index);
    this.draw();
  }

  intoSight(index) {
    const [top, height] = [this.top(index), this.shown.get(index)?.offsetHeight ?? this.rowHeight];
    const margin = this.rowHeight;
    if (top < this.scrollTop) this.scrollTop = Math.max(0, top - margin);
    else if (top + height > this.scrollTop + this.clientHeight) {
      this.scrollTop = Math.min(top - margin / 2, top + height - this.clientHeight + margin);
    }
    this.draw();
  }

  /** The open row stays in sight when the list gets another size. */
  reveal() {
    if (this.open !== null) this.intoSight(this.open);
  }

  walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9,
      End: 1e9 }[event.key];
    if (!step || !event.target.matches(".opener") || event.ctrlKey) return;
    event.preventDefault();
    this.focusRow(this.focused + step);
  }

  /** The keyboard is on this row. */
  focusRow(index) {
    const old = this.shown.get(this.focused)?.querySelector(".opener");
    if (old) old.tabIndex = -1;
    this.focused = Math.max(0, Math.min(index, this.rows.total - 1));
    this.intoSight(this.focused);
    this.place(this.focused);
    const opener = this.shown.get(this.focused).querySelector(".opener");
    if (!opener) return;
    opener.tabIndex = 0;
    opener.focus({ preventScroll: true });
  }
}

function closedRow(row, { source, target }) {
  const text = row.target?.text;
  const label = `Segment ${row.number}, ${row.status}${row.review ? ", needs review" : ""}`;
  return [
    el("button", { type: "button", class: "opener", "aria-label": `Open ${label}` },
      el("span", { class: "number" }, String(row.number)), status(row, { words: false })),
    el("p", { class: "cell", lang: source, dir: "auto" }, pieces(row.source, row.terms)),
    el("p", { class: `cell${text ? "" : " faint"}`, lang: text ? target : null, dir: "auto" },
      text ? pieces(row.target) : "–"),
    row.findings.length ? findingsInShort(row.findings) : null,
  ].filter(Boolean);
}

customElements.define("segment-list", SegmentList);
