"""A program with commands: `palaver`, `co` and `wo`.

The longest name that the first words match wins: `assignment attach` before `assignment`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import NamedTuple

from palaver import __version__
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Caller, Context, run_command, write_out
from palaver.model.errors import BadArguments

_HELP = ("help", "--help", "-h")
_EXIT_CODES = "exit codes:  0 ok, 1 error, 2 bad arguments, 3 not found, 4 not permitted, 5 conflict"


# Why a command runs in the process of its caller if it is more than one operation, or more than its event: if
# the daemon ended in the middle, a second run could not tell how much was done.
SEVERAL = "does several things"


class Command(NamedTuple):
    """A command: its arguments, and what it does."""

    spec: Spec
    run: Callable[[Context], int]


class CommandEntry(NamedTuple):
    """A command in the table of `palaver`; its module is imported when it is needed."""

    name: str
    summary: str
    #: Its module in `cli/`, if that is not `commands.<name>`.
    module: str = ""
    #: Why it runs in the process of its caller, and not in the daemon (docs/adr/0037).
    cold: str = ""
    #: The verbs and options to which that applies, if not to all.
    cold_words: tuple[str, ...] = ()

    def load(self, program: str = "palaver") -> Command:
        """Import its module, which has the name of the program too."""
        del program
        found = import_module(f"palaver.cli.{self.module or f'commands.{self.name}'}")
        return Command(found.SPEC, found.run)

    def is_warm(self, words: list[str]) -> bool:
        """Return True if the daemon may run it with these words."""
        if not self.cold_words:
            return not self.cold
        return not any(word.partition("=")[0] in self.cold_words for word in words)


class Subcommand(NamedTuple):
    """A command in the table of `co` or `wo`."""

    name: str
    summary: str
    run: Callable[[Context], int]
    words: str = ""
    options: tuple[Option, ...] = ()
    #: Why it runs in the process of its caller, and not in the daemon.
    cold: str = ""

    def load(self, program: str) -> Command:
        """Return the command."""
        spec = Spec(self.name, self.summary, words=self.words, options=self.options, program=program)
        return Command(spec, self.run)

    def is_warm(self, words: list[str]) -> bool:
        """Return True if the daemon may run it, whatever the words are."""
        del words
        return not self.cold


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program."""

    name: str
    about: str
    commands: Mapping[str, CommandEntry | Subcommand]
    #: The commands that only look, or use no bus; where only a verb does, with the verb: `task list`.
    looks: frozenset[str]
    #: Ends the overview.
    foot: str = ""

    def run(self, argv: list[str], caller: Caller) -> int:
        """Run the command that the words name; return its exit code."""
        if not argv or (len(argv) == 1 and argv[0] in _HELP):
            return _explain(caller, self.overview(), asked=bool(argv))
        if argv[0] == "--version":
            write_out(caller, f"{self.name} {__version__}\n")
            return 0
        if argv[0] in _HELP:
            argv = [*argv[1:], "--help"]
        entry, words = self.find(argv)
        if entry is not None:
            command = entry.load(self.name)
            return run_command(
                command.spec, command.run, words, caller, looks=partial(self.only_looks, entry.name)
            )
        group = {name: each for name, each in self.commands.items() if name.startswith(f"{argv[0]} ")}
        if group and argv[1:] in ([], ["--help"], ["-h"]):
            return _explain(caller, self.overview(argv[0], group), asked=bool(argv[1:]))
        raise self._unknown(argv)

    def only_looks(self, name: str, words: list[str]) -> bool:
        """Return True if a command only looks; its verb may be left out, and is `list` then."""
        return name in self.looks or f"{name} {(words or ['list'])[0]}" in self.looks

    def find(self, argv: list[str]) -> tuple[CommandEntry | Subcommand | None, list[str]]:
        """Return the command that the first words name, and the words after them."""
        for length in (2, 1):
            if entry := self.commands.get(" ".join(argv[:length])):
                return entry, argv[length:]
        return None, argv

    def is_warm(self, argv: list[str]) -> bool:
        """Return True if the daemon may run this command; one that it does not know may be newer than it."""
        entry, words = self.find(argv)
        return entry is not None and entry.is_warm(words)

    def overview(
        self, group: str = "", commands: Mapping[str, CommandEntry | Subcommand] | None = None
    ) -> str:
        """Return what `--help` shows; or the commands whose first word is `group`."""
        about = f"The commands of {self.name} {group}." if group else self.about
        rows = [f"  {name:<20}{each.summary}" for name, each in (commands or self.commands).items()]
        usage = f"usage: {self.name} {group or 'COMMAND'} …"
        return f"{usage}\n\n{about}\n\n" + "\n".join(rows) + f"\n\n{_EXIT_CODES}{self.foot}\n"

    def _unknown(self, argv: list[str]) -> BadArguments:
        if argv[0].startswith("-"):
            why, hint = "options follow the command", f"{self.name} --help"
            return BadArguments(f"no command before {argv[0][:40]}", why, hint)
        names = list(self.commands)
        close = get_close_matches(" ".join(argv[:2]), names, n=1) or get_close_matches(
            argv[0], names, n=1, cutoff=0.5
        )
        hint = f"did you mean {self.name} {close[0]}?" if close else f"{self.name} --help lists them"
        return BadArguments(f"unknown command {argv[0][:40]!r}", "", hint)


def _explain(caller: Caller, text: str, *, asked: bool) -> int:
    if asked:
        write_out(caller, text)
        return 0
    caller.errors.write(text)
    return BadArguments.exit
