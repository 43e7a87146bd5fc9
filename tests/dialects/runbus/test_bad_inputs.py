"""The lists of bad inputs: what becomes of each, and that the messages around it are read all the same."""

import json
from typing import Final

import pytest

from palaver.dialects.runbus.grammar import CODES
from palaver.dialects.runbus.spec import SPEC
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Mount, Parsed, Source
from tests.dialects.contract import cover
from tests.dialects.runbus.blocks import block

MOUNT: Final = Mount(dialect="runbus")
LF: Final = "\n"
GOOD: Final = block(id="MSG-20260126-110000-ada-aaa", body="Still here.").encode()


def parse(content: bytes, *, whole: bool = True) -> Parsed:
    source = Source(path="MESSAGE-BUS.md", content=content, mount=MOUNT, whole=whole)
    parsed = SPEC.parse(source)
    cover(source, parsed)
    return parsed


def only(content: bytes | str) -> tuple[Message, list[str]]:
    """Return the one message of a file, and the codes of what was found."""
    parsed = parse(content if isinstance(content, bytes) else content.encode())
    (message,) = parsed.messages
    return message, [finding.code for finding in parsed.findings]


# ---------------------------------------------------------------- what is quarantined

NUL_TAIL: Final = b"\0" * 4096
QUARANTINED: Final = {
    "S5 lines that end in CR alone": (b"---\rmessageId: MSG-1\rtype: FACT\r---\rtext\r---\r\n", "RUN004"),
    "S7 UTF-16": ("text".encode("utf-16-le") + b"\n", "RUN002"),
    "S8 the byte FF in a line": (b"\xff\n", "RUN001"),
    "S8 the byte FF in a text": (block(body="x").encode().replace(b"\nx\n", b"\n\xff\n"), "RUN001"),
    "S8 the byte FF in front matter": (block().encode().replace(b"run_001", b"run_\xff"), "RUN001"),
    "S9 half of a surrogate pair": (
        block(body="x").encode().replace(b"\nx\n", b"\n\xed\xa0\x80\n"), "RUN001"
    ),
    "S11 NUL in a text": (block(body="a\0b").encode(), "RUN002"),
    "S11 NUL in a line": (b"[2026-02-05 12:51:54] FACT: a\0b\n", "RUN002"),
    "S12 a tail of NULs": (NUL_TAIL + b"\n", "RUN002"),
    "S14 a text of one byte too many": (block(body="x" * (LINE_BYTES + 1)).encode(), "RUN003"),
    "S17 torn in the front matter": (b"---\nmessageId: MSG-20260126-101500-claude-5f2\ntype: FA\n", "RUN006"),
    "S18 the mark of a merge conflict": (b"<<<<<<< HEAD\n", "RUN005"),
    "S18 the middle of a merge conflict": (b"=======\n", "RUN005"),
    "S18 a merge conflict in front matter": (
        block().replace("type: FACT", "<<<<<<< HEAD\ntype: FACT\n=======\ntype: TASK").encode(), "RUN009"
    ),
    "S37 a name that leaves its folder": (block(agent="../../etc/passwd").encode(), "RUN010"),
    "S38 an absolute name": (block(agent="/abs").encode(), "RUN010"),
    "S40 the name .": (block(agent=".").encode(), "RUN010"),
    "S40 the name ..": (block(agent="..").encode(), "RUN010"),
    "S40 a name with a space": (block(agent="claude code").encode(), "RUN010"),
    "S41 a name of 65 characters": (block(agent="a" * 65).encode(), "RUN010"),
    "S42 a device": (block(agent="CON").encode(), "RUN010"),
    "S42 a colon in a name": (block(agent="a:b").encode(), "RUN010"),
    "S42 a dot at the end of a name": (block(agent="a.").encode(), "RUN010"),
    "S43 a letter of another alphabet": (block(agent="\u0430da").encode(), "RUN010"),
    "S43 an invisible sign in a name": (block(agent="a\u200dda").encode(), "RUN010"),
    "S45 a name that looks like an option": (block(agent="-rf").encode(), "RUN010"),
    "S46 a pattern for a name": (block(agent="a.*").encode(), "RUN010"),
    "nobody speaks for all": (block(agent="@all").encode(), "RUN010"),
    "a hostile name beside the text": (block(more="palaver-from: ../x\n").encode(), "RUN010"),
    "a hostile recipient": (block(more='palaver-to: ["../x"]\n').encode(), "RUN010"),
    "S49 65 recipients": (
        block(more=f"palaver-to: {json.dumps([f'a{n}' for n in range(65)])}\n").encode(), "RUN012"
    ),
    "D3 front matter only": (b"---\nmessageId: MSG-20260126-101500-x-1\ntype: FACT\nagent: x\n\n", "RUN006"),
    "D3 the placeholder's id on another text": (block(id="MSG-00000000-000000-000").encode(), "RUN011"),
    "D3 a key twice": (block(more="agent: ada\n").encode(), "RUN008"),
    "a key twice in another case": (block(more="Agent: ada\n").encode(), "RUN008"),
    "both names of one key": (block(more="msg_id: MSG-1\n").encode(), "RUN008"),
    "text between messages": (b"# Round two\n", "RUN004"),
    "a whole message in a code fence between messages": (b"```\n" + block().encode() + b"```\n", "RUN004"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "reason"), QUARANTINED.values(), ids=QUARANTINED)
