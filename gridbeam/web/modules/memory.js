// Matches of the memory for the open segment: how alike, where they differ, their translation.

import { get } from "./api.js";
import { button, el } from "./dom.js";
import { differing } from "./difference.js";
import { marked } from "./marks.js";

export class Pane {
  constructor(view) {
    this.view = view;
    this.element = el("div", { class: "memory" });
  }

  async opened(row) {
    this.row = row;
    if (!row) return this.say("Open a segment to see what is like it.");
    const { matches = [] } = await get(`segments/${row.id}`).catch((error) => {
      this.say(error.message);
      return {};
    });
    if (this.row !== row) return;
    if (!matches.length) {
      return this.say("Nothing like it yet. Each segment that you confirm (Ctrl+Enter) is " +
        "offered here for those that are like it, in every project of these languages.");
    }
    this.element.replaceChildren(el("ol", {}, matches.map((match) => this.match(match))));
  }

  match({ source, target, percent, difference }) {
    const { source: from, target: to } = this.view.project;
    const shown = difference?.length ? differing(difference, source, this.row.source.text)
      : marked(source);
    return el("li", {}, el("span", { class: `percent${percent === 100 ? " whole" : ""}` },
      `${Math.round(percent)}%`),
    el("p", { lang: from, dir: "auto" }, shown),
    el("p", { lang: to, dir: "auto" }, marked(target)),
    button("Take it", () => this.take(target)));
  }

  take(text) {
    const { segment } = this.view;
    segment.acting.perform({ act: "write", text, shown: text });
    segment.showText(text, "typed");
  }

  say(text) {
    this.element.replaceChildren(el("p", { class: "faint" }, text));
  }
}
