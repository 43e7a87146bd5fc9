"""A look at the view, after which the command says what happened to it that nobody asked for.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

import os

from palaver.bus.session import Session
from palaver.cli.context import Context
from palaver.cli.speaker import proof
from palaver.model.errors import BadToken


def looking(context: Context) -> Session:
    """Return the core of the bus, for a command that needs no more."""
    core = Session(context.root)
    vouched(context, core)
    if core.roster_cache().mounts:
        from palaver.following import follow

        follow(core)
        core.sync.catch_up()
        context.after = core.sync.catch_up
    heed(context, core)
    return core


def vouched(context: Context, core: Session) -> None:
    """Let what is said inside a run be known as its agent's; who only looks needs no proof."""
    if "PALAVER_TOKEN" not in os.environ:
        return
    agent = context.named()
    try:
        proved = agent and proof(context.root, agent) == "token"
    except BadToken:
        # Whoever wants to say something is refused when he is asked who he is.
        return
    if proved:
        from palaver.bus.identity import vouch

        vouch(core, agent)


def heed(context: Context, core: Session) -> None:
    """Let the command tell, when it ends, that the view was made anew or is behind."""
    context.notes = lambda: _notes(core)


def _notes(core: Session) -> list[str]:
    view = core.view
    behind = ["the view is behind; what is newest may be missing here"] if view.behind else []
    if core.sync.unfinished:
        behind.append(
            "the files of the mounts hold more than one command reads; palaver sync reads all of it"
        )
    elif core.sync.late:
        behind.append("another process is at the files of the mounts; what is newest there may be missing")
    return [*dict.fromkeys(view.notes), *behind]