def test_what_cannot_be_read_is_kept_whole_and_costs_no_other_message(content: bytes, reason: str) -> None:
    parsed = parse(GOOD + content + GOOD)

    kept = [piece for piece in parsed.pieces if piece.kind is Kind.QUARANTINED]
    assert [piece.reason for piece in kept] == [reason]
    assert [finding.code for finding in parsed.findings] == [reason]
    assert [message.body for message in parsed.messages] == ["Still here.", "Still here."]
    assert kept[0].start == len(GOOD)
    assert content.startswith((GOOD + content)[kept[0].start :][: kept[0].length])


def test_every_finding_has_its_line_in_the_table() -> None:
    assert {reason for _, reason in QUARANTINED.values()} <= CODES.keys()
    assert all(code.startswith("RUN0") and text for code, text in CODES.items())


def test_a_finding_names_the_line() -> None:
    parsed = parse(GOOD + block(more="agent: ada\n").encode())

    (finding,) = parsed.findings

    assert str(finding) == (
        f"MESSAGE-BUS.md:{GOOD.decode().count(LF) + 8}: RUN008 it has agent twice; keep one of them"
    )


# ---------------------------------------------------------------- what is read, and put right

ACCEPTED: Final = {
    "S4 CRLF": (block().replace("\n", "\r\n"), {"body": "The parser is ready.", "task": "parser"}, []),
    "D3 CRLF here and there": (block().replace("type: FACT\n", "type: FACT\r\n"), {"act": "inform"}, []),
    "S6 a byte order mark": ("\ufeff" + block(), {"body": "The parser is ready."}, []),
    "S13 a text of 1 MiB": (block(body="x" * LINE_BYTES), {"body": "x" * LINE_BYTES}, []),
    "D3 a text of 100000 lines": (block(body="x\n" * 99_999 + "x"), {"body": "x\n" * 99_999 + "x"}, []),
    "S31 no timestamp": (block().replace("timestamp: 2026-01-26T10:15:00Z\n", ""), {"at": ""}, ["RUN022"]),
    "S32 an impossible time": (block(at="2026-13-45T99:00Z"), {"at": ""}, ["RUN022"]),
    "S33 the year 9999": (block(at="9999-01-01T00:00:00Z"), {"at": "9999-01-01T00:00:00Z"}, ["RUN023"]),
    "S34 the year 1970": (block(at="1970-01-01T00:00:00Z"), {"at": "1970-01-01T00:00:00Z"}, ["RUN023"]),
    "S34 a year before the first": (block(at="-001-01-01T00:00:00Z"), {"at": ""}, ["RUN022"]),
    "S35 a leap second": (block(at="2026-06-30T23:59:60Z"), {"at": "2026-07-01T00:00:00Z"}, []),
    "S36 no zone": (block(at="2026-01-26T10:15:00"), {"at": "2026-01-26T10:15:00Z"}, []),
    "S36 +14:00": (block(at="2026-01-01T10:15:00+14:00"), {"at": "2025-12-31T20:15:00Z"}, []),
    "S36 -08:00": (block(at="2026-02-28T20:15:00-0800"), {"at": "2026-03-01T04:15:00Z"}, []),
    "S36 z": (block(at="2026-01-26T10:15:00.250z"), {"at": "2026-01-26T10:15:00.250Z"}, []),
    "S39 a name with a path": (block(agent="a/b"), {"sender": "a/b"}, []),
    "S40 no name": (block(agent=""), {"sender": "unknown"}, ["RUN021"]),
    "S44 case in a name": (block(agent="Bob"), {"sender": "bob"}, []),
    "S47 a name of power": (block(agent="human"), {"sender": "human", "auth": "claimed"}, []),
    "S51 an escape sequence": (block(body="\x1b[2J \x9b"), {"body": "\x1b[2J \x9b"}, []),
    "S52 other line ends": (block(body="a\u2028b\u0085c\x0bd"), {"body": "a\u2028b\u0085c\x0bd"}, []),
    "S53 markup": (block(body="<img onerror=x>"), {"body": "<img onerror=x>"}, []),
    "S56 a command": (block(body="$(x) `x` {{7*7}}"), {"body": "$(x) `x` {{7*7}}"}, []),
    "S59 a path that is not ours": (
        block(more="files: /etc/shadow\n"), {"files": [{"path": "/etc/shadow"}]}, [],
    ),
    "S60 no text": (block(body=""), {"body": "", "act": "inform"}, ["RUN027"]),
    "S60 no text where none is needed": (block(body="[ACK]"), {"body": "", "act": "ack"}, []),
    "D3 --- inside a text": (block(body="a\n---\nb"), {"body": "a\n---\nb"}, []),
    "D3 a closing --- twice": (block() + "---\n", {"body": "The parser is ready."}, []),
    "no closing --- at the end": (block()[:-5], {"body": "The parser is ready."}, ["RUN026"]),
    "D3 no messageId": (
        block().replace("messageId: MSG-20260126-101500-claude-5f2\n", ""), {"id": ""}, ["RUN020"],
    ),
    "messageId not first": (
        block().replace("type: FACT\n", "")
        .replace("---\nmessageId", "---\ntype: FACT\nagent: ada\nmessageId", 1)
        .replace("agent: claude-research-1\n", ""),
        {"id": "MSG-20260126-101500-claude-5f2", "sender": "ada"}, [],
    ),
    "D3 a tag of YAML": (
        block(more="files: !!python/object:os.system x\n"),
        {"files": [{"path": "!!python/object:os.system x"}]}, [],
    ),
    "D3 anchors of YAML": (block(more="a: &a [x,x]\nb: *a\n"), {"meta": {"a": "&a [x,x]", "b": "*a"}}, []),
    "D3 indented by tabs": (
        block().replace("\nmess", "\n\tmess").replace("\ntype", "\n\ttype").replace("\nagent", "\n\tagent"),
        {"act": "inform", "sender": "claude-research-1"}, [],
    ),
    "D3 no space behind the colon": (block().replace(": ", ":"), {"sender": "claude-research-1"}, []),
    "D3 an unknown type": (block(type="RUMOUR"), {"act": "inform", "tag": "RUMOUR"}, ["RUN024"]),
    "no type": (block().replace("type: FACT\n", ""), {"act": "inform"}, ["RUN025"]),
    "a type in lower case": (block(type="question"), {"act": "ask", "tag": ""}, []),
    "D3 a list of lines": (
        block(more="files:\n  - a.md\n  - b.md\n"), {"files": [{"path": "a.md"}, {"path": "b.md"}]}, [],
    ),
    "a list in brackets": (block(more="artifacts: [a.md, 'b.md']\n"), {"artifacts": ["a.md", "b.md"]}, []),
    "D3 a comma in a name": (
        block(more='files: a, b.md\npalaver-files: [{"path":"a, b.md"}]\n'),
        {"files": [{"path": "a, b.md"}]}, [],
    ),
    "fields of others": (block(more="Severity: high\n"), {"meta": {"Severity": "high"}}, []),
    "a field beside that nobody knows": (
        block(more="palaver-mood: good\n"), {"meta": {"palaver-mood": "good"}}, ["RUN028"],
    ),
    "a field beside that is no JSON": (
        block(more="palaver-to: [bob\n"), {"to": ["@all"], "meta": {"palaver-to": "[bob"}}, ["RUN028"],
    ),
    "an act that is none": (block(more="palaver-act: dance\n"), {"act": "inform"}, ["RUN028"]),
    "several ids of the successor": (
        block(more="parents: [MSG-1, MSG-2]\n"),
        {"reply_to": "MSG-1", "meta": {"parents": "[MSG-1, MSG-2]"}}, [],
    ),
    "one id of the successor": (block(more="parents: MSG-1\n"), {"reply_to": "MSG-1", "meta": {}}, []),
    "N/A for a run": (block(run="N/A"), {"run": ""}, []),
    "a T decides": (
        block(type="TASK", body="[CLAIM:x] Mine."), {"act": "claim", "task": "x", "body": "Mine."}, [],
    ),
    "D3 a legacy line of pairs": (
        '[2026-01-31T20:59:30Z] type=question project=swarm task=plan agent=ada note="two words" Which?\n',
        {"act": "ask", "task": "plan", "sender": "ada", "body": "Which?",
         "meta": {"project": "swarm", "note": "two words"}}, [],
    ),
    "a legacy line of the successor": (
        "[2026-02-05 12:51:54] (RUN_STOP) It ended.\n",
        {"act": "report", "tag": "RUN_STOP", "body": "It ended."}, [],
    ),
    "D3 a legacy line of a list": (
        "- REVIEW 2026-07-18 19:06 CEST (Final quorum): PASS\n",
        {"act": "review", "at": "2026-07-18T17:06:00Z", "subject": "Final quorum", "body": "PASS"}, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "wanted", "codes"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_can_be_understood_is_understood(
    content: str, wanted: dict[str, object], codes: list[str]
) -> None:
    message, found = only(content)

    assert {field: getattr(message, field) for field in wanted} == wanted
    assert found == codes
    assert "\r" not in message.body


# ---------------------------------------------------------------- what is neither


def test_an_empty_file_is_nothing() -> None:
    assert parse(b"").pieces == ()


def test_blank_lines_are_blank_one_by_one() -> None:
    parsed = parse(b"\n \t\n\r\n" + GOOD + b"\n\n")

    assert [piece.kind for piece in parsed.pieces] == [*[Kind.BLANK] * 3, Kind.EVENT, *[Kind.BLANK] * 2]


def test_a_line_between_messages_that_has_not_ended_is_waited_for() -> None:
    for tail in (b"[2026-02-05 12:51:54] FA", b"--", b"---", b"---\n", b"---\nmessage", b"\xe2\x82"):
        pieces = parse(GOOD + b"# stray\n" + tail, whole=False).pieces

        # The stray line says nothing about whether the message before it has ended.
        assert [piece.kind for piece in pieces] == [Kind.PENDING]


@pytest.mark.parametrize("end", range(1, len(GOOD) + 1))
def test_a_message_is_waited_for_until_the_next_one_begins(end: int) -> None:
    assert [piece.kind for piece in parse(GOOD[:end], whole=False).pieces] == [Kind.PENDING]
    assert [piece.kind for piece in parse(GOOD + GOOD[:end], whole=False).pieces][-1] is Kind.PENDING


def test_the_next_opener_ends_the_waiting() -> None:
    pieces = parse(GOOD + b"---\nmessageId: M\n", whole=False).pieces

    assert [piece.kind for piece in pieces] == [Kind.EVENT, Kind.PENDING]


def test_a_torn_message_with_the_next_one_glued_to_it_costs_only_itself() -> None:
    for cut in range(60, 190, 7):
        torn = block().encode()[:cut].rstrip(b"-\n ")
        if torn.endswith(b"---"):
            continue

        parsed = parse(torn + GOOD)

        assert [message.body for message in parsed.messages] == ["Still here."], torn
        assert [piece.reason for piece in parsed.pieces] == ["RUN007", ""], torn


def test_a_torn_line_with_a_message_glued_to_it_costs_only_itself() -> None:
    parsed = parse(b"[2026-02-05 12:51:54] FACT: Task do" + GOOD)

    assert [piece.reason for piece in parsed.pieces] == ["RUN007", ""]
    assert [message.body for message in parsed.messages] == ["Still here."]


def test_an_endless_line_is_quarantined_in_pieces_of_bounded_size() -> None:
    content = b"x" * (3 * LINE_BYTES + 5)

    parsed = parse(content, whole=False)

    assert [piece.reason for piece in parsed.pieces] == ["RUN003", "RUN003", "RUN003", ""]
    assert parsed.pieces[-1].kind is Kind.PENDING
    assert parsed.pieces[-1].length == 5


def test_an_endless_message_does_not_grow_for_ever() -> None:
    lines = (b"m" * 999 + b"\n") * (10 * LINE_BYTES // 1000)

    parsed = parse(block()[:-5].encode() + lines + GOOD)

    assert parsed.pieces[0].reason == "RUN003"
    assert list(parsed.messages)[-1].body == "Still here."


def test_a_code_fence_that_nothing_closes_swallows_nothing() -> None:
    torn = block(body="Output:\n```sh\nls").encode()

    bodies = [message.body for message in parse(torn + GOOD + torn + GOOD + GOOD).messages]

    assert bodies == ["Output:\n```sh\nls", "Still here.", "Output:\n```sh\nls", "Still here.", "Still here."]


def test_a_code_fence_that_a_later_message_seems_to_close_swallows_nothing() -> None:
    torn = block(body="Output:\n```").encode()
    fenced = block(body="```\nls\n```").encode()

    bodies = [message.body for message in parse(torn + GOOD + fenced + GOOD).messages]

    assert bodies == ["Output:\n```", "Still here.", "```\nls\n```", "Still here."]


def test_a_quoted_message_is_text() -> None:
    quote = block(body="See:\n\n~~~~\n```\n" + block() + "```\n" + block() + "~~~~\n\nDone.")

    message, codes = only(quote)

    assert message.body.startswith("See:")
    assert message.body.endswith("Done.")
    assert codes == []


def test_what_stands_above_the_mark_says_nothing() -> None:
    mark = b"<!-- All messages below this line. Append only. Do not modify above messages. -->\n"
    header = b"# Bus\n\ntype: FACT\n\n```\n" + block().encode() + b"```\n\n" + mark

    parsed = parse(header + GOOD)

    assert [piece.kind for piece in parsed.pieces] == [Kind.BLANK, Kind.EVENT]
    assert parsed.pieces[0].length == len(header)
    assert parsed.findings == ()


def test_whoever_writes_the_mark_into_a_text_silences_nobody() -> None:
    mark = "<!-- All messages below this line. -->"

    bodies = [message.body for message in parse(GOOD + block(body=mark).encode() + GOOD).messages]

    assert bodies == ["Still here.", mark, "Still here."]


def test_a_file_without_the_mark_is_read_from_its_start() -> None:
    parsed = parse(b"# Notes\n" + GOOD)

    assert [piece.kind for piece in parsed.pieces] == [Kind.QUARANTINED, Kind.EVENT]


def test_a_header_is_waited_for_but_not_for_ever() -> None:
    assert [p.kind for p in parse(b"# Bus\n" * 10, whole=False).pieces] == [Kind.PENDING]
    assert parse(b"# Bus\n" * 20_000, whole=False).pieces[0].kind is Kind.QUARANTINED


def test_the_same_id_again_is_another_message_here() -> None:
    """Whether it is a repetition or a conflict is for whoever knows what was taken in before; see RUN033."""
    assert [message.id for message in parse(GOOD + GOOD).messages] == ["MSG-20260126-110000-ada-aaa"] * 2
