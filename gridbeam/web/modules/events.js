// What the server tells of a project by itself, for as long as somebody looks at it.

import { isAbort, stream } from "./api.js";

const PAUSE = 2000;

/** Calls the function named as the event with its data, and `opened` before the first of each
 * connection; begins anew where it breaks. */
export async function listen(project, signal, heard) {
  while (!signal.aborted) {
    try {
      let isOpen = false;
      for await (const { event, data } of stream(`projects/${project}/events`, { signal })) {
        if (!isOpen) heard.opened(data);
        isOpen = true;
        heard[event]?.(data);
      }
    } catch (error) {
      if (isAbort(error)) return;
    }
    await new Promise((go) => { setTimeout(go, PAUSE); });
  }
}
