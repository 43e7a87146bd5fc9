// Now: what needs action and by whom, every agent at a glance, and messages as they arrive.
import { page } from "../page.js";
import { say } from "../api.js";
import { act, agentLink, avatar, button, empty, line, note, row, short } from "../bits.js";
import { compose } from "../compose.js";
import { arrange, keepFocus, restoreFocus } from "../rows.js";
import { ACTS, address, ask as moving, move, taskLink } from "../tasks.js";
import { el, isPressed, put, safe } from "../dom.js";
import { ago, seconds, when } from "../time.js";

const WORDS = { clear: "all clear", mail: "has mail", blocked: "blocked", silent: "no messages yet", gone: "left" };
const LONG = 900;
const DAY = 86400;
const FEED = 60;

// The obvious next step for the person: to act, or to make the other one act.
function steps(item) {
  const me = page.about.person;
  const small = { class: "small" };
  const main = { class: "primary small" };
  if (item.wanted === "resend") {
    const near = item.nearest?.[0];
    return [near && button(`Resend to ${short(near)}`, async () => { await say(`/api/messages/${item.id}/resend`, { to: [near] }); note(`Resent to ${near}`); }, main)];
  }
  const task = { id: item.task, title: item.subject || item.gist, holder: item.waiter };
  const mine = item.movers.includes(me);
  if (item.moves) {
    const pressed = (act) => async () => (ACTS[act].words ? moving(task, act) : move(item.task, act));
    if (mine) return item.offers.map((act, place) => button(act === "assign" ? "Reassign" : ACTS[act].word, pressed(act), place ? small : main));
    return [button("Nudge", nudge(item), small), button(item.instead === "assign" ? "Reassign" : ACTS[item.instead].word, pressed(item.instead), small)];
  }
  if (mine) {
    const reply = (act) => async () => { await say(`/api/messages/${item.id}/reply`, { act, body: "" }); note(`${act}: ${short(item.from)}`); };
    if (item.wanted === "approve") return [button("Approve", reply("approve"), main), button("Refuse", async () => compose({ reply: item, act: "refuse" }), small)];
    if (item.wanted === "accept") return [button("Accept", reply("accept"), main), button("Rework", async () => compose({ reply: item, act: "rework" }), small)];
    if (item.wanted === "ack") return [button("Acknowledge", async () => { await say(`/api/messages/${item.id}/ack`); note("Acknowledged"); }, main)];
    const decided = item.kind === "escalation" && button("Acknowledge", async () => { await say(`/api/messages/${item.id}/ack`); note("Acknowledged"); }, small);
    return [button("Answer", async () => compose({ reply: item }), main), decided];
  }
  return [button("Nudge", nudge(item), small), button("Reassign", async () => compose({ act: "assign", subject: item.subject, task: item.task, body: item.gist, title: "Reassign" }), small)];
}

const nudge = (item) => async () => {
  const sent = await say("/api/messages", { to: item.movers.slice(0, 64), act: "nudge", body: `${item.waiter || item.from} is waiting for you: ${item.subject || item.gist || item.task}`, task: item.task });
  note(`Nudged ${sent.to.map(short).join(", ")}`);
};

const named = (item) => `${item.id || item.task} ${item.act}`;
const isLate = (item) => seconds(item.at) > LONG || page.about.urgent.includes(item.priority);

function stuck(item) {
  const who = item.movers.length ? item.movers.map((name, place) => [place ? ", " : "", agentLink(name)]) : "somebody";
  const from = item.waiter && item.kind !== "mail" ? (item.waiter === page.about.person ? "you are waiting" : [agentLink(item.waiter), " is waiting"]) : ["from ", agentLink(item.from)];
  const href = item.moves ? address(item.task) : `/conversations/${item.id}`;
  return el("li", { class: `stuck ${isLate(item) ? "late" : ""}`, "data-item": named(item) },
    el("div", { class: "stuck-text" },
      el("p", { class: "stuck-head" }, act(item.act), el("a", { class: "stuck-line", href, "data-row": item.id || item.task, text: line(item) }), item.task ? taskLink(item.task) : null),
      el("p", { class: "faint small" }, item.wanted === "resend" ? [item.kind === "held" ? "Held: " : "Not delivered: ", safe(item.why), " · from ", agentLink(item.from)] : [who, " must ", safe(item.must), " · ", from], " · ", when(item.at), item.nudged ? [" · nudged ", when(item.nudged)] : null)),
    el("div", { class: "stuck-do" }, steps(item)));
}

