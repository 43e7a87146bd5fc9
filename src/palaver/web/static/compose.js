// Writing as the person: a form that sends, answers, approves, hands over, pauses.
import { page } from "./page.js";
import { say } from "./api.js";
import { button, note, refuse } from "./bits.js";
import { el, put, safe } from "./dom.js";

const key = () => `web-${crypto.randomUUID()}`;

// The form itself. `reply` is the message that is answered; then it goes to its sender, in its thread.
export function form({ to = "", act = "", subject = "", body = "", reply = null, task = "", meta = null, done = () => {} }) {
  const about = page.about;
  // A decision is never preselected: a question must not go out as an acceptance.
  const wanted = reply ? about.wanted[reply.act] : "inform";
  const chosen = act || (wanted && !about.decisions.includes(wanted) ? wanted : "answer");
  const named = (id) => `${id}-${Math.random().toString(36).slice(2, 8)}`;
  const field = (words, node) => {
    node.id = named("field");
    return el("label", { class: "field", for: node.id }, el("span", { text: words }), node);
  };
  const people = el("datalist", { id: named("people") }, (page.now?.agents ?? []).map((card) => el("option", { value: card.id, text: safe(card.about || card.role) })), el("option", { value: "@all", text: "everyone" }));
  const whom = el("input", { name: "to", required: true, list: people.id, value: to, autocomplete: "off", spellcheck: "false", placeholder: "agent, role, list or @all; separate several with commas" });
  const which = el("select", { name: "act" }, Object.entries(about.acts).map(([name, words]) => el("option", { value: name, selected: name === chosen, text: `${name}: ${words}` })));
  const urgency = el("select", { name: "priority" }, about.priorities.map((name) => el("option", { value: name, selected: name === "normal", text: name })));
  const title = el("input", { name: "subject", value: subject, maxlength: 1000 });
  const about_task = el("input", { name: "task", value: task, spellcheck: "false" });
  const words = el("textarea", { name: "body", rows: reply ? 3 : 7, placeholder: reply ? `Answer ${safe(reply.from)}…` : "Write a message", "aria-keyshortcuts": "Control+Enter" });
  words.value = body;
  // One key for each form: pressing twice, or again after a lost answer, sends once.
  let once = key();
  const wrong = el("div", {});
  const send = button(reply ? "Answer" : "Send", submit, { class: "primary" });

  async function submit() {
    const said = { act: which.value, body: words.value };
    if (!reply) Object.assign(said, { to: whom.value.split(/[,\s]+/).filter(Boolean), subject: title.value, priority: urgency.value, task: about_task.value, ...(meta ? { meta } : {}) });
    put(wrong);
    let sent;
    try { sent = await say(reply ? `/api/messages/${reply.id}/reply` : "/api/messages", said, once); } catch (fault) { return refuse(node, wrong, fault); }
    once = key();
    words.value = "";
    const lost = sent.undeliverable ?? [];
    if (lost.length) note(`Not delivered: ${lost.map((each) => `${each.address} (${each.why}${each.nearest.length ? `; did you mean ${each.nearest.join(" or ")}?` : ""})`).join(", ")}`, "bad");
    else note(reply ? `Answered ${safe(reply.from)}` : `Sent to ${sent.to.map(safe).join(", ")}`);
    done(sent);
  }

  const node = el("form", { class: "compose", onsubmit: (event) => { event.preventDefault(); send.click(); } },
    !reply && [field("To", whom), people],
    el("div", { class: "pair" }, field("Act", which), !reply && field("Priority", urgency)),
    !reply && el("div", { class: "pair" }, field("Subject", title), field("Task", about_task)),
    field("Message", words), wrong,
    el("div", { class: "buttons" }, el("span", { class: "faint small" }, "as ", el("b", { text: safe(about.person) }), ", ", el("kbd", { text: "Ctrl Enter" })), send));
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send.click();
    }
  });
  node.first = () => (reply || to ? words : whom).focus();
  return node;
}

export function compose(fields) {
  const title = fields.title ?? (fields.reply ? `Answer ${safe(fields.reply.from)}` : "Write");
  const box = el("dialog", { class: "dialog", "aria-label": title });
  const inner = form({ ...fields, done: (sent) => { box.close(); fields.done?.(sent); } });
  box.append(el("div", { class: "dialog-head" }, el("h2", { text: title }), el("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => box.close(), text: "✕" })), inner);
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  inner.first();
}

// Ask for confirmation before something that cannot be undone.
export function confirmed(title, words, doing) {
  return new Promise((done) => {
    const box = el("dialog", { class: "dialog", "aria-label": title }, el("h2", { text: title }), el("p", { text: words }),
      el("form", { method: "dialog", class: "buttons" }, el("button", { value: "no", text: "Cancel" }), el("button", { value: "yes", class: "danger", text: doing })));
    box.addEventListener("close", () => { box.remove(); done(box.returnValue === "yes"); });
    document.body.append(box);
    box.showModal();
  });
}
