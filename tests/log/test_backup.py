"""A copy made while writers run is a backup, and a log of a later release can be read."""

import subprocess
import time
from pathlib import Path
from zlib import crc32

import pytest

from palaver.log.record import decode, hashed
from tests.laws.drafts import said
from tests.patience import PATIENCE
from tests.processes.nursery import Nursery
from tests.processes.oracle import Ground, promised
from tests.processes.writing import Job


@pytest.mark.slow
def test_a_copy_made_while_writers_run_loads_and_verifies(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "bus", segment_bytes=50_000)
    acks = tmp_path / "acks"
    acks.mkdir()
    with Nursery() as nursery:
        for n in range(3):
            nursery.start(
                Job(
                    log=ground.root.log,
                    lock=ground.root.log_lock,
                    name=f"writer{n}",
                    acks=str(acks / str(n)),
                    seed=n,
                    segment_bytes=50_000,
                )
            )
        while not ground.open().last_seq():
            time.sleep(0.01)
        for n in range(10):
            told = promised(acks.iterdir())
            copy = tmp_path / f"copy{n}"
            subprocess.run(["cp", "-r", str(ground.folder), str(copy)], check=True, timeout=PATIENCE)
            backup = Ground(copy, segment_bytes=50_000)

            events = {event.event_id for event in backup.open().read(0, 1_000_000)}

            assert backup.verify().faults == [], f"copy {n}"
            assert {ack.event_id for ack in told} <= events, f"copy {n}"
            assert backup.open().append([said("goes on")])[0].seq > len(events)
            assert backup.verify().faults == [], f"copy {n}, after an append"


def later_release(seq: int, prev: str) -> bytes:
    """Return a record with fields that this release has never heard of."""
    head = (
        b'{"v":1,"seq":%d,"lamport":[1,2],"event_id":"evt-abcdefghijk%d","event_type":"mail.telepathy",'
        b'"timestamp":"2031-01-01T00:00:00.000Z","actor":"ada","auth":"aura","data":{"body":"x","mood":{}},'
        b'"sig":"00ff","prev":"%b"' % (seq, seq, prev.encode())
    )
    return b'%b,"crc":"%08x"}' % (head, crc32(head))


def test_fields_of_a_later_release_are_kept_and_ignored(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "bus")
    ground.open().append([said("of today")])
    path = ground.segments / "000000000001.jsonl"
    second = later_release(2, hashed(path.read_bytes().rstrip(b"\n")))
    third = later_release(3, hashed(second))
    path.write_bytes(path.read_bytes() + second + b"\n" + third)

    seq = ground.open().append([said("goes on")])[0].seq

    assert seq == 4
    assert second in path.read_bytes()
    assert third in path.read_bytes()
    events = ground.open().read(0, 9)
    assert [event.seq for event in events] == [1, 2, 3, 4]
    assert (events[1].event_type, events[1].data) == ("mail.telepathy", {"body": "x", "mood": {}})
    assert decode(second) == events[1]
    assert ground.verify().good
