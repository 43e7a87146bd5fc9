"""A log that is put back from a backup under an open bus is the log that the bus goes on with."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from palaver import Bus
from palaver.wiring import begin


def _deleted(log: Path, backup: Path) -> None:
    shutil.rmtree(log)
    shutil.copytree(backup, log)


def _moved_aside(log: Path, backup: Path) -> None:
    log.rename(log.with_name("log.old"))
    shutil.copytree(backup, log)


@pytest.mark.parametrize("put_back", [_deleted, _moved_aside])
def test_what_is_acknowledged_after_a_backup_was_put_back_stands_in_it(
    tmp_path: Path, put_back: Callable[[Path, Path], None]
) -> None:
    begin(str(tmp_path), "ada")
    bus = Bus(str(tmp_path), agent="ada")
    bus.add_agent("bob")
    bus.send("bob", "before")
    log, backup = tmp_path / ".palaver" / "log", tmp_path / "backup"
    shutil.copytree(log, backup)

    put_back(log, backup)
    sent = bus.send("bob", "after")

    stored = b"".join(path.read_bytes() for path in sorted(log.iterdir()))
    assert sent.message.id.encode() in stored
    assert [mail.message.body for mail in Bus(str(tmp_path)).inbox("bob").mail] == ["before", "after"]
    assert bus.verify().good
