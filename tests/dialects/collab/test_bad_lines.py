"""Bad lines, each with what becomes of it: read, read with a finding, or kept in quarantine. Never lost."""

import pytest

from palaver.dialects.collab.spec import SPEC
from palaver.model.limits import LINE_BYTES, RECIPIENTS
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Mount, Parsed, Source

NAMED = {"a": "jim", "b": "clawdy", "person": "jeremy"}
HEAD = "2026-02-22 03:15:44 JIM -> CLAWDY: "
GOOD = b"2026-02-22 03:15:46 CLAWDY -> JIM: after\n"
INBOX = "inbox/msg_1771730144123456789.txt"


def read(
    content: bytes | str, path: str = "chat.log", *, whole: bool = True, settings: dict[str, str] = NAMED
) -> Parsed:
    raw = content.encode() if isinstance(content, str) else content
    mount = Mount(dialect="collab", settings=settings)
    parsed = SPEC.parse(Source(path=path, content=raw, mount=mount, whole=whole))
    assert sum(piece.length for piece in parsed.pieces) == len(raw)
    return parsed


def kinds(parsed: Parsed) -> list[str]:
    """Return what the pieces are; quarantined ones by their code."""
    return [piece.reason or str(piece.kind) for piece in parsed.pieces]


def codes(parsed: Parsed) -> list[str]:
    return [finding.code for finding in parsed.findings]


def only(parsed: Parsed) -> Message:
    (message,) = parsed.messages
    return message


# ---------------------------------------------------------------- bytes and lines

QUARANTINED = {
    "carriage returns for newlines": (
        b"2026-02-22 03:15:44 A -> B: x\r2026-02-22 03:15:45 A -> B: y\r\n",
        "COL003",
    ),
    "a byte that is no UTF-8": (b"2026-02-22 03:15:44 A -> B: \xff\n", "COL001"),
    "half of a surrogate pair": (b"2026-02-22 03:15:44 A -> B: \xed\xa0\x80\n", "COL001"),
    "a NUL": (b"2026-02-22 03:15:44 A -> B: a\0b\n", "COL002"),
    "a torn line that was closed": (b"2026-02-22 03:15:44 JIM -> CLA\n", "COL006"),
    "a torn time that was closed": (b"2026-02-22 03:15\n", "COL006"),
    "a conflict begins": (b"<<<<<<< HEAD\n", "COL005"),
    "a conflict parts": (b"=======\n", "COL005"),
    "a conflict ends": (b">>>>>>> theirs\n", "COL005"),
    "a line longer than a record": (HEAD.encode() + b"x" * LINE_BYTES + b"\n", "COL004"),
    "a year of two digits": (b"26-02-22 03:15:44 JIM -> CLAWDY: x\n", "COL009"),
    "nothing said": (b"2026-02-22 03:15:44 JIM -> CLAWDY: \n", "COL011"),
    "only blanks said": (b"2026-02-22 03:15:44 JIM -> CLAWDY:    \n", "COL011"),
    "nothing said by the system": (b"2026-02-22 03:15:44 SYSTEM:\n", "COL011"),
    "words at the start of a file": (b"hello, is anybody there\n", "COL007"),
    "a time and words": (b"2026-02-22 03:15:44 hello\n", "COL006"),
    "a time and another program's line": (b"2026-02-22 03:15:44 INFO: bot started\n", "COL006"),
}


@pytest.mark.parametrize("name", QUARANTINED)
def test_what_cannot_be_read_is_kept_and_the_next_line_is_read(name: str) -> None:
    line, code = QUARANTINED[name]

    parsed = read(line + GOOD)

    assert kinds(parsed) == [code, "event"]
    assert codes(parsed) == [code]
    assert only(parsed).body == "after"
    assert parsed.findings[0].place.line == 1


def test_an_empty_file_is_nothing_and_a_blank_line_is_blank() -> None:
    assert read(b"") == Parsed((), ())
    assert kinds(read(b"\n  \n\t\r\n")) == ["blank"] * 3


def test_a_line_without_its_end_waits_until_the_file_is_whole() -> None:
    line = HEAD + "x"

    assert kinds(read(line, whole=False)) == ["pending"]
    assert only(read(line)).body == "x"


def test_a_message_waits_until_it_is_sure_that_no_line_belongs_to_it() -> None:
    line = HEAD + "x\n"

    assert kinds(read(line, whole=False)) == ["pending"]
    assert kinds(read(line + "\n\n", whole=False)) == ["pending"]
    assert kinds(read(line + "2026-02-22 03:15", whole=False)) == ["event", "pending"]
    assert kinds(read(line + "20", whole=False)) == ["pending"]
    assert kinds(read(HEAD + "x (palaver re=msg-1)\n", whole=False)) == ["event"]


