"""One table of moves: every state is reached and left, and every word of others is understood."""

import pytest

from palaver.dialects import DIALECTS, spec
from palaver.model.message import ACTS
from palaver.model.task import ENDED, MOVES, STATES, Bar, Barred, Move, Task, acts_in, judge, moves
from palaver.views.tasks.board import from_row

NOBODY: frozenset[str] = frozenset()


def task(state: str = "open", *, holder: str = "", approval: bool = False) -> Task:
    found = Task("t", owner="ada")
    found.state, found.holder, found.approval = state, holder, approval
    return found


def test_the_table_knows_no_act_and_no_state_of_its_own() -> None:
    assert {move.act for move in MOVES} <= set(ACTS)
    assert {move.before for move in MOVES} | {move.to for move in MOVES} == set(STATES)


def test_every_state_can_be_reached_and_can_be_left() -> None:
    reached = {"open"}
    while more := {move.to for move in MOVES if move.before in reached} - reached:
        reached |= more

    assert reached == set(STATES)
    assert all(acts_in(state) for state in STATES)


def test_from_every_state_a_task_can_come_to_an_end() -> None:
    ending = set(ENDED)
    while more := {move.before for move in MOVES if move.to in ending} - ending:
        ending |= more

    assert ending == set(STATES)


def test_no_two_rows_say_different_things_of_the_same_case() -> None:
    cases = [(move.before, move.act, move.when, who) for move in MOVES for who in move.who]

    assert len(cases) == len(set(cases))


def test_a_claim_takes_an_open_task_and_waits_only_where_claims_are_approved() -> None:
    free = judge(task(), "claim", "bob", leads=NOBODY)
    approved = judge(task(approval=True), "claim", "bob", leads=NOBODY)

    assert isinstance(free, Move)
    assert free.to == "working"
    assert isinstance(approved, Move)
    assert approved.to == "claimed"


def test_a_verdict_is_passed_on_by_others_than_those_that_it_is_about() -> None:
    working, done = task("working", holder="bob"), task("done", holder="bob")

    assert judge(working, "approve", "ada", leads=NOBODY) == Barred(Bar.STATE, "it is working")
    assert judge(working, "approve", "bob", leads=NOBODY) == Barred(
        Bar.PERMISSION, "only its owner (ada) may approve it"
    )
    assert judge(done, "accept", "bob", leads=NOBODY) == Barred(
        Bar.PERMISSION, "only its owner (ada) may accept it"
    )
    assert judge(done, "accept", "carol", leads=NOBODY) == Barred(Bar.STATE, "it is done")


def test_who_claims_what_somebody_has_is_told_who() -> None:
    found = judge(task("working", holder="bob"), "claim", "carol", leads=NOBODY)

    assert found == Barred(Bar.TAKEN, "bob has it")


def test_the_holder_does_not_approve_his_own_claim() -> None:
    claimed = task("claimed", holder="bob", approval=True)
    claimed.owner = ""

    assert isinstance(judge(claimed, "approve", "bob", leads=NOBODY), Barred)
    assert isinstance(judge(claimed, "approve", "carol", leads=NOBODY), Move)


def test_who_leads_may_do_what_the_owner_may() -> None:
    delivered = task("delivered", holder="bob")

    assert isinstance(judge(delivered, "accept", "td", leads=NOBODY), Barred)
    assert isinstance(judge(delivered, "accept", "td", leads=frozenset(["td"])), Move)


def test_a_task_survives_its_row() -> None:
    found = task("claimed", holder="bob", approval=True)

    assert from_row(found.row()).plain() == found.plain()


def test_what_a_damaged_view_holds_instead_of_a_value_is_empty() -> None:
    row = [b"\0" for _ in task().row()]

    damaged = from_row(row)

    assert {type(value) for value in damaged.plain().values()} == {str, int, bool}
    assert not any(damaged.plain().values())


def test_a_move_that_is_not_in_the_table_is_none() -> None:
    assert moves("done", "claim") == []


# --- how others call the states ---


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_status_that_was_read_is_written_again_as_it_was(dialect: str) -> None:
    statuses = spec(dialect).statuses
    for state in STATES:
        word = statuses.word(state)

        assert statuses.state(word), (state, word)
        assert statuses.word(statuses.state(word)) == word


def test_an_office_task_that_waits_is_new() -> None:
    statuses = spec("office").statuses

    assert statuses.word("open", ready=False) == "New"
    assert statuses.word("open") == "Ready"
    assert statuses.state("Decomposing") == "open"
    assert statuses.state("nonsense") == ""
