// What stands beside the segments: glossary, memory, grid. Each is fetched when first opened.

import { button, el } from "./dom.js";

const MODULES = { glossary: "./glossary.js", memory: "./memory.js", grid: "./grid.js" };
const OPEN = "gridbeam.pane";

export class Panes {
  constructor(view) {
    this.view = view;
    this.title = el("h2", { id: "pane-title" });
    this.body = el("div", { class: "pane-body" });
    this.element = el("aside", { class: "pane", "aria-labelledby": "pane-title", hidden: true },
      el("header", {}, this.title, button("Close", () => this.close(),
        { sign: "cross", quiet: true, class: "plain" })), this.body);
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.target.matches("input")) this.close();
    });
    const wanted = innerWidth > 1000 && sessionStorage.getItem(OPEN);
    if (wanted) this.toggle(wanted);
  }

  async toggle(name) {
    if (this.name === name) return this.close();
    this.name = name;
    sessionStorage.setItem(OPEN, name);
    this.element.hidden = false;
    this.element.dataset.pane = name;
    this.title.textContent = name[0].toUpperCase() + name.slice(1);
    this.openers();
    const { Pane } = await import(MODULES[name]);
    if (this.name !== name) return;
    this.view.list?.reveal();
    this.pane = new Pane(this.view);
    this.body.replaceChildren(this.pane.element);
    await this.pane.opened(this.row ?? null);
  }

  close() {
    const had = this.element.contains(document.activeElement);
    const opener = document.querySelector(`[data-pane=${this.name}].pane-opener`);
    [this.name, this.pane] = [null, null];
    sessionStorage.removeItem(OPEN);
    this.element.hidden = true;
    this.body.replaceChildren();
    this.openers();
    if (had) opener?.focus();
  }

  openers() {
    for (const opener of document.querySelectorAll(".pane-opener")) {
      opener.setAttribute("aria-expanded", String(opener.dataset.pane === this.name));
    }
  }

  /** Another segment is open, or none. */
  opened(row) {
    this.row = row;
    this.pane?.opened(row);
  }

  /** The open segment has a newer version. */
  changed(row) {
    this.row = row;
    this.pane?.changed?.(row);
  }

  refresh(name) {
    if (this.name === name) this.pane?.opened(this.row);
  }

  /** A column of the search that runs. */
  grid(column, row) {
    this.pane?.column?.(column, row);
  }
}
