"""Anchors in the state folder: how many, how often, and which of them count."""

import os
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus import trust
from palaver.bus.anchor_file import AnchorFile
from palaver.log.anchor import Anchor
from palaver.model.errors import HistoryLost, NotPermitted
from palaver.model.limits import ANCHORS
from tests.bus.scene import bus_in
from tests.views.dumps import view_path

OTHER = "0" * 32


def anchors(bus: Bus) -> list[Anchor]:
    return bus.session.anchors.known().own


def head(bus: Bus) -> Anchor:
    verdict = bus.verify()
    return Anchor(verdict.last_seq, verdict.head)


def test_reading_leaves_an_anchor_of_what_was_read(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "hello")
    bus = Bus(str(tmp_path), agent="bob")

    bus.inbox()

    assert [(each.seq, each.head) for each in anchors(bus)][-1] == head(bus)[:2]


def test_a_long_lived_process_writes_one_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bus = bus_in(tmp_path, "bob")
    now = [100.0]
    monkeypatch.setattr("palaver.bus.anchor_file.time.monotonic", lambda: now[0])
    bus.session.anchors = AnchorFile(bus.root, bus.session.log)
    before = len(anchors(bus))

    for number in range(20):
        bus.send("bob", f"message {number}")
        bus.inbox("bob")
        now[0] += 0.25

    assert 4 <= len(anchors(bus)) - before <= 6


def test_their_number_is_bounded_and_the_newest_are_the_densest(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    keeper = bus.session.anchors
    for number in range(4 * ANCHORS):
        bus.send("bob", f"message {number}")
        keeper.settle(head(bus), forget_unreadable=False)

    seqs = [each.seq for each in anchors(bus)]
    gaps = [after - before for before, after in pairwise(seqs)]

    assert len(seqs) == ANCHORS
    assert seqs[-1] == head(bus).seq
    assert gaps[-1] == 1
    assert max(gaps) == max(gaps[: ANCHORS // 2])
    assert bus.verify().good


def test_the_key_is_private_and_made_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.verify()
    key = Path(trust.state_folder()) / "key"
    before = key.read_bytes()

    (tmp_path / "other").mkdir()
    bus_in(tmp_path / "other", "bob").verify()

    assert key.read_bytes() == before
    assert key.stat().st_mode & 0o777 == 0o600


def test_another_machine_with_the_same_home_folder_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = bus_in(tmp_path, "bob")
    real = os.uname()
    with monkeypatch.context() as elsewhere:
        fields = (real.sysname, "elsewhere", real.release, real.version, real.machine)
        elsewhere.setattr(os, "uname", lambda: os.uname_result(fields))
        bus.session.anchors.settle(Anchor(900, OTHER), forget_unreadable=False)

    verdict = bus.verify()

    assert verdict.good
    assert any("another machine" in note and "900" in note for note in verdict.notes)


def test_a_flipped_bit_of_a_view_is_not_taken_for_a_loss_of_the_log(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "hello")
    bus.inbox("bob")
    bus.session.view.close()
    with sqlite3.connect(view_path(bus)) as db:
        db.execute("update place set head = ?", (OTHER,))

    assert bus.verify().good
    bus.send("bob", "goes on")
    assert len(bus.inbox("bob").mail) == 2
    assert bus.verify().good


def test_a_snapshot_of_a_log_that_lost_records_is_refused(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.session.anchors.settle(Anchor(900, OTHER), forget_unreadable=False)

    with pytest.raises(HistoryLost, match="900"):
        bus.snapshot()


def test_the_same_key_accepts_a_loss_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.session.anchors.settle(Anchor(900, OTHER), forget_unreadable=False)

    first, again = bus.accept_losses(key="k"), bus.accept_losses(key="k")

    assert first == again
    assert len(bus.events(event_type="log.accepted")) == 1
    assert bus.accept_losses() == []


def test_a_run_cannot_accept_a_loss(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.session.root.environment = {"PALAVER_RUN": "r1"}

    with pytest.raises(NotPermitted):
        bus.accept_losses()
