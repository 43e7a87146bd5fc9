"""A file that the bus rewrites as a whole keeps every line that others write to it, at whatever moment."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from palaver.sync.intake import replaced_file_intake
from tests.sync.interleaving import ADDS, SAVES, interrupt, kill, kill_after_exchange
from tests.sync.rewritten import CASES, Case, Lines, Mail
from tests.sync.scene import Scene, append, left_alone

# A pass has some hundred moments; one that has more than this does not end.
EVERY: Final = range(1, 2_000)
#: Every file, with every way in which other programs write to it.
WAYS: Final = [
    (name, way) for name, case in CASES.items() for way in (ADDS if issubclass(case, Lines) else SAVES)
]


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let replaced files go as soon as nobody can write to them, so that they do not pile up."""
    monkeypatch.setattr(replaced_file_intake, "REPLACED_SECONDS", 0.0)


Pass = Callable[[Scene, int, Callable[[], None]], bool]


def sweep(case: Case, do_pass: Pass, way: str, moments: range = EVERY) -> int:
    """Write to a file at one moment of a pass after the other; return how many moments that were."""
    write = (ADDS if isinstance(case, Lines) else SAVES)[way]
    for count, moment in enumerate(moments):
        case.prepare(moment)
        variants = case.variants(moment)
        content = variants[count % len(variants)]
        if not do_pass(case.scene, moment, partial(write, case.path, content)):
            return count
        case.wrote(moment, content)
        case.scene.restart()
        case.scene.sync()
        try:
            case.check_file()
        except AssertionError as fault:
            raise AssertionError(f"{way} at moment {moment}: {fault}") from fault
    assert moments[-1] < EVERY[-1], "a pass does not end"
    return len(moments)


def check_rest(case: Case) -> None:
    """Check that nothing is left to do, that the log has everything once, and that the attic is empty."""
    case.scene.settle()
    case.check_file()
    case.check_log()
    case.scene.check()
    assert [*Path(case.scene.bus.root.attic).iterdir()] == []


@pytest.mark.parametrize(("name", "way"), WAYS, ids=lambda each: each.replace(" ", "-"))
def test_what_is_written_at_any_system_call_of_a_rewrite_is_in_the_file_and_in_the_log_once(
    memory: Path, name: str, way: str
) -> None:
    """The ways take turns: each moment is tried with one of them here, with all of them in the torture."""
    case = CASES[name](memory)
    ways = [each for file, each in WAYS if file == name]

    moments = sweep(case, interrupt, way, EVERY[ways.index(way) :: len(ways)])

    check_rest(case)
    assert moments > 20


@pytest.mark.parametrize("name", CASES)
def test_a_pass_that_is_killed_at_a_system_call_is_made_good_by_the_next_one(memory: Path, name: str) -> None:
    """Another program writes just before the kill. The torture kills at every system call."""
    case = CASES[name](memory)

    moments = sweep(case, kill, "append" if isinstance(case, Lines) else "rename", EVERY[::7])

    check_rest(case)
    assert moments > 10


@pytest.mark.parametrize("name", CASES)
def test_a_save_is_not_lost_if_the_pass_that_replaced_it_is_killed_before_it_sees_that(
    memory: Path, name: str
) -> None:
    case = CASES[name](memory)

    moments = sweep(case, kill_after_exchange, "rename")

    check_rest(case)
    assert moments > 1


# --- programs that keep the old file open ---


def test_a_program_that_keeps_the_old_file_open_loses_no_line_however_late_it_writes(memory: Path) -> None:
    case = Mail(memory)
    fd = os.open(case.path, os.O_WRONLY | os.O_APPEND)
    for number in range(3):
        case.prepare(number)
        case.scene.settle()
        late = Mail.line("", f"late{number}")
        os.write(fd, late)
        case.wrote(number, late)
        case.scene.settle()
        assert os.fstat(fd).st_ino != case.path.stat().st_ino, "it was replaced"

        case.check_file()

    assert os.fstat(fd).st_nlink == 1, "it is kept while a program can write to it"
    os.close(fd)
    case.scene.settle()
    check_rest(case)