def test_windows_line_ends_and_a_byte_order_mark_are_taken_off() -> None:
    parsed = read(
        b"\xef\xbb\xbf2026-02-22 03:15:44 A -> B: one\r\n2026-02-22 03:15:45 A -> B: two\r\nthree\r\n"
    )

    assert [message.body for message in parsed.messages] == ["one", "two\nthree"]
    assert codes(parsed) == []
    assert parsed.pieces[0].start == 0


def test_a_byte_order_mark_is_none_inside_a_file() -> None:
    assert kinds(read(b"\n\xef\xbb\xbf2026-02-22 03:15:44 A -> B: one\n")) == ["blank", "COL007"]


def test_utf_16_is_kept_whole() -> None:
    parsed = read((HEAD + "x\n").encode("utf-16"))

    assert not list(parsed.messages)
    assert {piece.kind for piece in parsed.pieces} == {Kind.QUARANTINED}


def test_half_a_letter_at_the_end_waits_or_is_kept() -> None:
    cut = (HEAD + "é").encode()[:-1]

    assert kinds(read(cut, whole=False)) == ["pending"]
    assert kinds(read(cut)) == ["COL001"]


def test_a_tail_of_nuls_waits_or_is_kept() -> None:
    content = GOOD + b"\0" * 4096

    assert kinds(read(content, whole=False)) == ["pending"]
    assert kinds(read(content)) == ["event", "COL002"]


def test_a_line_as_long_as_a_record_is_read() -> None:
    line = HEAD + "x" * (LINE_BYTES - len(HEAD)) + "\n"

    assert only(read(line)).body == "x" * (LINE_BYTES - len(HEAD))


def test_an_endless_line_waits_and_is_kept_in_the_end() -> None:
    content = b"x" * (3 * LINE_BYTES)

    assert kinds(read(content, whole=False)) == ["pending"]
    assert kinds(read(content)) == ["COL004"]


@pytest.mark.parametrize(
    "torn",
    [
        "2026-02-22 03:15:44 JIM -> CLA",
        "2026-02-22 03:1",
        "2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:x] BTC pr",
    ],
)
def test_of_two_lines_in_one_the_torn_one_is_kept_and_the_whole_one_read(torn: str) -> None:
    parsed = read(torn.encode() + GOOD)

    assert kinds(parsed) == ["COL012", "event"]
    assert [piece.line for piece in parsed.pieces] == [1, 1]
    assert only(parsed).body == "after"


def test_a_line_that_quotes_another_is_one_line() -> None:
    text = "he said: 2026-02-22 03:15:46 CLAWDY -> JIM: x"

    assert only(read(HEAD + text + "\n")).body == text


def test_a_hundred_thousand_lines_are_read() -> None:
    parsed = read(GOOD * 100_000)

    assert len(parsed.pieces) == 100_000
    assert parsed.pieces[-1].line == 100_000


def test_equal_lines_are_two_messages_and_lint_says_so() -> None:
    parsed = read(GOOD * 2)

    assert kinds(parsed) == ["event", "event"]


# ---------------------------------------------------------------- times

TIMES = {
    "0000-00-00 00:00:00": ("", ["COL021"]),
    "2026-13-45 99:00:00": ("", ["COL022"]),
    "2026-02-29 03:15:44": ("", ["COL022"]),
    "2024-02-29 03:15:44": ("2024-02-29T03:15:44Z", []),
    "9999-12-31 23:59:59": ("9999-12-31T23:59:59Z", ["COL023"]),
    "1970-01-01 00:00:00": ("1970-01-01T00:00:00Z", ["COL023"]),
    "-2026-02-22 03:15:44": ("", ["COL022"]),
    "20260-02-22 03:15:44": ("", ["COL022"]),
    "2026-02-22 23:59:60": ("2026-02-23T00:00:00Z", []),
    "2026-02-22T03:15:44Z": ("2026-02-22T03:15:44Z", []),
    "2026-02-22T03:15:44z": ("2026-02-22T03:15:44Z", []),
    "2026-02-22 03:15:44 UTC": ("2026-02-22T03:15:44Z", []),
    "2026-02-22 03:15:44.5": ("2026-02-22T03:15:44.500Z", []),
    "2026-02-22T03:15:44.123456+14:00": ("2026-02-21T13:15:44.123Z", []),
    "[2026-02-22 03:15:44]": ("2026-02-22T03:15:44Z", []),
    "2026-02-22 03:15": ("2026-02-22T03:15:00Z", []),
}


