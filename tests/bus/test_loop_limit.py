"""Automatic mail ends: by the hops of a chain, by the programs of one message, and by rates."""

from math import inf
from pathlib import Path
from typing import Any, Final
from unittest.mock import Mock

import pytest

from palaver import Bus
from palaver.bus.identity import vouch_by_token
from palaver.bus.mail import loop_limit
from palaver.bus.mail.chains import find_chain
from palaver.bus.mail.loop_limit import CODE, claim, draft_injected, find_hold, hold_automatic
from palaver.bus.mail.mailbox import Mail
from palaver.bus.session import draft
from palaver.model.limits import (
    LOOP_AGENT_STARTS,
    LOOP_HOPS,
    LOOP_PAIR_STARTS,
    LOOP_PROGRAMS,
    LOOP_RATE_SECONDS,
    LOOP_UNCERTAIN_SECONDS,
)
from palaver.model.names import BUS
from palaver.runs.held_mail import HeldMail
from palaver.views.mail.automatic import Automatic, Chain, facts
from tests.bus.runners import Runners, sending
from tests.bus.scene import bus_in

TEAM: Final = ("bob", "carol", "dave", "erin", "fay")
FACTS: Final = Automatic(Chain(1, 1), programs=0, certain=0, many_since=inf, starts=[], by_sender=[])


@pytest.mark.on_disk("programs have sessions of their own")
@pytest.mark.parametrize("pause", [7.0, 3_600.0])
def test_a_chain_ends_however_slow_it_is(tmp_path: Path, pause: float) -> None:
    bus = bus_in(tmp_path, *TEAM)
    bus.send("bob", "Hello")
    runners = Runners(bus, sending(bus, {"bob": "carol", "carol": "bob"}), pause)

    assert runners.work("bob", "carol") == LOOP_HOPS


@pytest.mark.on_disk("programs have sessions of their own")
def test_a_storm_of_answers_to_everyone_ends(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, *TEAM)
    bus.send("@all", "Hello")
    runners = Runners(bus, sending(bus, dict.fromkeys(TEAM, "@all")), 3_600.0)

    assert runners.work(*TEAM) == LOOP_PROGRAMS


def test_mail_that_no_program_sent_is_never_held() -> None:
    busy = [0.0] * 1_000

    assert (
        hold_automatic(
            FACTS._replace(chain=Chain(1, 0), certain=10_000, many_since=0.0, starts=busy, by_sender=busy)
        )
        is None
    )


@pytest.mark.parametrize(
    ("facts", "is_held"),
    [
        (FACTS._replace(chain=Chain(1, LOOP_HOPS - 1)), False),
        (FACTS._replace(chain=Chain(1, LOOP_HOPS)), True),
        (FACTS._replace(certain=LOOP_PROGRAMS - 1), False),
        (FACTS._replace(certain=LOOP_PROGRAMS), True),
    ],
)
def test_the_limits_of_a_chain_are_for_good(facts: Automatic, is_held: bool) -> None:
    hold = hold_automatic(facts)

    assert (hold is not None) == is_held
    assert hold is None or hold.seconds == 0


@pytest.mark.parametrize(
    ("facts", "seconds"),
    [
        (FACTS._replace(certain=LOOP_PROGRAMS), None),
        (FACTS._replace(many_since=LOOP_UNCERTAIN_SECONDS), None),
        (FACTS._replace(many_since=LOOP_UNCERTAIN_SECONDS - 9.0), 9.0),
    ],
)
def test_a_chain_that_is_only_likely_waits(facts: Automatic, seconds: float | None) -> None:
    hold = hold_automatic(facts._replace(chain=Chain(1, 1, is_uncertain=True)))

    assert (hold.seconds if hold else None) == seconds
    assert hold is None or hold.is_told


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
    runners = Runners(bus, sending(bus, {"bob": "carol"}), 0.0)
    for number in range(LOOP_PAIR_STARTS + 1):
        mail = bus.send("bob", str(number)).message
        runners.start("bob", Mail(mail, bus.thread(mail.id)[0].deliveries[0]))
    waiting = [each.message for each in bus.inbox("carol").mail]
    chains = [find_chain(bus.session, each) for each in waiting]
    given = [
        draft_injected("carol", each, chain, run="r") for each, chain in zip(waiting, chains, strict=True)
    ][:-1]
    bus.session.log.append(given)

    again = Bus(bus.session.root.path, agent="ada")
    hold = find_hold(again.session, "carol", waiting[-1])

    assert hold is not None
    assert 0 < hold.seconds <= LOOP_RATE_SECONDS


