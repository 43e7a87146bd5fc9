"""Whatever is asked of them, in whatever order, the log on the disk and the log in memory say the same."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from palaver.log.memory_log import MemoryLog
from palaver.model.event import Draft, Event
from tests.laws.drafts import NOON
from tests.log.alphabets import texts
from tests.processes.oracle import Ground

names = st.sampled_from(("ada", "bob"))
keys = st.sampled_from(("", "", "k1", "k2", '"key":"k1"', "\u2028"))
cursors = st.integers(min_value=0, max_value=30)


class Twins(RuleBasedStateMachine):
    """One log in memory; one on the disk, used by two at once, with room for three records in a segment."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._ground = Ground(Path(self._folder.name), segment_bytes=900)
        self._disk = [self._ground.open(), self._ground.open()]
        self._memory = MemoryLog()
        self._made = 0

    def teardown(self) -> None:
        verdict = self._ground.verify()
        self._folder.cleanup()
        assert verdict.good, verdict.plain()

    def _draft(self, name: str, key: str, words: str) -> Draft:
        self._made += 1
        return Draft(
            "mail.sent",
            actor=name,
            data={"body": words},
            event_id=f"evt-{self._made:012d}",
            timestamp=NOON,
            key=key,
        )

    @rule(wanted=st.lists(st.tuples(names, keys, texts), max_size=5))
    def append_many(self, wanted: list[tuple[str, str, str]]) -> None:
        drafts = [self._draft(*each) for each in wanted]

        assert self._disk[0].append(drafts) == self._memory.append(drafts)

    @rule(after=cursors, limit=st.integers(min_value=0, max_value=10))
    def read(self, after: int, limit: int) -> None:
        assert self._disk[0].read(after, limit) == self._memory.read(after, limit)

    @rule()
    def let_the_other_one(self) -> None:
        self._disk.reverse()

    @rule()
    def begin_anew(self) -> None:
        self._disk[0] = self._ground.open()

    @rule(after=cursors)
    def wait(self, after: int) -> None:
        assert self._disk[0].wait(after, 0.0) == self._memory.wait(after, 0.0)

    @invariant()
    def they_end_alike(self) -> None:
        assert self._disk[0].last_seq() == self._memory.last_seq()

    @invariant()
    def their_batches_hold_the_same(self) -> None:
        on_disk: list[Event] = [event for batch in self._disk[1].batches() for event in batch.events]
        assert on_disk == self._memory.read(0, 1_000)
        assert [event.prev for event in on_disk] == [event.prev for event in self._memory.read(0, 1_000)]


TestTwins = pytest.mark.random(Twins.TestCase)
TestTwins.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
