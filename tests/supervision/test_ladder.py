"""Idle with work: nudged, then killed and out of its work, then somebody who can decide hears of it."""

import os
from pathlib import Path

import pytest

from palaver.model.event import text, texts
from tests.supervision.scene import MINUTE, WORKER, Scene

GRACELESS = "[deadlines]\ngrace = 0"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    found = Scene(tmp_path, GRACELESS)
    found.give()
    found.started()
    # Somebody looks before time can pass.
    found.patrol()
    return found


def alive(scene: Scene) -> None:
    """Let the supervisor give signs of life, so that only the worker is late."""
    scene.bus.send("ceo", "All is well.", sender="f/supervisor")


def test_the_way_of_the_seed_up_to_the_ceo(scene: Scene) -> None:
    alive(scene)
    assert scene.rules(scene.later(4.5 * MINUTE)) == []
    assert scene.rules(scene.later(1 * MINUTE)) == ["nudge"]
    alive(scene)
    assert scene.rules(scene.later(9 * MINUTE)) == ["told"]
    alive(scene)
    assert scene.rules(scene.later(1 * MINUTE)) == ["kill", "told", "release"]
    assert scene.bus.task("t1").task.state == "open"
    assert scene.rules(scene.later(14 * MINUTE)) == []
    assert scene.rules(scene.later(1 * MINUTE)) == ["escalate"]
    assert scene.rules(scene.later(14 * MINUTE)) == []
    [last] = scene.later(2 * MINUTE)

    assert (last.rule, last.to) == ("escalate", ("ceo",))
    assert [mail.message.act for mail in scene.bus.inbox("ceo").mail if mail.message.act == "escalate"]
    assert scene.rules(scene.later(120 * MINUTE)) == []


def test_a_nudge_is_mail_and_an_event_that_name_their_cause(scene: Scene) -> None:
    scene.later(6 * MINUTE)

    [mail] = [mail.message for mail in scene.bus.inbox(WORKER).mail if mail.message.act == "nudge"]
    [event] = scene.events("agent.nudged")
    assert "t1" in mail.body
    assert text(event.data, "message_id") == mail.id
    assert event.caused_by == scene.said("nudge")[0].caused_by == scene.events("run.started")[0].event_id


def test_who_gave_the_work_is_told_of_a_kill(scene: Scene) -> None:
    scene.later(17 * MINUTE)

    told = [mail.message.body for mail in scene.bus.inbox("ceo").mail if WORKER in mail.message.body]
    assert any("is out of its work" in body and "t1" in body for body in told)


