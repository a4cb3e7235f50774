// Choosing words with a mouse or a finger: a press chooses one, a drag a stretch.

const numberOf = (element) => element?.closest(".word")?.number;

/** Lets the words of a target be chosen so. */
export function pointing(words) {
  let pressed = false;

  const press = (event) => {
    const number = numberOf(event.target);
    if (event.button || number === undefined || event.target.matches("input")) return;
    event.preventDefault();
    words.leaveField();
    pressed = true;
    const anchor = event.shiftKey && words.isChosen ? words.anchor : number;
    words.select(anchor, number);
  };

  const drag = ({ clientX, clientY }) => {
    const number = pressed ? numberOf(document.elementFromPoint(clientX, clientY)) : undefined;
    if (number !== undefined && number !== words.active) words.select(words.anchor, number);
  };

  const release = () => {
    if (!pressed) return;
    pressed = false;
    words.select(words.anchor, words.active, { tell: true, settled: true });
  };

  const enter = ({ target }) => {
    if (words.isChosen || pressed || numberOf(target) === undefined) return;
    words.select(numberOf(target), undefined, { focus: false, tell: true });
  };

  words.addEventListener("pointerdown", press);
  words.addEventListener("pointermove", drag);
  words.addEventListener("pointerup", release);
  words.addEventListener("pointercancel", release);
  words.addEventListener("focusin", enter);
}
