"""The view under harm: two hundred flipped bits, cuts at many places; each time a rebuild gives the same."""

import random
from pathlib import Path

import pytest

from palaver import Bus
from tests.processes.figures import tell
from tests.views.damage import Answers, answers, busy_bus, flipped, settled
from tests.views.dumps import dump, rebuilt

pytestmark = pytest.mark.torture

FLIPS = 200
CUTS = 100


def harmed(bus: Bus, path: Path, content: bytes) -> Bus:
    """Put these bytes where the view was, and return the bus as another process would open it."""
    for each in path.parent.iterdir():
        each.unlink()
    path.write_bytes(content)
    return Bus(bus.root.path, agent="ada")


def assert_honest(found: Answers, wanted: Answers, place: int) -> None:
    """Whatever a damaged view lists, each text is one that was written, under its own id."""
    written = {pair for mail in wanted.mail.values() for pair in mail} | wanted.closed

    assert {pair for mail in found.mail.values() for pair in mail} <= written, place


def test_after_each_of_two_hundred_flipped_bits_a_rebuild_gives_the_same_view(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = 200
    bus = busy_bus(tmp_path, messages=200)
    wanted = answers(bus)
    whole = dump(bus)
    path = settled(bus)
    bus.session.view.close()
    good = path.read_bytes()
    dice = random.Random(seed)
    right = said = 0

    for _ in range(FLIPS):
        place = dice.randrange(len(good) * 8)
        after = harmed(bus, path, flipped(good, place))
        found = answers(after)
        assert_honest(found, wanted, place)
        right += found == wanted
        said += bool(after.session.view.notes)
        assert rebuilt(after) == whole, (seed, place)
        assert answers(after) == wanted, (seed, place)
        after.session.view.close()

    tell(capsys, f"{FLIPS} bits flipped: {right} answers right at once, {said} said so; after a rebuild: all")
    assert right >= FLIPS * 0.9


def test_cut_anywhere_a_view_is_made_anew_and_answers_right(tmp_path: Path) -> None:
    seed = 100
    bus = busy_bus(tmp_path, messages=100)
    wanted = answers(bus)
    whole = dump(bus)
    path = settled(bus)
    bus.session.view.close()
    good = path.read_bytes()
    dice = random.Random(seed)

    for _ in range(CUTS):
        # At the end of a page nobody can tell from the file alone that others followed.
        place = dice.randrange(len(good) // 4096) * 4096 + dice.choice((0, 1, 100, 2048, 4095))
        after = harmed(bus, path, good[:place])

        assert answers(after) == wanted, (seed, place)
        assert any("rebuilt" in note for note in after.session.view.notes), (seed, place)
        assert dump(after) == whole, (seed, place)
        after.session.view.close()
