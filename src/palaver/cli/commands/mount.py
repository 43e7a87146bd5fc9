"""palaver mount: folders of files that agents use."""

from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.sync import describe_import, note_troubles, sync_with_progress
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.dialects import DIALECTS, specs
from palaver.sync.mounts import mount_operations as mount

_ADD = Binding(mount.add_mount, own=("dialect", "path"), names={"settings": "--set"}, note="with add: ")
_LIST = Binding(mount.mounts)
_REMOVE = Binding(mount.remove_mount, own=("name",))
SPEC = Spec(
    "mount",
    "Mount folders of files that agents use: add one, list them, remove one.",
    words="[list | add DIALECT PATH | remove NAME]",
    most=3,
    options=_ADD.options,
    text=f"""
DIALECT is one of {", ".join(DIALECTS)}. PATH is the folder with its files:
{"".join(f"    {name:<8} {', '.join(each.detection.entries)}{chr(10)}" for name, each in specs().items())}
The existing lines are imported in order. From then on, every line that an agent appends is a message, and
mail to an agent of the mount is written to its files. Agents need not know that Palaver exists. Mail to the
name of a mount goes to every agent there. Removing a mount leaves its files and the log as they are. Mounts
are in .palaver/config.toml, under [mounts]. A folder outside the project is used only after it was added with
this command on this machine, or allowed in the user's own config.
""",
    examples=(
        "palaver mount add office .",
        "palaver mount add swarm --team t1",
        "palaver mount add collab ~/collab --set a=jim --set b=clawdy --set person=jeremy",
        "palaver mount remove collab",
    ),
)


def run(context: Context) -> int:
    """List, add or remove."""
    words = context.args.words or ["list"]
    if words == ["list"]:
        return _list(context)
    if words[0] == "add" and len(words) in (2, 3):
        return _add(context, words[1], words[2] if len(words) > 2 else "")
    if words[0] == "remove" and len(words) == 2:
        _REMOVE.perform(context, name=words[1])
        if context.json:
            context.answer({"removed": words[1]})
        else:
            context.say(f"Removed: {words[1]}; its files and its messages in the log stay as they are")
        return 0
    raise SPEC.wrong("say list, add DIALECT PATH or remove NAME")


def _add(context: Context, spoken: str, path: str) -> int:
    fresh = _ADD.perform(context, dialect=spoken, path=path)
    report = sync_with_progress(connect(context))
    taken = report.messages.get(fresh.name, 0)
    if context.json:
        context.answer({"mount": fresh.name, "path": fresh.path, "prefix": fresh.prefix, **report.plain()})
        return 0
    context.say(f"Mounted: {fresh.name} ({fresh.mount.dialect} at {safe(fresh.path)})")
    if fresh.prefix:
        context.say(
            f"Its names are taken elsewhere, so they are called {fresh.prefix}/NAME here; "
            "to change that, edit prefix in .palaver/config.toml"
        )
    context.say(describe_import(taken))
    note_troubles(context, report)
    return 0


def _list(context: Context) -> int:
    found = _LIST.perform(context)
    if context.json:
        context.answer([each.plain() for each in found])
        return 0
    for each in found:
        agents, point = each.agents, each.point
        shown = ", ".join(agents[:6]) + (f" and {len(agents) - 6} more" if len(agents) > 6 else "")
        context.say(f"{point.name:<12} {point.mount.dialect:<7} {safe(point.path)}")
        if barred := point.barred(""):
            context.say(f"{'':<12} not in use: {barred.why}; {safe(barred.fix)}")
        context.say(f"{'':<12} {shown or 'no agent has spoken there yet'}")
    if not found:
        context.say("No mounts; palaver mount add DIALECT PATH")
    return 0
