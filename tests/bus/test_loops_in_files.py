"""Programs that answer each other through lines of files: in their own names they end, else they wait."""

import json
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final
from unittest.mock import Mock

import pytest

from palaver import Bus
from palaver.bus.mail.chains import find_chain
from palaver.bus.mail.loop_limit import find_hold, hold_automatic
from palaver.log.clock import now
from palaver.model.limits import LOOP_HOPS, LOOP_PAIR_STARTS
from palaver.runs.held_mail import HeldMail
from palaver.views.mail.automatic import Automatic
from tests.bus.runners import Runners
from tests.bus.scene import bus_in

# The first one is started by a message of the person.
RATE: Final = 1 + 2 * LOOP_PAIR_STARTS
NUMBERS: Final = count(1)
# A line from an agent to another, in the file of a mount.
Write = Callable[[Path, str, str], None]


def swarm(folder: Path, sender: str, to: str) -> None:
    line = {"ts": now(), "from": sender, "to": [f"@{to}"], "type": "message", "reasoning": "r"}
    with (folder / "channel.jsonl").open("a") as file:
        file.write(json.dumps({**line, "content": f"more {next(NUMBERS)}"}) + "\n")


def runbus(folder: Path, sender: str, to: str) -> None:
    at = now()
    number = f"{at[:10].replace('-', '')}-{at[11:19].replace(':', '')}-{sender}-{next(NUMBERS)}"
    fields = f"messageId: MSG-{number}\n"
    fields += f"type: FACT\nagent: {sender}\ntimestamp: {at[:19]}Z\nrunId: run_001\ntaskId: TASK-1"
    with (folder / "MESSAGE-BUS.md").open("a") as file:
        file.write(f"---\n{fields}\n---\n\n@{to} hello\n\n---\n")


def unreadable(folder: Path, sender: str, to: str) -> None:
    del to
    with (folder / "channel.jsonl").open("a") as file:
        file.write(f'{{"from":"{sender}","number":{next(NUMBERS)}\n')


DIALECTS: Final = {"swarm": (swarm, "channel.jsonl"), "runbus": (runbus, "MESSAGE-BUS.md")}


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    """Return a bus of ada, bob and carol; bob's mail is the first."""
    found = bus_in(tmp_path, "bob", "carol")
    found.send("bob", "Hello")
    return found


def mount(bus: Bus, dialect: str) -> tuple[Write, Path]:
    """Mount a folder; return what writes a line, and the folder."""
    write, file = DIALECTS[dialect]
    folder = Path(bus.root.path).parent / dialect
    folder.mkdir()
    (folder / file).touch()
    bus.add_mount(dialect, str(folder))
    return write, folder


OTHER: Final = {"bob": "carol", "carol": "bob"}


@pytest.mark.on_disk("mounts are folders")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_lines_in_the_own_name_end(bus: Bus, dialect: str) -> None:
    write, folder = mount(bus, dialect)

    assert Runners(bus, lambda agent: write(folder, agent, OTHER[agent])).work("bob", "carol") == LOOP_HOPS


@pytest.mark.on_disk("mounts are folders")
@pytest.mark.parametrize("write", [swarm, unreadable])
def test_notices_about_wrong_lines_end(bus: Bus, write: Write) -> None:
    _, folder = mount(bus, "swarm")
    runners = Runners(bus, lambda agent: write(folder, agent, f"nobody{next(NUMBERS)}"))

    assert 1 < runners.work("bob") <= LOOP_HOPS


@pytest.mark.on_disk("mounts are folders")
def test_a_notice_of_the_limit_starts_no_program(bus: Bus) -> None:
    write, folder = mount(bus, "runbus")
    runners = Runners(bus, lambda agent: write(folder, agent, OTHER[agent]))
    runners.work("bob", "carol")
    held = HeldMail(bus.session, "bob", note := Mock())

    for mail in bus.inbox("bob", scope="open").mail + bus.inbox("carol", scope="open").mail:
        held.find(mail.message)

    told = bus.inbox("bob").mail[-1].message
    assert told.meta.get("code") == "loop-limit"
    assert held.find(told) is not None
    assert runners.work("bob", "carol") == LOOP_HOPS
    note.assert_called_once()


@pytest.mark.on_disk("mounts are folders")
@pytest.mark.parametrize("sender", ["zed", "ada"])
def test_lines_in_another_name_are_limited_by_the_minute(bus: Bus, sender: str) -> None:
    write, folder = mount(bus, "swarm")

    assert Runners(bus, lambda agent: write(folder, sender, OTHER[agent])).work("bob", "carol") == RATE


@pytest.mark.on_disk("mounts are folders")
def test_files_without_a_sender_are_limited_by_the_minute(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)
    inbox = tmp_path / "collab/inbox"
    inbox.mkdir(parents=True)
    bus.add_mount("collab", str(inbox.parent), settings={"a": "bob", "b": "carol"})
    bus.send("carol", "Hello")

    def drop(_: str) -> None:
        number = next(NUMBERS)
        (inbox / f"msg_{time.time_ns() + number}.txt").write_text(f"more {number}\n")

    assert Runners(bus, drop).work("carol") == 1 + LOOP_PAIR_STARTS


@pytest.mark.on_disk("mounts are folders")
def test_a_line_of_a_person_is_never_held_for_good(bus: Bus) -> None:
    write, folder = mount(bus, "swarm")
    runners = Runners(bus, lambda agent: write(folder, "zed", OTHER[agent]))
    runners.work("bob", "carol")
    bus.send("carol", "Go on.")
    runners.work("bob", "carol")

    bus.add_agent("dave")
    write(folder, "ada", "dave")
    bus.session.sync.catch_up()
    [line] = [mail.message for mail in bus.inbox("dave").mail]

    assert find_hold(bus.session, "dave", line) is None
    many = Automatic(find_chain(bus.session, line), 10_000, 10_000, 0.0, [0.0] * 1_000, [0.0] * 1_000)
    hold = hold_automatic(many)
    assert hold is not None
    assert not hold.is_for_good


@pytest.mark.on_disk("mounts are folders")
def test_lines_that_come_while_no_program_runs_are_plain(bus: Bus) -> None:
    write, folder = mount(bus, "swarm")
    for _ in range(LOOP_PAIR_STARTS + 1):
        write(folder, "ada", "carol")
    bus.session.sync.catch_up()

    assert Runners(bus, lambda _: None).work("carol") == LOOP_PAIR_STARTS + 1
