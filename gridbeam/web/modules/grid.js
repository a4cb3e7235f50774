// The grid of the search behind the open segment: it grows while the search runs, and can be
// walked afterwards. Each box is a beam, each strip a hypothesis, the line the way that won.

import { get } from "./api.js";
import { el, svg } from "./dom.js";
import { Grid } from "./gridlayout.js";

const KINDS = { generated: "generate", started: "start", continued: "continue" };
const kindOf = ({ origin }) => KINDS[origin] ?? origin;

function patterns() {
  const pattern = (id, kind, turn, gap) => svg("pattern", { id, width: 5, height: 5,
    patternUnits: "userSpaceOnUse", patternTransform: turn }, svg("rect",
    { class: `ink-${kind}`, width: 5, height: 5 }), svg("rect", { class: "gap", width: gap,
      height: 5 }));
  return svg("defs", {}, pattern("hatched", "start", "rotate(45)", 1.8), pattern("barred",
    "continue", null, 2));
}

const short = (text) => (text.length > 11 ? `${[...text].slice(0, 10).join("")}…` : text);
const FILL = { start: "url(#hatched)", continue: "url(#barred)" };

function legend() {
  const signs = [["generate", "the model's own token"], ["start", "starts what is required"],
    ["continue", "continues it"]];
  return el("ul", { class: "legend" }, signs.map(([kind, means]) => el("li", {},
    svg("svg", { width: 26, height: 10, class: `picture ${kind}`, "aria-hidden": "true" },
      svg("rect", { class: "bar", width: 26, height: 8, y: 1, rx: 1, fill: FILL[kind] })), means)));
}

export class Pane {
  constructor() {
    this.picture = svg("svg", { class: "picture", role: "group",
      "aria-label": "Grid of the search" });
    this.said = el("p", { class: "said", "aria-live": "polite" });
    this.scroller = el("div", { class: "scroller", tabindex: "0", role: "region",
      "aria-label": "Grid" },
      this.picture);
    this.element = el("div", { class: "grid" }, legend(), this.scroller, this.said);
    this.picture.addEventListener("keydown", (event) => this.walk(event));
    this.picture.addEventListener("focusin", ({ target }) => this.point(target.of));
    this.picture.addEventListener("pointerover", ({ target }) =>
      this.point(target.closest("[role]")?.of));
  }

  async opened(row) {
    this.row = row;
    this.live = false;
    if (!row) return this.empty("Open a segment to see how its translation was found.");
    if (!row.target) return this.empty("Translate first: the grid is the picture of a search.");
    const found = await get(`segments/${row.id}/grid`).catch((error) => ({ error }));
    if (this.row !== row || this.live) return;
    if (found.error || !found.columns?.length) {
      return this.empty(found.error?.remedy || found.error?.message ||
        "No search has been recorded yet.");
    }
    this.grid = new Grid();
    found.columns.forEach((column) => this.grid.add(column.hypotheses));
    this.grid.won(found.path ?? []);
    this.draw();
  }

  changed(row) {
    if (row.id !== this.row?.id || row.version !== this.row?.version) this.opened(row);
  }

  /** A column of the search that runs; the first one begins a new picture. */
  column(column, row) {
    if (column.sentence) return;
    if (!this.live || column.column === 0) this.grid = new Grid();
    Object.assign(this, { live: true, row });
    this.grid.add(column.hypotheses);
    this.draw();
    this.scroller.scrollLeft = this.scroller.scrollWidth;
    this.say(`searching, column ${this.grid.columns.length}`);
  }

  empty(text) {
    this.grid = null;
    this.picture.replaceChildren();
    this.picture.setAttribute("height", 0);
    this.say(text);
  }

  say(text) {
    this.said.replaceChildren(text);
  }

  draw() {
    const { grid, picture } = this;
    const plan = grid.layout();
    picture.setAttribute("width", plan.width + 12);
    picture.setAttribute("height", plan.bottom + 22);
    const rows = plan.rows.map((row) => svg("text", { class: "row", x: 4,
      y: plan.bands.get(row).y + plan.bands.get(row).height / 2 + 4 }, `${row} owed`));
    const boxes = plan.boxes.map((box) => svg("rect", { class: "beam", rx: 3, ...box }));
    const strips = plan.strips.map((each) => this.strip(each, plan));
    const steps = grid.columns.map((_, t) => svg("text", { class: "small token",
      x: plan.left + t * (plan.box + 12) + plan.box / 2, y: plan.bottom + 10 }, String(t + 1)));
    const words = grid.path.map((each) => svg("text", { class: `token ink-${kindOf(each)}`,
      x: each.x - 3 + plan.box / 2, y: 24 }, short(each.is_ended ? "end" : each.text.trim() ||
        "␣")));
    this.trail = svg("path", { class: "trail" });
    const links = svg("path", { class: "link", d: this.line(grid.path, plan) });
    this.plan = plan;
    picture.replaceChildren(patterns(), ...rows, ...boxes, links, ...strips, this.trail, ...words,
      ...steps);
    const first = grid.path.at(-1) ?? plan.strips[0];
    if (first) first.element.setAttribute("tabindex", "0");
    if (grid.path.length) this.describe(grid.path.at(-1));
  }

  strip(each, { box, pitch }) {
    const kind = kindOf(each);
    const height = Math.max(3, pitch - 2);
    const text = this.grid.wayTo(each).map((step) => step.text).join("").trim();
    const label = `${text}: ${kind}, score ${each.score.toFixed(2)}, ${each.row} owed`;
    const won = this.grid.path.includes(each) ? " won" : "";
    each.element = svg("g", { class: `strip ${kind}${won}`, role: "img", tabindex: "-1",
      "aria-label": label },
      svg("rect", { class: "bar", x: each.x, y: each.y, width: box - 6, height, rx: 1,
        fill: FILL[kind] }));
    each.element.of = each;
    return each.element;
  }

  line(way, { box, pitch }) {
    const half = Math.max(3, pitch - 2) / 2;
    return way.slice(1).map((to, number) => {
      const { x, y } = way[number];
      const [right, middle] = [x + box - 6, (x + box - 6 + to.x) / 2];
      const [from, below] = [y + half, to.y + half];
      return `M${right} ${from}C${middle} ${from} ${middle} ${below} ${to.x} ${below}`;
    }).join("");
  }

  point(each) {
    if (!each || !this.plan) return;
    this.trail.setAttribute("d", this.line(this.grid.wayTo(each), this.plan));
    this.describe(each);
  }

  describe(each) {
    this.said.replaceChildren(...this.grid.wayTo(each).map((step) =>
      el("span", { class: `ink-${kindOf(step)}` }, step.text)),
    el("span", { class: "faint" },
      `  ${kindOf(each)} · ${each.row} owed · score ${each.score.toFixed(3)}`));
  }

  walk(event) {
    const each = event.target.of;
    const column = each && this.grid.columns[each.t];
    const ways = { ArrowLeft: () => each.from, ArrowRight: () => this.grid.child(each),
      ArrowUp: () => column[each.number - 1], ArrowDown: () => column[each.number + 1] };
    const to = each && ways[event.key]?.();
    if (!ways[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    if (!to) return;
    each.element.setAttribute("tabindex", "-1");
    to.element.setAttribute("tabindex", "0");
    to.element.focus();
    to.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
