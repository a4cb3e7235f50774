// Keys that are heard wherever the keyboard is in the view of segments, but in its other fields.

const OWN_KEYS = "open-segment, dialog, input, textarea, select";

/** Gives a view its keys, and the open segment those that are pressed beside it. */
export function shortcuts(view, signal) {
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if ((event.ctrlKey || event.metaKey) && key === "f") {
      event.preventDefault();
      view.search();
    } else if (!event.defaultPrevented && !target.closest(OWN_KEYS) && view.segment?.isConnected) {
      view.segment.press.down(event);
    }
  }, { signal });
}
