"""What somebody waits for, who must move, and who waits for whom in a circle."""

import random
import time
from itertools import pairwise
from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.tasks.wait_list import find_cycles
from tests.bus.scene import bus_in, refused
from tests.bus.test_tasks import configured
from tests.dice import seed as drawn_seed
from tests.views.dumps import dump, rebuilt


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    return bus_in(tmp_path, "bob", "carol", "dora")


def waits(bus: Bus) -> list[tuple[str, str, str]]:
    return [(wait.kind, wait.waiter, " ".join(wait.movers)) for wait in bus.waiting().waits]


# --- questions ---


def test_a_question_waits_for_its_answer(bus: Bus) -> None:
    asked = bus.send("bob", "Which key?", act="ask").message

    assert waits(bus) == [("ask", "ada", "bob")]
    bus.reply(asked.id, "The second.", sender="bob")
    assert waits(bus) == []


def test_an_answer_that_names_no_question_closes_the_one_about_its_task(bus: Bus) -> None:
    bus.send("bob", "First?", act="ask")
    bus.send("bob", "Which key?", act="ask", task="auth")
    bus.send("ada", "The second.", sender="bob", act="answer", task="auth")

    assert [wait.gist for wait in bus.waiting().waits] == ["First?"]


def test_an_answer_that_names_nothing_closes_the_oldest_question_between_the_two(bus: Bus) -> None:
    bus.send("bob", "First?", act="ask")
    bus.send("bob", "Second?", act="ask")
    bus.send("bob", "Not yours", sender="carol", act="ask")
    bus.send("ada", "Yes", sender="bob", act="answer")

    assert [wait.gist for wait in bus.waiting().waits] == ["Second?", "Not yours"]


def test_what_was_asked_of_all_is_answered_by_one(bus: Bus) -> None:
    asked = bus.send("@all", "Who knows?", act="ask").message

    assert len(waits(bus)) == 3
    bus.reply(asked.id, "I do", sender="carol")
    assert waits(bus) == []


def test_any_activity_answers_a_nudge_and_only_a_word_to_the_asker_a_ping(bus: Bus) -> None:
    bus.send("bob", act="nudge")
    bus.send("bob", act="ping")
    bus.send("carol", "busy", sender="bob")

    assert waits(bus) == [("ping", "ada", "bob")]
    bus.send("ada", "alive", sender="bob")
    assert waits(bus) == []


def test_a_mention_waits_for_its_acknowledgement(bus: Bus) -> None:
    one = bus.send("bob", "see @bob", meta={"mentions": ["bob"]}).message
    bus.send("bob", "and @bob", meta={"mentions": ["bob"]})

    bus.ack([one.id], agent="bob")
    assert waits(bus) == [("mention", "ada", "bob")]
    bus.send("ada", sender="bob", act="ack")
    assert waits(bus) == []


def test_a_request_to_end_waits_for_its_confirmation_or_a_refusal(bus: Bus) -> None:
    bus.send(["bob", "carol"], act="shutdown")
    bus.send("ada", sender="bob", act="leave")
    bus.send("ada", "I hold work", sender="carol", act="refuse")

    assert waits(bus) == []


def test_a_question_that_was_withdrawn_waits_no_more(bus: Bus) -> None:
    asked = bus.send("bob", "Which?", act="ask").message
    bus.withdraw(asked.id)

    assert waits(bus) == []


# --- tasks ---


def test_every_state_in_which_somebody_must_move_is_waited_for(bus: Bus) -> None:
    for task, approval in (("claimed", True), ("assigned", False), ("handed", False), ("blocked", False)):
        bus.open_task(task, task=task, approval=approval)
    bus.open_task("delivered", task="delivered")
    bus.claim("claimed", by="bob")
    bus.move("assigned", "assign", to="bob", parallel=True)
    bus.claim("handed", by="bob")
    bus.move("handed", "handoff", "half", by="bob", to="carol")
    bus.claim("blocked", by="bob")
    bus.move("blocked", "block", "no key", by="bob")
    bus.claim("delivered", by="bob")
    bus.move("delivered", "deliver", "it works", by="bob", to="dora")

    found = {wait.task: (wait.kind, wait.waiter, list(wait.movers)) for wait in bus.waiting().waits}

    assert found == {
        "claimed": ("approval", "bob", ["ada"]),
        "assigned": ("start", "ada", ["bob"]),
        "handed": ("handoff", "bob", ["carol"]),
        "blocked": ("block", "bob", ["ada"]),
        "delivered": ("check", "bob", ["dora"]),
    }


def test_who_acknowledges_the_mail_that_gave_him_a_task_has_taken_it(bus: Bus) -> None:
    bus.open_task("One", task="one")
    given = bus.move("one", "assign", to="bob").message

    bus.ack([given.id], agent="bob")

    assert bus.task("one").task.state == "working"
    assert waits(bus) == []


# --- circles ---


def test_two_who_ask_each_other_are_named(bus: Bus) -> None:
    bus.send("bob", "Which?", act="ask")
    bus.send("ada", "What for?", act="ask", sender="bob")

    assert bus.waiting().cycles == [["ada", "bob", "ada"]]


def test_a_circle_over_questions_claims_and_blocks_is_named(bus: Bus) -> None:
    bus.open_task("One", task="one", by="bob", approval=True)
    bus.claim("one", by="ada")
    bus.send("carol", "May I?", act="ask", sender="bob")
    bus.open_task("Two", task="two", by="ada")
    bus.claim("two", by="carol")
    bus.move("two", "block", "ada must say", by="carol")
    bus.send("ada", "unrelated", act="ask", sender="dora")

    assert bus.waiting().cycles == [["ada", "bob", "carol", "ada"]]


