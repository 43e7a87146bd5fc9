"""palaver mount: folders of files that agents use."""

from collections.abc import Iterable

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
    """List, add or remove mounts."""
    match context.args.words or ["list"]:
        case ["list"]:
            found = _LIST.perform(context)
            lines = (line for each in found for line in _lines(each))
            return context.show(found, lines, empty="No mounts; palaver mount add DIALECT PATH")
        case ["add", dialect, *path] if len(path) < 2:
            return _add(context, dialect, context.path(path[0]) if path else "")
        case ["remove", name]:
            _REMOVE.perform(context, name=name)
            done = f"Removed: {name}; its files and its messages in the log stay as they are"
            return context.show({"removed": name}, done)
    raise SPEC.wrong("use list, add DIALECT PATH or remove NAME")


def _add(context: Context, dialect: str, path: str) -> int:
    fresh = _ADD.perform(context, dialect=dialect, path=path)
    report = sync_with_progress(context, connect(context))
    lines = [f"Mounted: {fresh.name} ({fresh.mount.dialect} at {safe(fresh.path)})"]
    if fresh.prefix:
        lines.append(
            f"Its names are taken elsewhere, so they are called {fresh.prefix}/NAME here; "
            "to change that, edit prefix in .palaver/config.toml"
        )
    lines.append(describe_import(report.messages.get(fresh.name, 0)))
    added = {"mount": fresh.name, "path": fresh.path, "prefix": fresh.prefix, **report.plain()}
    context.show(added, lines)
    note_troubles(context, report)
    return 0


def _lines(each: mount.MountState) -> Iterable[str]:
    agents, point = each.agents, each.point
    shown = ", ".join(agents[:6]) + (f" and {len(agents) - 6} more" if len(agents) > 6 else "")
    yield f"{point.name:<12} {point.mount.dialect:<7} {safe(point.path)}"
    if barred := point.barred():
        yield f"{'':<12} not in use: {barred.why}; {safe(barred.fix)}"
    yield f"{'':<12} {shown or 'no agent has written there yet'}"
