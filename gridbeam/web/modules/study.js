// What was done in a project, for a study: seconds, keystrokes, cycles, KSMR; as JSON, too.

import { get, save } from "./api.js";
import { button, el, plural } from "./dom.js";

const number = (value, digits = 0) => (typeof value === "number"
  ? value.toLocaleString("en", { maximumFractionDigits: digits,
    minimumFractionDigits: digits }) : "–");

function table(segments, id) {
  const heads = ["Segment", "Seconds", "Keystrokes", "Clicks", "Cycles", "KSMR"];
  return el("table", {}, el("caption", { class: "unseen" }, "Effort by segment"),
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, segments.map((each) => el("tr", {},
      el("th", { scope: "row" }, el("a", { href: `#/p/${id}/${each.number}` },
        String(each.number))),
      el("td", {}, number(each.seconds, 1)), el("td", {}, number(each.keystrokes)),
      el("td", {}, number(each.clicks)), el("td", {}, number(each.cycles)), el("td", {},
        number(each.ksmr, 3))))));
}

function sums(segments) {
  const sum = (name) => segments.reduce((all, each) => all + (each[name] ?? 0), 0);
  const facts = [["segments touched", number(segments.length)], ["minutes",
    number(sum("seconds") / 60, 1)],
    ["keystrokes", number(sum("keystrokes"))], ["cycles", number(sum("cycles"))]];
  return el("dl", { class: "sums" }, facts.flatMap(([name, value]) =>
    [el("div", {}, el("dt", {}, name), el("dd", {}, value))]));
}

/** Shows the log of a project, a line for each segment that somebody worked on. */
export async function showStudy({ view, crumbs, path: [, id] }) {
  const [project, log] = await Promise.all([get(`projects/${id}`), get(`projects/${id}/study`)]);
  document.title = `Study of ${project.name} · gridbeam`;
  crumbs.replaceChildren(el("a", { class: "name", href: `#/p/${id}`, dir: "auto" }, project.name));
  const touched = log.segments.filter((each) => each.seconds || each.keystrokes || each.cycles);
  const acts = log.acts ?? log.segments.flatMap((each) => each.acts ?? []);
  view.replaceChildren(el("div", { class: "column study" }, el("h1", {}, "Study"),
    el("p", { class: "faint" }, "Every act was logged with its time, keystrokes and clicks; of a ",
      "pause one minute counts. A cycle is a search that a correction asked for; KSMR is ",
      "keystrokes and mouse actions by characters of the result."),
    sums(touched), button(`Save the log as JSON (${plural(acts.length, "act")})`, () => save(
      new Blob([JSON.stringify(log, null, 2)], { type: "application/json" }),
        `${project.name}-study.json`),
    { sign: "down" }),
    touched.length ? table(touched, id) : el("p", { class: "nothing" },
      "Nobody has worked on it yet.")));
  return {};
}