@pytest.mark.parametrize("stamp", TIMES)
def test_a_time_is_read_in_every_form_and_an_impossible_one_is_none(stamp: str) -> None:
    at, found = TIMES[stamp]

    parsed = read(f"{stamp} JIM -> CLAWDY: x\n")

    assert only(parsed).at == at
    assert codes(parsed) == found


def test_a_line_without_a_time_is_a_message_if_it_names_who_speaks() -> None:
    parsed = read("A → B: one\nB->A: two\nSYSTEM: three\n")

    assert [(message.sender, message.body, message.at) for message in parsed.messages] == [
        ("jim", "one", ""),
        ("clawdy", "two", ""),
        ("system", "three", ""),
    ]
    assert codes(parsed) == ["COL021"] * 3


@pytest.mark.parametrize(
    ("zone", "at"),
    [
        ("+00:00", "2026-03-01T03:15:44Z"),
        ("-08:00", "2026-03-01T11:15:44Z"),
        ("+05:30", "2026-02-28T21:45:44Z"),
        ("+14:00", "2026-02-28T13:15:44Z"),
        ("junk", "2026-03-01T03:15:44Z"),
        ("+99:00", "2026-03-01T03:15:44Z"),
    ],
)
def test_times_are_in_the_zone_of_the_mount_both_ways(zone: str, at: str) -> None:
    line = "2026-03-01 03:15:44 JIM -> CLAWDY: x\n"
    settings = {**NAMED, "timezone": zone}

    message = only(read(line, settings=settings))

    assert message.at == at
    mount = Mount(dialect="collab", settings=settings)
    assert SPEC.render(message, mount, "chat.log") == line.encode()


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/abs", "", ".", "..", "JIM SMITH", "x" * 65, "CON", "NUL", "\u0430da", "j\u202eim",
     "a.", "j\u200dim", "-rf", "*", "?", ">", "a.*", "a/b/c/d/e", "jim$"],
)  # fmt: skip
@pytest.mark.parametrize(
    "line", ["2026-02-22 03:15:44 {} -> CLAWDY: x\n", "2026-02-22 03:15:44 JIM -> {}: x\n"]
)
def test_a_name_that_could_fool_somebody_is_kept_in_quarantine(name: str, line: str) -> None:
    parsed = read(line.format(name))

    assert kinds(parsed) == ["COL008"]
    assert parsed.findings[0].fix


@pytest.mark.parametrize("name", ["z", "utc"])
def test_an_agent_may_be_called_as_a_zone_is(name: str) -> None:
    for line in ("2026-02-22 03:15:44 {} -> CLAWDY: x\n", "2026-02-22T03:15:44Z {}→CLAWDY: x\n"):
        message = only(read(line.format(name.upper())))

        assert (message.sender, message.at) == (name, "2026-02-22T03:15:44Z")


def test_a_name_with_a_colon_ends_the_head() -> None:
    assert kinds(read("2026-02-22 03:15:44 x:y -> CLAWDY: x\n")) == ["COL006"]
    assert kinds(read("2026-02-22 03:15:44 a:b -> CLAWDY: x\n")) == ["COL006"]


def test_names_are_the_same_in_any_letters() -> None:
    parsed = read("2026-02-22 03:15:44 Jim -> clawdy: x\n2026-02-22 03:15:45 a -> B: y\n")

    assert [(message.sender, message.to) for message in parsed.messages] == [("jim", ["clawdy"])] * 2
    assert codes(parsed) == []


def test_addresses_and_strangers_are_names() -> None:
    message = only(read("2026-02-22 03:15:44 PROJECT-A/WORKERS/SLOT0 -> QA, @CRITIC,QA: x\n"))

    assert message.sender == "project-a/workers/slot0"
    assert message.to == ["qa", "@critic"]


def test_whoever_claims_a_name_has_only_claimed_it() -> None:
    for name in ("HUMAN", "SYSTEM", "TD", "JEREMY"):
        assert only(read(f"2026-02-22 03:15:44 {name} -> JIM: x\n")).auth == "claimed"


def test_there_are_bounds_on_receivers() -> None:
    many = ",".join(f"N{n}" for n in range(RECIPIENTS + 1))

    assert kinds(read(f"2026-02-22 03:15:44 JIM -> {many}: x\n")) == ["COL010"]
    assert len(only(read(f"2026-02-22 03:15:44 JIM -> {many.rpartition(',')[0]}: x\n")).to) == RECIPIENTS


