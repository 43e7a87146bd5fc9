"""swarm obeys the laws of a dialect, and its own examples come out as they went in."""

import json
import tracemalloc
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings

from palaver.dialects.shared.translation import FIELDS, missing_fields
from palaver.dialects.swarm.grammar import ALIASES, CODES, HANDLES, OWN
from palaver.dialects.swarm.spec import SPEC
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Mount, Source
from palaver.model.plain import has_hidden
from palaver.model.spec import DialectSpec
from tests.dialects.contract import DialectContract, messages
from tests.dialects.swarm.read import MOUNT, PATH, line, linted, message, read

CASES: Final = Path(__file__).parent / "cases"
NAMES: Final = sorted({path.stem for path in CASES.iterdir()})


class TestSwarm(DialectContract):
    @property
    def dialect(self) -> DialectSpec:
        return SPEC

    @property
    def mount(self) -> Mount:
        return MOUNT

    @property
    def paths(self) -> tuple[str, ...]:
        return (PATH,)

    @property
    def samples(self) -> tuple[bytes, ...]:
        return tuple(
            sample.removesuffix(b"\n")
            for sample in (
                line(),
                line(to=None, type="task", content="Claimed task #2."),
                line(sender="td", type="autonomy", content="AUTONOMY_UPDATE: qa → gated."),
                line(
                    to=["@security-engineer", "QA"], type="status", content="BLOCKED: Task #3", x={"y": [1]}
                ),
                line(ts="2026-01-25 12:00", task="parser", priority="urgent", re="msg-1"),
                line(type="nothing"),
                line()[:40] + line(),
                b"",
                b"{",
            )
        )

    @pytest.mark.parametrize("size", [LINE_BYTES, LINE_BYTES + 1, 2 * LINE_BYTES, 2 * LINE_BYTES + 1])
    def test_a_long_line_in_chunks_is_the_same_as_at_once(self, size: int) -> None:
        content = b"x" * size + b"\n" + line()

        for cut in (1, LINE_BYTES - 1, LINE_BYTES, LINE_BYTES + 1):
            assert self._fed(PATH, content, [cut, cut + 1]) == list(read(content).pieces), cut


def rendered(one: Message, mount: Mount = MOUNT) -> bytes:
    return SPEC.render(one, mount, PATH)


def case(name: str) -> tuple[bytes, dict[str, Any]]:
    expected: dict[str, Any] = json.loads((CASES / f"{name}.json").read_bytes())
    return (CASES / f"{name}.jsonl").read_bytes(), expected


def plain(found: Message, fields: dict[str, Any]) -> dict[str, object]:
    """Return the fields of a message that a case names, and all others that are not as usual."""
    usual = Message(sender="", to=[])
    said = {name: getattr(found, attribute) for name, attribute in (FIELDS | {"at": "at"}).items()}
    attributes = FIELDS | {"at": "at"}
    return {
        name: value
        for name, value in said.items()
        if name in fields or value != getattr(usual, attributes[name])
    }


def test_there_are_cases_and_each_has_both_halves() -> None:
    halves = {(path.stem, path.suffix) for path in CASES.iterdir()}

    assert NAMES
    assert halves == {(name, suffix) for name in NAMES for suffix in (".jsonl", ".json")}


@pytest.mark.parametrize("name", NAMES)
def test_a_case_says_what_it_was_made_from(name: str) -> None:
    _, expected = case(name)

    assert expected["made_from"]


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_read_as_expected(name: str) -> None:
    content, expected = case(name)

    parsed = read(content)

    found = list(parsed.messages)
    assert [plain(*pair) for pair in zip(found, expected["messages"], strict=True)] == expected["messages"]
    assert [piece.reason for piece in parsed.pieces if piece.reason] == expected["quarantined"]
    assert linted(content) == sorted(expected["findings"])


@pytest.mark.parametrize("name", [name for name in NAMES if case(name)[1]["messages"]])
def test_a_case_comes_out_as_expected(name: str) -> None:
    content, expected = case(name)

    again = b"".join(map(rendered, read(content).messages))

    wanted = expected["rendered"]
    assert again == (content if wanted == "same" else "".join(f"{each}\n" for each in wanted).encode())


@pytest.mark.parametrize("name", [name for name in NAMES if case(name)[1].get("rendered") == "same"])
def test_an_example_that_gives_no_time_comes_out_without_one(name: str) -> None:
    content, _ = case(name)
    timeless = b"".join(b'{"from' + each.partition(b'"from')[2] for each in content.splitlines(keepends=True))

    again = b"".join(map(rendered, read(timeless).messages))

    assert again == timeless
    assert {finding.code for finding in read(timeless).findings} == {"SWA021"}


@settings(deadline=None, max_examples=200)
@given(one=messages())
def test_a_rendered_line_is_one_line_that_prints(one: Message) -> None:
    content = rendered(one)

    assert content.endswith(b"\n")
    assert "\t" not in content.decode()[:-1], content
    assert not has_hidden(content.decode()), content