// A wait cycle: none of its agents can continue, so another one must decide.
function circle(names) {
  const members = names.slice(0, -1);
  return el("li", { class: "circle", "data-item": names.join(" ") },
    el("p", {}, el("b", { text: "Wait cycle: " }), names.map((name, place) => [place ? " waits for " : "", agentLink(name)])),
    button("Decide", async () => compose({ to: members.join(", "), act: "decide", title: "Break the cycle", body: "" }), { class: "primary small" }));
}

// What an agent works on: the task that it took last, else its assignment; and since when.
function doing(agent) {
  const task = agent.holds?.[0];
  const given = agent.assignment;
  if (!task && !given) return null;
  const more = agent.holds.length > 1 ? ` +${agent.holds.length - 1}` : "";
  return el("span", { class: "card-work" }, el("span", { class: `status ${task?.state ?? ""}`, text: task?.state ?? "assigned" }), el("span", { class: "card-task", dir: "auto", text: (task ? safe(task.title || task.id) : safe(given.ref_id)) + more }), when(task?.since ?? given.assigned_at));
}

const dialects = (agent) => [...new Set((agent.homes ?? []).map((home) => home.dialect))].map((name) => el("span", { class: "dialect", text: safe(name) }));

function card(agent) {
  const late = agent.waits_since && seconds(agent.waits_since) > LONG;
  const state = late ? "late" : agent.health;
  const many = agent.many ? "+" : "";
  return el("li", {}, el("a", { class: `card ${state}`, href: `/agents/${encodeURI(agent.id)}`, "data-row": agent.id },
    el("span", { class: "card-head" }, avatar(agent.id, "large"),
      el("span", { class: "card-name" }, el("b", { text: short(agent.id), title: safe(agent.id) }), el("span", { class: "faint small", text: safe(agent.role || agent.about || (agent.id === page.about.person ? "you" : "agent")) })),
      dialects(agent), agent.unread ? el("span", { class: "badge", text: `${agent.unread}${many}`, title: `${agent.unread}${many} unread, ${agent.open}${many} open` }) : null),
    doing(agent),
    el("span", { class: "card-words", dir: "auto" }, agent.last ? [act(agent.last.act), " ", line(agent.last)] : el("span", { class: "faint", text: "No messages yet." })),
    el("span", { class: "card-foot" }, el("span", { class: `state ${state}` }, el("span", { class: "dot" }), late ? "mail waiting " : WORDS[agent.health], late ? when(agent.waits_since, (at) => ago(at).replace(" ago", "")) : ""),
      agent.sent ? when(agent.last_at) : null)));
}

// Secrets that were masked in the last day: which lines of which files still hold them.
function drawMasked(box, findings) {
  const fresh = findings.filter((found) => seconds(found.at) < DAY);
  box.hidden = !fresh.length;
  put(box, el("b", { text: "Secrets were masked. Replace them, and take them out of these files:" }),
    el("ul", {}, fresh.map((found) => el("li", {}, el("a", { href: found.message_id ? `/conversations/${found.message_id}` : `/audit/${found.seq}`, text: `${safe(found.mount)}/${safe(found.file)}:${found.line}` }), ` ${safe(found.message)} · `, when(found.at)))));
}

const talk = (message) => el("li", {}, row(message));

