"""Subcommands: a table of them, and the way from words to one of them.

The longest name that fits the first words wins: `assignment attach` before `assignment`.
"""

import sys
from collections.abc import Callable
from difflib import get_close_matches

from palaver import __version__
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.model.errors import BadArguments

Run = Callable[[Context], int]
#: The option of every command that writes.
KEY = Option("--key", "KEY", help="idempotency key: repeating it does nothing more")


class Subcommand:
    """One of them: what it takes, and what it does."""

    __slots__ = ("run", "spec")

    def __init__(
        self,
        program: str,
        name: str,
        summary: str,
        run: Run,
        *,
        words: str = "",
        least: int = 0,
        most: int = 0,
        options: tuple[Option, ...] = (),
    ) -> None:
        """Take its name, one line on what it does, its words and options, and what runs it."""
        self.run = run
        self.spec = Spec(name, summary, words=words, least=least, most=most, options=options, program=program)


Table = dict[str, Subcommand]


def overview(program: str, about: str, table: Table) -> str:
    """Return what `--help` shows."""
    rows = [f"  {name:<20}{each.spec.summary}" for name, each in table.items()]
    foot = "exit codes: 0 ok, 1 error, 2 bad arguments, 3 not found, 4 not permitted, 5 conflict"
    return f"usage: {program} COMMAND …\n\n{about}\n\n" + "\n".join(rows) + f"\n\n{foot}\n"


def runner(program: str, about: str, table: Table) -> Callable[[list[str]], int]:
    """Return the way from words to the exit code."""

    def run(argv: list[str]) -> int:
        if not argv or argv[0] in ("help", "--help", "-h"):
            print(overview(program, about, table), end="", file=sys.stdout if argv else sys.stderr)
            return 0 if argv else BadArguments.exit
        if argv[0] == "--version":
            print(f"{program} of palaver {__version__}")
            return 0
        for length in (2, 1):
            found = table.get(" ".join(argv[:length]))
            if found is not None:
                return _ran(found, argv[length:])
        group = {name: each for name, each in table.items() if name.startswith(f"{argv[0]} ")}
        if group and argv[1:] in ([], ["--help"], ["-h"]):
            shown = overview(program, f"What {program} {argv[0]} can do.", group)
            print(shown, end="", file=sys.stdout if argv[1:] else sys.stderr)
            return 0 if argv[1:] else BadArguments.exit
        close = get_close_matches(" ".join(argv[:2]), table, n=1) or get_close_matches(argv[0], table, n=1)
        hint = f"did you mean {program} {close[0]}?" if close else f"{program} --help lists them"
        raise BadArguments(f"{program} has no command {argv[0][:40]!r}", "", hint)

    return run


def _ran(found: Subcommand, argv: list[str]) -> int:
    args = found.spec.parse(argv)
    if args.has("--help"):
        print(found.spec.help(), end="")
        return 0
    context = Context(args)
    try:
        return found.run(context)
    finally:
        context.end()
