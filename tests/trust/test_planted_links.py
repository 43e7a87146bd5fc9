"""Links, FIFOs and devices that arrive inside a trusted bus lead to no other file, and no command hangs.

They arrive with a `git pull`, for example, after the user has accepted the bus.
"""

import hashlib
import os
from pathlib import Path
from typing import Final

import pytest

from palaver.bus import wakeups
from palaver.bus.agents import tokens
from palaver.views import store
from palaver.views.mail import search
from tests.cli.spoken import Answer
from tests.trust.scene import Project

CONTENT: Final = "# mine\n"
SEGMENT: Final = "log/000000000900.jsonl"
SWARM: Final = '\n[mounts.s]\ndialect = "swarm"\npath = "s"\nagents = ["bob"]\n'
COMMANDS: Final = (
    ("send", "bob", "-m", "hello", "--as", "ada"),
    ("inbox", "--as", "bob"),
    ("read", "--as", "bob"),
    ("wait", "--as", "ada", "--timeout", "0"),
    ("search", "hello"),
    ("run", "--as", "bob", "--", "/bin/true"),
    ("verify",),
    ("doctor",),
    ("sync",),
    ("rebuild",),
    ("redact", "3", "--as", "ada"),
)


@pytest.fixture
def victim(home: Path) -> Path:
    """Return a file of the user that has nothing to do with the bus."""
    path = home / ".bashrc"
    path.write_text(CONTENT)
    os.utime(path, (1, 1))
    return path


@pytest.fixture
def used(own: Project) -> Project:
    """Return a trusted project in which every file of the bus has been used."""
    (own.folder / "s").mkdir()
    (own.folder / "s/channel.jsonl").write_text("not a message\n")
    own.configure(SWARM)
    own.must("sync")
    own.must("send", "bob", "-m", "hello", "--as", "ada")
    own.must("search", "hello")
    own.run("wait", "--as", "ada", "--timeout", "0")
    return own


def plant_link(place: Path, target: Path) -> None:
    """Put a symbolic link in the place of a file."""
    place.parent.mkdir(mode=0o700, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(target)


def run_all(project: Project) -> dict[str, Answer]:
    """Run every command, after another program has written a line that cannot be read."""
    with (project.folder / "s/channel.jsonl").open("a") as channel:
        channel.write("not a message either\n")
    return {words[0]: project.run(*words) for words in COMMANDS}


def is_untouched(victim: Path) -> bool:
    """Return True if nobody has written to the file of the user, or changed its time."""
    return victim.read_text() == CONTENT and victim.stat().st_mtime == 1


# --- the log ---


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (".bashrc", "a symbolic link"),
        ("absent", "a symbolic link"),
        ("/dev/zero", "a symbolic link"),
        (None, "a FIFO"),
    ],
)
def test_what_is_not_a_log_segment_is_refused_and_named(
    used: Project, home: Path, victim: Path, target: str | None, kind: str
) -> None:
    if target is None:
        os.mkfifo(used.bus / SEGMENT)
    else:
        plant_link(used.bus / SEGMENT, home / target)

    answers = run_all(used)

    assert is_untouched(victim)
    assert not (home / "absent").exists()
    assert [name for name, answer in answers.items() if not answer.code] == []
    why = f"it is {kind}, not a log segment"
    for name in ("send", "inbox", "sync", "rebuild"):
        assert f"{SEGMENT}: {why}; remove it" in answers[name].err, answers[name]
    assert f"{SEGMENT}:1: {why}; remove it" in answers["verify"].out
    assert why in answers["doctor"].out


def test_a_bus_works_again_once_the_link_is_removed(used: Project, victim: Path) -> None:
    plant_link(used.bus / SEGMENT, victim)
    run_all(used)

    (used.bus / SEGMENT).unlink()

    assert used.run("verify").code == 0
    assert used.run("inbox", "--as", "bob", "--json").fields["open"] == 1


def test_verify_checks_the_segments_beside_a_link(used: Project, victim: Path) -> None:
    segment = used.bus / "log/000000000001.jsonl"
    segment.write_bytes(segment.read_bytes().replace(b"hello", b"HELLO"))
    plant_link(used.bus / SEGMENT, victim)

    faults = used.run("verify", "--json").fields["faults"]

    assert isinstance(faults, list)
    assert {fault["file"] for fault in faults} == {"log/000000000001.jsonl", SEGMENT}


