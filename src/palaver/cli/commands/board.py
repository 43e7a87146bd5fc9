"""palaver board: all tasks in columns."""

import os

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.cards import board_text
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.model.task import NOT_ENDED
from palaver.views.tasks.board import BOARD, Card

_FOLLOW = Binding(Bus.follow, own=("after",), note="with --watch: ")
_WIDTH = 100
SPEC = Spec(
    "board",
    "Show all tasks in columns: waiting, ready, claimed, working, blocked, checking, done.",
    options=(
        Option("--watch", short="-w", help="draw it again when a task changes"),
        Option("--all", help="also tasks that are done or cancelled"),
        *_FOLLOW.options,
    ),
    text="""
A task waits until the tasks that it needs are done; ←id names them. --json prints one object, with the tasks
of each column; with --watch, one object per line.
""",
    examples=("palaver board", "palaver board --watch", "palaver board --json | jq '.columns.Ready[].id'"),
)


def run(context: Context) -> int:
    """Show the board; with --watch, again after each change."""
    bus = Bus(session=connect(context))
    _draw(context, bus)
    if not context.args.has("--watch"):
        return 0
    seq = bus.session.log.last_seq()
    context.flush()
    for event in _FOLLOW.perform_on(bus.session, context, after=seq):
        if event.event_type.startswith(("task.", "config.")) or "task" in event.data:
            _draw(context, bus)
            context.flush()
    return 0


def _draw(context: Context, bus: Bus) -> None:
    states = () if context.args.has("--all") else NOT_ENDED
    cards = bus.tasks(states=states)
    columns: dict[str, list[Card]] = {name: [] for name in BOARD}
    for card in cards:
        columns[card.column].append(card)
    if context.args.has("--watch") and not context.json and context.caller.output.isatty():
        context.caller.output.write("\x1b[H\x1b[2J")
    text = board_text(columns, _width(context))
    context.show({"columns": columns, "behind": bus.session.view.behind}, text)


def _width(context: Context) -> int:
    try:
        # A terminal may not know its width.
        return os.get_terminal_size(context.caller.output.fileno()).columns or _WIDTH
    except OSError:
        return _WIDTH
