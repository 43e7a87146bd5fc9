"""How long things took: from the log alone, whatever the clocks say."""

from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.stats.spread import percentile
from palaver.log.clock import new_id
from palaver.model.event import Draft
from palaver.wiring import begin


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    begin(str(tmp_path), "ada")
    return Bus(str(tmp_path), agent="ada")


def at(second: float, day: int = 1) -> str:
    return f"2026-01-{day:02d}T00:{int(second) // 60:02d}:{second % 60:06.3f}Z"


def put(bus: Bus, event_type: str, actor: str, when: str, **fields: object) -> None:
    drafts = [Draft(event_type, actor=actor, data=fields, event_id=new_id("evt"), timestamp=when)]
    bus.session.log.append(drafts)


def say(bus: Bus, sender: str, to: str, when: str, message: str, **more: object) -> None:
    fields: dict[str, object] = {"message_id": message, "from": sender, "to": [to], "body": "x", **more}
    put(bus, "mail.sent", sender, when, **fields)


def told(bus: Bus, by: str = "", since: str = "") -> dict[tuple[str, str], tuple[int, float, float]]:
    rows = bus.stats(by=by or None, since=since)
    return {(row.name, row.who): (row.count, row.p50, row.max) for row in rows}


def test_mail_is_timed_from_sent_to_read_and_from_read_to_answered(bus: Bus) -> None:
    say(bus, "ada", "bob", at(0), "msg-1", act="ask")
    put(bus, "mail.read", "bob", at(5), message_ids=["msg-1"], reader="bob")
    put(bus, "mail.read", "bob", at(9), message_ids=["msg-1"], reader="bob")
    say(bus, "bob", "ada", at(20), "msg-2", reply_to="msg-1", act="answer")
    say(bus, "bob", "ada", at(50), "msg-3", reply_to="msg-1", act="answer")

    assert told(bus, "agent") == {("sent→read", "bob"): (1, 5, 5), ("read→answered", "bob"): (1, 15, 15)}


def test_an_assignment_is_timed_to_the_first_sign_of_work(bus: Bus) -> None:
    for agent, second in (("a", 0), ("b", 0), ("c", 0), ("d", 0)):
        put(bus, "assignment.set", "ceo", at(second), agent=agent, ref_type="mail", ref_id="msg-1")
    put(bus, "assignment.checked", "a", at(3), agent="a", found=True)
    put(bus, "run.started", "palaver", at(9), agent="a", run="run_001")
    put(bus, "run.started", "palaver", at(4), agent="b", run="run_002")
    put(bus, "assignment.cleared", "ceo", at(1), agent="c")
    put(bus, "assignment.checked", "d", at(2), agent="d", found=False)

    figures = {
        who: found[1] for (name, who), found in told(bus, "agent").items() if name == "assigned→started"
    }
    assert figures == {"a": 3, "b": 4}


def test_a_task_that_one_agent_is_given_is_timed_until_it_takes_it(bus: Bus) -> None:
    for number, (agent, task) in enumerate((("a", "one"), ("b", "two"), ("c", "three"))):
        put(bus, "task.opened", "ceo", at(0), task=task, title=task)
        say(bus, "ceo", agent, at(1), f"msg-{number}", act="assign", task=task)
    put(bus, "assignment.set", "ceo", at(2), agent="c", ref_type="work_order", ref_id="three")
    say(bus, "a", "ceo", at(6), "msg-10", act="ack", task="one")
    put(bus, "run.started", "palaver", at(8), agent="b", run="run_001", task="two")
    say(bus, "b", "ceo", at(9), "msg-11", act="ack", task="two")
    put(bus, "assignment.checked", "c", at(4), agent="c", found=True)
    say(bus, "c", "ceo", at(7), "msg-12", act="ack", task="three")

    figures = {who: found for (name, who), found in told(bus, "agent").items() if name == "assigned→started"}
    assert figures == {"a": (1, 5, 5), "b": (1, 7, 7), "c": (1, 2, 2)}


def test_a_claim_is_timed_to_its_approval_and_a_task_by_its_states(bus: Bus) -> None:
    put(bus, "task.opened", "ada", at(0), task="one", title="One", approval=True)
    say(bus, "bob", "ada", at(10), "msg-1", act="claim", task="one")
    say(bus, "ada", "bob", at(40), "msg-2", act="approve", task="one")
    say(bus, "bob", "ada", at(100), "msg-3", act="deliver", task="one")
    say(bus, "ada", "bob", at(130), "msg-4", act="rework", task="one")

    found = told(bus, "agent")
    assert found["claim→approval", "bob"] == (1, 30, 30)
    assert found["in open", ""] == (1, 10, 10)
    assert found["in claimed", "bob"] == (1, 30, 30)
    assert found["in working", "bob"] == (1, 60, 60)
    assert found["reworks", "bob"][0] == 1


def test_nudges_and_kills_are_counted(bus: Bus) -> None:
    say(bus, "sup", "bob", at(0), "msg-1", act="nudge")
    put(bus, "run.ended", "palaver", at(5), run="run_001", agent="bob", reason="killed")
    put(bus, "run.ended", "palaver", at(5), run="run_002", agent="bob", reason="exit")

    assert {key: found[0] for key, found in told(bus, "agent").items()} == {
        ("nudges", "bob"): 1,
        ("kills", "bob"): 1,
    }


def test_figures_are_told_by_day_and_from_a_day_on(bus: Bus) -> None:
    for day in (1, 2):
        say(bus, "ada", "bob", at(0, day), f"msg-{day}")
        put(bus, "mail.read", "bob", at(day, day), message_ids=[f"msg-{day}"], reader="bob")

    assert list(told(bus, "day")) == [("sent→read", "2026-01-01"), ("sent→read", "2026-01-02")]
    assert told(bus, since="2026-01-02") == {("sent→read", ""): (1, 2, 2)}


def test_a_clock_that_was_set_back_and_a_time_that_is_none_make_no_figure_below_0(bus: Bus) -> None:
    say(bus, "ada", "bob", at(30), "msg-1")
    put(bus, "mail.read", "bob", at(5), message_ids=["msg-1"], reader="bob")
    say(bus, "ada", "bob", "yesterday", "msg-2")
    put(bus, "mail.read", "bob", at(5), message_ids=["msg-2", 3], reader="bob")
    put(bus, "mail.read", "bob", at(5), message_ids=7)

    assert told(bus) == {("sent→read", ""): (2, 0, 0)}


@pytest.mark.parametrize(
    ("count", "p50", "p95"),
    [(1, 1, 1), (2, 1, 2), (20, 10, 19), (21, 11, 20), (100, 50, 95), (1000, 500, 950)],
)
def test_a_share_is_the_nearest_rank(count: int, p50: float, p95: float) -> None:
    values = [float(n) for n in range(count, 0, -1)]

    assert (percentile(values, 50), percentile(values, 95), percentile(values, 100)) == (p50, p95, count)


def test_work_that_is_assigned_and_begun_before_its_mail_came_is_begun_once(bus: Bus) -> None:
    put(bus, "assignment.set", "ceo", at(0), agent="a", ref_type="work_order", ref_id="one")
    put(bus, "run.started", "palaver", at(4), agent="a", run="run_001", task="one")
    say(bus, "ceo", "a", at(5), "msg-1", act="assign", task="one")
    say(bus, "a", "ceo", at(9), "msg-2", act="ack", task="one")

    assert told(bus, "agent")["assigned→started", "a"] == (1, 4, 4)
