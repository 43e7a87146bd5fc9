"""`.work/messages.jsonl` shows every message once, and keeps every line that agents append to it."""

import json
from pathlib import Path

import pytest

from tests.sync.scene import Scene, append, left_alone

#: Mail to nobody, which the bus marks as undeliverable: so the file is put right.
FIELDS = {"from": "ceo", "to": "nobody", "subject": "ping", "body": "done"}
TIME = {"timestamp": "2026-01-01T10:00:00.000Z"}


def line(**more: object) -> bytes:
    return json.dumps({**FIELDS, **more}).encode() + b"\n"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "project")


@pytest.fixture
def file(scene: Scene) -> Path:
    return scene.mount("vermas") / ".work/messages.jsonl"


def say(scene: Scene, file: Path, content: bytes) -> None:
    append(file, content)
    left_alone(file)
    scene.settle()


def shown(file: Path) -> list[dict[str, object]]:
    """Return what the lines of the agent say."""
    rows = [json.loads(row) for row in file.read_text("utf-8-sig").splitlines()]
    return [row for row in rows if row["from"] == "ceo"]


@pytest.mark.parametrize("named", [{"id": "msg-1"}, {}], ids=["with id", "without id"])
def test_a_line_that_is_appended_again_after_it_was_put_right_stands_once(
    scene: Scene, file: Path, named: dict[str, str]
) -> None:
    for count in (1, 1, 2):
        say(scene, file, line(**named, **TIME) * count)

    assert scene.bodies() == ["done"]
    assert [row["undeliverable"] for row in shown(file)] == [True]


def test_a_line_with_neither_id_nor_time_is_another_message_each_time(scene: Scene, file: Path) -> None:
    for count in (1, 1, 2):
        say(scene, file, line() * count)
        scene.restart()

    assert scene.bodies() == ["done"] * 4
    assert len({row["id"] for row in shown(file)}) == len(shown(file)) == 4


def test_a_line_with_neither_id_nor_time_is_no_news_in_a_file_that_is_restored(
    scene: Scene, file: Path
) -> None:
    say(scene, file, line())
    file.write_bytes(line())
    left_alone(file)
    scene.settle()

    assert scene.bodies() == ["done"]
    assert len(shown(file)) == 1


@pytest.mark.parametrize("is_first", [True, False])
def test_a_line_that_cannot_be_read_is_never_taken_for_the_message_of_its_id(
    scene: Scene, file: Path, *, is_first: bool
) -> None:
    lines = [line(id="msg-1", **TIME), line(id="msg-1", **{**TIME, "body": 7})]
    for each in reversed(lines) if is_first else lines:
        say(scene, file, each)
    say(scene, file, line(id="msg-2", **TIME))

    assert sorted(str(row["body"]) for row in shown(file)) == ["7", "done", "done"]
    assert lines[1] in file.read_bytes()
    assert len(scene.bus.quarantine()) == 1


def test_a_message_behind_a_byte_order_mark_stands_once(scene: Scene, file: Path) -> None:
    say(scene, file, b"\xef\xbb\xbf" + line(id="msg-1", **TIME).replace(b"\n", b"\r\n"))

    assert [row["id"] for row in shown(file)] == ["msg-1"]
