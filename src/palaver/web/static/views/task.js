// One task: what it is, who waits for whom, what can be done, and its history on a timeline.
import { page } from "../page.js";
import { ask, query } from "../api.js";
import { act, agentLink, avatar, line, short } from "../bits.js";
import { el, prose, put, safe } from "../dom.js";
import { deeds } from "../tasks.js";
import { clock, duration, seconds, when } from "../time.js";

const GAP = 1800;

const state = (word) => el("span", { class: `status ${safe(word)}`, text: safe(word || "unknown") });

function facts(task, here) {
  const others = (list) => list.map((other) => el("a", { class: "other", href: here(other.id) }, el("span", { class: "task", text: safe(other.id) }), " ", state(other.state)));
  const rows = [
    ["Holder", task.holder && [avatar(task.holder, "tiny"), " ", agentLink(task.holder), task.fence ? el("span", { class: "faint small", text: ` fence ${task.fence}` }) : null]],
    ["Owner", task.owner && agentLink(task.owner)],
    ["Assigned by", task.giver && task.giver !== task.owner && agentLink(task.giver)],
    ["Reviewer", task.checker && task.checker.split(" ").map((name, place) => [place ? ", " : "", agentLink(name)])],
    ["Reserved for", safe(task.restricted)],
    ["Needs", task.needs.length && others(task.needs)],
    ["Needed by", task.needed_by.length && others(task.needed_by)],
    ["Lease", task.lease_ends && ["ends ", el("time", { datetime: task.lease_ends, text: clock(task.lease_ends) }), " without activity"]],
    ["Result", safe(task.result)],
    ["Reason", ["blocked", "rework"].includes(task.state) && safe(task.reason)],
    ["Opened", when(task.at, clock)],
  ];
  return el("dl", { class: "beside task-facts" }, rows.filter(([, value]) => value).map(([name, value]) => el("div", {}, el("dt", { text: name }), el("dd", { dir: "auto" }, value))));
}

function waits(task) {
  return task.waits.length ? el("ul", { class: "task-waits", "aria-label": "Waits" }, task.waits.map((wait) => el("li", {}, el("b", { text: wait.waiter === page.about.person ? "You" : short(wait.waiter) || "Somebody" }), wait.waiter === page.about.person ? " are waiting for " : " is waiting for ", wait.movers.length ? wait.movers.map((name, place) => [place ? ", " : "", agentLink(name)]) : "somebody", `: ${safe(wait.wants)}, `, when(wait.at, (at) => duration(seconds(at)))))) : null;
}

// Moves and messages on one timeline; silence takes room, and an ignored move says why.
function timeline(task) {
  const moved = new Map(task.moves.filter((move) => move.message).map((move) => [move.message, move]));
  const talk = task.messages.filter((message) => !moved.has(message.id)).map((message) => ({ seq: message.seq, at: message.at, who: message.from, message }));
  const all = [...task.moves.map((move) => ({ seq: move.seq, at: move.at, who: move.actor, move })), ...talk].sort((a, b) => a.seq - b.seq);
  return el("ol", { class: "life", "aria-label": "History" }, all.flatMap((each, place) => {
    const before = all[place - 1];
    const gap = before ? seconds(before.at, Date.parse(each.at)) : 0;
    const quiet = gap > GAP ? el("li", { class: "life-gap", text: `${duration(gap)} later` }) : null;
    const words = each.move ? each.move.gist : line(each.message);
    const id = each.move ? each.move.message : each.message.id;
    const kind = each.move ? (each.move.why ? "void" : each.move.after) : "said";
    return [quiet, el("li", { class: `life-step ${safe(kind)}` }, el("span", { class: "life-dot", "aria-hidden": "true" }),
      el("div", { class: "life-text" },
        el("p", { class: "life-head" }, el("b", { text: short(each.who), title: safe(each.who) }), act(each.move ? each.move.act : each.message.act),
          each.move && !each.move.why && each.move.act !== "open" && each.move.after !== each.move.before ? el("span", { class: "faint small" }, "→ ", state(each.move.after)) : null, el("span", { class: "push" }), when(each.at, clock)),
        each.move?.why ? el("p", { class: "life-why", text: `Ignored: ${safe(each.move.why)}` }) : null,
        words ? el("p", { class: "life-words", dir: "auto" }, id ? el("a", { href: `/conversations/${id}`, text: safe(words) }) : safe(words)) : null))];
  }).filter(Boolean));
}

export async function sheet(id, { close, here }) {
  const node = el("div", { class: "panel pad detail task-sheet" });
  const view = { node, title: "" };
  async function again() {
    const task = await ask(query("/api/task", { id }));
    const held = node.contains(document.activeElement) ? document.activeElement.dataset.act : "";
    view.title = safe(task.title || task.id);
    put(node,
      el("div", { class: "dialog-head" }, el("p", { class: "task-id" }, el("span", { class: "task", text: safe(task.id) }), " ", state(task.state === "open" ? (task.ready ? "ready" : "waiting") : task.state), " ", when(task.since)), el("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: close, text: "✕" })),
      el("h2", { class: "task-title", tabindex: "-1", dir: "auto", text: view.title }),
      waits(task), deeds(task, task.acts, again), task.about ? prose(task.about) : null, facts(task, here),
      el("h3", { class: "life-title", text: "History" }), timeline(task));
    if (held) node.querySelector(`[data-act="${CSS.escape(held)}"]`)?.focus();
  }
  await again();
  view.again = again;
  view.act = () => node.querySelector(".deed-row button")?.focus();
  return view;
}
