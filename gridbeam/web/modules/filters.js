// The line above the list: which segments, search, export, and the panes.

import { alarm } from "./announce.js";
import { download } from "./api.js";
import { button, el, icon } from "./dom.js";

const KINDS = [["", "All", "total"], ["new", "New", "new"], ["machine", "Machine", "machine"],
  ["edited", "Edited", "edited"], ["confirmed", "Confirmed", "confirmed"],
  ["review", "Needs review", "review"]];
const REST = 200;

function kinds(chosen) {
  return KINDS.map(([status, label, count]) => {
    const number = el("span", { class: "count" });
    const one = el("button", { type: "button", class: "kind", "aria-pressed": String(!status),
      click: () => chosen(status) }, label, " ", number);
    return { status, count, one, number };
  });
}

function exports(project) {
  const file = (query, name) => ({ target }) => {
    target.closest("details").open = false;
    return download(`projects/${project.id}/export${query}`, name)
    .catch((error) => alarm(`${error.message} ${error.remedy ?? ""}`));
  };
  return el("details", { class: "menu" }, el("summary", {}, icon("down"), "Export"), el("div", {},
    button("The file", file("", project.file || `${project.name}.txt`),
      { title: `As ${project.format}, the format of the import` }),
    button("TMX of what is confirmed", file("?as=tmx", `${project.name}.tmx`)),
    el("a", { class: "button", href: `#/p/${project.id}/study` }, "Study: time and keystrokes")));
}

/** The line itself: its element, its search field, `counts` to show new numbers, and `clear` to
 * show that all segments are shown. */
export function toolbar(project, filter, commands) {
  const query = { status: "", search: "", finding: "" };
  const show = () => {
    for (const { status, one } of all) one.setAttribute("aria-pressed",
      String(status === query.status));
    checks.setAttribute("aria-pressed", String(Boolean(query.finding)));
  };
  const choose = (change) => {
    Object.assign(query, change);
    show();
    filter({ ...query });
  };
  const all = kinds((status) => choose({ status }));
  const checks = el("button", { type: "button", class: "kind", "aria-pressed": "false",
    click: () => choose({ finding: query.finding ? "" : "any" }) }, "Checks");
  let timer = 0;
  const search = el("input", { type: "search", placeholder: "Search (Ctrl+F)", dir: "auto",
    "aria-label": "Search source and translation", input: () => {
      clearTimeout(timer);
      timer = setTimeout(() => choose({ search: search.value }), REST);
    } });
  const pane = (name) => button(name[0].toUpperCase() + name.slice(1), () => commands.pane(name),
    { class: "pane-opener", "data-pane": name, "aria-expanded": "false" });
  const element = el("div", { class: "toolbar" },
    el("div", { class: "kinds", role: "group", "aria-label": "Which segments" },
      all.map(({ one }) => one), checks), search, el("span", { class: "gap" }),
    el("div", { class: "buttons" }, ["glossary", "memory", "grid"].map(pane),
      exports(project)));
  const counts = (now) => {
    for (const { count, number } of all) number.textContent = now[count].toLocaleString("en");
  };
  const clear = () => {
    Object.assign(query, { status: "", search: "", finding: "" });
    search.value = "";
    show();
  };
  return { element, search, counts, clear };
}
