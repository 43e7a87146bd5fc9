"""The person steps in with his key: he leads; his name alone does not. And what is stuck is told once."""

from pathlib import Path

import pytest

from palaver.api import Bus
from palaver.bus.identity import vouch
from palaver.model.errors import NotPermitted
from palaver.wiring import begin


def bus_of(folder: Path) -> Bus:
    """Return a bus whose person is `you`, with three agents and a task that is `lead`'s."""
    begin(str(folder), "you")
    bus = Bus(str(folder), agent="you")
    for name in ("lead", "ada", "bob"):
        bus.add_agent(name)
    bus.open_task("Theirs", task="theirs", by="lead")
    bus.claim("theirs", by="ada")
    return bus


def test_the_person_moves_any_task_with_his_key(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    vouch(bus.session)

    moved = bus.move("theirs", "assign", to="bob")

    assert moved.effect
    assert moved.card.task.holder == "bob"
    assert bus.events(limit=1, event_type="mail.sent")[0].auth == "token"


def test_the_name_of_the_person_alone_has_no_power(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)

    with pytest.raises(NotPermitted):
        bus.move("theirs", "assign", to="bob")

    assert bus.task("theirs").task.holder == "ada"


def test_another_name_has_no_power_by_the_persons_process(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    vouch(bus.session)

    with pytest.raises(NotPermitted):
        bus.move("theirs", "assign", to="bob", by="bob")


def test_the_person_changes_a_task_and_sets_autonomy_with_his_key(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    with pytest.raises(NotPermitted):
        bus.change_task("theirs", title="Ours")
    with pytest.raises(NotPermitted):
        bus.send("ada", "gated", act="autonomy", meta={"agent": "ada", "level": "gated"})
    vouch(bus.session)

    bus.change_task("theirs", title="Ours")
    bus.send("ada", "gated", act="autonomy", meta={"agent": "ada", "level": "gated"})
    bus.open_task("Next", task="next", by="lead")

    assert bus.task("theirs").task.title == "Ours"
    assert bus.claim("next", by="ada").card.task.state == "claimed"


def test_a_rebuilt_view_agrees_about_the_person(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    vouch(bus.session)
    bus.move("theirs", "assign", to="bob")

    bus.rebuild()

    assert bus.task("theirs").task.holder == "bob"


def test_every_way_of_sending_carries_the_proof(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    vouch(bus.session)

    bus.send("ada", "plain")
    bus.send("ada", "with a key", key="one")
    bus.send("ada", "as another", sender="lead")

    said = [(event.actor, event.auth) for event in bus.events(limit=3, event_type="mail.sent")]
    assert said == [("you", "token"), ("you", "token"), ("lead", "claimed")]


def test_whoever_is_unblocked_by_another_hears_of_it(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    bus.move("theirs", "block", "Which?", by="ada")

    moved = bus.move("theirs", "resume", "This.", by="lead")

    assert "ada" in moved.message.to


# --- what is stuck ---


def stuck(bus: Bus) -> list[tuple[str, str, list[str]]]:
    """Return what the picture shows as stuck: what is wanted, of which task, from whom."""
    shown: list[dict[str, object]] = bus.picture()["unanswered"]  # type: ignore[assignment]  # as it is made
    return [(str(item["wanted"]), str(item["task"]), item["movers"]) for item in shown]  # type: ignore[misc]


def test_a_delivery_is_stuck_until_it_is_accepted_and_told_once(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    bus.deliver("theirs", "It stands.", by="ada")

    assert stuck(bus) == [("accept", "theirs", ["lead"])]
    bus.move("theirs", "accept", by="lead")

    # The mail that said so lies in lead's inbox; nobody waits for it.
    assert stuck(bus) == []


def test_a_question_to_several_is_one_thing(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    bus.send(["ada", "bob"], "Who?", sender="lead", act="ask")

    [(wanted, _, movers)] = stuck(bus)

    assert (wanted, sorted(movers)) == ("answer", ["ada", "bob"])


def test_a_nudge_is_told_beside_what_it_is_about(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    bus.send("bob", "When?", sender="ada", act="ask")
    bus.send("bob", "ada waits", act="nudge")

    shown: list[dict[str, object]] = bus.picture()["unanswered"]  # type: ignore[assignment]  # as it is made

    assert [(item["wanted"], bool(item["nudged"])) for item in shown] == [("answer", True)]


def test_who_waits_for_each_other_is_named(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    bus.send("bob", "You?", sender="ada", act="ask")
    bus.send("ada", "And you?", sender="bob", act="ask")

    assert bus.picture()["cycles"] == [["ada", "bob", "ada"]]


# --- the board and the life of a task ---


def test_what_an_event_changed_is_its_task_and_those_that_need_it(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    bus.open_task("Later", task="later", by="lead", needs=["theirs"])
    bus.deliver("theirs", "It stands.", by="ada")
    bus.move("theirs", "accept", by="lead")
    event = next(
        event for event in bus.events(limit=9, event_type="mail.sent") if event.data.get("act") == "accept"
    )

    cards = {card["id"]: card["column"] for card in bus.cards_changed([event])}

    assert cards == {"theirs": "Done", "later": "Ready"}


def test_a_life_holds_moves_without_effect_words_and_what_may_be_done(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    bus.send("lead", "Half of it.", sender="ada", act="report", task="theirs")
    vouch(bus.session)

    life = bus.life("theirs")

    assert [move["act"] for move in life["moves"]] == ["open", "claim"]  # type: ignore[attr-defined]  # a list
    assert [said["gist"] for said in life["messages"]][-1] == "Half of it."  # type: ignore[attr-defined]  # a list
    assert life["acts"] == ["accept", "assign", "release", "cancel"]
    assert "deliver" in bus.life("theirs", agent="ada")["acts"]  # type: ignore[operator]  # a list


def test_figures_of_work_tell_times_in_states_and_what_came_back(tmp_path: Path) -> None:
    bus = bus_of(tmp_path)
    bus.deliver("theirs", "It stands.", by="ada")
    bus.move("theirs", "rework", "It falls.", by="lead")
    bus.send("ada", "Well?", act="nudge")

    told = bus.insight()

    spent = {row["state"]: row["count"] for row in told["in_state"]}  # type: ignore[attr-defined]  # a list
    assert (spent["open"], spent["working"], spent["delivered"]) == (1, 1, 1)
    assert told["again"] == [{"agent": "ada", "reworks": 1, "nudges": 1}]
