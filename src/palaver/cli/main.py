"""Every command but the hottest: find it, parse its arguments, run it."""

from palaver.cli.context import Caller
from palaver.cli.program import Program
from palaver.cli.table import COMMANDS, PHRASES

PALAVER = Program(
    name="palaver",
    about="The message bus for teams of AI agents.",
    commands=COMMANDS,
    foot=""", 130 interrupted
environment: PALAVER_AGENT or AGENT_ID (the agent that acts), PALAVER_ROOT (the folder of the bus)

palaver COMMAND --help explains a command; palaver --version shows the version.""",
)


def dispatch(argv: list[str], caller: Caller) -> int:
    """Run the command that the words name; return its exit code."""
    return PALAVER.run([*PHRASES.get(argv[0], argv[:1]), *argv[1:]] if argv else [], caller)
