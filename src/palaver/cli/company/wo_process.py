"""wo process: the processes of a VerMAS company."""

from collections.abc import Callable

from palaver.api import Bus
from palaver.bus.session import Session
from palaver.bus.tasks import processes
from palaver.bus.tasks.processes import (
    TEMPLATES,
    Steps,
    WorkProcess,
    compiled,
    step_name,
    step_status,
    template,
)
from palaver.cli.arguments import Option
from palaver.cli.binding import Binding, perform_once
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.program import SEVERAL, Subcommand
from palaver.cli.show import safe
from palaver.model.errors import NotFound
from palaver.model.masking.masks import clip


def _template(context: Context, word: str) -> tuple[str, Steps]:
    """Return a template by its name, or from a file."""
    if word in TEMPLATES:
        return word, TEMPLATES[word]
    try:
        with open(context.path(word), "rb") as file:
            return template(file.read(1 << 20), word)
    except OSError as fault:
        way_out = f"use {', '.join(TEMPLATES)}, or a file"
        raise NotFound(f"no template {clip(word, 80)!a}", fault.strerror or str(fault), way_out) from fault


def _row(fields: dict[str, object]) -> str:
    about = f" of {fields['work_order_id']}" if fields["work_order_id"] else ""
    return f"{fields['id']}  {fields['template']}{safe(about)}  {fields['state']}"


def _list(context: Context) -> int:
    found = [each.plain() for each in processes.everything(connect_synced(context))]
    return context.show(found, map(_row, found), empty="No processes")


def _show(context: Context) -> int:
    found = processes.show(connect_synced(context), context.args.words[0])
    lines = [_row(found.plain())]
    for card in found.steps:
        needs = f"  ← {', '.join(each.partition('.')[2] for each in card.needs)}" if card.needs else ""
        lines.append(f"  {step_name(card):<18} {step_status(card):<12}{safe(needs)}".rstrip())
    return context.show([found], lines)


def _compile(context: Context) -> int:
    name, steps = _template(context, context.args.words[0])
    order = compiled(name, steps)
    plain = {"template": name, "steps": [{"id": step, "needs": steps[step]} for step in order]}
    return context.show(plain, f"{safe(name)}: {safe(' → '.join(order))}")


def _change(context: Context, name: str, change: Callable[[Session, str], WorkProcess]) -> int:
    """Change a process as the acting agent, once for each key, and show it."""
    session, by = connect_synced(context), context.speaker()
    done = perform_once(context, session, name, lambda: change(session, by).plain())
    return context.show([done], _row(done))


def _start(context: Context) -> int:
    name, steps = _template(context, context.args.text("--template", "worker-execute"))
    order = "".join(context.args.words)
    return _change(
        context, "process start", lambda session, by: processes.start(session, by, name, steps, order=order)
    )


def _complete(context: Context) -> int:
    process, step = context.args.words
    words = context.args.text("--message")
    return _change(
        context, "process complete", lambda session, by: processes.complete(session, by, process, step, words)
    )


def _cancel(context: Context) -> int:
    [process] = context.args.words
    return _change(context, "process cancel", lambda session, by: processes.cancel(session, by, process))


_KEY = Binding(Bus.move, only=("key",)).options
_LONG = "reads the whole log"
_TEMPLATE = Option("--template", "T", help=f"{', '.join(TEMPLATES)}, or a file in TOML (worker-execute)")
_RESULT = Binding(Bus.deliver, only=("result", "key"), names={"result": "--message"}, short={"result": "-m"})
ROWS = (
    Subcommand("process list", "List the processes", _list, cold=_LONG),
    Subcommand("process show", "Show a process with its steps", _show, "PROC", cold=_LONG),
    Subcommand("process steps", "The same as process show", _show, "PROC", cold=_LONG),
    Subcommand("process compile", "Check a template and show its steps", _compile, "TEMPLATE"),
    Subcommand(
        "process start",
        "Start a process, with or without a work order",
        _start,
        "[WO]",
        (_TEMPLATE, *_KEY),
        cold=SEVERAL,
    ),
    Subcommand(
        "process complete",
        "Complete a step; the last one completes the process",
        _complete,
        "PROC STEP",
        _RESULT.options,
        cold=SEVERAL,
    ),
    Subcommand("process cancel", "Cancel a process", _cancel, "PROC", _KEY, cold=SEVERAL),
)
