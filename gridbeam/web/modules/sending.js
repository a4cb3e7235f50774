// How one act goes to the server, and what comes back while it is searched for.

import { Refused, Unreachable, ask, stream } from "./api.js";
import { rebase } from "./positions.js";

const pathOf = (row) => `segments/${row.id}/acts`;

/** The act as the API takes it: where it is made in the text as it is now. */
function bodyOf(wish, row) {
  const { act, id, version, words, left, text, seconds, keystrokes, clicks } = wish;
  const where = wish.where && rebase(wish.where, wish.seen, row.target?.text ?? "");
  return { act, id, version, where, words, left, text, seconds, keystrokes, clicks };
}

/** The change that an act makes; `heard` is told drafts and columns of the grid meanwhile. */
export async function send(wish, row, signal, heard) {
  const options = { method: "POST", json: bodyOf(wish, row), signal };
  let change = null;
  for await (const { event, data } of stream(pathOf(row), options)) {
    if (event === "error") throw new Refused(data.status ?? 500, data);
    if (event === "change") change = data;
    else heard[event]?.(data);
  }
  if (!change) throw new Unreachable("The connection broke off.");
  return change;
}

/** The typed words of an act whose search was ended, without one: what is written is locked. */
export function settle(wish, row) {
  const { id, version, seconds, keystrokes, clicks } = bodyOf(wish, row);
  const json = { act: "write", id, version, text: wish.shown, seconds, keystrokes, clicks };
  return ask(pathOf(row), { method: "POST", json });
}
