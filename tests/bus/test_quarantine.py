"""Quarantine: what could not be understood is listed, shown, tried again, and never thrown away."""

from pathlib import Path

import pytest

from palaver import Bus
from palaver.model.limits import SHOW_BYTES
from tests.bus.scene import bodies, bus_in, refused


def damaged(folder: Path) -> tuple[Bus, Path, bytes]:
    """Make a bus where the line of one message was changed by somebody; return the log as it was too."""
    bus = bus_in(folder, "bob")
    for number in range(3):
        bus.send("bob", f"message {number}")
    [segment] = Path(bus.root.log).iterdir()
    whole = segment.read_bytes()
    segment.write_bytes(whole.replace(b"message 1", b"massage 1"))
    return bus, segment, whole


@pytest.mark.on_disk("it damages or replaces the files of the log")
def test_a_damaged_line_is_listed_with_its_place_and_shown_as_it_is(tmp_path: Path) -> None:
    bus, segment, whole = damaged(tmp_path)

    [item] = bus.quarantine()

    assert (item.kind, item.file, item.released) == ("damaged", f"log/{segment.name}", "")
    found, content = bus.quarantined(item.id)
    assert found.id == item.id
    assert content == segment.read_bytes()[item.offset : item.offset + item.length]
    assert b"massage 1" in content
    assert whole[item.offset :].startswith(b'{"v":1')
    assert [check.state for check in bus.doctor() if check.name == "quarantine"] == ["bad"]


@pytest.mark.on_disk("it damages or replaces the files of the log")
def test_a_damaged_line_that_is_still_damaged_stays(tmp_path: Path) -> None:
    bus, _, _ = damaged(tmp_path)
    [item] = bus.quarantine()

    assert not bus.retry(item.id)

    assert [each.id for each in bus.quarantine()] == [item.id]


@pytest.mark.on_disk("it damages or replaces the files of the log")
def test_a_line_that_was_mended_comes_back(tmp_path: Path) -> None:
    bus, segment, whole = damaged(tmp_path)
    [item] = bus.quarantine()
    assert bodies(bus, "bob") == ["message 0", "message 2"]

    segment.write_bytes(whole)
    assert bus.retry(item.id)

    assert bus.quarantine() == []
    assert bodies(bus, "bob") == ["message 0", "message 1", "message 2"]
    assert bus.verify().good


@pytest.mark.on_disk("it damages or replaces the files of the log")
def test_a_torn_tail_is_sealed_explained_and_kept(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "before")
    [segment] = Path(bus.root.log).iterdir()
    torn = b'{"v":1,"seq":99,"event_id":"evt-torn'
    with segment.open("ab") as file:
        file.write(torn)

    bus.send("bob", "after")

    assert bodies(bus, "bob") == ["before", "after"]
    assert bus.quarantine() == []
    [item] = bus.quarantine(everything=True)
    assert (item.kind, item.length) == ("sealed", len(torn))
    assert bus.quarantined(item.id)[1] == torn
    assert bus.retry(item.id)
    assert bus.verify().good
    bus.rebuild()
    assert [each.id for each in bus.quarantine(everything=True)] == [item.id]


@pytest.mark.on_disk("it damages or replaces the files of the log")
def test_only_so_much_of_a_piece_is_shown(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "x" * 20_000)
    [segment] = Path(bus.root.log).iterdir()
    segment.write_bytes(segment.read_bytes().replace(b"xxx", b"yyy", 1))

    [item] = bus.quarantine()

    assert item.length > 20_000
    assert len(bus.quarantined(item.id)[1]) == SHOW_BYTES


@pytest.mark.parametrize("item_id", ["", "nothing", "../../etc/passwd", "log/000000000001.jsonl:0", "\ud800"])
def test_what_is_not_there_cannot_be_shown(tmp_path: Path, item_id: str) -> None:
    bus = bus_in(tmp_path)

    with refused(bus, "not-found"):
        bus.quarantined(item_id)
    with refused(bus, "not-found"):
        bus.retry(item_id)
