"""The view and its writers: five hundred killed, half while they rebuild, half while they apply."""

import random
from pathlib import Path

import pytest

from palaver import Bus
from tests.bus.scene import bodies
from tests.processes.figures import tell
from tests.views.damage import answers, busy_bus
from tests.views.deaths import deaths
from tests.views.dumps import dump, rebuilt

pytestmark = pytest.mark.torture

KILLS = 250


def test_killed_two_hundred_and_fifty_times_while_rebuilding_the_view_stays_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = 500
    bus = busy_bus(tmp_path)
    wanted = answers(bus)
    whole = dump(bus)
    dice = random.Random(seed)
    killed = tried = 0

    with deaths(bus) as children:
        while killed < KILLS:
            tried += 1
            how = "seconds" if tried % 3 == 0 else "steps"
            amount = (
                dice.uniform(0, 0.03)
                if how == "seconds"
                else dice.choice((20, 60, 500, 3_000)) * dice.random() + 1
            )
            killed += children.die("rebuild", how, amount if how == "seconds" else int(amount))

            fresh = Bus(bus.root.path, agent="ada")
            assert answers(fresh) == wanted, (seed, tried)
            fresh.session.view.close()

    tell(capsys, f"{killed} of {tried} killed while rebuilding; the view was right after each")
    assert rebuilt(bus) == whole


def test_killed_two_hundred_and_fifty_times_while_applying_the_view_loses_and_doubles_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = 501
    bus = busy_bus(tmp_path)
    dice = random.Random(seed)
    killed = tried = 0

    with deaths(bus) as children:
        while killed < KILLS:
            tried += 1
            how = "seconds" if tried % 3 == 0 else "steps"
            killed += children.die(
                "apply", how, dice.uniform(0, 0.01) if how == "seconds" else dice.randrange(5, 250)
            )

            if tried % 10 == 0:
                events = bus.events(event_type="mail.sent", limit=10_000)
                stored = [
                    event.data["body"] for event in events if str(event.data["body"]).startswith("late")
                ]
                fresh = Bus(bus.root.path, agent="ada")
                assert [body for body in bodies(fresh, "bob") if body.startswith("late")] == stored, (
                    seed,
                    tried,
                )
                fresh.session.view.close()

    bus.inbox("bob")
    live = dump(bus)
    tell(capsys, f"{killed} of {tried} killed while applying; the view is what a rebuild gives")
    assert live == rebuilt(bus)
