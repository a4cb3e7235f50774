// The glossary of a project: its entries with how often they are met, edited in place; upload.

import { alarm, announce } from "./announce.js";
import { get, patch, post, remove, upload } from "./api.js";
import { button, el, plural } from "./dom.js";

export class Pane {
  constructor(view) {
    this.view = view;
    this.element = el("div", { class: "glossary" });
  }

  get path() {
    return `glossaries/${this.view.project.glossary}`;
  }

  async opened(row) {
    this.row = row;
    if (!this.entries) await this.load();
    else this.mark();
  }

  changed(row) {
    this.row = row;
    this.mark();
  }

  async load() {
    const id = this.view.project.glossary;
    const all = await get("glossaries");
    this.glossaries = Array.isArray(all) ? all : all.glossaries;
    const found = id ? await get(`${this.path}/entries?project=${this.view.project.id}`) : [];
    this.entries = Array.isArray(found) ? found : found.entries;
    this.conflicts = found.conflicts ?? [];
    this.draw();
  }

  /** The same after something has changed in it; the keyboard stays where it is. */
  async reload() {
    const at = document.activeElement.closest(".glossary td");
    const [line, column] = [at?.parentNode.rowIndex, at?.cellIndex];
    await this.load();
    if (at) this.element.querySelector("table").rows[line]?.cells[column]?.firstChild.focus();
    await this.view.judgedAnew();
    this.row = this.view.segment?.isConnected ? this.view.segment.row : null;
    this.mark();
  }

  draw() {
    const rows = this.entries.map((entry) => this.line(entry));
    this.body = el("tbody", {}, rows, this.blank());
    const head = ["Source", "Target", "Here"].map((name) => el("th", { scope: "col" }, name));
    this.element.replaceChildren(this.chooser(), ...this.warnings(),
      el("table", {}, el("caption", { class: "unseen" }, "Entries"),
        el("thead", {}, el("tr", {}, head, el("td", {}))), this.body));
    this.mark();
  }

  chooser() {
    const { project } = this.view;
    const choice = el("select", { "aria-label": "Glossary of this project",
      change: () => this.choose(choice.value) },
    el("option", { value: "" }, "no glossary"), this.glossaries.map(({ id, name }) =>
      el("option", { value: id, selected: String(id) === String(project.glossary) }, name)));
    const file = el("input", { type: "file", id: "terms", class: "unseen",
      accept: ".tsv,.csv,.tbx,.xlsx,.txt",
      change: () => this.upload(file.files[0]) });
    return el("div", { class: "buttons" }, choice,
      el("label", { for: "terms", class: "button", title: "TSV, CSV, TBX or XLSX" }, "Upload"),
      file, button("Translate again", () => this.translateAgain(),
        { title: "All that nobody has edited or confirmed" }));
  }

  translateAgain() {
    return this.tried(async () => {
      const { id } = this.view.project;
      const { new: asked } = await post(`projects/${id}/translate?again=true`, {});
      announce(asked ? `Translating again: ${plural(asked, "segment")}.`
        : "Everything is edited or confirmed: nothing to translate again.");
    });
  }

  warnings() {
    const said = this.conflicts.map((conflict) => el("li", {},
      conflict.message ?? String(conflict)));
    return said.length ? [el("ul", { class: "conflicts", "aria-label": "Conflicts" }, said)] : [];
  }

  line(entry) {
    const field = (name) => el("input", { value: entry[name] ?? "", dir: "auto",
      lang: this.view.project[name], "aria-label": `${name} of ${entry.source}`,
      change: ({ target }) => this.edit(entry, name, target) });
    const line = el("tr", { class: entry.forbidden ? "forbidden" : "" }, el("td", {},
      field("source")),
      el("td", {}, field("target")), el("td", { class: "here" }), el("td", {}, button(
        `Remove ${entry.source}`, () => this.drop(entry), { sign: "cross", quiet: true,
          class: "plain" })));
    line.entry = entry;
    return line;
  }

  blank() {
    const field = (name, example) => el("input", { name, dir: "auto", lang: this.view.project[name],
      placeholder: example, "aria-label": `new ${name}`,
      keydown: (event) => event.key === "Enter" && this.add(line) });
    const line = el("tr", { class: "blank" }, el("td", {}, field("source", "drive")),
      el("td", {}, field("target", "Laufwerk")), el("td", {}),
      el("td", {}, button("Add the entry", () => this.add(line), { sign: "plus", quiet: true,
        class: "plain" })));
    return line;
  }

  /** Says at each entry what became of it in the open segment, and in all. */
  mark() {
    for (const line of this.body?.rows ?? []) {
      if (!line.entry) continue;
      const { met, missing } = line.entry;
      const term = this.row?.terms.find(({ source, target }) => target === line.entry.target ||
        source.toLowerCase() === line.entry.source.toLowerCase());
      line.classList.toggle("current", Boolean(term));
      const all = met === undefined ? "" : `${met} met${missing ? `, ${missing} missing` : ""}`;
      line.cells[2].replaceChildren(...[term && el("b", { class: `term-state ${term.state}` },
        term.state),
        all].filter(Boolean).flatMap((part) => [part, " "]));
    }
  }

  async tried(work) {
    try {
      await work();
      return true;
    } catch (error) {
      alarm(`${error.message} ${error.remedy ?? ""}`);
      this.element.querySelector(".notice")?.remove();
      this.element.prepend(el("p", { class: "notice refused" },
        `${error.message} ${error.remedy ?? ""}`));
      return false;
    }
  }

  choose(id) {
    return this.tried(async () => {
      const { project } = this.view;
      Object.assign(project, await patch(`projects/${project.id}`, { glossary: id || null }));
      await this.reload();
    });
  }

  upload(file) {
    return this.tried(async () => {
      const { source, target } = this.view.project;
      const form = new FormData();
      const about = { name: file.name.replace(/\.\w+$/, ""), source, target };
      form.append("file", file, file.name);
      for (const [name, value] of Object.entries(about)) form.append(name, value);
      const { id } = await upload("glossaries", form);
      await this.choose(id);
      announce(`${file.name} is the glossary of this project.`);
    });
  }

  add(line) {
    const [source, target] = [...line.querySelectorAll("input")].map((field) => field.value.trim());
    if (!source || !target) return undefined;
    return this.tried(async () => {
      const { project } = this.view;
      if (!project.glossary) {
        const about = { name: project.name, source: project.source, target: project.target };
        const { id } = await post("glossaries", about);
        Object.assign(project, await patch(`projects/${project.id}`, { glossary: id }));
      }
      await post(`${this.path}/entries`, { source, target });
      announce(`Added: ${source}, ${target}.`);
      await this.reload();
      this.element.querySelector(".blank input").focus();
    });
  }

  /** Changes an entry; the field of one that is refused shows again what holds. */
  async edit(entry, name, field) {
    const isDone = await this.tried(async () => {
      const change = { [name]: field.value.trim() };
      Object.assign(entry, await patch(`${this.path}/entries/${entry.id}`, change));
      announce("Changed.");
      await this.reload();
    });
    if (!isDone) field.value = entry[name] ?? "";
  }

  drop(entry) {
    return this.tried(async () => {
      await remove(`${this.path}/entries/${entry.id}`);
      await this.reload();
      announce(`Removed ${entry.source}.`);
    });
  }
}
