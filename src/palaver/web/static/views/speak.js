// Write, as a page of its own: an address that can be shared, with the form filled in.
import { form } from "../compose.js";
import { go, page } from "../page.js";
import { el } from "../dom.js";

export async function open({ params }) {
  // Whoever made the address decides nothing.
  const act = params.get("act") ?? "";
  const inner = form({ to: params.get("to") ?? "", act: page.about.decisions.includes(act) ? "" : act, subject: params.get("subject") ?? "", task: params.get("task") ?? "", done: (sent) => go(`/conversations/${sent.id}`) });
  return {
    title: "Write",
    node: el("div", { class: "narrow" }, el("h1", { tabindex: "-1", text: "Write" }), el("p", { class: "faint" }, "Every message is an event under your name, proven by your key."), el("div", { class: "panel pad" }, inner)),
    shown: () => inner.first(),
  };
}
