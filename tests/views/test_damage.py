"""The view is disposable: whatever happens to it, the next command answers right, and says so."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from palaver import Bus
from palaver.bus.view import View
from palaver.views import store
from tests.bus.scene import bodies, bus_in, ids
from tests.views.damage import Answers, answers, busy_bus, flipped, settled
from tests.views.dumps import dump, rebuilt, view_path

FLIPS: Final = 40


def reopened(bus: Bus) -> Bus:
    """Return the bus as another process would see it."""
    bus.session.view.close()
    return Bus(bus.root.path, agent="ada")


def delete(path: Path) -> None:
    path.unlink()


def delete_with_its_log(path: Path) -> None:
    for each in path.parent.iterdir():
        each.unlink()


def delete_the_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def fill_with_noise(path: Path) -> None:
    path.write_bytes(random.Random(9).randbytes(path.stat().st_size))


def cut_in_half(path: Path) -> None:
    # Inside a page, however many there are: a cut between two is found when a page that is gone is asked for.
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 8192 * 4096 + 100])


def cut_to_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:4096])


def zero_a_page(path: Path) -> None:
    # What stands in the write-ahead log too would be read from there, and no harm would be done.
    with sqlite3.connect(path) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    db.close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + bytes(4096) + content[8192:])


def rename_to_another_schema(path: Path) -> None:
    path.rename(path.with_name("0123abcd.7.db"))


def forget_that_it_is_whole(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("update place set whole = 0")
    db.close()


def stop_before_the_tables(path: Path) -> None:
    number = int(path.name.split(".")[1])
    path.unlink()
    Path(store.path_of(str(path.parent), number + 1)).touch()


HARM: Final[list[Callable[[Path], None]]] = [
    delete, delete_with_its_log, delete_the_folder, empty, fill_with_noise, cut_in_half, cut_to_a_page,
    zero_a_page, rename_to_another_schema, forget_that_it_is_whole, stop_before_the_tables,
]  # fmt: skip


@pytest.mark.parametrize("asleep", [True, False], ids=["at rest", "in use"])
@pytest.mark.parametrize("harm", HARM, ids=lambda harm: harm.__name__)
def test_after_any_harm_the_next_command_answers_right_and_says_so(
    tmp_path: Path, harm: Callable[[Path], None], asleep: bool
) -> None:
    bus = busy_bus(tmp_path)
    wanted = answers(bus)
    whole = dump(bus)
    path = settled(bus) if asleep else view_path(bus)
    if asleep:
        bus.session.view.close()

    harm(path)
    after = Bus(bus.root.path, agent="ada")

    assert answers(after) == wanted
    # A page that also stands in the write-ahead log of a view in use is not missed by anybody.
    harmless = harm is zero_a_page and not asleep
    assert harmless or any("rebuilt" in note for note in after.inbox("bob").notes)
    assert dump(after) == whole
    assert [each.name for each in Path(bus.root.view).glob("*.db")] == [view_path(after).name]


@pytest.mark.parametrize("harm", [delete, fill_with_noise, zero_a_page], ids=lambda harm: harm.__name__)
def test_a_bus_that_is_open_survives_it_too(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    bus = busy_bus(tmp_path)
    wanted = answers(bus)

    harm(settled(bus))
    bus.send("bob", "One more", priority="low")

    assert bodies(bus, "bob")[-1] == "One more"
    found = answers(bus)
    assert found == answers(Bus(bus.root.path, agent="ada"))
    assert (found.mail["carol"], found.agents, found.lists) == (
        wanted.mail["carol"],
        wanted.agents,
        wanted.lists,
    )


def test_a_new_bus_says_nothing_of_a_rebuild(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    assert bus.inbox("bob").notes == []
    assert reopened(bus).inbox("bob").notes == []


def test_no_flipped_bit_is_worse_than_a_wrong_mark_and_a_rebuild_mends_it(tmp_path: Path) -> None:
    seed = 99
    bus = busy_bus(tmp_path)
    wanted = answers(bus)
    whole = dump(bus)
    path = settled(bus)
    good = path.read_bytes()
    dice = random.Random(seed)
    right = 0

    for _ in range(FLIPS):
        place = dice.randrange(len(good) * 8)
        delete_with_its_log(path)
        path.write_bytes(flipped(good, place))
        after = reopened(bus)

        right += assert_honest(answers(after), wanted, place)
        assert rebuilt(after) == whole, (seed, place)
        assert answers(after) == wanted, (seed, place)
        after.session.view.close()

    assert right >= FLIPS * 0.9


def assert_honest(found: Answers, wanted: Answers, place: int) -> bool:
    """Whatever a damaged view lists, each text is one that was written, under its own id."""
    written = {pair for mail in wanted.mail.values() for pair in mail}

    assert {pair for mail in found.mail.values() for pair in mail} <= written | wanted.closed, place
    return found == wanted


@pytest.mark.on_disk("it damages or replaces the files of the log")
def test_a_line_of_the_log_that_is_damaged_costs_only_itself(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    for number in range(5):
        bus.send("bob", f"message {number}")
    assert len(ids(bus, "bob")) == 5
    [segment] = Path(bus.root.log).iterdir()
    segment.write_bytes(segment.read_bytes().replace(b"message 2", b"massage 2"))

    live = bodies(bus, "bob")
    bus.rebuild()

    assert live == ["message 0", "message 1", "(its line in the log is damaged)", "message 3", "message 4"]
    assert bodies(bus, "bob") == ["message 0", "message 1", "message 3", "message 4"]


def test_a_view_that_points_to_the_wrong_place_is_found_out_and_made_anew(tmp_path: Path) -> None:
    bus = busy_bus(tmp_path)
    wanted = answers(bus)
    path = settled(bus)
    with sqlite3.connect(path) as db:
        db.execute("update message set place = replace(place, ':', ':1') where seq % 2 = 0")
        db.execute("update message set place = '77:0:9' where seq % 5 = 0")
        db.execute("update message set place = 'nowhere' where seq % 7 = 0")
    db.close()

    after = reopened(bus)

    assert answers(after) == wanted
    assert any("not where it should be" in note for note in after.inbox("bob").notes)


def put_back(bus: Bus, copy: Path) -> None:
    shutil.rmtree(bus.root.log)
    shutil.copytree(copy, bus.root.log)


@pytest.mark.on_disk("it damages or replaces the files of the log")
def test_an_older_log_put_back_makes_the_view_anew_at_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "before the backup")
    shutil.copytree(bus.root.log, tmp_path / "backup")
    bus.send("bob", "after the backup")
    assert len(ids(bus, "bob")) == 2

    put_back(bus, tmp_path / "backup")
    after = reopened(bus)

    assert bodies(after, "bob") == ["before the backup"]
    assert [message.body for message in after.search("backup")] == ["before the backup"]
    assert any("not the one it was made from" in note for note in after.inbox("bob").notes)
    after.send("bob", "life goes on")
    assert bodies(after, "bob") == ["before the backup", "life goes on"]
    assert [message.body for message in after.search("life")] == ["life goes on"]


@pytest.mark.on_disk("it damages or replaces the files of the log")
def test_a_log_that_goes_on_otherwise_makes_the_view_anew(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "common")
    shutil.copytree(bus.root.log, tmp_path / "backup")
    bus.send("bob", "first history")
    assert len(ids(bus, "bob")) == 2
    assert len(bus.search("history")) == 1

    put_back(bus, tmp_path / "backup")
    for number in range(20):
        # Another writer, who never looks at the view.
        Bus(bus.root.path, agent="ada").send("bob", f"second history {number}")

    assert bodies(bus, "bob") == ["common", *(f"second history {number}" for number in range(20))]
    assert len(bus.search("history", limit=100)) == 20


def test_a_view_that_cannot_be_written_answers_from_a_copy_in_memory_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "seen")
    assert bodies(bus, "bob") == ["seen"]
    bus.send("bob", "unseen")

    def full(_self: View) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(View, "_apply", full)
    listing = reopened(bus).inbox("bob")

    assert [mail.message.body for mail in listing.mail] == ["seen", "unseen"]
    assert not listing.behind
    assert any("disk is full" in note for note in listing.notes)
