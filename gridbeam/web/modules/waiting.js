// What is not stored yet in segments that are not open: said above the list, with a way to them.

import { announce } from "./announce.js";
import { Acting } from "./acting.js";
import { get } from "./api.js";
import { el } from "./dom.js";
import { takeOver } from "./unsent.js";

export class Waiting {
  constructor(view) {
    Object.assign(this, { view, rows: new Map() });
    this.element = el("p", { class: "bar-notice", role: "group", "aria-label": "Not stored yet",
      hidden: true });
  }

  /** Takes over what tabs that are gone have left in the project. */
  begin(signal) {
    const { project } = this.view;
    takeOver(project.id, signal, (id, left) => {
      const { segment } = this.view;
      if (segment?.isConnected && segment.row.id === id) segment.takeUp(left.acts);
      else this.send(id, left);
    });
  }

  /** What Acting tells of a segment that is closed. */
  hearsOf(row) {
    const wait = () => this.add(row);
    return { offline: wait, waiting: wait, answered: () => this.remove(row.id),
      changed: (change) => this.view.list.changed(change.segment) };
  }

  /** Sends the acts that wait in a segment; of what was being typed there the person decides. */
  async send(id, { number, acts, draft }) {
    if (draft || !acts.length) return this.add({ id, number });
    const row = await get(`segments/${id}`).catch(() => null);
    if (!row) return this.add({ id, number });
    const acting = Acting.of(row, null, {});
    acting.takeUp(acts);
    acting.end(this.hearsOf(row));
    return acting.resume();
  }

  add(row) {
    if (this.rows.has(row.id)) return;
    this.rows.set(row.id, row);
    this.draw();
    announce(this.element.textContent);
  }

  remove(id) {
    if (this.rows.delete(id)) this.draw();
  }

  draw() {
    const numbers = [...this.rows.values()].map(({ number }) => number).sort((a, b) => a - b);
    this.element.hidden = !numbers.length;
    this.element.replaceChildren("Typed, but not stored yet. Open it to go on: ",
      ...numbers.flatMap((number) => [el("a", { href: `#/p/${this.view.project.id}/${number}` },
        `segment ${number}`), " "]));
  }
}
