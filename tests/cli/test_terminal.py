"""At a terminal: the person speaks, and a first send just works."""

import os
import pty
import re
import select
import subprocess
import termios
from pathlib import Path
from typing import Final

import pytest

from tests.cli.launching import telling_launcher
from tests.cli.spoken import PALAVER, PALAVER_PY, TRICKS, Shell
from tests.patience import PATIENCE
from tests.sync.living import up

# What takes long, on this machine and at this hour, has a bar: drawn over itself, and wiped in the end.
BAR: Final = re.compile(r"(\r[a-z ]+█* *\d+%)+\r +\r")


def at_terminal(
    shell: Shell,
    *words: str,
    streams: str = "012",
    answers: str = "",
    columns: int = 0,
    program: Path | str = PALAVER,
) -> tuple[int, str]:
    """Run a command with these of its streams at a terminal, the others closed off; return code and text.

    Somebody types the answers.
    """
    ours, theirs = pty.openpty()
    if columns:
        termios.tcsetwinsize(theirs, (25, columns))
    try:
        ends = [theirs if stream in streams else subprocess.DEVNULL for stream in "012"]
        process = subprocess.Popen(
            [program, *words],
            cwd=shell.folder,
            env=dict(shell.env),
            stdin=ends[0],
            stdout=ends[1],
            stderr=ends[2],
            start_new_session=True,
        )
        os.close(theirs)
        os.write(ours, answers.encode())
        shown = b""
        # Not select(): it takes no descriptor above 1,023.
        readable = select.poll()
        readable.register(ours, select.POLLIN)
        while readable.poll(PATIENCE * 1_000):
            try:
                piece = os.read(ours, 65_536)
            except OSError:
                break  # the other end is closed: that is how a terminal says so
            if not piece:
                break
            shown += piece
        code = process.wait(PATIENCE)
    finally:
        os.close(ours)
    text = "\n".join(_drawn_over(line) for line in shown.decode().replace("\r\n", "\n").split("\n"))
    assert "Traceback" not in text
    assert not TRICKS.search(BAR.sub("", text))
    return code, text


def _drawn_over(line: str) -> str:
    """Return what stands in a line in the end: a bar, which only a slow machine draws, is drawn over."""
    stands = ""
    for piece in line.split("\r"):
        stands = piece + stands[len(piece) :]
    return stands.rstrip() if "\r" in line else line


def test_a_first_send_just_works(nowhere: Shell) -> None:
    nowhere.run("init", "--person", "ada")
    nowhere.run("agents", "add", "bob")

    code, shown = at_terminal(nowhere, "send", "bob", "-m", "Hello")

    assert code == 0
    assert re.fullmatch(r"Sent: msg-\w{12}\n", shown)
    [message] = nowhere.run("read", "--as", "bob", "--json").rows
    assert message["from"] == "ada"


@pytest.mark.parametrize("streams", ["0", "1", "2"])
def test_one_stream_at_a_terminal_is_enough(bus: Shell, streams: str) -> None:
    code, _ = at_terminal(bus, "inbox", streams=streams)

    assert code == 0


def test_a_name_in_the_environment_wins_over_the_terminal(bob: Shell, ada: Shell) -> None:
    at_terminal(bob, "send", "carol", "-m", "Hello")

    [event] = ada.run("events", "--type", "mail.sent", "--json").rows
    assert event["actor"] == "bob"


def test_a_config_that_names_nobody_leaves_the_question_open(bus: Shell) -> None:
    config = bus.folder / ".palaver/config.toml"
    config.write_text(config.read_text().replace('person = "ada"', ""))

    code, shown = at_terminal(bus, "inbox")

    assert code == 2
    assert "no agent is named, and the config names no person" in shown


def test_nothing_to_say_at_a_terminal_is_told_at_once(bus: Shell) -> None:
    code, shown = at_terminal(bus, "send", "bob")

    assert code == 2
    assert "no body was given; pass it with -m TEXT, or -m - and standard input" in shown


def test_hostile_mail_does_nothing_to_a_terminal(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "-", stdin="\x1b[2J\x1b]0;owned\x07\r\u202e\x9b31m".encode())

    code, shown = at_terminal(ada, "read", "--as", "bob")

    assert code == 0
    assert r"\x1b[2J\x1b]0;owned\x07\x0d\u202e\x9b31m" in shown


def test_a_bar_is_no_trick_and_nothing_else_is_a_bar() -> None:
    bar = "\rtaking in ███ 12%\rtaking in ██████  50%\r                    \r"

    assert BAR.sub("", f"{bar}Mounted: team\n") == "Mounted: team\n"
    assert BAR.sub("", "\rMounted: team\n") == "\rMounted: team\n"
    assert BAR.sub("", bar[:-1]) == bar[:-1]


def test_a_terminal_is_the_same_to_the_daemon(bus: Shell, tmp_path: Path) -> None:
    launcher = telling_launcher(tmp_path / "programs")
    for title in ("A title that is much too long for a narrow board of tasks", "Short"):
        bus.run("task", "open", title, "--as", "ada")
    cases = [("board", "012", 40), ("board", "012", 200), ("board", "1", 60), ("board", "02", 60)]
    cases += [("inbox", "012", 80), ("inbox", "2", 0), ("send bob", "012", 0), ("send bob", "12", 0)]

    with up(bus.folder):
        for line, streams, columns in cases:
            warm, cold = (
                at_terminal(bus, *line.split(), streams=streams, columns=columns, program=program)
                for program in (launcher, PALAVER_PY)
            )

            assert warm == cold, (line, streams, columns)


def test_what_is_typed_is_the_message_up_to_ctrl_d(bus: Shell) -> None:
    with up(bus.folder):
        code, _ = at_terminal(bus, "send", "bob", "-m", "-", answers="Typed.\n\x04")

    assert code == 0
    [message] = bus.run("read", "--as", "bob", "--json").rows
    assert message["body"] == "Typed."
