"""palaver mount: folders of files that agents use."""

from palaver.bus.config.config_events import apply
from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.sync import progressing, tell_troubles, told_of
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.dialects import DIALECTS, specs
from palaver.model.errors import BadArguments
from palaver.sync.mounts import registration
from palaver.sync.mounts.mount_point import mount_points
from palaver.sync.mounts.registration import MountRequest
from palaver.views.files import outstanding

SPEC = Spec(
    "mount",
    "Folders of files that agents use: add one, list them, remove one.",
    words="[list | add DIALECT PATH | remove NAME]",
    most=3,
    options=(
        Option("--name", "N", help="what to call the mount; else its team or its dialect"),
        Option("--team", "T", help="with add swarm: the team; without PATH its folder in ~/.claude/teams"),
        Option(
            "--set", "K=V", many=True, help="with add: a setting of the mount, such as a=jim or inbox=ours"
        ),
    ),
    text=f"""
DIALECT is one of {", ".join(DIALECTS)}. PATH is the folder with its files:
{"".join(f"    {name:<8} {', '.join(each.detection.entries)}{chr(10)}" for name, each in specs().items())}
What stands there is taken in, in order; from then on every line that an agent appends is a message, and what
is sent to an agent who lives there is written into its files. Agents need not know that Palaver exists.
Mail to the name of a mount goes to everyone there. Removing a mount leaves its files, and the log, as they
are. Everything stands in .palaver/config.toml, under [mounts]; edit it there. A folder outside the project is
used only after somebody has added it with this command on this machine, or allowed it in their own config.
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
        bus = bus_of(context)
        registration.remove(bus.session, words[1])
        if context.json:
            context.answer({"removed": words[1]})
        else:
            context.say(
                f"Removed: {words[1]}; its files stay as they are, and so does what the log has of them"
            )
        return 0
    raise SPEC.wrong("say list, add DIALECT PATH or remove NAME")


def _add(context: Context, spoken: str, path: str) -> int:
    args = context.args
    settings: dict[str, str] = {}
    for pair in args.texts("--set"):
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise BadArguments(
                f"cannot use --set {pair[:40]}", "it must be a key and a value", "use --set a=jim"
            )
        settings[key] = value
    bus = bus_of(context)
    wanted = MountRequest(
        dialect=spoken, path=path, name=args.text("--name"), team=args.text("--team"), settings=settings
    )
    fresh = registration.add(bus.session, wanted)
    report = progressing(bus)
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
    context.say(told_of(taken))
    tell_troubles(context, report)
    return 0


def _list(context: Context) -> int:
    bus = bus_of(context)
    apply(bus.session)
    bus.session.sync.catch_up()
    db = bus.session.view.current()
    roster = bus.session.view.roster()
    owing = outstanding.waiting(db)
    mounts = mount_points(bus.root.path, roster.mounts)
    if context.json:
        context.answer(
            [
                {
                    "name": each.name,
                    "dialect": each.mount.dialect,
                    "path": each.path,
                    "prefix": each.prefix,
                    "settings": dict(each.mount.settings),
                    "agents": roster.residents(each.name),
                    "outstanding": owing.get(each.name, 0),
                }
                for each in mounts
            ]
        )
        return 0
    for each in mounts:
        agents = roster.residents(each.name)
        shown = ", ".join(agents[:6]) + (f" and {len(agents) - 6} more" if len(agents) > 6 else "")
        context.say(f"{each.name:<12} {each.mount.dialect:<7} {safe(each.path)}")
        if barred := each.barred(""):
            context.say(f"{'':<12} not in use: {barred.why}; {safe(barred.fix)}")
        context.say(f"{'':<12} {shown or 'nobody has spoken there yet'}")
    if not mounts:
        context.say("No mounts; palaver mount add DIALECT PATH")
    return 0