@settings(deadline=None, max_examples=200)
@given(one=messages())
def test_a_rendered_line_has_the_six_fields_first_and_in_order(one: Message) -> None:
    keys = list(json.loads(rendered(one)))

    assert keys[:6] == ["ts", "from", "to", "type", "reasoning", "content"]


@settings(deadline=None, max_examples=200)
@given(one=messages())
def test_a_line_of_ours_is_rendered_again_as_it_is(one: Message) -> None:
    content = rendered(one)

    assert rendered(message(content)) == content


def test_every_code_that_is_found_is_in_the_list() -> None:
    rules = {rule.code for rule in SPEC.rules}

    assert rules.isdisjoint(CODES)
    assert all(CODES.values())


def test_the_page_of_the_dialect_names_every_code_rule_act_and_title() -> None:
    page = (Path(__file__).parents[3] / "docs" / "dialects" / "swarm.md").read_text(encoding="utf-8")

    assert [code for code in CODES if f"| {code} |" not in page] == []
    assert [rule.name for rule in SPEC.rules if f"| {rule.code} | {rule.name} |" not in page] == []
    assert [act for act, kind in OWN.items() if f"| {act} | `{kind}` |" not in page] == []
    assert [title for title in ALIASES if f"`@{title}`" not in page] == []
    assert [handle for handle in HANDLES if f"`@{handle}`" not in page] == []


def test_names_that_the_mount_says_are_unique_are_written_short_and_read_in_full() -> None:
    mount = Mount(dialect="swarm", settings={"short": "project-a/workers/slot0 project-a/qa"})
    one = Message(sender="project-a/workers/slot0", to=["project-a/qa", "td"], body="Hello.", at="")

    content = rendered(one, mount)

    assert content.startswith(b'{"from":"slot0","to":["@qa","@td"],')
    assert missing_fields(one, message(content, mount)) == {}


def test_a_title_that_is_an_agent_of_its_own_elsewhere_keeps_its_name() -> None:
    one = Message(sender="security-engineer", to=["game-master", "gm"], body="Hello.", reasoning="-")

    assert missing_fields(one, message(rendered(one))) == {}


def test_nobody_can_be_made_to_seem_another_by_a_key_beside_the_six() -> None:
    found = message(line(palaver_from="td", palaver_to=["@all"], palaver_reasoning="x"))

    assert (found.sender, found.to, found.reasoning) == ("programmer", ["qa"], "Because.")
    assert set(found.meta) == {"palaver_from", "palaver_to", "palaver_reasoning"}
    assert missing_fields(found, message(rendered(found))) == {}


@pytest.mark.parametrize(
    ("path", "head", "sure"),
    [
        ("channel.jsonl", line(), 3),
        ("teams/t1/channel.jsonl", b"\xef\xbb\xbf\n" + line(), 3),
        ("channel.jsonl", b"", 2),
        ("channel.jsonl", b"not json", 2),
        ("old.jsonl", line(), 2),
        ("old.jsonl", b'{"from":"a","type":"message","content":"x"}\n', 1),
        ("messages.jsonl", b'{"id":"msg-1","from":"a","to":"b","type":"HELP","subject":"s","body":"b"}\n', 0),
        ("chat.log", b"2026-02-22 03:15:44 JIM -> CLAWDY: x\n", 0),
        ("empty", b"", 0),
    ],
)
def test_a_channel_is_recognised_by_its_name_and_its_fields(path: str, head: bytes, sure: int) -> None:
    assert SPEC.recognises(path, head) == sure


def test_every_message_stands_in_the_channel() -> None:
    assert SPEC.files(Message(sender="a", to=["b"]), MOUNT) == ("channel.jsonl",)


def test_a_finding_says_where_the_line_is() -> None:
    content = b"\n" + line() + b"junk\n"

    (finding,) = SPEC.parse(
        Source(path="x/channel.jsonl", content=content, mount=MOUNT, offset=9, line=3)
    ).findings

    assert str(finding).startswith("x/channel.jsonl:5: SWA002 the line is not one JSON object; ")
    assert finding.place.offset == 9 + 1 + len(line())


def test_a_long_file_in_chunks_needs_no_more_memory_than_a_chunk() -> None:
    chunk = b"".join(line(content=f"Line {n} of many, which says little.") for n in range(2_000))
    torn = chunk + chunk[:100]
    peaks = []
    for chunks in (2, 20):
        tracemalloc.start()
        tail, offset, number, seen = b"", 0, 1, 0
        for _ in range(chunks):
            parsed = SPEC.parse(
                Source(path=PATH, content=tail + torn, mount=MOUNT, offset=offset, line=number, whole=False)
            )
            read = sum(piece.length for piece in parsed.pieces if piece.kind is not Kind.PENDING)
            tail, offset = (tail + torn)[read:], offset + read
            number += len(parsed.pieces)
            seen += sum(1 for _ in parsed.messages)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert seen >= chunks * 2_000 - 1

    assert peaks[1] < 1.5 * peaks[0]
