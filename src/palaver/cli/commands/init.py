"""palaver init: make a bus in this folder."""

import os
import sys

from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.sync import describe_import, note_troubles, sync_with_progress
from palaver.cli.connection import bus_of, connect
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.model.errors import AlreadyMounted
from palaver.sync.mounts import registration
from palaver.sync.mounts.detection import detect_mounts
from palaver.sync.mounts.registration import MountRequest
from palaver.wiring import begin

SPEC = Spec(
    "init",
    "Make a bus in this folder; one that is there is left as it is.",
    options=(
        Option("--person", "NAME", help="what to call you; else your user name"),
        Option("--yes", short="-y", help="mount what is found, and ask nothing"),
        Option("--no-mounts", help="do not look for files of agents"),
    ),
    text="""
Everything lies in .palaver, for you alone (0700), and is kept out of the surrounding git repository. Inside
a linked worktree the bus is made in the main one, so that all worktrees share it; in a subfolder of a
repository that has a bus, that one is used. --root makes one just there.
If agents already talk through files here (messages/, .work/, MESSAGE-BUS.md, collab/, channel.jsonl, or a
team in ~/.claude/teams), you are asked whether to mount them.
""",
    examples=("palaver init", "palaver init --yes", "palaver init --root ../project --person ada"),
)


def run(context: Context) -> int:
    """Make it."""
    args = context.args
    begun = begin(args.text("--root"), args.text("--person"), force=args.has("--force"))
    person = begun.person
    if not context.json:
        context.say(
            f"{'A new bus' if begun.fresh else 'The bus was there already'}: {safe(begun.session.root.path)}"
        )
        context.say(f"You are {person}. Every agent on this machine can read what is said here.")
    found = [] if args.has("--no-mounts") else detect_mounts(os.path.dirname(begun.session.root.path))
    mounts = _mounted(context, found)
    if context.json:
        context.answer({**begun.plain(), "mounts": mounts})
        return 0
    if not begun.git:
        context.note("git is missing or refuses: the bus works, but palaver snapshot will not")
    if begun.fresh and not found:
        context.say("Next:")
        context.say("  palaver agents add bob")
        context.say('  palaver send bob -m "Hello"')
        context.say("  palaver inbox --as bob")
    return 0


def _mounted(context: Context, found: list[MountRequest]) -> list[str]:
    """Mount what was found and is wanted; return the names."""
    names: list[str] = []
    for each in found:
        if not context.args.has("--yes") and not _wanted(context, each):
            continue
        bus = bus_of(context)
        try:
            fresh = registration.add(bus.session, each)
        except AlreadyMounted:
            continue
        names.append(fresh.name)
        if not context.json:
            context.say(f"Mounted: {fresh.name} ({fresh.mount.dialect} at {safe(fresh.path)})")
    if names:
        report = sync_with_progress(connect(context))
        if not context.json:
            context.say(describe_import(sum(report.messages.values())))
            note_troubles(context, report)
            context.say("Next:")
            context.say("  palaver up          keeps these files in sync")
            context.say("  palaver tail        shows the newest events")
    return names


def _wanted(context: Context, each: MountRequest) -> bool:
    """Ask, where somebody can answer; else say how to do it."""
    shown = safe(os.path.relpath(each.path))
    if context.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        if not context.json:
            context.say(
                f"Found {each.dialect} files at {shown}; "
                f"to mount them: palaver mount add {each.dialect} {shown}"
            )
        return False
    context.flush()
    sys.stdout.write(f"Mount the {each.dialect} files at {shown}? [Y/n] ")
    sys.stdout.flush()
    answer = sys.stdin.readline()
    # An empty line means yes; no line at all means that nobody is there.
    return answer.strip().lower() in ("", "y", "yes") and bool(answer)
