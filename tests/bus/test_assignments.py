"""Assignments: one each, at once, through everything; and what an agent that starts is told."""

from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.tasks import assignment
from palaver.bus.tasks.assignment import assign, check, clear, current, dispatch, handoff
from palaver.bus.tasks.prime import prime
from palaver.cli.commands.prime import prime_text
from palaver.model.event import text
from palaver.model.message import headline
from tests.bus.scene import bus_in, race, refused
from tests.views.dumps import dump, rebuilt

WORKER = "project-a/workers/slot0"


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    return bus_in(tmp_path, WORKER, "project-a/supervisor", "project-a/qa")


def line(bus: Bus, agent: str = WORKER) -> str:
    found = current(bus.session, agent)
    return found.line if found else ""


def test_an_agent_has_one_assignment_and_a_second_is_refused(bus: Bus) -> None:
    bus.open_task("One", task="wo-1")
    bus.open_task("Two", task="wo-2")
    assign(bus.session, WORKER, "work_order:wo-1", by="ada")

    with refused(bus, "assignment-taken"):
        assign(bus.session, WORKER, "work_order:wo-2", by="ada")

    assert line(bus) == "work_order:wo-1"
    assert assign(bus.session, WORKER, "work_order:wo-2", by="ada", replace=True).line == "work_order:wo-2"


def test_that_an_agent_asked_is_recorded_with_the_response_time(bus: Bus) -> None:
    bus.open_task("One", task="wo-1")
    assign(bus.session, WORKER, "work_order:wo-1", by="ada")
    check(bus.session, WORKER)

    event = bus.events(event_type="assignment.checked")[-1]

    assert event.data["found"] is True
    assert isinstance(event.data["response_ms"], int)
    assert text(event.data, "action") == "execute_immediately"


def test_an_assignment_survives_a_view_that_is_lost(bus: Bus) -> None:
    bus.open_task("One", task="wo-1")
    assign(bus.session, WORKER, "work_order:wo-1", by="ada")
    live = dump(bus)

    assert rebuilt(bus) == live
    assert line(Bus(bus.root.path, agent="ada")) == "work_order:wo-1"


def test_a_delivery_clears_the_assignment_and_that_is_an_event(bus: Bus) -> None:
    bus.open_task("One", task="wo-1")
    dispatch(bus.session, "wo-1", "project-a", by="ada")
    assignment.done(bus.session, WORKER, "wo-1", "branch slot0", "project-a/supervisor")

    [event] = bus.events(event_type="assignment.cleared")

    assert line(bus) == ""
    assert event.data == {"agent": WORKER, "previous_ref": "work_order:wo-1"}
    assert event.actor == "palaver"


def test_a_task_that_goes_to_another_leaves_no_stale_assignment(bus: Bus) -> None:
    bus.open_task("One", task="wo-1")
    dispatch(bus.session, "wo-1", "project-a", by="ada")
    bus.move("wo-1", "cancel")

    assert line(bus) == ""


def test_a_dispatch_finds_a_free_worker_and_makes_a_slot_where_none_is(bus: Bus) -> None:
    for number in range(6):
        bus.open_task("T", task=f"wo-{number}")

    given = [dispatch(bus.session, f"wo-{number}", "project-a", by="ada").agent for number in range(5)]

    assert given == [f"project-a/workers/slot{number}" for number in range(5)]
    with refused(bus, "no-free-worker"):
        dispatch(bus.session, "wo-5", "project-a", by="ada")


def test_what_was_lost_is_dispatched_again_to_the_same_worker(bus: Bus) -> None:
    bus.open_task("One", task="wo-1")
    dispatch(bus.session, "wo-1", "project-a", by="ada")
    clear(bus.session, agent=WORKER, by="ada")

    again = dispatch(bus.session, "wo-1", "project-a", by="ada")

    assert (again.agent, again.line) == (WORKER, "work_order:wo-1")


def test_a_dispatch_that_is_refused_leaves_no_assignment(bus: Bus) -> None:
    bus.open_task("One", task="wo-1", by="project-a/qa")

    with pytest.raises(Exception, match="only its owner"):
        dispatch(bus.session, "wo-1", "project-a", by="ada")

    assert assignment.everyone(bus.session) == []


DISPATCH = """
from palaver.bus.tasks.assignment import dispatch
try:
    say(dispatch(bus.session, words[int(sys.argv[2][-1])], "project-a", by="ada").agent)
except Refusal as refused:
    say(refused.code)
"""


@pytest.mark.on_disk("other processes use the log")
def test_two_who_dispatch_at_once_do_not_give_one_worker_two_things(bus: Bus) -> None:
    names = ["wo-0", "wo-1", "wo-2", "wo-3"]
    for task in names:
        bus.open_task("T", task=task)

    said = race(bus, ["d0", "d1", "d2", "d3"], DISPATCH, *names)

    workers = [str(each) for each in said if "slot" in str(each)]
    assert len(workers) == len(set(workers)) == 4, said


def test_a_handoff_waits_for_the_next_session_as_its_assignment(bus: Bus) -> None:
    message = handoff(bus.session, "I was at step 3\nof 7", by=WORKER)

    found = prime(bus.session, WORKER)

    assert (message.act, headline(message)) == ("handoff", "I was at step 3")
    assert line(bus) == f"mail:{message.id}"
    assert found.letter is not None
    assert found.letter.body == "I was at step 3\nof 7"


def test_mail_that_is_dealt_with_clears_the_assignment_that_it_was(bus: Bus) -> None:
    message = handoff(bus.session, "go on", by=WORKER)
    bus.archive([message.id], agent=WORKER)
    bus.tasks()
    from palaver.bus.tasks.consequences import settle

    settle(bus.session)

    assert line(bus) == ""


# --- what to do now ---


def test_the_assignment_comes_first_then_urgent_mail_then_the_rest_and_low_mail_waits(bus: Bus) -> None:
    bus.open_task("Build it", task="wo-1", about="All of it, please.")
    for priority in ("low", "normal", "urgent", "normal"):
        bus.send(WORKER, f"a {priority} one", priority=priority)
    dispatch(bus.session, "wo-1", "project-a", by="ada")

    told = prime_text(prime(bus.session, WORKER))

    assert told.startswith("ASSIGNED: wo-1\nExecute it now: no confirmation, no questions, no waiting.")
    assert "All of it, please." in told
    assert told.index("a urgent one") < told.index("a normal one")
    assert "a low one" not in told


def test_low_mail_is_announced_when_there_is_nothing_else_to_do(bus: Bus) -> None:
    bus.send(WORKER, "a low one", priority="low")

    found = prime(bus.session, WORKER)

    assert found.next == "read"
    assert "a low one" in prime_text(found)


def test_who_has_nothing_awaits_instructions(bus: Bus) -> None:
    found = prime(bus.session, WORKER)

    assert found.next == "await"
    assert prime_text(found) == "Assignment is empty. No mail. Await instructions."


def test_work_that_was_sent_back_is_work_to_do(bus: Bus) -> None:
    bus.open_task("One", task="wo-1")
    dispatch(bus.session, "wo-1", "project-a", by="ada")
    assignment.done(bus.session, WORKER, "wo-1", "branch slot0", "project-a/supervisor")
    bus.move("wo-1", "rework", "two tests fail")

    found = prime(bus.session, WORKER)

    assert found.next == "execute"
    assert line(bus) == "work_order:wo-1"
