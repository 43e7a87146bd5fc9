"""The laws of writing to a log: order, numbers, bounds, and keys."""

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from palaver.model.errors import TooLarge
from palaver.model.event import Draft, Event
from palaver.model.limits import LINE_BYTES
from tests.laws.backend import ALL, Backend, bodies
from tests.laws.drafts import HOSTILE_TEXTS, NOON, of_size, said


class WritingLaws(Backend):
    """Every test is a law."""

    # --- append ---

    def test_numbers_rise_in_the_order_of_appending(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        numbers = [log.append([said(f"message {n}")])[0].seq for n in range(20)]

        assert numbers == sorted(set(numbers))
        assert bodies(log.read(0, ALL)) == [f"message {n}" for n in range(20)]

    def test_many_keep_their_order(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        stored = log.append([said(str(n)) for n in range(100)])

        assert bodies(stored) == [str(n) for n in range(100)]
        assert [event.seq for event in stored] == sorted({event.seq for event in stored})
        assert log.read(0, ALL) == stored

    def test_none_are_stored_when_none_are_given(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        end = log.end()

        assert log.append([]) == []
        assert log.last_seq() == 0
        assert log.end() == end

    @pytest.mark.parametrize("count", [1, 2, 50])
    def test_many_without_keys_keep_their_order_too(self, tmp_path: Path, count: int) -> None:
        log = self.make_log(tmp_path)
        before = log.append([said("before")])[0].seq

        numbers = [event.seq for event in log.append([said(str(n)) for n in range(count)])]

        after = log.append([said("after")])[0].seq
        assert [before, *numbers, after] == list(range(before, before + count + 2))
        assert bodies(log.read(0, ALL)) == ["before", *map(str, range(count)), "after"]
        assert [event.seq for event in log.read(0, ALL)] == [before, *numbers, after]

    def test_one_and_many_stand_in_one_order(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        first = log.append([said("one")])[0].seq
        second = log.append([said("two")])[0].seq
        third = log.append([said("three")])[0].seq

        assert first < second < third
        assert [event.seq for event in log.read(0, ALL)] == [first, second, third]
        assert bodies(log.read(0, ALL)) == ["one", "two", "three"]

    def test_every_field_comes_back(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        draft = Draft(
            "task.claimed",
            actor="project-a/workers/slot0",
            data={"n": -3, "f": 0.1, "big": 2**70, "yes": True, "none": None, "deep": [[1], {"a": []}]},
            event_id="evt-abcdefghijkl",
            timestamp=NOON,
            auth="channel",
            key="a key",
            src={"mount": "m", "file": "f.log", "gen": 1, "off": 0, "len": 9, "sha": "00"},
            correlation_id="msg-1",
            caused_by="evt-0",
        )

        (stored,) = log.append([draft])

        (found,) = log.read(0, ALL)
        assert found == stored
        assert {name: getattr(found, name) for name in Draft.__slots__} == {
            name: getattr(draft, name) for name in Draft.__slots__
        }

    @pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=range(len(HOSTILE_TEXTS)))
    def test_hostile_texts_come_back_equal(self, tmp_path: Path, text: str) -> None:
        log = self.make_log(tmp_path)
        draft = Draft(
            "mail.sent",
            actor=f"a{text}",
            data={"body": text, f"k{text}": [text]},
            event_id="evt-abcdefghijkl",
            timestamp=NOON,
            key=text,
            correlation_id=text,
            caused_by=text,
        )

        log.append([draft])

        (found,) = log.read(0, ALL)
        assert found.data == {"body": text, f"k{text}": [text]}
        assert (found.actor, found.key) == (f"a{text}", text)
        assert (found.correlation_id, found.caused_by) == (text, text)

    def test_the_largest_record_fits(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        large = of_size(LINE_BYTES)

        seq = log.append([large])[0].seq

        assert log.read(seq - 1, 1)[0].data == large.data

    def test_a_byte_more_is_refused_and_nothing_is_written(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said("before")])
        end = log.end()

        with pytest.raises(TooLarge):
            log.append([of_size(LINE_BYTES + 1)])
        with pytest.raises(TooLarge):
            log.append([said("small"), of_size(LINE_BYTES + 1)])
        with pytest.raises(TooLarge):
            log.append([said("small"), of_size(LINE_BYTES + 1)])

        assert log.end() == end
        assert bodies(log.read(0, ALL)) == ["before"]

    def test_what_is_no_plain_value_is_never_written(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        not_plain: list[object] = [float("nan"), float("inf"), b"bytes", {1, 2}, object()]

        for value in not_plain:
            draft = said("x")
            draft.data["value"] = value
            with pytest.raises((TypeError, ValueError)):
                log.append([said("not alone"), draft])
            with pytest.raises((TypeError, ValueError)):
                log.append([said("not alone"), draft])

        assert log.read(0, ALL) == []

    def test_writers_in_many_threads_lose_nothing_and_keep_their_own_order(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        start = threading.Barrier(8)

        def write(name: str) -> None:
            start.wait()
            for n in range(25):
                log.append([said(f"{n}", by=name)])

        threads = [threading.Thread(target=write, args=(f"writer{n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        events = log.read(0, ALL)
        assert [event.seq for event in events] == list(range(1, 201))
        for n in range(8):
            own = [event for event in events if event.actor == f"writer{n}"]
            assert bodies(own) == [str(n) for n in range(25)]

    # --- keys ---

    def test_a_key_that_stands_is_answered_and_not_stored_again(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        (first,) = log.append([said("once", key="k1")])
        log.append([said("between")])

        (again,) = log.append([said("once more", key="k1")])

        assert again == first
        assert bodies(log.read(0, ALL)) == ["once", "between"]

    def test_a_key_is_kept_for_the_life_of_the_log(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        (first,) = log.append([said("once", key="k1")])
        log.append([said(f"filler {n}") for n in range(500)])

        (again,) = log.append([said("once more", key="k1")])

        assert again == first
        assert log.last_seq() == 501

    def test_a_key_counts_within_one_batch(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        stored = log.append([said("a", key="k"), said("b"), said("c", key="k"), said("d", key="other")])

        assert bodies(stored) == ["a", "b", "a", "d"]
        assert bodies(log.read(0, ALL)) == ["a", "b", "d"]

    def test_answers_and_news_come_in_the_order_that_was_asked(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said("a", key="1"), said("b", key="2")])

        stored = log.append([said("c", key="3"), said("x", key="2"), said("d"), said("y", key="1")])

        assert bodies(stored) == ["c", "b", "d", "a"]

    def test_the_same_key_of_another_actor_is_another_key(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said("ada's", by="ada", key="k")])

        (stored,) = log.append([said("bob's", by="bob", key="k")])

        assert stored.data == {"body": "bob's"}
        assert bodies(log.read(0, ALL)) == ["ada's", "bob's"]

    def test_a_key_inside_another_or_inside_a_text_is_not_that_key(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said('"key":"k"', key="kk"), said("b", key='k"'), said("c", key="ik")])

        (stored,) = log.append([said("new", key="k")])

        assert stored.data == {"body": "new"}
        assert log.last_seq() == 4

    @pytest.mark.parametrize("key", [text for text in HOSTILE_TEXTS if text])
    def test_a_hostile_key_is_found_again(self, tmp_path: Path, key: str) -> None:
        log = self.make_log(tmp_path)
        (first,) = log.append([said("once", key=key)])

        (again,) = log.append([said("twice", key=key)])

        assert again == first
        assert log.last_seq() == 1

    def test_without_a_key_the_same_words_are_two_events(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        log.append([said("again"), said("again")])

        assert bodies(log.read(0, ALL)) == ["again", "again"]

    def test_a_key_is_found_by_one_who_has_looked_up_to_the_event_before_it(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        log.append([said("earlier")])
        (first,) = log.append([said("once", key="k")])
        log.append([said("later")])

        (again,) = log.append([said("twice", key="k")], since=first.seq - 1)

        assert again == first

    def test_a_key_that_is_not_new_after_all_stores_nothing(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)

        def refuse() -> None:
            raise LookupError

        with pytest.raises(LookupError):
            log.append([said("gone", key="k")], check_new=refuse)
        log.append([said("next")])

        assert bodies(log.read(0, ALL)) == ["next"]

    def test_nobody_else_writes_between_the_check_of_a_key_and_its_event(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        start = threading.Barrier(8)

        def write(name: str) -> None:
            mine = log.vouch_for(name)

            def check() -> None:
                if log.last_seq():
                    raise LookupError

            start.wait()
            with suppress(LookupError):
                mine.append([said(name, key="k")], check_new=check)

        threads = [threading.Thread(target=write, args=(f"try {n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert log.last_seq() == 1

    def test_one_key_in_many_threads_is_stored_once(self, tmp_path: Path) -> None:
        log = self.make_log(tmp_path)
        start = threading.Barrier(8)
        answers: list[Event] = []

        def write(name: str) -> None:
            start.wait()
            answers.extend(log.append([said(name, key=f"k{n}") for n in range(10)]))

        threads = [threading.Thread(target=write, args=(f"try {n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        stored = log.read(0, ALL)
        assert sorted(event.key for event in stored) == sorted(f"k{n}" for n in range(10))
        assert {event.event_id for event in answers} == {event.event_id for event in stored}
