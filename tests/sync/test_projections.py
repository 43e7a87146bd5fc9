"""`.work/messages.jsonl` says who has read what: replaced as a whole, while others append to it."""

import json
import os
from pathlib import Path

import pytest

from palaver.model.limits import HELD_LINE_BYTES
from palaver.sync.replaced_files import Fingerprint, entry_name
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import SPEECH


def a_vermas(tmp_path: Path) -> tuple[Scene, Path]:
    scene = Scene(tmp_path / "bus")
    mount = scene.mount("vermas")
    append(mount / ".work/messages.jsonl", SPEECH["vermas"].says("I live here"))
    scene.settle()
    return scene, mount / ".work/messages.jsonl"


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_bytes().splitlines() if line.strip()]


def test_what_was_read_is_marked_in_the_file_and_nothing_is_taken_in_again(tmp_path: Path) -> None:
    scene, file = a_vermas(tmp_path)
    sent = scene.bus.send("ceo", "please read")
    scene.settle()

    scene.bus.read([sent.message.id], agent="ceo")
    scene.settle()
    scene.restart()
    scene.settle()

    [row] = [each for each in rows(file) if each["body"] == "please read"]
    assert row["read_at"]
    assert scene.bodies() == ["I live here", "please read"]


def test_what_races_the_replacement_is_taken_in_from_the_old_file(tmp_path: Path) -> None:
    scene, file = a_vermas(tmp_path)
    sent = scene.bus.send("ceo", "please read")
    scene.settle()
    slow = os.open(file, os.O_WRONLY | os.O_APPEND)

    scene.bus.read([sent.message.id], agent="ceo")
    scene.settle()
    os.write(slow, SPEECH["vermas"].says("I had it open"))
    os.close(slow)
    scene.settle()
    scene.restart()
    scene.settle()

    assert scene.bodies() == ["I live here", "please read", "I had it open"]


def test_a_replacement_that_died_halfway_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    scene, file = a_vermas(tmp_path)
    sent = scene.bus.send("ceo", "please read")
    scene.settle()
    attic = Path(scene.bus.root.attic)
    attic.mkdir(exist_ok=True)
    # As if whoever replaced it had died between keeping the old file and moving the new one.
    name = entry_name(
        "vermas", ".work/messages.jsonl", Fingerprint(file.read_bytes()), Fingerprint(b"new"), 1
    )
    (attic / name).hardlink_to(file)
    (attic / "new@1@1").write_bytes(b"half of it")

    append(file, SPEECH["vermas"].says("life goes on"))
    left_alone(file)
    report = scene.settle()
    scene.bus.read([sent.message.id], agent="ceo")
    scene.settle()

    assert report.troubles == []
    assert scene.bodies() == ["I live here", "please read", "life goes on"]
    assert [bool(row.get("read_at")) for row in rows(file)] == [False, True, False]


def test_a_deleted_file_comes_back_and_goes_on_with_what_is_sent_next(tmp_path: Path) -> None:
    scene, file = a_vermas(tmp_path)
    file.unlink()

    scene.bus.send("ceo", "again")
    scene.settle()

    assert [row["body"] for row in rows(file)] == ["I live here", "again"]
    assert scene.bodies() == ["I live here", "again"]


def test_every_event_stands_in_the_file_of_events_once(tmp_path: Path) -> None:
    scene, file = a_vermas(tmp_path)
    sent = scene.bus.send("ceo", "please read")
    scene.bus.read([sent.message.id], agent="ceo")
    scene.settle()
    scene.restart()
    scene.settle()

    events = rows(file.with_name("events.jsonl"))
    ids = [each["event_id"] for each in events]
    assert len(ids) == len(set(ids))
    told = [each["event_type"] for each in events if "mail" in str(each["event_type"])]
    assert [each for each in told if each != "mail.delivered"] == ["mail.sent", "mail.sent", "mail.read"]
    assert scene.bodies() == ["I live here", "please read"]


@pytest.mark.parametrize("ending", [b"\n", b""], ids=["ended", "unfinished"])
def test_a_line_too_long_for_the_memory_stays_where_it_is(tmp_path: Path, ending: bytes) -> None:
    scene, file = a_vermas(tmp_path)
    before, huge = SPEECH["vermas"].says("before it"), b"x" * (HELD_LINE_BYTES + 1)
    append(file, before + huge + b"\n" + SPEECH["vermas"].says("after it") + huge + ending)
    left_alone(file)
    sent = scene.bus.send("ceo", "please read")
    scene.settle()
    scene.bus.read([sent.message.id], agent="ceo")

    report = scene.settle()

    assert report.troubles == []
    assert [line for line in file.read_bytes().split(b"\n") if len(line) > HELD_LINE_BYTES] == [huge, huge]
    read = [json.loads(line) for line in file.read_bytes().split(b"\n") if line.startswith(b"{")]
    said = [row for row in read if row["from"] != "palaver"]
    assert [row["body"] for row in said] == ["I live here", "before it", "after it", "please read"]
    assert [bool(row.get("read_at")) for row in said] == [False, False, False, True]


def test_work_orders_beside_a_line_too_long_for_the_memory_are_put_right(tmp_path: Path) -> None:
    scene, file = a_vermas(tmp_path)
    orders = file.with_name("work_orders.jsonl")
    huge = b"x" * (HELD_LINE_BYTES + 1) + b"\n"
    scene.bus.open_task("first", by="ceo", task="wo-1")
    scene.settle()
    append(orders, huge)
    left_alone(orders)
    scene.settle()
    scene.bus.open_task("second", by="ceo", task="wo-2")

    report = scene.settle()

    assert (report.troubles, report.unsettled) == ([], False)
    assert huge in orders.read_bytes()
    assert [json.loads(line)["id"] for line in orders.read_bytes().split(b"\n") if line.startswith(b"{")] == [
        "wo-1",
        "wo-2",
    ]
