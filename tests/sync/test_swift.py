"""The short way of lines into the log and the careful one say the same, to the byte."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.laws import PATHS, seeds
from palaver.dialects import DIALECTS
from palaver.log.record import body
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.event import text
from palaver.model.message import Message
from palaver.sync.intake.drafting import Drafting
from palaver.sync.intake.events import Batch, Place, hashed
from palaver.sync.intake.known_messages import Known
from palaver.sync.intake.swift import Swift
from palaver.sync.mounts.mount_point import MountPoint
from tests.dialects.contract import LAW, messages
from tests.dialects.test_mutations import broken
from tests.sync.scene import Scene, append
from tests.sync.spoken import SPEECH, SPEECHES, Speech

# What is drawn, and the time, differ from one way to the other.
_DRAWN = re.compile(rb'(?<="evt-)[a-z2-7]{12}(?=[":])|(?<="msg-)[a-z2-7]{12}(?=")|(?<="timestamp":")[^"]*')
# Broken files of each dialect, for each seed.
TURNS = 25


class Ways:
    """A bus on which five teams have spoken, and the two ways of a content into its log."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        for speech in SPEECHES:
            folder = scene.mount(speech.dialect, **speech.settings)
            append(folder / speech.file, speech.says("hello"))
        scene.settle()
        self._mounts = {each.mount.dialect: each for each in scene.mounts()}
        self.taken = 0

    def mounted(self, name: str) -> MountPoint:
        return self._mounts[name]

    def parsed(self, name: str, file: str, content: bytes) -> Parsed:
        mounted = self._mounts[name]
        return mounted.dialect.parse(Source(path=file, content=content, mount=mounted.mount))

    def careful(self, name: str, file: str, content: bytes, *, history: bool) -> list[bytes]:
        """Return the records of a content, without the short way."""
        pieces, drafting, batch = self._begun(name, file, content, history=history)
        for piece in pieces:
            _take(drafting, piece, content)
        return _records(batch)

    def swift(self, name: str, file: str, content: bytes, *, history: bool) -> list[bytes]:
        """Return the records of a content, the short way as far as it goes."""
        pieces, drafting, batch = self._begun(name, file, content, history=history)
        swift = Swift(drafting, Place(mount=name, file=file, gen=1), batch)
        place = 0
        while place < len(pieces):
            begun = place
            place = swift.run(pieces, place, content, 0, set())
            self.taken += place - begun
            for piece in pieces[place : place + 1]:
                _take(drafting, piece, content)
            place += 1
        return _records(batch)

    def _begun(
        self, name: str, file: str, content: bytes, *, history: bool
    ) -> tuple[list[Piece], Drafting, Batch]:
        pieces = [each for each in self.parsed(name, file, content).pieces if each.kind is Kind.EVENT]
        bus, batch = self._scene.bus, Batch()
        known = Known(bus, bus.view.current())
        place = Place(mount=name, file=file, gen=1)
        drafting = Drafting(self._mounts[name], place, bus.view.roster(), known, batch)
        drafting.history = history
        known.look_up(pieces)
        drafting.welcome(pieces)
        return pieces, drafting, batch


def _take(drafting: Drafting, piece: Piece, content: bytes) -> None:
    raw = content[piece.start : piece.start + piece.length]
    drafting.take(piece, raw, hashed(raw))


def _records(batch: Batch) -> list[bytes]:
    assert len(batch) == len(batch.written) + len(batch.drafts)
    return [_DRAWN.sub(b"drawn", each) for each in (*batch.written, *map(body, batch.drafts))]


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Ways:
    return Ways(Scene(tmp_path_factory.mktemp("ways") / "bus"))


@pytest.mark.parametrize("name", DIALECTS)
@LAW
@given(said=st.lists(messages(), min_size=1, max_size=3), history=st.booleans())
def test_both_ways_give_the_same_records(ways: Ways, name: str, said: list[Message], history: bool) -> None:
    mounted = ways.mounted(name)
    for message in said:
        message.id = ""
        for file in mounted.dialect.files(message, mounted.mount):
            # More than once: the short way knows only those who have spoken before.
            content = mounted.dialect.render(message, mounted.mount, file) * 3

            swift = ways.swift(name, file, content, history=history)

            assert swift == ways.careful(name, file, content, history=history)


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("seed", range(4))
def test_both_ways_give_the_same_records_of_broken_files(ways: Ways, name: str, seed: int) -> None:
    chance = random.Random(seed)
    found = seeds(name)
    for turn in range(TURNS):
        content = broken(chance, found)
        for file in PATHS[name]:
            swift = ways.swift(name, file, content, history=False)

            careful = ways.careful(name, file, content, history=False)
            assert swift == careful, f"{name}, seed {seed}, turn {turn}: {content!r}"


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
def test_a_plain_line_goes_the_short_way(ways: Ways, speech: Speech) -> None:
    content = b"".join(speech.says(f"number {place}") for place in range(9))
    before = ways.taken

    ways.swift(speech.dialect, speech.file, content, history=False)

    # But for the first: nobody knew yet whom it was for.
    assert ways.taken - before == 8


def test_a_line_joins_the_thread_of_one_that_was_read_with_it(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    file = scene.mount("runbus") / "MESSAGE-BUS.md"
    says = SPEECH["runbus"].says
    reply = says("second").replace(
        b"taskId: TASK-1\n", b"taskId: TASK-1\nrelatesTo: %b\n" % _id(says("first"))
    )
    append(file, says("zeroth") + says("first") + reply)

    scene.settle()

    _, first, second = scene.mail()
    assert second.correlation_id == text(first.data, "message_id") == text(second.data, "reply_to")
    assert second.caused_by == first.event_id


def test_a_line_with_an_id_that_stands_twice_in_a_file_is_one_message(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    file = scene.mount("runbus") / "MESSAGE-BUS.md"
    says = SPEECH["runbus"].says
    append(file, says("zeroth") + says("first") + says("first") + says("second"))

    scene.settle()

    assert scene.bodies() == ["zeroth", "first", "second"]


def _id(block: bytes) -> bytes:
    return block.partition(b"messageId: ")[2].partition(b"\n")[0]
