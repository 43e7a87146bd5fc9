// The palette: one field that finds views, agents, actions, tasks, and text in any message.
import { go, page, turnColours } from "./page.js";
import { ask, query } from "./api.js";
import { act, avatar, line, short } from "./bits.js";
import { compose } from "./compose.js";
import { el, put, safe } from "./dom.js";
import { when } from "./time.js";

function standing() {
  const views = [...document.querySelectorAll("a.nav")].map((link) => ({ words: `Go to ${link.textContent.replace(/\d+$/, "").trim()}`, kind: "view", work: () => go(link.getAttribute("href")) }));
  const deeds = [
    { words: "Write a message", kind: "do", work: () => compose({}) },
    { words: "Verify the log", kind: "do", work: () => go("/audit?verify=1") },
    { words: "Show quarantine", kind: "do", work: () => go("/quarantine") },
    { words: "Switch between light and dark", kind: "do", work: turnColours },
  ];
  const agents = (page.now?.agents ?? []).flatMap((card) => [
    { words: `Agent ${card.id}`, kind: "agent", name: card.id, work: () => go(`/agents/${encodeURI(card.id)}`) },
    { words: `Write to ${card.id}`, kind: "do", quiet: true, work: () => compose({ to: card.id }) },
  ]);
  return [...views, ...deeds, ...agents];
}

const tasked = (task) => ({ words: `Task ${task.id}: ${task.title}`, kind: "task", about: task.holder ? `${task.state}, ${task.holder}` : task.state, work: () => go(`/board?task=${encodeURIComponent(task.id)}`) });

const fits = (words, typed) => typed.toLowerCase().split(/\s+/).every((piece) => words.toLowerCase().includes(piece));

export function palette() {
  if (document.querySelector("dialog.palette[open]")) return;
  const all = standing();
  let shown = [];
  let at = 0;
  let asked = 0;
  const field = el("input", { type: "search", placeholder: "Search tasks, messages, agents, views…", "aria-label": "Search or jump to", role: "combobox", "aria-expanded": "true", "aria-controls": "found", "aria-autocomplete": "list", autocomplete: "off" });
  const list = el("ul", { id: "found", role: "listbox", "aria-label": "Results" });
  const box = el("dialog", { class: "dialog palette", "aria-label": "Search or jump to" }, field, list);

  function draw() {
    put(list, shown.length ? shown.map((each, place) =>
      el("li", { id: `found-${place}`, role: "option", "aria-selected": String(place === at), class: each.kind, onclick: () => take(place) },
        each.message ? [avatar(each.message.from), el("span", { class: "row-main" }, el("span", { class: "row-head" }, el("b", { text: short(each.message.from) }), act(each.message.act)), el("span", { class: "row-text", text: line(each.message) })), when(each.message.at)]
          : [each.name ? avatar(each.name) : el("span", { class: "mark", "aria-hidden": "true", text: each.kind === "view" ? "→" : "•" }), el("span", { class: "row-main", text: safe(each.words) }), each.about ? el("span", { class: "faint small", text: safe(each.about) }) : null]))
      : el("li", { class: "nothing", text: "Nothing found. Try fewer words." }));
    field.setAttribute("aria-activedescendant", shown.length ? `found-${at}` : "");
    list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  function take(place) {
    const each = shown[place];
    box.close();
    each?.work();
  }

  async function look() {
    const typed = field.value.trim();
    const mine = ++asked;
    at = 0;
    shown = all.filter((each) => (typed ? fits(each.words, typed) : !each.quiet)).slice(0, 12);
    draw();
    if (typed.length < 2) return;
    await new Promise((done) => setTimeout(done, 120));
    if (mine !== asked) return;
    const found = await ask(query("/api/search", { q: typed, limit: 12 })).catch(() => ({ messages: [], tasks: [] }));
    if (mine !== asked) return;
    shown = [...shown, ...found.tasks.map(tasked), ...found.messages.map((message) => ({ message, kind: "message", work: () => go(`/conversations/${message.id}`) }))];
    draw();
  }

  field.addEventListener("input", look);
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      at = (at + step + shown.length) % Math.max(1, shown.length);
      draw();
    } else if (event.key === "Enter") {
      event.preventDefault();
      take(at);
    } else if (event.key === "Escape") box.close();
  });
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  look();
}
