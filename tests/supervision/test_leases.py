"""A claim of which nothing is heard ends, by watched time: its holder is told before, and when it does."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.tasks.clock_file import boot_id, load_clock, save_clock
from palaver.model.deadlines import PatrolClock
from palaver.model.errors import Refusal
from palaver.model.event import text
from palaver.model.message import Message
from tests.bus.scene import bus_in
from tests.supervision.scene import MINUTE, Scene

HOUR = 60 * MINUTE
LEASE = 30 * MINUTE
LONG_AGO = "2020-01-01T00:00:00.000Z"
TOO_LONG = "Your claim of t has ended: nothing was heard of it for too long."


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Return a bus with a task that qa, whose program nobody runs, has claimed."""
    found = Scene(tmp_path)
    found.bus.open_task("T", task="t", by="ceo", lease=int(LEASE))
    found.bus.claim("t", by="qa")
    found.patrol()
    return found


def told(bus: Bus, agent: str) -> list[str]:
    return [mail.message.body for mail in bus.inbox(agent).mail]


def claimed_long_ago(bus: Bus, at: str = LONG_AGO) -> None:
    """Let bob claim a task, by a clock that was wrong, or before the machine slept for years."""
    bus.open_task("T", task="t")
    said = Message(sender="bob", to=["ada"], act="claim", task="t", id="msg-x", event_id="evt-x", at=at)
    bus.session.log.append([mail_sent(said)])


def passes(bus: Bus, seconds: float) -> None:
    """Let the machine's clock go on since somebody last looked: by the file that was so much earlier."""
    path = Path(bus.root.path, "watch")
    seen = json.loads(path.read_bytes())
    seen["ticks"] = time.monotonic() - seconds
    path.write_text(json.dumps(seen), encoding="utf-8")


# --- by patrol ---


def test_a_claim_without_a_sign_of_life_ends_and_its_holder_is_told(scene: Scene) -> None:
    scene.later(LEASE + MINUTE)

    task = scene.bus.task("t").task
    assert (task.state, task.holder, task.fence) == ("open", "", 0)
    assert TOO_LONG in told(scene.bus, "qa")
    assert len(scene.events("task.lease_ended")) == 1


def test_a_holder_is_told_once_before_the_lease_ends(scene: Scene) -> None:
    scene.later(0.8 * LEASE)

    assert len(scene.said("lease-ends")) == 1
    assert "1800 s" in text(scene.said("lease-ends")[0].data, "body")
    assert scene.bus.task("t").task.holder == "qa"


def test_a_sign_of_life_begins_the_lease_anew(scene: Scene) -> None:
    scene.later(0.9 * LEASE)
    scene.bus.send("ceo", "still at it", sender="qa", act="report", task="t")
    scene.later(0.9 * LEASE)

    assert scene.bus.task("t").task.holder == "qa"
    # And the holder is told again.
    assert len(scene.said("lease-ends")) == 2


def test_what_is_for_ever_does_not_end(scene: Scene) -> None:
    scene.bus.open_task("U", task="u", by="ceo", lease=0)
    scene.bus.claim("u", by="qa")
    scene.later(LEASE + 10 * MINUTE)

    assert scene.bus.task("u").task.holder == "qa"


def test_whoever_comes_next_has_a_greater_fence_and_the_old_one_moves_nothing(scene: Scene) -> None:
    first = scene.bus.task("t").task.fence
    scene.later(LEASE + MINUTE)
    second = scene.bus.claim("t", by="qa").card.task.fence
    late = Message(sender="qa", to=["ceo"], act="deliver", task="t", body="late", meta={"fence": first})
    scene.bus.session.log.append([mail_sent(late)])

    assert second > first
    assert scene.bus.task("t").task.state == "working"


@pytest.mark.parametrize("jump", [8 * HOUR, 1e7, -5_000.0])
def test_a_machine_that_slept_ends_no_lease(scene: Scene, jump: float) -> None:
    scene.later(5 * MINUTE)
    for _ in range(5):
        scene.ticks += jump
        scene.patrol()

    assert scene.bus.task("t").task.holder == "qa"
    assert scene.said("lease-ends") == []


def test_a_time_of_day_ends_no_lease(scene: Scene) -> None:
    said = Message(sender="f/workers/slot1", to=["ceo"], act="claim", task="old", at=LONG_AGO)
    scene.bus.open_task("Old", task="old", by="ceo")
    scene.bus.session.log.append([mail_sent(said)])
    scene.later(10 * MINUTE)

    assert scene.bus.task("old").task.holder == "f/workers/slot1"


