// Insights: statistics of the newest messages, as charts and as tables.
import { ask } from "../api.js";
import { agentLink, empty, failed } from "../bits.js";
import { isDark } from "../page.js";
import { el, put, safe } from "../dom.js";
import { clock, duration } from "../time.js";

// A chart is an image: nothing in it can run or fetch. The same figures stand below it as a table.
function figure(name, title, words, table, nothing = "") {
  if (nothing) return Object.assign(el("figure", { class: "panel figure" }, el("figcaption", {}, el("h2", { text: title }), el("p", { class: "faint small", text: words })), el("p", { class: "calm", text: nothing })), { draw: async () => {}, close: () => {} });
  const image = el("img", { class: "chart", alt: `${title}. The figures are in the table below.`, width: 620, height: 230 });
  const node = el("figure", { class: "panel figure" }, el("figcaption", {}, el("h2", { text: title }), el("p", { class: "faint small", text: words })), image, el("details", { class: "fold", "data-name": name }, el("summary", { text: "As a table" }), el("div", { class: "scroll" }, table)));
  node.draw = async () => {
    const answer = await ask(`/api/charts/${name}?theme=${isDark() ? "dark" : "light"}`, { raw: true });
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type: "image/svg+xml" }));
  };
  node.close = () => URL.revokeObjectURL(image.src);
  return node;
}

const head = (words) => el("thead", {}, el("tr", {}, words.map((word) => el("th", { scope: "col", text: word }))));

function overTime(told, rows) {
  return el("table", { class: "table small" }, head(["From", ...rows.map((row) => safe(row.name))]),
    el("tbody", {}, told.columns.map((column, place) => el("tr", {}, el("th", { scope: "row", text: clock(column) }), rows.map((row) => el("td", { class: "number", text: String(row.counts[place]) }))))));
}

function waits(told, spread) {
  return el("div", {}, el("table", { class: "table small" }, head(["Within", "Messages"]), el("tbody", {}, told.waits.map((words, place) => el("tr", {}, el("th", { scope: "row", text: words }), el("td", { class: "number", text: String(spread.counts[place]) }))))),
    el("table", { class: "table small" }, head(["Agent", "Median", "Count"]), el("tbody", {}, spread.agents.map((row) => el("tr", {}, el("th", { scope: "row" }, agentLink(row.agent)), el("td", { text: duration(row.median) }), el("td", { class: "number", text: String(row.count) }))))));
}

const plain = (words, rows) => el("table", { class: "table small" }, head(words), el("tbody", {}, rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row", text: first }), rest.map((value) => el("td", { class: "number", text: value }))))));

const none = (spread, words) => (spread.counts.some(Boolean) ? "" : words);

const within = (spread) => (spread.counts.some(Boolean) ? `p90 ${duration(spread.p90)}` : "no data");

const fact = (words, value, more) => el("div", { class: "fact" }, el("dt", { text: words }), el("dd", { text: value }), el("dd", { class: "faint small", text: more }));

export async function open() {
  const node = el("div", {});
  let figures = [];
  async function load() {
    const told = await ask("/api/insights");
    for (const each of figures) each.close();
    if (!told.messages) return put(node, el("h1", { tabindex: "-1", text: "Insights" }), empty("No data yet", "Charts appear with the first messages. Press w to write one."));
    figures = [
      figure("messages-by-agent", "Messages over time, by agent", "Who sends messages, and when.", overTime(told, told.by_agent)),
      figure("messages-by-act", "Messages over time, by act", "Which acts the messages have.", overTime(told, told.by_act)),
      figure("sent-to-read", "From sent to read", "Time until a message is read.", waits(told, told.sent_to_read), none(told.sent_to_read, "No message has been read yet.")),
      figure("read-to-answered", "From read to answered", "Time from reading to answering.", waits(told, told.read_to_answered), none(told.read_to_answered, "No message has been answered yet.")),
      ...(told.in_state.some((row) => row.count) ? [
        figure("time-in-state", "Time in each state", "How long tasks stay in each state, in hours.", plain(["State", "Median", "p90", "Count"], told.in_state.map((row) => [row.state, duration(row.median), duration(row.p90), String(row.count)]))),
        figure("claim-to-approval", "From claim to approval", "How long claims wait for approval.", waits(told, told.claim_to_approval), none(told.claim_to_approval, "No claim has needed approval yet.")),
        figure("reworks-and-nudges", "Reworks and nudges", "Whose work was returned, and who was nudged.", plain(["Agent", "Reworks", "Nudges"], told.again.map((row) => [safe(row.agent), String(row.reworks), String(row.nudges)])), told.again.length ? "" : "None yet."),
      ] : []),
      ...(told.given.chars ? [
        figure("given-text", "Text given to agents", "Characters of mail, and of the prompts of their programs. About four make a token.", plain(["Agent", "Mail", "Prompts"], told.given.agents.map((row) => [safe(row.agent), row.mail.toLocaleString(), row.prompt.toLocaleString()]))),
      ] : []),
    ];
    // A table that is open stays open while its figures change.
    const unfolded = [...node.querySelectorAll("details[open]")].map((each) => each.dataset.name);
    const held = document.activeElement?.closest("details")?.dataset.name;
    put(node, el("h1", { tabindex: "-1", text: "Insights" }),
      el("dl", { class: "facts" },
        fact("Messages", told.messages.toLocaleString(), told.newest_only ? "the newest ones" : "all"),
        fact("Sent to read", duration(told.sent_to_read.median), within(told.sent_to_read)),
        fact("Read to answered", duration(told.read_to_answered.median), within(told.read_to_answered)),
        fact("Text given to agents", told.given.chars.toLocaleString(), `characters in ${told.given.times.toLocaleString()} ${told.given.times === 1 ? "text" : "texts"}`),
        fact("Most messages", safe(told.by_agent[0]?.name ?? "–"), `${told.by_agent[0]?.total ?? 0} ${told.by_agent[0]?.total === 1 ? "message" : "messages"}`)),
      el("div", { class: "figures" }, figures));
    for (const each of node.querySelectorAll("details")) {
      each.open = unfolded.includes(each.dataset.name);
      if (each.dataset.name === held) each.querySelector("summary").focus();
    }
    await Promise.all(figures.map((each) => each.draw()));
  }
  await load();
  let later;
  return {
    title: "Insights",
    node,
    log(event) { if (event.event_type.startsWith("mail.") && !later) later = setTimeout(() => { later = 0; load().catch(failed); }, 5000); },
    themed: () => Promise.all(figures.map((each) => each.draw())).catch(failed),
    close() { clearTimeout(later); for (const each of figures) each.close(); },
  };
}
