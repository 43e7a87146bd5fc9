"""Who is speaking: `--as`, else PALAVER_AGENT, else AGENT_ID, else the person, at a terminal only.

An agent that forgot to say its name must not speak as a person, so where nobody sits at a terminal
and nobody is named, the command refuses (docs/adr/0012).

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os

from palaver.bus.root import Root
from palaver.cli.arguments import Args
from palaver.model.errors import WhoSpeaks
from palaver.model.names import name


def named(args: Args) -> str:
    """Return the agent that the arguments or the environment name, or nothing."""
    given = args.text("--as") or os.environ.get("PALAVER_AGENT") or os.environ.get("AGENT_ID") or ""
    return name(given) if given or args.has("--as") else ""


def speaker(args: Args, root: Root) -> str:
    """Return who is speaking, or refuse."""
    given = named(args)
    if given:
        return given
    if any(os.isatty(fd) for fd in (0, 1, 2)):
        from palaver.bus.settings import read

        person = read(root)[1].person
        if person:
            return person
    raise WhoSpeaks(
        "cannot tell who is speaking",
        "no agent is named, and this is not a terminal",
        "use --as NAME, or set PALAVER_AGENT",
    )
