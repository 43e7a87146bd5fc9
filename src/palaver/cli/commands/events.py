"""palaver events: list, show and export events."""

from json import dumps

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.event_line import event_line
from palaver.cli.show import block

_NAMES = {"event_type": "--type", "after": "--since"}
_LIST = Binding(Bus.events, names=_NAMES, short={"limit": "-n"})
_SHOW = Binding(Bus.event, own=("wanted",))
_EXPORT = Binding(Bus.exported, names=_NAMES)
SPEC = Spec(
    "events",
    "The log itself: list its events, show one whole, export them as CloudEvents.",
    words="[list | show SEQ|ID | export]",
    most=2,
    options=_LIST.options,
    text="export writes every event that fits as CloudEvents 1.0, one JSON object a line.",
    examples=(
        "palaver events --type 'mail.*'",
        "palaver events show 42",
        "palaver events export > events.jsonl",
    ),
)


def run(context: Context) -> int:
    """List, show or export."""
    words = context.args.words or ["list"]
    if words[0] == "show" and len(words) == 2:
        return _show(context, words[1])
    if words == ["export"]:
        return _export(context)
    if words != ["list"]:
        raise SPEC.wrong("say list, show SEQ, show ID or export")
    events = _LIST.perform(context)
    if context.json:
        context.answer([event.plain() for event in events])
    else:
        for event in events:
            context.say(event_line(event))
    return 0


def _show(context: Context, wanted: str) -> int:
    if wanted.isdecimal() and len(wanted) > 18:
        raise SPEC.wrong("that is not the number of an event", "palaver events lists them")
    event = _SHOW.perform(context, wanted=wanted)
    if context.json:
        context.answer(event.plain())
        return 0
    context.say(block(dumps(event.plain(), indent=2, ensure_ascii=False)))
    return 0


def _export(context: Context) -> int:
    for event in _EXPORT.perform(context):
        context.answer(event)
    return 0