@pytest.mark.on_disk("programs have sessions of their own")
def test_programs_that_start_at_the_same_moment_are_counted_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = bus_in(tmp_path, *TEAM)
    runners = Runners(bus, sending(bus, dict.fromkeys(TEAM, "@all")))
    first = bus.send("bob", "Hello").message
    runners.start("bob", Mail(first, bus.thread(first.id)[0].deliveries[0]))
    [message] = [each.message for each in bus.inbox("dave").mail]
    others = iter(TEAM[1:])

    def facts_before_another(*arguments: Any) -> Automatic:
        """Look, and let another runner start a program before the answer is used."""
        found = facts(*arguments)
        if other := next(others, ""):
            claim(bus.session, other, message, run="r")
        return found

    monkeypatch.setattr(loop_limit, "LOOP_PROGRAMS", 3)
    monkeypatch.setattr(loop_limit, "facts", facts_before_another)
    claim(bus.session, "ada", message, run="r")

    given = [event for event in bus.session.log.read(0, 1_000) if event.data.get("stage") == "injected"]
    assert len(given) == 3


@pytest.mark.on_disk("programs have sessions of their own")
@pytest.mark.parametrize(("hops", "known"), [("7", 7), ("", 1), ("-1", 1), ("many", 1), ("\u0663", 1)])
def test_mail_of_a_run_of_another_bus_is_mail_of_a_program(tmp_path: Path, hops: str, known: int) -> None:
    bus = bus_in(tmp_path, *TEAM)
    session = Bus(bus.session.root.path, agent="carol").session
    vouch_by_token(session, {"PALAVER_TOKEN": "of another bus", "PALAVER_HOPS": hops, "PALAVER_ROOT": "/x"})
    for number in range(LOOP_PAIR_STARTS + 1):
        Bus(session=session).send("bob", str(number))
    mail = bus.inbox("bob").mail

    assert find_chain(bus.session, mail[0].message).hops == known
    assert Runners(bus, lambda _: None).work("bob") == LOOP_PAIR_STARTS


@pytest.mark.on_disk("programs have sessions of their own")
def test_a_run_inside_a_run_does_not_reset_the_count(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, *TEAM)
    bus.send("bob", "Hello")
    other = {"bob": "carol", "carol": "bob"}

    def send_in_another_run(agent: str) -> None:
        program = Bus(bus.session.root.path, agent=agent)
        program.session.sign(agent, {"run": f"run-{agent}", "agent": agent})
        inner = {"run": f"inner-{agent}", "agent": agent}
        program.session.log.append([draft("run.started", BUS, dict(inner))])
        program.session.sign(agent, dict(inner))
        program.send(other[agent], "more")

    assert Runners(bus, send_in_another_run, 3_600.0).work("bob", "carol") == LOOP_HOPS


@pytest.mark.on_disk("programs have sessions of their own")
def test_what_is_held_is_told_once_to_the_agent_of_the_run_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = bus_in(tmp_path, *TEAM)
    bus.send("bob", "Hello")

    def send_as_dave(agent: str) -> None:
        program = Bus(bus.session.root.path, agent="dave")
        program.session.sign("", {"run": f"run-{agent}", "agent": agent})
        program.send("carol", "one")
        program.send("carol", "two")

    Runners(bus, send_as_dave).work("bob")
    monkeypatch.setattr(loop_limit, "LOOP_HOPS", 1)
    held = HeldMail(bus.session, "carol", note := Mock())
    mail = [each.message for each in bus.inbox("carol").mail]
    for message in mail * 2:
        assert held.find(message) is not None

    note.assert_called_once()
    told = [agent for agent in ("ada", *TEAM) for each in bus.inbox(agent).mail if is_limit(each)]
    assert sorted(told) == ["ada", "bob", "carol"]
    shown = [each for each in rows(bus.picture()["unanswered"]) if each["kind"] == "held"]
    assert [each["id"] for each in shown] == [mail[-1].id]
    assert "carol, like 1 other message [loop-limit]" in str(shown[0]["why"])
    bus.resend(mail[-1].id, ["carol"])
    assert [each for each in rows(bus.picture()["unanswered"]) if each["kind"] == "held"] == []


def is_limit(mail: Mail) -> bool:
    """Return True if mail is a notice of the limit."""
    return mail.message.meta.get("code") == CODE


def rows(found: object) -> list[dict[str, object]]:
    """Return the rows of a list."""
    assert isinstance(found, list)
    return found
