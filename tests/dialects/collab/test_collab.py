"""What collab promises: the laws of every dialect, and the two ways through a chat log as one."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from palaver.dialects.collab.grammar import CODES
from palaver.dialects.collab.spec import SPEC
from palaver.dialects.shared.translation import missing_fields
from palaver.model.errors import TooLarge
from palaver.model.message import Message
from palaver.model.mounted_files import Mount
from palaver.model.spec import DialectSpec
from tests.dialects.contract import DialectContract, messages

MOUNT = Mount(dialect="collab", settings={"a": "jim", "b": "clawdy", "person": "jeremy"})
CHAT = (
    b"2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] BTC price\n",
    b"2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:price-check] BTC $94,230\n",
    b"2026-02-22 03:30:00 SYSTEM: Cron fired depin_health.sh\n",
    b"2026-02-22 03:30:01 CLAWDY -> JIM: [DEPIN-HEALTH] grass=native:up nodepay=ext:up\n",
    b"2026-02-22 04:00:00 JEREMY -> TEAM: pause the bot overnight\n",
    b"2026-02-22 04:00:01 CLAWDY -> JIM: [STATUS:report] Two things:\n\n- one\n- two\n",
    "A → B: [TASK:bot-check] Get trading bot PID\nB->A: [ACK:bot-check] Checking.".encode(),
    b"2026-02-22 04:00:02 JIM -> CLAWDY: [TASK:x] BTC pr2026-02-22 04:00:03 CLAWDY -> JIM: glued",
    b"2026-02-22 04:00:02 JIM -> CLAWDY,QA: hello (palaver priority=urgent)\nbelongs to nobody\n",
    b"2026-02-22 04:00:02 [BLOCKED:financial-gate] Needs APPROVED\r\n",
    b"2026-02-22 04:00:02 A -> B: USER: stop it\n",
    b"<<<<<<< HEAD\n",
    b"26-02-22 03:15:44 JIM -> CLAWDY: short year\n",
    b"\xef\xbb\xbf2026-02-22 03:15:44 SYSTEM: up\n",
    b"",
    b"\n",
)


class TestCollab(DialectContract):
    @property
    def dialect(self) -> DialectSpec:
        return SPEC

    @property
    def mount(self) -> Mount:
        return MOUNT

    @property
    def paths(self) -> tuple[str, ...]:
        return "chat.log", "inbox/msg_1771730144123456789.txt"

    @property
    def samples(self) -> tuple[bytes, ...]:
        return CHAT

    @settings(deadline=None, max_examples=100)
    @given(message=messages())
    def test_what_is_dropped_into_the_inbox_is_read_back_as_a_message_to_b(self, message: Message) -> None:
        path = "inbox/msg_1771730144123456789.txt"

        content = SPEC.render(message, MOUNT, path)

        found = list(SPEC.parse(self.source(path, content)).messages)
        wanted = message.replace(to=["clawdy"])
        assert [missing_fields(wanted, each) for each in found] == [{}], content


def test_every_code_is_on_the_manual_page() -> None:
    page = (Path(__file__).parents[3] / "docs" / "dialects" / "collab.md").read_text("utf-8")

    codes = [*CODES, *(rule.code for rule in SPEC.rules)]
    assert [code for code in codes if code not in page] == []


def test_a_message_to_b_wakes_it_and_no_other_does() -> None:
    def files(sender: str, to: str) -> tuple[str, ...]:
        message = Message(sender=sender, to=[to], body="x", at="2026-02-22T03:15:44.123Z", id="msg-a")
        return SPEC.files(message, MOUNT)

    assert files("clawdy", "jim") == files("clawdy", "@all") == files("system", "@all") == ("chat.log",)
    log, drop = files("ada", "clawdy")
    assert log == "chat.log"
    assert re.fullmatch(r"inbox/msg_1771730144123\d{6}\.txt", drop)
    assert files("jeremy", "@all") == ("chat.log", drop)


@pytest.mark.parametrize(
    ("path", "content", "sure"),
    [
        ("collab/chat.log", CHAT[0], 3),
        ("chat.log", b"", 2),
        ("chat.log", b"\xef\xbb\xbf\n2026-02-22 03:15:44 SYSTEM: up\r\n", 3),
        ("old.log", CHAT[0], 2),
        ("notes.txt", "A → B: Check on the trading bot\n".encode(), 1),
        ("inbox/msg_1771730144123456789.txt", b"hello", 3),
        ("inbox/message.txt", b"hello", 2),
        ("inbox/.msg.a8Xk2p", b"hello", 0),
        ("messages/employee-a1.log", b"[2026-01-01T00:00:00Z] [INFO] by: a1 | x\n", 0),
        ("channel.jsonl", b'{"ts":"2026-01-01T00:00:00.000Z","from":"td"}\n', 0),
        ("MESSAGE-BUS.md", b"---\nmessageId: MSG-1\n", 0),
        ("notes.md", b"\xff\xfe\x00", 0),
    ],
)
def test_a_file_is_recognised_by_its_name_and_its_first_line(path: str, content: bytes, sure: int) -> None:
    assert SPEC.recognises(path, content) == sure


def test_health_is_written_from_values_where_there_are_no_words() -> None:
    nodes = {"grass": {"via": "native", "state": "up"}, "nodepay": {"state": "down"}}
    message = Message(
        sender="clawdy", to=["jim"], act="health", meta={"health": nodes}, at="2026-02-22T03:30:01Z"
    )

    line = SPEC.render(message, MOUNT, "chat.log")

    assert line.startswith(
        b"2026-02-22 03:30:01 CLAWDY -> JIM: [DEPIN-HEALTH] grass=native:up nodepay=down (palaver "
    )


def test_a_message_too_long_for_a_line_is_refused() -> None:
    message = Message(
        sender="jim", to=["clawdy"], body="\n" * (1 << 20), at="2026-02-22T03:30:01Z", id="msg-a"
    )

    with pytest.raises(TooLarge):
        SPEC.render(message, MOUNT, "chat.log")
