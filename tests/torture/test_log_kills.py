"""Kills by the thousand: what was acknowledged stands, once."""

import random
import shutil
import time
from pathlib import Path

import pytest

from palaver.api import Bus
from palaver.model.errors import KeyConflict
from palaver.wiring import begin
from tests.processes.campaign import kill_at_random
from tests.processes.command import palaver
from tests.processes.figures import tell
from tests.processes.nursery import Nursery
from tests.processes.oracle import promised
from tests.processes.syscalls import killed, points
from tests.processes.writing import READER, Ack, Job

pytestmark = pytest.mark.torture

CLIENTS = 6
MESSAGES = 800


def test_two_thousand_kills_over_eight_writers_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns()
    began = time.monotonic()

    judgement = kill_at_random(tmp_path, seed=seed, kills=2_000, writers=8)

    assert judgement.complaints() == [], f"seed {seed}: {judgement}"
    assert judgement.acks > 2_000, "they did write"
    tell(capsys, f"P1: 2000 kills, 8 writers: {judgement}, {time.monotonic() - began:.0f} s")
    shutil.rmtree(tmp_path / "bus")


def sent(bus: Bus) -> list[object]:
    return [
        event.data["message_id"]
        for event in bus.session.log.read(0, 1_000_000)
        if event.event_type == "mail.sent"
    ]


@pytest.mark.parametrize(
    "words",
    [("send", "ada", "-m", "a message"), ("send", "ada", "-m", "a message", "--key", "KEY", "--json")],
    ids=["the short way", "with a key"],
)
def test_a_send_may_be_killed_at_every_system_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    begin(str(tmp_path), "ada")
    began = time.monotonic()
    found = points(*words, root=tmp_path, agent="ada", trace=tmp_path / "trace")

    outcome = killed(found, *words, root=tmp_path, agent="ada")

    assert outcome.deaths >= max(150, len(found) * 9 // 10), [str(point) for point in outcome.passed]
    assert palaver(*words, root=tmp_path, agent="ada").returncode == 0
    bus = Bus(str(tmp_path), agent="ada")
    present = sent(bus)
    assert set(outcome.acknowledged) <= set(present)
    assert len(set(present)) == len(present)
    assert bus.verify().faults == []
    assert len(present) == 1 or "--key" not in words
    tell(
        capsys,
        f"P1: {' '.join([words[0], *words[4:5]])} killed at {outcome.deaths} of {len(found)} system calls: "
        f"{len(set(outcome.acknowledged))} acknowledged, 0 lost, {len(present)} present, "
        f"{time.monotonic() - began:.0f} s",
    )


def test_clients_that_are_killed_and_try_again_with_their_key_are_heard_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns()
    dice = random.Random(seed)
    bus = begin(str(tmp_path), READER).session
    for n in range(CLIENTS):
        Bus(str(tmp_path), agent=READER).add_agent(f"client{n}")
    jobs = [
        Job(
            log=bus.root.log,
            lock=bus.root.log_lock,
            name=f"client{n}",
            acks=str(tmp_path / f"acks{n}"),
            seed=seed,
            count=MESSAGES,
            bus=str(tmp_path),
        )
        for n in range(CLIENTS)
    ]
    kills = 0
    with Nursery() as nursery:
        living = {job.name: (job, nursery.start(job)) for job in jobs}
        while living:
            time.sleep(dice.uniform(0.0, 0.03))
            name = dice.choice(sorted(living))
            job, client = living.pop(name)
            if client.lives():
                client.kill()
                kills += 1
            if len(promised([Path(job.acks)])) < MESSAGES:
                living[name] = (job, nursery.start(job))

    acks = promised([Path(job.acks) for job in jobs])
    check_that_all_were_heard_once(Bus(str(tmp_path), agent=READER), acks, seed)
    tell(capsys, f"P5: {kills} kills of {CLIENTS} clients that retry: {len(acks)} acknowledged, 0 twice")


def check_that_all_were_heard_once(bus: Bus, acks: list[Ack], seed: int) -> None:
    keyed = [
        event for event in bus.session.log.read(0, 1_000_000) if event.key and event.event_type == "mail.sent"
    ]
    wanted = {(f"client{n}", f"key {m}") for n in range(CLIENTS) for m in range(1, MESSAGES + 1)}

    assert len({(ack.name, ack.count) for ack in acks}) == len(wanted), f"seed {seed}"
    assert sorted((event.actor, event.key) for event in keyed) == sorted(wanted), f"seed {seed}"
    stands = {event.event_id: event.seq for event in keyed}
    assert [ack for ack in acks if stands.get(ack.event_id) != ack.seq] == [], f"seed {seed}"
    assert bus.inbox(READER, limit=10_000).open == len(wanted), f"seed {seed}"
    assert bus.verify().faults == [], f"seed {seed}"
    with pytest.raises(KeyConflict):
        bus.send(READER, "something else", sender="client0", key="key 1")
