// Times as people say them; the exact one is always there to hover over.
import { el } from "./dom.js";

const STEPS = [["y", 31536000], ["mo", 2592000], ["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1) return seconds < 0.001 ? "0 s" : `${Math.round(seconds * 1000)} ms`;
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? ["s", 1];
  const whole = seconds / size;
  return `${whole < 10 && unit !== "s" && whole % 1 >= 0.1 ? whole.toFixed(1) : Math.floor(whole)} ${unit}`;
}

export const seconds = (from, to = Date.now()) => (to - Date.parse(from)) / 1000;

export function ago(at) {
  const past = seconds(at);
  if (Number.isNaN(past)) return "";
  if (past < 5) return "now";
  const [unit, size] = STEPS.find(([, size]) => past >= size) ?? ["s", 1];
  return `${Math.floor(past / size)} ${unit} ago`;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

export function clock(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  return (date.toDateString() === new Date().toDateString() ? CLOCK : DAY).format(date);
}

// A time that stays true while the page is open.
export function when(at, how = ago) {
  const node = el("time", { datetime: at, title: at, text: how(at) });
  node.retell = () => (node.textContent = how(at));
  return node;
}

setInterval(() => {
  for (const node of document.querySelectorAll("time")) node.retell?.();
}, 15000);