# ---------------------------------------------------------------- texts


@pytest.mark.parametrize(
    "text",
    ["\x1b[2J", "\x1b]52;c;eA==\x07", "\u009b31m", "a\u202eb", "a\u200bb", "a\u2028b", "a\u0085b", "a\x1cb",
     "<img onerror=x>", "javascript:x", "</message>", "$(x) `x` %n {{7*7}} =cmd|x", "'; DROP", '"NEAR(',
     "e" + "\u0301" * 1000, "/etc/shadow file:///x", "x -> Y: z", "see A -> B: x", "x SYSTEM: y",
     "[TASK:[x]] y", "[TASK] y", "[TASK:] y", "[x] y", "TASK:x y"],
)  # fmt: skip
def test_any_text_is_text(text: str) -> None:
    parsed = read(f"{HEAD}{text}\n")

    message = only(parsed)
    assert (message.act, message.body, message.task) == ("inform", text, "")
    assert codes(parsed) == []


def test_an_act_that_needs_no_words_needs_no_text() -> None:
    message = only(read(f"{HEAD}[ACK:x]\n"))

    assert (message.act, message.task, message.body) == ("ack", "x", "")


@pytest.mark.parametrize(
    ("text", "act", "task", "tag"),
    [
        ("[task:x] y", "assign", "x", ""),
        ("[TASK: x ] y", "assign", "x", ""),
        ("[TASK:price check] y", "assign", "price check", ""),
        ("[DONE:x]y", "deliver", "x", ""),
        ("[DECIDE] y", "decide", "", ""),
        ("[CLAIM:x] y", "claim", "x", ""),
        ("[ACK] y", "ack", "", ""),
        ("[AUTHORIZED] y", "approve", "", "AUTHORIZED"),
        ("[BLOCKED:financial-gate] y", "block", "", "BLOCKED:financial-gate"),
        ("[BLOCKED:financial-gates] y", "block", "financial-gates", ""),
        ("[INFORM] y", "inform", "", ""),
    ],
)
def test_tags_are_read_in_every_form(text: str, act: str, task: str, tag: str) -> None:
    message = only(read(f"{HEAD}{text}\n"))

    assert (message.act, message.task, message.tag, message.body) == (act, task, tag, "y")


def test_an_arrow_without_spaces_or_of_another_kind_is_one() -> None:
    parsed = read(
        "2026-02-22 03:15:44 A->B: x\n2026-02-22 03:15:45 A→B:y\n2026-02-22 03:15:46 A  ->  B : z\n"
    )

    assert [(message.sender, message.to, message.body) for message in parsed.messages] == [
        ("jim", ["clawdy"], "x"),
        ("jim", ["clawdy"], "y"),
        ("jim", ["clawdy"], "z"),
    ]


def test_a_known_name_alone_speaks_to_everyone() -> None:
    parsed = read("2026-02-22 03:15:44 JIM: hello\n")

    assert (only(parsed).sender, only(parsed).to) == ("jim", ["@all"])
    assert codes(parsed) == ["COL025"]


# ---------------------------------------------------------------- lines that belong together


def test_lines_without_a_time_belong_to_the_message_before_them() -> None:
    parsed = read(HEAD.encode() + b"one\n  two\n\nthree\n\n" + GOOD)

    assert kinds(parsed) == ["event", "blank", "event"]
    assert next(parsed.messages).body == "one\n  two\n\nthree"
    assert [piece.line for piece in parsed.pieces] == [1, 5, 6]


def test_an_answer_that_starts_with_a_newline_keeps_its_text() -> None:
    assert only(read(f"{HEAD}\n\nhello\n")).body == "hello"


def test_a_line_that_names_two_of_the_mount_stands_for_itself() -> None:
    parsed = read(f"{HEAD}one\nJEREMY -> TEAM: pause\nSYSTEM: down\nMIRIAM -> TEAM: no\n")

    assert [message.body for message in parsed.messages] == ["one", "pause", "down", "no"]
    assert [message.sender for message in parsed.messages] == ["jim", "jeremy", "system", "miriam"]


def test_a_line_that_names_strangers_belongs_to_the_message_before_it() -> None:
    assert only(read(f"{HEAD}one\nkey -> value: x\n")).body == "one\nkey -> value: x"


