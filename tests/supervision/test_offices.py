"""An office counts polls of its manager; two of a collab look after each other."""

from pathlib import Path

import pytest

from palaver.bus.polls.poll import poll
from palaver.model.event import table, text, texts
from tests.bus.scene import bus_in
from tests.supervision.scene import MINUTE, Scene

OFFICE = '[policy]\nmanager = "boss"\napproval = true\n[mounts.office]\ndialect = "office"\npath = "office"\n'
COLLAB = '[mounts.pair]\ndialect = "collab"\npath = "pair"\na = "jim"\nb = "clawdy"\nperson = "ada"\n'


def settled(scene: Scene, mount: str, *agents: str) -> None:
    """Let agents live in a mount."""
    from palaver.bus.writer import draft

    for agent in agents:
        scene.bus.session.log.append([draft("agent.registered", "palaver", {"agent": agent, "mount": mount})])
    scene.bus.agents()
    scene.patrol()


@pytest.fixture
def office(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path, OFFICE)
    settled(scene, "office", "boss", "emp-a", "emp-b")
    return scene


def approved(scene: Scene, task: str = "004", worker: str = "emp-a") -> None:
    scene.bus.open_task("Home page", task=task, by="boss")
    scene.bus.claim(task, by=worker)
    scene.bus.move(task, "approve", by="boss")


def tags(scene: Scene, agent: str) -> list[str]:
    """Return the tags of what was done about an agent, in order."""
    mail = [event for event in scene.events("mail.sent") if event.actor == "palaver"]
    steps = [step.split() for event in mail for step in texts(table(event.data, "meta"), "steps")]
    tags = {"release.004": text(mail[-1].data, "tag")} if mail else {}
    words = [tags.get(rule, rule.partition(".")[2]) for _, rule, about, _ in steps if about == agent]
    return [word for word in words if word.isupper()]


def polls(scene: Scene, count: int) -> None:
    for _ in range(count):
        poll(scene.bus.session, "boss", lead=True)
        scene.ticks += 30.0
        scene.patrol()


def test_minutes_do_nothing_to_a_worker_of_an_office(office: Scene) -> None:
    approved(office)

    assert [step for step in office.later(60 * MINUTE) if step.agent == "emp-a"] == []


def test_a_worker_that_is_not_heard_of_is_woken_twice_and_then_loses_its_work(office: Scene) -> None:
    approved(office)

    # The first poll finds the approval, which is the last sign of life.
    polls(office, 1)
    assert tags(office, "emp-a") == []
    polls(office, 1)
    assert tags(office, "emp-a") == ["WAKE"]
    polls(office, 1)
    assert tags(office, "emp-a") == ["WAKE", "WAKE_FINAL"]
    polls(office, 1)
    assert tags(office, "emp-a") == ["WAKE", "WAKE_FINAL", "ABANDON"]
    assert office.bus.task("004").task.state == "open"
    assert any("marked inactive" in mail.message.body for mail in office.bus.inbox("boss").mail)


def test_a_heartbeat_begins_it_anew(office: Scene) -> None:
    approved(office)
    polls(office, 3)
    poll(office.bus.session, "emp-a")
    polls(office, 1)
    assert tags(office, "emp-a") == ["WAKE", "WAKE_FINAL"]
    polls(office, 1)

    assert tags(office, "emp-a") == ["WAKE", "WAKE_FINAL", "WAKE"]
    assert office.bus.task("004").task.holder == "emp-a"


def test_many_patrols_between_two_rounds_count_as_none(office: Scene) -> None:
    approved(office)
    polls(office, 2)
    office.later(30 * MINUTE)

    assert tags(office, "emp-a") == ["WAKE"]


def test_who_claims_nothing_is_warned_and_then_reported(office: Scene) -> None:
    office.bus.open_task("Home page", task="004", by="boss")
    for _ in range(3):
        poll(office.bus.session, "emp-b")
        polls(office, 1)
    assert tags(office, "emp-b") == ["IDLE_WARNING"]
    polls(office, 1)

    assert tags(office, "emp-b") == ["IDLE_WARNING", "IDLE_REPORT"]
    assert "ceo" in {name for event in office.said("escalate") for name in texts(event.data, "to")}


def test_a_claim_that_nobody_approves_in_three_rounds_is_let_go(office: Scene) -> None:
    office.bus.open_task("Home page", task="004", by="boss")
    office.bus.claim("004", by="emp-a")
    for _ in range(3):
        poll(office.bus.session, "emp-a")
    office.patrol()

    assert tags(office, "emp-a") == ["TIMEOUT"]
    assert office.bus.task("004").task.state == "open"


@pytest.fixture
def pair(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path, COLLAB)
    settled(scene, "pair", "jim", "clawdy")
    scene.bus.open_task("Price", task="price", by="jim")
    scene.bus.move("price", "assign", "BTC price", by="jim", to="clawdy")
    scene.bus.move("price", "ack", by="clawdy")
    scene.patrol()
    return scene


def test_who_is_blocked_twice_in_one_task_gives_it_to_the_other(pair: Scene) -> None:
    pair.bus.move("price", "block", "429", by="clawdy")
    assert pair.later(1 * MINUTE) == []
    pair.bus.move("price", "resume", by="clawdy")
    pair.bus.move("price", "block", "429 again", by="clawdy")
    pair.later(1 * MINUTE)

    task = pair.bus.task("price").task
    assert (task.state, task.holder) == ("assigned", "jim")


def test_the_watchdog_tells_the_other_and_the_person_and_the_work_stays(pair: Scene) -> None:
    steps = pair.later(17 * MINUTE)

    assert pair.rules(steps) == ["nudge", "kill", "told", "escalate"]
    assert [step.to for step in steps[-2:]] == [("@pair",), ("jim", "ceo")]
    assert pair.bus.task("price").task.holder == "clawdy"


def test_a_bus_without_any_company_can_be_patrolled(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)

    from palaver.supervision.patrol_service import PatrolService

    found = PatrolService(bus.session, note=print).run_once()
    assert found is not None
    assert found.steps == []
