"""The laws: what must hold at the end of every simulation, and cheap ones that must hold after every step."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from palaver.model.event import Event, table, text, texts
from palaver.views.agents.power import POWERS
from palaver.views.files.findings import findings_of
from tests.simulation.company import HOME, Line, reads
from tests.simulation.evidence import Evidence, recipients
from tests.simulation.ledger import TOKEN
from tests.simulation.machine_steps import view_count
from tests.simulation.simulation import Simulation
from tests.views.dumps import dump, rebuilt

#: So many events and files may come of one step, at most, and so many there may be besides.
_EVENTS_PER_STEP: Final = 30
_EVENTS: Final = 400
_REPLACED: Final = 40
_LOG_BYTES: Final = 1_000_000
#: Kinds of lines whose author must be told.
_TOLD_KINDS: Final = ("junk", "misfiled", "powerless", "stranger")
#: Kinds of lines that need not become messages: they may be quarantined.
_KEPT_KINDS: Final = ("junk", "misfiled", "powerless", "forged", "decision")
Law = Callable[[Evidence], Iterator[str]]


class Broken(AssertionError):
    """A law does not hold."""


def check_step(sim: Simulation) -> None:
    """Check what can be checked after every step: no byte of the log was changed or taken away."""
    paths = sorted((sim.folder / ".palaver" / "log").glob("*.jsonl"))
    content = b"".join(path.read_bytes() for path in paths)
    if not content.startswith(sim.log_bytes):
        raise Broken("bytes of the log were changed or taken away")
    if len(content) > _LOG_BYTES:
        raise Broken(f"the log has grown to {len(content)} bytes")
    sim.log_bytes = content


def judge(sim: Simulation) -> list[str]:
    """Let everything settle; return which laws are broken."""
    sim.end_daemon()
    sim.machine.room = None
    sim.machine.pass_time(120.0)
    evidence = Evidence(sim)
    try:
        evidence.settle_quietly()
        evidence = Evidence(sim)
        evidence.check()
    except AssertionError as fault:
        return [f"at rest: {str(fault)[:400]}"]
    return [broken for law in LAWS for broken in law(evidence)]


# --- what was promised to commands ---


def acknowledged_once(evidence: Evidence) -> Iterator[str]:
    for sent in evidence.sim.ledger.sent.values():
        found = [event for event in evidence.by_token.get(sent.token, []) if event.src is None]
        said = [(recipients(event), text(event.data, "body")) for event in found]
        if any(each != ([to.removeprefix("@") for to in sent.to], sent.body) for each in said):
            yield f"{sent.token} says {sent.body} to {sent.to}, in the log {said}"
        if sent.is_acknowledged:
            known = [(text(event.data, "message_id"), event.seq) for event in found]
            if known != [(sent.message_id, sent.seq)]:
                yield f"{sent.token} was acknowledged as {sent.message_id} {sent.seq}; the log has {known}"
        elif sent.is_refused and found:
            yield f"{sent.token} was refused, and it is in the log"
        elif len(found) > 1:
            yield f"{sent.token} is in the log {len(found)} times"


def order_kept(evidence: Evidence) -> Iterator[str]:
    last: dict[str, int] = {}
    for sent in evidence.sim.ledger.sent.values():
        if sent.is_acknowledged and not sent.key and not sent.is_meanwhile:
            if sent.seq < last.get(sent.sender, 0):
                yield f"{sent.token} of {sent.sender} comes before what was said earlier"
            last[sent.sender] = sent.seq
    last.clear()
    for said in evidence.sim.ledger.said.values():
        line, found = said.line, evidence.by_token.get(said.line.token, [])
        if line.kind == "right" and len(found) == 1 and line.file not in evidence.sim.ledger.edited:
            if found[0].seq < last.get(line.file, 0):
                yield f"{line.token} in {line.file} comes before the lines above it"
            last[line.file] = found[0].seq


# --- what agents wrote ---


def lines_once(evidence: Evidence) -> Iterator[str]:
    for said in evidence.sim.ledger.said.values():
        line = said.line
        count = len(evidence.by_token.get(line.token, []))
        if count > 1 and line.token not in evidence.sim.ledger.blurred:
            yield f"{line.token} ({line.kind}) in {line.file} is in the log {count} times"
        elif line.kind == "junk" and count and said.must:
            yield f"{line.token} in {line.file} is junk, and it became a message"
        elif said.must and not count and line.token in evidence.pending(line.file):
            continue
        elif said.must and not count and line.kind not in _KEPT_KINDS:
            yield f"{line.token} ({line.kind}) in {line.file} is not in the log"
        elif said.must and not count and not _is_kept(evidence, line.token, line.file):
            yield f"{line.token} ({line.kind}) in {line.file} is neither in the log nor kept"


def lines_stay(evidence: Evidence) -> Iterator[str]:
    ledger = evidence.sim.ledger
    for said in ledger.said.values():
        line = said.line
        is_there = line.token in evidence.sim.content(line.file)
        if said.must and not is_there and (line.file, line.token) not in ledger.removed:
            yield f"{line.token} ({line.kind}) is gone from {line.file}"


def senders_right(evidence: Evidence) -> Iterator[str]:
    for said in evidence.sim.ledger.said.values():
        line = said.line
        for event in evidence.by_token.get(line.token, []) if said.must else []:
            if line.kind != "misfiled" and event.actor != line.sender:
                yield f"{line.token} of {line.sender} is in the log as a message of {event.actor}"
            if event.auth == "token":
                yield f"{line.token} is a line of a file, and the log says that its sender is proved"
            if HOME.get(line.to) not in (None, HOME[line.sender]) and not _is_for(evidence, event, line):
                yield f"{line.token} is for {line.to}, in the log for {recipients(event)}"


def _is_for(evidence: Evidence, event: Event, line: Line) -> bool:
    """Return True if a message has its recipient, by name or because it reached it with a group."""
    file = reads(line.to, line.sender)
    return line.to in recipients(event) or line.token in evidence.tokens_in(file, line.to)


def _is_kept(evidence: Evidence, token: str, file: str) -> bool:
    shown = any(token in text(event.data, "text") for event in evidence.objections(file))
    return shown or token.encode() in evidence.quarantine_bytes or token in evidence.pending(file)


def wrong_lines_told(evidence: Evidence) -> Iterator[str]:
    told: dict[str, set[str]] = {}
    for notice in evidence.bus_notices:
        told.setdefault(notice.caused_by, set()).update(recipients(notice))
    for said in evidence.sim.ledger.said.values():
        line = said.line
        if not said.must or line.kind not in _TOLD_KINDS or _is_marked(evidence, line):
            continue
        causes = [*evidence.by_token.get(line.token, [])]
        causes += [each for each in evidence.objections(line.file) if line.token in text(each.data, "text")]
        reached = {agent for cause in causes for agent in told.get(cause.event_id, ())}
        if any(cause.seq in evidence.repeated_moves for cause in causes):
            # It says what is so already.
            continue
        if causes and not reached and not any(_was_told(evidence, line, cause) for cause in causes):
            yield f"nobody was told of {line.token} ({line.kind}) in {line.file}"


def _was_told(evidence: Evidence, line: Line, cause: Event) -> bool:
    """Return True if the author was told of the same mistake in another line: that is done once an hour."""
    found = findings_of(cause)
    authors = {text(each, "author") for each in found} - {""} or {line.sender}
    codes = [text(each, "code") or text(each, "reason") for each in found] or ["no effect"]
    notices = [each for each in evidence.bus_notices if not authors.isdisjoint(recipients(each))]
    return any(code in text(each.data, "body") for each in notices for code in codes)


def _is_marked(evidence: Evidence, line: Line) -> bool:
    """Return True if the line itself says that it reached nobody: a company reads that in its mail file."""
    if line.kind != "stranger":
        return False
    lines = evidence.sim.content(line.file).split("\n")
    is_removed = (line.file, line.token) in evidence.sim.ledger.removed
    return is_removed or any(line.token in each and '"undeliverable":true' in each for each in lines)


# --- what stands in files ---


def delivered_once(evidence: Evidence) -> Iterator[str]:
    ledger = evidence.sim.ledger
    standing: dict[tuple[str, str], Counter[str]] = {}
    quoted = Counter(token for event in evidence.bus_notices for token in set(_tokens_of(event)))
    for event in evidence.letters:
        tokens = [token for token in _tokens_of(event) if token in ledger.sent or token in ledger.said]
        for agent in recipients(event):
            if not tokens or HOME.get(agent, "") in ("", text(event.src or {}, "mount")):
                continue
            file = reads(agent, event.actor)
            if (file, agent) not in standing:
                standing[file, agent] = evidence.tokens_in(file, agent)
            count = standing[file, agent][tokens[0]]
            if (file, tokens[0]) in ledger.removed or quoted[tokens[0]] or tokens[0] in ledger.blurred:
                continue
            if count != 1:
                yield f"{tokens[0]} is for {agent}, and is in {file} {count} times"


def _tokens_of(event: Event) -> list[str]:
    return TOKEN.findall(text(event.data, "body"))


# --- tasks and power ---


def power_needs_proof(evidence: Evidence) -> Iterator[str]:
    events = {event.seq: event for event in evidence.log_events}
    is_strict = 'identity = "strict"' in (evidence.folder / ".palaver" / "config.toml").read_text()
    powerless = {
        event.seq: said.line
        for said in evidence.sim.ledger.said.values()
        if said.must and said.line.kind in ("powerless", "misfiled")
        for event in evidence.by_token.get(said.line.token, [])
    }
    for tried in evidence.moves:
        if tried.why:
            continue
        event = events[tried.seq]
        if is_strict and tried.act in POWERS and event.auth == "claimed":
            yield f"{tried.actor} did {tried.act} {tried.task} under strict, and proved nothing"
        if tried.seq in powerless and tried.before != tried.after:
            line = powerless[tried.seq]
            yield f"{line.token} ({line.kind}) of {line.sender} moved {tried.task} to {tried.after}"


def moves_follow(evidence: Evidence) -> Iterator[str]:
    last: dict[str, str] = {}
    approved: set[str] = set()
    for tried in evidence.moves:
        if tried.why or not tried.before:
            continue
        if last.get(tried.task, tried.before) != tried.before:
            yield f"{tried.task} was {last[tried.task]}, and {tried.act} found it {tried.before}"
        last[tried.task] = tried.after
        if tried.act == "approve":
            if tried.task in approved:
                yield f"{tried.task} was approved twice"
            approved.add(tried.task)
        elif tried.after != "working":
            approved.discard(tried.task)


# --- the bus itself ---


def told_once(evidence: Evidence) -> Iterator[str]:
    keys = Counter((event.actor, event.key) for event in evidence.log_events if event.key)
    yield from (f"the key {key} of {actor} is in the log twice" for (actor, key), n in keys.items() if n > 1)
    marks = Counter(
        mark
        for event in evidence.log_events
        if event.actor == "palaver"
        for mark in texts(table(event.data, "meta") or event.data, "steps")
    )
    yield from (f"the patrol took the step '{mark}' {n} times" for mark, n in marks.items() if n > 1)
    notices = Counter(
        (event.caused_by, tuple(recipients(event)), text(event.data, "body"))
        for event in evidence.bus_notices
    )
    for (_, to, body), n in notices.items():
        if n > 1:
            yield f"{to} was told {n} times: {body[:80]}"


def ids_once(evidence: Evidence) -> Iterator[str]:
    twice = [each for each, n in Counter(e.event_id for e in evidence.log_events).items() if n > 1]
    yield from (f"{each} is in the log twice" for each in twice)


def log_verified(evidence: Evidence) -> Iterator[str]:
    yield from (f"verify: {fault}" for fault in evidence.bus.verify().faults)


def view_equal(evidence: Evidence) -> Iterator[str]:
    live = dump(evidence.bus)
    again = rebuilt(evidence.bus)
    if live != again:
        differing = sorted(set(live.split("\n")) ^ set(again.split("\n")))
        yield f"the view is not what the log amounts to: {differing[:4]}"


def nothing_grows(evidence: Evidence) -> Iterator[str]:
    sim = evidence.sim
    if len(evidence.log_events) > _EVENTS + _EVENTS_PER_STEP * len(sim.history):
        yield f"{len(evidence.log_events)} events came of {len(sim.history)} steps"
    if view_count(sim) > 1:
        yield f"there are {view_count(sim)} views"
    replaced = list((sim.folder / ".palaver" / "attic").glob("*"))
    if len(replaced) > _REPLACED:
        yield f"{len(replaced)} replaced files are kept"


LAWS: Final[tuple[Law, ...]] = (
    acknowledged_once,
    order_kept,
    lines_once,
    lines_stay,
    senders_right,
    wrong_lines_told,
    delivered_once,
    power_needs_proof,
    moves_follow,
    told_once,
    ids_once,
    log_verified,
    nothing_grows,
    view_equal,
)
