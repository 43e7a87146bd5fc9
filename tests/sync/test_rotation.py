"""A file that is rotated, or renamed in another way: every line is recorded, in order, and once."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from palaver.model.limits import ROTATIONS, TURN_BYTES
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import SPEECH, SPEECHES, Speech

every_dialect = pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
OFFICE: Final = SPEECH["office"]
SWARM: Final = SPEECH["swarm"]


class Rotating:
    """A file of one dialect, in which one line was read, and programs that rotate it."""

    def __init__(self, folder: Path, speech: Speech) -> None:
        self.scene, self.speech = Scene(folder / "bus"), speech
        self.file = self.scene.mount(speech.dialect, **speech.settings) / speech.file
        self.say("first")
        self.scene.settle()

    def say(self, *bodies: str, to: Path | None = None) -> None:
        append(to or self.file, b"".join(map(self.speech.says, bodies)))
        left_alone(to or self.file)

    def rotate(self, called: str = "") -> Path:
        """Rename the file; return its new path."""
        return self.file.rename(self.file.with_name(called or f"{self.file.name}.1"))


def with_the_same_process(scene: Scene) -> None:
    """Let the next pass know what this process knows."""


def with_another_process(scene: Scene) -> None:
    scene.restart()


by_each_process = pytest.mark.parametrize("begin", [with_the_same_process, with_another_process])
Begin = Callable[[Scene], None]


@every_dialect
@by_each_process
def test_a_line_that_was_not_read_before_its_file_was_rotated_is_recorded(
    tmp_path: Path, speech: Speech, begin: Begin
) -> None:
    rotating = Rotating(tmp_path, speech)
    rotating.say("before")
    rotating.rotate()
    rotating.say("after")
    begin(rotating.scene)

    rotating.scene.settle()

    assert rotating.scene.bodies() == ["first", "before", "after"]


@every_dialect
@by_each_process
def test_a_program_that_keeps_a_rotated_file_open_is_heard(
    tmp_path: Path, speech: Speech, begin: Begin
) -> None:
    rotating = Rotating(tmp_path, speech)
    old = rotating.rotate()
    rotating.say("after")
    rotating.scene.settle()
    for late in ("late", "later"):
        rotating.say(late, to=old)
        begin(rotating.scene)
        rotating.scene.settle()

    assert rotating.scene.bodies() == ["first", "after", "late", "later"]


@pytest.mark.parametrize("speech", [SPEECH["swarm"], SPEECH["runbus"]], ids=lambda each: each.dialect)
def test_a_file_that_begins_with_the_end_of_the_rotated_one_is_no_edit(
    tmp_path: Path, speech: Speech
) -> None:
    rotating = Rotating(tmp_path, speech)
    rotating.say("second", "third")
    rotating.scene.settle()
    rotating.rotate()
    rotating.say("third", "after")

    rotating.scene.settle()

    assert rotating.scene.bodies() == ["first", "second", "third", "after"]
    assert rotating.scene.notices() == []


def test_a_rotated_file_is_read_although_no_file_has_its_place_yet(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, SWARM)
    old = rotating.rotate()
    rotating.say("before", to=old)
    rotating.scene.settle()
    rotating.say("late", to=old)
    rotating.scene.settle()
    assert rotating.scene.bodies() == ["first", "before", "late"]

    rotating.say("after")
    rotating.scene.settle()

    assert rotating.scene.bodies() == ["first", "before", "late", "after"]


@by_each_process
def test_files_that_were_rotated_several_times_are_all_read(tmp_path: Path, begin: Begin) -> None:
    rotating = Rotating(tmp_path, SWARM)
    rotated: list[Path] = []
    for number in range(3):
        for old in range(len(rotated), 0, -1):
            path = rotating.file.with_name(f"channel.jsonl.{old}")
            path.rename(path.with_suffix(f".{old + 1}"))
        rotating.say(f"before {number}")
        rotated.append(rotating.rotate())
        rotating.say(f"after {number}")
        rotating.scene.settle()
    begin(rotating.scene)

    for number in (3, 1, 2):
        rotating.say(f"late {number}", to=rotating.file.with_name(f"channel.jsonl.{number}"))
    rotating.scene.settle()

    said = [each for number in range(3) for each in (f"before {number}", f"after {number}")]
    assert rotating.scene.bodies()[:7] == ["first", *said]
    assert sorted(rotating.scene.bodies()[7:]) == ["late 1", "late 2", "late 3"]


def test_the_last_generations_of_a_file_are_read(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, SWARM)
    old = []
    for number in range(ROTATIONS + 1):
        old.append(rotating.rotate(f"{number}.old"))
        rotating.say(f"after {number}")
        rotating.scene.settle()

    rotating.say("forgotten", to=old[0])
    rotating.say("late", to=old[1])
    rotating.scene.settle()

    assert rotating.scene.bodies()[-1] == "late"
    assert "forgotten" not in rotating.scene.bodies()


@by_each_process
def test_a_file_that_is_renamed_to_a_name_that_is_read_as_well_is_recorded_once(
    tmp_path: Path, begin: Begin
) -> None:
    rotating = Rotating(tmp_path, OFFICE)
    rotating.say("before")
    old = rotating.rotate("employee-emp-a-old.log")
    rotating.say("after")
    begin(rotating.scene)
    rotating.scene.settle()
    rotating.say("late", to=old)
    rotating.scene.settle()

    assert sorted(rotating.scene.bodies()) == ["after", "before", "first", "late"]


def test_a_rotated_file_that_gets_a_name_that_is_read_is_recorded_once(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, OFFICE)
    rotating.say("before")
    old = rotating.rotate()
    rotating.say("after")
    rotating.scene.settle()
    rotating.say("late", to=old)
    rotating.scene.settle()

    old = old.rename(old.with_name("employee-emp-a-old.log"))
    rotating.scene.settle()
    rotating.say("later", to=old)
    rotating.scene.settle()

    assert rotating.scene.bodies() == ["first", "before", "after", "late", "later"]


def test_a_file_that_goes_through_several_names_is_recorded_once(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, OFFICE)
    old = rotating.rotate("employee-emp-a-old.log")
    rotating.say("second", to=old)
    rotating.scene.settle()

    old = old.rename(old.with_name("old"))
    rotating.scene.settle()
    rotating.say("third", to=old)
    rotating.scene.settle()

    assert rotating.scene.bodies() == ["first", "second", "third"]


def test_a_rotated_file_that_is_put_back_is_recorded_once(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, SWARM)
    rotating.say("before")
    old = rotating.rotate()
    rotating.say("after")
    rotating.scene.settle()
    rotating.say("late", to=old)
    rotating.scene.settle()

    other = rotating.rotate("other")
    old.rename(rotating.file)
    rotating.say("back")
    rotating.say("late in the other", to=other)
    rotating.scene.settle()

    assert sorted(rotating.scene.bodies()) == sorted(
        ["first", "before", "after", "late", "back", "late in the other"]
    )


def test_a_line_without_its_newline_is_read_once_its_file_is_rotated_and_left_alone(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, SWARM)
    append(rotating.file, SWARM.says("before").rstrip(b"\n"))
    old = rotating.rotate()
    rotating.say("after")
    rotating.scene.settle()
    assert rotating.scene.bodies() == ["first", "after"]

    left_alone(old)
    rotating.scene.settle()

    assert rotating.scene.bodies() == ["first", "after", "before"]


def test_a_long_rest_of_a_rotated_file_comes_before_the_lines_of_the_new_one(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, SWARM)
    count = 3 * TURN_BYTES // len(SWARM.says("before 0000"))
    rotating.say(*(f"before {each}" for each in range(count)))
    rotating.rotate()
    rotating.say("after")

    rotating.scene.settle(passes=40)

    assert rotating.scene.bodies() == ["first", *(f"before {each}" for each in range(count)), "after"]


def test_a_file_that_was_rotated_and_then_changed_is_not_taken_for_what_was_read(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, SWARM)
    old = rotating.rotate()
    rotating.say("after")
    rotating.scene.settle()

    old.write_bytes(SWARM.says("another file with the same inode"))
    rotating.scene.settle()
    old.unlink()
    rotating.scene.settle()

    assert rotating.scene.bodies() == ["first", "after"]


def test_a_rotation_is_reported_as_one(tmp_path: Path) -> None:
    rotating = Rotating(tmp_path, SWARM)
    rotating.rotate()
    rotating.say("after")

    assert rotating.scene.settle().notes == [
        ("swarm", "channel.jsonl", "it was rotated: the file before is channel.jsonl.1 now")
    ]
