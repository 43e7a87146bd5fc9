// Audit: every event, newest first, filtered and searched as you type; exported; verified.
import { page, remember } from "../page.js";
import { ask, query, told } from "../api.js";
import { auth, button, empty, failed, note, short } from "../bits.js";
import { el, put, safe } from "../dom.js";
import { when } from "../time.js";

const PAGE = 100;
// Rows in the page at once, so that the page stays small when you scroll to the oldest.
const MOST = 1000;
const TYPES = ["mail.*", "mail.sent", "mail.read", "mail.acknowledged", "mail.archived", "mail.withdrawn", "agent.*", "task.*", "assignment.*", "config.applied", "file.*", "log.*"];

function gist(event) {
  const data = event.data;
  if (event.event_type === "mail.sent") return `${data.act ?? "inform"} to ${(data.to ?? []).join(", ")}: ${data.subject || (data.gist ?? (data.body ?? "").split("\n")[0])}`;
  if (data.message_ids) return data.message_ids.slice(0, 3).join(", ") + (data.message_ids.length > 3 ? ` and ${data.message_ids.length - 3} more` : "");
  return Object.entries(data).filter(([, value]) => typeof value !== "object").map(([name, value]) => `${name} ${value}`).join(" · ").slice(0, 140);
}

const item = (event) => el("li", {}, el("a", { class: "event", href: `/audit/${event.seq}${location.search}`, "data-row": event.seq },
  el("span", { class: "seq", text: event.seq }), el("span", { class: `type ${event.event_type.split(".")[0]}`, text: safe(event.event_type) }),
  el("span", { class: "event-who", text: short(event.actor) }), auth(event.auth), el("span", { class: "event-text", dir: "auto", text: safe(gist(event)) }), when(event.timestamp)));

function whole(event) {
  const links = [event.data.message_id, ...(event.data.message_ids ?? [])].filter((id) => /^msg-\w+$/.test(id ?? "")).slice(0, 5);
  return el("div", { class: "panel pad detail" },
    el("div", { class: "dialog-head" }, el("h2", { text: `Event ${event.seq}` }), el("a", { class: "button quiet", href: "/audit" + location.search, "aria-label": "Close", text: "✕" })),
    el("p", {}, el("span", { class: `type ${event.event_type.split(".")[0]}`, text: safe(event.event_type) }), " by ", el("b", { text: safe(event.actor) }), " ", auth(event.auth), " ", when(event.timestamp)),
    event.caused_by && el("p", { class: "small" }, "Caused by ", el("a", { href: `/audit/${event.caused_by}`, text: safe(event.caused_by) })),
    links.map((id) => el("p", { class: "small" }, el("a", { href: `/conversations/${id}`, text: `Conversation of ${id}` }))),
    el("pre", { class: "raw", tabindex: "0", text: safe(JSON.stringify(event, null, 2)) }));
}

// Verify, with its progress and its verdict.
function verifying() {
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of verify" });
  const words = el("p", { role: "status", class: "small" });
  const faults = el("ul", { class: "faults" });
  const box = el("div", { class: "panel pad verify", hidden: true }, bar, words, faults);
  box.run = async () => {
    box.hidden = false;
    box.className = "panel pad verify";
    bar.hidden = false;
    put(faults);
    words.textContent = "Checking every line and every link…";
    const answer = await ask("/api/verify", { method: "POST", body: {}, raw: true });
    for await (const frame of told(answer)) {
      const value = JSON.parse(frame.data || "{}");
      if (frame.event === "progress") {
        bar.max = value.total || 1;
        bar.value = value.bytes;
      } else if (frame.event === "verdict") {
        bar.hidden = true;
        box.classList.add(value.ok ? "good" : "bad");
        const extra = [value.sealed && `${value.sealed} torn tails sealed`, value.redacted.length && `${value.redacted.length} redacted`, value.sync_failures && `${value.sync_failures} failed syncs`].filter(Boolean).join(", ");
        words.textContent = value.ok ? `Good: ${value.events.toLocaleString()} events in ${value.segments} segments, all intact. Head ${value.head}${extra ? ` (${extra})` : ""}.` : `Bad: ${value.faults.length} faults in ${value.events.toLocaleString()} events.`;
        put(faults, value.faults.slice(0, 50).map((fault) => el("li", { text: `${fault.file}:${fault.line}: ${safe(fault.what)}` })));
      } else if (frame.event === "refused") throw new Error(value.error.what);
    }
  };
  return box;
}

