// What a key does in the open segment. L, X and G are commands and letters: typed on they begin a
// word. Within a moment the command is not carried out; for a while after, it is taken back.

import { commandFor, isLetter } from "./keys.js";

const MOMENT = 500;
const WHILE = 2000;
const LETTERS = ["lock", "unlock", "forbid", "grid"];
const MODIFIERS = ["Shift", "Control", "Alt", "Meta", "CapsLock"];

export class KeyPress {
  constructor(segment) {
    this.segment = segment;
    segment.addEventListener("stretch", () => { this.done = null; });
  }

  placeOf(target) {
    if (target.matches("input.typing")) return "typing";
    if (target.matches("textarea.free")) return "free";
    return target.matches(".word") ? "words" : "segment";
  }

  down(event) {
    if (MODIFIERS.includes(event.key)) return;
    const { segment } = this;
    const place = this.placeOf(event.target);
    const command = commandFor(event, place);
    if (place === "words" && isLetter(event)) {
      if (this.held || (this.isRecent && !LETTERS.includes(command))) return this.typeOn();
    } else {
      this.run();
      this.done = null;
    }
    if (command && segment.commands[command]) {
      event.preventDefault();
      event.stopPropagation();
      if (LETTERS.includes(command)) this.hold(command, event);
      else segment.commands[command](event);
    } else if (place === "words" && (isLetter(event) || event.keyCode === 229)) {
      segment.words.type("");
    }
  }

  /** Shows at once what a letter will do, and does it after a moment. */
  hold(command, event) {
    this.held = { command, letter: event.key, timer: setTimeout(() => this.run(), MOMENT) };
    for (const token of this.segment.words.querySelectorAll(".chosen")) {
      token.classList.add(`to-${command}`);
    }
  }

  release() {
    clearTimeout(this.held.timer);
    for (const token of this.segment.words.children) {
      token.classList.remove(...LETTERS.map((command) => `to-${command}`));
    }
    const { held } = this;
    this.held = null;
    return held;
  }

  run() {
    if (!this.held) return;
    const { command, letter } = this.release();
    const { acting, commands } = this.segment;
    const last = acting.queue.at(-1);
    commands[command]();
    const back = command === "grid" ? "grid" : acting.queue.at(-1) !== last && "undo";
    this.done = { back, letter, at: performance.now() };
  }

  get isRecent() {
    return this.done && performance.now() - this.done.at < WHILE;
  }

  /** Those were the first letters of a word; the browser adds the one that is pressed now. */
  typeOn() {
    const letters = [this.isRecent && this.done, this.held].filter(Boolean);
    if (this.held) this.release();
    if (letters[0] === this.done && this.done.back) this.segment.commands[this.done.back]();
    this.done = null;
    this.segment.words.type(letters.map(({ letter }) => letter).join(""));
  }
}
