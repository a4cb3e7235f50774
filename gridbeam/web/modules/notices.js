// What could not be done, said in place, with what to do about it. Each is an element for the
// segment; nothing that was typed is lost in any of them.

import { button, el, icon } from "./dom.js";
import { marked } from "./marks.js";
import { slice } from "./positions.js";

function notice(kind, title, content, choices = []) {
  return el("div", { class: `notice ${kind}`, role: "group", "aria-label": title },
    icon("warn"), el("div", {}, el("p", {}, el("b", {}, title), " ", content[0] ?? ""),
      ...content.slice(1), choices.length ? el("div", { class: "buttons" }, choices) : null));
}

/** What was typed for an act. */
const typedFor = ({ act, words, left, text }) =>
  ({ replace: words, complete: left, write: text })[act] ?? "";

/** Constraints that cannot be met together: which, and what to let go. */
export function clashNotice(error, wish, text, { letGo, allow, again, close }) {
  const locks = error.clash.map(([start, end]) => ({ where: [start, end],
    words: slice(text, start, end) }));
  const typed = typedFor(wish);
  return notice("clash", error.message, [error.remedy,
    typed ? el("p", { class: "faint" }, "Typed, not used: ", el("q", { dir: "auto" },
      typed)) : null]
    .filter((part) => part !== null), [
    ...locks.map(({ where, words }) => button(`Let go of “${words}”`, () => letGo(where))),
    ...error.forbidden.map((words) => button(`Allow “${words}”`, () => allow(words))),
    typed ? button("Type it again", () => again()) : null,
    button("Close", close)].filter(Boolean));
}

function version(name, text, language) {
  return [el("dt", {}, name), el("dd", { lang: language, dir: "auto" }, marked(text || "(empty)"))];
}

/** Two versions of one segment, since somebody else was faster. */
export function conflictNotice(theirs, mine, language, { keepMine, takeTheirs }) {
  return notice("conflict stays", "This segment was changed elsewhere.", ["Both versions are kept.",
    el("dl", {}, version("newest", theirs, language), version("yours", mine, language))],
  [button("Keep mine", keepMine), button("Take the newest", takeTheirs)]);
}

/** Another tab has a newer version of what is open here. */
export function elsewhereNotice(close) {
  return notice("elsewhere", "Changed elsewhere.", ["What is shown is the newest version."],
    [button("Close", close)]);
}

/** The server does not answer. */
export function offlineNotice(again) {
  return notice("offline stays", "The server does not answer.",
    ["What you typed is kept here and is sent as soon as it does."],
    [button("Try now", again)]);
}

/** Whatever else the server refused. */
export function refusedNotice(error, wish, { again, close }) {
  const typed = typedFor(wish);
  return notice("refused", error.message, [error.remedy,
    typed ? el("p", { class: "faint" }, "Typed: ", el("q", { dir: "auto" }, typed)) : null]
    .filter((part) => part !== null),
  [button("Try again", again), button("Close", close)]);
}

/** The list cannot be loaded: why, and when it is tried again. */
export function listTrouble({ message, seconds }, again) {
  return [el("span", {}, `The list cannot be loaded: ${message} Next try in ${seconds} s. `),
    button("Try now", again)];
}