def test_whose_session_is_of_another_container_patrols_like_everybody(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What the kernel answers where the session was begun outside, as with `docker exec` and in many a CI.
    monkeypatch.setattr(os, "getsid", lambda _: 0)

    assert "kill" in scene.rules(scene.later(17 * MINUTE))


@pytest.mark.parametrize("sign", ["output", "hook", "mail", "read", "prime"])
def test_any_activity_begins_it_anew(scene: Scene, sign: str) -> None:
    scene.later(14 * MINUTE)
    if sign == "output":
        scene.heard()
    elif sign == "hook":
        from palaver.bus.writer import draft

        scene.bus.session.log.append([draft("agent.activity", "palaver", {"agent": WORKER, "how": "hook"})])
    elif sign == "mail":
        scene.bus.send("ceo", "Still at it.", sender=WORKER)
    elif sign == "read":
        scene.bus.read(agent=WORKER)
    else:
        scene.bus.prime(agent=WORKER)

    assert "kill" not in scene.rules(scene.later(14.5 * MINUTE))


def test_who_waits_for_an_answer_is_not_idle(scene: Scene) -> None:
    scene.bus.send("ceo", "Which port?", sender=WORKER, act="ask")

    steps = scene.later(60 * MINUTE)

    assert [step for step in steps if step.rule in ("nudge", "kill", "release")] == []
    assert "ceo" in {name for step in steps if step.rule == "remind" for name in step.to}


def test_who_is_blocked_or_waits_for_approval_is_not_idle(scene: Scene) -> None:
    scene.bus.move("t1", "block", "No key.", by=WORKER)

    assert "kill" not in scene.rules(scene.later(60 * MINUTE))


def test_who_has_no_work_is_left_alone(scene: Scene) -> None:
    scene.bus.deliver("t1", "branch x", by=WORKER)

    steps = scene.later(60 * MINUTE)

    assert [step for step in steps if step.agent == WORKER] == []


def test_there_is_a_grace_after_the_start(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.give()
    scene.started()

    assert "nudge" not in scene.rules(scene.later(9.5 * MINUTE))
    assert "nudge" in scene.rules(scene.later(1.5 * MINUTE))


def test_a_crashed_agent_loses_its_work_at_once_and_the_assigner_is_told(scene: Scene) -> None:
    scene.ended(signal=9)

    steps = scene.later(2 * MINUTE)

    assert scene.rules(steps) == ["told", "release"]
    assert scene.bus.task("t1").task.state == "open"


def test_an_agent_that_ended_well_is_nudged_before_anything_else(scene: Scene) -> None:
    scene.ended()

    assert scene.rules(scene.later(6 * MINUTE)) == ["nudge"]


def test_an_agent_whose_program_is_not_ours_is_reported_and_keeps_its_work(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.give()

    steps = scene.later(40 * MINUTE)

    assert [step for step in steps if step.rule in ("kill", "release")] == []
    assert [step.to for step in steps if step.rule == "escalate" and step.agent == WORKER] == [
        ("operations",)
    ]
    assert scene.bus.task("t1").task.holder == WORKER


def test_the_policy_may_take_work_from_who_is_unseen(tmp_path: Path) -> None:
    scene = Scene(tmp_path, '[policy]\nunseen = "release"')
    scene.give()

    assert "release" in scene.rules(scene.later(20 * MINUTE))


def test_a_person_is_neither_nudged_nor_killed_for_being_slow(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.give(worker="ada")

    assert [step for step in scene.later(50 * MINUTE) if step.agent == "ada"] == []


def test_a_release_does_not_take_the_task_from_a_later_holder(scene: Scene) -> None:
    scene.later(14 * MINUTE)
    found = scene.passed(dry=True)
    assert found is not None
    scene.bus.move("t1", "assign", by="ceo", to="f/workers/slot1")

    scene.later(3 * MINUTE)

    assert scene.bus.task("t1").task.holder == "f/workers/slot1"


def test_a_nudge_that_is_no_longer_true_is_withdrawn(scene: Scene) -> None:
    scene.later(6 * MINUTE)
    scene.bus.send("ceo", "Here.", sender=WORKER)
    scene.later(1 * MINUTE)

    assert [mail for mail in scene.bus.inbox(WORKER).mail if mail.message.act == "nudge"] == []


def test_a_supervisor_is_pinged_and_operations_hears_if_it_does_not_answer(scene: Scene) -> None:
    for _ in range(20):
        scene.later(1 * MINUTE)
        scene.heard()
    steps = scene.later(5 * MINUTE)

    assert [event for event in scene.said("ping") if texts(event.data, "to") == ["f/supervisor"]]
    assert ("f/supervisor", ("operations",)) in {
        (text(event.data, "body").split()[0], tuple(texts(event.data, "to")))
        for event in scene.said("escalate")
    }, steps


def test_any_sign_of_life_answers_a_ping(scene: Scene) -> None:
    for _ in range(17):
        scene.later(1 * MINUTE)
        scene.heard()
    scene.bus.send("operations", "Here.", sender="f/supervisor")
    for _ in range(8):
        scene.later(1 * MINUTE)
        scene.heard()

    assert len(scene.said("ping")) == 1
    assert scene.said("escalate") == []


def test_an_assignment_to_closed_work_is_reported(scene: Scene) -> None:
    from palaver.bus.writer import draft

    data: dict[str, object] = {"agent": "f/workers/slot1", "ref_type": "work_order", "ref_id": "wo-nothing"}
    scene.bus.session.log.append([draft("assignment.set", "ceo", data)])

    [step] = [step for step in scene.later(2 * MINUTE) if step.tag == "closed"]

    assert (step.agent, step.to) == ("f/workers/slot1", ("ceo",))
