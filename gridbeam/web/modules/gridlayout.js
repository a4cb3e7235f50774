// Where the hypotheses of a grid stand in its picture: columns are tokens, rows what is covered.

const LEFT = 52;
const TOP = 40;
const BOX = 74;
const GAP = 12;

/** A grid whose columns come one by one. A hypothesis is known by its column and its number. */
export class Grid {
  constructor() {
    this.columns = [];
    this.path = [];
  }

  /** Takes a column: its hypotheses, each with the one that it extends (a number, or `2.1`). */
  add(hypotheses) {
    const t = this.columns.length;
    const numberOf = (parent) => Number(String(parent).split(".").at(-1));
    this.columns.push(hypotheses.map((hypothesis, number) => ({ ...hypothesis, t, number,
      text: hypothesis.is_ended ? "" : hypothesis.text ?? ` ${hypothesis.token}`,
      from: t && hypothesis.parent !== null
        ? this.columns[t - 1][numberOf(hypothesis.parent)] ?? null : null })));
  }

  /** Marks the way to the hypothesis that won. */
  won(path) {
    this.path = path.map((number, t) => this.columns[t]?.[number]).filter(Boolean);
  }

  /** A hypothesis and all that lead to it, first token first. */
  wayTo(hypothesis) {
    const way = [];
    for (let each = hypothesis; each; each = each.from) way.unshift(each);
    return way;
  }

  /** The best of those that extend it; the winner's where it is among them. */
  child(hypothesis) {
    const next = (this.columns[hypothesis.t + 1] ?? []).filter((each) => each.from === hypothesis);
    return next.find((each) => this.path.includes(each)) ?? next[0];
  }

  /** Boxes, strips and row labels with their places, and how large the picture is. */
  layout() {
    const rows = [...new Set(this.columns.flat().map(({ row }) => row))].sort((a, b) => a - b);
    const fullest = new Map(rows.map((row) => [row, Math.max(...this.columns.map((column) =>
      column.filter((each) => each.row === row).length))]));
    const pitch = Math.max(5, Math.min(9, 72 / Math.max(1, ...fullest.values())));
    const bands = new Map();
    let y = TOP;
    for (const row of rows) {
      const height = Math.max(20, fullest.get(row) * pitch + 6);
      bands.set(row, { y, height });
      y += height + 10;
    }
    return { bands, pitch, rows, bottom: y, width: LEFT + this.columns.length * (BOX + GAP),
      left: LEFT,
      box: BOX, ...this.places(bands, pitch) };
  }

  places(bands, pitch) {
    const boxes = [];
    const strips = [];
    this.columns.forEach((column, t) => {
      const x = LEFT + t * (BOX + GAP);
      const filled = new Map();
      for (const hypothesis of column) {
        const { y, height } = bands.get(hypothesis.row);
        const rank = filled.get(hypothesis.row) ?? 0;
        if (!rank) boxes.push({ x, y, width: BOX, height });
        filled.set(hypothesis.row, rank + 1);
        Object.assign(hypothesis, { x: x + 3, y: y + 4 + rank * pitch });
        strips.push(hypothesis);
      }
    });
    return { boxes, strips };
  }
}
