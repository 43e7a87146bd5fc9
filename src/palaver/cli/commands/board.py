"""palaver board: all tasks at a glance."""

import os
import sys

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.cards import board_text
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.model.task import ENDED, STATES
from palaver.views.tasks.board import BOARD, Card

_WIDE = 100
SPEC = Spec(
    "board",
    "All tasks in columns: waiting, ready, claimed, working, blocked, checking, done.",
    options=(
        Option("--watch", short="-w", help="draw it again whenever something happens"),
        Option("--all", help="also what is done or cancelled"),
        Option("--timeout", "S", help="with --watch: end when nothing happens for so long"),
    ),
    text="""
A task waits when something that it needs is not done; ←id says what. With --json one object, with the tasks
of each column; with --watch too, one object a line.
""",
    examples=("palaver board", "palaver board --watch", "palaver board --json | jq '.columns.Ready[].id'"),
)


def run(context: Context) -> int:
    """Show, and go on showing."""
    bus = bus_of(context)
    _draw(context, bus)
    if not context.args.has("--watch"):
        return 0
    seq = bus.session.log.last_seq()
    timeout = context.args.seconds("--timeout", 0.0)
    context.flush()
    for event in bus.follow(seq, timeout=timeout or None):
        if event.event_type.startswith(("task.", "config.")) or "task" in event.data:
            _draw(context, bus)
            context.flush()
    return 0


def _draw(context: Context, bus: Bus) -> None:
    states = () if context.args.has("--all") else tuple(state for state in STATES if state not in ENDED)
    cards = bus.tasks(states=states)
    if context.json:
        context.answer({"columns": _columns(cards), "behind": bus.session.view.behind})
        return
    if context.args.has("--watch") and os.isatty(1):
        sys.stdout.write("\x1b[H\x1b[2J")
    context.say(board_text(cards, _width()))


def _columns(cards: list[Card]) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = {name: [] for name in BOARD}
    for card in cards:
        found[card.column].append(card.plain())
    return found


def _width() -> int:
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return _WIDE
