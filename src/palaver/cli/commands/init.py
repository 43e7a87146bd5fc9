"""palaver init: create a bus in this folder."""

import os

from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.sync import describe_import, note_troubles, sync_with_progress
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.model.errors import AlreadyMounted
from palaver.sync.mounts.detection import DetectedMount, detect_mounts
from palaver.sync.mounts.mount_operations import add_mount
from palaver.wiring import begin

SPEC = Spec(
    "init",
    "Create a bus in this folder. An existing bus is left unchanged.",
    options=(
        Option("--person", "NAME", help="your name on the bus (default: your user name)"),
        Option("--yes", short="-y", help="mount what is found, without asking"),
        Option("--no-mounts", help="do not look for files of agents"),
    ),
    text="""
Everything is in .palaver, readable only by you (0700), and ignored by the surrounding git repository. In a
linked worktree the bus is created in the main worktree, so that all worktrees share it. In a subfolder of a
repository that has a bus, that bus is used. --root creates one exactly there.
If agents already communicate through files here (messages/, .work/, MESSAGE-BUS.md, collab/, channel.jsonl,
or a team in ~/.claude/teams), you are asked whether to mount them.
""",
    examples=("palaver init", "palaver init --yes", "palaver init --root ../project --person ada"),
)


def run(context: Context) -> int:
    """Create the bus, and mount what is found."""
    args = context.args
    begun = begin(
        args.text("--root"),
        args.text("--person"),
        folder=context.caller.folder,
        environment=context.environment,
        force=args.has("--force"),
    )
    root = begun.session.root.path
    context.say(f"{'Created a bus' if begun.fresh else 'A bus already exists'}: {safe(root)}")
    context.say(f"Your name on the bus is {begun.person}. Every program of your user can read the messages.")
    found = [] if args.has("--no-mounts") else detect_mounts(os.path.dirname(root))
    mounts = _mount(context, found)
    if not context.json and not begun.git:
        context.note("git is missing or does not work here, so palaver snapshot will not work; the rest does")
    if begun.fresh and not found:
        _say_next(context, "palaver agents add bob", 'palaver send bob -m "Hello"', "palaver inbox --as bob")
    return context.show({**begun.plain(), "mounts": mounts})


def _mount(context: Context, found: list[DetectedMount]) -> list[str]:
    """Mount what was found and is wanted; return the names."""
    names: list[str] = []
    for each in found:
        if not context.args.has("--yes") and not _is_wanted(context, each):
            continue
        try:
            fresh = add_mount(connect(context), each.dialect, each.path)
        except AlreadyMounted:
            continue
        names.append(fresh.name)
        context.say(f"Mounted: {fresh.name} ({fresh.mount.dialect} at {safe(fresh.path)})")
    if names:
        report = sync_with_progress(context, connect(context))
        context.say(describe_import(sum(report.messages.values())))
        note_troubles(context, report)
        up, tail = (
            "palaver up          keeps these files in sync",
            "palaver tail        shows the newest events",
        )
        _say_next(context, up, tail)
    return names


def _say_next(context: Context, *steps: str) -> None:
    context.say("\n  ".join(("Next:", *steps)))


def _is_wanted(context: Context, each: DetectedMount) -> bool:
    """Ask the person; without one, say how to mount it later."""
    shown = safe(os.path.relpath(each.path, context.folder))
    if context.is_interactive:
        return context.ask(f"Mount the {each.dialect} files at {shown}? [Y/n] ") in ("", "y", "yes")
    command = f"palaver mount add {each.dialect} {shown}"
    context.say(f"Found {each.dialect} files at {shown}; to mount them: {command}")
    return False
