"""`.work/events.jsonl`: every event of the bus, once, in order, in the words of vermas."""

import json
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from palaver import Bus
from palaver.model.event import Event
from palaver.sync.intake.file_events import draft
from tests.processes.command import palaver
from tests.sync.living import Up
from tests.sync.scene import Scene, append, left_alone

FILE: Final = ".work/events.jsonl"
KILLS: Final = 15
SENT: Final = 150
FOREIGN: Final = (
    b'{"event_id":"evt-x","event_type":"agent.started","timestamp":"2026-01-01T10:00:00.000Z",'
    b'"actor":"w1","data":{"note":"mine"}}\n'
)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "project")


def rows(path: Path) -> list[dict[str, object]]:
    """Return what stands in the file, but for the lines of others."""
    found = [json.loads(line) for line in path.read_text().splitlines() if line.startswith('{"event_id"')]
    return [row for row in found if row["event_id"] != "evt-x"]


def said(scene: Scene, mount: str) -> list[Event]:
    """Return the events that must stand there, in the order of the log: those since the mount was made."""
    since = next(e.seq for e in scene.events("config.applied") if mount in str(e.data["mounts"]))
    events = scene.bus.session.log.read(since, 1_000_000)
    return [event for event in events if not event.event_type.startswith(("file.", "log."))]


def check(scene: Scene, path: Path) -> None:
    """Check that the file says every event once, in order."""
    whole = [str(row["event_id"]).partition(".")[0] for row in rows(path)]
    assert list(dict.fromkeys(whole)) == [event.event_id for event in said(scene, path.parts[-3])]
    ids = [row["event_id"] for row in rows(path)]
    assert len(set(ids)) == len(ids)


def run(scene: Scene, *words: str, agent: str = "ada") -> None:
    done = palaver(*words, "--root", str(scene.folder), agent=agent)
    assert done.returncode == 0, done


def test_every_event_stands_there_once_and_in_order(scene: Scene) -> None:
    file = scene.mount("vermas") / FILE
    team = scene.mount("swarm")
    run(scene, "agents", "add", "bob", "carol")
    for number in range(5):
        run(scene, "send", "bob", "-m", f"number {number}")
    run(scene, "read", agent="bob")
    append(team / "channel.jsonl", b'{"from":"qa","to":["@programmer"],"type":"message","content":"x"}\n')
    scene.settle()

    check(scene, file)
    types = [str(row["event_type"]) for row in rows(file)]
    assert {"mail.sent", "mail.delivered", "mail.read", "agent.registered", "config.applied"} == set(types)
    assert not any(each.startswith(("file.", "log.")) for each in types)


def test_what_is_sent_during_a_pass_stands_there_once(scene: Scene) -> None:
    """The view of a pass may not have an event yet that the log has: who got it is not known then."""
    file = scene.mount("vermas") / FILE
    run(scene, "agents", "add", "bob")

    def send_all() -> None:
        sender = Bus(str(scene.folder), agent="ada")
        for number in range(SENT):
            sender.send("bob", f"number {number}")

    sending = threading.Thread(target=send_all)
    sending.start()
    while sending.is_alive():
        scene.sync()
    sending.join()
    scene.settle()

    check(scene, file)
    types = Counter(row["event_type"] for row in rows(file))
    assert types["mail.sent"] == types["mail.delivered"] == SENT


def test_an_event_is_said_as_vermas_says_it(scene: Scene) -> None:
    file = scene.mount("vermas") / FILE
    run(scene, "agents", "add", "bob")
    run(scene, "send", "bob", "-m", "text", "-s", "Headline", "--act", "ask", "--task", "wo-1")
    scene.settle()

    sent, delivered = rows(file)[-2:]

    [event] = scene.mail()
    message_id = event.data["message_id"]
    assert sent == {
        "event_id": event.event_id,
        "event_type": "mail.sent",
        "timestamp": event.timestamp,
        "actor": "ada",
        "correlation_id": message_id,
        "data": {
            "message_id": message_id,
            "from": "ada",
            "to": "bob",
            "subject": "Headline",
            "message_type": "HELP",
            "work_order_id": "wo-1",
        },
    }
    assert delivered == {
        "event_id": f"{event.event_id}.1",
        "event_type": "mail.delivered",
        "timestamp": event.timestamp,
        "actor": "palaver",
        "correlation_id": message_id,
        "caused_by": event.event_id,
        "data": {"message_id": message_id, "recipient": "bob"},
    }


def test_a_task_is_a_work_order_there(scene: Scene) -> None:
    file = scene.mount("vermas") / FILE

    scene.bus.session.log.append(
        [draft("task.opened", {"task": "t-1", "title": "Parse", "kind": "bug"}, actor="ada")]
    )
    scene.bus.session.log.append([draft("task.changed", {"task": "t-1", "about": "All of it"}, actor="ada")])
    scene.settle()

    opened, changed = [row for row in rows(file) if str(row["event_type"]).startswith("work_order.")]
    assert opened["event_type"] == "work_order.created"
    assert opened["data"] == {
        "work_order_id": "t-1",
        "title": "Parse",
        "description": "",
        "issue_type": "bug",
        "priority": 2,
        "created_by": "ada",
    }
    assert changed["event_type"] == "work_order.updated"
    assert changed["data"] == {"work_order_id": "t-1", "changes": {"description": "All of it"}}


