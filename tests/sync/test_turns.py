"""A huge backlog in one file: other mounts are served, commands answer, and the daemon ends when told to."""

import os
import signal
from pathlib import Path
from typing import Final

import pytest

from palaver.cli.connection import _notes as notes_of
from palaver.model.event import number, text
from palaver.model.limits import CHUNK_BYTES, TURN_BYTES
from palaver.sync.accounts import accounts
from palaver.sync.mount_sync import follow
from palaver.sync.sync_operations import sync
from tests.sync.living import Place, Up, read, swarm_line, up
from tests.sync.scene import Scene, append, left_alone

# The most that is taken of one file at a time: a pass goes on until it has a turn's worth of whole lines.
MOST: Final = TURN_BYTES + CHUNK_BYTES
BACKLOG: Final = 16 * MOST


def backlog(path: Path, line: bytes, size: int = BACKLOG, *, first: int = 0) -> int:
    """Append numbered copies of a line up to a size; return the number that follows the last one."""
    end = first + size // (len(line) + 7)
    append(path, b"".join(line.replace(b"#", b"%08d" % each) for each in range(first, end)))
    return end


KINDS: Final = {"junk": b"\xff junk # " + b"x" * 500 + b"\n", "good": swarm_line(f"# {'x' * 4_000}")}
every_kind = pytest.mark.parametrize("line", KINDS.values(), ids=KINDS)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "project")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "bus")


def reached(place: Place, mount: str) -> int:
    """Return up to which byte the channel of a mount is in the log."""
    sources = [event.src or {} for event in place.events()]
    return max(
        (number(each, "off") + number(each, "len") for each in sources if text(each, "mount") == mount),
        default=0,
    )


def log_size(place: Place) -> int:
    return sum(segment.stat().st_size for segment in (place.folder / ".palaver/log").iterdir())


def stopped_amid(daemon: Up, place: Place, channel: Path, line: bytes) -> tuple[int, int]:
    """Stop a daemon in the middle of a backlog; return how far it has read, and how many lines there are.

    If the daemon was faster than the test, the backlog grows while it is stopped, and the test tries again.
    """
    mount = channel.parent.name
    size, count = log_size(place), backlog(channel, line)
    while True:
        # A look at the size of the log is all that there is time for.
        daemon.until(lambda known=size: log_size(place) > known)  # type: ignore[misc]
        daemon.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, daemon.process.pid, os.WSTOPPED)
        found = reached(place, mount)
        if 0 < found < channel.stat().st_size - 4 * MOST:
            return found, count
        size, count = log_size(place), backlog(channel, line, first=count)
        daemon.process.send_signal(signal.SIGCONT)


# --- the work ---