export async function open() {
  const waiting = el("ul", { class: "plain-list" });
  const waitingCount = el("span", { class: "count faint small" });
  const calm = el("p", { class: "calm" }, el("span", { class: "tick", "aria-hidden": "true", text: "✓" }), "Nothing needs action.");
  const closed = new AbortController();
  keepFocus(waiting, closed.signal);
  const cards = el("ul", { class: "cards" });
  const feed = el("ol", { class: "feed plain-list", "aria-label": "Newest messages" });
  const waitingBox = el("section", { class: "panel", "aria-labelledby": "waiting-title" },
    el("div", { class: "panel-head" }, el("h2", { id: "waiting-title", text: "Needs action" }), waitingCount), waiting, calm);
  const cardsTitle = el("h2", { id: "agents-title" });
  const node = el("div", { class: "now-grid" },
    el("h1", { class: "unseen", tabindex: "-1", text: "Now" }),
    el("div", { class: "now-main" }, waitingBox,
      el("section", { "aria-labelledby": "agents-title" }, cardsTitle, cards)),
    el("section", { class: "panel feed-panel", "aria-labelledby": "feed-title" }, el("div", { class: "panel-head" }, el("h2", { id: "feed-title", text: "Live feed" }), el("a", { class: "small", href: "/audit", text: "All events" })), feed));

  const behind = el("p", { class: "panel pad small", role: "status", hidden: true, text: "The view is catching up with the log; newer events are missing here." });
  const masked = el("section", { class: "panel pad small", "aria-label": "Masked secrets", hidden: true });
  node.querySelector(".now-main").prepend(behind, masked);

  // Under the pointer no row moves, because its buttons decide: new rows come below, and a row that is over stays where
  // it is, without its buttons. The list is put in order when the pointer leaves it.
  function add(items) {
    const fresh = new Map(items.map((item) => stuck(item)).map((row) => [row.dataset.item, row]));
    for (const row of waiting.querySelectorAll(".stuck")) {
      row.classList.toggle("over", !fresh.delete(row.dataset.item));
    }
    waiting.append(...fresh.values());
    restoreFocus(waiting);
  }

  function draw(now) {
    const items = now.unanswered;
    const circles = now.cycles ?? [];
    waitingCount.textContent = items.length ? `${now.unanswered_total ?? items.length} waiting` : "";
    if (waiting.matches(":hover") || isPressed(waiting)) add(items);
    else {
      behind.hidden = !now.behind;
      waiting.hidden = !items.length;
      calm.hidden = Boolean(items.length);
      arrange(waiting, items.length ? [
        ...circles.map((names) => [names.join(" "), "", () => circle(names)]),
        ...items.map((item) => [named(item), JSON.stringify([item, isLate(item)]), () => stuck(item)]),
      ] : []);
    }
    if (now.masked) drawMasked(masked, now.masked);
    cardsTitle.textContent = now.agents_total > now.agents.length ? `Agents: the ${now.agents.length} most recently active of ${now.agents_total}` : "Agents";
    const held = document.activeElement?.dataset?.row;
    put(cards, now.agents.map(card));
    if (held) cards.querySelector(`[data-row="${CSS.escape(held)}"]`)?.focus();
    if (now.agents.length < 2 && !cards.nextElementSibling) cards.after(empty("No other agents yet", "Add an agent, and set PALAVER_AGENT to its name where it runs.", el("p", {}, el("code", { class: "copy", text: "palaver agents add bob" }))));
    else if (now.agents.length > 1) cards.nextElementSibling?.remove();
  }

  waiting.addEventListener("pointerleave", () => draw(page.now));
  draw(page.now);
  const fresh = page.now.recent;
  put(feed, fresh.length ? fresh.map(talk) : el("li", { class: "calm", text: "No messages yet. Press w to write the first one." }));
  return {
    title: "Now",
    node,
    now: draw,
    log(event) {
      if (event.event_type !== "mail.sent") return;
      const data = event.data;
      if (feed.querySelector(`[data-row="${CSS.escape(data.message_id)}"]`)) return;
      const message = { id: data.message_id, from: data.from ?? event.actor, act: data.act ?? "inform", subject: data.subject, gist: data.gist, priority: data.priority ?? "normal", task: data.task, at: event.timestamp, seq: event.seq };
      feed.querySelector(".calm")?.remove();
      const item = talk(message);
      item.classList.add("fresh");
      feed.prepend(item);
      page.now.recent = [message, ...page.now.recent].slice(0, FEED);
      while (feed.children.length > FEED) feed.lastElementChild.remove();
    },
    close: () => closed.abort(),
  };
}
