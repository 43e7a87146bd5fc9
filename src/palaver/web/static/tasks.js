// Moving tasks as the person: the label of each act, what it asks for, and what is reported when it is done.
import { page } from "./page.js";
import { say } from "./api.js";
import { button, note, refusal, refuse } from "./bits.js";
import { el, put, safe } from "./dom.js";

// Act → the label of the button, what is asked for (nothing: one press does it), and what is reported when it is done.
export const ACTS = {
  claim: { word: "Claim", done: "is yours" },
  ack: { word: "Start", done: "is yours" },
  approve: { word: "Approve", done: "is approved" },
  accept: { word: "Accept", done: "is done" },
  resume: { word: "Unblock", words: "Decision (sent to the holder)", optional: true, done: "is unblocked" },
  deliver: { word: "Deliver", words: "What is the result?", done: "is delivered" },
  assign: { word: "Assign to…", to: true, words: "Instructions", optional: true, done: "is assigned" },
  handoff: { word: "Hand over…", to: true, words: "Instructions", optional: true, done: "is handed over" },
  ready: { word: "Request review…", to: true, words: "What to review", optional: true, done: "is waiting for review" },
  rework: { word: "Rework", words: "What is missing?", done: "needs rework" },
  refuse: { word: "Refuse", words: "Reason", optional: true, done: "is refused" },
  block: { word: "Block", words: "What blocks it?", done: "is blocked" },
  release: { word: "Release", done: "is open again" },
  cancel: { word: "Cancel task", words: "Reason", optional: true, danger: true, done: "is cancelled" },
};
const USUAL = { open: "claim", claimed: "approve", assigned: "ack", handed: "ack", working: "deliver", rework: "ack", blocked: "resume", delivered: "accept", checking: "accept" };

export const address = (id) => `/board?task=${encodeURIComponent(id)}`;
export const taskLink = (id, fields = {}) => el("a", { class: "task", href: address(id), text: safe(id), ...fields });

const once = () => `web-${crypto.randomUUID()}`;

export async function move(task, act, more = {}, key = once()) {
  const moved = await say("/api/moves", { task, act, ...more }, key);
  note(`${safe(task)} ${ACTS[act]?.done ?? `is ${moved.task.state}`}`);
  return moved;
}

// The agents that a task can be given to, without its holder.
function people(id, without) {
  return el("datalist", { id }, (page.now?.agents ?? []).filter((card) => card.id !== without).map((card) => el("option", { value: card.id, text: safe(card.role || card.about) })));
}

export function ask(task, act, { done = () => {}, to = "" } = {}) {
  const how = ACTS[act];
  const title = `${how.word.replace("…", "")}: ${safe(task.title || task.id)}`;
  const key = once();
  const whom = el("input", { name: "to", required: true, list: "task-people", value: to, autocomplete: "off", spellcheck: "false", placeholder: "an agent" });
  const words = el("textarea", { name: "body", rows: 3, required: !how.optional });
  const wrong = el("div", {});
  const box = el("dialog", { class: "dialog", "aria-label": title });
  const press = button(how.word.replace("…", ""), submit, { class: how.danger ? "danger" : "primary" });
  async function submit() {
    try {
      await move(task.id, act, { body: words.value, ...(how.to ? { to: whom.value.split(/[,\s]+/).filter(Boolean) } : {}) }, key);
      box.close();
      done();
    } catch (fault) { refuse(form, wrong, fault); }
  }
  const form = el("form", { class: "compose", onsubmit: (event) => { event.preventDefault(); press.click(); } },
    how.to && [el("label", { class: "field" }, el("span", { text: "To" }), whom), people("task-people", task.holder)],
    how.words && el("label", { class: "field" }, el("span", { text: how.words }), words), wrong,
    el("div", { class: "buttons" }, el("span", { class: "faint small" }, "as ", el("b", { text: safe(page.about.person) }), ", ", el("kbd", { text: "Ctrl Enter" })), press));
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    press.click();
  });
  box.append(el("div", { class: "dialog-head" }, el("h2", { text: title }), el("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => box.close(), text: "✕" })), form);
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  (how.to && !to ? whom : words).focus();
}

// Buttons for the moves that are allowed now; a refusal is shown below them.
export function deeds(task, acts, done) {
  const wrong = el("div", {});
  const press = (act) => async () => {
    put(wrong);
    if (ACTS[act].to || ACTS[act].words) return ask(task, act, { done });
    try { await move(task.id, act); await done(); } catch (fault) { put(wrong, refusal(fault)); }
  };
  const first = acts[0] === USUAL[task.state] ? acts[0] : "";
  const shown = acts.filter((act) => ACTS[act]);
  return el("div", { class: "task-deeds" },
    el("div", { class: "deed-row", role: "group", "aria-label": "Actions" }, shown.map((act) => button(ACTS[act].word, press(act), { class: act === first ? "primary small" : ACTS[act].danger ? "small danger-quiet" : "small", "data-act": act }))), wrong);
}

export function fresh(done) {
  const key = once();
  const field = (words, node) => el("label", { class: "field" }, el("span", { text: words }), node);
  const title = el("input", { name: "title", required: true, maxlength: 1000 });
  const id = el("input", { name: "task", spellcheck: "false", placeholder: "generated if empty", autocomplete: "off" });
  const needs = el("input", { name: "needs", spellcheck: "false", placeholder: "ids of tasks that must be done first", autocomplete: "off" });
  const about = el("textarea", { name: "about", rows: 4 });
  const urgency = el("select", { name: "priority" }, ["0: highest", "1: high", "2: normal", "3: low", "4: lowest"].map((words, place) => el("option", { value: place, selected: place === 2, text: words })));
  const approval = el("input", { type: "checkbox", name: "approval" });
  const wrong = el("div", {});
  const box = el("dialog", { class: "dialog", "aria-label": "Open a task" });
  const press = button("Open", async () => {
    try {
      const made = await say("/api/tasks", { title: title.value, task: id.value.trim(), about: about.value, needs: needs.value.split(/[,\s]+/).filter(Boolean), priority: Number(urgency.value), approval: approval.checked }, key);
      box.close();
      note(`Opened ${safe(made.id)}`);
      done(made);
    } catch (fault) { refuse(box.querySelector("form"), wrong, fault); }
  }, { class: "primary" });
  box.append(el("div", { class: "dialog-head" }, el("h2", { text: "Open a task" }), el("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => box.close(), text: "✕" })),
    el("form", { class: "compose", onsubmit: (event) => { event.preventDefault(); press.click(); } },
      field("Title", title), el("div", { class: "pair" }, field("Id", id), field("Priority", urgency)), field("Needs", needs), field("Description", about),
      el("label", { class: "check" }, approval, " Claims need my approval"), wrong, el("div", { class: "buttons" }, el("span", { class: "faint small" }, "as ", el("b", { text: safe(page.about.person) })), press)));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  title.focus();
}
