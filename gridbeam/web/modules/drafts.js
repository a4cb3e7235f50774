// What is being typed in a field of the open segment is kept in the browser with each key, and
// stands in that field again after a reload.

import { announce } from "./announce.js";
import { conflictNotice } from "./notices.js";
import { rebase } from "./positions.js";
import { keepUnsent, unsent } from "./unsent.js";

/** Keeps what stands in a field of the segment, or that there is none. */
export function keepDraft({ row, acting, words, free }) {
  const whole = free && { text: free.value, seen: acting.text };
  const part = words.field && { words: words.field.value, where: words.place,
    seen: words.state.text };
  keepUnsent(row, { draft: whole || part || null });
}

/** Puts what was being typed back into its field. */
export function restoreDraft(segment) {
  const { draft } = unsent(segment.row.id);
  if (!draft || segment.free || segment.words.field) return;
  const { text } = segment.acting;
  if (draft.text === undefined && text) {
    segment.words.selectStretch(rebase(draft.where, draft.seen, text));
    segment.words.type(draft.words);
  } else if (draft.seen !== text) return both(segment, draft);
  else segment.commands.free({ typed: draft.text });
  announce("What you were typing is back.");
}

/** The text is another one than what was typed over. */
function both(segment, { text, words }) {
  const mine = text ?? words;
  const done = () => {
    keepUnsent(segment.row, { draft: null });
    segment.dismiss();
  };
  segment.notify(conflictNotice(segment.acting.text, mine, segment.languages.target, {
    keepMine: () => {
      done();
      segment.acting.perform({ act: "write", text: mine, shown: mine });
      segment.showText(mine, "typed");
    },
    takeTheirs: done,
  }));
}
