// Agents: all of them, and a page for each: its work, its mail with every stage, how fast it answers, and actions.
import { go, page } from "../page.js";
import { ask, query, say } from "../api.js";
import { act, avatar, button, empty, ladder, line, note, row, short } from "../bits.js";
import { compose, confirmed } from "../compose.js";
import { el, put, safe } from "../dom.js";
import { address } from "../tasks.js";
import { duration, when } from "../time.js";

const fact = (words, value, more) => el("div", { class: "fact" }, el("dt", { text: words }), el("dd", {}, value), more ? el("dd", { class: "faint small" }, more) : null);

function adding() {
  const field = el("input", { name: "agent", required: true, spellcheck: "false", placeholder: "bob, or team/role/bob", "aria-label": "Name of the agent" });
  const role = el("input", { name: "role", spellcheck: "false", placeholder: "role", "aria-label": "Role" });
  return el("form", { class: "inline", onsubmit: async (event) => {
    event.preventDefault();
    try {
      const added = await say("/api/agents", { agent: field.value.trim(), role: role.value.trim() });
      note(`Added ${safe(added.id)}`);
      go(`/agents/${encodeURI(added.id)}`);
    } catch (fault) { note([fault.message, fault.wayOut].filter(Boolean).join("; "), "bad"); }
  } }, field, role, el("button", { class: "primary", text: "Add" }));
}

export async function openAll() {
  const told = await ask("/api/agents");
  const cards = () => new Map(page.now.agents.map((card) => [card.id, card]));
  const body = el("tbody");
  function draw() {
    const known = cards();
    put(body, told.agents.map((agent) => {
      const card = known.get(agent.id);
      return el("tr", { class: agent.retired ? "retired" : "" },
        el("th", { scope: "row" }, el("a", { class: "cell-link", href: `/agents/${encodeURI(agent.id)}`, "data-row": agent.id }, avatar(agent.id), el("span", {}, el("b", { text: safe(agent.id) }), el("span", { class: "faint small block", text: safe(agent.about) })))),
        el("td", { class: "name", text: safe(agent.role) || "–" }),
        el("td", {}, agent.retired ? el("span", { class: "faint", text: "retired" }) : card ? el("span", { class: card.unread ? "badge" : "faint", text: card.unread ? `${card.unread}${card.many ? "+" : ""}` : "0" }) : "–"),
        el("td", { class: "number", text: String(card?.sent ?? agent.sent) }),
        el("td", { class: "wide-only" }, card?.last ? [act(card.last.act), " ", el("span", { class: "faint", text: line(card.last) })] : "–"),
        el("td", {}, agent.sent ? when(card?.last_at ?? agent.last_at) : "–"));
    }));
  }
  draw();
  return {
    title: "Agents",
    node: el("div", {}, el("div", { class: "view-head" }, el("h1", { tabindex: "-1", text: "Agents" }), adding()),
      told.agents.length ? el("div", { class: "panel scroll" }, el("table", { class: "table" }, el("thead", {}, el("tr", {}, ["Agent", "Role", "Unread", "Sent"].map((word) => el("th", { scope: "col", text: word })), el("th", { scope: "col", class: "wide-only", text: "Last message" }), el("th", { scope: "col", text: "Last active" }))), body)) : empty("No agents yet", "Add one above, or: palaver agents add bob")),
    now: draw,
  };
}

// Its work: its assignment, and the tasks that it holds.
function work(card) {
  if (!card?.holds?.length && !card?.assignment) return null;
  const given = card.assignment;
  return el("section", { class: "panel", "aria-labelledby": "work-title" },
    el("div", { class: "panel-head" }, el("h2", { id: "work-title", text: "Work" }), el("a", { class: "small", href: `/board?who=${encodeURIComponent(card.id)}`, text: "On the board" })),
    el("ul", { class: "plain-list" },
      given ? el("li", {}, el("a", { class: "held", href: given.ref_type === "mail" ? `/conversations/${encodeURI(given.ref_id)}` : address(given.ref_id) }, el("span", { class: "status assigned", text: "assignment" }), el("b", { dir: "auto", text: safe(given.ref_id) }), el("span", { class: "faint small", text: `by ${short(given.assigned_by)}` }), when(given.assigned_at))) : null,
      card.holds.map((task) => el("li", {}, el("a", { class: "held", href: address(task.id), "data-row": task.id }, el("span", { class: `status ${safe(task.state)}`, text: safe(task.state) }), el("b", { dir: "auto", text: safe(task.title || task.id) }), el("span", { class: "task", text: safe(task.id) }), when(task.since))))));
}

// Its runs: state, start, and the end of the output of each; what was unfolded stays unfolded.
function runs(told, folds) {
  if (!told.runs?.length) return null;
  const how = (run) => [run.state, run.exit != null && !["running", "idle"].includes(run.state) ? `exit ${run.exit}` : "", run.signal ? `signal ${run.signal}` : ""].filter(Boolean).join(", ");
  return el("section", { class: "panel", "aria-labelledby": "runs-title" },
    el("div", { class: "panel-head" }, el("h2", { id: "runs-title", text: "Runs" }), el("span", { class: "faint small", text: "palaver runs" })),
    el("ul", { class: "plain-list" }, told.runs.map((run, place) => el("li", { class: "run" },
      el("details", { "data-name": `${run.run} ${run.started_at}`, open: folds.get(`${run.run} ${run.started_at}`) ?? (place === 0 && ["running", "idle", "frozen"].includes(run.state)) },
        el("summary", {}, el("b", { text: safe(run.run) }), " ", el("span", { class: `status ${safe(run.state)}`, text: how(run) }), " ", el("span", { class: "faint small", dir: "auto", text: safe(run.command) }), " ", when(run.started_at)),
        el("pre", { class: "raw", tabindex: "0", "aria-label": `Output of ${safe(run.run)}`, text: run.output ? safe(run.output) : "No output yet." }))))));
}

