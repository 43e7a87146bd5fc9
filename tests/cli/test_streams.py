"""Standard input, output and error, whatever stands at their other end; and signals."""

import contextlib
import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Final

import pytest

from tests.cli.spoken import PALAVER, Answer, Shell, polite, until
from tests.patience import PATIENCE

# Run a command and say how much memory it took at most: a process that is small itself does the counting.
MEASURED: Final = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=sys.stdin)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


def ended(process: "subprocess.Popen[bytes]") -> Answer:
    out, err = process.communicate(timeout=PATIENCE)
    return polite(Answer(code=process.returncode, out=out.decode(), err=err.decode()), codes=frozenset(EXITS))


EXITS: Final = [0, 1, 2, 130, -signal.SIGTERM, -signal.SIGINT]


def unread(fd: int) -> int:
    """Return how many bytes of a pipe nobody has read yet."""
    return int(struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0])


def sent(shell: Shell) -> list[str]:
    return [str(event["event_id"]) for event in shell.run("events", "--type", "mail.sent", "--json").rows]


# --- standard input ---


def test_an_empty_standard_input_is_an_empty_body(ada: Shell) -> None:
    answer = ada.run("send", "bob", "-m", "-")

    assert answer.code == 2
    assert "[empty-body]" in answer.err


def test_a_closed_standard_input_is_an_empty_body(ada: Shell) -> None:
    answer = ada.sh('"$P" send bob -m - <&-')

    assert answer.code == 2
    assert "[empty-body]" in answer.err


def test_a_standard_input_that_cannot_be_read_is_refused(ada: Shell) -> None:
    answer = ada.sh('"$P" send bob -m - 0> written')

    assert answer.code == 2
    assert "cannot read standard input: Bad file descriptor; pass the body with -m TEXT" in answer.err


@pytest.mark.parametrize("bad", [b"\xff", b"ok \xed\xa0\x80", b"\xc3", b"\xff\xfeh\x00i\x00"])
def test_standard_input_that_is_not_utf8_is_refused(ada: Shell, bad: bytes) -> None:
    answer = ada.run("send", "bob", "-m", "-", stdin=bad)

    assert answer.code == 2
    assert "it is not UTF-8; name the file with --file [bad-text]" in answer.err


def test_one_byte_too_many_is_refused(ada: Shell) -> None:
    answer = ada.run("send", "bob", "-m", "-", stdin=b"x" * (1 << 20))

    assert answer.code == 2
    assert "[too-large]" in answer.err


def test_an_endless_standard_input_is_refused_in_bounded_memory(ada: Shell) -> None:
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, PALAVER, "send", "bob", "-m", "-"],
            cwd=ada.folder,
            env=dict(ada.env),
            stdin=endless,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )

    assert done.returncode == 2
    assert b"it is longer than 1048576 bytes; name the file with --file [too-large]" in done.stderr
    assert int(done.stdout) < 64 << 10, "kilobytes"


# --- standard output and error ---


def test_a_reader_that_goes_away_is_no_error(ada: Shell) -> None:
    for _ in range(3):
        ada.run("send", "bob", "-m", "x" * 100_000)

    answer = ada.sh('"$P" events --json | head -c 10; echo " ${PIPESTATUS[0]}"')

    assert answer.out.endswith(" 0\n")
    assert answer.err == ""


def test_a_reader_that_was_never_there_is_no_error(ada: Shell) -> None:
    answer = ada.sh('"$P" events --json | true; echo "${PIPESTATUS[0]}"')

    assert (answer.out, answer.err) == ("0\n", "")


def test_what_was_found_counts_even_if_the_reader_goes_away(ada: Shell) -> None:
    log = next((ada.folder / ".palaver/log").iterdir())
    log.write_bytes(log.read_bytes().replace(b"carol", b"karol"))

    answer = ada.sh('"$P" verify | true; echo "${PIPESTATUS[0]}"')

    assert (answer.out, answer.err) == ("1\n", "")


@pytest.mark.parametrize(
    "command",
    [
        "inbox --as bob",
        "inbox --as bob --json",
        "tail -n 2 --json",
        "send bob -m x",
        "send bob -m x --json",
        "frob --json",
    ],
)
def test_an_answer_that_cannot_be_written_is_exit_1_and_said(ada: Shell, command: str) -> None:
    answer = ada.sh(f'"$P" {command} > /dev/full')

    assert answer.code == 1
    assert answer.err.startswith("palaver: cannot write the answer: No space left on device; ")
    assert answer.err.count("\n") == 1


def test_a_long_answer_that_cannot_be_written_is_exit_1_and_said_once(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "x" * 100_000)

    for form in ("", "--json"):
        answer = ada.sh(f'"$P" read --as bob {form} > /dev/full')
        assert answer.code == 1
        assert "cannot write the answer" in answer.err
        assert "; nothing was marked as read [storage]" in answer.err


