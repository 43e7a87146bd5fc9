// Files: what every byte of every mounted file is, and the findings about lines that were recorded.
import { ask } from "../api.js";
import { empty } from "../bits.js";
import { el, put, safe } from "../dom.js";
import { when } from "../time.js";

const KINDS = [["events", "events"], ["ours", "ours"], ["quarantined", "quarantined"], ["blank", "blank"], ["pending", "pending"]];

function bar(file) {
  const parts = KINDS.filter(([kind]) => file[kind]).map(([kind, word]) => el("span", { class: `bytes ${kind}`, title: `${file[kind].toLocaleString()} bytes ${word}` }));
  KINDS.filter(([kind]) => file[kind]).forEach(([kind], place) => { parts[place].style.flexGrow = String(file[kind]); });
  return el("span", { class: "bytes-bar", "aria-hidden": "true" }, parts);
}

export async function open() {
  const node = el("div", {});
  async function load() {
    const told = await ask("/api/status");
    const spoken = new Map(told.mounts.map((mount) => [mount.name, mount.dialect]));
    put(node, el("div", { class: "view-head" }, el("div", {}, el("a", { class: "back always", href: "/audit", text: "← Audit" }), el("h1", { tabindex: "-1", text: "Files" })), el("a", { class: "button", href: "/quarantine", text: "Quarantine" })),
      told.mounts.length ? el("section", { class: "panel", "aria-labelledby": "files-title" }, el("div", { class: "panel-head" }, el("h2", { id: "files-title", text: "Every byte accounted for" }), el("span", { class: "faint small", text: "recorded, ours, quarantined, blank or pending" })),
        el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Files" }, el("table", { class: "table small" }, el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "File" }), ["Size", ...KINDS.map(([, word]) => word)].map((word) => el("th", { scope: "col", class: "number", text: word })))),
          el("tbody", {}, told.files.map((file) => el("tr", {}, el("th", { scope: "row" }, el("span", { class: "file-name" }, el("b", { text: safe(file.file) }), " ", el("span", { class: "dialect", text: safe(spoken.get(file.mount) || file.mount) }), file.unfit ? el("span", { class: "lost", text: safe(file.unfit) }) : null), bar(file)),
            el("td", { class: "number", text: file.size.toLocaleString() }), KINDS.map(([kind]) => el("td", { class: `number ${file[kind] ? kind : "faint"}` }, kind === "quarantined" && file[kind] ? el("a", { href: "/quarantine", text: file[kind].toLocaleString() }) : file[kind].toLocaleString())))))))) : el("div", { class: "panel" }, empty("No mounted files", "Mount a folder that agents already use; every byte of it is accounted for here.", el("p", {}, el("code", { class: "copy", text: "palaver mount add office ./team" })))),
      Object.entries(told.outstanding).length ? el("p", { class: "panel pad small" }, "Outstanding: ", Object.entries(told.outstanding).map(([mount, count]) => `${safe(mount)} ${count}`).join(", ")) : null,
      told.mounts.length ? el("section", { class: "panel", "aria-labelledby": "findings-title" }, el("div", { class: "panel-head" }, el("h2", { id: "findings-title", text: "Findings" }), el("span", { class: "faint small", text: "irregular lines that were recorded; newest first" })),
        told.findings.length ? el("ul", { class: "plain-list" }, told.findings.map((found) => el("li", {}, el("a", { class: "event finding", href: `/audit/${found.seq}`, "data-row": found.seq }, el("span", { class: "type file", text: safe(found.code) }), el("span", { class: "finding-text" }, el("span", { dir: "auto", text: safe(found.message) }), found.fix ? el("span", { class: "faint small block", text: `Fix: ${safe(found.fix)}` }) : null), el("span", { class: "faint small", text: `${safe(found.mount)}/${safe(found.file)}:${found.line}` }), when(found.at))))) : el("p", { class: "calm" }, el("span", { class: "tick", "aria-hidden": "true", text: "✓" }), "No findings.")) : null);
  }
  await load();
  let later;
  return { title: "Files", node, log(event) { if (/^(file|mail|config)\./.test(event.event_type)) { clearTimeout(later); later = setTimeout(() => load().catch(() => {}), 400); } }, close: () => clearTimeout(later) };
}
