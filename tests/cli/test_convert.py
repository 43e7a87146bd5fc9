"""palaver convert: a whole file said in another dialect, and nothing of it lost on the way there and back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.dialects import DIALECTS, specs
from palaver.dialects.shared.translation import missing_fields
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Mount, Record, Source
from tests.cli.conftest import Inside
from tests.cli.golden import BAD, GOOD, HOMES, Case, cases
from tests.cli.hostile import TEXTS
from tests.cli.spoken import Shell
from tests.cli.test_lint import put
from tests.cli.test_terminal import at_terminal

KNOWN = specs()
PAIRS = [(first, second) for first in DIALECTS for second in DIALECTS]


def messages(dialect: str, path: str, content: bytes, settings: dict[str, str]) -> list[Message]:
    mount = Mount(dialect=dialect, settings=settings)
    return list(KNOWN[dialect].parse(Source(path=path, content=content, mount=mount)).messages)


def is_all_messages(dialect: str, case: Case) -> bool:
    """Tell whether a file holds nothing that is quarantined, and no records."""
    mount = Mount(dialect=dialect, settings=case.settings)
    pieces = KNOWN[dialect].parse(Source(path=case.path, content=case.content, mount=mount)).pieces
    values = [value for piece in pieces for value in piece.values]
    has_records = any(isinstance(value, Record) for value in values)
    return not has_records and all(piece.kind is not Kind.QUARANTINED for piece in pieces)


def options(case: Case) -> Iterator[str]:
    for name, value in case.settings.items():
        yield f"--set={name}={value}"


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_every_golden_file_says_the_same_there_and_back(
    inside: Inside, tmp_path: Path, first: str, second: str
) -> None:
    for case in cases(first):
        wanted = messages(first, case.path, case.content, case.settings)
        here = tmp_path / put(tmp_path, f"{case.name}/here/{case.path}", case.content)

        said = inside("convert", "--to", second, *options(case), str(here))
        there = tmp_path / put(tmp_path, f"{case.name}/there/{HOMES[second]}", said.out.encode())
        again = inside("convert", "--to", first, *options(case), str(there))

        assert (said.code, again.code) == (0 if is_all_messages(first, case) else 1, 0)
        found = messages(second, HOMES[second], said.out.encode(), case.settings)
        back = messages(first, HOMES[first], again.out.encode(), case.settings)
        assert [missing_fields(*pair) for pair in zip(wanted, found, strict=True)] == [{}] * len(wanted), (
            case.name
        )
        # Who speaks to whom is what a reader of the line sees, never what is written beside it.
        lost = [missing_fields(*pair).keys() - {"from", "to"} for pair in zip(wanted, back, strict=True)]
        assert lost == [set()] * len(wanted), case.name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_was_found_is_said_on_standard_error_and_the_rest_is_converted(
    nowhere: Shell, dialect: str
) -> None:
    bad, code = BAD[dialect]
    path = put(nowhere.folder, HOMES[dialect], GOOD[dialect] + bad)

    answer = nowhere.run("convert", "--to", "swarm", path)

    assert answer.code == 1
    assert len(answer.lines) == 1
    assert answer.lines[0].startswith('{"ts":"2026-')
    assert answer.err.startswith(f"{path}:")
    assert f": {code}" in answer.err


def test_converting_is_repeatable(nowhere: Shell) -> None:
    path = put(nowhere.folder, "chat.log", GOOD["collab"] * 3)

    assert nowhere.run("convert", "--to", "vermas", path) == nowhere.run("convert", "--to", "vermas", path)


def test_who_is_a_and_b_can_be_set(nowhere: Shell) -> None:
    path = put(nowhere.folder, "chat.log", b"2026-02-22 03:15:44 A -> B: hello there\n")

    answer = nowhere.run("convert", "--to", "swarm", "--set", "a=jim", "--set", "b=clawdy", path)

    assert '"from":"jim","to":["@clawdy"]' in answer.out


def test_the_dialect_of_the_file_can_be_said(nowhere: Shell) -> None:
    path = put(nowhere.folder, "notes.txt", b"\n" + GOOD["office"])

    assert "use --from D" in nowhere.run("convert", "--to", "swarm", put(nowhere.folder, "x", b"?")).err
    assert nowhere.run("convert", "--to", "swarm", "--from", "office", path).code == 0


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["chat.log"],
        ["--to", "swarm"],
        ["--to", "", "chat.log"],
        ["--to", "swarm", "chat.log", "chat.log"],
        ["--to", "swarm", "--set", "a", "chat.log"],
        ["--to", "swarm", "--set", "=a", "chat.log"],
    ],
)
def test_what_is_not_a_request_is_refused(nowhere: Shell, words: list[str]) -> None:
    put(nowhere.folder, "chat.log", GOOD["collab"])

    answer = nowhere.run("convert", *words)

    assert (answer.code, answer.out) == (2, "")


@pytest.mark.parametrize("words", [["--to", "irc"], ["--to", "swarm", "--from", "irc"]])
def test_a_dialect_that_is_none_is_refused_with_the_five(nowhere: Shell, words: list[str]) -> None:
    put(nowhere.folder, "chat.log", GOOD["collab"])

    answer = nowhere.run("convert", *words, "chat.log")

    assert (answer.code, answer.out) == (3, "")
    assert "use one of office, vermas, swarm, runbus, collab" in answer.err


def test_a_folder_is_no_file(nowhere: Shell) -> None:
    answer = nowhere.run("convert", "--to", "swarm", ".")

    assert (answer.code, answer.out) == (3, "")


def test_an_empty_file_is_an_empty_file(nowhere: Shell) -> None:
    path = put(nowhere.folder, "chat.log", b"")

    answer = nowhere.run("convert", "--to", "office", path)

    assert (answer.code, answer.out, answer.err) == (0, "", "")


def test_a_reader_that_leaves_and_a_full_disk_are_no_mistake(nowhere: Shell) -> None:
    put(nowhere.folder, "chat.log", GOOD["collab"] * 5_000)

    left = nowhere.sh("set -o pipefail; $P convert --to swarm chat.log | head -1")
    full = nowhere.sh("$P convert --to swarm chat.log > /dev/full")
    deaf = nowhere.sh("echo '?' >> chat.log; $P convert --to swarm chat.log 2> /dev/full | wc -l")

    assert len(left.lines) == 1
    assert left.err == ""
    assert full.code == 1
    assert "No space left" in full.err
    assert deaf.out.strip() == "5000"


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_every_hostile_text_comes_through(nowhere: Shell, first: str, second: str) -> None:
    wanted = [
        Message(sender="ada", to=["bob"], body=text, at="2026-01-25T23:45:00Z", id=f"msg-{place}")
        for place, text in enumerate(TEXTS.values())
    ]
    mount = Mount(dialect=first)
    said = b"".join(KNOWN[first].render(message, mount, HOMES[first]) for message in wanted)
    path = put(nowhere.folder, HOMES[first], said)

    answer = nowhere.sh(f"$P convert --to {second} {path} > said")

    assert answer.code == 0
    found = messages(second, HOMES[second], (nowhere.folder / "said").read_bytes(), {})
    assert [missing_fields(*pair) for pair in zip(wanted, found, strict=True)] == [{}] * len(wanted)


def test_a_terminal_gets_no_escape_sequence(nowhere: Shell) -> None:
    text = "hello \\u001b[2J\\u009b there"
    path = put(nowhere.folder, "channel.jsonl", GOOD["swarm"].replace(b'"c"', f'"{text}"'.encode()))

    code, shown = at_terminal(nowhere, "convert", "--to", "collab", path)

    assert code == 0
    assert "hello" in shown
