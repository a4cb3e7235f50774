// Seconds, keystrokes and clicks of each act, for a study. Of a pause one minute counts, and time
// in which the page is hidden not at all.

const PAUSE = 60000;

export class Effort {
  constructor(element) {
    this.element = element;
    Object.assign(this, { strokes: 0, clicks: 0, spent: 0 });
    this.last = performance.now();
    this.stop = new AbortController();
    const heard = { capture: true, passive: true, signal: this.stop.signal };
    element.addEventListener("keydown", (event) => this.stroke(event), heard);
    element.addEventListener("pointerdown", () => this.click(), heard);
    document.addEventListener("visibilitychange", () => this.tick(!document.hidden), heard);
  }

  stroke({ key = "", repeat = false }) {
    this.tick();
    if (!repeat && !["Shift", "Control", "Alt", "Meta"].includes(key)) this.strokes += 1;
  }

  click() {
    this.tick();
    this.clicks += 1;
  }

  tick(wasHidden = false) {
    const now = performance.now();
    if (!wasHidden) this.spent += Math.min(now - this.last, PAUSE);
    this.last = now;
  }

  /** What was spent since the last act, and begins anew. */
  take() {
    this.tick();
    const { strokes: keystrokes, clicks } = this;
    const taken = { seconds: Math.round(this.spent) / 1000, keystrokes, clicks };
    Object.assign(this, { strokes: 0, clicks: 0, spent: 0 });
    return taken;
  }

  end() {
    this.stop.abort();
  }
}