export async function open({ word, params }) {
  const words = el("input", { type: "search", placeholder: "Words in any event", "aria-label": "Words in any event", value: params.get("words") ?? "" });
  const type = el("select", { "aria-label": "Type" }, el("option", { value: "", text: "All types" }), TYPES.map((name) => el("option", { value: name, selected: params.get("type") === name, text: name })));
  const actor = el("input", { list: "actors", placeholder: "Any agent", "aria-label": "Agent", value: params.get("actor") ?? "", spellcheck: "false" });
  const list = el("ol", { class: "events plain-list", "aria-label": "Events, newest first" });
  const foot = el("div", { class: "more" });
  const aside = el("div", { class: "detail-place" });
  const verify = verifying();
  const filter = () => ({ type: type.value, actor: actor.value.trim(), words: words.value.trim() });
  let older = 0;
  let top = !params.get("before");
  let asked = 0;
  let busy = false;

  async function load(before = 0, { fresh = false } = {}) {
    const mine = ++asked;
    let from = before;
    let found = 0;
    busy = true;
    if (fresh) list.replaceChildren();
    // A page that looked at its share and found little says where to go on: go on, until there is something.
    do {
      const answer = await ask(query("/api/events", { ...filter(), before: from, limit: PAGE }));
      if (mine !== asked) return;
      list.append(...answer.events.map(item));
      found += answer.events.length;
      older = from = answer.older;
      if (older && found < 20) put(foot, el("p", { class: "faint small", text: `Looking, back to event ${older}…` }));
    } while (older && found < 20);
    // What leaves at the top must not move what is being read.
    let left = 0;
    while (list.children.length > MOST) {
      left += list.firstElementChild.offsetHeight;
      list.firstElementChild.remove();
      top = false;
    }
    if (left) scrollBy(0, -left);
    busy = false;
    put(foot, !top && button("Newest", async () => { top = true; remember({ before: "" }); await load(0, { fresh: true }); scrollTo(0, 0); }, { class: "quiet" }),
      older ? button("Older", () => load(older), { class: "quiet" }) : el("p", { class: "faint small", text: list.children.length ? "Start of the log." : "" }));
    if (!list.children.length) put(list, el("li", {}, empty("No matching events", "Remove a filter, or try fewer words.")));
  }

  async function search() {
    top = true;
    remember({ ...filter(), before: "" });
    const mine = ++asked;
    await new Promise((done) => setTimeout(done, 150));
    if (mine === asked) await load(0, { fresh: true });
  }

  async function choose(id) {
    put(aside, id ? whole(await ask(`/api/events/${id}`)) : null);
    grid.classList.toggle("chosen", Boolean(id));
    for (const link of list.querySelectorAll(".event")) link.dataset.row === id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
  }

  async function save() {
    const answer = await ask(query("/api/export", { type: type.value, actor: actor.value.trim() }), { raw: true });
    const link = el("a", { href: URL.createObjectURL(await answer.blob()), download: "events.jsonl" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    note("Exported as CloudEvents, one per line");
  }

  for (const node of [words, actor]) node.addEventListener("input", () => search().catch(failed));
  type.addEventListener("change", () => search().catch(failed));
  const grid = el("div", { class: "audit-grid" }, el("div", {}, el("div", { class: "panel scroll" }, list), foot), aside);
  const scrolled = () => older && !busy && innerHeight + scrollY > document.body.scrollHeight - 600 && load(older).catch(failed);
  addEventListener("scroll", scrolled, { passive: true });
  await load(Number(params.get("before")) || 0, { fresh: true });
  await choose(word);
  if (params.get("verify")) { remember({ verify: "" }); verify.run().catch(failed); }
  return {
    title: word ? `Event ${word}` : "Audit",
    node: el("div", {},
      el("div", { class: "view-head" }, el("h1", { tabindex: "-1", text: "Audit" }), el("div", { class: "buttons" }, el("a", { class: "button", href: "/files", text: "Files" }), el("a", { class: "button", href: "/quarantine", text: "Quarantine" }), button("Export", save), button("Verify the log", () => verify.run(), { class: "primary" }))),
      verify, el("div", { class: "filters", role: "search" }, words, type, actor, el("datalist", { id: "actors" }, page.now.agents.map((card) => el("option", { value: card.id })))), grid),
    move(next, now) {
      // Another filter in the address is another list.
      if (Object.entries(filter()).some(([name, value]) => (now.get(name) ?? "") !== value) || now.get("verify")) return false;
      choose(next).catch(failed);
      return true;
    },
    log(event) {
      const { type: wanted, actor: who, words: said } = filter();
      const family = wanted.endsWith("*") ? event.event_type.startsWith(wanted.slice(0, -1)) : event.event_type === wanted;
      if (!top || said || (wanted && !family) || (who && event.actor !== who.toLowerCase())) return;
      list.querySelector(".empty")?.closest("li").remove();
      const fresh = item(event);
      fresh.classList.add("fresh");
      list.prepend(fresh);
      while (list.children.length > MOST) list.lastElementChild.remove();
    },
    close: () => removeEventListener("scroll", scrolled),
  };
}
