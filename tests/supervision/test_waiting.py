"""What somebody waits for is remembered: a reminder, then another who takes it, or who can decide."""

from pathlib import Path

import pytest

from palaver.model.event import text, texts
from tests.supervision.scene import MINUTE, WORKER, Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def reminders(scene: Scene, agent: str) -> list[str]:
    return [text(event.data, "body") for event in scene.said("remind") if texts(event.data, "to") == [agent]]


def test_an_unanswered_question_is_remembered_then_escalated_to_operations_then_to_the_ceo(
    scene: Scene,
) -> None:
    asked = scene.bus.send("qa", "Which port?", sender=WORKER, act="ask").message.id
    steps = scene.later(60 * MINUTE)

    assert [(step.rule, step.to) for step in steps] == [
        ("remind", ("qa",)),
        ("remind", ("qa",)),
        ("escalate", ("operations",)),
        ("escalate", ("ceo",)),
    ]
    assert all(asked in body for body in reminders(scene, "qa"))


def test_an_answer_withdraws_the_reminder_and_the_escalation(scene: Scene) -> None:
    asked = scene.bus.send("qa", "Which port?", sender=WORKER, act="ask").message.id
    scene.later(40 * MINUTE)
    assert [mail.message.act for mail in scene.bus.inbox("operations").mail] == ["escalate"]
    scene.bus.reply(asked, "8080", sender="qa")
    scene.later(2 * MINUTE)

    assert scene.bus.inbox("operations").mail == []
    assert [mail for mail in scene.bus.inbox("qa").mail if mail.message.sender == "palaver"] == []


def test_one_reminder_names_everything_that_waits(scene: Scene) -> None:
    ids = [scene.bus.send("qa", f"{n}?", sender=WORKER, act="ask").message.id for n in range(5)]
    scene.later(11 * MINUTE)

    [body] = reminders(scene, "qa")
    assert [each for each in ids if each not in body] == []


def test_between_two_reminders_of_one_agent_there_is_a_cooldown(scene: Scene) -> None:
    scene.bus.send("qa", "First?", sender=WORKER, act="ask")
    scene.later(5 * MINUTE)
    scene.bus.send("qa", "Second?", sender=WORKER, act="ask")
    scene.later(11 * MINUTE)

    assert len(reminders(scene, "qa")) == 1
    scene.later(6 * MINUTE)
    assert len(reminders(scene, "qa")) == 2


def test_reminders_of_one_agent_in_a_day_are_capped_and_the_rest_climbs_without(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "[deadlines]\ncap = 2\ncooldown = 60\nquestion = 60\nescalate = 600")
    for number in range(6):
        scene.bus.send("qa", f"{number}?", sender=WORKER, act="ask")
        scene.later(3 * MINUTE)
    scene.later(20 * MINUTE)

    assert len(reminders(scene, "qa")) == 2
    higher = [event for event in scene.said("escalate") if texts(event.data, "to") == ["operations"]]
    about = "\n".join(text(event.data, "body") for event in higher)
    assert about.count("waits for qa") == 6


def test_a_claim_a_delivery_a_block_and_a_mention_are_remembered(scene: Scene) -> None:
    scene.bus.open_task("A", task="a", by="ceo", approval=True)
    scene.bus.claim("a", by=WORKER)
    scene.bus.open_task("B", task="b", by="ceo")
    scene.bus.claim("b", by="f/workers/slot1")
    scene.bus.deliver("b", "branch b", by="f/workers/slot1")
    scene.bus.open_task("C", task="c", by="ceo")
    scene.bus.claim("c", by="f/workers/slot1")
    scene.bus.move("c", "block", "No key.", by="f/workers/slot1")
    scene.bus.send("qa", "@qa look", sender="ceo", meta={"mentions": ["@qa"]})
    scene.later(11 * MINUTE)

    [to_ceo] = reminders(scene, "ceo")
    assert ["approval of a" in to_ceo, "delivered b" in to_ceo, "blocked on c" in to_ceo] == [True] * 3
    assert "mentioned you" in reminders(scene, "qa")[0]


def test_a_task_that_its_worker_ignores_is_open_again_and_its_owner_is_told(scene: Scene) -> None:
    scene.give(taken=False)
    for _ in range(33):
        # Active all the time, with everything but this.
        scene.bus.send("ceo", "Something else.", sender=WORKER)
        scene.later(1 * MINUTE)

    assert scene.bus.task("t1").task.state == "open"
    [told] = scene.said("told")
    assert texts(told.data, "to") == ["ceo", "f/supervisor"]
    assert "it has not taken t1" in text(told.data, "body")


def test_a_handoff_that_nobody_takes_goes_back(scene: Scene) -> None:
    scene.give()
    scene.bus.move("t1", "handoff", "Yours.", by=WORKER, to="qa")
    for _ in range(33):
        scene.bus.send("ceo", "Something else.", sender="qa")
        scene.later(1 * MINUTE)

    task = scene.bus.task("t1").task
    assert (task.state, task.holder) == ("assigned", WORKER)


def test_a_task_without_done_or_blocked_is_asked_for(scene: Scene) -> None:
    scene.give()
    for _ in range(62):
        scene.bus.send("qa", "Chatting.", sender=WORKER)
        scene.later(1 * MINUTE)

    assert "you are working on t1" in reminders(scene, WORKER)[0]


def test_who_waits_in_a_circle_is_brought_to_operations(scene: Scene) -> None:
    scene.bus.send("qa", "First you?", sender=WORKER, act="ask")
    scene.bus.send(WORKER, "No, you?", sender="qa", act="ask")

    [step] = scene.later(6 * MINUTE)

    assert (step.rule, step.tag, step.to) == ("escalate", "circle", ("operations",))


def test_an_escalation_of_an_agent_that_operations_ignores_goes_to_the_ceo(scene: Scene) -> None:
    scene.bus.send("operations", "The disk is full.", sender=WORKER, act="escalate")

    [step] = scene.later(17 * MINUTE)

    assert (step.rule, step.to) == ("escalate", ("ceo",))


def test_an_escalation_that_is_acknowledged_goes_no_further(scene: Scene) -> None:
    sent = scene.bus.send("operations", "The disk is full.", sender=WORKER, act="escalate").message.id
    scene.later(5 * MINUTE)
    scene.bus.ack([sent], agent="operations")

    assert scene.later(60 * MINUTE) == []


def test_an_escalation_stands_on_top_of_what_is_waited_for(scene: Scene) -> None:
    scene.bus.send("qa", "Which port?", sender=WORKER, act="ask")
    scene.bus.send("ceo", "The disk is full.", sender=WORKER, act="escalate")

    kinds = [wait.kind for wait in scene.bus.waiting().waits]

    assert kinds == ["escalation", "ask"]


def test_without_a_ceo_the_person_is_asked(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    for agent in ("ceo", "operations"):
        scene.bus.retire_agent(agent)
    scene.bus.send("qa", "Which port?", sender=WORKER, act="ask")

    steps = scene.later(40 * MINUTE)

    assert [step.to for step in steps if step.rule == "escalate"] == [("ada",)]


def test_who_is_gone_cannot_be_reminded_so_it_climbs_at_once(scene: Scene) -> None:
    scene.bus.send("qa", "Which port?", sender=WORKER, act="ask")
    scene.bus.retire_agent("qa")

    assert scene.rules(scene.later(11 * MINUTE)) == ["escalate"]
