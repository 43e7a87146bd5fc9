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
    "List the events of the log, show one in full, or export them as CloudEvents.",
    words="[list | show SEQ|ID | export]",
    options=_LIST.options,
    text="export prints every event that matches as CloudEvents 1.0, one JSON object per line.",
    examples=(
        "palaver events --type 'mail.*'",
        "palaver events show 42",
        "palaver events export > events.jsonl",
    ),
)


def run(context: Context) -> int:
    """List, show or export events."""
    match context.args.words or ["list"]:
        case ["list"]:
            events = _LIST.perform(context)
            return context.show(events, map(event_line, events))
        case ["show", wanted]:
            if wanted.isdecimal() and len(wanted) > 18:
                raise SPEC.wrong("that is not the number of an event", "palaver events lists them")
            event = _SHOW.perform(context, wanted=wanted)
            return context.show(event, block(dumps(event.plain(), indent=2, ensure_ascii=False)))
        case ["export"]:
            for exported in _EXPORT.perform(context):
                context.answer(exported)
            return 0
    raise SPEC.wrong("use list, show SEQ, show ID or export")
