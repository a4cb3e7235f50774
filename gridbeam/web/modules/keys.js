// Every key, once: this table is what the page obeys and what its help shows.

const ANY = ["words", "typing", "free", "segment"];

export const KEYS = [
  ["Walk", [
    ["words", "ArrowLeft ArrowRight", "walk", "word by word"],
    ["words", "Home End", "edge", "first word, last word"],
    ["words", "ArrowUp ArrowDown", "line", "line by line"],
    ["words", "Shift+ArrowLeft Shift+ArrowRight Ctrl+A", "extend", "select a stretch"],
    [ANY, "Ctrl+ArrowUp Ctrl+ArrowDown", "step", "segment before, segment after"],
    ["words", "Escape", "leave", "let go of the words: Tab moves on through the page"],
    ["page", "Ctrl+F", "search", "search and filter"],
  ]],
  ["Correct", [
    ["words", "letters", "type", "type over what is selected"],
    ["words", "Enter", "edit", "edit what is selected"],
    ["words", "Space", "insert", "put words in after what is selected"],
    ["typing", "Enter", "replace", "require the typed words here"],
    ["typing", "Escape", "drop", "leave the words as they were"],
    ["words", "Delete Backspace", "clear", "say it without these words here"],
    [ANY, "Ctrl+1 … Ctrl+7", "take", "take that alternative"],
    ["words typing free", "Tab", "complete", "say the rest anew, keep what is left of here"],
    [ANY, "F2", "free", "type freely"],
    [ANY, "F9", "translate", "translate anew; what is locked stays"],
    [ANY, "Ctrl+I", "copy", "copy the source"],
    ["words", "Ctrl+Z", "undo", "undo"],
    ["words", "Ctrl+Y Ctrl+Shift+Z", "redo", "redo"],
    ["segment", "Ctrl+Z", "undo", ""],
    ["segment", "Ctrl+Y Ctrl+Shift+Z", "redo", ""],
  ]],
  ["Keep", [
    ["words", "L", "lock", "lock: this stays"],
    ["words", "Shift+L", "unlock", "unlock"],
    ["words", "X", "forbid", "forbid these words anywhere in this segment"],
    ["free", "Enter Escape", "written", "keep what is written"],
    [ANY, "Ctrl+Enter", "confirm", "confirm"],
    [ANY, "Ctrl+Shift+Enter", "confirmNext", "confirm, and open the next that is not confirmed"],
  ]],
  ["See", [
    ["words", "G", "grid", "the grid of the search"],
    ["page words", "?", "help", "all keys"],
  ]],
];

const MAC = navigator.platform.startsWith("Mac");

/** What an event is called in the table. */
export function nameOf(event) {
  const letter = event.key.length === 1;
  const key = event.key === " " ? "Space" : letter ? event.key.toUpperCase() : event.key;
  const shift = event.shiftKey && (!letter || /\p{L}/u.test(key));
  const control = event.ctrlKey || (MAC && event.metaKey);
  return (control ? "Ctrl+" : "") + (shift ? "Shift+" : "") + key;
}

function spellings(shown) {
  if (shown === "Ctrl+1 … Ctrl+7") return [1, 2, 3, 4, 5, 6, 7].map((digit) => `Ctrl+${digit}`);
  return shown.split(" ");
}

const TABLE = new Map(KEYS.flatMap(([, lines]) => lines).flatMap(([places, shown, command]) =>
  [places].flat().flatMap((place) => place.split(" ")).flatMap((place) =>
    spellings(shown).map((key) => [`${place} ${key}`, command]))));

/** What a key means at a place (words, typing, free, segment, page), or nothing. */
export function commandFor(event, place) {
  if (event.isComposing || event.altKey || event.keyCode === 229) return undefined;
  return TABLE.get(`${place} ${nameOf(event)}`);
}

/** Whether it writes a character. */
export function isLetter(event) {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  return plain && !event.isComposing && [...event.key].length === 1;
}
