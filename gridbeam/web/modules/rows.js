// The segments of a project as the list needs them: a page at a time, under a filter.

import { get, withQuery } from "./api.js";

const PAGE = 100;
const DELAYS = [1, 2, 4, 8, 15, 30];

export class Rows {
  /** `loaded` is called whenever a page has come. */
  constructor(project, loaded) {
    Object.assign(this, { project, loaded, query: {}, total: 0, pages: new Map() });
    [this.places, this.asked, this.failures] = [new Map(), new Map(), 0];
  }

  get isFiltered() {
    return Object.values(this.query).some(Boolean);
  }

  /** The place of the segment that is this one of all, from 0; nothing if it is not here. */
  placeOf(number) {
    if (!this.isFiltered) return number;
    return [...this.places.values()].find((at) => this.at(at)?.number === number + 1);
  }

  /** Begins anew under another filter. */
  async filter(query) {
    this.end();
    Object.assign(this, { query, pages: new Map(), places: new Map(), asked: new Map(),
      trouble: null });
    await this.load(0);
  }

  /** Asks anew for what is here, which stands until then: something else than a row has changed. */
  async again() {
    const pages = [...this.pages.keys()];
    for (const page of pages) await this.load(page, this.pages.get(page));
  }

  /** The row at a place, if it is here; if not it is asked for. */
  at(index) {
    const page = Math.floor(index / PAGE);
    const rows = this.pages.get(page);
    if (rows === undefined && index < this.total && !this.trouble) this.load(page);
    return rows?.[index % PAGE];
  }

  /** The row at a place, even if it has to be waited for. */
  async wait(index) {
    if (index < 0 || index >= this.total) return undefined;
    const page = Math.floor(index / PAGE);
    await (this.asked.get(page) ?? this.pages.get(page) ?? this.load(page));
    return this.at(index);
  }

  load(page, meanwhile = []) {
    const { asked } = this;
    const loading = this.fetch(page, meanwhile).finally(() => {
      if (asked.get(page) === loading) asked.delete(page);
    });
    asked.set(page, loading);
    return loading;
  }

  async fetch(page, meanwhile) {
    const { query, pages } = this;
    const path = `projects/${this.project.id}/segments`;
    const asked = get(withQuery(path, { ...query, offset: page * PAGE, limit: PAGE }));
    pages.set(page, meanwhile);
    try {
      const { total, segments } = await asked;
      if (pages !== this.pages) return;
      this.total = total;
      pages.set(page, segments);
      [this.trouble, this.failures] = [null, 0];
      segments.forEach((row, number) => this.places.set(row.id, page * PAGE + number));
    } catch (error) {
      if (meanwhile.length) pages.set(page, meanwhile);
      else pages.delete(page);
      if (pages === this.pages) this.later(error, page, meanwhile);
    } finally {
      if (pages === this.pages) this.loaded();
    }
  }

  /** Tries again after a while, which grows; nothing else is asked for until then. */
  later({ message }, page, meanwhile) {
    const seconds = DELAYS[Math.min(this.failures, DELAYS.length - 1)];
    this.failures += 1;
    this.trouble = { message, seconds };
    this.hurry = () => {
      clearTimeout(this.timer);
      this.load(page, meanwhile);
    };
    clearTimeout(this.timer);
    this.timer = setTimeout(this.hurry, seconds * 1000);
  }

  /** Nobody looks at them any more. */
  end() {
    clearTimeout(this.timer);
  }

  /** Puts the newer version of a row in its place. */
  changed(row) {
    const index = this.places.get(row.id);
    if (index === undefined) return undefined;
    const rows = this.pages.get(Math.floor(index / PAGE));
    const old = rows[index % PAGE];
    if (old && old.version > row.version) return undefined;
    rows[index % PAGE] = row;
    return index;
  }

  /** The place of the next row from here on that is not confirmed, after the last the first; or
   * nothing. */
  async nextOpen(from) {
    for (let step = 0; step < this.total; step += 1) {
      const index = (from + step) % this.total;
      const row = await this.wait(index);
      if (row && row.status !== "confirmed") return index;
    }
    return undefined;
  }
}
