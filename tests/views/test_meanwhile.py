"""While one process is at the view, the others go on: they answer from what there is, and say so."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palaver import Bus, Refusal
from tests.bus.scene import Other, bodies, bus_in, environment, ids, other, stage
from tests.patience import PATIENCE
from tests.views.dumps import dump, rebuilt, view_path

pytestmark = pytest.mark.on_disk("other processes use the log")

# Stops in the middle of a rebuild, with the lock held, until it is told to go on.
REBUILDING = """
def pause(stretch):
    say("in the middle")
    sys.stdin.readline()
bus.session.view.told = pause
bus.rebuild()
say("done")
"""


@contextmanager
def rebuilding(bus: Bus) -> Iterator[Other]:
    with other(bus, "ada", REBUILDING) as process:
        process.go()
        assert process.heard() == "in the middle"
        yield process


def large_bus(folder: Path) -> Bus:
    """Make a bus of several segments, so that a rebuild has a middle."""
    bus = bus_in(folder, "bob", "carol")
    for number in range(12):
        bus.send("bob", f"message {number} " + "x" * 700_000)
    bus.add_agent("dave")
    bus.send("dave", "the last message")
    assert len(list(Path(bus.root.log).iterdir())) == 3
    return bus


def test_during_a_rebuild_the_old_view_answers(tmp_path: Path) -> None:
    bus = large_bus(tmp_path)
    before = ids(bus, "bob")
    assert len(bus.search("last")) == 1

    with rebuilding(bus) as process:
        calm = Bus(bus.root.path, agent="ada").inbox("bob", limit=100)
        sent = bus.send("bob", "meanwhile")
        later = Bus(bus.root.path, agent="ada").inbox("bob", limit=100)
        found = [message.body for message in bus.search("last")]
        for _ in range(3):
            process.go()

    assert ([mail.message.id for mail in calm.mail], calm.behind) == (before, False)
    assert ([mail.message.id for mail in later.mail], later.behind) == (before, True)
    assert found == ["the last message"]
    assert ids(bus, "bob") == [*before, sent.message.id]


def test_while_the_only_view_is_half_built_commands_answer_with_half_of_it_and_say_so(tmp_path: Path) -> None:
    bus = large_bus(tmp_path)
    everything = ids(bus, "bob")
    bus.session.view.close()
    view_path(bus).unlink()

    with rebuilding(bus):
        asking = Bus(bus.root.path, agent="ada")
        half = asking.inbox("bob", limit=100)
        unheard_of = asking.inbox("dave")

    shown = [mail.message.id for mail in half.mail]
    assert shown == everything[: len(shown)]
    assert 0 < len(shown) < len(everything)
    assert half.behind
    assert any("being rebuilt" in note for note in half.notes)
    assert (unheard_of.mail, unheard_of.behind) == ([], True)


def test_a_half_built_view_never_says_no(tmp_path: Path) -> None:
    bus = large_bus(tmp_path)
    last = ids(bus, "dave")[0]
    bus.session.view.close()
    view_path(bus).unlink()

    with rebuilding(bus) as process:
        asking = Bus(bus.root.path, agent="ada")
        for call in (
            lambda: asking.read([last], agent="dave"),
            lambda: asking.ack([last], agent="dave"),
            lambda: asking.reply(last, "Yes", sender="dave"),
            lambda: asking.thread(last),
            lambda: asking.wait_for(last, "read", timeout=0),
            lambda: asking.retire_agent("dave"),
        ):
            with pytest.raises(Refusal) as refused:
                call()
            assert refused.value.code == "log-locked"
            assert "process" in str(refused.value)
        plain = asking.send("dave", "Hello")
        # A key is looked for in the log itself, behind what the view holds so far.
        keyed = [asking.send("dave", "Once", key="once") for _ in range(2)]
        for _ in range(3):
            process.go()

    assert plain.unknown == []
    assert [each.fresh for each in keyed] == [True, False]
    assert bodies(bus, "dave") == ["the last message", "Hello", "Once"]


def test_when_the_builder_is_killed_the_next_one_finishes_its_work(tmp_path: Path) -> None:
    bus = large_bus(tmp_path)
    wanted = ids(bus, "bob")
    whole = dump(bus)
    bus.session.view.close()
    view_path(bus).unlink()

    with rebuilding(bus) as process:
        process.kill()
    after = Bus(bus.root.path, agent="ada")

    assert ids(after, "bob") == wanted
    assert any("not finished" in note for note in after.inbox("bob").notes)
    assert dump(after) == whole


WATCHING = """
import json, sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
looks = set()
print("ready", flush=True)
while not sys.stdin in __import__("select").select([sys.stdin], [], [], 0)[0]:
    looks.add(db.execute(
        "select (select count(*) from delivery d join agent a on a.number = d.agent where a.id = 'bob'), "
        "(select count(*) from delivery d join agent a on a.number = d.agent where a.id = 'carol'), "
        "(select count(*) from message), "
        "(select seq from place) - (select ifnull(max(seq), 0) from message)"
    ).fetchone())
print(json.dumps(sorted(looks)))
"""


def test_readers_never_see_half_of_what_is_applied(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    bus.inbox("bob")
    watcher = subprocess.Popen(
        [sys.executable, "-c", WATCHING, str(view_path(bus))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert watcher.stdout is not None
    assert watcher.stdout.readline() == "ready\n"

    for number in range(150):
        bus.send(["bob", "carol"], f"message {number}")
        if number % 3 == 0:
            bus.inbox("bob")
    looks = json.loads(watcher.communicate("\n", timeout=PATIENCE)[0])

    assert len(looks) > 1
    for bob, carol, messages, _ in looks:
        assert bob == carol == messages
    assert {behind for *_, messages, behind in looks if messages} == {0}


def test_applied_step_by_step_or_by_many_at_once_a_view_is_the_same(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    applying = """
for number in range(40):
    sent = bus.send(["bob", "carol", "ghost"], f"{words[0]} {number}", key=f"{number}")
    bus.inbox("bob")
    if number % 4 == 0:
        bus.read([sent.message.id], agent="bob")
        bus.reply(sent.message.id, "Yes", sender="carol")
say("done")
"""
    workers = [Other(bus, agent, applying, agent) for agent in ("ada", "dave", "erin")]
    try:
        for worker in workers:
            worker.go()
        assert [worker.heard() for worker in workers] == ["done"] * 3
    finally:
        for worker in workers:
            worker.kill()

    bus.inbox("bob")
    live = dump(bus)

    assert live == rebuilt(bus)
    with sqlite3.connect(f"file:{view_path(bus)}?mode=ro", uri=True) as db:
        assert db.execute("select count(*) from message").fetchone() == (150,)
    db.close()


def test_a_message_that_was_read_stays_read_through_a_rebuild(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id
    bus.read([message_id], agent="bob")

    bus.rebuild()

    assert stage(bus, message_id, "bob") == "read"


def test_a_second_writer_in_a_process_takes_no_lock_from_the_first(tmp_path: Path) -> None:
    first = bus_in(tmp_path, "bob")
    first.send("bob", "one")
    assert bodies(first, "bob") == ["one"]
    beside = Path(f"{view_path(first)}-shm")
    before = beside.stat().st_ino

    second = Bus(first.root.path, agent="ada")
    second.send("bob", "two")
    second.inbox("bob")
    with other(first, "ada", "bus.send('bob', 'three'); bus.inbox('bob')") as process:
        process.go()
        process.ended()

    assert beside.stat().st_ino == before, "another process took the write-ahead log for nobody's"
    assert bodies(first, "bob") == bodies(second, "bob") == ["one", "two", "three"]
