"""The caller of a command: what it hands over, and the pipe and the files through which it is answered.

`command_folder` describes the conversation.
"""

import contextlib
import fcntl
import os
import re
import select
import struct
import termios
import time
from dataclasses import dataclass
from typing import Final

from palaver.files.atomic_replace import put
from palaver.files.regular import open_regular
from palaver.model.limits import COMMAND_INPUT_BYTES

_END_OF_VARIABLES: Final = "--"
_PRIVATE: Final = 0o600
_NUMBER: Final = struct.Struct("i")
_READ_BYTES: Final = 1 << 16
# An output that a shell reads as fast from the pipe, byte by byte: one short line without anything special.
_SHORT_BYTES: Final = 160
_SHORT: Final = re.compile(rb"[!-~](?:[ -~]*[!-~])?\n")


class RunCold(BaseException):
    """The command must run in the process of its caller. No handler of errors handles it."""


class CallerGone(BaseException):
    """The caller has ended: as if interrupted. No handler of errors handles it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRequest:
    """A command that another process hands over."""

    id: str
    folder: str
    environment: dict[str, str]
    # Whether standard input, output and error are terminals.
    terminals: tuple[bool, bool, bool]
    # The path of standard output, if that is a terminal: it knows its width.
    screen: str
    arguments: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command has to say when it ends."""

    code: int
    out: bytes
    err: bytes


class CallerPipe:
    """The pipe to the process that calls a command, and the files of that command."""

    def __init__(self, folder: str, request_id: str) -> None:
        """Make the pipe, which launchers find at once."""
        self._folder = folder
        self._name(request_id)
        path = f"{self._base}.reply"
        # To open it only for writing waits for a reader, if there is none.
        both = make_pipe(path)
        try:
            self._reply = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        finally:
            os.close(both)

    def _name(self, request_id: str) -> None:
        self.id = request_id
        self._base = f"{self._folder}/{request_id}"
        self._continue = -1
        # The files that may be there: a launcher that comes too late for an id makes a request all the same.
        self._made = {"request"}

    def renew(self, request_id: str) -> bool:
        """Give the pipe of a launcher that has ended another id; return False if it cannot be used again."""
        [unread] = _NUMBER.unpack(fcntl.ioctl(self._reply, termios.FIONREAD, bytes(_NUMBER.size)))
        if unread:
            return False
        self._remove_files()
        os.rename(f"{self._base}.busy", f"{self._folder}/{request_id}.reply")
        self._name(request_id)
        return True

    def taken_for(self) -> float | None:
        """Return for how many seconds a launcher has had it, None if none has."""
        try:
            return time.time() - os.stat(f"{self._base}.request").st_mtime
        except FileNotFoundError:
            return None

    def close(self) -> None:
        """End the conversation, and remove its files."""
        os.close(self._reply)
        self._made |= {"reply", "busy"}
        self._remove_files()

    def _remove_files(self) -> None:
        if self._continue >= 0:
            os.close(self._continue)
            self._continue = -1
        for kind in self._made:
            with contextlib.suppress(OSError):
                os.unlink(f"{self._base}.{kind}")

    def receive(self) -> CommandRequest:
        """Return the command; raise ValueError if it is not one."""
        # Its launcher has opened it; no other should try to take the id.
        os.rename(f"{self._base}.reply", f"{self._base}.busy")
        path = f"{self._base}.request"
        *fields, rest = _read(path).split(b"\0")
        if rest:
            raise ValueError("the last field has no end")
        folder, streams, screen, *words = [each.decode("utf-8", "surrogateescape") for each in fields]
        # It may hold a token.
        os.unlink(path)
        end = words.index(_END_OF_VARIABLES)
        is_input, is_output, is_errors = (each == "t" for each in streams)
        return CommandRequest(
            id=self.id,
            folder=folder,
            environment=dict(each.partition("=")[::2] for each in words[:end] if each),
            terminals=(is_input, is_output, is_errors),
            screen=screen,
            arguments=words[end + 1 :],
        )

    def show(self, out: bytes) -> None:
        """Let the caller show a part of the output now; return when it has."""
        self._write_text(out, b"")
        self._wait_for("text\npart\n")

    def read_input(self) -> bytes:
        """Return the standard input of the caller, up to a size that no command accepts."""
        self._made.add("input")
        self._wait_for(f"input {COMMAND_INPUT_BYTES}\n")
        return _read(f"{self._base}.input")

    def refuse(self) -> None:
        """Let the caller start Python."""
        self._say("cold\n")

    @property
    def is_read(self) -> bool:
        """Return True if a process has opened the pipe to read it."""
        poll = select.poll()
        poll.register(self._reply, 0)
        return not poll.poll(0)

    def check(self) -> None:
        """Raise CallerGone if the caller does not wait any more."""
        if not self.is_read:
            raise CallerGone

    def finish(self, result: CommandResult) -> None:
        """Hand the result over."""
        done = f"done {result.code}\n"
        if not result.err and len(result.out) <= _SHORT_BYTES and _SHORT.fullmatch(result.out):
            done = f"line {result.out.decode()}{done}"
        elif result.out or result.err:
            self._write_text(result.out, result.err)
            done = f"text\n{done}"
        self._say(done)

    def _say(self, lines: str) -> None:
        """Write lines, which never fill the pipe."""
        os.write(self._reply, lines.encode())

    def _write_text(self, out: bytes, err: bytes) -> None:
        self._made.add("text")
        fd = open_regular(f"{self._base}.text", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            put(fd, b"_out=%s _err=%s\n" % (_quoted(out), _quoted(err)), is_durable=False)
        finally:
            os.close(fd)

    def _wait_for(self, lines: str) -> None:
        """Tell the caller to do something; return when it has, or raise CallerGone."""
        if self._continue < 0:
            self._made.add("continue")
            self._continue = make_pipe(f"{self._base}.continue")
        self._say(lines)
        poll = select.poll()
        poll.register(self._reply, 0)
        poll.register(self._continue, select.POLLIN)
        if self._continue not in dict(poll.poll()):
            raise CallerGone
        os.read(self._continue, 1)


def make_pipe(path: str) -> int:
    """Make a named pipe of this user, and return a descriptor that waits for nobody."""
    os.mkfifo(path, _PRIVATE)
    return os.open(path, os.O_RDWR | os.O_CLOEXEC)


def _read(path: str) -> bytes:
    """Return what a launcher has written."""
    fd = open_regular(path, os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(fd, _READ_BYTES), b""))
    finally:
        os.close(fd)


def _quoted(content: bytes) -> bytes:
    """Return a word of a shell that means this content."""
    return b"'%s'" % content.replace(b"'", b"'\\''")
