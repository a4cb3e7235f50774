// How far a project is, as a bar and in words.

import { el, languageName } from "./dom.js";

const KINDS = ["confirmed", "edited", "machine"];

/** A bar of the confirmed, edited and machine-made segments; the words say the first. */
export function progress(counts) {
  const { total, confirmed } = counts;
  const bar = el("span", { class: "bars", "aria-hidden": "true" }, KINDS.map((kind) => {
    const part = el("span", { class: kind, title: `${counts[kind]} ${kind}` });
    part.style.width = `${total ? (counts[kind] * 100) / total : 0}%`;
    return part;
  }));
  const words = `${confirmed.toLocaleString("en")} of ${total.toLocaleString("en")} confirmed`;
  return el("span", { class: "progress" }, el("span", { class: "said" }, words), bar);
}

/** The name of a project, its languages, and how far it is. */
export function crumbsOf({ id, name, source, target, counts }) {
  return [el("a", { class: "name", href: `#/p/${id}`, dir: "auto" }, name),
    el("span", { class: "pair" }, `${languageName(source)} → ${languageName(target)}`),
    progress(counts)];
}