def test_a_delivery_never_closes_a_circle_because_its_sender_goes_on(bus: Bus) -> None:
    bus.open_task("One", task="one", by="bob")
    bus.claim("one", by="ada")
    bus.deliver("one", "works", by="ada")
    bus.send("ada", "Well?", act="ask", sender="bob")

    assert bus.waiting().cycles == []


@pytest.mark.parametrize("length", [2, 3, 17, 3_000])
def test_a_circle_of_any_length_is_found_within_a_second(length: int) -> None:
    edges = {f"a{number:04}": {f"a{(number + 1) % length:04}"} for number in range(length)}
    edges["x"] = {"a0000"}
    edges["a0001"] |= {"dead-end"}

    before = time.process_time()
    [cycle] = find_cycles(edges)

    assert time.process_time() - before < 1
    assert len(cycle) == length + 1
    assert cycle[0] == cycle[-1]


@pytest.mark.random
def test_circles_are_found_just_where_there_are_some() -> None:
    seed = drawn_seed()
    dice = random.Random(seed)
    for _ in range(300):
        names = [f"a{number}" for number in range(dice.randint(2, 8))]
        edges = {name: set(dice.sample(names, k=dice.choice([0, 1, 1, 2]))) - {name} for name in names}
        found = find_cycles(edges)
        for cycle in found:
            assert all(after in edges[before] for before, after in pairwise(cycle)), seed
        assert bool(found) == any(_returns(edges, name) for name in names), seed


def _returns(edges: dict[str, set[str]], start: str) -> bool:
    seen: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        at = waiting.pop()
        if at == start:
            return True
        if at not in seen:
            seen.add(at)
            waiting += edges[at]
    return False


# --- manners ---


def test_who_waits_for_an_answer_gets_no_task_where_that_is_refused(bus: Bus) -> None:
    configured(bus, 'talk = "refuse"')
    bus.agents()
    asked = bus.send("ada", "Which key?", act="ask", sender="bob").message

    with refused(bus, "answer-first"):
        bus.send("bob", "Do that", act="assign", task="t1")
    bus.reply(asked.id, "The second.")

    assert bus.send("bob", "Do that", act="assign", task="t1").fresh


def test_a_second_task_is_refused_unless_they_run_side_by_side(bus: Bus) -> None:
    configured(bus, 'talk = "refuse"')
    bus.agents()
    bus.send("bob", "Do this", act="assign", task="t1")
    bus.open_task("Two", task="t2")

    with refused(bus, "one-at-a-time"):
        bus.move("t2", "assign", to="bob")

    assert bus.move("t2", "assign", to="bob", parallel=True).effect


def two(bus: Bus, settings: str = "") -> None:
    """Let bob and carol be the two of a collab mount, with these settings."""
    folder = Path(bus.root.path).parent / "collab"
    folder.mkdir()
    mount = f'[mounts.two]\ndialect = "collab"\npath = "{folder}"\na = "bob"\nb = "carol"\n{settings}'
    configured(bus, f"\n{mount}")
    bus.agents()


def test_two_of_a_collab_mount_are_refused_a_second_task_without_being_asked(bus: Bus) -> None:
    two(bus)
    bus.send("carol", "Do this", act="assign", task="t1", sender="bob")
    bus.agents()

    with refused(bus, "one-at-a-time"):
        bus.send("carol", "Do that", act="assign", task="t2", sender="bob")


def test_two_of_a_collab_mount_answer_before_they_give_a_task(bus: Bus) -> None:
    two(bus)
    bus.send("bob", "Which key?", act="ask", sender="carol")
    bus.agents()

    with refused(bus, "answer-first"):
        bus.send("carol", "Do this", act="assign", task="t1", sender="bob")


def test_a_collab_mount_may_declare_that_tasks_run_side_by_side(bus: Bus) -> None:
    two(bus, "parallel = true")
    bus.send("carol", "Do this", act="assign", task="t1", sender="bob")

    assert bus.send("carol", "Do that", act="assign", task="t2", sender="bob").fresh
    assert bus.session.view.notes == []


@pytest.mark.parametrize(("talk", "notes"), [("report", 1), ("ignore", 0)])
def test_a_mount_has_manners_of_its_own(bus: Bus, talk: str, notes: int) -> None:
    two(bus, f'talk = "{talk}"')
    bus.send("carol", "Do this", act="assign", task="t1", sender="bob")

    assert bus.send("carol", "Do that", act="assign", task="t2", sender="bob").fresh
    assert len([note for note in bus.session.view.notes if "carol has t1" in note]) == notes


def test_the_manners_of_a_mount_are_those_of_who_lives_there(bus: Bus) -> None:
    two(bus)
    bus.send("dora", "Do this", act="assign", task="t1")

    assert bus.send("dora", "Do that", act="assign", task="t2").fresh


def test_where_it_is_only_reported_it_is_said_beside_the_answer(bus: Bus) -> None:
    bus.send("bob", "Do this", act="assign", task="t1")
    bus.send("bob", "Do that", act="assign", task="t2")

    assert any("bob has t1" in note for note in bus.session.view.notes)
    assert bus.task("t2").task.holder == "bob"


def test_questions_that_are_made_anew_are_the_same(bus: Bus) -> None:
    test_any_activity_answers_a_nudge_and_only_a_word_to_the_asker_a_ping(bus)
    bus.send(["bob", "carol"], "Who?", act="ask", task="x")
    bus.send("ada", "Me", sender="bob", act="answer")
    bus.inbox("bob")

    live = dump(bus)

    assert rebuilt(bus) == live
