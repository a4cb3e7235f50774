// Acts on one segment, in order, one under way at a time. What is typed stands at once; the search
// behind an act is cancelled when the next act comes, but what was typed is kept: it is written,
// which locks it, without a search. Nothing leaves the queue before the server has acknowledged it.

import { Refused, Unreachable, ask, isAbort, stream } from "./api.js";
import { rebase } from "./positions.js";
import { keepUnsent, unsent } from "./unsent.js";

const AT_WORK = new Map();
const DELAYS = [500, 1000, 2000, 4000, 8000, 15000];

export class Acting {
  /** That of a segment: the one that is still at work, where somebody comes back to it soon. */
  static of(row, effort, hears) {
    const known = AT_WORK.get(row.id);
    return known ? Object.assign(known, { effort, hears }) : new Acting(row, effort, hears);
  }

  /** `hears` is told of all that happens: draft, grid, changed, refused, offline, busy. */
  constructor(row, effort, hears) {
    Object.assign(this, { row, effort, hears, delays: [...DELAYS] });
    this.text = row.target?.text ?? "";
    this.queue = unsent(row.id);
    const last = this.queue.findLast((wish) => wish.shown !== undefined);
    if (last) this.text = last.shown;
  }

  get busy() {
    return this.queue.length > 0;
  }

  /** Does it. A wish is an act and its fields; `shown` is the text that stands meanwhile, `held`
   * the stretch of it that was typed. */
  perform(wish) {
    const version = this.row.version;
    this.queue.push({ ...wish, ...this.effort.take(), seen: this.text, version });
    if (wish.shown !== undefined) this.text = wish.shown;
    const [head] = this.queue;
    if (this.abort && head.held && !head.quick && this.queue.length > 1) {
      head.quick = true;
      this.cancelled = true;
      this.abort.abort();
    }
    this.note();
    return this.drain();
  }

  /** Takes back what has not been acknowledged. Whether there was anything. */
  cancel() {
    if (!this.busy) return false;
    this.queue = [];
    this.text = this.row.target?.text ?? "";
    this.cancelled = true;
    this.abort?.abort();
    this.note();
    return true;
  }

  note() {
    keepUnsent(this.row.id, this.queue);
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
    try {
      await (wish.quick ? this.settle(wish) : this.send(wish));
      if (this.queue[0] === wish) this.queue.shift();
      this.delays = [...DELAYS];
    } catch (error) {
      if (!(await this.recovered(error, wish))) return false;
    }
    this.note();
    return true;
  }

  body(wish) {
    const { act, where, words, left, text, seen, seconds, keystrokes, clicks } = wish;
    const now = this.row.target?.text ?? "";
    const place = where && rebase(where, seen, now);
    const version = wish.restored ? wish.version : this.row.version;
    return { act, version, where: place, words, left, text, seconds, keystrokes, clicks };
  }

  async send(wish) {
    const abort = new AbortController();
    this.abort = abort;
    const options = { method: "POST", json: this.body(wish), signal: abort.signal };
    let change = null;
    try {
      for await (const { event, data } of stream(`segments/${this.row.id}/acts`, options)) {
        if (event === "error") throw new Refused(data.status ?? 500, data);
        if (event === "change") change = data;
        else if (event === "grid") this.hears.grid(data);
        else if (event === "draft" && this.isLast(wish)) this.hears.draft(data.text);
      }
    } finally {
      if (this.abort === abort) this.abort = null;
    }
    if (!change) throw new Unreachable("The connection broke off.");
    this.took(change, wish);
  }

  isLast(wish) {
    return this.queue.at(-1) === wish;
  }

  took(change, wish) {
    this.row = change.segment;
    this.cancelled = false;
    if (!this.queue.includes(wish)) return;
    if (this.isLast(wish)) this.text = this.row.target?.text ?? "";
    this.hears.changed(change, wish, this.isLast(wish));
  }

  /** The typed words of a cancelled act, without a search: what is written is locked. */
  async settle(wish) {
    const { shown: text, seconds, keystrokes, clicks } = wish;
    const json = { act: "write", version: this.row.version, text, seconds, keystrokes, clicks };
    const options = { method: "POST", json };
    this.took(await ask(`segments/${this.row.id}/acts`, options), wish);
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
    if (error.status === 409 && error.segment && this.cancelled) return this.overtaken(error, wish);
    const mine = this.text;
    // What was typed after it has not been refused; of a conflict `mine` has it.
    this.queue = error.status === 409 ? []
      : this.queue.filter((each) => each !== wish && each.shown !== undefined);
    if (error.status !== 409 && !this.busy) this.text = this.row.target?.text ?? "";
    this.note();
    this.hears.refused(error, wish, mine);
    return this.busy;
  }

  /** The server had finished what was cancelled: the next act goes on from there. */
  overtaken(error, wish) {
    this.row = error.segment;
    this.cancelled = false;
    if (wish.quick) this.queue.shift();
    return true;
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
    this.queue.forEach((wish, number) => { wish.restored = number === 0; });
    this.note();
    this.drain();
  }

  /** The newest version is the ground for what follows, and is what is shown. */
  rest(row) {
    this.row = row;
    this.text = row.target?.text ?? "";
  }

  /** The segment is closed: what is under way goes on, but nobody hears of it. */
  end() {
    const quiet = () => {};
    this.hears = { busy: quiet, grid: quiet, draft: quiet, refused: quiet, offline: quiet,
      changed: this.hears.closed ?? quiet };
  }
}
