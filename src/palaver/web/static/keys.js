// The keyboard: everything that the mouse can do. `?` shows it.
import { go, page, turnColours } from "./page.js";
import { compose } from "./compose.js";
import { el } from "./dom.js";
import { palette } from "./palette.js";

const typing = (node) => node?.closest?.("input, textarea, select, [contenteditable]");
let waiting = "";
let forget;

export const rows = () => [...document.querySelectorAll("#main [data-row]")].filter((row) => row.offsetParent);

function move(step) {
  const all = rows();
  if (!all.length) return;
  const here = document.activeElement;
  // A button of a row stands for the row.
  const at = all.indexOf(here?.closest?.("[data-row]") ?? here?.closest?.("#main li")?.querySelector("[data-row]"));
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

const KEYS = [
  ["?", "Show the keys", () => help()],
  ["Ctrl K", "Search, or jump to anything", () => palette()],
  ["/", "Search in this view, or everywhere", () => (document.querySelector("#main input[type=search]") ?? { focus: palette }).focus()],
  ["w", "Write a message", () => compose({})],
  ["r", "Answer the message, or the thread", () => page.view?.reply?.()],
  ["j", "Next row", () => move(1)],
  ["k", "Previous row", () => move(-1)],
  ["Enter", "Open the row", null],
  ["h l", "On the board: previous, next column", null],
  ["n", "On the board: open a task", () => page.view?.fresh?.()],
  ["a", "On a task: its actions", () => page.view?.act?.()],
  ["s", "In a conversation: chat or sequence", () => page.view?.turn?.()],
  ["t", "Switch between light and dark", turnColours],
  ["Esc", "Close, or leave the field", null],
];

export function help() {
  const views = [...document.querySelectorAll("a.nav")].map((link) => [`g ${link.dataset.key}`, `Go to ${link.textContent.replace(/\d+$/, "").trim()}`]);
  const box = el("dialog", { class: "dialog keys", "aria-label": "Keyboard" },
    el("h2", { text: "Keyboard" }),
    el("dl", {}, [...KEYS.map(([key, words]) => [key, words]), ...views].map(([key, words]) =>
      el("div", {}, el("dt", {}, key.split(" ").map((part) => el("kbd", { text: part }))), el("dd", { text: words })))),
    el("form", { method: "dialog" }, el("button", { class: "primary", text: "Close" })));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

export function keys() {
  document.getElementById("open-keys").addEventListener("click", help);
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return palette();
    }
    if (event.key === "Escape" && typing(event.target)) return event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]")) return;
    if (waiting === "g") {
      waiting = "";
      const link = document.querySelector(`a.nav[data-key="${CSS.escape(event.key)}"]`);
      if (link) {
        event.preventDefault();
        go(link.getAttribute("href"));
      }
      return;
    }
    if (event.key === "g") {
      waiting = "g";
      clearTimeout(forget);
      forget = setTimeout(() => (waiting = ""), 5000);
      return;
    }
    if (page.view?.key?.(event)) return event.preventDefault();
    const [, , work] = KEYS.find(([key]) => key === event.key) ?? [];
    if (work) {
      event.preventDefault();
      work();
    }
  });
}
