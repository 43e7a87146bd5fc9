// A conversation as a sequence: agents are columns, messages are arrows, and silence takes room.
import { FAMILY, line, short } from "../bits.js";
import { el, safe, svg } from "../dom.js";
import { clock, duration, seconds } from "../time.js";

const COLUMN = 168;
const ROW = 54;
const HEAD = 46;
const LEFT = 96;
const GAP = 60;

// Room for a silence: none for a minute, a little for an hour, more for days.
const room = (gap) => (gap > GAP ? Math.min(56, 14 + 10 * Math.log10(gap / GAP)) : 0);

export function sequence(messages, chosen) {
  const columns = [...new Set(messages.flatMap((message) => [message.from, ...message.deliveries.map((each) => each.recipient), ...message.undelivered.map((each) => each.address)]))];
  const x = (name) => LEFT + columns.indexOf(name) * COLUMN + COLUMN / 2 - 20;
  const width = LEFT + columns.length * COLUMN;
  let y = HEAD + 26;
  const arrows = [];
  const gaps = [];
  messages.forEach((message, place) => {
    const gap = place ? seconds(messages[place - 1].at, Date.parse(message.at)) : 0;
    if (room(gap)) {
      gaps.push(svg("g", { class: "seq-gap" }, svg("line", { x1: LEFT - 10, x2: width - 20, y1: y - 26 + room(gap) / 2, y2: y - 26 + room(gap) / 2 }), svg("text", { x: LEFT - 16, y: y - 22 + room(gap) / 2, "text-anchor": "end" }, duration(gap))));
      y += room(gap);
    }
    arrows.push(arrow(message, y));
    y += ROW;
  });
  const height = y;

  function arrow(message, at) {
    const lost = message.undelivered.map((each) => each.address);
    const to = [...message.deliveries.map((each) => each.recipient), ...lost];
    const from = x(message.from);
    const ends = to.map((name) => [x(name), lost.includes(name), name === message.from]);
    const far = ends.map(([end]) => end).sort((a, b) => Math.abs(b - from) - Math.abs(a - from))[0] ?? from;
    const start = Math.min(from, far);
    const words = line(message);
    const fits = Math.max(16, Math.floor((Math.abs(far - from) || COLUMN) / 7.2));
    const text = words.length > fits ? `${words.slice(0, fits - 1)}…` : words;
    const name = `${safe(message.from)} to ${to.map(safe).join(", ")}: ${safe(message.act)}, ${words}`;
    return svg("a", { class: `seq-arrow ${FAMILY[message.act] ?? "plain"}`, href: `/conversations/${message.id}`, "aria-label": name, onclick: (event) => { event.preventDefault(); event.stopPropagation(); chosen(message.id); } },
      svg("title", {}, `${name} (${message.at})`),
      svg("rect", { class: "seq-hit", x: start - 6, y: at - 22, width: Math.abs(far - from) + 12 || COLUMN, height: ROW - 12, rx: 5 }),
      svg("text", { class: "seq-time", x: 4, y: at + 4 }, clock(message.at)),
      svg("text", { class: "seq-words", x: (from + far) / 2 + (from === far ? 60 : 0), y: at - 8, "text-anchor": "middle" }, svg("tspan", { class: "seq-act" }, safe(message.act)), `  ${text}`),
      ends.map(([end, gone, self]) => self
        ? svg("path", { class: "seq-line", d: `M${from} ${at} h30 v16 h-24` })
        : svg("g", { class: gone ? "gone" : "" }, svg("line", { class: "seq-line", x1: from, y1: at, x2: end, y2: at, "stroke-dasharray": message.reply_to ? "5 3" : null }), svg("path", { class: "seq-head", d: end > from ? `M${end - 8} ${at - 4} L${end} ${at} L${end - 8} ${at + 4}z` : `M${end + 8} ${at - 4} L${end} ${at} L${end + 8} ${at + 4}z` }))),
      svg("circle", { class: "seq-dot", cx: from, cy: at, r: 3.5 }));
  }

  const lives = columns.map((name) => svg("g", { class: "seq-column" }, svg("line", { x1: x(name), x2: x(name), y1: HEAD, y2: height }), svg("rect", { x: x(name) - 66, y: 8, width: 132, height: 28, rx: 8 }), svg("text", { x: x(name), y: 27, "text-anchor": "middle" }, short(name).slice(0, 18))));
  return el("div", { class: "sequence", tabindex: "0", role: "region", "aria-label": "Sequence diagram; the chat says the same in words" },
    svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": `${messages.length} messages between ${columns.length} agents` }, lives, gaps, arrows));
}
