// Board: every task of every dialect in its column, with dependencies; and beside it the history of the selected one.
import { go, page, remember } from "../page.js";
import { ask } from "../api.js";
import { avatar, button, empty, failed, short } from "../bits.js";
import { el, put, safe, svg } from "../dom.js";
import { fresh } from "../tasks.js";
import { ago, seconds, when } from "../time.js";
import { sheet } from "./task.js";

const COLUMNS = {
  Waiting: "a dependency is not done", Ready: "can be claimed", Claimed: "claimed or assigned, not started", Working: "in progress",
  Blocked: "cannot continue", Checking: "delivered, waiting for review", Done: "accepted or cancelled",
};
const LATE = 900;
// States that the column name does not tell.
const ODD = ["rework", "handed", "assigned", "cancelled"];

function card(task, chosen) {
  const urgent = task.priority < 2;
  const ends = task.lease_ends ? -seconds(task.lease_ends) : Infinity;
  return el("li", {}, el("a", { class: `tile ${task.state} ${urgent ? "urgent" : ""}`, href: "#", "data-row": task.id, "data-task": task.id, "aria-current": task.id === chosen ? "true" : null },
    el("span", { class: "tile-head" }, el("span", { class: "task", text: safe(task.id) }), urgent ? el("span", { class: "urgency", text: `p${task.priority}`, title: `priority ${task.priority}: 0 is the most urgent` }) : null, task.kind !== "task" ? el("span", { class: "kind", text: safe(task.kind) }) : null, ODD.includes(task.state) ? el("span", { class: "tile-state", text: task.state }) : null),
    el("span", { class: "tile-title", dir: "auto", text: safe(task.title) || "(no title)" }),
    task.waits_for.length ? el("span", { class: "tile-needs" }, "waits for ", task.waits_for.map((id, place) => [place ? ", " : "", el("b", { text: safe(id) })])) : null,
    task.state === "blocked" && task.reason ? el("span", { class: "tile-why", dir: "auto", text: safe(task.reason) }) : null,
    el("span", { class: "tile-foot" }, task.holder ? [avatar(task.holder, "tiny"), el("span", { class: "tile-who", text: short(task.holder), title: safe(task.holder) })] : el("span", { class: "faint", text: task.restricted ? `for ${safe(task.restricted)}` : "" }),
      el("span", { class: "push" }),
      ends < LATE ? el("span", { class: "lease", text: "lease ends", title: safe(task.lease_ends) }) : when(task.since, (at) => ago(at).replace(" ago", "")))));
}

const known = (task) => [task.id, task.title, task.holder, task.owner, task.kind, task.state, task.restricted, ...dialects(task.holder)].join(" ").toLowerCase();
const dialects = (holder) => (page.now.agents.find((each) => each.id === holder)?.homes ?? []).map((home) => home.dialect);

