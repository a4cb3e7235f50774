// Elements made by code. Text is only ever a text node, so that no data can become markup.

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  check: "M3 8.5l3.2 3.2L13 5",
  circle: "M8 3a5 5 0 100 10A5 5 0 008 3z",
  half: "M8 3a5 5 0 100 10A5 5 0 008 3zM8 3v10M8 6.5h4.6M8 9.5h4.6",
  pen: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7L11.3 7",
  flag: "M4 14V2.5M4 3h8l-2 2.7L12 8.5H4",
  lock: "M4 7.5h8V13H4zM5.7 7.5V5.3a2.3 2.3 0 014.6 0v2.2",
  cross: "M4 4l8 8M12 4l-8 8",
  warn: "M8 2.5L14 13H2zM8 6.5v3M8 11v.4",
  plus: "M8 3v10M3 8h10",
  down: "M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10",
  theme: "M8 2.5v11a5.5 5.5 0 000-11zM8 2.5a5.5 5.5 0 100 11",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
};

function put(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child || child === 0));
  return element;
}

/** An element; a function among its attributes listens to the event of that name. */
export function el(tag, attributes = {}, ...children) {
  return put(document.createElement(tag), attributes, children);
}

/** An element of a picture. */
export function svg(tag, attributes = {}, ...children) {
  return put(document.createElementNS(SVG, tag), attributes, children);
}

/** A sign of 16 pixels in the colour of the text; nameless signs are silent. */
export function icon(name, label = "") {
  const role = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", { class: `icon ${name}`, viewBox: "0 0 16 16", ...role },
    svg("path", { d: PATHS[name] }));
}

/** A button that shows words, a sign, or both. */
export function button(label, click, { sign, key, ...attributes } = {}) {
  const shown = sign ? [icon(sign), attributes.quiet ? "" : label] : [label];
  const { quiet, ...rest } = attributes;
  const name = quiet ? { "aria-label": label, title: key ? `${label} (${key})` : label } : {};
  const hint = key && !quiet ? [el("kbd", { "aria-hidden": "true" }, key)] : [];
  return el("button", { type: "button", click, ...name, ...rest }, shown, hint);
}

/** The name of a language in English, or its code where nobody knows it. */
export function languageName(code) {
  try {
    return new Intl.DisplayNames("en", { type: "language" }).of(code) ?? code;
  } catch {
    return code ?? "";
  }
}

export const plural = (count, one, many = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