def test_a_link_in_the_place_of_the_log_is_not_redacted(used: Project, home: Path) -> None:
    segment = used.bus / "log/000000000001.jsonl"
    moved = home / "moved.jsonl"
    segment.rename(moved)
    segment.symlink_to(moved)
    before = hashlib.sha256(moved.read_bytes()).hexdigest()

    run_all(used)

    assert hashlib.sha256(moved.read_bytes()).hexdigest() == before


# --- what is derived from the log ---


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_linked_view_is_rebuilt_and_its_target_not_opened(used: Project, victim: Path, end: str) -> None:
    folder = str(used.bus / "view")
    plant_link(Path(store.path_of(folder, store.newest(folder)) + end), victim)

    answers = run_all(used)

    assert is_untouched(victim)
    assert answers["inbox"].code == 0, answers["inbox"]
    assert "hello" in answers["inbox"].out
    assert not any(path.is_symlink() for path in Path(folder).iterdir())


def test_the_rows_of_a_linked_view_are_not_believed(used: Project, home: Path) -> None:
    folder = str(used.bus / "view")
    newest = Path(store.path_of(folder, store.newest(folder)))
    copy = home / "other.db"
    newest.rename(copy)
    newest.symlink_to(copy)
    before = hashlib.sha256(copy.read_bytes()).hexdigest()

    run_all(used)

    assert hashlib.sha256(copy.read_bytes()).hexdigest() == before
    assert not newest.is_symlink()


def test_a_view_that_is_being_made_is_not_made_elsewhere(used: Project, victim: Path) -> None:
    folder = str(used.bus / "view")
    for number in range(1, 10):
        plant_link(Path(store.path_of(folder, number) + ".new"), victim)

    answers = run_all(used)

    assert is_untouched(victim)
    assert answers["rebuild"].code == 0, answers["rebuild"]


def test_a_linked_search_index_is_made_again(used: Project, victim: Path) -> None:
    plant_link(Path(search.path_of(str(used.bus / "view"))), victim)

    answers = run_all(used)

    assert is_untouched(victim)
    assert "hello" in answers["search"].out


# --- the small files ---


@pytest.mark.parametrize("target", [".bashrc", "absent"])
def test_a_linked_bell_is_not_rung(used: Project, home: Path, victim: Path, target: str) -> None:
    for name in ("ada", "bob"):
        plant_link(Path(wakeups.path_of(str(used.bus / "bell"), name)), home / target)

    answers = run_all(used)

    assert is_untouched(victim)
    assert not (home / "absent").exists()
    assert answers["send"].code == 0, answers["send"]
    assert "it is a symbolic link" in answers["wait"].err


def test_only_token_files_are_deleted(used: Project, victim: Path) -> None:
    foreign = used.bus / "token/notes"
    foreign.parent.mkdir(mode=0o700, exist_ok=True)
    foreign.write_text(CONTENT)
    planted = used.bus / "token" / tokens.digest("planted")
    plant_link(planted, victim)

    used.must("run", "--as", "bob", "--", "/bin/true")

    assert is_untouched(victim)
    assert foreign.read_text() == CONTENT
    assert not planted.is_symlink()


@pytest.mark.parametrize("number", [1, 7])
def test_quarantined_bytes_are_not_appended_to_a_link(used: Project, victim: Path, number: int) -> None:
    plant_link(used.bus / f"quarantine/{number:06d}.bin", victim)

    answers = run_all(used)

    assert is_untouched(victim)
    assert answers["sync"].code == 0, answers["sync"]
    assert (used.bus / f"quarantine/{number + 1:06d}.bin").read_bytes() == b"not a message either\n"


@pytest.mark.parametrize("place", ["pulse", "roster", "watch", "probe.lock", "sync.lock"])
def test_a_linked_file_of_the_bus_is_not_written_to(used: Project, victim: Path, place: str) -> None:
    plant_link(used.bus / place, victim)

    run_all(used)

    assert is_untouched(victim)


def test_the_errors_of_a_worker_are_not_written_through_a_link(used: Project, victim: Path) -> None:
    used.must("task", "open", "T", "--id", "t1", "--as", "ada")
    plant_link(used.bus / "run/fac+workers+slot0.err", victim)

    used.shell.sh('"$(dirname $P)/co" factory add fac --as ada')
    refused = used.shell.sh('"$(dirname $P)/co" dispatch t1 fac --as ada -- /bin/true')

    assert is_untouched(victim)
    assert refused.code == 1
    assert "it is a symbolic link" in refused.err