const teams = (card) => (card?.homes ?? []).map((home) => el("span", { class: "dialect", title: `registered in ${safe(home.mount)}`, text: home.dialect === home.mount ? safe(home.dialect) : `${safe(home.dialect)}: ${safe(home.mount)}` }));

export async function openOne({ word, params }) {
  const name = word;
  const scope = params.get("scope") ?? "open";
  let told = await ask(query(`/api/agents/${encodeURI(name)}`, { scope, limit: 100 }));
  const node = el("div", {});
  const me = name === page.about.person;

  function deeds(card) {
    const paused = card?.autonomy === "gated";
    const steer = async () => compose({ to: name, act: "autonomy", meta: { agent: name, level: paused ? "supervised" : "gated" }, body: paused ? "supervised: continue as before" : "gated: wait for my approval before you act", title: `${paused ? "Resume" : "Pause"}: ${short(name)}` });
    const nudge = async () => { await say("/api/messages", { to: [name], act: "nudge" }); note(`Nudged ${short(name)}`); };
    const retire = async () => {
      if (!(await confirmed(`Retire ${safe(name)}?`, "Mail to it will be undeliverable. Its messages are kept, and you can restore it.", "Retire"))) return;
      await say(`/api/agents/${encodeURI(name)}/retire`, {});
      note(`${safe(name)} is retired`);
      await again();
    };
    if (me) return button("Write", async () => compose({}), { class: "primary" });
    if (!card) return button("Restore", async () => { await say("/api/agents", { agent: name }); await again(); }, { class: "primary" });
    return [button("Write", async () => compose({ to: name }), { class: "primary" }), button("Nudge", nudge), button("Hand over", async () => compose({ to: name, act: "handoff", title: `Hand over to ${short(name)}` })), button(paused ? "Resume" : "Pause", steer), button("Retire", retire, { class: "danger-quiet" })];
  }

  const speed = (spread) => (spread ? [duration(spread.median), `median of ${spread.count}`] : ["–", "no data"]);

  function mail(message) {
    const delivery = message.delivery;
    return el("li", {}, row({ ...message, gist: message.body.split("\n")[0] }, { unread: delivery.open && !delivery.read, extra: ladder(delivery) }));
  }

  function draw() {
    const card = told.card;
    const tab = (value, words) => el("a", { class: "tab", href: `/agents/${encodeURI(name)}?scope=${value}`, "aria-current": value === scope ? "page" : null, text: words });
    const folds = new Map([...node.querySelectorAll(".run details")].map((each) => [each.dataset.name, each.open]));
    put(node,
      el("a", { class: "back always", href: "/agents", text: "← All agents" }),
      el("div", { class: "agent-head" }, avatar(name, "huge"), el("div", {}, el("h1", { tabindex: "-1", text: safe(name) }), el("p", { class: "faint" }, [safe(card?.role), safe(card?.about), card ? "" : "retired", me ? "this is you" : ""].filter(Boolean).join(" · ") || "agent", card?.handle ? ` · @${safe(card.handle)}` : "", " ", teams(card))), el("div", { class: "agent-deeds" }, deeds(card))),
      el("dl", { class: "facts" },
        fact("Unread", String(told.unread), `${told.open} open`),
        fact("Sent", String(card?.sent ?? "–"), card?.sent ? ["last ", when(card.last_at)] : "no messages yet"),
        fact("Reads after", ...speed(told.sent_to_read)),
        fact("Answers after", ...speed(told.read_to_answered)),
        fact("Since", card ? when(card.since) : "–"),
        fact("Hooks", told.hooks.length ? "git" : "none", told.hooks.join(", ") || "palaver install git")),
      work(card),
      runs(told, folds),
      el("section", { class: "panel", "aria-labelledby": "mail-title" },
        el("div", { class: "panel-head" }, el("h2", { id: "mail-title", text: "Mail" }), el("nav", { class: "tabs", "aria-label": "Which mail" }, tab("open", "Open"), tab("unread", "Unread"), tab("all", "All"))),
        told.messages.length ? el("ul", { class: "plain-list" }, told.messages.map(mail)) : el("p", { class: "calm", text: scope === "all" ? "No mail yet." : "No mail in this list." })),
      card?.last ? el("section", { class: "panel", "aria-labelledby": "last-title" }, el("div", { class: "panel-head" }, el("h2", { id: "last-title", text: "Last message" }), el("a", { class: "small", href: `/audit?actor=${encodeURIComponent(name)}`, text: "All events" })), row(card.last)) : null);
  }

  async function again() {
    told = await ask(query(`/api/agents/${encodeURI(name)}`, { scope, limit: 100 }));
    draw();
  }

  draw();
  let later;
  return {
    title: short(name),
    node,
    now() { clearTimeout(later); later = setTimeout(() => again().catch(() => {}), 200); },
    reply: () => compose({ to: name }),
    close: () => clearTimeout(later),
  };
}
