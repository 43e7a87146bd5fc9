"""The office keeps the laws of a dialect, in every file and for every speaker."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.dialects.office.grammar import TAGS
from palaver.dialects.office.rules import RULES
from palaver.dialects.office.spec import SPEC
from palaver.dialects.shared.translation import missing_fields
from palaver.model.limits import LINE_BYTES
from palaver.model.message import ACTS, Message
from palaver.model.mounted_files import Kind, Mount, Source
from palaver.model.names import short
from palaver.model.spec import DialectSpec
from tests.dialects.contract import AT, DialectContract, cover, messages, words
from tests.dialects.office.lines import INBOX, MANAGER, WORKER, codes, kinds, parsed

EXACT_FORMAT = next(rule for rule in RULES if rule.name == "exact-format")
EMPLOYEE = "messages/employee-emp-copilot-a3f2.log"
MOUNT = Mount(dialect="office", name="office", settings={"manager": MANAGER})
WORKER_LINES = b"""\
[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home | by: emp-copilot-a3f2 | difficulty: 3 | deps-met: yes
[2026-02-11T10:20:00Z] [INFO] by: emp-copilot-a3f2 | Which port does the API use?
[2026-02-11T10:30:00Z] [HEARTBEAT] emp-copilot-a3f2 | status: working | current-task: task-4 | action: styling
[2026-02-11T11:00:00Z] [DELIVERY] task-004 | by: emp-copilot-a3f2 | files: a.py, b.py | criteria-met: all
[2026-02-11T11:01:00Z] [BLOCKED] task-005 | by: emp-copilot-a3f2 | reason: no network"""
MANAGER_LINES = b"""\
[2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-copilot-a3f2. Status: In Progress.
[2026-02-11T10:25:00Z] [REPLY] To emp-copilot-a3f2: 8080.
[2026-02-11T10:26:00Z] [REJECT] task-005 claim by emp-copilot-a3f2 rejected: already claimed by emp-b2.
[2026-02-11T11:05:00Z] [DONE] task-004 marked Done. Delivered by emp-copilot-a3f2.
[2026-02-11T11:06:00Z] [ABANDON] emp-b2 marked inactive after 3 missed heartbeats. Tasks released: task-5, 6.
[2026-02-11T11:07:00Z] [VIOLATION] emp-b2 | type: wrote elsewhere | action: Reverted"""
MIXED = b"""\
\xef\xbb\xbf[2026-02-11T10:00:00Z] [INFO] by: ada | hello\r
## Claim\r

[claim] TASK-4 | by: ada
{"tag": "CLAIM"}
[2026-02-11T10:00:00Z] [CLAIM] task-4 | title: Ho[2026-02-11T10:00:01Z] [INFO] by: ada | whole"""


class TestOffice(DialectContract):
    @property
    def dialect(self) -> DialectSpec:
        return SPEC

    @property
    def mount(self) -> Mount:
        return MOUNT

    @property
    def paths(self) -> tuple[str, ...]:
        return EMPLOYEE, INBOX, "messages/employee-ada.log", "messages/employee-..log", "notes.txt"

    @property
    def samples(self) -> tuple[bytes, ...]:
        lines = [*WORKER_LINES.split(b"\n"), *MANAGER_LINES.split(b"\n"), *MIXED.split(b"\n")]
        return WORKER_LINES, MANAGER_LINES, MIXED, *lines


tags = st.sampled_from(["", *(tag.name for tag in TAGS), "RETRO", "x y"])
keys = st.sampled_from(
    ["title", "difficulty", "deps-met", "board-read-at", "criteria-met", "status", "action"]
)
metas = st.dictionaries(keys, words | st.just("3") | st.just("-") | st.integers(0, 5), max_size=4)


@st.composite
def office_messages(draw: st.DrawFn) -> Message:
    """Draw a message as this dialect reads them: with a tag, with the fields of templates."""
    message = draw(messages())
    return message.replace(
        tag=draw(tags),
        meta=dict(draw(metas)),
        sender=draw(st.sampled_from([message.sender, MANAGER])),
        to=draw(st.sampled_from([message.to, [MANAGER]])),
    )


@settings(deadline=None, max_examples=300)
@given(message=office_messages(), manager_reads=st.booleans())
def test_any_message_can_stand_in_any_file(message: Message, manager_reads: bool) -> None:
    path = f"messages/employee-{short(message.sender)}.log" if manager_reads else INBOX

    content = SPEC.render(message, MOUNT, path)

    source = Source(path=path, content=content, mount=MOUNT)
    found = SPEC.parse(source)
    cover(source, found)
    assert [missing_fields(message, each) for each in found.messages] == [{}], content


@settings(deadline=None, max_examples=150)
@given(message=office_messages())
def test_what_we_write_is_to_the_letter(message: Message) -> None:
    kept = {key: value for key, value in message.meta.items() if key in ("title", "action")}
    message = message.replace(meta=kept)
    for path in SPEC.files(message, MOUNT):
        content = SPEC.render(message, MOUNT, path)
        source = Source(path=path, content=content, mount=MOUNT)
        found = SPEC.parse(source)

        judged = EXACT_FORMAT.check(source, found, {path: found})

        assert [str(each) for each in (*found.findings, *judged)] == [], content


lines = st.sampled_from([*WORKER_LINES.split(b"\n"), *MANAGER_LINES.split(b"\n")]).map(bytes.decode)


@pytest.mark.parametrize("act", sorted(ACTS))
def test_an_outsider_does_not_use_the_tags_of_the_manager(act: str) -> None:
    message = Message(sender="td", to=["emp-a1"], body="plain words", act=act, task="4", at=AT)

    content = SPEC.render(message, MOUNT, INBOX)

    assert content.startswith(f"[{AT}] [REPLY] To emp-a1: ".encode())
    assert b" from=td" in content.partition(b"(palaver")[2]


def test_mail_for_the_manager_stands_in_the_log_of_its_sender() -> None:
    message = Message(sender="project-a/workers/slot0", to=[MANAGER], body="x")

    assert SPEC.files(message, MOUNT) == ("messages/employee-slot0.log",)


def test_mail_for_a_worker_stands_in_the_inbox() -> None:
    message = Message(sender="td", to=["emp-a1", "emp-b2"], body="x")

    assert SPEC.files(message, MOUNT) == (INBOX,)


def test_mail_for_both_stands_where_each_of_them_reads() -> None:
    both = Message(sender="td", to=["emp-a1", MANAGER], body="x")
    everyone = Message(sender="td", to=["@all"], body="x")

    assert SPEC.files(both, MOUNT) == ("messages/employee-td.log", INBOX)
    assert SPEC.files(everyone, MOUNT) == ("messages/employee-td.log", INBOX)


def test_what_the_manager_says_stands_in_the_inbox() -> None:
    assert SPEC.files(Message(sender=MANAGER, to=["@all"], body="x"), MOUNT) == (INBOX,)


@pytest.mark.parametrize("sender", ["", "../x", "a/..", "/etc", "a\nb", "con", "-rf", "x" * 65, "@", "@all"])
def test_no_file_is_named_after_an_unsafe_name(sender: str) -> None:
    assert SPEC.files(Message(sender=sender, to=[MANAGER], body="x"), MOUNT) == (INBOX,)


def test_the_mount_says_who_is_the_manager() -> None:
    mount = Mount(dialect="office", settings={"manager": "Boss"})
    content = b"[2026-02-11T10:00:00Z] [REPLY] To emp-a1: 8080.\n"

    (message,) = SPEC.parse(Source(path=INBOX, content=content, mount=mount)).messages

    assert (message.sender, message.auth) == ("boss", "channel")
    assert SPEC.render(message, mount, INBOX) == content


KNOWN = {
    ("messages/employee-emp-a1.log", b""): 3,
    ("p/messages/manager-inbox.log", b""): 3,
    ("elsewhere/employee-emp-a1.log", b""): 2,
    ("elsewhere/employee-emp-a1.log", b"[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | x\n"): 3,
    ("notes.txt", b"\n\n[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | x\n"): 2,
    ("notes.txt", b"[2026-02-11T10:00:00Z] [RETRO] x\n"): 1,
    ("notes.txt", b"[2026-02-05 12:51:54] FACT: Task docs-user started\n"): 0,
    ("channel.jsonl", b'{"ts":"2026-02-11T10:00:00.000Z"}\n'): 0,
    ("notes.txt", b"\xff\xfe\x00"): 0,
    ("notes.txt", b""): 0,
}


@pytest.mark.parametrize(("path", "head"), KNOWN)
def test_a_file_is_known_by_its_name_and_its_first_entry(path: str, head: bytes) -> None:
    assert SPEC.recognises(path, head) == KNOWN[path, head]


def test_an_endless_line_is_cut_into_pieces_however_it_comes_in() -> None:
    content = b"[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | " + b"x" * (3 * LINE_BYTES)
    after = b"\n[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | after\n"
    at_once = parsed(content + after)

    first = parsed(content, whole=False)
    pending = first.pieces[-1]
    rest = Source(
        path=WORKER, content=(content + after)[pending.start :], mount=MOUNT, offset=pending.start, whole=True
    )

    assert pending.kind is Kind.PENDING
    assert pending.length <= LINE_BYTES
    assert first.pieces[:-1] + SPEC.parse(rest).pieces[:1] == at_once.pieces[:-1]
    assert kinds(at_once) == ["quarantined OFF002"] * 3 + ["quarantined OFF004", "event"]


def test_a_text_that_fits_into_no_line_is_shortened_and_says_where_the_rest_is() -> None:
    message = Message(sender="ada", to=["bob"], body="\n" * (LINE_BYTES // 2), at=AT, id="msg-aaaaaaaaaaaa")

    content = SPEC.render(message, MOUNT, INBOX)

    (found,) = SPEC.parse(Source(path=INBOX, content=content, mount=MOUNT)).messages
    assert len(content) <= LINE_BYTES
    assert found.body.endswith("(the whole text: palaver thread msg-aaaaaaaaaaaa)")


HEADS = {
    "bars": "[2026-02-11T10:00:00Z] [CLAIM] task-4 " + "| " * 400_000,
    "spaces": "[2026-02-11T10:00:00Z] [INFO] by:" + " " * 900_000 + "x",
    "spaces in a value": "[2026-02-11T10:00:00Z] [CLAIM] task-4 | title: x"
    + " " * 900_000
    + "y | by: emp-a1",
    "brackets": "[" * 900_000,
    "pairs of brackets": "[x] " * 200_000,
    "beginnings of entries": "[2026-02-11T10:00:00Z] [INFO] " * 30_000,
    "names": "[2026-02-11T10:00:00Z] [REPLY] To " + "a, " * 300_000,
    "names without commas": "[2026-02-11T10:00:00Z] [REPLY] To " + "a " * 400_000,
    "prepositions": "[2026-02-11T10:00:00Z] [APPROVAL] " + "for to by " * 90_000,
    "tasks": "[2026-02-11T10:00:00Z] [DONE] " + "task-." * 150_000,
    "dots": "[2026-02-11T10:00:00Z] [REJECT] task-" + "." * 900_000,
    "trailers": "[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | " + "(palaver re=x)" * 60_000,
    "pairs of a trailer": "[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | (palaver" + " re=x" * 150_000 + " )",
}


@pytest.mark.parametrize("line", HEADS.values(), ids=HEADS.keys())
def test_no_line_takes_more_than_its_length(line: str) -> None:
    for path in (WORKER, INBOX):
        found = parsed(f"{line}\n", path)

        assert sum(piece.length for piece in found.pieces) == len(line) + 1
        assert len(codes(found)) <= 2
