// What can be done with the open segment, by name: keys, buttons and clicks all call these.

import { announce } from "./announce.js";
import { length, rebase, slice, splice } from "./positions.js";
import { freeField } from "./typing.js";

/** The commands of a segment; each takes what there is of the event that called it. */
export function commandsOf(segment) {
  const { outer } = segment;
  return {
    ...walks(segment),
    ...verbs(segment),
    ...freely(segment),
    before: () => outer.step(-1),
    after: () => outer.step(1),
    step: ({ key }) => outer.step(key === "ArrowUp" ? -1 : 1),
    close: () => outer.close(),
    grid: () => outer.showPane("grid"),
    search: () => outer.search(),
    help: () => outer.help(),
  };
}

function walks(segment) {
  const walking = import("./walking.js");
  const by = (name) => async (event) => (await walking)[name](segment.words, event);
  return {
    walk: by("walk"),
    line: by("line"),
    edge: by("edge"),
    extend: by("extend"),
    leave: () => {
      segment.letGo();
      segment.querySelector(".foot .main")?.focus();
      announce("Left the words. Tab moves on through the page.");
    },
  };
}

/** An act that needs words to be chosen, with the place of them. */
function verbs(segment) {
  const act = (name, fields = {}) => segment.acting.perform({ act: name, ...fields });
  const words = () => segment.words;
  const chosen = (run) => () => {
    if (words().isChosen && words().options?.length) run(words().stretch, words().chosen);
    else announce("Choose a word first.");
  };
  const commands = {
    edit: () => words().type(),
    insert: () => words().type("", { after: true }),
    replace: () => words().leaveField(),
    drop: () => words().leaveField(null),
    clear: chosen((stretch) => commands.put({ ...stretch, words: "" })),
    take: ({ key }) => segment.alternatives.take(Number(key) - 1),
    lock: chosen((stretch) => act("lock", stretch)),
    unlock: chosen((stretch) => act("unlock", stretch)),
    forbid: chosen((stretch, said) => act("forbid", { words: said })),
    allow: (said) => act("allow", { words: said }),
    translate: () => {
      commands.settle();
      act("translate");
    },
    review: () => act("review"),
    undo: () => {
      segment.held = null;
      segment.acting.undo();
      segment.stand();
    },
    redo: () => segment.acting.redo(),
    copy: () => act("copy", { shown: segment.row.source.text }),
    unconfirm: () => act("unconfirm"),
    /** Requires words at a place of the text as it was `seen`. */
    put: ({ where, words: said, seen }) => {
      const place = rebase(where, seen, segment.acting.text);
      const [between, text] = [place[0] === place[1], segment.acting.text];
      const apart = between && place[0] > 0 ? " " : "";
      const gone = !said && slice(text, place[1], place[1] + 1) === " " ? 1 : 0;
      const shown = splice(text, place[0], place[1] + gone, apart + said);
      const start = place[0] + apart.length;
      const held = [start, start + length(said)];
      act("replace", { where: place, words: said, seen: text, shown, held });
      segment.showText(shown, "typed", held);
      words().focusWord();
    },
    complete: (event) => completed(segment, event),
    settle: () => {
      words().leaveField();
      segment.commands.written();
    },
    confirm: () => {
      commands.settle();
      return act("confirm");
    },
    confirmNext: () => {
      commands.settle();
      act("confirm", { onwards: true });
    },
  };
  return commands;
}

/** Asks for the rest anew: what is left of the cursor stays. */
function completed(segment, event) {
  const { words, free } = segment;
  const { text } = segment.acting;
  let left = "";
  let rest = "";
  if (free) {
    left = free.value.slice(0, free.selectionStart);
  } else if (words.field) {
    const [start, end] = words.place;
    left = slice(words.state.text, 0, start) + words.field.value;
    rest = slice(words.state.text, end);
  } else if (words.options?.length && (words.isChosen || event)) {
    const { where: [start], seen } = words.stretch;
    left = slice(seen, 0, start);
    rest = slice(seen, start);
  }
  const shown = left + rest;
  segment.acting.perform({ act: "complete", left: left.trimEnd(), shown });
  if (free) segment.commands.leaveFree();
  words.leaveField(null);
  segment.showText(shown || text, "typed");
}

/** Typing without the search, the whole text in one field. */
function freely(segment) {
  const leaveFree = () => {
    const { free } = segment;
    segment.free = null;
    free?.remove();
    segment.verbs.hidden = false;
    segment.left();
  };
  return {
    leaveFree,
    free: ({ typed } = {}) => {
      if (segment.free) return;
      const at = segment.words.isChosen ? segment.words.range[0] : 0;
      segment.words.leaveField();
      const { text } = segment.acting;
      segment.free = freeField(typed ?? text, segment.languages.target);
      segment.target.replaceChildren(segment.free);
      segment.verbs.hidden = true;
      segment.free.focus();
      const caret = slice(text, 0, at).length;
      segment.free.setSelectionRange(caret, caret);
    },
    written: () => {
      if (!segment.free) return;
      const text = segment.free.value;
      if (text !== segment.acting.text) segment.acting.perform({ act: "write", text, shown: text });
      leaveFree();
      segment.stand();
      segment.words.focusWord();
    },
  };
}
