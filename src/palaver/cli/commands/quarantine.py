"""palaver quarantine: what could not be understood."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.show import block, safe
from palaver.views.files.quarantine import QuarantineItem

_LIST = Binding(Bus.quarantine, names={"everything": "--all"}, note="with list: ")
_RETRY = Binding(Bus.retry, own=("item_id",), note="with retry: ")
SPEC = Spec(
    "quarantine",
    "What could not be understood, kept whole: list it, show it safely, try it again after a fix.",
    text="""
Consecutive lines of a file that one pass could not read are one entry, of at most 1 MiB or 16,384 lines. When
a retry understands only some of its lines, these become messages and the rest is quarantined again, under
new ids. The quarantine keeps 64 MiB; what comes after that is counted, and stays in its own file.
""",
    words="[list | show ID | retry ID…]",
    most=-1,
    options=(*_LIST.options, *_RETRY.options),
    examples=("palaver quarantine", "palaver quarantine show log/000000000001.jsonl:420"),
)


def run(context: Context) -> int:
    """List, show or retry."""
    words = context.args.words or ["list"]
    if words[0] == "show" and len(words) == 2:
        return _show(context, words[1])
    if words[0] == "retry" and len(words) > 1:
        return _retry(context, words[1:])
    if words != ["list"]:
        raise SPEC.wrong("say list, show ID or retry ID")
    bus = bus_of(context)
    everything = context.args.has("--all")
    items = bus.quarantine(everything=everything)
    if context.json:
        context.answer([item.plain() for item in items])
        return 0
    for item in items:
        state = " (explained)" if item.released else ""
        context.say(f"{safe(item.id)}  {item.kind}  {_size(item)}  {safe(item.reason)}{state}")
    if (more := bus.quarantine_count(everything=everything) - len(items)) > 0:
        context.say(f"… and {more} more")
    if not items:
        context.say("Nothing is in quarantine")
    return 0


def _show(context: Context, wanted: str) -> int:
    item, content = bus_of(context).quarantined(wanted)
    shown = content.decode("utf-8", "backslashreplace")
    if context.json:
        context.answer({**item.plain(), "content": shown})
        return 0
    context.say(f"{safe(item.file)}, {_size(item)} at {item.offset}: {safe(item.reason)}")
    context.say(block(shown))
    if len(content) < item.length:
        context.say(f"… and {item.length - len(content)} bytes more")
    return 0


def _retry(context: Context, wanted: list[str]) -> int:
    bus = bus_of(context)
    outcomes = {item: bus.retry(item, key=_key(context, item, wanted)) for item in wanted}
    if context.json:
        context.answer(outcomes)
    else:
        for item, good in outcomes.items():
            context.say(f"{safe(item)}: {_outcome(bus, item, good=good)}")
    return 0 if all(outcomes.values()) else 1


def _key(context: Context, item: str, items: list[str]) -> str:
    """Return the key of one entry: a key given for several is a key for each."""
    key = context.args.text("--key")
    return f"{key}/{item}" if key and len(items) > 1 else key


def _outcome(bus: Bus, item: str, *, good: bool) -> str:
    if good:
        return "understood now"
    is_partial = bus.quarantined(item)[0].released
    return "understood in part; the rest is quarantined again" if is_partial else "still not understood"


def _size(item: QuarantineItem) -> str:
    lines = "" if item.lines <= 1 else f"{item.lines} lines, "
    return f"{lines}{item.length} bytes"
