"""The laws of reading a log: by number, by place, and waiting for more."""

import threading
import time
from pathlib import Path

import pytest

from palaver.log.port import LogReplaced
from palaver.model.event import Event
from tests.laws.backend import ALL, FOR_EVER, Backend, bodies
from tests.laws.drafts import said


class ReadingLaws(Backend):
    """Every test is a law."""

    # --- read ---

    def test_an_empty_log_has_nothing_to_read(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        assert log.read(0, ALL) == []
        assert log.last_seq() == 0
        assert list(log.batches()) == []

    def test_read_starts_behind_the_cursor(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        first, second, third = log.append([said("a"), said("b"), said("c")])

        assert log.read(first.seq, ALL) == [second, third]
        assert log.read(third.seq, ALL) == []
        assert log.read(third.seq + 100, ALL) == []

    def test_an_event_is_found_by_its_number_and_by_no_other(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        stored = log.append([said("a"), said("b"), said("c")])

        assert [log.event(event.seq) for event in stored] == stored
        assert [log.event(seq) for seq in (-1, 0, stored[-1].seq + 1)] == [None, None, None]

    @pytest.mark.parametrize("limit", [0, 1, 2, 3, 4])
    def test_read_respects_the_limit(self, tmp_path: Path, limit: int) -> None:
        log = self.make_log(tmp_path)
        stored = log.append([said("a"), said("b"), said("c")])

        assert log.read(0, limit) == stored[:limit]

    @pytest.mark.parametrize("step", [1, 3, 7])
    def test_reading_in_steps_while_others_write_sees_each_event_once(
        self, tmp_path: Path, step: int
    ) -> None:
        log = self.make_log(tmp_path)
        seen: list[Event] = []
        stored: list[Event] = []

        for n in range(20):
            stored += log.append([said(f"{n}.{m}") for m in range(n % 4)])
            seen += log.read(seen[-1].seq if seen else 0, step)
        while more := log.read(seen[-1].seq if seen else 0, step):
            seen += more

        assert seen == stored

    def test_a_reader_may_go_back(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        stored = log.append([said(str(n)) for n in range(10)])

        log.read(0, 7)

        assert log.read(stored[2].seq, 2) == stored[3:5]
        assert log.read(0, ALL) == stored

    def test_what_was_appended_can_be_read_at_once(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        for n in range(10):
            seq = log.append([said(str(n))])[0].seq

            assert bodies(log.read(seq - 1, ALL)) == [str(n)]
            assert log.last_seq() == seq

    # --- places ---

    def test_batches_hold_the_same_events_as_read(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said(str(n)) for n in range(30)])

        found = [event for batch in log.batches() for event in batch.events]

        assert found == log.read(0, ALL)

    def test_whoever_goes_on_where_a_batch_ended_misses_nothing(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        place, head = "", ""
        found: list[object] = []

        for n in range(10):
            log.append([said(f"{n}.{m}") for m in range(n % 3)])
            for batch in log.batches(place, head):
                found += bodies(batch.events)
                place, head = batch.end, batch.head

        assert found == bodies(log.read(0, ALL))
        assert place == log.end(), "who has seen all stands at the end"

    def test_an_event_is_found_by_its_place(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        stored = log.append([said(str(n)) for n in range(10)])

        places = [event.place for batch in log.batches() for event in batch.events]

        assert log.events_at(places) == stored
        assert log.lines_at(places) == [log.line(event.seq) for event in stored]

    def test_where_nothing_stands_nothing_is_found(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said("only")])
        (batch,) = log.batches()

        for place in (batch.end, "", "x", "7:x:9", "9" * 30, "-1", "-1:-1:-1"):
            assert log.events_at([place]) == [None], place
            assert log.lines_at([place]) == [b""], place
        assert log.events_at([batch.events[0].place]) != [None]

    def test_a_place_that_the_log_never_gave_out_is_out_of_reach(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said("only")])
        (batch,) = log.batches()

        assert list(log.batches(batch.end)) == []
        log.append([said("another")])
        (longer,) = log.batches(batch.end)
        shorter = self.make_log(tmp_path / "another log")
        shorter.append([said("only")])
        for place in (longer.end, "x", "1:x", "9" * 30):
            with pytest.raises(LogReplaced):
                list(shorter.batches(place))

    def test_a_reader_notices_that_the_event_before_its_place_is_another(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said("read")])
        (read,) = log.batches()
        log.append([said("new")])

        (new,) = log.batches(read.end, read.head)

        assert bodies(new.events) == ["new"]
        with pytest.raises(LogReplaced):
            list(log.batches(read.end, "0" * 32))

    def test_the_end_moves_with_news_and_only_with_news(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        ends = [log.end()]

        for n in range(5):
            log.append([said("news", key=str(n))])
            ends.append(log.end())
            log.read(0, ALL)
            log.append([said("no news", key=str(n))])
            assert log.end() == ends[-1]

        assert len(set(ends)) == len(ends)
        assert [list(log.batches(end)) for end in ends[-1:]] == [[]]

    # --- wait, sync ---

    def test_wait_returns_at_once_when_there_is_something(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        seq = log.append([said("here already")])[0].seq

        assert log.wait(seq - 1, FOR_EVER)
        assert log.wait(seq - 1, 0.0)

    def test_wait_gives_up_when_the_time_is_over(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        seq = log.append([said("not news")])[0].seq
        started = time.monotonic()

        assert not log.wait(seq, 0.05)
        assert time.monotonic() - started >= 0.05
        assert not log.wait(seq, 0.0)

    def test_wait_is_woken_by_the_append_of_another_thread(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.blindfold(monkeypatch)
        log = self.make_log(tmp_path)
        log.append([said("before")])
        woken: list[bool] = []
        waiter = threading.Thread(target=lambda: woken.append(log.wait(1, FOR_EVER)), daemon=True)

        waiter.start()
        time.sleep(0.1)  # most likely it sleeps by now; if not, the law holds all the same
        log.append([said("news")])
        waiter.join()

        assert woken == [True]

    def test_wait_sleeps_on_while_there_is_nothing_behind_its_cursor(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        woken: list[bool] = []
        waiter = threading.Thread(target=lambda: woken.append(log.wait(2, FOR_EVER)), daemon=True)

        waiter.start()
        for n in range(2):
            log.append([said(str(n))])
        waiter.join(0.1)
        assert woken == []
        log.append([said("the third")])
        waiter.join()

        assert woken == [True]

    def test_sync_is_harmless(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        log.sync()
        (stored,) = log.append([said("a")])
        log.sync()

        assert log.read(0, ALL) == [stored]
