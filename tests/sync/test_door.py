"""The door of `palaver up`: one line of JSON in, one line out, whoever knocks."""

import json
import os
import shutil
import signal
import socket
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from palaver.model.event import text
from tests.cli.spoken import Answer, polite
from tests.sync.knocking import Visitor, code, request
from tests.sync.living import Place, Up, eventually, read, swarm_line, up
from tests.sync.scene import append

ALL_AT_ONCE: Final = 200
DEEP: Final = 50_000


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "project")
    made.do("agents", "add", "bob")
    return made


def one_liner(place: Place) -> str:
    """Return the line of the shell that the manual gives."""
    [line] = [line for line in place.do("up", "--help").lines if "nc -N -U" in line]
    return line.strip()


# --- what it is for ---


def test_the_line_of_the_manual_works_as_it_stands(place: Place) -> None:
    assert shutil.which("nc"), "install netcat-openbsd; sh tools/system-deps.sh does"
    team = place.mount("swarm")

    with up(place.folder) as daemon:
        answer = place.shell.sh(one_liner(place))

        assert answer.code == 0, answer
        assert place.bodies() == ["Hello"]
        assert answer.fields["seq"] == place.events("mail.sent")[0].seq
        second = place.shell.sh(one_liner(place).replace("bob", "qa"))
        daemon.until(lambda: second.code == 0 and "Hello" in read(team / "channel.jsonl"))


def test_all_that_send_can_say_goes_through_the_door(place: Place) -> None:
    with up(place.folder):
        place.do("send", "bob", "-m", "first", "--as", "ada")
        parent = place.events("mail.sent")[0]
        first = text(parent.data, "message_id")
        answer = place.do(
            "send", "bob", "@all", "-m", "text", "-s", "headline", "--act", "ask", "--priority", "urgent",
            "--reasoning", "why", "--task", "t-1", "--run", "r-1", "--reply-to", first,
            "--file", ".palaver/config.toml", "--meta", "a=b", "--as", "ada", "--json",
        )  # fmt: skip

    [_, event] = place.events("mail.sent")
    assert event.key.startswith("door-")
    assert event.seq == answer.fields["seq"]
    said = {"subject": "headline", "act": "ask", "priority": "urgent", "task": "t-1", "run": "r-1"}
    assert {name: event.data[name] for name in said} == said
    assert event.data["meta"] == {"a": "b"}
    assert event.caused_by == parent.event_id


def test_an_empty_act_and_an_empty_priority_are_the_usual_ones(place: Place) -> None:
    with up(place.folder), Visitor(place.folder) as visitor:
        heard = visitor.ask(request("hello", act="", priority=""))

    assert "error" not in heard
    [event] = place.events("mail.sent")
    assert not {"act", "priority"} & set(event.data)


def test_the_same_key_counts_once_at_the_door_and_outside(place: Place) -> None:
    with up(place.folder), Visitor(place.folder) as visitor:
        line = json.dumps({"key": "k1", **json.loads(request("once"))}).encode() + b"\n"

        first, second = visitor.ask(line), visitor.ask(line)
        third = place.do("send", "bob", "-m", "once", "--key", "k1", "--as", "ada", "--json").fields

    assert first["id"] == second["id"] == third["id"]
    assert [first["duplicate"], second["duplicate"], third["duplicate"]] == [False, True, True]
    assert place.bodies() == ["once"]


def test_a_key_that_was_another_message_is_refused(place: Place) -> None:
    with up(place.folder), Visitor(place.folder) as visitor:
        visitor.ask(json.dumps({"key": "k1", **json.loads(request("once"))}).encode() + b"\n")

        answer = visitor.ask(json.dumps({"key": "k1", **json.loads(request("twice"))}).encode() + b"\n")

    assert code(answer) == "key-conflict"
    assert place.bodies() == ["once"]


def test_a_name_that_means_nobody_is_said(place: Place) -> None:
    with up(place.folder), Visitor(place.folder) as visitor:
        answer = visitor.ask(request(to=["bobb"]))

    lost = answer["undeliverable"]
    assert isinstance(lost, list)
    assert [each["nearest"] for each in lost] == [["bob"]]


def test_whom_a_file_has_just_named_can_be_written_to_at_once(place: Place) -> None:
    team = place.mount("swarm")
    with up(place.folder) as daemon:
        for number in range(10):
            append(team / "channel.jsonl", swarm_line("I am new.", sender=f"new{number}"))
            answer = place.send(f"new{number}", f"Welcome {number}")
            assert answer.err == ""

        daemon.until(lambda: "Welcome 9" in read(team / "channel.jsonl"))
    assert not any(event.data.get("undeliverable") for event in place.events("mail.sent"))


# --- who knocks with bad intent ---