@every_kind
def test_sync_compares_what_is_recorded_once_and_not_in_every_turn(
    scene: Scene, line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = scene.mount("swarm") / "channel.jsonl"
    backlog(channel, line)
    read_bytes = 0
    real = os.pread

    def counted(fd: int, length: int, offset: int) -> bytes:
        nonlocal read_bytes
        content = real(fd, length, offset)
        read_bytes += len(content)
        return content

    monkeypatch.setattr(os, "pread", counted)
    sync(scene.bus.session)

    # A turn reads the piece before it again, and a chunk that it cannot finish.
    assert read_bytes <= 4 * channel.stat().st_size


# --- the other mounts ---


@every_kind
def test_a_pass_takes_a_bounded_part_of_a_file_and_serves_every_other_mount(
    scene: Scene, line: bytes
) -> None:
    big, small, office = scene.mount("swarm", "big"), scene.mount("swarm", "small"), scene.mount("office")
    append(office / "messages/employee-emp-a.log", b"[2026-02-11T10:00:00Z] [INFO] by: emp-a | here\n")
    scene.settle()
    backlog(big / "channel.jsonl", line, 4 * MOST)
    append(small / "channel.jsonl", swarm_line("short", to="emp-a"))

    report = scene.sync()

    assert report.unfinished == {("big", "channel.jsonl")}
    assert report.bytes <= MOST + CHUNK_BYTES
    assert "short" in read(office / "messages/manager-inbox.log")


@every_kind
def test_passes_take_in_all_of_it_in_order_and_once(scene: Scene, line: bytes) -> None:
    channel = scene.mount("swarm") / "channel.jsonl"
    count = backlog(channel, line, 3 * MOST)

    report = scene.settle()

    bodies = [body.partition(" ")[0] for body in scene.bodies()]
    assert bodies == ([f"{each:08d}" for each in range(count)] if b"content" in line else [])
    assert report.quarantined == (0 if b"content" in line else count)


@every_kind
def test_the_daemon_serves_other_mounts_while_it_reads_a_backlog(place: Place, line: bytes) -> None:
    big, small, office = place.mount("swarm", "big"), place.mount("swarm", "small"), place.mount("office")
    append(office / "messages/employee-emp-a.log", b"[2026-02-11T10:00:00Z] [INFO] by: emp-a | here\n")
    place.do("sync")

    with up(place.folder, "--quiet") as daemon:
        before, _ = stopped_amid(daemon, place, big / "channel.jsonl", line)
        append(small / "channel.jsonl", swarm_line("short", to="emp-a"))
        daemon.process.send_signal(signal.SIGCONT)
        daemon.until(lambda: "short" in read(office / "messages/manager-inbox.log"))
    events = place.events()
    [short] = [event.seq for event in events if event.data.get("body") == "short"]
    early = [event.src or {} for event in events if event.seq < short]

    after = max(number(each, "off") + number(each, "len") for each in early if text(each, "mount") == "big")
    assert after - before <= 3 * MOST


def test_nothing_is_written_into_a_file_that_is_not_read_to_its_end(scene: Scene) -> None:
    channel = scene.mount("swarm") / "channel.jsonl"
    append(channel, swarm_line("I live here"))
    scene.settle()
    scene.bus.send("programmer", "once")
    scene.sync()
    # What was written is not confirmed yet, and stands in front of a backlog.
    backlog(channel, KINDS["junk"], 3 * MOST)
    scene.bus.send("programmer", "later")

    size = channel.stat().st_size
    while scene.sync().unfinished:
        assert channel.stat().st_size == size
    scene.settle()

    assert channel.read_bytes().count(b'"once"') == 1
    assert channel.read_bytes().count(b'"later"') == 1


def test_what_is_written_while_a_long_history_is_read_is_no_history(scene: Scene) -> None:
    office = scene.mount("office")
    append(office / "messages/employee-emp-a.log", b"[2026-02-11T10:00:00Z] [INFO] by: emp-a | here\n")
    scene.settle()
    channel = scene.folder / "team/channel.jsonl"
    channel.parent.mkdir()
    backlog(channel, swarm_line(f"# {'x' * 4_000}", to="emp-a"), 3 * MOST)
    config = scene.folder / ".palaver/config.toml"
    config.write_text(config.read_text() + '\n[mounts.team]\ndialect = "swarm"\npath = "team"\n')

    assert scene.sync().unfinished
    append(channel, swarm_line("news", to="emp-a"))
    left_alone(channel)
    scene.settle()

    told = read(office / "messages/manager-inbox.log")
    assert told.count("news") == 1
    assert "xxx" not in told


# --- commands ---


def test_a_command_begins_no_pass_after_its_time_and_says_so_and_sync_reads_everything(place: Place) -> None:
    team = place.mount("swarm")
    count = backlog(team / "channel.jsonl", KINDS["good"])
    bus = place.bus()
    follow(bus.session)

    bus.session.sync.catch_up(0)

    assert any("palaver sync reads all of it" in note for note in notes_of(bus.session))
    assert 0 < reached(place, "swarm") <= MOST
    place.do("sync")
    assert len(place.events("mail.sent")) == count


# --- the end ---


@every_kind
def test_a_daemon_that_is_told_to_end_leaves_the_rest_of_a_backlog_to_the_next_one(
    place: Place, line: bytes
) -> None:
    team = place.mount("swarm")

    with up(place.folder, "--quiet") as daemon:
        before, count = stopped_amid(daemon, place, team / "channel.jsonl", line)
        answer = daemon.end()
    after = reached(place, "swarm")

    assert answer.code == 0
    assert after - before <= 3 * MOST
    place.do("sync")
    bodies = [body.partition(" ")[0] for body in place.bodies()]
    # Of lines that cannot be read, the lead is told once.
    assert bodies == ([f"{each:08d}" for each in range(count)] if b"content" in line else ["SWA001"])
    [account] = accounts(place.bus().session)[1]
    taken_in = account.events if b"content" in line else account.quarantined
    assert taken_in == account.size - account.ours
