// What the open segment does with a refusal: says it in place, and offers what to do.

import { alarm } from "./announce.js";
import { clashNotice, conflictNotice, refusedNotice } from "./notices.js";
import { rebase } from "./positions.js";

/** Shows why an act was refused; `mine` is the text that stood on the page meanwhile. */
export function refusal(segment, error, wish, mine) {
  segment.held = null;
  if (error.status === 409 && error.segment) return conflict(segment, error, wish, mine);
  const clash = error.clash.map(([start, end]) => ({ start, end }));
  segment.refresh([], clash);
  if (segment.acting.busy) segment.showText(segment.acting.text, "typed");
  const close = () => segment.dismiss();
  const again = () => {
    segment.dismiss();
    if (!wish.where) return retry(segment, wish);
    typeAgain(segment, wish);
  };
  if (clash.length || error.forbidden.length) {
    segment.notify(clashNotice(error, wish, segment.acting.text, { close, again,
      letGo: (where) => letGo(segment, { act: "unlock", where,
        seen: segment.row.target?.text ?? "" }, wish),
      allow: (words) => letGo(segment, { act: "allow", words }, wish) }));
  } else {
    segment.notify(refusedNotice(error, wish, { close, again: () => retry(segment, wish) }));
  }
  alarm(`${error.message} ${error.remedy}`);
}

function retry(segment, wish) {
  segment.dismiss();
  if (wish.act === "replace") segment.commands.put(wish);
  else segment.acting.perform(wish);
}

/** The field again, with what was typed in it. */
function typeAgain(segment, { where, seen, words }) {
  segment.words.selectStretch(rebase(where, seen, segment.words.state.text));
  segment.words.type(words);
}

/** Lets go of what is in the way, and does it then. */
async function letGo(segment, first, wish) {
  segment.dismiss();
  await segment.acting.perform(first);
  if (wish.act === "replace") segment.commands.put(wish);
  else segment.acting.perform(wish);
}

function conflict(segment, error, wish, mine) {
  segment.row = error.segment;
  segment.acting.rest(error.segment);
  segment.refresh();
  segment.outer.rowChanged(error.segment);
  segment.notify(conflictNotice(error.segment.target?.text, mine, segment.languages.target, {
    keepMine: () => {
      segment.dismiss();
      const changed = mine !== segment.acting.text;
      segment.acting.perform(changed ? { act: "write", text: mine, shown: mine } : wish);
      if (changed) segment.showText(mine, "typed");
    },
    takeTheirs: () => segment.dismiss(),
  }));
  alarm("This segment was changed elsewhere. Both versions are shown.");
}
