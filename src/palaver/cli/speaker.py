"""Who is speaking: `--as`, else PALAVER_AGENT, else AGENT_ID, else the person, at a terminal only.

An agent that forgot to say its name must not speak as a person, so where nobody sits at a terminal
and nobody is named, the command refuses (docs/adr/0012). Inside a run the token of the run proves the name
(docs/adr/0024).

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os

from palaver.bus.root import Root
from palaver.cli.arguments import Args
from palaver.model.errors import BadName, WhoSpeaks
from palaver.model.names import name

_VARIABLES = ("PALAVER_AGENT", "AGENT_ID")


def named(args: Args) -> str:
    """Return the agent that the arguments or the environment name, or nothing."""
    if args.has("--as"):
        return name(args.text("--as"))
    for variable in _VARIABLES:
        given = os.environ.get(variable)
        if given:
            try:
                return name(given)
            except BadName as bad:
                raise BadName(f"{bad.what} from {variable}", bad.why, bad.way_out) from bad
    return ""


def proof(root: Root, agent: str) -> str:
    """Return how it is known that an agent speaks: `token` inside its own run, else `claimed`; or refuse."""
    if "PALAVER_TOKEN" not in os.environ:
        return "claimed"
    from palaver.bus.agents import tokens

    token = tokens.given(root)
    return tokens.proof(root, agent, token) if token else "claimed"


def speaker(args: Args, root: Root) -> str:
    """Return who is speaking, or refuse."""
    given = named(args)
    if given:
        return given
    if any(os.isatty(fd) for fd in (0, 1, 2)):
        from palaver.bus.config.settings import read

        person = read(root)[1].person
        if person:
            return person
        why = "no agent is named, and the config names no person"
    else:
        why = "no agent is named, and this is not a terminal"
    raise WhoSpeaks("cannot tell who is speaking", why, "use --as NAME, or set PALAVER_AGENT")
