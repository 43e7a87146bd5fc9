// Small parts that every view uses.
import { el, put, safe } from "./dom.js";
import { page } from "./page.js";
import { when } from "./time.js";

export const FAMILY = {
  ask: "question", ping: "question", nudge: "question",
  answer: "yes", approve: "yes", accept: "yes", decide: "yes", resume: "yes",
  block: "trouble", refuse: "trouble", escalate: "trouble", rework: "trouble", cancel: "trouble", shutdown: "trouble",
  assign: "work", claim: "work", ack: "work", deliver: "work", ready: "work", handoff: "work", release: "work", review: "work",
};

export const act = (name) => el("span", { class: `act ${FAMILY[name] ?? "plain"}`, text: safe(name) });

// A colour for a name: by its position among the known agents, so that few share one; else by its letters.
export function hue(name) {
  const known = [...(page.now?.agents ?? [])].sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : a.id < b.id ? -1 : 1));
  const place = known.findIndex((card) => card.id === name);
  if (place >= 0) return place % 10;
  let sum = 0;
  for (const c of String(name)) sum = (sum * 31 + c.codePointAt(0)) % 9973;
  return sum % 10;
}

export const short = (name) => safe(name).split("/").pop();

export function avatar(name, size = "") {
  const word = short(name).replace(/^@/, "");
  return el("span", { class: `avatar hue-${hue(name)} ${size}`, "aria-hidden": "true", text: word.slice(0, 2) });
}

export const agentLink = (name) => el("a", { class: "who", href: `/agents/${encodeURI(name)}`, text: safe(name), title: safe(name) });
export const names = (list) => list.flatMap((name, place) => [place ? ", " : "", name.startsWith("@") ? safe(name) : agentLink(name)]);

export const auth = (how) =>
  el("span", { class: `auth ${safe(how)}`, text: safe(how), title: { token: "proven with a key", channel: "proven by the file, which has one writer", claimed: "not proven" }[how] ?? "" });

export const line = (message) => safe(message.subject || message.gist || (message.body ?? "").split("\n")[0]) || `(${safe(message.act)})`;

const LADDER = ["stored", "notified", "injected", "read", "acknowledged", "answered"];
const PASSED = { stored: 0, notified: 1, injected: 2, read: 3, acknowledged: 4, answered: 5 };

// How far a message got with one recipient.
export function ladder(delivery) {
  const stage = delivery.stage;
  const at = PASSED[stage] ?? -1;
  const steps = LADDER.map((name, place) => {
    const reached = name === "stored" || delivery[name];
    const title = reached && delivery[name] ? `${name} ${delivery[name]}` : name;
    return el("span", { class: `step ${reached ? "reached" : ""} ${place === at ? "here" : ""}`, title });
  });
  return el("span", { class: `ladder ${at < 0 ? "ended" : ""}` }, el("span", { class: "steps", "aria-hidden": "true" }, steps), el("span", { class: "stage", text: stage }));
}

export function empty(title, words, ...more) {
  return el("div", { class: "empty" }, el("h2", { text: title }), el("p", {}, words), more);
}

export const code = (text) => el("code", { class: "copy", text });

// A message as one row of a list; it is a link, so that it can be opened, copied and shared.
export function row(message, { href, extra, unread } = {}) {
  return el("a", { class: `row ${unread ? "unread" : ""} ${page.about.urgent.includes(message.priority) ? "urgent" : ""}`, href: href ?? `/conversations/${message.id}`, "data-row": message.id },
    avatar(message.from), el("span", { class: "row-main" },
      el("span", { class: "row-head" }, el("b", { class: "who", text: short(message.from) }), act(message.act), message.task && el("span", { class: "task", text: safe(message.task) })),
      el("span", { class: "row-text", dir: "auto", text: line(message) })),
    el("span", { class: "row-side" }, when(message.at), extra));
}

let hush;
export function note(words, kind = "good") {
  const place = document.getElementById("notes");
  const box = el("p", { class: `note ${kind}`, text: words });
  place.append(box);
  setTimeout(() => box.remove(), kind === "bad" ? 9000 : 4000);
}
export function announce(words) {
  clearTimeout(hush);
  hush = setTimeout(() => (document.getElementById("said").textContent = words), 700);
}

export const failed = (fault) => note([fault.message, fault.wayOut].filter(Boolean).join("; "), "bad");

// What was refused, why, and how to fix it: three lines, where the button was pressed.
export function refusal(fault) {
  return el("div", { class: "refusal", role: "alert" }, el("b", { text: safe(fault.what || fault.message) }), fault.why ? el("p", { text: safe(fault.why) }) : null,
    fault.wayOut ? el("p", { class: "small" }, "Fix: ", safe(fault.wayOut)) : null);
}

// The fields that a refusal can be about, if it does not name one.
const CONCERNED = { "unknown-recipient": ["to"], "ambiguous-name": ["to"], "bad-name": ["to", "task"], "empty-body": ["body", "title"], "task-taken": ["task"], "task-cycle": ["needs"], "not-found": ["needs", "task"] };

// Show a refusal in the form that was sent, and go to the field that it is about.
export function refuse(form, place, fault) {
  put(place, refusal(fault));
  const named = [...form.elements].find((field) => field.name && new RegExp(`\\bthe ${field.name}\\b`).test(`${fault.what} ${fault.why}`));
  const field = named ?? (CONCERNED[fault.code] ?? []).map((name) => form.elements[name]).find(Boolean);
  (field ?? form.querySelector("button"))?.focus();
}

// A button whose work may take a moment, and may be refused.
export function button(words, work, fields = {}) {
  const node = el("button", { type: "button", ...fields }, words);
  node.addEventListener("click", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const held = document.activeElement === node;
    node.disabled = true;
    try { await work(node); } catch (fault) { failed(fault); } finally {
      node.disabled = false;
      // A button that is disabled loses the focus.
      if (held && document.activeElement === document.body) node.focus({ preventScroll: true });
    }
  });
  return node;
}
