// Making the page: every text goes in as text. Nothing here, or anywhere, reads a string as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, fields, children) {
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

// el("p", {class: "faint", onclick: f}, "text", other)
export const el = (tag, fields, ...children) => fill(document.createElement(tag), fields, children);
export const svg = (tag, fields, ...children) => fill(document.createElementNS(SVG, tag), fields, children);

// A press and its release must meet the same element, or the browser makes no click of them: what would be drawn anew
// under a pressed pointer waits until the click is through. What the click itself draws does not wait.
let pressed = null;
const waiting = new Map();

function released() {
  pressed = null;
  for (const [node, children] of waiting) node.replaceChildren(...children);
  waiting.clear();
}

addEventListener("pointerdown", (event) => (pressed = event.target), true);
addEventListener("click", () => (pressed = null), true);
for (const end of ["pointerup", "pointercancel", "dragend"]) addEventListener(end, () => setTimeout(released), true);

export const isPressed = (node) => Boolean(pressed && node.contains(pressed));

export function put(node, ...children) {
  const shown = children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false);
  if (isPressed(node)) waiting.set(node, shown);
  else {
    waiting.delete(node);
    node.replaceChildren(...shown);
  }
  return node;
}

// Characters that show nothing, or turn the direction of writing, are shown by their number.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0]|[\u{e0000}-\u{e0fff}]/gu;

export function safe(text) {
  return String(text ?? "").replace(HIDDEN, (c) => {
    const code = c.codePointAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

// A text of several lines; addresses of the web become links that tell the other side nothing.
const LINK = /\bhttps?:\/\/[^\s<>"'`{}|\\^]+/g;

export function prose(text) {
  const shown = safe(text);
  const node = el("div", { class: "prose-text", dir: "auto" });
  let at = 0;
  for (const match of shown.matchAll(LINK)) {
    const address = match[0].replace(/[.,;:!?)\]]+$/, "");
    node.append(shown.slice(at, match.index));
    node.append(el("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank", text: address }));
    at = match.index + address.length;
  }
  node.append(shown.slice(at));
  return node;
}
