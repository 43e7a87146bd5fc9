// The bus, asked over HTTP. The session stands in a header and in this tab's own storage, and nowhere else.

const KEEP = "palaver.session";
const tabs = new BroadcastChannel("palaver");
let session = sessionStorage.getItem(KEEP) ?? "";

export class Refused extends Error {
  constructor(status, error) {
    super([error?.what, error?.why].filter(Boolean).join(": ") || `HTTP ${status}`);
    this.status = status;
    this.code = error?.code ?? "http";
    this.what = error?.what ?? "";
    this.why = error?.why ?? "";
    this.wayOut = error?.way_out ?? "";
  }
}

function keep(token) {
  session = token;
  sessionStorage.setItem(KEEP, token);
}

// Another tab of this browser, at this very address, may ask for our session; no other page can hear it.
tabs.onmessage = ({ data }) => {
  if (data?.ask && session) tabs.postMessage({ session });
  else if (data?.session && !session) keep(data.session);
};

async function fromOtherTab() {
  tabs.postMessage({ ask: true });
  for (let waited = 0; waited < 400 && !session; waited += 20) await new Promise((done) => setTimeout(done, 20));
  return Boolean(session);
}

// Return whether we are signed in: by the sign-in link, by the session of this tab, or by another tab.
export async function enter() {
  const way = new URLSearchParams(location.hash.slice(1)).get("in");
  if (way) {
    history.replaceState(null, "", location.pathname + location.search);
    const answer = await fetch("/api/session", {
      method: "POST", body: "{}", headers: { "content-type": "application/json", authorization: `Bearer ${way}` },
    });
    if (answer.ok) keep((await answer.json()).session);
  }
  return Boolean(session) || fromOtherTab();
}

export function forget() {
  session = "";
  sessionStorage.removeItem(KEEP);
}

export async function ask(path, { method = "GET", body, headers, signal, raw } = {}) {
  const answer = await fetch(path, {
    method, signal, cache: "no-store",
    headers: { authorization: `Bearer ${session}`, ...(body ? { "content-type": "application/json" } : {}), ...headers },
    body: body ? JSON.stringify(body) : undefined,
  });
  if (!answer.ok) {
    const told = await answer.json().catch(() => null);
    if (answer.status === 401) dispatchEvent(new Event("palaver:out"));
    throw new Refused(answer.status, told?.error);
  }
  return raw ? answer : answer.json();
}

export const say = (path, body = {}, key = "") =>
  ask(path, { method: "POST", body, headers: key ? { "idempotency-key": key } : {} });

export function query(path, values) {
  const kept = Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null && value !== 0);
  return kept.length ? `${path}?${new URLSearchParams(kept)}` : path;
}

// The lines of an event stream: yields {event, id, data}.
export async function* told(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const frame = { event: "message", id: "", data: "" };
      for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        if (colon > 0) frame[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
      }
      yield frame;
    }
  }
}

// Listen for ever: from the number that `after()` names, again and again, with patience in between.
export async function listen(after, tell, state) {
  let patience = 250;
  for (;;) {
    try {
      const answer = await ask("/api/stream", { raw: true, headers: { "last-event-id": String(after()) } });
      state("on");
      patience = 250;
      for await (const frame of told(answer)) if (frame.data) tell(frame.event, JSON.parse(frame.data), Number(frame.id));
    } catch (fault) {
      if (fault.status === 401) return;
    }
    state("away");
    await new Promise((done) => setTimeout(done, patience + Math.random() * 100));
    patience = Math.min(patience * 2, 5000);
  }
}
