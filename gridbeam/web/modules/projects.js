// All projects, and how a new one begins: a file dropped anywhere, or text pasted.

import { alarm, announce } from "./announce.js";
import { get, post, remove, upload } from "./api.js";
import { button, el, icon, languageName, plural } from "./dom.js";
import { progress } from "./progress.js";

const FORMATS = "XLIFF, PO, TMX, TSV, JSON Lines, Moses, plain text";
const EXAMPLE = ["Open the folder.", "Delete the selected files in %s?", "The hard disk is full.",
  "The meeting will take place on Monday.", "The committee rejected the proposal."]
  .map((text) => `msgid "${text}"\nmsgstr ""\n`).join("\n");

function pairs(models) {
  return models.map(({ source, target, name }, number) => el("option", { value: number },
    `${languageName(source)} → ${languageName(target)}`, models.filter((other) =>
      other.source === source && other.target === target).length > 1 ? ` (${name})` : null));
}

class ProjectsView {
  constructor({ view }) {
    this.view = view;
  }

  async begin() {
    document.title = "gridbeam: projects";
    const [{ models }, found] = await Promise.all([get("status"), get("projects")]);
    this.models = models;
    this.pair = el("select", { id: "pair" }, pairs(models));
    this.list = el("ul", { class: "projects" });
    this.view.replaceChildren(el("div", { class: "column" },
      el("h1", {}, "Projects"), this.welcome(), this.list));
    this.show(Array.isArray(found) ? found : found.projects);
    return this;
  }

  welcome() {
    const file = el("input", { type: "file", id: "file", class: "unseen", multiple: true,
      change: () => this.take([...file.files]) });
    this.text = el("textarea", { rows: "4", id: "pasted", dir: "auto",
      placeholder: "Paste or type the text to translate" });
    const paste = el("details", {}, el("summary", {}, "Paste text"),
      el("label", { for: "pasted", class: "unseen" }, "Text to translate"), this.text,
      button("Translate this text", () => this.paste(), { class: "main" }));
    return el("section", { class: "welcome", "aria-label": "A new project" },
      el("div", { class: "drop" }, icon("plus"),
        el("p", {}, el("b", {}, "Drop a file anywhere on this page"), ", or ",
          el("label", { class: "button", for: "file" }, "choose one"), file),
        el("p", { class: "faint" }, FORMATS)),
      el("div", { class: "choices" },
        el("label", { for: "pair" }, "Languages ", this.pair),
        button("Try an example", () => this.example()), paste));
  }

  show(projects) {
    this.list.replaceChildren(...projects.map((project) => this.card(project)));
    if (!projects.length) {
      this.list.replaceChildren(el("li", { class: "nothing" },
        "No project yet. Drop a file, paste text, or try the example: five messages."));
    }
  }

  card(project) {
    const { id, name, source, target, format, counts, touched } = project;
    const card = el("li", {},
      el("a", { href: `#/p/${id}`, dir: "auto" }, name),
      el("span", { class: "faint" },
        `${languageName(source)} → ${languageName(target)} · ${format} · ` +
        plural(counts.total, "segment")),
      progress(counts),
      el("time", { class: "faint", datetime: touched }, ago(touched)),
      button(`Delete ${name}`, () => this.ask(project, card), { sign: "cross", quiet: true,
        class: "plain" }));
    return card;
  }

  ask({ id, name }, card) {
    const dialog = el("dialog", { "aria-labelledby": "sure" }, el("h2", { id: "sure" },
      `Delete “${name}”?`),
      el("p", {}, "Its translations and their history are lost."),
      el("div", { class: "buttons" }, button("Delete it", async () => {
        dialog.close();
        await remove(`projects/${id}`);
        card.remove();
        announce(`${name} is deleted.`);
      }, { class: "danger" }), button("Keep it", () => dialog.close())));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  languages() {
    const { source, target } = this.models[this.pair.value] ?? {};
    return source ? { source, target } : {};
  }

  async paste() {
    const text = this.text.value;
    if (!text.trim()) return this.text.focus();
    const [name] = text.trim().split("\n");
    const values = { text, name: name.slice(0, 60), ...this.languages() };
    const error = await this.made(post("projects", values));
    this.refused(error ? [error] : []);
  }

  example() {
    return this.take([new File([EXAMPLE], "example.po", { type: "text/x-gettext-translation" })]);
  }

  /** Makes a project of each file, and says of each that is none why. */
  async take(files) {
    const failed = [];
    for (const file of files) {
      const form = new FormData();
      form.append("file", file, file.name);
      for (const [name, value] of Object.entries(this.languages())) form.append(name, value);
      announce(`Reading ${file.name}`);
      const error = await this.made(upload("projects", form), files.length === 1);
      if (error) failed.push(files.length === 1 ? error : `${file.name}: ${error}`);
    }
    if (files.length > 1) this.show(await get("projects"));
    this.refused(failed);
  }

  /** Waits for a project, and opens it; or gives back why there is none. */
  async made(asked, opens = true) {
    try {
      const { id } = await asked;
      if (opens) location.hash = `#/p/${id}`;
      return null;
    } catch ({ message, where, remedy }) {
      return `${message}${where ? ` (${where})` : ""} ${remedy ?? ""}`;
    }
  }

  refused(errors) {
    this.said?.remove();
    if (!errors.length) return;
    this.said = el("div", { class: "notice refused" }, icon("warn"),
      el("div", {}, errors.map((error) => el("p", {}, error))));
    this.list.before(this.said);
    alarm(errors.join(" "));
  }
}

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];

/** How long ago a time is, in words. */
function ago(time) {
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  if (Number.isNaN(seconds) || unit === "second") return "just now";
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.round(seconds / size),
    unit);
}

/** Shows all projects. */
export async function showProjects(outer) {
  return new ProjectsView(outer).begin();
}
