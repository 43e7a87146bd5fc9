"""Operations on the bus itself: its agents, lists, events, health and quarantine."""

import re
from collections.abc import Collection, Iterator
from typing import Annotated

from msgspec import Meta

from palaver.bus.admin import doctor as examination
from palaver.bus.admin import event_history, export
from palaver.bus.admin import quarantine as kept
from palaver.bus.admin import redact as redaction
from palaver.bus.admin import snapshot as snapshots
from palaver.bus.admin.doctor import Check
from palaver.bus.admin.rebuild import rebuild as rebuild_views
from palaver.bus.admin.redact import RedactResult
from palaver.bus.agents import agent_registry, overview
from palaver.bus.config import settings
from palaver.bus.operations import keys
from palaver.bus.operations.fields import (
    About,
    Actor,
    After,
    AgentName,
    Before,
    CommitMessage,
    EventId,
    EventRef,
    EventType,
    Handle,
    Key,
    Level,
    Progress,
    Reason,
    Role,
    Rows,
    Speaker,
    Words,
)
from palaver.bus.operations.operation import appends, inspects, operation, reads, writes
from palaver.bus.operations.request import PYTHON_ONLY
from palaver.bus.session import Session
from palaver.bus.stats.durations import DurationRow, measure, summarize
from palaver.bus.stats.message_stats import insights
from palaver.bus.tasks import board_view
from palaver.log.verification import Verification
from palaver.log.verification import verify as verify_log
from palaver.model.errors import BadArguments
from palaver.model.event import Event, text
from palaver.model.limits import WAIT_SECONDS
from palaver.model.names import BUS
from palaver.views.agents.roster import Agent
from palaver.views.files.quarantine import QuarantineItem

Retired = Annotated[bool, Meta(description="also retired agents")]
ListName = Annotated[
    str, Meta(description="name of a distribution list", extra_json_schema={"maxLength": 2_000})
]
Members = Annotated[list[str] | None, Meta(description="members of the list; none removes it")]
Everything = Annotated[bool, Meta(description="also what was explained or released")]
ItemId = Annotated[str, Meta(description="id of a quarantine entry", max_length=2_000)]
GroupBy = Annotated[
    str,
    Meta(
        title="WHAT",
        description="one row for each agent or day",
        extra_json_schema={"enum": ["agent", "day"]},
    ),
]
Day = Annotated[str, Meta(title="DAY", description="only from this day on, as 2026-01-31", max_length=2_000)]
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
Timeout = Annotated[
    float, Meta(description="end after so many seconds without an event", ge=0, le=WAIT_SECONDS)
]
Only = Annotated[Collection[str] | None, Meta(description="only these agents", extra={PYTHON_ONLY: 1})]
Events = Annotated[list[Event], Meta(description="events", extra={PYTHON_ONLY: 1})]

# --- events ---


@operation(reads)
def event(session: Session, wanted: EventId) -> Event:
    """Return one event by its number or id."""
    return event_history.event(session, wanted)


@operation(reads)
def events(
    session: Session, *, limit: Rows = 50, event_type: EventType = "", actor: Actor = "", after: After = 0
) -> list[Event]:
    """Return the newest events that match, oldest first."""
    return event_history.latest(session, limit=limit, event_type=event_type, actor=actor, after=after)


@operation(inspects)
def follow(session: Session, after: After, *, timeout: Timeout | None = None) -> Iterator[Event]:
    """Yield every event after a number, as it is appended."""
    return event_history.follow(session, after, timeout=timeout)


@operation(inspects)
def browse(
    session: Session,
    *,
    before: Before = 0,
    limit: Rows = 100,
    event_type: EventType = "",
    actor: Actor = "",
    words: Words = "",
) -> event_history.EventPage:
    """Return a page of events, newest first."""
    return event_history.page(
        session, before=before, limit=limit, event_type=event_type, actor=actor, words=words
    )


@operation(inspects)
def exported(
    session: Session, *, event_type: EventType = "", actor: Actor = "", after: After = 0
) -> Iterator[dict[str, object]]:
    """Yield the events that match, as CloudEvents."""
    return export.exported(session, event_type=event_type, actor=actor, after=after)


# --- the dashboard ---


@operation(inspects)
def picture(session: Session, *, only: Only = None) -> dict[str, object]:
    """Return the overview: every agent, what is unanswered, and the newest messages."""
    return overview.picture(session, only=only)


@operation(inspects)
def touched(session: Session, events: Events) -> set[str]:
    """Return the agents whose cards some events may have changed."""
    return overview.touched(session, events)


@operation(inspects)
def cards_changed(session: Session, events: Events) -> list[dict[str, object]]:
    """Return the cards of the board that some events may have changed."""
    return board_view.changed(session, events)


@operation(inspects)
def insight(session: Session) -> dict[str, object]:
    """Return statistics of the newest messages."""
    return insights(session)


