// Acts on one segment, in order, one under way at a time. What is typed stands at once; the search
// behind an act is cancelled when the next act comes, but what was typed is kept: it is written,
// which locks it, without a search. Nothing leaves the queue before the server has acknowledged it,
// but what was never sent: each act has an id, by which the server knows what it has stored.

import { Refused, Unreachable, isAbort } from "./api.js";
import { send, settle } from "./sending.js";
import { keepUnsent, unsent } from "./unsent.js";

const AT_WORK = new Map();
const DELAYS = [500, 1000, 2000, 4000, 8000, 15000];

const newId = () => [...crypto.getRandomValues(new Uint8Array(12))]
  .map((byte) => byte.toString(16).padStart(2, "0")).join("");

export class Acting {
  /** That of a segment: the one that is still at work, where somebody comes back to it soon. */
  static of(row, effort, hears) {
    const known = AT_WORK.get(row.id);
    return known ? Object.assign(known, { effort, hears, isClosed: false })
      : new Acting(row, effort, hears);
  }

  /** `hears` is told of all that happens: draft, grid, changed, refused, offline, answered, busy,
   * and, once the segment is closed, what is left waiting. */
  constructor(row, effort, hears) {
    Object.assign(this, { row, effort, hears, delays: [...DELAYS], queue: [] });
    this.text = row.target?.text ?? "";
    this.takeUp(unsent(row.id).acts);
  }

  get busy() {
    return this.queue.length > 0;
  }

  /** Puts acts that an earlier visit has left into the queue; `resume` sends them. */
  takeUp(acts) {
    const known = new Set(this.queue.map(({ id }) => id));
    const left = acts.filter(({ id }) => !known.has(id));
    this.queue.push(...left);
    this.text = left.findLast(({ shown }) => shown !== undefined)?.shown ?? this.text;
  }

  /** Does it. A wish is an act and its fields; `where` is a place in the text that was `seen`,
   * `shown` the text that stands meanwhile, `held` the stretch of it that was typed. */
  perform(wish) {
    if (wish.where && wish.seen === undefined) throw new TypeError("a place in which text?");
    this.queue.push({ ...wish, ...this.effort.take(), id: newId(), version: this.row.version,
      before: this.text, sent: false, quick: false });
    if (wish.shown !== undefined) this.text = wish.shown;
    this.hasten();
    this.note();
    return this.drain();
  }

  /** Ends the search of the first act when another follows. Whoever confirms waits for what it
   * finds, and confirms that. */
  hasten() {
    const [head, ...others] = this.queue;
    if (!head.held || head.quick || !others.length) return;
    if (others.some(({ act }) => act === "confirm")) return;
    head.quick = true;
    this.abort?.abort();
  }

  /** Takes back what was done last: what was not sent is forgotten, the server undoes the rest. */
  undo() {
    const last = this.queue.at(-1);
    if (!last) return this.row.undo ? this.perform({ act: "undo" }) : undefined;
    if (last.sent || last.act === "undo") {
      const shown = last.act === "undo" ? undefined : last.before;
      return this.perform({ act: "undo", shown, undoes: last.id });
    }
    this.queue.pop();
    this.text = last.before;
    return this.note();
  }

  redo() {
    const last = this.queue.at(-1);
    if (last ? last.act === "undo" : this.row.redo) this.perform({ act: "redo" });
  }

  note() {
    keepUnsent(this.row, { acts: this.queue });
    if (this.busy) AT_WORK.set(this.row.id, this);
    else AT_WORK.delete(this.row.id);
    this.hears.busy(this.busy);
  }

  async drain() {
    if (this.draining) return;
    this.draining = true;
    try {
      while (this.queue.length && (await this.goOn(this.queue[0])));
    } finally {
      this.draining = false;
    }
  }

  /** Does what is first in the queue. Whether the queue goes on. */
  async goOn(wish) {
    wish.sent = true;
    keepUnsent(this.row, { acts: this.queue });
    try {
      this.took(await (wish.quick ? settle(wish, this.row) : this.search(wish)), wish);
      this.queue.shift();
      this.delays = [...DELAYS];
    } catch (error) {
      if (!(await this.recovered(error, wish))) return false;
    }
    this.note();
    return true;
  }

  async search(wish) {
    const abort = new AbortController();
    this.abort = abort;
    try {
      return await send(wish, this.row, abort.signal, {
        grid: (column) => this.hears.grid(column),
        draft: ({ text }) => this.standsLast(wish) && this.hears.draft(text) });
    } finally {
      if (this.abort === abort) this.abort = null;
    }
  }

  /** Whether nothing was typed after it. */
  standsLast(wish) {
    const after = this.queue.slice(this.queue.indexOf(wish) + 1);
    return after.every(({ shown }) => shown === undefined);
  }

  took(change, wish) {
    this.row = change.segment;
    for (const each of this.queue) each.version = this.row.version;
    const isLast = this.standsLast(wish);
    if (isLast) this.text = this.row.target?.text ?? "";
    this.hears.answered();
    this.hears.changed(change, wish, isLast);
  }

  /** Whether the queue goes on after what went wrong. */
  async recovered(error, wish) {
    if (isAbort(error)) return true;
    if (error instanceof Unreachable) {
      this.hears.offline(error);
      await this.pause(this.delays.length > 1 ? this.delays.shift() : this.delays[0]);
      return true;
    }
    if (!(error instanceof Refused)) throw error;
    this.hears.answered();
    if (this.isClosed) return this.wait();
    const mine = this.text;
    // What was typed after it has not been refused; of a conflict `mine` has it.
    this.queue = error.status === 409 ? []
      : this.queue.filter((each) => each !== wish && each.shown !== undefined &&
        each.undoes !== wish.id);
    if (error.status !== 409 && !this.busy) this.text = this.row.target?.text ?? "";
    this.note();
    this.hears.refused(error, wish, mine);
    return this.busy;
  }

  /** Leaves all as it is for the next who opens the segment: nobody is here to hear of it. */
  wait() {
    AT_WORK.delete(this.row.id);
    this.hears.waiting(this.row);
    return false;
  }

  pause(milliseconds) {
    return new Promise((go) => {
      const timer = setTimeout(go, milliseconds);
      this.hurry = () => { clearTimeout(timer); go(); };
      window.addEventListener("online", this.hurry, { once: true });
    });
  }

  /** Goes on with what an earlier visit left unsent. */
  resume() {
    if (!this.busy || this.draining) return;
    this.note();
    this.drain();
  }

  /** The newest version is the ground for what follows, and is what is shown. */
  rest(row) {
    this.row = row;
    this.text = row.target?.text ?? "";
  }

  /** The segment is closed: what is under way goes on, and `hears` is told how it ends. */
  end(hears) {
    const quiet = () => {};
    this.isClosed = true;
    this.hears = { busy: quiet, grid: quiet, draft: quiet, refused: quiet, ...hears };
  }
}
