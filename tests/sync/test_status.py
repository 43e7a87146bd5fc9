"""palaver status: what the bytes of every watched file are; they add up to its size, whatever happens."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.spoken import Shell, surroundings
from tests.sync.scene import Scene, append, dropped, left_alone
from tests.sync.spoken import SPEECHES, Speech

KINDS = ("events", "ours", "quarantined", "blank", "pending")


def rows(scene: Scene) -> dict[str, dict[str, int]]:
    """Return what the command says of each file."""
    answer = Shell(folder=scene.folder, env=surroundings(PALAVER_AGENT="ada")).run("status", "--json")
    assert answer.code == 0
    files = answer.fields["files"]
    assert isinstance(files, list)
    return {str(row["file"]): row for row in files}


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
def test_after_every_step_of_a_hard_life_the_bytes_add_up(tmp_path: Path, speech: Speech) -> None:
    scene = Scene(tmp_path / "bus")
    file = scene.mount(speech.dialect, **speech.settings) / speech.file
    saved = file.with_name("saved")
    steps: list[Callable[[], object]] = [
        lambda: append(file, speech.says("one") + b"\n\n" + speech.says("two")),
        lambda: append(file, b"\xff rubbish\n"),
        lambda: scene.bus.send(f"@{speech.dialect}", "to you"),
        lambda: append(file, speech.says("three")[:-9]),
        lambda: append(file, speech.says("three")[-9:]),
        lambda: (saved.write_bytes(speech.says("four") + file.read_bytes()), saved.rename(file)),
        lambda: os.truncate(file, 10),
        lambda: os.truncate(file, 0),
        lambda: append(file, b"\n \r\n\t\n" + speech.says("five")),
        file.unlink,
        lambda: append(file, speech.says("six")),
    ]

    for number, step in enumerate(steps):
        step()
        if file.exists():
            left_alone(file)
        for row in rows(scene).values():
            assert sum(row[kind] for kind in KINDS) == row["size"], (number, row)
            assert min(row[kind] for kind in KINDS) >= 0, (number, row)
        if file.exists():
            assert rows(scene)[speech.file]["size"] == file.stat().st_size

    scene.settle()
    assert [body for body in scene.bodies(speech.dialect) if body == "six"] == ["six"]


def test_the_head_of_a_bus_file_without_messages_is_blank_and_nothing_is_pending(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    file = scene.mount("runbus") / "MESSAGE-BUS.md"
    head = b"# Message Bus\n\n<!-- All messages below this line. Append only. -->\n\n"
    file.write_bytes(head)
    left_alone(file)

    row = rows(scene)["MESSAGE-BUS.md"]

    assert (row["size"], row["blank"], row["pending"]) == (len(head), len(head), 0)


def test_a_file_of_an_inbox_adds_up_too(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    inbox = scene.mount("collab", a="jim", b="clawdy") / "inbox"
    dropped(inbox, "msg_1771730144123456789.txt", b"hello\n")
    dropped(inbox, "msg_1771730144123456790.txt", b"\xff\xfe")
    dropped(inbox, "msg_1771730144123456791.txt", b"")
    scene.bus.send("clawdy", "wake up")

    found = rows(scene)

    assert len([file for file in found if file.startswith("inbox/")]) == 4
    for row in found.values():
        assert sum(row[kind] for kind in KINDS) == row["size"], row
    assert found["inbox/msg_1771730144123456789.txt"]["events"] == 6
    assert found["inbox/msg_1771730144123456790.txt"]["quarantined"] == 2


def test_what_waits_to_be_written_is_said(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    folder = scene.mount("swarm")
    (folder / "channel.jsonl").mkdir()
    scene.bus.send("architect", "later")

    answer = Shell(folder=scene.folder, env=surroundings(PALAVER_AGENT="ada")).run("status", "--json")

    assert answer.fields["outstanding"] == {"swarm": 1}
