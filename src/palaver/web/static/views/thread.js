// One conversation: what was said, how far each message got, what led to it and what it led to.
import { page, remember } from "../page.js";
import { ask, say } from "../api.js";
import { act, agentLink, auth, avatar, button, failed, ladder, line, names, note, short } from "../bits.js";
import { form } from "../compose.js";
import { el, prose, put, safe } from "../dom.js";
import { clock, duration, seconds, when } from "../time.js";
import { taskLink } from "../tasks.js";
import { sequence } from "./sequence.js";

// A silence that is worth showing.
const GAP = 600;

function beside(message) {
  const told = [["task", message.task], ["run", message.run], ["reasoning", message.reasoning], ["priority", message.priority === "normal" ? "" : message.priority], ["artifacts", message.artifacts.join(", ")], ["files", message.files.map((file) => file.path ?? "").join(", ")]];
  const rows = told.filter(([, value]) => value);
  return rows.length ? el("dl", { class: "beside" }, rows.map(([name, value]) => el("div", {}, el("dt", { text: name }), el("dd", { dir: "auto" }, name === "task" ? taskLink(value) : safe(value))))) : null;
}

// The record in the log, and the same message as each dialect would write it.
function spoken(message) {
  const box = el("div", { class: "spoken" });
  const node = el("details", { class: "fold" }, el("summary", { text: "Record and five dialects" }), box);
  node.addEventListener("toggle", async () => {
    if (!node.open || box.childElementCount) return;
    try {
      const told = await ask(`/api/messages/${message.id}/spoken`);
      const texts = [["record", JSON.stringify(told.record, null, 2), "as stored in the log"], ...told.dialects.map((each) => [each.dialect, each.text, each.file])];
      const shown = el("pre", { class: "raw", tabindex: "0" });
      const where = el("p", { class: "faint small" });
      const tabs = texts.map(([name, text, file]) => button(name, async (tab) => {
        for (const other of tabs) other.setAttribute("aria-pressed", "false");
        tab.setAttribute("aria-pressed", "true");
        shown.textContent = safe(text);
        where.textContent = safe(file);
      }, { class: "tab", "aria-pressed": "false" }));
      put(box, el("div", { class: "tabs", role: "group", "aria-label": "Format" }, tabs), where, shown);
      tabs[0].click();
    } catch (fault) { failed(fault); }
  });
  return node;
}

function links(message, all) {
  const cause = message.reply_to && all.find((other) => other.id === message.reply_to);
  const effects = all.filter((other) => other.reply_to === message.id);
  const link = (other, arrow) => el("a", { class: "cause", href: `#${other.id}`, onclick: (event) => { event.preventDefault(); jump(other.id); } }, arrow, " ", short(other.from), " ", act(other.act), " ", el("span", { class: "faint", text: line(other) }));
  if (!cause && !effects.length) return null;
  return el("div", { class: "causes" }, cause && link(cause, "↑"), effects.map((other) => link(other, "↓")));
}

function jump(id) {
  const node = document.getElementById(id);
  node?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  node?.focus({ preventScroll: true });
}

function deeds(message, again) {
  const me = page.about.person;
  const own = message.deliveries.find((each) => each.recipient === me);
  const done = (path, words) => async () => { await say(`/api/messages/${message.id}/${path}`); note(words); await again(); };
  return el("span", { class: "deeds" },
    own?.open && !own.acknowledged && button("Acknowledge", done("ack", "Acknowledged"), { class: "quiet small" }),
    own?.open && button("Archive", done("archive", "Archived"), { class: "quiet small" }),
    message.from === me && message.deliveries.some((each) => each.open && !each.read) && button("Withdraw", done("withdraw", "Withdrawn"), { class: "quiet small" }));
}

const MASK = /\[[A-Za-z ]{2,40} masked\]/;
const isMasked = (message) => MASK.test(`${message.subject ?? ""}\n${message.body ?? ""}\n${message.reasoning ?? ""}\n${JSON.stringify(message.meta ?? {})}`);

