"""Automatic mail ends: by the hops of a chain, by the programs of one message, and by rates."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from palaver import Bus
from palaver.bus.mail.loop_limit import draft_injected, find_hold, hold_automatic
from palaver.bus.mail.mailbox import Mail
from palaver.bus.session import draft
from palaver.model.limits import (
    LOOP_AGENT_STARTS,
    LOOP_HOPS,
    LOOP_PAIR_STARTS,
    LOOP_PROGRAMS,
    LOOP_RATE_SECONDS,
)
from palaver.model.names import BUS
from palaver.views.mail.automatic import Automatic, Chain
from tests.bus.scene import bus_in

TEAM: Final = ("bob", "carol", "dave", "erin", "fay")
FACTS: Final = Automatic(Chain(1, 1), programs=0, starts=[], by_sender=[])


class Runners:
    """What runners of several agents append, without their programs; each start takes `pause` seconds."""

    def __init__(self, bus: Bus, pause: float) -> None:
        self.bus = bus
        self.started = 0
        self._pause = pause
        self._time = datetime.now(UTC) - timedelta(days=30)

    def next(self, agent: str, given: set[str]) -> Mail | None:
        """Return the next mail of an agent that starts its program."""
        for mail in self.bus.inbox(agent, scope="open", limit=10_000).mail:
            if mail.message.id in given or find_hold(self.bus.session, agent, mail.message):
                continue
            return mail
        return None

    def start(self, agent: str, mail: Mail, to: str) -> None:
        """Start the program of an agent for a message; it sends one message."""
        session, message_id = self.bus.session, mail.message.id
        self._time += timedelta(seconds=self._pause)
        at = f"{self._time:%Y-%m-%dT%H:%M:%S}.000Z"
        run = {"run": f"run-{agent}", "agent": agent}
        given = draft_injected(session, agent, mail.message, run=run["run"])
        given.timestamp = at
        session.log.append(
            [
                given,
                draft("run.started", BUS, {**run, "message": message_id}, at=at),
            ]
        )
        program = Bus(session.root.path, agent=agent)
        program.session.sign(agent, dict(run))
        program.send(to, "more")
        session.log.append([draft("run.ended", BUS, {**run, "exit": 0}, at=at)])
        self.started += 1


def work(runners: Runners, to: dict[str, str]) -> None:
    """Let each agent of a team start its program for each of its messages, until none may be started."""
    given: dict[str, set[str]] = {agent: set() for agent in to}
    while found := [(agent, mail) for agent in to if (mail := runners.next(agent, given[agent])) is not None]:
        for agent, mail in found:
            given[agent].add(mail.message.id)
            if find_hold(runners.bus.session, agent, mail.message) is None:
                runners.start(agent, mail, to[agent])


@pytest.mark.on_disk("programs have sessions of their own")
@pytest.mark.parametrize("pause", [7.0, 3_600.0])
def test_a_chain_ends_however_slow_it_is(tmp_path: Path, pause: float) -> None:
    bus = bus_in(tmp_path, *TEAM)
    bus.send("bob", "Hello")
    runners = Runners(bus, pause)

    work(runners, {"bob": "carol", "carol": "bob"})

    assert runners.started == LOOP_HOPS


@pytest.mark.on_disk("programs have sessions of their own")
def test_a_storm_of_answers_to_everyone_ends(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, *TEAM)
    bus.send("@all", "Hello")
    runners = Runners(bus, 3_600.0)

    work(runners, dict.fromkeys(TEAM, "@all"))

    assert runners.started == LOOP_PROGRAMS


def test_mail_that_no_program_sent_is_never_held() -> None:
    busy = [0.0] * 1_000

    assert (
        hold_automatic(FACTS._replace(chain=Chain(1, 0), programs=10_000, starts=busy, by_sender=busy))
        is None
    )


@pytest.mark.parametrize(
    ("facts", "is_held"),
    [
        (FACTS._replace(chain=Chain(1, LOOP_HOPS - 1)), False),
        (FACTS._replace(chain=Chain(1, LOOP_HOPS)), True),
        (FACTS._replace(programs=LOOP_PROGRAMS - 1), False),
        (FACTS._replace(programs=LOOP_PROGRAMS), True),
    ],
)
def test_the_limits_of_a_chain_are_for_good(facts: Automatic, is_held: bool) -> None:
    hold = hold_automatic(facts)

    assert (hold is not None) == is_held
    assert hold is None or hold.seconds == 0


@pytest.mark.parametrize("field", ["starts", "by_sender"])
def test_a_rate_holds_until_the_oldest_start_is_a_minute_ago(field: str) -> None:
    most = {"starts": LOOP_AGENT_STARTS, "by_sender": LOOP_PAIR_STARTS}[field]
    ages = [float(age) for age in range(most)]

    def facts(ages: list[float]) -> Automatic:
        return FACTS._replace(starts=ages) if field == "starts" else FACTS._replace(by_sender=ages)

    assert hold_automatic(facts(ages[1:])) is None
    hold = hold_automatic(facts(ages))
    assert hold is not None
    assert hold.seconds == LOOP_RATE_SECONDS - ages[-1]


@pytest.mark.on_disk("programs have sessions of their own")
def test_rates_are_counted_from_the_log_by_whoever_asks(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, *TEAM)
    runners = Runners(bus, 0.0)
    for number in range(LOOP_PAIR_STARTS + 1):
        mail = bus.send("bob", str(number)).message
        runners.start("bob", Mail(mail, bus.thread(mail.id)[0].deliveries[0]), "carol")
    waiting = [each.message for each in bus.inbox("carol").mail]
    given = [draft_injected(bus.session, "carol", each, run="r") for each in waiting[:-1]]
    bus.session.log.append(given)

    again = Bus(bus.session.root.path, agent="ada")
    hold = find_hold(again.session, "carol", waiting[-1])

    assert hold is not None
    assert 0 < hold.seconds <= LOOP_RATE_SECONDS
