"""vermas: what somebody deletes or edits in a projected log comes back, and stands in its place."""

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.daemon import run_daemon, wait_until
from tests.acceptance.files import read
from tests.acceptance.project import PALAVER
from tests.acceptance.vermas_company import CEO, Company

OPERATIONS: Final = "operations"
Lines = list[str]
# Runs a command, and prints how many KiB of memory it needed at most.
_MEASURED: Final = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
_LETTERS: Final = itertools.cycle("abcdefghijklmnopqrstuvwxyz")


def without(place: int) -> Callable[[Lines], Lines]:
    return lambda lines: [line for line in lines if line != lines[place]]


def edited(place: int, *, has_same_size: bool) -> Callable[[Lines], Lines]:
    """Return an edit of the text of a message, or of the time of an event."""

    def edit(lines: Lines) -> Lines:
        name, letter = "body" if '"body"' in lines[place] else "timestamp", next(_LETTERS)
        pattern = rf'("{name}":"){"." if has_same_size else ""}'
        return [re.sub(pattern, rf"\1{letter}", line) if line == lines[place] else line for line in lines]

    return edit


#: By what was done: the lines that are left.
DAMAGE: Final[dict[str, Callable[[Lines], Lines]]] = {
    "first line deleted": without(0),
    "middle line deleted": without(1),
    "last line deleted": without(-1),
    **{
        f"{name} line edited, {kind} size": edited(place, has_same_size=kind == "same")
        for name, place in (("first", 0), ("middle", 1), ("last", -1))
        for kind in ("same", "another")
    },
    "truncated": lambda _: [],
    "all but the first deleted": lambda lines: lines[:1],
}
FILES: Final = ("messages", "events")


@pytest.fixture
def company(tmp_path: Path) -> Company:
    """Return a company with three messages from a command, each shown in both files."""
    company = Company(tmp_path, (CEO, OPERATIONS))
    for subject in ("First", "Second", "Third"):
        company.do("co", "send", OPERATIONS, "-s", subject, "-m", "See the log of operations.", agent=CEO)
    company.sync()
    return company


def write_in_place(path: Path, content: str) -> None:
    with path.open("r+") as file:
        file.write(content)
        file.truncate()


def save(path: Path, content: str) -> None:
    """Replace a file as an editor does."""
    beside = path.with_name("saved")
    beside.write_text(content)
    beside.rename(path)


WRITERS: Final = {"in place": write_in_place, "saved": save}


def damage(path: Path, how: str, writer: str, lines: Lines | None = None) -> Lines:
    """Damage some lines of a file, or else all; return them."""
    found = read(path).splitlines()
    lines = lines or found
    left = DAMAGE[how](lines)
    if left == lines:
        raise RuntimeError(f"nothing is damaged: {lines}")
    left += [line for line in found if line not in lines]
    WRITERS[writer](path, "".join(f"{line}\n" for line in left))
    return lines


def is_whole(path: Path, lines: Lines) -> bool:
    """Return True if a file has all of these lines, each once, in their order."""
    return [line for line in read(path).splitlines() if line in set(lines)] == lines


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_log_is_whole_after_a_sync(company: Company, name: str, how: str, writer: str) -> None:
    path = company.work / f"{name}.jsonl"
    lines = damage(path, how, writer)

    company.sync()

    assert is_whole(path, lines), (lines, read(path))


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_log_is_whole_after_other_commands(company: Company, name: str, how: str) -> None:
    path = company.work / f"{name}.jsonl"
    lines = damage(path, how, "saved")

    company.co("inbox", agent=OPERATIONS)

    assert is_whole(path, lines), (lines, read(path))


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("how", DAMAGE)
def test_a_log_that_is_damaged_right_after_the_bus_has_written_it_is_whole_again(
    company: Company, how: str, writer: str
) -> None:
    company.write_mail(CEO, OPERATIONS, "Fourth", id="msg-third")
    # One pass, which puts the line of a message that was read right, and does not read the file again.
    company.co("read", "msg-third", agent=OPERATIONS)
    lines = damage(company.messages, how, writer)

    company.sync()

    assert is_whole(company.messages, lines), (lines, read(company.messages))


def test_a_notice_comes_back_when_its_line_is_edited(company: Company) -> None:
    company.write_mail(CEO, OPERATIONS, "Plan", type="NOPE")
    company.sync()
    (notice,) = [line for line in read(company.messages).splitlines() if '"from":"palaver"' in line]
    # Nobody may speak as the bus, so this line is quarantined.
    save(company.messages, read(company.messages).replace('"body":"VER006', '"body":"VER007'))

    company.sync()
    company.sync()

    assert read(company.messages).splitlines().count(notice) == 1


@pytest.mark.parametrize("name", FILES)
def test_a_log_that_is_damaged_again_and_again_is_mended_by_the_running_bus(
    company: Company, name: str
) -> None:
    path = company.work / f"{name}.jsonl"
    first = read(path).splitlines()
    with run_daemon(company.project):
        for writer in WRITERS:
            for how in DAMAGE:
                damage(path, how, writer, first)

                assert wait_until(lambda: is_whole(path, first)), (how, writer, first, read(path))


def test_a_file_with_a_huge_line_is_put_right_in_bounded_memory(company: Company) -> None:
    company.write_mail(CEO, OPERATIONS, "Huge", body="x" * (64 << 20))
    company.write_mail(CEO, OPERATIONS, "Fourth")
    company.sync()
    command = [sys.executable, "-c", _MEASURED, PALAVER, "read", "msg-fourth", "--as", OPERATIONS]

    done = subprocess.run(
        command, cwd=company.project.folder, env=company.project.env, stdout=subprocess.PIPE, check=True
    )

    [line] = [line for line in read(company.messages).splitlines() if '"msg-fourth"' in line]
    assert json.loads(line)["read_at"]
    assert int(done.stdout) < 256 << 10


@pytest.mark.parametrize("name", FILES)
def test_a_deleted_log_comes_back(company: Company, name: str) -> None:
    path = company.work / f"{name}.jsonl"
    lines = read(path).splitlines()
    path.unlink()

    company.sync()

    assert is_whole(path, lines)
