// Conversations: the threads, newest first, and one of them beside the list, as a chat or as a sequence.
import { remember } from "../page.js";
import { ask, query } from "../api.js";
import { act, avatar, button, empty, failed, line, short } from "../bits.js";
import { el, put, safe } from "../dom.js";
import { when } from "../time.js";
import { thread } from "./thread.js";

const PAGE = 30;
const MOST = 600;

function item(talk, chosen) {
  const last = talk.last;
  return el("li", {}, el("a", { class: "talk", href: `/conversations/${talk.id}`, "data-row": talk.id, "data-thread": talk.thread, "aria-current": chosen ? "true" : null },
    el("span", { class: "talk-head" }, el("b", { class: "talk-title", dir: "auto", text: safe(talk.subject) || "(no text)" }), when(last.at)),
    el("span", { class: "talk-last", dir: "auto" }, act(last.act), " ", el("span", { class: "faint", text: `${short(last.from)}: ${line(last)}` })),
    el("span", { class: "talk-foot" }, el("span", { class: "stack" }, talk.voices.slice(0, 5).map((name) => avatar(name, "tiny"))), el("span", { class: "faint small", text: talk.count === 1 ? "1 message" : `${talk.count} messages` }))));
}

export async function open({ word, params }) {
  const list = el("ul", { class: "talks plain-list" });
  const more = el("div", { class: "more" });
  const side = el("div", { class: "talk-side" });
  const find = el("input", { type: "search", placeholder: "Search messages", "aria-label": "Search messages", value: params.get("q") ?? "" });
  const node = el("div", { class: "split" },
    el("div", { class: "split-list" }, el("div", { class: "split-head" }, el("h1", { tabindex: "-1", text: "Conversations" }), find), list, more), side);
  let older = 0;
  let shown = null;
  let asked = 0;
  let chosen = "";

  async function load(before = 0) {
    const found = await ask(query("/api/conversations", { before, limit: PAGE }));
    if (!before) list.replaceChildren();
    for (const talk of found.conversations) list.append(item(talk, talk.thread === chosen));
    while (list.children.length > MOST) list.firstElementChild.remove();
    older = found.older;
    put(more, older ? button("Older", () => load(older), { class: "quiet wide" }) : null);
    if (!list.children.length && !older) list.append(el("li", {}, empty("No conversations yet", "Messages between agents appear here.", el("p", {}, el("code", { class: "copy", text: 'palaver send bob -m "Hello"' })))));
  }

  async function search() {
    const mine = ++asked;
    const q = find.value.trim();
    remember({ q });
    if (q.length < 2) return load();
    await new Promise((done) => setTimeout(done, 150));
    if (mine !== asked) return;
    const found = await ask(query("/api/search", { q, limit: 50 }));
    if (mine !== asked) return;
    put(more);
    put(list, found.messages.length ? found.messages.map((message) => item({ id: message.id, thread: message.thread, subject: message.subject || line(message), last: message, voices: [message.from], count: 1 }, false)) : el("li", { class: "calm", text: "No message contains all of these words." }));
  }

  async function choose(id) {
    shown?.close?.();
    shown = null;
    node.classList.toggle("chosen", Boolean(id));
    if (!id) {
      chosen = "";
      put(side, empty("Choose a conversation", "It is shown as a chat or as a sequence diagram, with causes, effects, and its text in all five dialects."));
    } else {
      shown = await thread(id, { sequence: new URLSearchParams(location.search).get("view") === "sequence" });
      chosen = shown.thread;
      put(side, shown.node);
      document.title = `${shown.title} · Palaver`;
    }
    for (const link of list.querySelectorAll(".talk")) link.dataset.thread === chosen ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
    shown?.shown?.();
  }

  find.addEventListener("input", () => search().catch(failed));
  await Promise.all([find.value ? search() : load(), choose(word)]);
  let again;
  return {
    title: shown?.title ?? "Conversations",
    node,
    shown: () => shown?.shown?.(),
    move(next) { choose(next).catch(failed); return true; },
    reply: () => shown?.reply?.(),
    turn: () => shown?.turn?.(),
    log(event) {
      if (!event.event_type.startsWith("mail.")) return;
      shown?.log?.(event);
      if (event.event_type !== "mail.sent" || find.value) return;
      clearTimeout(again);
      again = setTimeout(() => scrollY < 400 && load().catch(() => {}), 300);
    },
    close() { clearTimeout(again); shown?.close?.(); },
  };
}
