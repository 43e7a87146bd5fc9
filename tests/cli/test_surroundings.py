"""Wherever a command is run: other locales, other users, other limits, other folders than it seems."""

import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.cli.spoken import PALAVER, Shell, obey_modes
from tests.patience import PATIENCE

ROOT: Final = os.geteuid() == 0


# --- words and languages ---


@pytest.mark.parametrize(
    "where", [["send", "bob", "-m", b"\xff"], ["read", b"\xc3"], [b"\xfe"], ["search", b"a\xffb"]]
)
def test_a_command_line_that_is_not_utf8_is_refused(ada: Shell, where: list[str | bytes]) -> None:
    before = ada.log()

    person, program = ada.run(*where), ada.run(*where, "--json")

    assert (person.code, person.out) == (2, "")
    assert "of it is not UTF-8; write it in UTF-8" in person.err
    assert "line: byte 0x" in person.err
    assert person.err.endswith("[bad-text]\n")
    assert program.code == 2
    assert isinstance(program.fields["error"], dict)
    assert ada.log() == before


# Python reads and writes UTF-8 in the first, and ASCII alone in the second.
LOCALES: Final = {
    "the C locale": {"LC_ALL": "C", "LANG": "C"},
    "nothing but ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize("locale", LOCALES)
def test_every_locale_can_send_and_show_everything(ada: Shell, locale: str) -> None:
    shell = ada.with_env(**LOCALES[locale])

    sent = shell.run("send", "bob", "-m", "grüße 🎉")
    shown = shell.run("inbox", "--as", "bob")
    program = shell.run("inbox", "--as", "bob", "--json")

    assert (sent.code, shown.code, program.code) == (0, 0, 0)
    [message] = ada.run("read", "--as", "bob", "--json").rows
    assert message["body"] == "grüße 🎉"
    assert shown.lines[1].endswith(("grüße 🎉", r"gr\xfc\xdfe \U0001f389"))
    messages = program.fields["messages"]
    assert isinstance(messages, list)
    assert messages[0]["body"] == "grüße 🎉"


def test_what_ascii_cannot_show_is_escaped(ada: Shell) -> None:
    shell = ada.with_env(**LOCALES["nothing but ASCII"])
    shell.run("send", "bob", "-m", "🎉")

    for words in (
        ["inbox"],
        ["inbox", "--json"],
        ["inbox", "--help"],
        ["read"],
        ["read", "ü"],
        ["send", "ü"],
    ):
        answer = shell.run(*words, "--as", "bob")
        assert (answer.out + answer.err).isascii(), words


def test_a_path_that_the_locale_cannot_spell_is_refused(ada: Shell) -> None:
    shell = ada.with_env(**LOCALES["nothing but ASCII"])

    answer = shell.run("send", "bob", "-m", "x", "--file", "größe")

    assert answer.code == 2
    assert "set LC_ALL=C.UTF-8" in answer.err


# --- folders ---


def test_without_a_home_everything_works(ada: Shell) -> None:
    for shell in (ada.without_env("HOME"), ada.with_env(HOME="/nonexistent")):
        assert shell.run("send", "bob", "-m", "hello").code == 0
        assert shell.run("inbox", "--as", "bob").code == 0
        assert shell.run("snapshot").code == 0


def test_a_temporary_folder_that_cannot_be_written_is_not_needed(ada: Shell, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    shell = ada.with_env(TMPDIR=str(closed), SQLITE_TMPDIR=str(closed))

    for words in (["send", "bob", "-m", "hello"], ["inbox", "--as", "bob"], ["rebuild"], ["search", "hello"]):
        assert shell.run(*words, before=obey_modes).code == 0, words


def test_a_folder_that_was_deleted_under_us_is_named_as_the_cause(ada: Shell) -> None:
    script = 'mkdir gone; cd gone; rmdir "$PWD"; "$P"'

    lost = ada.sh(f"{script} inbox --as bob")
    named = ada.sh(f"{script} inbox --as bob --root {ada.folder}")
    relative = ada.sh(f"{script} inbox --as bob --root ..")
    begun = ada.sh(f"{script} init")

    assert (lost.code, named.code, relative.code, begun.code) == (1, 0, 1, 1)
    for answer in (lost, relative, begun):
        assert "this folder was deleted; cd somewhere else" in answer.err


def test_no_bus_is_told_with_the_way_to_make_one(nowhere: Shell) -> None:
    here = nowhere.run("inbox", "--as", "bob")
    there = nowhere.run("inbox", "--as", "bob", "--root", ".")
    absent = nowhere.run("inbox", "--as", "bob", "--root", "absent")

    assert (here.code, there.code, absent.code) == (3, 3, 3)
    assert "make one: palaver init [no-bus]" in here.err
    assert "make one: palaver init --root . [no-bus]" in there.err


def test_a_root_that_is_a_file_is_a_mistake(ada: Shell) -> None:
    (ada.folder / "file").write_text("x")

    answer = ada.run("inbox", "--root", "file")

    assert answer.code == 2
    assert "no bus at file: it is not a folder" in answer.err


def test_a_root_that_leads_in_a_circle_is_an_error(ada: Shell) -> None:
    (ada.folder / "loop").symlink_to("loop")

    answer = ada.run("inbox", "--root", "loop")

    assert answer.code == 1
    assert "Too many levels of symbolic links" in answer.err


def test_a_root_behind_a_link_is_the_same_bus(ada: Shell, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ada.folder)
    ada.run("send", "bob", "-m", "hello")

    assert ada.run("inbox", "--as", "bob", "--root", str(tmp_path / "link")).lines[1].endswith("hello")


def test_a_config_that_leads_nowhere_is_named(ada: Shell) -> None:
    config = ada.folder / ".palaver/config.toml"
    config.unlink()
    config.symlink_to("nowhere")

    answer = ada.run("inbox")

    assert answer.code == 2
    assert "config.toml: it is a link to a file that is not there" in answer.err


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_a_config_that_is_no_file_is_refused_and_nothing_hangs(ada: Shell, kind: str) -> None:
    config = ada.folder / ".palaver/config.toml"
    config.unlink()
    if kind == "folder":
        config.mkdir()
    else:
        os.mkfifo(config)

    for words in (["send", "bob", "-m", "x"], ["inbox"], ["lists"]):
        answer = ada.run(*words)
        assert answer.code == 2
        assert "config.toml: it is not a plain file" in answer.err


@pytest.mark.parametrize("part", ["", "/log", "/view", "/bell"])
def test_a_bus_that_cannot_be_written_names_the_place_and_the_cause(ada: Shell, part: str) -> None:
    folder = ada.folder / f".palaver{part}"
    ada.run("send", "bob", "-m", "hello")
    kept = {path: path.stat().st_mode for path in [folder, *folder.iterdir()]}
    for path in kept:
        path.chmod(0o500 if path.is_dir() else 0o400)

    answers = [
        ada.run(*words, before=obey_modes)
        for words in (
            ["send", "bob", "-m", "x"],
            ["inbox", "--as", "bob"],
            ["wait", "--as", "bob", "--timeout", "0.2"],
            ["rebuild"],
        )
    ]

    for path, mode in kept.items():
        path.chmod(mode)
    for answer in answers:
        assert answer.code in (0, 1), answer
        assert answer.code == 0 or "Permission denied" in answer.err or "readonly database" in answer.err
    assert ada.run("send", "bob", "-m", "afterwards").code == 0
    assert ada.run("verify").code == 0


# --- users ---


@pytest.mark.skipif(not ROOT, reason="only root meets another user's bus without being kept out")
@pytest.mark.parametrize(
    "words", ["send bob -m x", "inbox --as bob", "agents", "verify", "lists set crew bob"]
)
def test_root_keeps_off_another_users_bus(ada: Shell, words: str) -> None:
    subprocess.run(["chown", "-R", "12345:12345", str(ada.folder / ".palaver")], check=True)

    refused = ada.run(*words.split())

    assert refused.code == 4
    assert (
        "it belongs to another user (uid 12345); run the command as that user, or with --force" in refused.err
    )


@pytest.mark.skipif(not ROOT, reason="only root can give a folder to another user")
def test_a_bus_that_is_closed_to_us_is_not_permitted(ada: Shell, nowhere: Shell) -> None:
    subprocess.run(["chown", "-R", "12345:12345", str(ada.folder / ".palaver")], check=True)

    answer = nowhere.run("inbox", "--as", "bob", "--root", str(ada.folder), before=obey_modes)

    assert answer.code == 4
    assert "it belongs to somebody else" in answer.err


def test_a_bus_that_everyone_may_write_is_not_used(ada: Shell) -> None:
    (ada.folder / ".palaver").chmod(0o777)

    answer = ada.run("inbox")

    assert answer.code == 4
    assert f"chmod 700 {ada.folder}/.palaver [unsafe-root]" in answer.err


# --- limits ---


def at_most(limit: int, amount: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(limit, (amount, amount))


EVERYTHING: Final = (
    ["send", "bob", "-m", "hello"],
    ["send", "bob", "-m", "hello", "--key", "k"],
    ["inbox", "--as", "bob"],
    ["wait", "--as", "bob"],
    ["read", "--as", "bob"],
    ["search", "hello"],
    ["agents", "add", "dan"],
    ["lists", "set", "crew", "bob"],
    ["tail"],
    ["verify"],
    ["rebuild"],
    ["doctor"],
    ["snapshot"],
)


def test_sixteen_files_are_enough_or_the_shortage_is_named(ada: Shell) -> None:
    for words in EVERYTHING:
        answer = ada.run(*words, before=at_most(resource.RLIMIT_NOFILE, 16))
        assert answer.code == 0 or (answer.code == 1 and answer.err), (words, answer)

    assert ada.run("verify").code == 0


@pytest.mark.parametrize("files", range(6, 10))
def test_with_hardly_a_file_to_open_nothing_is_lost_and_nothing_breaks(ada: Shell, files: int) -> None:
    acknowledged = 0
    for words in EVERYTHING[:6]:
        answer = ada.run(
            *words, before=at_most(resource.RLIMIT_NOFILE, files), codes=frozenset({0, 1, 3, 127})
        )
        acknowledged += answer.out.startswith("Sent: ")

    assert ada.run("verify").code == 0
    assert ada.run("verify", "--json").fields["types"].get("mail.sent", 0) >= acknowledged  # type: ignore[attr-defined]


def test_two_hundred_megabytes_are_enough(ada: Shell) -> None:
    for words in EVERYTHING:
        answer = ada.run(*words, before=at_most(resource.RLIMIT_AS, 200 << 20))
        assert answer.code == 0, (words, answer)


def test_a_body_that_memory_cannot_hold_is_told(ada: Shell) -> None:
    body = b"x" * 1_000_000
    for megabytes in range(24, 44, 4):
        answer = ada.run(
            "send",
            "bob",
            "-m",
            "-",
            stdin=body,
            before=at_most(resource.RLIMIT_AS, megabytes << 20),
            codes=frozenset({0, 1, 127}),
        )
        assert answer.code == 0 or answer.err

    assert ada.run("verify").code == 0


def test_a_file_size_limit_stops_a_send_and_leaves_no_half_of_it(ada: Shell) -> None:
    log = next((ada.folder / ".palaver/log").iterdir())
    size = log.stat().st_size

    answer = ada.run("send", "bob", "-m", "x" * 500, before=at_most(resource.RLIMIT_FSIZE, size + 100))

    assert answer.code == 1
    assert "File too large" in answer.err
    assert log.stat().st_size == size
    assert ada.run("send", "bob", "-m", "afterwards").code == 0
    assert ada.run("verify").code == 0


def test_the_command_needs_nothing_of_the_environment_but_the_record_of_trust(ada: Shell) -> None:
    done = subprocess.run(
        [PALAVER, "send", "bob", "-m", "hello", "--as", "ada"],
        cwd=ada.folder,
        env={"XDG_STATE_HOME": ada.env["XDG_STATE_HOME"]},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_copy_of_a_bus_is_a_bus(ada: Shell, tmp_path: Path) -> None:
    ada.run("send", "bob", "-m", "hello")
    shutil.copytree(ada.folder, tmp_path / "copy")
    copy = ada.at(tmp_path / "copy")
    assert copy.run("trust", "--yes").code == 0

    assert copy.run("send", "bob", "-m", "only here").code == 0
    assert ada.run("inbox", "--as", "bob", "--json").fields["open"] == 1
    assert copy.run("inbox", "--as", "bob", "--json").fields["open"] == 2
