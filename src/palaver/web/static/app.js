// The page: sign in, show the view that the address names, listen, and pass events on to that view.
import { ask, enter, forget, listen } from "./api.js";
import { announce, button, empty, line, short } from "./bits.js";
import { el, put, safe } from "./dom.js";
import { keys } from "./keys.js";
import { go, page, theme, turnColours } from "./page.js";
import { palette } from "./palette.js";
import { compose } from "./compose.js";
import { ROUTES } from "./views.js";

const main = document.getElementById("main");
let turn = 0;

// --- where we are ---

function found(path) {
  for (const route of ROUTES) {
    const match = route.path.exec(path);
    if (match) return { route, word: match[1] ? decodeURIComponent(match[1]) : "" };
  }
  return null;
}

async function show() {
  const mine = ++turn;
  const path = location.pathname === "/" ? "/now" : location.pathname;
  const there = found(path);
  const params = new URLSearchParams(location.search);
  for (const link of document.querySelectorAll("a.nav")) {
    const here = link.dataset.view === there?.route.view;
    link.toggleAttribute("data-here", here);
    here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  const before = page.view;
  try {
    if (!there) throw Object.assign(new Error("Nothing on this bus has this address."), { title: "Page not found" });
    // The same view with another thing in it may change by itself.
    if (before?.route === there.route && before.move?.(there.word, params)) return;
    main.toggleAttribute("data-loading", true);
    const view = await there.route.open({ word: there.word, params, page });
    if (mine !== turn) return view.close?.();
    before?.close?.();
    page.view = { ...view, route: there.route };
    document.title = `${view.title} · Palaver`;
    put(main, view.node);
    main.className = there.route.view;
    scrollTo(0, 0);
    if (before) (main.querySelector("h1") ?? main).focus({ preventScroll: true });
    view.shown?.();
  } catch (fault) {
    if (mine !== turn || fault.status === 401) return;
    before?.close?.();
    page.view = null;
    document.title = "Palaver";
    put(main, empty(fault.title ?? "Something went wrong", fault.message, fault.wayOut && el("p", { class: "faint", text: fault.wayOut }),
      el("p", {}, el("a", { href: "/now", class: "button", text: "Go to Now" }))));
  } finally {
    if (mine === turn) main.removeAttribute("data-loading");
  }
}

addEventListener("popstate", show);
addEventListener("palaver:go", show);
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (to.pathname.startsWith("/api") || (to.hash && to.pathname === location.pathname)) return;
  event.preventDefault();
  go(to.pathname + to.search);
});

// --- what happens ---

function hear(event, value, id) {
  if (event === "log") {
    if (id > page.seq) page.seq = id;
    if (value.event_type === "mail.sent") announce(`${short(value.data.from ?? value.actor)}: ${line(value.data)}`);
    if (/^(agent|config)\./.test(value.event_type)) refresh();
    page.view?.log?.(value);
  } else if (event === "now") {
    merge(value);
    page.view?.now?.(page.now);
  } else if (event === "resync") refresh(true);
}

function merge(news) {
  if (!page.now || news.seq < page.now.seq) return;
  const cards = new Map(page.now.agents.map((card) => [card.id, card]));
  for (const card of news.agents) cards.set(card.id, card);
  page.now = { ...page.now, ...news, recent: page.now.recent, agents: [...cards.values()].sort((a, b) => b.last_seq - a.last_seq || (a.id < b.id ? -1 : 1)) };
  count();
}

let again;
let whole = false;
function refresh(all = false, wait = 50) {
  whole ||= all;
  clearTimeout(again);
  // A server that is away, or stops this very moment, is asked again.
  again = setTimeout(() => renew().catch((fault) => fault.status !== 401 && refresh(whole, 2000)), wait);
}

async function renew() {
  page.now = await ask("/api/now");
  const all = whole;
  whole = false;
  if (all) {
    page.seq = page.now.seq;
    await show();
  } else page.view?.now?.(page.now);
  count();
}

function count() {
  const waiting = page.now.unanswered.length;
  document.querySelector('[data-count="now"]').textContent = waiting || "";
}

function live(state) {
  const place = document.getElementById("live");
  place.className = `live ${state}`;
  place.querySelector(".word").textContent = { on: "Live", away: "Reconnecting", out: "Signed out" }[state];
}

// --- the beginning ---

function locked() {
  forget();
  live("out");
  page.view?.close?.();
  page.view = null;
  document.body.classList.add("locked");
  put(main, empty("You are signed out", "Sign in with a link that works once. In a terminal, in the folder of the bus, run:",
    el("p", {}, el("code", { class: "copy", text: "palaver open" })),
    el("p", { class: "faint" }, "Each link signs in one browser. Run the command again for another one.")));
}

async function begin() {
  theme();
  addEventListener("palaver:out", locked);
  try {
    if (!(await enter())) return locked();
    [page.about, page.now] = await Promise.all([ask("/api/about"), ask("/api/now")]);
  } catch (fault) {
    if (fault.status !== 401) put(main, empty("The bus is not responding", fault.message, button("Try again", () => location.reload(), { class: "primary" })));
    return;
  }
  page.seq = page.now.seq;
  const bus = document.getElementById("bus-name");
  bus.textContent = safe(page.about.bus);
  bus.title = `${page.about.path}; you are ${page.about.person}`;
  count();
  document.getElementById("write").addEventListener("click", () => compose({}));
  document.getElementById("theme").addEventListener("click", turnColours);
  document.getElementById("open-palette").addEventListener("click", () => palette());
  keys();
  await show();
  listen(() => page.seq, hear, live);
}

begin();