@pytest.mark.parametrize("form", ["", "--json"])
@pytest.mark.parametrize("reader", ["| head -c 10", "| true", "> /dev/full", ">&-"])
def test_a_message_that_was_not_shown_as_a_whole_stays_unread(ada: Shell, reader: str, form: str) -> None:
    sent = ada.run("send", "bob", "-m", "hello").message_id

    answer = ada.sh(f'"$P" read --as bob {form} {reader}')

    if "|" in reader:
        assert "the message stays unread: its reader went away before the end" in answer.err
    assert [each["id"] for each in ada.run("read", "--as", "bob", "--json").rows] == [sent]


@pytest.mark.parametrize("reader", ["", "| cat", "> /dev/null", "> shown", "| (sleep 2; cat)"])
def test_a_message_that_was_shown_is_read(ada: Shell, reader: str) -> None:
    ada.run("send", "bob", "-m", "hello")

    ada.sh(f'"$P" read --as bob {reader}')

    assert ada.run("read", "--as", "bob").code == 3


def test_a_complaint_that_cannot_be_written_keeps_its_exit_code(ada: Shell) -> None:
    assert ada.sh('"$P" frob 2> /dev/full').code == 2
    assert ada.sh('"$P" read msg-none 2> /dev/full').code == 3
    assert ada.sh('"$P" send zoe -m x 2> /dev/full').code == 3


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-", "<&- 2>&-"])
def test_closed_streams_do_not_touch_the_bus(ada: Shell, closed: str) -> None:
    answer = ada.sh(f'"$P" send bob -m hello {closed}; echo "$?"')

    assert answer.lines[-1] == "0"
    assert ada.run("verify").code == 0
    assert len(sent(ada)) == 1


def test_a_refusal_with_a_closed_error_stream_stays_off_the_answer(ada: Shell) -> None:
    answer = ada.sh('"$P" frob 2>&-')

    assert (answer.code, answer.out) == (2, "")


# --- signals ---


def test_an_interrupt_while_reading_the_body_is_130_and_nothing_is_sent(ada: Shell) -> None:
    process = ada.start("send", "bob", "-m", "-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"half a bo")
    process.stdin.flush()
    pipe = process.stdin.fileno()
    until(lambda: not unread(pipe), process)

    process.send_signal(signal.SIGINT)

    answer = ended(process)
    assert (answer.code, answer.out, answer.err) == (130, "", "")
    assert sent(ada) == []


def is_waiting(pid: int) -> bool:
    """Tell whether a process wants to be woken."""
    with contextlib.suppress(FileNotFoundError):
        return any("inotify" in str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir())
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_printed_before_a_signal_stands(ada: Shell, number: signal.Signals) -> None:
    process = ada.start("send", "bob", "-m", "hi", "--wait", "read", "--timeout", "25")
    assert process.stdout is not None
    said = process.stdout.readline()

    process.send_signal(number)

    answer = ended(process)
    assert said.startswith(b"Sent: msg-")
    assert answer.code == (130 if number == signal.SIGINT else -signal.SIGTERM)
    assert (answer.out, answer.err) == ("", "")
    assert len(sent(ada)) == 1


def test_an_interrupted_program_still_learns_what_was_sent(ada: Shell) -> None:
    process = ada.start("send", "bob", "-m", "hi", "--wait", "read", "--timeout", "25", "--json")
    until(lambda: is_waiting(process.pid), process)

    process.send_signal(signal.SIGINT)

    answer = ended(process)
    assert answer.code == 130
    assert [json.loads(answer.out)["event_id"]] == sent(ada)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_wait(ada: Shell, number: signal.Signals) -> None:
    process = ada.start("wait", "--as", "bob", "--timeout", "25")
    until(lambda: any((ada.folder / ".palaver/bell").iterdir()), process)

    process.send_signal(number)

    answer = ended(process)
    assert answer.code == (130 if number == signal.SIGINT else -signal.SIGTERM)
    assert (answer.out, answer.err) == ("", "")


def test_an_interrupt_ends_a_tail(ada: Shell) -> None:
    process = ada.start("tail", "-f")
    assert process.stdout is not None
    assert process.stdout.readline()

    process.send_signal(signal.SIGINT)

    answer = ended(process)
    assert (answer.code, answer.err) == (130, "")


def test_an_interrupt_while_the_log_is_locked_leaves_nothing(ada: Shell) -> None:
    with (ada.folder / ".palaver/log.lock").open("rb+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = ada.start("send", "bob", "-m", "hi")
        lock = os.fstat(held.fileno())
        until(lambda: has_open(process.pid, lock), process)

        process.send_signal(signal.SIGINT)

        answer = ended(process)
    assert (answer.code, answer.out, answer.err) == (130, "", "")
    assert sent(ada) == []


def has_open(pid: int, wanted: os.stat_result) -> bool:
    """Tell whether a process has a file open."""
    for path in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
            return True
    return False
