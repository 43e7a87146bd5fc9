"""palaver lint: findings with their place and the way out, and nothing that could fool the reader of them."""

import os
import re
from pathlib import Path

import pytest

from palaver.dialects import DIALECTS
from tests.cli.conftest import Inside
from tests.cli.golden import BAD, GOOD, HOMES, cases
from tests.cli.hostile import TEXTS
from tests.cli.spoken import Shell, obey_modes
from tests.cli.test_terminal import at_terminal

LINE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]+): (?P<code>[A-Z]{3}[0-9]{3}) (?P<message>.+); (?P<fix>.+)")


def put(folder: Path, name: str, content: bytes) -> str:
    """Write a file below a folder; return its path from there."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_good_file_is_good(nowhere: Shell, dialect: str) -> None:
    path = put(nowhere.folder, HOMES[dialect], GOOD[dialect])

    answer = nowhere.run("lint", path)

    assert (answer.code, answer.out, answer.err) == (0, "Good: 1 file\n", "")
    assert nowhere.run("lint", path, "--json").value == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_finding_names_file_line_code_and_the_way_out(nowhere: Shell, dialect: str) -> None:
    bad, code = BAD[dialect]
    path = put(nowhere.folder, HOMES[dialect], GOOD[dialect] + bad)

    answer = nowhere.run("lint", path)

    assert answer.code == 1
    found = [LINE.fullmatch(line) for line in answer.lines]
    assert found
    assert all(found), answer.out
    at = GOOD[dialect].count(b"\n") + 1
    assert any(m and m["file"] == path and int(m["line"]) >= at and m["code"].startswith(code) for m in found)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_program_gets_the_same_findings_as_fields(nowhere: Shell, dialect: str) -> None:
    path = put(nowhere.folder, HOMES[dialect], GOOD[dialect] + BAD[dialect][0])

    answer = nowhere.run("lint", path, "--json")

    assert answer.code == 1
    assert [
        f"{row['path']}:{row['line']}: {row['code']} {row['message']}; {row['fix']}" for row in answer.rows
    ] == nowhere.run("lint", path).lines
    assert {*answer.rows[0]} == {"code", "path", "line", "offset", "message", "fix"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_is_known_by_content_where_the_name_says_nothing(nowhere: Shell, dialect: str) -> None:
    path = put(nowhere.folder, "some.file", GOOD[dialect])

    answer = nowhere.run("lint", path)

    assert (answer.code, answer.out) == (0, "Good: 1 file\n")


def test_every_golden_file_is_known_by_its_name_and_judged(inside: Inside, tmp_path: Path) -> None:
    for dialect in DIALECTS:
        for case in cases(dialect):
            path = put(tmp_path, f"{dialect}/{case.name}/{case.path}", case.content)
            file = str(tmp_path / path)

            answer = inside("lint", file, "--json")

            assert answer.code == (1 if answer.rows else 0), file
            assert {str(row["code"])[:3] for row in answer.rows} <= {dialect[:3].upper()}, file
            assert answer.out == inside("lint", file, "--dialect", dialect, "--json").out, file


def test_what_no_dialect_knows_is_refused_with_the_option_that_helps(nowhere: Shell) -> None:
    put(nowhere.folder, "notes.txt", b"Buy milk.\n")

    answer = nowhere.run("lint", "notes.txt")

    assert (answer.code, answer.out) == (2, "")
    assert "cannot tell the dialect of notes.txt" in answer.err
    assert "use --dialect D" in answer.err
    assert nowhere.run("lint", "notes.txt", "--dialect", "office").code == 1


def test_what_could_be_two_dialects_is_refused_with_both_names(nowhere: Shell) -> None:
    both = b'{"from":"a","type":"task","reasoning":"r","content":"c","subject":"s","body":"b"}\n'
    put(nowhere.folder, "both.jsonl", both)

    answer = nowhere.run("lint", "both.jsonl")

    assert (answer.code, answer.out) == (2, "")
    assert "it could be vermas or swarm" in answer.err


@pytest.mark.parametrize("name", ["", "Office", "irc", "../office"])
def test_a_dialect_that_is_none_is_refused_with_the_five(nowhere: Shell, name: str) -> None:
    put(nowhere.folder, "chat.log", GOOD["collab"])

    answer = nowhere.run("lint", "chat.log", f"--dialect={name}")

    assert answer.code in (2, 3)
    assert answer.out == ""


def test_a_folder_stands_for_the_files_that_a_dialect_knows(nowhere: Shell) -> None:
    for dialect in DIALECTS:
        put(nowhere.folder, f"team/{HOMES[dialect]}", GOOD[dialect] + BAD[dialect][0])
    put(nowhere.folder, "team/README.md", b"# Team\n")
    put(nowhere.folder, "team/.git/channel.jsonl", b"{\n")
    put(nowhere.folder, "team/.palaver/chat.log", b"?\n")

    answer = nowhere.run("lint", "team")

    assert answer.code == 1
    assert {line.partition(":")[0] for line in answer.lines} == {f"team/{home}" for home in HOMES.values()}


def test_the_same_file_named_twice_is_judged_once(nowhere: Shell) -> None:
    path = put(nowhere.folder, "team/chat.log", GOOD["collab"])

    assert nowhere.run("lint", path, path, "team").out == "Good: 1 file\n"


def test_a_folder_with_nothing_to_judge_is_good(nowhere: Shell) -> None:
    (nowhere.folder / "none").mkdir()

    answer = nowhere.run("lint", "none")

    assert (answer.code, answer.out) == (0, "Good: 0 files\n")


def test_in_a_folder_a_stranger_may_be_as_large_or_unreadable_as_it_likes(nowhere: Shell) -> None:
    put(nowhere.folder, "team/chat.log", GOOD["collab"])
    with (nowhere.folder / "team" / "film.mkv").open("wb") as file:
        file.truncate(1 << 40)
    (nowhere.folder / put(nowhere.folder, "team/secret.txt", b"x")).chmod(0)
    os.mkfifo(nowhere.folder / "team" / "channel.jsonl")
    (nowhere.folder / "team" / "MESSAGE-BUS.md").symlink_to("nothing")

    answer = nowhere.run("lint", "team", before=obey_modes)

    assert (answer.code, answer.out) == (0, "Good: 1 file\n")


def test_in_a_folder_a_file_that_is_known_by_name_and_unreadable_is_not_passed_over(nowhere: Shell) -> None:
    (nowhere.folder / put(nowhere.folder, "team/chat.log", GOOD["collab"])).chmod(0)

    answer = nowhere.run("lint", "team", before=obey_modes)

    assert (answer.code, answer.out) == (3, "")
    assert "cannot read team/chat.log: Permission denied" in answer.err


def test_two_files_of_one_dialect_are_judged_together(nowhere: Shell) -> None:
    handoff = (
        b'{"id":"msg-1","from":"project-a/workers/slot0","to":"project-a/workers/slot0","type":"HANDOFF",'
        + '"subject":"🤝 HANDOFF: go on","body":"b","timestamp":"2026-01-01T00:00:00Z"}\n'.encode()
    )
    put(nowhere.folder, ".work/messages.jsonl", handoff)
    assigned = put(nowhere.folder, ".work/.assignment-project-a-workers-slot0", b"mail:msg-1\n")

    together = nowhere.run("lint", ".work")

    assert "VER104" not in together.out
    (nowhere.folder / assigned).write_bytes(b"mail:msg-2\n")
    assert "VER104" in nowhere.run("lint", ".work").out


@pytest.mark.parametrize("name", ["absent.log", "chat.log/x", "x" * 300, "loop", "pipe", "/dev/zero"])
def test_what_is_no_file_is_refused_and_nothing_hangs(nowhere: Shell, name: str) -> None:
    put(nowhere.folder, "chat.log", GOOD["collab"])
    (nowhere.folder / "loop").symlink_to("loop")
    os.mkfifo(nowhere.folder / "pipe")

    for words in (["lint"], ["lint", "--dialect", "collab"], ["convert", "--to", "swarm"]):
        answer = nowhere.run(*words, name)

        assert (answer.code, answer.out) == (3, ""), answer
        assert "cannot read" in answer.err


def test_a_file_that_is_too_large_is_refused_before_it_fills_the_memory(nowhere: Shell) -> None:
    with (nowhere.folder / "chat.log").open("wb") as file:
        file.truncate(1 << 40)

    answer = nowhere.run("lint", "chat.log")

    assert (answer.code, answer.out) == (2, "")
    assert "it is larger than 256 MB" in answer.err


def test_no_argument_is_refused(nowhere: Shell) -> None:
    assert nowhere.run("lint").code == 2


def test_no_file_name_and_no_content_does_more_than_print(inside: Inside, tmp_path: Path) -> None:
    for place, text in enumerate(TEXTS.values()):
        name = text.replace("/", "_").replace("\x00", "")[:40]
        folder = tmp_path / str(place) / (name.strip(".") or "x")
        for dialect in DIALECTS:
            content = GOOD[dialect] + text.encode("utf-8", "surrogatepass") + b"\n" + GOOD[dialect]
            put(folder, HOMES[dialect], content.replace(b"8080", text.encode("utf-8", "surrogatepass")))

        # The fixture looks at every answer: no traceback, and nothing that does more than print.
        assert inside("lint", str(folder)).code in (0, 1), name
        assert inside("lint", str(folder), "--json").code in (0, 1), name


def test_a_file_name_need_not_be_text(nowhere: Shell) -> None:
    put(nowhere.folder, os.fsdecode(b"team/\xff\x1b[2J.log"), GOOD["collab"] + BAD["collab"][0])

    shown = nowhere.run("lint", "team")
    plain = nowhere.run("lint", "team", "--json")

    assert shown.code == plain.code == 1
    assert shown.out.startswith("team/\\udcff\\x1b[2J.log:2: COL006 ")
    assert plain.rows[0]["code"] == "COL006"


def test_a_terminal_gets_no_escape_sequence(nowhere: Shell) -> None:
    put(nowhere.folder, "chat.log", b"2026-02-22 03:15:44 \x1b[2J\x9bJIM -> \x1b]0;x\x07: hi\n")

    code, shown = at_terminal(nowhere, "lint", "chat.log")

    assert code == 1
    assert "chat.log:1: COL" in shown
