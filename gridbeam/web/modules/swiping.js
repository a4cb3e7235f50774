// A swipe beside the words goes to the segment before or after: a phone shows one at a time.

const FAR = 70;
const STEADY = 40;

/** Lets fingers swipe over a segment; `step` gets 1 or -1. */
export function swiping(segment, step) {
  let start = null;
  const passive = { passive: true };
  segment.addEventListener("touchstart", ({ target, touches: [touch] }) => {
    start = target.closest("target-words, input, textarea, .sheet") ? null : touch;
  }, passive);
  segment.addEventListener("touchend", ({ changedTouches: [touch] }) => {
    if (!start) return;
    const [across, down] = [touch.clientX - start.clientX, touch.clientY - start.clientY];
    start = null;
    if (Math.abs(across) > FAR && Math.abs(down) < STEADY) step(across < 0 ? 1 : -1);
  }, passive);
}
