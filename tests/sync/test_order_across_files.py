"""Lines of several files of a mount are recorded in the order of their times; within a file nothing moves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.log.clock import now
from palaver.model.limits import TURN_BYTES
from palaver.sync.intake.file_events import EntryKind, FileBlock, FileEntry
from palaver.sync.intake.growing_files import FileIntake, in_time_order
from tests.sync.scene import Scene, append

FILES: Final = ("a", "b", "c")
NEVER: Final = "9999"


# --- the merge alone ---


class Told:
    """Entries of one file, given as times; cut after some of them."""

    def __init__(self, name: str, times: list[str], *, is_long: bool = False) -> None:
        self.name = name
        self._times = sorted(times)
        self._is_long = is_long
        self.is_cut = False

    @property
    def file(self) -> "Told":
        return self

    def entries(self) -> Iterator[FileEntry]:
        for number, time in enumerate(self._times):
            yield FileEntry(EntryKind.NEW, FileBlock(0, b""), number, number + 1, time)
        if self._is_long:
            self.is_cut = True


def order(files: list[Told], fresh: str = NEVER) -> list[tuple[str, str]]:
    merged = cast("Iterator[tuple[Told, FileEntry]]", in_time_order(cast("list[FileIntake]", files), fresh))
    return [(entry.time, file.name) for file, entry in merged]


TIMES: Final = st.lists(st.sampled_from("0123456789"), max_size=8)


@given(times=st.lists(TIMES, min_size=1, max_size=4))
def test_all_entries_come_once_and_in_order(times: list[list[str]]) -> None:
    files = [Told(str(name), each) for name, each in enumerate(times)]

    found = order(files)

    assert found == sorted(found), "by time, and at the same time by file"
    assert len(found) == sum(map(len, times))
    assert not any(file.is_cut for file in files)


@given(long=TIMES, times=st.lists(TIMES, min_size=1, max_size=3))
def test_what_is_later_than_a_cut_waits(long: list[str], times: list[list[str]]) -> None:
    files = [Told("long", long, is_long=True), *(Told(str(name), each) for name, each in enumerate(times))]

    found = order(files)

    last = max(long, default="")
    assert [time for time, name in found if name == "long"] == sorted(long), "a turn is always taken"
    assert all(time <= last for time, _ in found)
    for name, each in enumerate(times):
        assert [time for time, file in found if file == str(name)] == sorted(t for t in each if t < last)


@given(long=TIMES, times=TIMES, fresh=st.sampled_from("0123456789"))
def test_a_file_that_is_fresh_throughout_waits_for_no_cut(
    long: list[str], times: list[str], fresh: str
) -> None:
    late = [time for time in times if time >= fresh]

    found = order([Told("long", long, is_long=True), Told("live", late)], fresh)

    assert [time for time, name in found if name == "live"] == sorted(late)


def test_a_file_that_waits_is_cut_at_its_first_old_line_for_all_that_follows() -> None:
    waiting = Told("waiting", ["2", "8"])

    assert order([Told("long", ["1"], is_long=True), waiting], fresh="5") == [("1", "long")]
    assert waiting.is_cut


# --- a bus ---


def line(minute: int | None, body: str, agent: str) -> bytes:
    """Return a line of an office; without a minute it has no time."""
    head = "" if minute is None else f"[2026-02-11T10:{minute:02d}:00Z] "
    return f"{head}[INFO] by: emp-{agent} | {body}\n".encode()


def file_of(folder: Path, agent: str) -> Path:
    return folder / f"messages/employee-emp-{agent}.log"


@pytest.fixture(scope="module")
def buses(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Return a bus; each example mounts an office of its own."""
    return Scene(tmp_path_factory.mktemp("order") / "bus")