def test_a_dry_run_says_which_lease_would_end_and_ends_none(scene: Scene) -> None:
    scene.later(LEASE - MINUTE)
    scene.ticks += 110.0
    before = scene.bus.session.log.last_seq()

    found = scene.passed(dry=True)

    assert found is not None
    [step] = [step for step in found.steps if step.rule == "lease"]
    assert (step.agent, step.task) == ("qa", "t")
    assert "t" in step.why
    assert scene.bus.session.log.last_seq() == before


# --- by commands, where nobody patrols ---


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    return bus_in(tmp_path, "bob", "carol")


def test_a_command_ends_no_lease_because_of_the_time_of_day(bus: Bus) -> None:
    claimed_long_ago(bus)

    [card] = bus.tasks()
    bus.waiting()

    assert card.task.holder == "bob"
    assert told(bus, "bob") == []


def test_a_second_claim_does_not_win_because_a_clock_was_set(bus: Bus) -> None:
    claimed_long_ago(bus)

    with pytest.raises(Refusal) as refused:
        bus.claim("t", by="carol")

    assert "bob has it" in str(refused.value)


def test_a_machine_that_slept_between_two_commands_has_watched_for_two_minutes(bus: Bus) -> None:
    claimed_long_ago(bus)
    bus.tasks()
    for _ in range(20):
        passes(bus, 9 * HOUR)
        bus.tasks()

    assert bus.task("t").task.holder == "bob"


def test_commands_that_come_by_all_the_time_end_what_nobody_else_does(bus: Bus) -> None:
    bus.open_task("T", task="t", lease=1000)
    bus.claim("t", by="bob")
    bus.tasks()
    for _ in range(7):
        passes(bus, 110.0)
        bus.tasks()
    warned = told(bus, "bob")
    for _ in range(3):
        passes(bus, 110.0)
        bus.tasks()

    assert len(warned) == 1
    assert "1000 s" in warned[0]
    assert TOO_LONG in told(bus, "bob")
    assert bus.claim("t", by="carol").effect


def test_the_holder_who_comes_late_still_has_what_nobody_took(bus: Bus) -> None:
    bus.open_task("T", task="t", lease=100)
    bus.claim("t", by="bob")
    bus.tasks()
    passes(bus, 110.0)

    assert bus.deliver("t", "40 tests are green", by="bob").effect


def test_a_command_that_comes_right_after_another_does_not_count_time(bus: Bus) -> None:
    config = Path(bus.root.config)
    config.write_text(f"{config.read_text()}\n[deadlines]\npatrol = 3600\n", encoding="utf-8")
    bus.open_task("T", task="t")
    bus.claim("t", by="bob")
    bus.tasks()
    before = Path(bus.root.path, "watch").read_bytes()
    bus.tasks()

    assert Path(bus.root.path, "watch").read_bytes() == before
    assert json.loads(before)["boot"] == boot_id()


def test_a_command_of_another_machine_does_not_stop_the_clock_of_the_patrol(scene: Scene) -> None:
    before = Path(scene.bus.root.path, "watch").read_bytes()
    scene.bus.tasks()
    scene.bus.waiting()

    assert Path(scene.bus.root.path, "watch").read_bytes() == before


def test_a_machine_that_started_again_goes_on_with_the_clock(bus: Bus) -> None:
    bus.open_task("T", task="t")
    bus.claim("t", by="bob")
    bus.tasks()
    path = Path(bus.root.path, "watch")
    seen = json.loads(path.read_bytes())
    path.write_text(json.dumps({**seen, "boot": "before", "now": 77.0}), encoding="utf-8")
    os.utime(path, (1.0, 1.0))
    bus.tasks()

    after = json.loads(path.read_bytes())
    assert (after["boot"], after["now"]) == (boot_id(), 77.0)


def test_many_that_look_at_once_leave_a_clock_that_can_be_read(bus: Bus) -> None:
    clock = PatrolClock().advance(ticks=5.0, boot="a", head=1, gap=120.0)
    save_clock(bus.session, clock)

    with ThreadPoolExecutor(4) as threads:
        written = [threads.submit(save_clock, bus.session, clock) for _ in range(300)]
        seen = {load_clock(bus.session).boot for _ in range(300)}
    for each in written:
        each.result()

    assert seen == {"a"}
    assert [path.name for path in Path(bus.root.path).glob("watch*")] == ["watch"]


def test_a_bus_without_claims_keeps_no_clock(bus: Bus) -> None:
    bus.open_task("T", task="t")
    bus.tasks()

    assert not Path(bus.root.path, "watch").exists()
