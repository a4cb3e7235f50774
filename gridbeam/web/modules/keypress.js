// What a key does in the open segment. L, X and G are commands and letters: typed on within a
// moment they begin a word, and the command is taken back.

import { commandFor, isLetter } from "./keys.js";

const MOMENT = 450;
const LETTERS = ["lock", "unlock", "forbid", "grid"];
const MODIFIERS = ["Shift", "Control", "Alt", "Meta", "CapsLock"];

export class KeyPress {
  constructor(segment) {
    this.segment = segment;
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
    if (place === "words" && this.held && isLetter(event)) return this.typeOn();
    this.run();
    const command = commandFor(event, place);
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
    if (this.held) this.segment.commands[this.release().command]();
  }

  /** It was the first letter of a word. */
  typeOn() {
    this.segment.words.type(this.release().letter);
  }
}
