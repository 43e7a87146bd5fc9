"""Whether commands are warm: whether the launcher hands them to the daemon; and if not, why."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from palaver.bus.operations.result import PlainFields
from palaver.bus.root import Root
from palaver.cli.context import Context
from palaver.cli.hosted import differing_settings
from palaver.daemon.background import find_daemon, is_answering, read_daemon
from palaver.daemon.command_folder import daemon_file
from palaver.runs.process_table import read_environment

# As the launcher knows them.
_UTF_8_LOCALES = ("C", "POSIX")
_UTF_8_ENDINGS = ("UTF-8", "utf8", "utf-8", "UTF8")
# Variables that may tell Python to write another encoding than UTF-8.
_ENCODINGS = ("PYTHONIOENCODING", "PYTHONUTF8", "PYTHONCOERCECLOCALE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmth(PlainFields):
    """The daemon of a bus, if there is one, and whether commands go through it."""

    #: 0 if there is no daemon.
    process: int = 0
    since: str = ""
    #: Whether it ends when it is not used.
    temporary: bool = False
    warm: bool = False
    #: Why commands are cold.
    why: str = ""

    def __str__(self) -> str:
        """Return it for people."""
        if not self.process:
            return "none; commands are cold (palaver up -d makes them fast)"
        ends = ", ends when it is not used" if self.temporary else ""
        commands = f"cold: {self.why}" if self.why else "warm"
        return f"process {self.process} since {self.since}{ends}; commands are {commands}"


def find_warmth(context: Context) -> Warmth:
    """Return whether the commands of this caller are warm."""
    root = context.root
    is_warm = context.caller.open_session is not None
    # The kernel takes a while to say who holds a lock, and the daemon knows that it does.
    found = read_daemon(root, os.getpid()) if is_warm else find_daemon(root)
    if found is None:
        return Warmth(why="no daemon runs")
    why = "" if is_warm else _why_cold(root, context.environment, found.process)
    return Warmth(
        process=found.process, since=found.since, temporary=found.is_temporary, warm=not why, why=why
    )


def _why_cold(root: Root, environment: Mapping[str, str], process: int) -> str:
    """Return what keeps the launcher from handing a command to the daemon, nothing if it can."""
    if not os.path.exists(daemon_file(root.path)):
        return "the daemon left no file in your state folder (XDG_STATE_HOME)"
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or "C"
    if locale not in _UTF_8_LOCALES and not locale.endswith(_UTF_8_ENDINGS):
        return f"the locale {locale} may not be UTF-8"
    for name in _ENCODINGS:
        if environment.get(name):
            return f"{name} is set"
    if not is_answering(root):
        return "the daemon does not answer"
    others = differing_settings(read_environment(process), environment)
    return f"the daemon was started with another {others[0]}" if others else ""