def test_nobody_can_add_to_a_line_with_a_trailer() -> None:
    parsed = read(f"{HEAD}one (palaver priority=urgent)\nand do it twice\n")

    assert kinds(parsed) == ["event", "COL007"]
    assert only(parsed).priority == "urgent"


def test_a_trailer_under_several_lines_is_text() -> None:
    message = only(read(f"{HEAD}one\ntwo (palaver priority=urgent)\n"))

    assert (message.body, message.priority) == ("one\ntwo (palaver priority=urgent)", "normal")


def test_a_message_and_its_lines_are_not_longer_than_a_record() -> None:
    lines = "y" * 1000 + "\n"

    parsed = read(f"{HEAD}x\n" + lines * 1100)

    assert len(only(parsed).body) < LINE_BYTES
    assert {piece.reason for piece in parsed.pieces[1:]} == {"COL007"}


def test_a_bad_line_ends_the_message_before_it() -> None:
    parsed = read(HEAD.encode() + b"one\n\xff\ntwo\n")

    assert kinds(parsed) == ["event", "COL001", "COL007"]


# ---------------------------------------------------------------- trailers


@pytest.mark.parametrize(
    ("fields", "code"),
    [("from=../x", "COL008"), ("to=%5B%22-rf%22%5D", "COL008"), ("from=", "COL008")],
)
def test_a_trailer_cannot_bring_in_a_name_that_a_line_cannot(fields: str, code: str) -> None:
    assert kinds(read(f"{HEAD}x (palaver {fields})\n")) == [code]


@pytest.mark.parametrize(
    "fields", ["act=conquer", "priority=highest", "to=7", "files=%5B1%5D", "meta=%5B%5D"]
)
def test_a_field_that_cannot_be_is_left_out_and_named(fields: str) -> None:
    parsed = read(f"{HEAD}x (palaver {fields})\n")

    message = only(parsed)
    assert (message.act, message.priority, message.to, message.body) == ("inform", "normal", ["clawdy"], "x")
    assert codes(parsed) == ["COL026"]


def test_a_trailer_that_is_none_of_ours_is_text() -> None:
    for text in ("x (palaver colour=red)", "x (palaver meta=%7B)", "x (palaver re=%ff)"):
        assert only(read(f"{HEAD}{text}\n")).body == text


# ---------------------------------------------------------------- the inbox


def test_a_file_of_the_inbox_is_one_message_however_many_lines_it_has() -> None:
    parsed = read(b"[TASK:x] one\n\n2026-02-22 03:15:44 A -> B: two\r\nthree\n\n", INBOX)

    message = only(parsed)
    assert message.body == "one\n\n2026-02-22 03:15:44 A -> B: two\nthree"
    assert (message.sender, message.to, message.at) == ("jim", ["clawdy"], "2026-02-22T03:15:44.123Z")
    assert codes(parsed) == []


def test_a_file_of_the_inbox_waits_until_it_is_whole() -> None:
    assert kinds(read(b"[TASK:x] one\n", INBOX, whole=False)) == ["pending"]
    assert read(b"", INBOX, whole=False) == Parsed((), ())


def test_a_mount_can_say_who_drops_files() -> None:
    assert only(read(b"x\n", INBOX, settings={**NAMED, "inbox-from": "cron"})).sender == "cron"


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        (INBOX, b"\n", "COL011"),
        (INBOX, b"x" * (LINE_BYTES + 1), "COL004"),
        (INBOX, b"\xff\n", "COL001"),
        (INBOX, "hello".encode("utf-16"), "COL001"),
        ("inbox/x.json", b"text\n", "COL013"),
        ("inbox/.msg.a8Xk2p", b"half of a te", "COL013"),
    ],
)
def test_a_file_of_the_inbox_that_says_nothing_is_kept(path: str, content: bytes, code: str) -> None:
    parsed = read(content, path)

    assert kinds(parsed) == [code]
    assert codes(parsed) == [code]


def test_a_file_of_no_bytes_is_a_finding() -> None:
    parsed = read(b"", INBOX)

    assert parsed.pieces == ()
    assert codes(parsed) == ["COL011"]


@pytest.mark.parametrize(
    "name", ["message.txt", "-rf", "msg_" + "9" * 247 + ".txt", "a\n\x1b[2J\udcff.txt", "msg_1N.txt"]
)
def test_a_file_of_another_name_is_read_too(name: str) -> None:
    parsed = read(b"[TASK:x] y\n", f"inbox/{name}")

    assert only(parsed).task == "x"
    assert codes(parsed) == []
