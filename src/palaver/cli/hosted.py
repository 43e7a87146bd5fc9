"""Runs commands in this process for other processes.

The daemon gets `Host.run` and knows no command. A command gets streams that lead to its caller: its output is
collected and sent as one answer, or piece by piece if the command flushes it (`tail -f`).
"""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import RawIOBase, TextIOBase, UnsupportedOperation

from palaver.bus import trust
from palaver.bus.config.config_events import apply
from palaver.bus.session import Session
from palaver.bus.sync_port import SyncPort
from palaver.cli.command_table import program_of
from palaver.cli.context import Caller
from palaver.cli.hot import execute
from palaver.daemon.caller_pipe import CallerPipe, CommandRequest, CommandResult, RunCold
from palaver.daemon.lifecycle import Daemon
from palaver.model.errors import BadConfig
from palaver.model.limits import CATCH_UP_SECONDS

# Where the settings of the user are: a caller with other places has other settings.
_USER_VARIABLES = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
# A path that means another file in every process: /dev/stdin, /dev/fd/63, /proc/self.
_OF_THE_PROCESS = re.compile(r"(?:^|=)/+(?:dev|proc)/")
# An output that is longer is shown in parts of this size.
_PART_BYTES = 1 << 18


class Host:
    """Runs the commands of one bus."""

    def __init__(
        self, session: Session, sync: Callable[[Session], SyncPort], environment: Mapping[str, str]
    ) -> None:
        """Take an open session, what syncs files for a command, and the environment of the daemon."""
        self._session = session
        self._environment = environment
        self._sync = sync

    def end_thread(self) -> None:
        """Close the view of this thread."""
        self._session.view.close()

    def run(self, request: CommandRequest, pipe: CallerPipe) -> CommandResult:
        """Run a command; raise RunCold if it must run in the process of its caller."""
        if not self._is_warm(request):
            raise RunCold
        # Another command may have left some: a thread has one view for all commands.
        self._session.view.notes.clear()
        is_input, is_output, is_errors = request.terminals
        output = _Output(pipe, is_terminal=is_output, screen=request.screen)
        errors = _Errors(pipe, is_terminal=is_errors)

        def open_session(root: str, agent: str) -> Session:
            if root != self._session.root.path:
                raise RunCold
            # It is read here once for all commands.
            self._session.roster_cache()
            session = self._session.for_agent(agent)
            session.fresh_key = request.id
            session.sync = self._sync(session)
            session.check_caller = pipe.check
            return session

        caller = Caller(
            folder=os.path.realpath(request.folder),
            environment=request.environment,
            umask=0o077,
            input=_Input(pipe, is_terminal=is_input),
            output=output,
            errors=errors,
            open_output=output.open_sink,
            open_session=open_session,
            request=request.id,
        )
        with output, errors:
            code = execute(request.arguments, caller)
            return CommandResult(code=code, out=output.rest(), err=errors.rest())

    def _is_warm(self, request: CommandRequest) -> bool:
        """Return True if a command means the same here as in the process of its caller."""
        program, words = program_of(request.arguments)
        return (
            program.is_warm(words)
            # It may give its process the rights of another user.
            and "--force" not in words
            and os.path.isdir(request.folder)
            and not any(_is_of_the_process(request.folder, each) for each in words)
            and not differing_settings(self._environment, request.environment)
        )


def _is_of_the_process(folder: str, word: str) -> bool:
    """Return True if a word of a command may be a path that means another file in every process."""
    if _OF_THE_PROCESS.search(word):
        return True
    named = word.partition("=")[2] if word.startswith("-") else word
    path = f"{folder}/{named}"
    return bool(named) and os.path.lexists(path) and os.path.realpath(path).startswith(("/dev/", "/proc/"))


def differing_settings(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """Return the variables that give a caller other settings than the daemon has."""
    found = [name for name in _USER_VARIABLES if ours.get(name) != theirs.get(name)]
    # Without it, the bus is trusted by a record, which holds for both.
    if ours.get(trust.VARIABLE) not in (None, theirs.get(trust.VARIABLE)):
        found.append(trust.VARIABLE)
    return found


class _Output(TextIOBase):
    """Standard output of the caller."""

    def __init__(self, pipe: CallerPipe, *, is_terminal: bool, screen: str = "") -> None:
        """Take the pipe, whether it is a terminal, and the path of the terminal."""
        super().__init__()
        self._pipe = pipe
        self._is_terminal = is_terminal
        self._screen = screen
        self._descriptor = -1
        self._written = bytearray()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # read-only, as it is in a file
        return "utf-8"

    def isatty(self) -> bool:
        return self._is_terminal

    def fileno(self) -> int:
        """Return a descriptor of the caller's terminal: it knows its width."""
        if not self._is_terminal:
            raise UnsupportedOperation("fileno")
        if self._descriptor < 0:
            self._descriptor = os.open(self._screen, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
        return self._descriptor

    def open_sink(self) -> int:
        """Return a new descriptor of the caller's standard output, which waits for no reader."""
        return os.open(self._screen, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def write(self, text: str, /) -> int:
        self._written += text.encode()
        if len(self._written) >= _PART_BYTES:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Let the caller show what was written so far."""
        if written := self.rest():
            self._pipe.show(written)

    def rest(self) -> bytes:
        """Return what was written and not shown, and forget it."""
        written = bytes(self._written)
        self._written.clear()
        return written


class _Errors(_Output):
    """Standard error of the caller, which gets it when the command ends."""

    def flush(self) -> None:
        """Keep it: what is shown at once is standard output."""


class _Input(RawIOBase):
    """The standard input of the caller, which is asked for when it is read."""

    def __init__(self, pipe: CallerPipe, *, is_terminal: bool) -> None:
        super().__init__()
        self._pipe = pipe
        self._is_terminal = is_terminal
        self._content: bytes | None = None

    def isatty(self) -> bool:
        return self._is_terminal

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]  # `Buffer` is of 3.12
        if self._content is None:
            self._content = self._pipe.read_input()
        view = memoryview(buffer)
        size = min(len(view), len(self._content))
        view[:size] = self._content[:size]
        self._content = self._content[size:]
        return size


class WarmSync(SyncPort):
    """The mounted files, which the daemon keeps in step."""

    def __init__(self, daemon: Daemon, session: Session) -> None:
        """Take the daemon, and the session of a command."""
        self._daemon = daemon
        self._session = session
        self.late = False

    def catch_up(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Wait until the log has what is in the files; the first that sees an edited config applies it."""
        if not self._session.roster_cache().config:
            # What cannot be applied stays as it was.
            with suppress(BadConfig):
                apply(self._session)
        if self._session.roster_cache().mounts:
            self.late = not self._daemon.catch_up(seconds)

    def flush(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Wait until the files have what the command has written."""
        if self._session.roster_cache().mounts:
            self.late = not self._daemon.wait_for_pass(seconds)