HOSTILE: Final = {
    "nothing": b"\n",
    "not JSON": b"hello\n",
    "not UTF-8": b"\xff\xfe\n",
    "a list": b"[]\n",
    "nothing to do": b"{}\n",
    "send is a number": b'{"send":1}\n',
    "send is empty": b'{"send":{}}\n',
    "a key twice": b'{"send":{"from":"ada","to":["bob"],"body":"a","body":"b"}}\n',
    "deep": b"[" * DEEP + b"\n",
    "deep objects": b'{"send":' * DEEP + b"\n",
    "no JSON number": b'{"send":{"from":"ada","to":["bob"],"body":"a","meta":{"x":NaN}}}\n',
    "a huge number": b'{"send":{"from":"ada","to":["bob"],"body":"a","meta":{"x":' + b"9" * 5_000 + b"}}}\n",
    "another version": b'{"v":2,"send":{"from":"ada","to":["bob"],"body":"a"}}\n',
    "a strange version": b'{"v":"1","send":{"from":"ada","to":["bob"],"body":"a"}}\n',
    "a key that is no text": b'{"key":5,"send":{"from":"ada","to":["bob"],"body":"a"}}\n',
    "a key that is too long": b'{"key":"'
    + b"k" * 300
    + b'","send":{"from":"ada","to":["bob"],"body":"a"}}\n',
    "more than a request": b'{"also":1,"send":{"from":"ada","to":["bob"],"body":"a"}}\n',
    "more than a message": request(hops=3),
    "an id of one's own": request(message_id="msg-aaaaaaaaaaaa"),
    "a body that is a number": request(body=5),
    "a subject that is a number": request(subject=5),
    "to is a number": request(to=5),
    "to has a number": request(to=["bob", 5]),
    "to nobody": request(to=[]),
    "to a path": request(to=["../../etc/passwd"]),
    "meta is a list": request(meta=[]),
    "files are texts": request(files=["x"]),
    "an act that is none": request(act="explode"),
    "a priority that is a number": request(priority=3),
    "a reply to nothing": request(reply_to="msg-none"),
    "from the bus itself": request(**{"from": "palaver"}),
    "from everyone": request(**{"from": "@all"}),
    "from nobody": request(**{"from": ""}),
    "from above": request(**{"from": "../ada"}),
    "half a character": request(body="\ud800"),
    "only blanks": request(body=" \n\t"),
    "too long for a record": request(body="x" * 1_100_000),
    "too long for a line": request(body="x" * 3_000_000),
}


def test_whatever_is_wrong_gets_one_line_with_a_code_and_changes_nothing(place: Place) -> None:
    with up(place.folder) as daemon:
        for called, line in HOSTILE.items():
            with Visitor(place.folder) as visitor:
                visitor.say(line)
                answers = visitor.done()
            assert len(answers) == 1, called
            assert code(json.loads(answers[0])), called
        assert place.bodies() == []

        with Visitor(place.folder) as visitor:
            for line in HOSTILE.values():
                assert code(visitor.ask(line))
            assert visitor.ask(request("and then a good one"))["seq"]
        answer = daemon.end()

    assert answer.code == 0
    assert answer.err == ""
    assert place.bodies() == ["and then a good one"]


def test_a_retired_agent_does_not_speak_at_the_door(place: Place) -> None:
    place.do("agents", "retire", "bob")

    with up(place.folder), Visitor(place.folder) as visitor:
        answer = visitor.ask(request(**{"from": "bob", "to": ["ada"]}))

    assert code(answer) == "retired"


def test_a_line_without_end_is_heard_when_nothing_more_comes(place: Place) -> None:
    with up(place.folder), Visitor(place.folder) as visitor:
        visitor.say(request("no newline").removesuffix(b"\n"))

        [answer] = visitor.done()

    assert json.loads(answer)["seq"]
    assert place.bodies() == ["no newline"]


def test_those_who_say_half_a_line_and_are_silent_keep_nobody_out(place: Place) -> None:
    with up(place.folder) as daemon:
        silent = [Visitor(place.folder) for _ in range(30)]
        for each in silent:
            each.say(request("half")[:20])

        with Visitor(place.folder) as visitor:
            assert visitor.ask(request("whole"))["seq"]
        for each in silent:
            each.close()
        answer = daemon.end()

    assert answer.code == 0
    assert place.bodies() == ["whole"]


def test_somebody_who_does_not_wait_for_the_answer_is_heard(place: Place) -> None:
    with up(place.folder) as daemon:
        for number in range(20):
            with Visitor(place.folder) as visitor:
                visitor.say(request(f"{number}"))

        daemon.until(lambda: len(place.bodies()) == 20)
        assert daemon.err == ""