def test_what_we_write_there_breaks_no_rule_of_the_file(scene: Scene) -> None:
    file = scene.mount("vermas") / FILE
    run(scene, "agents", "add", "bob", "carol")
    run(scene, "task", "open", "One", "--id", "one")
    run(scene, "task", "claim", "one", agent="bob")
    run(scene, "continue", agent="bob")
    run(scene, "send", "bob", "-m", "take it back")
    [*_, last] = scene.mail()
    run(scene, "withdraw", str(last.data["message_id"]))
    run(scene, "agents", "retire", "carol")
    scene.settle()

    assert rows(file)
    run(scene, "lint", str(file))


def test_what_was_done_to_several_messages_is_said_of_each(scene: Scene) -> None:
    file = scene.mount("vermas") / FILE
    run(scene, "agents", "add", "bob")
    for number in range(3):
        run(scene, "send", "bob", "-m", f"number {number}")
    ids = [str(event.data["message_id"]) for event in scene.mail()]

    run(scene, "ack", *ids, agent="bob")
    scene.settle()

    lines = [row for row in rows(file) if row["event_type"] == "mail.acknowledged"]
    assert [_field(row, "message_id") for row in lines] == ids
    check(scene, file)


def _field(row: dict[str, object], name: str) -> object:
    data = row["data"]
    assert isinstance(data, dict)
    return data[name]


def test_lines_of_others_are_kept_where_they_stand_and_recorded(scene: Scene) -> None:
    file = scene.mount("vermas") / FILE
    run(scene, "agents", "add", "bob")
    append(file, FOREIGN)
    run(scene, "send", "bob", "-m", "one")
    append(file, FOREIGN.replace(b"mine", b"mine too") + b"not JSON\n")
    run(scene, "send", "bob", "-m", "two")
    report = scene.settle()

    content = file.read_bytes()
    assert content.count(b'"evt-x"') == 2
    assert content.count(b"not JSON\n") == 1
    recorded = [event for event in scene.events("file.recorded") if event.data["kind"] == "WorkEvent"]
    assert len(recorded) == 2
    assert len(scene.events("file.quarantined")) == 1
    assert report.troubles == []
    check(scene, file)


def test_a_line_of_others_without_end_is_ended_before_ours(scene: Scene) -> None:
    file = scene.mount("vermas") / FILE
    append(file, FOREIGN.removesuffix(b"\n"))
    left_alone(file)
    run(scene, "agents", "add", "bob")
    scene.settle()

    assert FOREIGN in file.read_bytes()
    check(scene, file)


def test_nothing_that_the_file_says_makes_another_event(scene: Scene) -> None:
    scene.mount("vermas")
    run(scene, "agents", "add", "bob")
    scene.settle()
    before = scene.head()

    for _ in range(5):
        scene.sync()

    assert scene.head() == before


def test_two_mounts_each_have_them_all(scene: Scene) -> None:
    one, two = scene.mount("vermas", "v1") / FILE, scene.mount("vermas", "v2") / FILE
    run(scene, "agents", "add", "bob")
    scene.settle()

    check(scene, one)
    assert rows(two)[-1]["event_type"] == "agent.registered"
    assert rows(one)[-1] == rows(two)[-1]


def test_a_file_that_was_deleted_or_emptied_comes_back_whole(scene: Scene) -> None:
    file = scene.mount("vermas") / FILE
    run(scene, "agents", "add", "bob")
    scene.settle()
    before = file.read_bytes()

    for spoil in (Path.unlink, lambda path: path.write_bytes(b"")):
        spoil(file)
        run(scene, "send", "bob", "-m", "after")
        scene.settle()

        assert file.read_bytes().startswith(before)
        check(scene, file)


def test_a_line_of_ours_that_was_edited_or_repeated_is_put_right_and_lines_of_others_stay(
    scene: Scene,
) -> None:
    file = scene.mount("vermas") / FILE
    run(scene, "agents", "add", "bob")
    append(file, FOREIGN)
    run(scene, "send", "bob", "-m", "one")
    scene.settle()
    first, *rest = file.read_bytes().splitlines(keepends=True)

    file.write_bytes(first.replace(b'"actor":"', b'"actor":"not-') + first + b"".join(rest))
    scene.settle()

    assert file.read_bytes() == first + b"".join(rest)
    check(scene, file)


def test_kills_lose_none_and_repeat_none(scene: Scene) -> None:
    seed = time.time_ns()
    dice = random.Random(seed)
    file = scene.mount("vermas") / FILE
    run(scene, "agents", "add", "bob")
    for number in range(KILLS):
        daemon = Up(scene.folder, "--quiet")
        for part in range(5):
            scene.bus.send("bob", f"{number}-{part}")
        append(file, FOREIGN)
        time.sleep(dice.uniform(0.1, 0.35))
        daemon.kill()
        daemon.close()
    scene.restart()
    scene.settle()

    check(scene, file)
    assert file.read_bytes().count(FOREIGN) == KILLS, f"seed {seed}"
