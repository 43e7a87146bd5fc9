"""What collab promises: the laws of every dialect, and the two ways through a chat log as one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.dialects.collab import DIALECT, swift
from palaver.dialects.collab.parse import parse_carefully
from palaver.model.dialect import Dialect, Mount
from palaver.model.message import Message
from palaver.model.translation import lacking
from tests.dialects.contract import DialectContract, messages, texts

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
    def dialect(self) -> Dialect:
        return DIALECT

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
    def test_what_is_dropped_into_the_inbox_is_read_back(self, message: Message) -> None:
        path = "inbox/msg_1771730144123456789.txt"

        content = DIALECT.render(message, MOUNT, path)

        found = list(DIALECT.parse(self.source(path, content)).messages)
        assert [lacking(message, each) for each in found] == [{}], content

    @settings(deadline=None, max_examples=100)
    @given(data=st.data())
    def test_both_ways_through_a_chat_log_come_to_the_same(self, data: st.DataObject) -> None:
        stamped = texts.map(lambda text: f"2026-02-22 03:15:44 JIM -> CLAWDY: {text}".encode())
        tagged = texts.map(
            lambda text: f"2026-02-22 03:15:59 CLAWDY -> QA: [DONE:{text[:9]}] {text}".encode()
        )
        lines = data.draw(
            st.lists(st.sampled_from(CHAT) | texts.map(str.encode) | stamped | tagged, max_size=8)
        )
        source = self.source("chat.log", b"".join(line.removesuffix(b"\n") + b"\n" for line in lines))

        swiftly = DIALECT.parse(source)

        assert swiftly == parse_carefully(source)


def test_the_swift_way_makes_the_same_values() -> None:
    said = swift._message("jim", "clawdy", "BTC price", "assign", "2026-02-22T03:15:44Z")
    same = Message(sender="jim", to=["clawdy"], body="BTC price", act="assign", at="2026-02-22T03:15:44Z")

    assert {name: getattr(said, name) for name in Message.__slots__} == {
        name: getattr(same, name) for name in Message.__slots__
    }
