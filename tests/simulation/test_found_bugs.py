"""Bugs that the simulation has found, each in as few steps as show it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.log.file_log import FileLog
from palaver.model.errors import Refusal
from palaver.model.event import Draft, Event
from tests.memory import in_memory
from tests.simulation.machine import Machine
from tests.sync.scene import Scene, append
from tests.sync.spoken import SPEECH

pytestmark = pytest.mark.on_disk("its machine has a disk that fails")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as found:
        yield found


def swarm(folder: Path) -> Scene:
    """Return a bus with a swarm in which architect lives."""
    scene = Scene(folder / "bus")
    append(scene.mount("swarm") / SPEECH["swarm"].file, SPEECH["swarm"].says("I live here"))
    scene.settle()
    return scene


def test_a_message_is_stored_or_refused_and_never_both(folder: Path) -> None:
    machine = Machine(folder, 1)
    answers: dict[int, bool] = {}
    with machine.switched_on():
        scene = swarm(folder)
        for room in range(0, 1_500, 50):
            # What was written is not confirmed yet: the next send finds it, and has that to record, too.
            scene.bus.send("architect", "hello")
            scene.restart()
            machine.room = room
            try:
                scene.bus.send("architect", f"room for {room}")
                answers[room] = True
            except Refusal:
                answers[room] = False
            machine.room = None
            scene.restart()

        assert {room: f"room for {room}" in scene.bodies() for room in answers} == answers
    assert set(answers.values()) == {True, False}


def test_a_broken_rule_is_recorded_once_if_its_notice_was_not_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = swarm(folder)
    whole = FileLog.append

    def first_only(self: FileLog, drafts: list[Draft], **how: object) -> list[Event]:
        is_broken = drafts and drafts[0].event_type == "rule.broken"
        if is_broken:
            # The process dies in the middle of its write.
            whole(self, drafts[:1], since=0)
            raise KeyboardInterrupt
        return whole(self, drafts, **how)  # type: ignore[arg-type]

    line = SPEECH["swarm"].says("[ACCEPT:#404] by me")
    append(scene.folder / "swarm" / SPEECH["swarm"].file, line)
    with monkeypatch.context() as patched:
        patched.setattr(FileLog, "append", first_only)
        with pytest.raises(KeyboardInterrupt):
            scene.settle()
    scene.restart()
    scene.settle()

    assert len(scene.events("rule.broken")) == 1
    assert [event for event in scene.notices() if "404" in str(event.data)]