@operation(reads)
def stats(
    session: Session, *, by: GroupBy | None = None, agent: Actor = "", since: Day = ""
) -> list[DurationRow]:
    """Return how long things took: p50, p95 and maximum."""
    if since and not _DAY.fullmatch(since):
        raise BadArguments(f"cannot use the day {since[:40]!r}", "it is not a date", "write it as 2026-01-31")
    found = measure(session, since=since)
    if agent:
        found = [each for each in found if each.agent == agent.lower()]
    return summarize(found, by or "")


# --- agents and lists ---


@operation(reads)
def agents(session: Session, *, retired: Retired = False) -> list[Agent]:
    """Return the agents, by name."""
    return agent_registry.agents(session, retired=retired)


def _registered_before(session: Session, first: Event) -> Agent:
    return agent_registry.find_agent(session, text(keys.expect(first, "agent.registered").data, "agent"))


@operation(writes, repeat=_registered_before)
def add_agent(
    session: Session,
    agent: AgentName,
    *,
    handle: Handle = "",
    role: Role = "",
    about: About = "",
    level: Level = 0,
    key: Key = "",
) -> Agent:
    """Register an agent, or bring back a retired one."""
    by = session.agent or BUS
    return agent_registry.add_agent(
        session, agent, by=by, handle=handle, role=role, about=about, level=level, key=key
    )


def _retired_before(session: Session, first: Event) -> Agent:
    return agent_registry.find_agent(session, text(keys.expect(first, "agent.retired").data, "agent"))


@operation(writes, repeat=_retired_before)
def retire_agent(session: Session, agent: AgentName, *, reason: Reason = "", key: Key = "") -> Agent:
    """Retire an agent. Mail to it is undeliverable from now on; what it said stays."""
    return agent_registry.retire_agent(session, agent, by=session.agent or BUS, reason=reason, key=key)


@operation(reads)
def lists(session: Session) -> dict[str, list[str]]:
    """Return the distribution lists, as they are written in the config."""
    return agent_registry.lists(session)


def _set_before(session: Session, first: Event) -> None:
    del session
    keys.expect_done(first, "set_list")


@operation(writes, repeat=_set_before)
def set_list(session: Session, listed: ListName, members: Members, *, key: Key = "") -> None:
    """Set a distribution list in the config, or remove it."""
    settings.edit_list(session, listed, members)
    keys.mark_done(session, "set_list", session.agent or BUS, key)


# --- health ---


@operation(inspects)
def verify(session: Session, told: Progress = None) -> Verification:
    """Check every line and every link of the log."""
    return verify_log(session.log, told)


@operation(inspects)
def size(session: Session) -> int:
    """Return the size of the log in bytes."""
    return session.log.size()


@operation(inspects)
def rebuild(session: Session) -> int:
    """Rebuild the views from the log; return the number of events."""
    return rebuild_views(session)


@operation(inspects)
def doctor(session: Session, told: Progress = None) -> Iterator[Check]:
    """Run health checks."""
    return examination.examine(session, told)


@operation(reads)
def quarantine(session: Session, *, everything: Everything = False) -> list[QuarantineItem]:
    """Return the quarantine entries, oldest first, up to a limit."""
    return kept.items(session, everything=everything)


@operation(inspects)
def quarantine_count(session: Session, *, everything: Everything = False) -> int:
    """Return the number of quarantine entries."""
    return kept.count(session, everything=everything)


@operation(inspects)
def quarantined(session: Session, item_id: ItemId) -> tuple[QuarantineItem, bytes]:
    """Return one quarantine entry and the beginning of its bytes."""
    item = kept.item(session, item_id)
    return item, kept.content(session, item)


def _retried_before(session: Session, first: Event) -> bool:
    return bool(kept.item(session, keys.expect_done(first, "retry")).released)


@operation(appends, repeat=_retried_before)
def retry(session: Session, item_id: ItemId, *, key: Key = "") -> bool:
    """Parse a quarantine entry again; return True if all of it is understood now."""
    understood = kept.retry(session, kept.item(session, item_id))
    keys.mark_done(session, "retry", session.agent or BUS, key, about=item_id)
    return understood


def _snapshot_before(session: Session, first: Event) -> str:
    del session
    return keys.expect_done(first, "snapshot")


@operation(appends, repeat=_snapshot_before)
def snapshot(session: Session, message: CommitMessage = "", *, key: Key = "") -> str:
    """Commit the log to its own git history; return the commit, empty if nothing changed."""
    commit = snapshots.snapshot(session.root, message)
    keys.mark_done(session, "snapshot", session.agent or BUS, key, about=commit)
    return commit


def _redacted_before(session: Session, first: Event) -> RedactResult:
    del session
    return redaction.redacted_before(int(keys.expect_done(first, "redact")))


@operation(appends, repeat=_redacted_before)
def redact(
    session: Session, event: EventRef, *, reason: Reason = "", by: Speaker = "", key: Key = ""
) -> RedactResult:
    """Remove the text of a message from the log, permanently."""
    actor = session.speaker(by)
    seq = event if isinstance(event, int) else event_history.event(session, event).seq
    result = redaction.redact(session, seq, by=actor, reason=reason)
    keys.mark_done(session, "redact", actor, key, about=str(seq))
    return result
