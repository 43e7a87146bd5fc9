"""A log already written is never an exception: the fold takes whatever stands there."""

import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palaver.log.memory_log import MemoryLog
from palaver.model.event import Draft
from palaver.views import replay, store
from palaver.views.mail import search

pytestmark = pytest.mark.on_disk("it folds a log of its own")

TYPES = (
    "mail.sent", "mail.delivered", "mail.read", "mail.acknowledged", "mail.archived", "mail.withdrawn",
    "agent.registered", "agent.retired", "config.applied", "file.quarantined", "file.released", "log.sealed",
    "log.sync_failed", "log.redacted", "patrol.completed", "something.new",
)  # fmt: skip
FIELDS = (
    "message_id", "message_ids", "from", "to", "body", "subject", "priority", "act", "reply_to", "task",
    "hops", "by", "reader", "recipient", "stage", "agent", "handle", "role", "about", "lists", "alias",
    "digest", "after", "id", "segment", "off", "len", "sha", "cause", "src", "redacted",
)  # fmt: skip
LIKELY = st.sampled_from(
    ["msg-1", "msg-2", "ada", "bob", "team/carol", "@all", "crew", "urgent", "read", "notified"]
)
VALUES = st.recursive(
    LIKELY
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LIKELY | st.text(), inner, max_size=3),
    max_leaves=6,
)
DATA = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=5), VALUES, max_size=6)
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(TYPES),
        st.sampled_from(["ada", "bob", "palaver", "Odd Name"]),
        DATA,
        st.sampled_from(["", "", "k"]),
    ),
    min_size=1,
    max_size=12,
)


def log_of(events: list[tuple[str, str, dict[str, object], str]]) -> MemoryLog:
    log = MemoryLog()
    for number, (event_type, actor, data, key) in enumerate(events):
        # A key that was used before would keep the event out; here it shall stand, without effect.
        log.append(
            [
                Draft(
                    event_type,
                    actor=actor,
                    data=data,
                    event_id=f"evt-{number}",
                    timestamp=f"t{number}",
                    key=key,
                )
            ],
            since=number,
        )
    return log


def folded(log: MemoryLog, *, by_one: bool) -> str:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        store.create(db)
        if by_one:
            partial = MemoryLog()
            for line in log._lines.raw:
                partial._lines.raw.append(line)
                replay.apply(db, partial)
        else:
            replay.apply(db, log)
        return "\n".join(sorted(db.iterdump()))
    finally:
        db.close()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EVENTS)
def test_the_fold_takes_anything_and_comes_to_the_same_by_one_or_by_many(
    events: list[tuple[str, str, dict[str, object], str]],
) -> None:
    log = log_of(events)

    assert folded(log, by_one=True) == folded(log, by_one=False)


@settings(max_examples=50, deadline=None)
@given(EVENTS)
def test_the_search_index_takes_anything(events: list[tuple[str, str, dict[str, object], str]]) -> None:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in search._TABLES:
            db.execute(statement)
        db.execute("insert into place values (1, '', '')")
        search.apply(db, log_of(events))
        assert search.matches(db, "nothing of the kind", 10) == []
    finally:
        db.close()


def test_the_first_of_two_events_with_one_key_counts() -> None:
    sent: list[tuple[str, str, dict[str, object], str]] = [
        ("agent.registered", "palaver", {"agent": "bob"}, ""),
        ("mail.sent", "ada", {"message_id": "msg-1", "from": "ada", "to": ["bob"], "body": "first"}, "k"),
        ("mail.sent", "ada", {"message_id": "msg-2", "from": "ada", "to": ["bob"], "body": "second"}, "k"),
        ("mail.sent", "eve", {"message_id": "msg-3", "from": "eve", "to": ["bob"], "body": "another's"}, "k"),
    ]

    text = folded(log_of(sent), by_one=False)

    assert "msg-1" in text
    assert "msg-2" not in text
    assert "msg-3" in text


def test_a_number_that_no_table_holds_counts_as_none() -> None:
    sent: list[tuple[str, str, dict[str, object], str]] = [
        ("mail.sent", "ada", {"message_id": "msg-1", "to": ["bob"], "body": "x", "hops": 1 << 63}, ""),
        ("log.sealed", "palaver", {"segment": 10**30, "off": -(10**30), "len": 1 << 64}, ""),
    ]

    assert "msg-1" in folded(log_of(sent), by_one=True)
