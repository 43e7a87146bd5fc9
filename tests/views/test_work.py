"""Any acts of any agents: board and assignments agree with a simple model, and a replay gives the same."""

import random
from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.tasks.assignment import everyone
from palaver.bus.tasks.consequences import settle
from palaver.bus.writer import draft
from palaver.model.message import Message
from palaver.model.task import TASK_ACTS
from tests.bus.scene import bus_in
from tests.dice import seed as drawn_seed
from tests.views.dumps import dump, rebuilt
from tests.views.work_model import Job, Model

AGENTS = ("ada", "bob", "carol", "dora")
STEPS = 400


def prepared(bus: Bus, dice: random.Random) -> Model:
    """Open tasks of every kind, some of which need others."""
    model = Model()
    for number in range(8):
        name, owner = f"t{number}", dice.choice(AGENTS)
        known = list(model.jobs)
        needs = tuple(dice.sample(known, k=min(len(known), dice.choice([0, 0, 1, 2]))))
        approval, check = dice.random() < 0.4, dice.random() < 0.7
        model.jobs[name] = Job(owner=owner, approval=approval, check=check, needs=needs)
        bus.open_task(
            f"Task {number}", task=name, by=owner, needs=list(needs), approval=approval, check=check
        )
    return model


def likely(model: Model, dice: random.Random) -> tuple[str, str, str]:
    """Draw who says what of which task; most often somebody whom it concerns."""
    name = dice.choice(list(model.jobs))
    job = model.jobs[name]
    concerned = [job.owner, job.holder, *job.checkers]
    agent = dice.choice([each for each in concerned if each] if dice.random() < 0.7 else list(AGENTS))
    return agent, dice.choice(sorted(TASK_ACTS)), name


def pictured(bus: Bus) -> dict[str, tuple[str, str, str]]:
    return {card.task.id: (card.task.state, card.task.holder, card.task.checker) for card in bus.tasks()}


def _give(bus: Bus, model: Model, dice: random.Random) -> None:
    """Put a task that somebody holds into his assignment; what he has stays."""
    held = [(job.holder, name) for name, job in model.jobs.items() if job.state in ("assigned", "working")]
    for agent, name in dice.sample(held, k=min(1, len(held))):
        model.give(agent, name)
        bus.session.log.append(
            [draft("assignment.set", "ada", {"agent": agent, "ref_type": "work_order", "ref_id": name})]
        )


@pytest.mark.random
@pytest.mark.parametrize("turn", range(6))
def test_the_board_agrees_with_a_simple_model_whatever_is_said(tmp_path: Path, turn: int) -> None:
    seed = drawn_seed()
    dice = random.Random(seed + turn)
    bus = bus_in(tmp_path, *AGENTS[1:])
    model = prepared(bus, dice)

    counted = 0
    for step in range(STEPS):
        agent, act, name = likely(model, dice)
        others = [other for other in AGENTS if other != agent]
        to = dice.sample(others, k=dice.choice([1, 1, 1, 2]))
        before = repr(model.jobs[name])
        wanted = model.do(agent, act, name, to)
        message = Message(sender=agent, to=to, act=act, task=name, body="words")
        said = mail_sent(message)
        if dice.random() < 0.5:
            # By a line in a file; a swarm's handoff has tests of its own.
            said.src = {"mount": dice.choice(["office", "vermas", "runbus", "collab"]), "file": "x"}
        seq = bus.session.log.append([said])[0].seq
        settle(bus.session)
        if dice.random() < 0.2:
            _give(bus, model, dice)
        if step % 7 == 0 or wanted:
            tried = [each for each in bus.tried(name) if each.seq == seq]
            recorded = [] if model.is_said_again else [wanted]
            assert [not each.why for each in tried] == recorded, (seed, step, agent, act, name, to, before)
        counted += wanted

    expected = {name: (job.state, job.holder, " ".join(job.checkers)) for name, job in model.jobs.items()}
    found = pictured(bus)
    given = {each.agent: each.ref for each in everyone(bus.session)}
    ready = {card.task.id for card in bus.tasks(ready=True)}
    live = dump(bus)

    assert counted > STEPS / 20, seed
    assert found == expected, seed
    assert given == model.given, seed
    assert ready == {name for name, job in model.jobs.items() if model.ready(job)}, seed
    assert rebuilt(bus) == live, seed
