"""wo process: the processes of a VerMAS company."""

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
from palaver.cli.company.subcommands import Subcommand
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.model.errors import NotFound


def _wanted(word: str) -> tuple[str, Steps]:
    """Return a template by its name, or from a file."""
    if word in TEMPLATES:
        return word, TEMPLATES[word]
    try:
        with open(word, "rb") as file:
            return template(file.read(1 << 20), word)
    except OSError as fault:
        known = ", ".join(TEMPLATES)
        raise NotFound(
            f"no template {word[:80]!a}", fault.strerror or str(fault), f"use {known}, or a file"
        ) from fault


def _shown(context: Context, found: WorkProcess) -> int:
    if context.json:
        context.answer([found.plain()])
        return 0
    about = f" of {found.order}" if found.order else ""
    context.say(f"{found.id}  {found.template}{safe(about)}  {found.state}")
    return 0


def _list(context: Context) -> int:
    found = processes.everything(connect_synced(context))
    if context.json:
        context.answer([each.plain() for each in found])
        return 0
    for each in found:
        _shown(context, each)
    if not found:
        context.say("No processes")
    return 0


def _steps(context: Context) -> int:
    found = processes.show(connect_synced(context), context.args.words[0])
    _shown(context, found)
    for card in [] if context.json else found.steps:
        needs = f"  ← {', '.join(each.partition('.')[2] for each in card.needs)}" if card.needs else ""
        context.say(f"  {step_name(card):<18} {step_status(card):<12}{safe(needs)}".rstrip())
    return 0


def _compile(context: Context) -> int:
    name, steps = _wanted(context.args.words[0])
    order = compiled(name, steps)
    if context.json:
        context.answer({"template": name, "steps": [{"id": step, "needs": steps[step]} for step in order]})
    else:
        context.say(f"{safe(name)}: {safe(' → '.join(order))}")
    return 0


def _start(context: Context) -> int:
    name, steps = _wanted(context.args.text("--template", "worker-execute"))
    order = context.args.words[0] if context.args.words else ""
    found = processes.start(connect_synced(context), context.speaker(), name, steps, order=order)
    return _shown(context, found)


def _complete(context: Context) -> int:
    process, step = context.args.words
    words = context.args.text("--message")
    return _shown(
        context, processes.complete(connect_synced(context), context.speaker(), process, step, words)
    )


def _cancel(context: Context) -> int:
    return _shown(
        context, processes.cancel(connect_synced(context), context.speaker(), context.args.words[0])
    )


ROWS = (
    Subcommand("wo", "process list", "All processes", _list),
    Subcommand("wo", "process show", "One process", _steps, words="PROC", least=1, most=1),
    Subcommand("wo", "process steps", "The steps of one", _steps, words="PROC", least=1, most=1),
    Subcommand(
        "wo",
        "process compile",
        "Check a template and show its steps",
        _compile,
        words="TEMPLATE",
        least=1,
        most=1,
    ),
    Subcommand(
        "wo",
        "process start",
        "Begin a process, for a work order or by itself",
        _start,
        words="[WO]",
        most=1,
        options=(
            Option("--template", "T", help=f"{', '.join(TEMPLATES)}, or a file in TOML (worker-execute)"),
        ),
    ),
    Subcommand(
        "wo",
        "process complete",
        "Finish a step; with the last one the process is finished",
        _complete,
        words="PROC STEP",
        least=2,
        most=2,
        options=(Option("--message", "TEXT", short="-m", help="what came of it"),),
    ),
    Subcommand("wo", "process cancel", "End a process undone", _cancel, words="PROC", least=1, most=1),
)
