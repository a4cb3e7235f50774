// The way from an address to a view: #/ projects, #/p/3 segments, #/p/3/17 one of them open,
// #/p/3/study what was done.

import { announce, alarm } from "./announce.js";
import { button } from "./dom.js";
import { dropping } from "./dropping.js";

const view = document.getElementById("view");
const crumbs = document.querySelector(".crumbs");
const tools = document.querySelector(".tools");
let shown = null;
let turn = 0;

function themed() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const next = (root.dataset.theme ?? (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  localStorage.setItem("gridbeam.theme", next);
  announce(`${next} colours`);
}

async function help() {
  (await import("./keyhelp.js")).showKeys();
}

function bar() {
  return [
    button("Light or dark", themed, { sign: "theme", quiet: true, class: "plain" }),
    button("?", help, { class: "plain help", "aria-label": "All keys", title: "All keys (?)" }),
  ];
}

async function viewOf([kind, project, number]) {
  if (kind !== "p") return (await import("./projects.js")).showProjects;
  if (number === "study") return (await import("./study.js")).showStudy;
  return (await import("./segments.js")).showSegments;
}

/** Shows what the address says. A view answers with a function that takes an address within it
 * (and says whether it did) and one that ends it. */
async function route() {
  const path = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  if (await shown?.moved?.(path)) return;
  const mine = ++turn;
  shown?.end?.();
  shown = null;
  try {
    const show = await viewOf(path);
    if (mine !== turn) return;
    crumbs.replaceChildren();
    tools.replaceChildren(...bar());
    view.replaceChildren();
    shown = await show({ view, crumbs, tools, path, help });
  } catch (error) {
    view.replaceChildren(failed(error));
    alarm(error.message);
    if (!error.status && !error.message) throw error;
  }
}

function failed(error) {
  const said = document.createElement("div");
  said.className = "failed";
  const [what, todo] = [document.createElement("h1"), document.createElement("p")];
  what.textContent = error.message;
  todo.textContent = error.remedy || "Is the server running? Start it with “gridbeam serve”.";
  said.append(what, todo, button("Try again", route, { class: "main" }));
  return said;
}

document.addEventListener("keydown", (event) => {
  const writes = event.target.matches("input, textarea, select, .word");
  if (event.key === "?" && !writes) help();
});
/** Files become projects where all projects are. */
async function take(files) {
  if (!shown?.take) {
    history.pushState(null, "", "#/");
    await route();
  }
  await shown?.take(files);
}

dropping(take);
window.addEventListener("hashchange", route);
route();
