"""A failed sync ends its segment: nobody is acknowledged, and a retry with the same key takes effect once."""

import errno
import json
import os
from pathlib import Path

import pytest

from palaver.api import Bus
from palaver.log import segments
from palaver.log.file_log import FileLog
from palaver.model.errors import SyncFailed
from palaver.model.event import Event
from palaver.wiring import begin
from tests.laws.drafts import said
from tests.processes.command import palaver
from tests.processes.faults import strace
from tests.processes.oracle import Ground


class BadDisk:
    """Lets chosen calls of fdatasync fail, counted from one, and knows what of each file is safe."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *failing: int) -> None:
        self.calls = 0
        self._failing = failing
        self._fdatasync = os.fdatasync
        # What was not written back when a sync failed never will be, whatever a later sync says.
        self._safe: dict[str, int] = {}
        self._failed: set[str] = set()
        monkeypatch.setattr(os, "fdatasync", self)

    def __call__(self, fd: int) -> None:
        self.calls += 1
        name = Path(f"/proc/self/fd/{fd}").readlink().name
        if self.calls in self._failing:
            self._failed.add(name)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._fdatasync(fd)
        if name not in self._failed:
            self._safe[name] = os.fstat(fd).st_size

    def kept(self, ground: Ground) -> list[Event]:
        """Return the events that will be there tomorrow."""
        return [
            event for batch in ground.open().batches() for event in batch.events if self._is_safe(event.place)
        ]

    def _is_safe(self, place: str) -> bool:
        segment, offset, length = map(int, place.split(":"))
        return offset + length < self._safe.get(segments.file_name(segment), 0)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = Ground(tmp_path / "bus", segment_bytes=3_000)
    ground.open().append([said(f"before {n}") for n in range(3)])
    return ground


def names(ground: Ground) -> list[str]:
    return sorted(path.name for path in ground.segments.iterdir())


def whole(ground: Ground) -> list[Event]:
    return ground.open().read(0, 1_000)


def test_nobody_is_acknowledged_and_the_next_segment_says_why(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    BadDisk(monkeypatch, 1)

    with pytest.raises(SyncFailed) as refused:
        ground.open().append([said("unlucky", key="k")])

    assert "Input/output error" in str(refused.value)
    assert str(ground.segments / "000000000001.jsonl") in str(refused.value)
    assert "--key" in refused.value.way_out
    assert names(ground) == ["000000000001.jsonl", "000000000005.jsonl"]
    last = whole(ground)[-1]
    assert (last.seq, last.event_type) == (5, "log.sync_failed")
    assert last.data == {"segment": 1, "cause": "Input/output error"}
    assert ground.open().is_unsafe(4)
    assert not ground.open().is_unsafe(5)
    assert ground.verify().good
    assert ground.verify().sync_failures == 1


def test_nothing_is_ever_written_to_that_segment_again(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = [ground.open() for _ in range(3)]
    for log in logs:
        log.append([said("opens the segment")])
    BadDisk(monkeypatch, 1)
    with pytest.raises(SyncFailed):
        logs[0].append([said("unlucky")])
    left = (ground.segments / "000000000001.jsonl").read_bytes()

    for log in logs:
        log.append([said("after")])

    assert (ground.segments / "000000000001.jsonl").read_bytes() == left
    assert [event.seq for event in whole(ground)] == list(range(1, len(whole(ground)) + 1))
    assert ground.verify().good


def test_a_retry_with_the_same_key_is_the_same_event_appended_again(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    BadDisk(monkeypatch, 1)
    first = said("unlucky", key="k")
    with pytest.raises(SyncFailed):
        ground.open().append([first])

    (again,) = ground.open().append([said("a retry has an id of its own", key="k")])
    (answered,) = ground.open().append([said("and again", key="k")])

    standing = [event for event in whole(ground) if event.key == "k"]
    assert [event.seq for event in standing] == [4, 6]
    assert {event.event_id for event in standing} == {first.event_id}
    assert again == standing[1]
    assert answered == standing[1], "what is safe is answered, not appended a third time"
    assert ground.verify().good


def test_a_segment_that_cannot_be_synced_when_it_is_full_is_left_too(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = ground.open()
    while len((ground.segments / "000000000001.jsonl").read_bytes()) < 2_500:
        log.append([said("x" * 100)])
    last = log.last_seq()
    BadDisk(monkeypatch, 1)

    with pytest.raises(SyncFailed):
        log.append([said("y" * 600, key="k")])

    assert [event.event_type for event in whole(ground)][-1] == "log.sync_failed"
    assert log.is_unsafe(last)
    (stored,) = log.append([said("y" * 600, key="k")])
    assert stored.data == {"body": "y" * 600}
    assert ground.verify().good


def test_a_disk_that_never_syncs_acknowledges_nothing(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    BadDisk(monkeypatch, *range(1, 100))
    log = ground.open()

    for n in range(5):
        with pytest.raises(SyncFailed):
            log.append([said("unlucky", key=f"k{n}")])
    monkeypatch.undo()
    stored = log.append([said("lucky", key=f"k{n}") for n in range(5)])

    assert [event.data for event in stored] == [{"body": "unlucky"}] * 5
    assert not any(log.is_unsafe(event.seq) for event in stored)
    assert ground.verify().good


def test_a_torn_tail_in_the_segment_that_is_left_keeps_its_number(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = ground.open()
    torn = ground.segments / "000000000001.jsonl"
    fdatasync = os.fdatasync

    def torn_and_bad(fd: int) -> None:
        monkeypatch.setattr(os, "fdatasync", fdatasync)
        with torn.open("ab") as file:
            file.write(b'{"v":1,"se')
        raise OSError(errno.EIO, os.strerror(errno.EIO), fd)

    monkeypatch.setattr(os, "fdatasync", torn_and_bad)
    with pytest.raises(SyncFailed):
        log.append([said("unlucky")])
    monkeypatch.undo()

    seq = log.append([said("after")])[0].seq

    assert [event.seq for event in whole(ground)] == [1, 2, 3, 4, 6, 7]
    assert seq == 7
    assert ground.verify().good


def persistent(log: FileLog, count: int) -> list[Event]:
    """Append with keys, and try again until each is acknowledged, as the refusal tells to."""
    acknowledged: list[Event] = []
    for n in range(count):
        for _ in range(10):
            try:
                acknowledged += log.append([said(f"{n} {'x' * 200}", key=f"k{n}")])
                break
            except SyncFailed:
                continue
    return acknowledged


@pytest.mark.parametrize("failing", range(1, 21))
def test_whichever_sync_fails_each_key_is_acknowledged_once_and_stands_where_it_is_safe(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    disk = BadDisk(monkeypatch, failing)

    acknowledged = persistent(ground.open(), 18)
    monkeypatch.undo()

    assert disk.calls > 20
    assert [event.key for event in acknowledged] == [f"k{n}" for n in range(18)]
    assert [event for event in acknowledged if event not in disk.kept(ground)] == []
    effects = {event.event_id for event in whole(ground) if event.key}
    assert len(effects) == 18, "one event for each key, however often it stands"
    assert ground.verify().good
    assert ground.verify().sync_failures == 1


def test_a_send_whose_sync_fails_is_not_acknowledged_and_its_retry_arrives_once(tmp_path: Path) -> None:
    begin(str(tmp_path), "ada")
    words = ("send", "ada", "-m", "important", "--key", "k1", "--json")

    refused = palaver(*words, root=tmp_path, agent="ada", under=strace("fdatasync:error=EIO:when=1"))
    retried = palaver(*words, root=tmp_path, agent="ada")

    assert refused.returncode == 1
    assert json.loads(refused.stdout)["error"]["code"] == "sync-failed"
    assert retried.returncode == 0, retried.stderr
    bus = Bus(str(tmp_path), agent="ada")
    sent = [event for event in bus.session.log.read(0, 1_000) if event.event_type == "mail.sent"]
    assert [event.key for event in sent] == ["k1", "k1"]
    assert sent[0].event_id == sent[1].event_id
    assert json.loads(retried.stdout)["id"] == sent[0].data["message_id"]
    assert len(bus.inbox("ada").mail) == 1
    assert bus.verify().good
    assert bus.verify().sync_failures == 1
