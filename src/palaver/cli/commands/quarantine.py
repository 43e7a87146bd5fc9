"""palaver quarantine: list, show and retry quarantined bytes."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding, key_for
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.show import block, safe
from palaver.model.plain import numbered
from palaver.views.files.quarantine import QuarantineItem

_LIST = Binding(Bus.quarantine, names={"everything": "--all"}, note="with list: ")
_RETRY = Binding(Bus.retry, own=("item_id",), note="with retry: ")
SPEC = Spec(
    "quarantine",
    "List bytes that could not be parsed, show them safely, and retry them after a fix.",
    text="""
The lines of a file that one pass could not parse for the same reason are one entry, of at most 1 MiB or
16,384 lines, with messages between them or not. If a retry can parse only some of its lines, these become
messages and the rest is quarantined again, under a new id. The quarantine keeps 64 MiB; what comes after that
is counted, and stays in its own file.
""",
    words="[list | show ID | retry ID…]",
    options=(*_LIST.options, *_RETRY.options),
    examples=("palaver quarantine", "palaver quarantine show log/000000000001.jsonl:420"),
)


def run(context: Context) -> int:
    """List, show or retry entries."""
    match context.args.words or ["list"]:
        case ["list"]:
            return _list(context)
        case ["show", wanted]:
            return _show(context, wanted)
        case ["retry", first, *others]:
            return _retry(context, [first, *others])
    raise SPEC.wrong("use list, show ID or retry ID")


def _list(context: Context) -> int:
    bus, everything = Bus(session=connect(context)), context.args.has("--all")
    items = bus.quarantine(everything=everything)
    lines = [
        f"{safe(item.id)}  {item.kind}  {_size(item)}  {safe(item.reason)}"
        f"{' (explained)' if item.released else ''}"
        for item in items
    ]
    if (more := bus.quarantine_count(everything=everything) - len(items)) > 0:
        lines.append(f"… and {more} more")
    return context.show(items, lines, empty="The quarantine is empty")


def _show(context: Context, wanted: str) -> int:
    item, content = Bus(session=connect(context)).quarantined(wanted)
    text = content.decode("utf-8", "backslashreplace")
    places = f" in {item.places} places" if item.places > 1 else ""
    head = f"{safe(item.file)}, {_size(item)} at {item.offset}{places}: {safe(item.reason)}"
    lines = [head, block(text)]
    if len(content) < item.length:
        lines.append(f"… and {item.length - len(content)} bytes more")
    return context.show({**item.plain(), "content": text}, lines)


def _retry(context: Context, wanted: list[str]) -> int:
    bus = Bus(session=connect(context))
    outcomes = {item: bus.retry(item, key=key_for(context, number)) for number, item in enumerate(wanted)}
    lines = (f"{safe(item)}: {_outcome(bus, item, good=good)}" for item, good in outcomes.items())
    return context.show(outcomes, lines, code=0 if all(outcomes.values()) else 1)


def _outcome(bus: Bus, item: str, *, good: bool) -> str:
    if good:
        return "parsed now"
    is_partial = bus.quarantined(item)[0].released
    return "parsed in part; the rest is quarantined again" if is_partial else "still cannot be parsed"


def _size(item: QuarantineItem) -> str:
    lines = "" if item.lines <= 1 else f"{item.lines} lines, "
    return f"{lines}{numbered(item.length, 'byte')}"
