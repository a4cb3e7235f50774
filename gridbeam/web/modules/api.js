// The only module that talks to the server: JSON, files, streams of events, and what went wrong.

const ROOT = new URL("api/", document.baseURI);
const KEY = "gridbeam.key";

/** The server has answered, and says no: what is wrong, where, and what to do. */
export class Refused extends Error {
  constructor(status, body) {
    super(beforeRemedy(body.error ?? `The server answered ${status}.`, body.remedy ?? ""));
    Object.assign(this, { status, remedy: body.remedy ?? "", where: body.where ?? "" });
    Object.assign(this, { clash: body.clash ?? [], segment: body.segment ?? null });
    this.forbidden = body.forbidden ?? [];
  }
}

/** What is wrong, ended so that what to do can follow it. */
function beforeRemedy(error, remedy) {
  if (!remedy || /[.:;!?]$/.test(error)) return error;
  return error + (/^\p{Lu}/u.test(remedy) ? "." : ":");
}

/** No answer came. */
export class Unreachable extends Error {}

/** Whether it is only that somebody has changed his mind. */
export const isAbort = (error) => error.name === "AbortError";

/** What breaks while an answer is read is no answer. */
function broken(error) {
  if (isAbort(error)) throw error;
  throw new Unreachable("The connection broke off.");
}

async function refusal(response) {
  const body = await response.json().catch(() => ({}));
  const plain = typeof body.error === "object" ? { error: body.error.message } : body;
  return new Refused(response.status, plain ?? {});
}

/** The response to a request. A server that wants a key gets it, once its user has given it. */
async function answered(path, { json, headers = {}, asked = false, ...options } = {}) {
  const key = sessionStorage.getItem(KEY);
  const body = json === undefined ? options.body : JSON.stringify(json);
  const type = json === undefined ? {} : { "Content-Type": "application/json" };
  const auth = key ? { Authorization: `Bearer ${key}` } : {};
  const init = { ...options, body, headers: { Accept: "application/json", ...type, ...auth,
    ...headers } };
  const response = await fetch(new URL(path, ROOT), init).catch((error) => {
    if (isAbort(error)) throw error;
    throw new Unreachable("The server does not answer.");
  });
  if (response.ok) return response;
  if ((response.status === 401 || response.status === 403) && !asked) {
    const { askForKey } = await import("./key.js");
    const given = await askForKey(response.status);
    if (given) {
      sessionStorage.setItem(KEY, given);
      return answered(path, { json, headers, asked: true, ...options });
    }
  }
  if (response.status >= 502) throw new Unreachable("The server does not answer.");
  throw await refusal(response);
}

/** The JSON of an answer; null where it has none. */
export async function ask(path, options) {
  const response = await answered(path, options);
  return response.status === 204 ? null : response.json().catch(broken);
}

export const get = (path, signal) => ask(path, { signal });
export const post = (path, json) => ask(path, { method: "POST", json });
export const patch = (path, json) => ask(path, { method: "PATCH", json });
export const remove = (path) => ask(path, { method: "DELETE" });
export const upload = (path, form) => ask(path, { method: "POST", body: form });

/** What a path and its query are as one. */
export function withQuery(path, values) {
  const given = Object.entries(values).filter(([, value]) => value !== "" && value != null);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

function parsed(block) {
  const event = { event: "message", data: "" };
  const lines = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    if (line.startsWith("event:")) event.event = line.slice(6).trim();
    if (line.startsWith("data:")) lines.push(line.slice(5).replace(/^ /, ""));
  }
  return lines.length ? { ...event, data: JSON.parse(lines.join("\n")) } : null;
}

async function* blocks(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read().catch(broken);
    held += value ?? "";
    const found = held.split(/\r?\n\r?\n/);
    held = found.pop();
    yield* found;
    if (done) return;
  }
}

/** The events of an answer, one by one; an answer in plain JSON is one event, `change`. */
export async function* stream(path, options = {}) {
  const headers = { Accept: "text/event-stream" };
  const response = await answered(path, { ...options, headers });
  if (!(response.headers.get("Content-Type") ?? "").startsWith("text/event-stream")) {
    return yield { event: "change", data: await response.json().catch(broken) };
  }
  for await (const block of blocks(response)) {
    const event = parsed(block);
    if (event) yield event;
  }
}

/** Hands a file of the server to the person, under the name that the server gives it. */
export async function download(path, fallback) {
  const response = await answered(path, { headers: { Accept: "*/*" } });
  const told = response.headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(told)?.[1];
  const name = encoded ? decodeURIComponent(encoded) : /filename="?([^";]+)/.exec(told)?.[1];
  save(await response.blob(), name ?? fallback);
}

/** Hands these bytes to the person as a file. */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
