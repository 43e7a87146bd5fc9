"""A look at the view, after which the command says what happened to it that nobody asked for.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

from palaver.bus.core import Core
from palaver.cli.context import Context


def looking(context: Context) -> Core:
    """Return the core of the bus, for a command that needs no more."""
    core = Core(context.root)
    if core.known().mounts:
        from palaver.following import follow

        follow(core)
        core.live.catch_up()
        context.after = core.live.catch_up
    heed(context, core)
    return core


def heed(context: Context, core: Core) -> None:
    """Let the command tell, when it ends, that the view was made anew or is behind."""
    context.notes = lambda: _notes(core)


def _notes(core: Core) -> list[str]:
    view = core.view
    behind = ["the view is behind; what is newest may be missing here"] if view.behind else []
    if core.live.late:
        behind.append("another process is at the files of the mounts; what is newest there may be missing")
    return [*dict.fromkeys(view.notes), *behind]
