// Quarantine: bytes that could not be parsed, shown safely, with the reason and the fix.
import { go } from "../page.js";
import { ask, say } from "../api.js";
import { button, empty, note } from "../bits.js";
import { el, put, safe } from "../dom.js";
import { when } from "../time.js";

const FIX = {
  file: "Fix the line in its file, or the settings of its mount, then retry. Until then the bytes are kept unchanged, and nothing else is affected.",
  damaged: "A line of the log is corrupted. Restore the segment from a snapshot, then retry; palaver verify names the place.",
  sealed: "Nothing to do: a writer was interrupted before its write was acknowledged.",
  unsynced: "The disk failed to sync what was written there. Check the disk; the sender was told, and may send it again.",
};

// Sixteen bytes a row: the offset, the bytes, and those that print. Only ever as text.
function dump(hex, offset) {
  const rows = [];
  for (let at = 0; at < hex.length; at += 32) {
    const bytes = hex.slice(at, at + 32).match(/../g);
    const shown = bytes.map((byte) => { const code = parseInt(byte, 16); return code >= 32 && code < 127 ? String.fromCharCode(code) : "·"; }).join("");
    rows.push(`${(offset + at / 2).toString(16).padStart(8, "0")}  ${bytes.join(" ").padEnd(47)}  ${shown}`);
  }
  return rows.join("\n");
}

export async function open({ word }) {
  const list = el("ul", { class: "plain-list" });
  const aside = el("div", { class: "detail-place" });
  const grid = el("div", { class: "audit-grid" }, el("div", { class: "panel" }, list), aside);

  async function load() {
    const told = await ask("/api/quarantine");
    put(list, told.items.length ? told.items.map((item) => el("li", {}, el("a", { class: `event held ${item.released ? "" : "open"}`, href: `/quarantine/${encodeURI(item.id)}`, "data-row": item.id },
      el("span", { class: `type ${item.released ? "" : "trouble"}`, text: item.released ? "released" : safe(item.kind) }), el("span", { class: "event-text", text: `${safe(item.file)} · ${safe(item.reason)}` }), el("span", { class: "faint small", text: `${item.length} bytes` }), item.at ? when(item.at) : null)))
      : el("li", {}, empty("The quarantine is empty", "Bytes that cannot be parsed are kept here unchanged, with the reason.")));
  }

  async function choose(id) {
    grid.classList.toggle("chosen", Boolean(id));
    if (!id) return put(aside);
    const item = await ask(`/api/quarantine/${encodeURI(id)}`);
    const again = async () => {
      const { understood } = await say(`/api/quarantine/${encodeURI(id)}/retry`);
      note(understood ? "Parsed" : "Still cannot be parsed; it stays here unchanged", understood ? "good" : "bad");
      // Nothing has changed if it still cannot be parsed.
      if (understood) await Promise.all([load(), choose(id)]);
    };
    return put(aside, el("div", { class: "panel pad detail" },
      el("div", { class: "dialog-head" }, el("h2", { text: safe(item.file) }), el("a", { class: "button quiet", href: "/quarantine", "aria-label": "Close", text: "✕" })),
      el("dl", { class: "beside" }, [["Why", item.reason], ["Where", `${item.file}, byte ${item.offset}, ${item.length} bytes`], ["Fix", FIX[item.kind] ?? ""], ["Since", item.at], ["Released", item.released]].filter(([, value]) => value).map(([name, value]) => el("div", {}, el("dt", { text: name }), el("dd", { text: safe(value) })))),
      item.released ? null : el("div", { class: "buttons" }, button("Retry", again, { class: "primary" })),
      el("pre", { class: "raw dump", tabindex: "0", "aria-label": "The bytes", text: dump(item.hex, item.offset) || "(no bytes)" }),
      item.shown < item.length ? el("p", { class: "faint small", text: `The first ${item.shown} of ${item.length} bytes.` }) : null));
  }

  await Promise.all([load(), choose(word)]);
  return {
    title: "Quarantine",
    node: el("div", {}, el("div", { class: "view-head" }, el("div", {}, el("a", { class: "back always", href: "/audit", text: "← Audit" }), el("h1", { tabindex: "-1", text: "Quarantine" }))), grid),
    move(next) { choose(next).catch((fault) => { note(fault.message, "bad"); go("/quarantine"); }); return true; },
  };
}