@settings(max_examples=25, deadline=None)
@given(
    history=st.lists(
        st.tuples(st.sampled_from(FILES), st.integers(0, 59)),
        min_size=1,
        max_size=12,
        unique_by=lambda each: each[1],
    ),
    is_live=st.booleans(),
)
def test_any_split_of_a_history_over_files_replays_in_time_order(
    buses: Scene, history: list[tuple[str, int]], *, is_live: bool
) -> None:
    """Told before the mount is there, or while it is."""
    name = f"office{len(list(buses.folder.iterdir()))}"
    folder = buses.folder / name
    if is_live:
        buses.mount("office", name)
    (folder / "messages").mkdir(parents=True, exist_ok=True)
    written = sorted(history, key=lambda each: each[1])
    for agent, minute in written:
        append(file_of(folder, agent), line(minute, f"said at {minute}", agent))
    if not is_live:
        buses.mount("office", name)

    buses.sync()

    assert buses.bodies(name) == [f"said at {minute}" for _, minute in written]


def taken(tmp_path: Path, **files: list[bytes]) -> list[str]:
    """Return the texts of lines of several files, in the order in which one pass has recorded them."""
    scene = Scene(tmp_path / "bus")
    folder = scene.mount("office")
    for agent, lines in files.items():
        append(file_of(folder, agent), b"".join(lines))
    scene.sync()
    return scene.bodies("office")


def test_lines_of_one_file_keep_their_order_whatever_their_times_are(tmp_path: Path) -> None:
    backward = [line(minute, f"a{minute}", "a") for minute in (9, 3, 7, 1)]

    assert taken(tmp_path, a=backward) == ["a9", "a3", "a7", "a1"]


def test_a_line_without_a_time_goes_with_the_line_before(tmp_path: Path) -> None:
    found = taken(
        tmp_path, a=[line(5, "a5", "a"), line(None, "a", "a")], b=[line(3, "b3", "b"), line(8, "b8", "b")]
    )

    assert found == ["b3", "a5", "a", "b8"]


def test_a_line_without_a_time_at_the_start_of_a_file_comes_first(tmp_path: Path) -> None:
    found = taken(tmp_path, a=[line(1, "a1", "a")], b=[line(None, "b", "b"), line(2, "b2", "b")])

    assert found == ["b", "a1", "b2"]


def test_a_time_that_goes_back_counts_as_that_of_the_line_before(tmp_path: Path) -> None:
    found = taken(
        tmp_path, a=[line(5, "a5", "a"), line(1, "a1", "a")], b=[line(3, "b3", "b"), line(8, "b8", "b")]
    )

    assert found == ["b3", "a5", "a1", "b8"]


def test_a_time_that_is_yet_to_come_counts_as_that_of_the_line_before(tmp_path: Path) -> None:
    future = line(1, "future", "a").replace(b"2026-02", b"2099-02")

    found = taken(tmp_path, a=[line(5, "a5", "a"), future], b=[line(8, "b8", "b")])

    assert found == ["a5", "future", "b8"]


def test_equal_times_are_told_file_by_file(tmp_path: Path) -> None:
    found = taken(tmp_path, b=[line(5, "b", "b")], a=[line(5, "a", "a")])

    assert found == ["a", "b"]


def test_a_backlog_that_takes_several_passes_keeps_the_order(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    folder = scene.mount("office")
    text = "x" * (TURN_BYTES // 8)
    for minute in range(40):
        agent = "a" if minute % 2 or minute < 20 else "b"
        append(file_of(folder, agent), line(minute, f"{minute} {text}", agent))

    assert scene.sync().unfinished
    while scene.sync().unfinished:
        pass

    assert [int(body.partition(" ")[0]) for body in scene.bodies("office")] == list(range(40))


def test_a_live_line_does_not_wait_for_the_backlog_of_another_file(tmp_path: Path) -> None:

    scene = Scene(tmp_path / "bus")
    folder = scene.mount("office")
    append(file_of(folder, "a"), line(1, "x" * 1_000, "a") * (4 * TURN_BYTES // 1_000))
    live = line(1, "live", "b").replace(b"2026-02-11T10:01:00Z", now().encode())
    append(file_of(folder, "b"), line(2, "old", "b"))
    append(file_of(folder, "c"), live.replace(b"emp-b", b"emp-c"))

    report = scene.sync()

    assert report.unfinished == {("office", f"messages/employee-emp-{agent}.log") for agent in ("a", "b")}
    assert "live" in scene.bodies("office")
    assert "old" not in scene.bodies("office")
    while scene.sync().unfinished:
        pass
    assert scene.bodies("office").count("old") == 1
