"""Replaced files where the file system does not help: it exchanges no files, or cannot tell who writes."""

import json
import os
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from palaver.model.event import original_file, text, texts
from palaver.sync import replaced_files
from palaver.sync.foreign_file import has_writer
from palaver.sync.intake import replaced_file_intake
from palaver.sync.mounts.mount_operations import add_mount
from palaver.sync.replaced_files import Fingerprint
from tests.processes.command import environment
from tests.sync.rewritten import Mail
from tests.sync.scene import append
from tests.sync.test_marks import command
from tests.sync.test_rewrites import check_rest

BLIND: int = 60
HOUR: int = 3_600


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let replaced files go as soon as nobody can write to them."""
    monkeypatch.setattr(replaced_file_intake, "REPLACED_SECONDS", 0.0)


def read_under(case: Mail, *rules: str) -> int:
    """Read by a command, with faults in its system calls; return its exit code."""
    faults = [word for rule in rules for word in ("-e", f"inject={rule}")]
    trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat2,linkat,rename", *faults]
    done = subprocess.run(
        [*trace, *command(case.scene)], env=environment("boss"), check=False, capture_output=True
    )
    return done.returncode


@pytest.mark.parametrize("error", ["ENOSYS", "EINVAL"])
def test_where_files_cannot_be_exchanged_they_are_linked(tmp_path: Path, error: str) -> None:
    case = Mail(tmp_path)
    case.say(Mail.line("msg-r1", "r1"))
    case.scene.settle()
    fd = os.open(case.path, os.O_WRONLY | os.O_APPEND)

    assert read_under(case, f"renameat2:error={error}") == 0
    assert os.fstat(fd).st_ino != case.path.stat().st_ino, "it was replaced"
    os.write(fd, Mail.line("", "late"))
    os.close(fd)
    case.words["late"] += 1
    case.scene.settle()

    check_rest(case)


@pytest.mark.parametrize("call", ["linkat", "rename"])
def test_a_death_where_files_cannot_be_exchanged_loses_nothing(tmp_path: Path, call: str) -> None:
    case = Mail(tmp_path)
    case.say(Mail.line("msg-r1", "r1"))
    case.scene.settle()

    for nth in (1, 2, 3):
        read_under(case, "renameat2:error=ENOSYS", f"{call}:signal=KILL:when={nth}")
        line = Mail.line("", f"after{nth}")
        case.say(line)
        case.scene.restart()
        case.scene.settle()
    while read_under(case) == 0:
        case.scene.settle()
    case.scene.settle()

    super(Mail, case).check_file()
    case.check_log()
    assert b'"read_at"' in case.path.read_bytes()


def test_a_file_that_a_program_has_open_for_writing_is_known_by_a_lease(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    reader = os.open(path, os.O_RDONLY)
    writer = os.open(path, os.O_WRONLY)
    assert has_writer(reader) is True

    os.close(writer)

    assert has_writer(reader) is False
    os.close(reader)


def test_a_line_in_the_old_file_comes_before_a_later_one_in_the_new_file(tmp_path: Path) -> None:
    mail = Mail(tmp_path)
    mail.prepare(1)
    with mail.path.open("ab") as old:
        mail.scene.sync()
        old.write(mail.line("msg-early", "early"))
    append(mail.path, mail.line("msg-late", "late"))

    mail.scene.settle()

    said = [text(event.data, "body") for event in mail.scene.mail()]
    assert [each for each in said if "early" in each or "late" in each] == ["<early>", "<late>"]


def test_the_author_of_a_wrong_line_in_the_old_file_is_told(tmp_path: Path) -> None:
    mail = Mail(tmp_path)
    mail.scene.bus.open_task("Parser", task="wo-1", owner="boss")
    mail.prepare(1)
    with mail.path.open("ab") as old:
        mail.scene.sync()
        wrong = {"id": "msg-w", "from": "w1", "to": "boss", "subject": "MERGED: wo-1", "body": "By me"}
        old.write(json.dumps({**wrong, "timestamp": "2026-01-01T00:00:00Z"}).encode() + b"\n")

    mail.scene.settle()

    told = [text(event.data, "body") for event in mail.scene.notices() if "w1" in texts(event.data, "to")]
    assert [each for each in told if "only its owner (boss) may accept it" in each]
    assert "attic" not in str(told)


def test_where_there_are_no_leases_a_file_that_was_written_to_is_kept_for_an_hour(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    folder = os.open(tmp_path, os.O_RDONLY)
    assert has_writer(folder) is None, "there are no leases on folders"

    def may_be_written(age: float, idle: float) -> bool:
        now = path.stat().st_mtime
        os.utime(path, (now, time.time() - idle))
        return replaced_file_intake._may_be_written(folder, path.stat(), age)

    found = {
        (age, idle): may_be_written(age, idle)
        for age, idle in [(BLIND / 2, HOUR), (2 * BLIND, HOUR), (2 * BLIND, BLIND), (3 * HOUR, 2 * HOUR)]
    }
    os.close(folder)

    # It is kept for a minute; if it was written to since it was replaced, until that was an hour ago.
    assert [*found.values()] == [True, False, True, False]


class Elsewhere(Mail):
    """A mount that is on another file system than its bus."""

    def __init__(self, folder: Path, elsewhere: Path) -> None:
        self._elsewhere = elsewhere.resolve()
        super().__init__(folder)

    def begin(self) -> Path:
        self.words, self.junk = Counter(), Counter()
        folder = self._elsewhere / "vermas"
        (folder / ".work").mkdir(parents=True)
        append(folder / ".work/messages.jsonl", Mail.line("msg-0", "boss", to="w1", sender="boss"))
        self.words["boss"] += 1
        add_mount(self.scene.bus.session, "vermas", str(folder), name="vermas")
        return folder


def test_a_mount_on_another_file_system_has_an_attic_of_its_own(tmp_path: Path, memory: Path) -> None:
    if tmp_path.stat().st_dev == memory.stat().st_dev:
        pytest.skip("there is no second file system here")
    case = Elsewhere(tmp_path, memory)
    beside = case.folder / replaced_files.BESIDE
    fd = os.open(case.path, os.O_WRONLY | os.O_APPEND)
    case.prepare(1)
    case.scene.settle()
    os.write(fd, Mail.line("", "late"))
    case.words["late"] += 1
    case.scene.settle()
    assert os.fstat(fd).st_nlink == 1
    assert [*beside.iterdir()] != []

    os.close(fd)
    case.scene.settle()
    case.scene.sync()

    check_rest(case)
    assert [*beside.iterdir()] == []


def test_a_path_that_is_too_long_for_a_name_is_found_by_its_hash() -> None:
    file = f"tasks/{'x' * 200}.json"
    name = replaced_files.entry_name("office", file, Fingerprint(), Fingerprint(), 1)
    old = replaced_files.parse_entry(f"/attic/{name}")
    assert old is not None

    assert len(name) < 255
    assert old.file([file, "board.json"]) == file
    assert old.file(["board.json"]) == ""


@pytest.mark.parametrize("file", ["board.json", "tasks/task-1.json", "100%/a%2Fb", "a@b/c@d"])
def test_a_path_can_be_read_from_a_name(file: str) -> None:
    name = replaced_files.entry_name("office", file, Fingerprint(b"old"), Fingerprint(b"newer"), 77)
    old = replaced_files.parse_entry(f"/attic/{name}")
    assert old is not None

    assert (old.file(), original_file(old.source)) == (file, file)
    assert (old.mount, old.size, old.fresh_size, old.inode) == ("office", 3, 5, 77)