def test_a_line_that_is_written_in_two_parts_stays_one_line(memory: Path) -> None:
    case = Mail(memory)
    fd = os.open(case.path, os.O_WRONLY | os.O_APPEND)
    case.prepare(1)
    line = Mail.line("msg-slow", "slow")

    def begin_line() -> None:
        os.write(fd, line[:20])

    for moment in range(60, 120):
        if not interrupt(case.scene, moment, begin_line):
            break
        case.scene.sync()
        os.write(fd, line[20:])
        case.wrote(moment, line)
        line = Mail.line(f"msg-slow{moment}", f"slow{moment}")
        case.scene.sync()
        case.scene.sync()
        case.prepare(moment)
    os.close(fd)
    case.scene.settle()

    check_rest(case)


def test_the_end_of_a_line_that_its_writer_never_wrote_is_written_for_it(memory: Path) -> None:
    case = Mail(memory)
    fd = os.open(case.path, os.O_WRONLY | os.O_APPEND)
    case.prepare(1)
    case.scene.settle()
    os.write(fd, b"junk <torn>")
    case.wrote(1, b"junk <torn>")
    case.scene.sync()
    [entry] = Path(case.scene.bus.root.attic).iterdir()
    left_alone(entry)
    case.scene.sync()
    assert b"torn" not in case.path.read_bytes(), "its writer may still go on"

    os.close(fd)
    case.scene.sync()
    case.scene.settle()

    check_rest(case)
    assert b"junk <torn>\n" in case.path.read_bytes()


def test_a_mark_is_written_into_a_line_that_was_read_before_it_was_copied(memory: Path) -> None:
    case = Mail(memory)
    fd = os.open(case.path, os.O_WRONLY | os.O_APPEND)
    case.prepare(1)
    case.scene.settle()
    os.write(fd, Mail.line("msg-rlate", "rlate"))
    os.close(fd)
    case.words["rlate"] += 1
    assert case.scene.take_in(), "the line is in the log, and not yet in the file"

    case.quiet.session.view.current()
    case.quiet.read(["msg-rlate"], agent="boss")
    case.scene.settle()

    check_rest(case)


def test_the_same_message_twice_is_in_the_file_once_and_the_same_junk_as_often_as_it_was_written(
    memory: Path,
) -> None:
    """Lines without an id are known by what they say, junk by how often it occurs, also if it was copied."""
    case = Mail(memory)
    case.say(Mail.line("", "same") + b"junk <torn>\n")
    case.scene.settle()
    fd = os.open(case.path, os.O_WRONLY | os.O_APPEND)
    for number in range(3):
        case.prepare(number)
        case.scene.settle()
        os.write(fd, Mail.line("", "same") + b"junk <torn>\n")
        case.wrote(number, b"junk <torn>\n")
        case.scene.sync()
        case.scene.restart()
    os.close(fd)
    case.scene.settle()

    check_rest(case)


# --- what is not a line, or not the file that was meant ---


def test_blank_lines_at_the_end_keep_nothing_waiting(memory: Path) -> None:
    case = Mail(memory)
    case.prepare(1)
    append(case.path, b"\n  \n\n")

    case.scene.settle()

    check_rest(case)
    assert "mail.read" in case.path.with_name("events.jsonl").read_text()


def test_a_line_under_the_id_of_another_message_is_taken_in_once(memory: Path) -> None:
    case = Mail(memory)
    case.prepare(1)
    twin = Mail.line("msg-r1", "twin")
    case.say(twin)
    case.scene.settle()

    super(Mail, case).check_file()
    case.check_log()


def test_a_file_in_place_of_which_a_folder_was_put_is_left_alone(memory: Path) -> None:
    case = Mail(memory)
    case.prepare(1)
    content = case.path.read_bytes()

    def put_folder() -> None:
        case.path.rename(case.path.with_name("aside"))
        case.path.mkdir()

    moment = 1
    while not case.path.is_dir():
        assert interrupt(case.scene, 100 + moment, put_folder)
        moment += 1
    case.scene.sync()

    assert case.path.is_dir()
    assert case.path.with_name("aside").read_bytes() == content
