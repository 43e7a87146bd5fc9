"""Killed in the middle of its work on a view, a process leaves nothing that the next one cannot use."""

import random
from pathlib import Path

import pytest

from palaver import Bus
from tests.bus.scene import bodies, bus_in, ids, other
from tests.views.damage import Answers, answers, busy_bus
from tests.views.deaths import deaths
from tests.views.dumps import dump, rebuilt

pytestmark = pytest.mark.on_disk("other processes use the log")

SEED = 20


def as_another(bus: Bus) -> Answers:
    """Ask as a process would that knows nothing yet."""
    fresh = Bus(bus.root.path, agent="ada")
    try:
        return answers(fresh)
    finally:
        fresh.session.view.close()


def test_killed_at_any_step_of_a_rebuild_it_leaves_a_bus_that_answers_right(tmp_path: Path) -> None:
    bus = busy_bus(tmp_path)
    wanted = answers(bus)
    whole = dump(bus)
    dice = random.Random(SEED)
    killed = 0

    with deaths(bus) as children:
        for number in range(20):
            steps = dice.randrange(1, 60) if number % 2 else dice.randrange(60, 2_000)
            killed += children.die("rebuild", "steps", steps)

            assert as_another(bus) == wanted, (SEED, steps)

    assert killed >= 10
    assert rebuilt(bus) == whole


def test_killed_at_any_step_of_catching_up_it_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    bus = busy_bus(tmp_path)
    dice = random.Random(SEED)
    killed = 0

    with deaths(bus) as children:
        for _ in range(20):
            steps = dice.randrange(5, 250)
            killed += children.die("apply", "steps", steps)

            events = bus.events(event_type="mail.sent", limit=10_000)
            stored = [event.data["body"] for event in events if str(event.data["body"]).startswith("late")]
            assert [body for body in bodies(bus, "bob") if body.startswith("late")] == stored, (SEED, steps)
            fresh = Bus(bus.root.path, agent="ada")
            assert ids(fresh, "bob") == ids(bus, "bob"), (SEED, steps)
            fresh.session.view.close()

    assert killed >= 10
    live = dump(bus)
    assert live == rebuilt(bus)


def test_killed_at_any_time_it_leaves_a_bus_that_answers_right(tmp_path: Path) -> None:
    bus = busy_bus(tmp_path)
    wanted = answers(bus)
    dice = random.Random(SEED)

    with deaths(bus) as children:
        for number in range(20):
            seconds = dice.uniform(0.0, 0.03)
            children.die(("rebuild", "search")[number % 2], "seconds", seconds)

            assert as_another(bus) == wanted, (SEED, seconds)
            assert len(bus.search("message", limit=100)) == 40, (SEED, seconds)


DIE_BEFORE_THE_ROSTER_IS_WRITTEN = """
from palaver.bus import roster_cache
def die(*_, **__):
    os.kill(os.getpid(), 9)
roster_cache.write = die
bus.{call}
"""


def test_killed_before_the_roster_is_written_a_retirement_is_known_to_every_sender(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    bus.send("bob", "while he is there")

    with other(bus, "ada", DIE_BEFORE_THE_ROSTER_IS_WRITTEN.format(call='retire_agent("bob")')) as dying:
        dying.go()
        assert dying.ended() == -9
    carol = Bus(bus.root.path, agent="carol")
    sent = [each.send("bob", "to one who is gone", allow_unknown=True) for each in (bus, carol)]

    assert [[why for _, why, _ in each.unknown] for each in sent] == [["it is retired"], ["it is retired"]]


DIE_AFTER_THE_APPEND = """
append = type(bus.session.log).append
def die(self, drafts, **more):
    append(self, drafts, **more)
    os.kill(os.getpid(), 9)
type(bus.session.log).append = die
bus.retire_agent("bob")
"""


def test_killed_before_it_is_folded_a_retirement_is_known_to_every_sender(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    bus.send("bob", "while he is there")

    with other(bus, "ada", DIE_AFTER_THE_APPEND) as dying:
        dying.go()
        assert dying.ended() == -9
    carol = Bus(bus.root.path, agent="carol")
    sent = [each.send("bob", "to one who is gone", allow_unknown=True) for each in (bus, carol)]

    assert [[why for _, why, _ in each.unknown] for each in sent] == [["it is retired"], ["it is retired"]]


def test_killed_before_the_roster_is_written_an_addition_counts_and_the_file_comes_back(
    tmp_path: Path,
) -> None:
    bus = bus_in(tmp_path)

    with other(bus, "ada", DIE_BEFORE_THE_ROSTER_IS_WRITTEN.format(call='add_agent("bob")')) as dying:
        dying.go()
        assert dying.ended() == -9
    assert not Path(bus.root.roster).exists()
    sent = bus.send("bob", "Welcome")

    assert sent.unknown == []
    assert bodies(bus, "bob") == ["Welcome"]
    assert "bob" in Path(bus.root.roster).read_text().split("\n")


@pytest.mark.parametrize("gone", ["roster", "pulse"])
def test_a_missing_file_of_ours_is_made_again(tmp_path: Path, gone: str) -> None:
    bus = bus_in(tmp_path, "bob")

    (Path(bus.root.path) / gone).unlink()
    after = Bus(bus.root.path, agent="ada")

    assert after.send("bob", "Hello").unknown == []
    assert after.send("ghost", "Hello", allow_unknown=True).unknown != []
    assert bodies(after, "bob") == ["Hello"]
    assert (Path(bus.root.path) / gone).exists()