function bubble(message, all, again) {
  const mine = message.from === page.about.person;
  return el("li", { class: `said ${mine ? "mine" : ""}`, id: message.id, tabindex: "-1", "data-row": message.id },
    avatar(message.from),
    el("article", { class: "bubble", "aria-label": `${safe(message.from)}, ${safe(message.act)}` },
      el("header", {}, agentLink(message.from), act(message.act), auth(message.auth), isMasked(message) && el("a", { class: "auth masked", href: "/files", title: "A secret in it was masked. Files says in which line of which file.", text: "secret masked" }), el("span", { class: "faint small" }, "to ", names(message.to)), el("span", { class: "push" }), when(message.at, clock)),
      message.subject && el("h3", { dir: "auto", text: safe(message.subject) }),
      message.redacted ? el("p", { class: "faint", text: "(redacted)" }) : message.body && prose(message.body),
      beside(message),
      message.undelivered.map((each) => el("p", { class: "lost", text: `Not delivered: ${safe(each.address)}, ${safe(each.why)}` })),
      links(message, all),
      el("footer", {}, message.deliveries.map((each) => el("span", { class: "delivery" }, el("span", { class: "faint small", text: short(each.recipient) }), ladder(each))), el("span", { class: "push" }), deeds(message, again)),
      spoken(message)));
}

export async function thread(id, { sequence: drawn }) {
  let told = await ask(`/api/messages/${id}/thread`);
  let flow = drawn;
  const body = el("div", {});
  const head = el("div", { class: "thread-head" });
  const answer = el("div", { class: "answer" });
  const view = { title: "", thread: told.thread };

  const chat = () => told.messages.flatMap((message, place) => {
    const before = told.messages[place - 1];
    const gap = before ? seconds(before.at, Date.parse(message.at)) : 0;
    return [gap > GAP && el("li", { class: "gap" }, el("span", { text: `${duration(gap)} later` })), bubble(message, told.messages, again)];
  });

  function draw() {
    const first = told.messages[0];
    view.title = line(first);
    const voices = [...new Set(told.messages.map((message) => message.from))];
    const pressed = (on) => ({ class: "tab", "aria-pressed": String(on) });
    put(head, el("a", { class: "back", href: "/conversations", text: "← All" }), el("h2", { tabindex: "-1", dir: "auto", text: view.title }),
      el("p", { class: "faint small" }, `${told.messages.length === 1 ? "1 message" : `${told.messages.length} messages`} between `, names([...new Set([...voices, ...told.messages.flatMap((message) => message.deliveries.map((each) => each.recipient))])])),
      el("div", { class: "tabs", role: "group", "aria-label": "Shown as" }, button("Chat", async () => turn(false), pressed(!flow)), button("Sequence", async () => turn(true), pressed(flow))));
    put(body, flow ? sequence(told.messages, (other) => { turn(false); jump(other); }) : el("ol", { class: "chat plain-list" }, chat().filter(Boolean)));
  }

  function turn(next = !flow) {
    flow = next;
    remember({ view: flow ? "sequence" : "" });
    draw();
  }

  // The last message of another agent is what a person most likely answers.
  const target = () => told.messages.findLast((message) => message.from !== page.about.person) ?? told.messages.at(-1);
  function field() {
    // A field that is being written in stays.
    if (answer.querySelector("textarea")?.value || answer.contains(document.activeElement)) return;
    put(answer, form({ reply: target(), done: again }));
  }

  async function again() {
    told = await ask(`/api/messages/${id}/thread`);
    draw();
    field();
    read();
  }

  // A person who has a conversation open has read the messages in it.
  const seen = new Set();
  async function read() {
    const mine = (message) => message.deliveries.some((each) => each.recipient === page.about.person && each.open && !each.read);
    for (const message of told.messages.filter((message) => mine(message) && !seen.has(message.id))) {
      if (document.hidden) return;
      seen.add(message.id);
      await say(`/api/messages/${message.id}/read`).catch(failed);
    }
  }

  draw();
  field();
  read();
  let later;
  const own = (event) => event.correlation_id === told.thread || event.data.message_id === told.thread || told.messages.some((message) => event.data.message_ids?.includes(message.id) || event.data.message_id === message.id);
  return Object.assign(view, {
    node: el("div", { class: "thread" }, head, body, answer),
    shown: () => id !== told.messages[0].id && jump(id),
    reply: () => answer.querySelector("textarea")?.focus(),
    turn: () => turn(),
    log(event) {
      if (!own(event)) return;
      clearTimeout(later);
      later = setTimeout(() => again().catch(() => {}), 150);
    },
    close: () => clearTimeout(later),
  });
}
