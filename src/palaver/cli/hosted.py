"""Runs commands in this process for other processes.

The daemon gets `Host.run` and knows no command. A command gets streams that lead to its caller: its output is
collected and sent as one answer, or piece by piece if the command flushes it (`tail -f`).
"""

from collections.abc import Callable, Mapping
from io import RawIOBase, StringIO

from palaver.bus.session import Session
from palaver.bus.sync_port import SyncPort
from palaver.cli.command_table import COMMANDS, PHRASES
from palaver.cli.context import Caller
from palaver.cli.hot import execute
from palaver.daemon.command_socket import CallerConnection, CommandRequest, CommandResult, RunCold
from palaver.daemon.lifecycle import Daemon
from palaver.model.limits import CATCH_UP_SECONDS

# Settings of the user that this process has already read: a caller with others is not one of ours.
_USER_VARIABLES = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "PALAVER_TRUST", "PALAVER_DEBUG")


class Host:
    """Runs the commands of one bus."""

    def __init__(
        self,
        session: Session,
        sync: Callable[[CallerConnection], SyncPort],
        environment: Mapping[str, str],
    ) -> None:
        """Take an open session, what syncs files for a command, and the environment of the daemon."""
        self._session = session
        self._environment = environment
        self._sync = sync

    def run(self, request: CommandRequest, connection: CallerConnection) -> CommandResult:
        """Run a command; raise RunCold if it must run in the process of its caller."""
        environment = request.environment
        if not _is_warm(request.arguments) or any(
            environment.get(name) != self._environment.get(name) for name in _USER_VARIABLES
        ):
            raise RunCold
        since = self._session.log.last_seq()
        terminals = request.terminals
        output, errors = (_Output(connection, is_terminal=each) for each in terminals[1:])

        def open_session(root: str, agent: str) -> Session:
            if root != self._session.root.path:
                raise RunCold
            session = self._session.for_agent(agent)
            session.fresh_key = request.id, since
            session.sync = self._sync(connection)
            return session

        caller = Caller(
            folder=request.folder,
            environment=environment,
            umask=0o077,
            input=_Input(connection, is_terminal=terminals[0]),
            output=output,
            errors=errors,
            open_session=open_session,
            request=request.id,
        )
        code = execute(request.arguments, caller)
        return CommandResult(code=code, out=output.rest(), err=errors.rest())


def _is_warm(arguments: list[str]) -> bool:
    """Return True if the command may run in the daemon."""
    name = PHRASES.get(arguments[0], (arguments[0],))[0] if arguments else ""
    return name in COMMANDS and COMMANDS[name].is_warm


class _Output(StringIO):
    """An output stream of the caller."""

    encoding = "utf-8"

    def __init__(self, connection: CallerConnection, *, is_terminal: bool) -> None:
        super().__init__()
        self._connection = connection
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def flush(self) -> None:
        """Let the caller show what was written so far."""
        if written := self.rest():
            self._connection.show(written)

    def rest(self) -> bytes:
        """Return what was written and not shown, and forget it."""
        written = self.getvalue().encode()
        self.seek(0)
        self.truncate()
        return written


class _Input(RawIOBase):
    """The standard input of the caller, which is asked for when it is read."""

    def __init__(self, connection: CallerConnection, *, is_terminal: bool) -> None:
        super().__init__()
        self._connection = connection
        self._is_terminal = is_terminal
        self._content: bytes | None = None

    def isatty(self) -> bool:
        return self._is_terminal

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]  # `Buffer` is of 3.12
        if self._content is None:
            self._content = self._connection.read_input()
        view = memoryview(buffer)
        size = min(len(view), len(self._content))
        view[:size] = self._content[:size]
        self._content = self._content[size:]
        return size


class WarmSync(SyncPort):
    """The mounted files, which the daemon keeps in step."""

    def __init__(self, daemon: Daemon, connection: CallerConnection) -> None:
        """Take the daemon, and the connection to the caller."""
        self._daemon = daemon
        self._connection = connection
        self.late = False

    def catch_up(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Wait until the log has what is in the files."""
        self._connection.check()
        if self._daemon.session.roster_cache().mounts:
            self.late = not self._daemon.catch_up(seconds)
