"""A step stands once, however many patrols, processes and restarts there are."""

from collections import Counter
from pathlib import Path
from threading import Barrier, Thread

import pytest

from palaver import Bus
from palaver.log.file_log import FileLog
from palaver.model.event import Draft, Event
from palaver.supervision.patrol_service import PatrolService
from tests.supervision.scene import BOOT, MINUTE, WORKER, Scene
from tests.views.dumps import dump, rebuilt

pytestmark = pytest.mark.on_disk("other processes patrol")


def busy(folder: Path) -> Scene:
    scene = Scene(folder)
    scene.give()
    scene.started()
    scene.bus.send("qa", "Which port?", sender="f/workers/slot1", act="ask")
    return scene


def keys(scene: Scene) -> Counter[str]:
    return Counter(event.key for event in scene.events() if event.actor == "palaver" and event.key)


def test_patrols_that_are_repeated_or_restarted_say_nothing_twice(tmp_path: Path) -> None:
    scene = busy(tmp_path)
    for _ in range(80):
        scene.ticks += 30.0
        for _ in range(3):
            scene.restart()
            scene.patrol()

    assert [key for key, count in keys(scene).items() if count > 1] == []
    assert len(scene.events("agent.killed")) == 1


def test_patrols_at_the_same_moment_take_a_step_once(tmp_path: Path) -> None:
    scene = busy(tmp_path)
    scene.later(9 * MINUTE)
    scene.ticks += 90.0
    taken: list[str] = []
    gate = Barrier(4)

    def patrol() -> None:
        bus = Bus(str(tmp_path), agent="ada")
        patrols = PatrolService(bus.session, note=taken.append, ticks=lambda: scene.ticks, boot=lambda: BOOT)
        gate.wait()
        found = patrols.run_once()
        assert found is not None
        taken.extend(step.rule for step in found.taken)

    threads = [Thread(target=patrol) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert taken.count("nudge") == 1
    # What lost the race stands in no log, or has no effect.
    assert len(scene.said("nudge")) == 1


def test_a_patrol_that_died_between_its_events_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = busy(tmp_path)
    scene.later(19 * MINUTE)
    append = FileLog.append

    def dying(log: FileLog, drafts: list[Draft], *, since: int = 0) -> list[Event]:
        killed = [each for each in drafts if each.event_type == "agent.killed"]
        if killed:
            append(log, killed, since=since)
            raise KeyboardInterrupt
        return append(log, drafts, since=since)

    with monkeypatch.context() as dies:
        dies.setattr(FileLog, "append", dying)
        with pytest.raises(KeyboardInterrupt):
            scene.later(5 * MINUTE)
    assert scene.bus.task("t1").task.state == "working"
    scene.restart()
    scene.later(2 * MINUTE)

    assert scene.bus.task("t1").task.state == "open"
    assert len(scene.events("agent.killed")) == 1


def test_a_patrol_that_did_something_says_so_and_one_that_did_not_says_so_once_an_hour(
    tmp_path: Path,
) -> None:
    scene = Scene(tmp_path)
    scene.later(59 * MINUTE)
    assert scene.events("patrol.completed") == []
    scene.later(62 * MINUTE)
    assert len(scene.events("patrol.completed")) == 2
    scene.give()
    scene.later(6 * MINUTE)

    assert scene.events("patrol.completed")[-1].data["nudges_sent"] == 1


def test_what_supervision_knows_is_the_same_when_it_is_made_anew(tmp_path: Path) -> None:
    scene = busy(tmp_path)
    scene.later(45 * MINUTE)
    scene.bus.read(agent=WORKER)
    scene.bus.agents()

    live = dump(scene.bus)
    assert rebuilt(scene.bus) == live
