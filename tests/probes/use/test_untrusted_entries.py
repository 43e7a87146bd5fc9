"""A bus from elsewhere may contain links, FIFOs and devices: looking at it never leads out of it.

`palaver trust`, `palaver doctor` and `palaver verify` are what a user runs before deciding.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import Answer, Project
from tests.processes.faults import strace

SECRET: Final = "hunter2"
#: Seconds after which a command that waits for a FIFO is ended; none of them needs so many.
HANGS: Final = ("timeout", "--signal=KILL", "30")
SEGMENT: Final = "log/000000000900.jsonl"
COMMANDS: Final = (("trust",), ("trust", "--yes"), ("doctor",), ("verify",))


def outside(project: Project) -> Path:
    """Return a folder of the user that has what a bus has, and is none of its business."""
    folder = project.home / "private"
    if not folder.exists():
        # As links, should there be any: a device has no end.
        shutil.copytree(project.root, folder, symlinks=True)
        (folder / "config.toml").write_text(f'{SECRET} = "{SECRET}"\n[lists]\n{SECRET} = ["bob"]\n')
        (folder / "broken.toml").write_text(f"{SECRET} {SECRET}\n")
    return folder


def link(entry: str, target: str = "") -> Callable[[Project], None]:
    """Return what puts a symbolic link in the place of an entry."""

    def plant(project: Project) -> None:
        clear(project.root / entry)
        (project.root / entry).symlink_to(outside(project) / (target or entry))

    return plant


def hard_link(entry: str, target: str) -> Callable[[Project], None]:
    """Return what puts a hard link in the place of an entry."""

    def plant(project: Project) -> None:
        clear(project.root / entry)
        (project.root / entry).hardlink_to(outside(project) / target)

    return plant


def fifo(entry: str) -> Callable[[Project], None]:
    """Return what puts a FIFO in the place of an entry."""

    def plant(project: Project) -> None:
        clear(project.root / entry)
        os.mkfifo(project.root / entry)

    return plant


def device(entry: str, target: str) -> Callable[[Project], None]:
    """Return what puts a link to a device in the place of an entry."""

    def plant(project: Project) -> None:
        clear(project.root / entry)
        (project.root / entry).symlink_to(target)

    return plant


def clear(path: Path) -> None:
    """Remove what is at a path."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


PLANTED: Final = {
    "config.toml, a link to a config": link("config.toml"),
    "config.toml, a link to another file": link("config.toml", "broken.toml"),
    "config.toml, a hard link": hard_link("config.toml", "config.toml"),
    "config.toml, a FIFO": fifo("config.toml"),
    "config.toml, a device": device("config.toml", "/dev/zero"),
    "id, a link": link("id"),
    "id, a FIFO": fifo("id"),
    "id, a device": device("id", "/dev/zero"),
    "log, a link": link("log"),
    "a segment, a link": link(SEGMENT, "log/000000000001.jsonl"),
    "a segment, a hard link": hard_link(SEGMENT, "log/000000000001.jsonl"),
    "a segment, a FIFO": fifo(SEGMENT),
    "a segment, a device": device(SEGMENT, "/dev/zero"),
    "log.lock, a link": link("log.lock"),
    "log.lock, a FIFO": fifo("log.lock"),
    "view, a link": link("view"),
    "quarantine, a link": link("quarantine"),
    "an entry of the quarantine, a link": link("quarantine/000001.bin", "id"),
    "losses, a link": link("losses", "id"),
    "losses, a FIFO": fifo("losses"),
    ".git, a link": link(".git"),
    "the head of the snapshots, a FIFO": fifo(".git/HEAD"),
    "the objects of the snapshots, a link": link(".git/objects"),
}


def opened_outside(project: Project, *words: str) -> tuple[Answer, list[str]]:
    """Run a command; return its answer, and the calls that opened what is outside the bus."""
    trace = project.home / "trace"
    # Not the template of a test of faults: nothing fails here, it is only written down what was opened.
    watched = [*HANGS, *strace(output=trace), "-y", "-e", "trace=open,openat,openat2"]
    answer = project.run(*words, under=watched)
    calls = trace.read_text(errors="replace").splitlines()
    private, devices = f"<{outside(project)}", ("</dev/zero", "</dev/tty")
    return answer, [call for call in calls if private in call or any(each in call for each in devices)]


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_entry_is_named_and_nothing_outside_is_opened(foreign: Project, planted: str) -> None:
    outside(foreign)
    PLANTED[planted](foreign)

    answers = {words: opened_outside(foreign, *words) for words in COMMANDS}

    assert [calls for _, calls in answers.values() if calls] == []
    for words, (answer, _) in answers.items():
        assert answer.code not in (0, 137), (words, answer)
        assert str(foreign.root) in answer.text, (words, answer)
        assert SECRET not in answer.text, (words, answer)
    assert not (foreign.home / "state").exists()


def test_a_bus_without_such_entries_is_shown_and_examined(foreign: Project) -> None:
    shown, examined, verified = (foreign.run(each) for each in ("trust", "doctor", "verify"))

    assert "person" in shown.out
    assert "not trusted" in examined.out
    assert verified.code == 0, verified
