"""Every command but the hottest: find it, parse its arguments, run it."""

import sys

from palaver import __version__
from palaver.cli.context import started
from palaver.cli.table import COMMANDS, PHRASES, Command
from palaver.model.errors import BadArguments

_FOOT = """

palaver COMMAND --help shows the rest; palaver --version tells the version.

exit codes:  0 ok, 1 error, 2 bad arguments, 3 not found, 4 not permitted, 5 conflict, 130 interrupted
environment: PALAVER_AGENT or AGENT_ID (who speaks), PALAVER_ROOT (the folder of the bus)
"""


def dispatch(argv: list[str]) -> int:
    """Run the command that the words name; return its exit code."""
    if not argv:
        print(overview(), end="", file=sys.stderr)
        return BadArguments.exit
    name, *rest = [*PHRASES.get(argv[0], (argv[0],)), *argv[1:]]
    if name in ("help", "--help", "-h"):
        if rest:
            return run(_named(rest[0]), ["--help"])
        print(overview(), end="")
        return 0
    if name == "--version":
        print(f"palaver {__version__}")
        return 0
    return run(_named(name), rest)


def run(command: Command, argv: list[str]) -> int:
    """Parse the arguments of a command and run it."""
    return started(command.SPEC, command.run, argv)


def overview() -> str:
    """Return what `palaver --help` shows."""
    rows = [f"  {entry.name:<14}{entry.summary}" for entry in COMMANDS.values()]
    head = "usage: palaver COMMAND …\n\nThe message bus for teams of AI agents.\n\n"
    return head + "\n".join(rows) + _FOOT


def _named(name: str) -> Command:
    if name in COMMANDS:
        return COMMANDS[name].load()
    if name.startswith("-"):
        raise BadArguments(f"no command before {name[:40]}", "options follow the command", "palaver --help")
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else "palaver --help lists them"
    raise BadArguments(f"no command {name[:40]!r}", "there is none of that name", hint)
