"""docs/reference/json.md says what the commands answer: every field, its type, no more and no less."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from palaver.cli.command_table import COMMANDS
from tests.cli.spoken import Shell

PAGE: Final = Path(__file__).resolve().parents[2] / "docs/reference/json.md"
TYPES: Final = {"text": str, "number": int, "bool": bool, "list": list, "object": dict}
Fields = dict[str, object]


def documented() -> dict[str, dict[str, str]]:
    """Return the fields and types of every section of the page."""
    sections = {}
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        name = part.partition("\n")[0]
        sections[name] = dict(re.findall(r"(?m)^\| `(\w+)` \| ([a-z, ]+) \| ", part))
    return sections


SECTIONS: Final = documented()


def fits(value: object, said: str) -> bool:
    if "or null" in said and value is None:
        return True
    return type(value) is TYPES[re.split(r"[ ,]", said)[0]]


def check(name: str, value: object, *, more: Iterable[str] = ()) -> None:
    """Fail if the value is not what the section of this name says."""
    said = SECTIONS[name]
    assert isinstance(value, dict), (name, value)
    required = {field for field, words in said.items() if "optional" not in words}
    assert required <= set(value) <= set(said) | set(more), (name, set(value) ^ set(said))
    wrong = {
        field: value[field]
        for field, words in said.items()
        if field in value and not fits(value[field], words)
    }
    assert wrong == {}, name


def listed(value: object) -> list[Fields]:
    assert isinstance(value, list)
    assert value, "an empty list proves nothing"
    return value


@pytest.fixture
def talk(ada: Shell) -> Shell:
    """Return ada, after a talk in which everything has happened that a field can tell of."""
    (ada.folder / "notes").write_text("x")
    ada.run("agents", "add", "dan", "eve", "--role", "reviewers", "--about", "looks closely")
    asked = ada.run("send", "bob", "zoe", "-m", "well?", "--file", "notes", "--meta", "k=v", "--key", "k1")
    ada.run("read", asked.message_id, "--as", "bob")
    ada.run("reply", asked.message_id, "-m", "yes", "--as", "bob")
    shared = ada.run("send", "reviewers", "-m", "please look").message_id
    ada.run("ack", shared, "--as", "dan")
    ada.run("wait", "--as", "ada")
    return ada


def test_every_command_that_answers_programs_has_a_section() -> None:
    same = {"reply": "send", "resend": "send", "wait": "inbox", "tail": "events", "review": "send"}
    same["uninstall"] = "install"
    of_the_spine = [name for name in COMMANDS if name in SPINE]

    assert sorted(of_the_spine) == sorted(SPINE)
    assert [name for name in of_the_spine if same.get(name, name) not in SECTIONS] == []


# Every command of the bus itself; those of the dialects have pages of their own.
SPINE: Final = (
    *("init", "send", "inbox", "read", "ack", "archive", "reply", "wait", "thread", "search", "tail"),
    *("withdraw", "resend", "agents", "lists", "events", "verify", "rebuild", "doctor", "quarantine"),
    *("snapshot", "redact", "mount", "sync", "status", "task", "board", "waiting", "prime", "continue"),
    *("review", "report-error", "channel", "runs", "health", "stats", "install", "uninstall", "patrol"),
    *("trust", "up", "down"),
)


def test_send_reply_and_resend(talk: Shell) -> None:
    sent = talk.run("send", "bobb", "-m", "x", "--allow-unknown", "--json").fields
    check("send", sent)
    check("undeliverable", listed(sent["undeliverable"])[0])
    check("send", talk.run("resend", str(sent["id"]), "bob", "--json").fields)
    check("send", talk.run("reply", str(sent["id"]), "-m", "x", "--as", "bob", "--json").fields)


def test_trust(talk: Shell) -> None:
    talk.run("trust", "--revoke")
    accepted = talk.run("trust", "--yes", "--json").fields

    check("trust", accepted)
    for effect in listed(accepted["effects"]):
        check("effect", effect)
    assert listed(accepted["effects"])


def test_errors(talk: Shell) -> None:
    refused = talk.run("read", "msg-none", "--json").fields
    late = talk.run("send", "bob", "-m", "x", "--wait", "read", "--timeout", "0", "--json").fields

    assert set(refused) == {"error"}
    check("errors", refused["error"])
    check("send", late, more=["error"])
    check("errors", late["error"])


@pytest.mark.parametrize("command", ["inbox", "wait"])
def test_inbox_and_wait(talk: Shell, command: str) -> None:
    listing = talk.run(command, "--json").fields

    check("inbox", listing)
    for message in listed(listing["messages"]):
        check("message", message, more=["delivery"])
        check("delivery", message["delivery"])


def test_read(talk: Shell) -> None:
    for message in talk.run("read", "--json").rows:
        check("message", message, more=["delivery"])
        check("delivery", message["delivery"])


def test_thread_with_every_kind_of_delivery(talk: Shell) -> None:
    stages = set()
    for event in talk.run("events", "--type", "mail.sent", "--json").rows:
        for said in talk.run("thread", str(event["event_id"]).replace("evt-", "msg-"), "--json").rows:
            check("message", said, more=["deliveries", "undelivered"])
            check("thread", said, more=SECTIONS["message"])
            for delivery in listed(said["deliveries"]):
                check("delivery", delivery)
                stages.add(delivery["stage"])
            if said["undeliverable"]:
                check("undelivered", listed(said["undelivered"])[0])

    assert stages == {"notified", "answered", "acknowledged", "taken"}


def test_search_and_files(talk: Shell) -> None:
    [message] = talk.run("search", "well", "--json").rows

    check("message", message)
    check("file", listed(message["files"])[0])


def test_ack_archive_and_withdraw(talk: Shell) -> None:
    ids = [talk.run("send", "bob", "-m", "x").message_id for _ in range(3)]

    check("ack", talk.run("ack", ids[0], "--as", "bob", "--json").fields)
    check("archive", talk.run("archive", ids[1], "--as", "bob", "--json").fields)
    check("withdraw", talk.run("withdraw", ids[2], "--json").fields)


def test_events_and_tail(talk: Shell) -> None:
    events = talk.run("events", "--json").rows

    for event in events:
        check("event", event)
    optional = {field for field, words in SECTIONS["event"].items() if "optional" in words}
    missing = optional - {field for event in events for field in event}
    assert missing == {"src", "inside", "request"}, "only files have a source, and only runs have an inside"
    check("event", talk.run("events", "show", "1", "--json").fields)
    assert [json.loads(line) for line in talk.run("tail", "-n", "999", "--json").lines] == events


def test_export(talk: Shell) -> None:
    for line in talk.run("events", "export").lines:
        check("cloudevent", json.loads(line))


def test_agents_and_lists(talk: Shell) -> None:
    for words in (["agents"], ["agents", "add", "fay"], ["agents", "retire", "fay"], ["agents", "--all"]):
        for agent in talk.run(*words, "--json").rows:
            check("agents", agent)
    assert talk.run("lists", "set", "crew", "bob", "--json").fields == {"crew": ["bob"]}


def test_verify_doctor_and_quarantine(talk: Shell) -> None:
    log = next((talk.folder / ".palaver/log").iterdir())
    redacted = talk.run("send", "bob", "-m", "x", "--json").fields["seq"]
    check("redact", talk.run("redact", str(redacted), "--json").fields)
    data = log.read_bytes()
    log.write_bytes(data.replace(b"please", b"pleese"))
    check("rebuild", talk.run("rebuild", "--json").fields)

    verdict = talk.run("verify", "--json").fields
    check("verify", verdict)
    check("fault", listed(verdict["faults"])[0])
    assert [set(each) for each in listed(verdict["redacted"])] == [{"seq", "by"}]

    checks = talk.run("doctor", "--json").fields
    check("doctor", checks)
    for each in listed(checks["checks"]):
        check("check", each)

    [item] = talk.run("quarantine", "--json").rows
    check("quarantine", item)
    check("quarantine", talk.run("quarantine", "show", str(item["id"]), "--json").fields, more=["content"])
    assert talk.run("quarantine", "retry", str(item["id"]), "--json").fields == {item["id"]: False}


def test_init_and_snapshot(talk: Shell) -> None:
    check("init", talk.run("init", "--json").fields)
    check("snapshot", talk.run("snapshot", "--json").fields)
    check("snapshot", talk.run("snapshot", "--json").fields)


def test_task_and_board(talk: Shell) -> None:
    check("task", talk.run("task", "open", "One", "--id", "one", "--json").fields)
    moved = talk.run("task", "claim", "one", "--as", "bob", "--json").fields
    check("moved", moved)
    check("task", moved["task"])
    check("task", talk.run("task", "change", "one", "--priority", "1", "--json").fields)
    shown = talk.run("task", "show", "one", "--json").fields
    check("task", shown, more=["moves"])
    for move in listed(shown["moves"]):
        check("move", move)
    for task in listed(talk.run("task", "list", "--json").value):
        check("task", task)
    board = talk.run("board", "--json").fields
    check("board", board)
    assert isinstance(board["columns"], dict)
    check("task", listed(board["columns"]["Working"])[0])


def test_waiting(talk: Shell) -> None:
    talk.run("send", "bob", "--act", "ask", "-m", "well?")
    found = talk.run("waiting", "--json").fields
    check("waiting", found)
    check("wait", listed(found["waits"])[0])


def test_patrol(talk: Shell) -> None:
    with (talk.folder / ".palaver/config.toml").open("a") as config:
        config.write("[deadlines]\nquestion = 0\n")
    talk.run("send", "bob", "--act", "ask", "-m", "well?")
    found = talk.run("patrol", "--json").fields
    watched = found.pop("watched_seconds")
    check("patrol", {**found, "watched_seconds": int(float(str(watched)))})
    check("step", listed(found["steps"])[0])


def test_prime(talk: Shell) -> None:
    found = talk.run("prime", "--json").fields
    check("prime", found)
    check("message", listed(found["mail"])[0], more=["delivery"])


def test_continue(talk: Shell) -> None:
    found = talk.run("continue", "--json").fields
    check("continue", found)
    check("item", listed(found["items"])[0])
    check("message", listed(found["news"])[0], more=["delivery"])


def test_review_report_error_and_channel(talk: Shell) -> None:
    judged = ["--scope", "x", "--severity", "nit", "--recommendation", "x"]
    check("send", talk.run("review", "bob", *judged, "--json").fields)
    talk.run("task", "open", "One", "--id", "one")
    talk.run("task", "claim", "one")
    check("moved", talk.run("report-error", "bob", "--task", "one", "--impact", "x", "--json").fields)
    (talk.folder / "t").mkdir()
    talk.run("mount", "add", "swarm", "t", "--name", "t")
    words = ["--team", "t", "--reasoning", "r", "--content", "c", "--json"]
    check("channel", talk.run("channel", "write", *words).fields)
    [line] = talk.run("channel", "read", "--team", "t", "--json").rows
    assert set(line) == {"ts", "from", "to", "type", "reasoning", "content"}


def test_runs_health_stats_and_install(talk: Shell) -> None:
    talk.run("run", "--as", "bob", "--", "echo", "hello")
    for words in (["runs"], ["runs", "show", "run_001"]):
        check("runs", listed(talk.run(*words, "--json").value)[0])
    assert set(talk.run("runs", "tail", "run_001", "--json").fields) == {"run", "path", "size", "lines"}
    config = talk.folder / ".palaver/config.toml"
    config.write_text(config.read_text() + "\n[health.checks]\nx = { file = '.palaver/config.toml' }\n")
    check("health", talk.run("health", "--to", "bob", "--json").fields)
    check("stats", listed(talk.run("stats", "--json").value)[0])
    talk.git("init", "-q")
    check("install", talk.run("install", "git", "--json").fields)
    check("install", talk.run("uninstall", "git", "--json").fields)
    for command in ("install", "uninstall"):
        check("service", talk.run(command, "service", "--json").fields)


def test_the_daemon(talk: Shell) -> None:
    found = talk.run("status", "--json").fields

    check("status", found)
    check("daemon", found["daemon"])
    check("up", talk.run("up", "--detach", "--no-web", "--json").fields)
    check("down", talk.run("down", "--json").fields)


def test_a_field_too_many_is_noticed() -> None:
    with pytest.raises(AssertionError):
        check("check", {"name": "x", "state": "ok", "found": "", "way_out": "", "surprise": 1})


def test_a_field_too_few_and_a_wrong_type_are_noticed() -> None:
    with pytest.raises(AssertionError):
        check("check", {"name": "x", "state": "ok", "found": ""})
    with pytest.raises(AssertionError):
        check("check", {"name": "x", "state": "ok", "found": "", "way_out": None})
