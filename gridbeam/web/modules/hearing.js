// What the open segment does with news: of its own acts, and of what others have stored.

import { alarm, announce, told } from "./announce.js";
import { changes, freshIn, lineBefore, withTail } from "./difference.js";
import { elsewhereNotice, offlineNotice } from "./notices.js";
import { refusal } from "./refusal.js";

const SAID = { lock: "Locked.", unlock: "Unlocked.", confirm: "Confirmed.", review: "Noted.",
  unconfirm: "Not confirmed any more." };

/** What Acting tells the segment. */
export function hearsOf(segment) {
  const { outer } = segment;
  return {
    draft: (text) => segment.showText(withTail(text, segment.acting.text), "draft"),
    grid: (column) => outer.grid(column, segment.row),
    changed: (change, wish, isLast) => changed(segment, change, wish, isLast),
    refused: (error, wish, mine) => refusal(segment, error, wish, mine),
    offline: () => offline(segment),
    answered: () => segment.notice?.matches(".offline") && segment.dismiss(),
    busy: (is) => busy(segment, is),
  };
}

function changed(segment, change, wish, isLast) {
  const same = change.segment.version === segment.row.version;
  segment.row = change.segment;
  segment.outer.rowChanged(segment.row);
  if (!isLast) return;
  if (["notice", "free"].some((name) => segment[name]) && !same) segment.dismiss();
  segment.held = null;
  segment.seconds = change.seconds;
  const { difference = [] } = change;
  const before = changes(difference) && change.before?.text;
  if (before || !(wish.act in SAID)) {
    const line = before ? [lineBefore(change, segment.languages.target)] : [];
    segment.was.replaceChildren(...line);
  }
  segment.refresh(freshIn(difference));
  announce(said(segment, wish, difference));
  if (wish.act === "confirm") warn(segment.row);
  const isSeen = wish.act !== "confirm" || wish.before === (segment.row.target?.text ?? "");
  segment.outer.acted({ ...wish, onwards: wish.onwards && isSeen }, segment.row);
}

/** Says what the checks call an error in a segment that was confirmed. */
function warn({ number, findings }) {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (!errors.length) return;
  const what = errors.map(({ message }) => message).join("; ");
  alarm(`Segment ${number} is confirmed, but has errors: ${what}.`);
}

/** What was done, in words. */
function said({ row }, wish, difference) {
  const change = changes(difference) ? told(difference) : "";
  const moved = wish.act === "confirm" && wish.before !== row.target?.text
    ? "It has changed around what you typed: see whether it is right." : "";
  return [SAID[wish.act], change, moved].filter(Boolean).join(" ") || "Nothing changed.";
}

function busy(segment, is) {
  segment.toggleAttribute("busy", is);
  const undo = segment.foot.querySelector(".undo");
  if (undo) undo.disabled = !is && !segment.row.undo;
  if (is) segment.alternatives.clear();
  else caughtUp(segment);
}

function offline(segment) {
  if (segment.notice?.matches(".offline")) return;
  segment.notify(offlineNotice(() => segment.acting.hurry()));
  announce("The server does not answer. What you typed is kept and will be sent.");
}

/** A newer version from elsewhere; while something is typed or under way here it waits. */
export function renewed(segment, row) {
  segment.newer = row;
  caughtUp(segment);
}

/** Shows what came while something was typed or under way, if that has not brought it along. */
export function caughtUp(segment) {
  const { newer, acting } = segment;
  if (!newer || newer.version <= acting.row.version) return;
  if (acting.busy || segment.free || segment.words.field) return;
  const before = segment.row.target?.text;
  segment.row = newer;
  acting.rest(newer);
  segment.refresh();
  if (before !== newer.target?.text && newer.status !== "machine") {
    segment.notify(elsewhereNotice(() => segment.dismiss()));
  }
}

/** What is said of the text has changed, not the text. */
export function judged(segment, row) {
  if (row.version !== segment.row.version) return;
  segment.row = row;
  segment.acting.row = row;
  if (!segment.acting.busy && !segment.free) segment.refresh();
}
