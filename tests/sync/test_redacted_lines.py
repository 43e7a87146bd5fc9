"""A redacted message leaves the mounted files that hold it, if that is wanted, and nothing else changes."""

import os
import re
import time
from pathlib import Path

import pytest

from palaver.bus.admin.redact import RedactResult
from palaver.model.event import text
from palaver.sync.intake import replaced_file_intake
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import SPEECHES, Speech

every_dialect = pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
WORDS = "open sesame to the cave"


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let replaced files go as soon as nobody can write to them."""
    monkeypatch.setattr(replaced_file_intake, "REPLACED_SECONDS", 0.0)


def a_mount(tmp_path: Path, speech: Speech) -> tuple[Scene, Path, Path]:
    """Return a bus with one mount in which an agent has written a line, its folder, and the file."""
    scene = Scene(tmp_path / "bus")
    folder = scene.mount(speech.dialect, **speech.settings)
    file = folder / speech.file
    append(file, speech.says("I live here"))
    left_alone(file)
    scene.settle()
    return scene, folder, file


def holding(folder: Path, words: str = WORDS) -> list[str]:
    """Return the files of a mount that hold words."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.relative_to(folder).as_posix() for path in found if words.encode() in path.read_bytes()]


def seq_of(scene: Scene, words: str = WORDS) -> int:
    said = [event for event in scene.mail() if event.actor != "palaver"]
    [event] = [event for event in said if words in text(event.data, "body")]
    return event.seq


def redact_all(scene: Scene, *, rewrite_files: bool = True) -> list[RedactResult]:
    """Redact a message, and every event that quotes it, as the first redaction says."""
    first = scene.bus.redact(seq_of(scene), rewrite_files=rewrite_files)
    others = [int(found[1]) for line in first.done if (found := re.match(r"event (\d+) holds", line))]
    return [first, *(scene.bus.redact(seq, rewrite_files=rewrite_files) for seq in others)]


def facts(scene: Scene) -> tuple[list[str], list[str], int]:
    """Return what nobody may have added to: the bodies, the findings, and the number of messages."""
    return scene.bodies(), scene.codes(), len(scene.mail())


@every_dialect
def test_the_files_that_hold_a_text_are_named_and_stay_as_they_are(tmp_path: Path, speech: Speech) -> None:
    scene, folder, _ = a_mount(tmp_path, speech)
    scene.bus.send(speech.sender, WORDS)
    scene.settle()
    before = {file: (folder / file).read_bytes() for file in holding(folder)}

    result = scene.bus.redact(seq_of(scene))

    assert before
    assert {each.partition("/")[2].rpartition(":")[0] for each in result.held} == set(before)
    assert all(each in " ".join(result.done) for each in result.held)
    assert result.rewritten == []


@every_dialect
@pytest.mark.parametrize("late", [False, True], ids=["at-once", "later"])
def test_what_the_bus_wrote_leaves_the_files_and_nothing_is_new(
    tmp_path: Path, speech: Speech, late: bool
) -> None:
    scene, folder, file = a_mount(tmp_path, speech)
    scene.bus.send(speech.sender, WORDS)
    scene.settle()
    append(file, speech.says("and this is after it"))
    left_alone(file)
    scene.settle()
    seq = seq_of(scene)
    drops = [
        each for each in holding(folder) if each.endswith((".txt", ".md")) and speech.dialect == "collab"
    ]
    if late:
        scene.bus.redact(seq)
        scene.settle()
    before = facts(scene)

    result = scene.bus.redact(seq, rewrite_files=True)
    scene.settle()
    scene.restart()
    scene.settle()

    assert holding(folder) == drops
    assert result.rewritten
    after = facts(scene)
    assert after[1:] == before[1:]
    assert b"I live here" in file.read_bytes()
    assert b"and this is after it" in file.read_bytes()
    scene.bus.rebuild()
    scene.settle()
    assert facts(scene)[1:] == before[1:]


@every_dialect
def test_what_an_agent_wrote_leaves_its_file_and_is_no_edit_of_the_agent(
    tmp_path: Path, speech: Speech
) -> None:
    scene, folder, file = a_mount(tmp_path, speech)
    append(file, speech.says(WORDS))
    append(file, speech.says("and this is after it"))
    left_alone(file)
    scene.settle()
    before = facts(scene)

    results = redact_all(scene)
    scene.settle()
    scene.restart()
    scene.settle()

    assert results[-1].held == []
    assert holding(folder) == []
    assert facts(scene)[1:] == before[1:]
    assert b"and this is after it" in file.read_bytes()


@every_dialect
def test_a_line_that_a_program_appends_to_the_old_file_is_not_lost(tmp_path: Path, speech: Speech) -> None:
    scene, folder, file = a_mount(tmp_path, speech)
    append(file, speech.says(WORDS))
    left_alone(file)
    scene.settle()
    fd = os.open(file, os.O_WRONLY | os.O_APPEND)

    redact_all(scene)
    os.write(fd, speech.says("written late"))
    os.close(fd)
    left_alone(file)
    time.sleep(0.06)
    scene.settle()

    assert holding(folder) == []
    assert b"written late" in file.read_bytes()
    assert [each for each in scene.bodies() if "written late" in each] == ["written late"]


def test_a_message_that_is_redacted_right_after_it_was_sent_does_not_come_back(tmp_path: Path) -> None:
    speech = SPEECHES[2]
    scene, folder, _ = a_mount(tmp_path, speech)
    sent = scene.bus.send(speech.sender, WORDS)
    assert holding(folder)

    scene.bus.redact(sent.message.seq)
    scene.settle()

    log = b"".join(path.read_bytes() for path in Path(scene.bus.root.log).iterdir())
    assert WORDS.encode() not in log


@every_dialect
def test_bytes_in_quarantine_are_gone_when_they_are_redacted(tmp_path: Path, speech: Speech) -> None:
    scene, _, file = a_mount(tmp_path, speech)
    append(file, f"no message, and {WORDS}\n".encode())
    append(file, b"no message, and nothing else\n")
    append(file, speech.says("after it"))
    left_alone(file)
    scene.settle()
    root = Path(scene.bus.root.path)
    for event in scene.events("file.quarantined", "file.found", "mail.sent"):
        if WORDS in str(event.data) or event.event_type == "file.quarantined":
            scene.bus.redact(event.seq)
    scene.settle()

    kept = [path for path in root.rglob("*") if path.is_file() and WORDS.encode() in path.read_bytes()]
    assert kept == []
    assert scene.bus.verify().good