export async function open({ params }) {
  let told = await ask("/api/board");
  const tasks = new Map(Object.values(told.columns).flat().map((task) => [task.id, task]));
  const words = el("input", { type: "search", placeholder: "Find tasks: id, title, agent, dialect", "aria-label": "Find tasks", value: params.get("q") ?? "" });
  const who = el("select", { "aria-label": "Agent" });
  const lines = svg("svg", { class: "needs-lines", "aria-hidden": "true" });
  const columns = el("div", { class: "columns" });
  const wall = el("div", { class: "wall", tabindex: "-1", role: "region", "aria-label": "Columns" }, columns, lines);
  const nothing = el("div", {});
  const aside = el("div", { class: "detail-place" });
  const grid = el("div", { class: "board-grid" }, el("div", { class: "wall-place" }, nothing, wall), aside);
  let chosen = "";
  let shown = null;

  // The address of what is shown, so that a copy of it shows the same.
  const here = (id) => { const now = new URLSearchParams(location.search); id ? now.set("task", id) : now.delete("task"); return `/board${now.size ? `?${now}` : ""}`; };
  const fits = (task) => words.value.toLowerCase().split(/\s+/).every((piece) => known(task).includes(piece)) && (!who.value || task.holder === who.value || task.owner === who.value);

  function draw() {
    const held = document.activeElement?.dataset?.task;
    const names = [...new Set([...tasks.values()].flatMap((task) => [task.holder, task.owner]).filter(Boolean))].sort();
    const wanted = who.value || (params.get("who") ?? "");
    put(who, el("option", { value: "", text: "All agents" }), names.map((name) => el("option", { value: name, selected: name === wanted, text: safe(name) })));
    const found = [...tasks.values()].filter(fits);
    const order = (a, b) => a.priority - b.priority || a.opened - b.opened;
    put(columns, Object.entries(COLUMNS).map(([name, about]) => {
      const own = found.filter((task) => task.column === name).sort(name === "Done" ? (a, b) => b.seq - a.seq : order);
      const more = name === "Done" && !words.value && !who.value ? told.ended - own.length : 0;
      return el("section", { class: `column ${own.length ? "" : "bare"}`, "data-column": name, "aria-label": `${name}: ${own.length}` },
        el("h2", { title: about }, name, " ", el("span", { class: "faint", text: String(own.length + Math.max(0, more)) })),
        el("ul", { "aria-label": name }, own.map((task) => card(task, chosen))),
        more > 0 ? el("p", { class: "faint small more-done", text: `and ${more} older` }) : null);
    }));
    for (const link of columns.querySelectorAll(".tile")) link.href = here(link.dataset.task);
    wall.hidden = !tasks.size;
    put(nothing, tasks.size ? (found.length ? null : el("p", { class: "calm", text: "No matching tasks. Try fewer words." })) : el("div", { class: "panel" }, empty("No tasks yet", "Agents claim tasks and deliver them, and their owners accept the result. Open one here, or run:", el("p", {}, el("code", { class: "copy", text: 'palaver task open "Write the parser" --id parser' })), button("Open a task", async () => opening(), { class: "primary" }))));
    if (held) columns.querySelector(`[data-task="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
    tie();
  }

  // Lines from what a task needs to the task, for the one that is looked at.
  function tie(id = document.activeElement?.dataset?.task || chosen) {
    lines.replaceChildren();
    for (const link of columns.querySelectorAll(".linked")) link.classList.remove("linked");
    if (!id) return;
    const place = columns.getBoundingClientRect();
    const node = (name) => columns.querySelector(`[data-task="${CSS.escape(name)}"]`);
    for (const task of tasks.values()) for (const needed of task.needs) {
      if (task.id !== id && needed !== id) continue;
      const [from, to] = [node(needed), node(task.id)];
      if (!from || !to) continue;
      (task.id === id ? from : to).classList.add("linked");
      const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
      const right = a.left < b.left;
      const x1 = (right ? a.right : a.left) - place.left, y1 = a.top + a.height / 2 - place.top, x2 = (right ? b.left : b.right) - place.left, y2 = b.top + b.height / 2 - place.top;
      const bend = Math.max(24, Math.abs(x2 - x1) / 2) * (right ? 1 : -1);
      lines.append(svg("path", { d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, class: tasks.get(needed)?.state === "done" ? "met" : "" }), svg("circle", { cx: x2, cy: y2, r: 3 }));
    }
    lines.setAttribute("width", columns.scrollWidth);
    lines.setAttribute("height", columns.scrollHeight);
  }

  // The card of the chosen task, where it can be seen; the page itself stays where it is.
  function see() {
    const node = chosen && columns.querySelector(`[data-task="${CSS.escape(chosen)}"]`);
    if (!node || !wall.clientWidth) return;
    const [own, all] = [node.getBoundingClientRect(), wall.getBoundingClientRect()];
    if (own.right > all.right || own.left < all.left) wall.scrollLeft += own.left - all.left - (all.width - own.width) / 2;
  }

  async function choose(id) {
    chosen = id;
    grid.classList.toggle("chosen", Boolean(id));
    for (const link of columns.querySelectorAll(".tile")) link.dataset.task === id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
    shown = null;
    if (!id) return put(aside), tie();
    const next = await sheet(id, { close: () => leave(), here });
    if (chosen !== id) return;
    shown = next;
    put(aside, next.node);
    see();
    document.title = `${next.title} · Palaver`;
    tie();
  }

  function leave() {
    const was = chosen;
    go(here(""));
    columns.querySelector(`[data-task="${CSS.escape(was)}"]`)?.focus();
  }
  const opening = () => fresh((made) => go(here(made.id)));

  function search() {
    remember({ q: words.value.trim(), who: who.value });
    params.delete("who");
    draw();
  }
  words.addEventListener("input", search);
  who.addEventListener("change", search);
  columns.addEventListener("focusin", () => tie());
  columns.addEventListener("pointerover", (event) => { const over = event.target.closest?.(".tile"); if (over) tie(over.dataset.task); });
  columns.addEventListener("pointerleave", () => tie());
  const sized = () => tie();
  addEventListener("resize", sized);

  // Between columns: the card at the same height, else the last one of the next column that has any.
  function beside(step) {
    const all = [...columns.querySelectorAll(".column")].filter((column) => column.querySelector(".tile"));
    const at = document.activeElement?.closest?.(".column");
    const place = [...(at?.querySelectorAll(".tile") ?? [])].indexOf(document.activeElement);
    const next = all[at ? all.indexOf(at) + step : step > 0 ? 0 : all.length - 1];
    if (!next) return;
    const cards = next.querySelectorAll(".tile");
    cards[Math.min(Math.max(place, 0), cards.length - 1)].focus();
  }

  draw();
  await choose(params.get("task") ?? "").catch((fault) => { chosen = ""; grid.classList.remove("chosen"); failed(fault); });
  return {
    title: shown?.title ?? "Board",
    node: el("div", {}, el("div", { class: "view-head" }, el("h1", { tabindex: "-1", text: "Board" }), el("div", { class: "board-tools", role: "search" }, words, who, button("Open a task", async () => opening(), { class: "primary", "aria-keyshortcuts": "n" }))), grid),
    shown() { see(); tie(); },
    now(now) {
      for (const task of now.tasks ?? []) if ((tasks.get(task.id)?.seq ?? 0) <= task.seq) {
        if (!tasks.has(task.id) || (tasks.get(task.id).column !== "Done") !== (task.column !== "Done")) told.ended += task.column === "Done" ? 1 : tasks.has(task.id) ? -1 : 0;
        tasks.set(task.id, task);
      }
      if (now.tasks?.length) draw();
      if (chosen && now.tasks?.some((task) => task.id === chosen)) shown?.again().catch(() => {});
    },
    move(_, next) {
      if ((next.get("q") ?? "") !== words.value.trim() || (next.get("who") ?? "") !== who.value) return false;
      choose(next.get("task") ?? "").catch((fault) => { failed(fault); go(here("")); });
      return true;
    },
    key(event) {
      const step = { h: -1, l: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) return beside(step), true;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const cards = [...columns.querySelectorAll(".tile")];
        const at = cards.indexOf(document.activeElement);
        if (at < 0) return false;
        cards[Math.min(cards.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))].focus();
        return true;
      }
      if (event.key === "Escape" && chosen) return leave(), true;
      return false;
    },
    fresh: opening,
    act: () => shown?.act(),
    close() { removeEventListener("resize", sized); },
  };
}
