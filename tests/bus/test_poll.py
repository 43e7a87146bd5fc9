"""Polls of an office: what a worker and a lead are told, in which order, and what three polls mean."""

from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.polls.poll import poll
from tests.bus.scene import bus_in
from tests.bus.test_tasks import configured
from tests.views.dumps import dump, rebuilt

POLICY = 'manager = "ada"\nparallel = false\napproval = true'


@pytest.fixture
def office(tmp_path: Path) -> Bus:
    bus = bus_in(tmp_path)
    for agent in ("emp-a", "emp-b"):
        bus.add_agent(agent, level=3)
    configured(bus, POLICY)
    bus.open_task("Home page", task="004", difficulty=3)
    bus.open_task("Hard", task="005", difficulty=5)
    return bus


def told(bus: Bus, agent: str) -> list[str]:
    return [item.words for item in poll(bus.session, agent).items]


def parts(bus: Bus) -> list[str]:
    return list(dict.fromkeys(item.part for item in poll(bus.session, "ada", lead=True).items))


def test_a_worker_is_told_what_it_can_claim_and_nothing_else(office: Bus) -> None:
    assert told(office, "emp-a") == ["004 can be claimed: Home page"]


def test_a_worker_that_has_a_task_is_told_to_go_on(office: Bus) -> None:
    office.claim("004", by="emp-a")
    office.move("004", "approve")

    assert told(office, "emp-a") == ["004 is yours: go on, then deliver"]
    assert told(office, "emp-b") == ["there is nothing that you can claim now"]


def test_a_claim_that_nobody_approves_is_let_go_after_three_rounds(office: Bus) -> None:
    office.claim("004", by="emp-a")

    polls = [told(office, "emp-a")[0] for _ in range(3)]

    assert polls[0].endswith("poll 1 of 3")
    assert polls[1].endswith("poll 2 of 3")
    assert "let it go" in polls[2]


def test_a_look_is_a_sign_of_life_and_the_manager_hears_of_it(office: Bus) -> None:
    office.claim("004", by="emp-a")
    before = office.task("004").task.touched
    poll(office.session, "emp-a")

    assert office.task("004").task.touched > before
    [heartbeat] = [mail for mail in office.inbox("ada").mail if mail.message.act == "report"]
    assert heartbeat.message.body == "waiting for 004"


def test_the_manager_is_told_in_the_order_of_the_handbook(office: Bus) -> None:
    office.open_task("C", task="006", by="ada")
    office.claim("006", by="emp-b")
    office.move("006", "approve")
    office.deliver("006", "page.html", by="emp-b")
    office.claim("004", by="emp-a")
    office.send("ada", sender="emp-b", act="claim", task="004")
    office.send("ada", "Which colour?", sender="emp-b", act="ask")
    office.send("ada", "all", sender="emp-b", act="deliver", task="004")

    assert parts(office) == ["conflicts", "approvals", "deliveries", "questions", "violations", "announce"]
    assert "conflicts" not in parts(office), "what was told once is not new"


def test_who_has_work_and_is_silent_is_woken_and_then_loses_it(office: Bus) -> None:
    office.claim("004", by="emp-a")
    office.move("004", "approve")

    idle = [
        [item.words for item in poll(office.session, "ada", lead=True).items if item.part == "idle"]
        for _ in range(4)
    ]

    # The first poll finds the approval, which is the last sign of life.
    assert idle[0] == []
    assert "wake it" in idle[1][0]
    assert "wake it" in idle[2][0]
    assert "take 004 back" in idle[3][0]


def test_a_task_that_can_never_be_ready_is_an_anomaly(office: Bus) -> None:
    office.open_task("After", task="007", needs=["004"])
    office.move("004", "cancel")

    assert [
        item.task for item in poll(office.session, "ada", lead=True).items if item.part == "anomalies"
    ] == ["007"]


def test_rounds_that_are_made_anew_are_the_same(office: Bus) -> None:
    told(office, "emp-a")
    parts(office)
    office.tasks()
    live = dump(office)

    assert rebuilt(office) == live