def test_two_hundred_at_once_are_all_heard(place: Place) -> None:
    answers: list[dict[str, object]] = []

    def visit(number: int) -> None:
        with Visitor(place.folder) as visitor:
            line = json.dumps({"key": f"k{number}", **json.loads(request(f"{number}"))}).encode() + b"\n"
            answers.append(visitor.ask(line))

    with up(place.folder) as daemon:
        visitors = [threading.Thread(target=patient(visit, number)) for number in range(ALL_AT_ONCE)]
        for each in visitors:
            each.start()
        for each in visitors:
            each.join()
        assert daemon.end().code == 0

    assert all(answer.get("seq") for answer in answers), answers
    assert sorted(place.bodies(), key=int) == [f"{number}" for number in range(ALL_AT_ONCE)]


def patient(visit: Callable[[int], None], number: int) -> Callable[[], None]:
    """Return a visit that knocks again if so many stand at the door that the kernel turns it away."""

    def tried() -> bool:
        try:
            visit(number)
        except BlockingIOError:
            return False
        return True

    return lambda: eventually(tried)


# --- when nobody opens ---


def test_a_daemon_that_is_stopped_keeps_nobody_waiting_and_counts_once(place: Place) -> None:
    with up(place.folder) as daemon:
        place.send("bob", "before")
        stop(daemon)

        began = time.monotonic()
        answer = place.do("send", "bob", "-m", "meanwhile", "--as", "ada", "--json").fields
        took = time.monotonic() - began
        daemon.process.send_signal(signal.SIGCONT)
        with Visitor(place.folder) as visitor:
            visitor.ask(request("after"))
        assert daemon.end().code == 0

    assert place.bodies() == ["before", "meanwhile", "after"]
    assert answer["duplicate"] is False
    assert took < 20, "it waits a quarter of a second for the daemon, not for ever"


def stop(daemon: Up) -> None:
    """Stop it, and return only when it stands still."""
    daemon.process.send_signal(signal.SIGSTOP)
    where = Path(f"/proc/{daemon.process.pid}/stat")
    eventually(lambda: where.read_text().rpartition(")")[2].split()[0] == "T")


def test_a_socket_that_a_dead_daemon_left_does_no_harm(place: Place) -> None:
    with up(place.folder) as daemon:
        daemon.kill()
    assert (place.folder / ".palaver/socket").exists()

    place.send("bob", "by myself")
    with up(place.folder):
        place.send("bob", "through the door")

    assert place.bodies() == ["by myself", "through the door"]
    assert place.events("mail.sent")[1].key.startswith("door-")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_whatever_lies_in_the_place_of_the_socket_is_not_knocked_at(place: Place, kind: str) -> None:
    where = place.folder / ".palaver/socket"
    if kind == "file":
        where.write_text("not a socket")
    else:
        where.mkdir()

    place.send("bob", "by myself")

    assert place.bodies() == ["by myself"]


def test_a_link_in_the_place_of_the_socket_is_refused(place: Place) -> None:
    (place.folder / ".palaver/socket").symlink_to("/nowhere/at/all")

    answer = place.shell.run("send", "bob", "-m", "x", "--as", "ada")

    assert answer.code == 4
    assert "socket is a symbolic link" in answer.err


def test_a_bus_that_lies_too_deep_for_the_name_of_a_socket_has_a_door_all_the_same(tmp_path: Path) -> None:
    deep = Place(tmp_path / ("d" * 60) / ("e" * 60) / ("f" * 60))
    deep.do("agents", "add", "bob")

    with up(deep.folder):
        deep.send("bob", "from far below")
        answer = deep.shell.sh(one_liner(deep))

    assert answer.fields["seq"]
    assert [event.key[:5] for event in deep.events("mail.sent")] == ["door-", ""]


def test_the_door_is_for_its_owner_alone(place: Place) -> None:
    with up(place.folder):
        found = (place.folder / ".palaver/socket").stat()

        assert stat.S_ISSOCK(found.st_mode)
        assert stat.S_IMODE(found.st_mode) == 0o600


def test_somebody_else_in_the_place_of_the_daemon_who_says_nonsense_is_not_believed(place: Place) -> None:
    where = place.folder / ".palaver/socket"
    for said in (b"", b"nonsense\n", b"[]\n", b'{"error":{"code":"x"}}\n', b"{" * 100_000):
        ours = socket.socket(socket.AF_UNIX)
        ours.bind(os.path.relpath(where))
        ours.listen()
        thread = threading.Thread(target=answer_once, args=(ours, said))
        thread.start()

        place.send("bob", said[:9].decode() or "empty")

        thread.join()
        ours.close()
        where.unlink()
    assert len(place.bodies()) == 5


def answer_once(ours: socket.socket, said: bytes) -> None:
    visitor, _ = ours.accept()
    visitor.recv(65_536)
    try:
        visitor.sendall(said)
    except OSError:
        return
    finally:
        visitor.close()


def test_nothing_that_the_door_says_does_more_than_print(place: Place) -> None:
    with up(place.folder), Visitor(place.folder) as visitor:
        visitor.say(request(**{"\u202eto": "\x1b[31m"}))

        polite(Answer(code=0, out=visitor.hear().decode(), err=""))
