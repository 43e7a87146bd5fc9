"""palaver install: hooks in a git repository, or the daemon as a service."""

from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.show import block, safe
from palaver.daemon import service_unit
from palaver.runs.repository import git_hooks

YES = Option("--yes", short="-y", help="run systemctl without asking")
SPEC = Spec(
    "install",
    "Install hooks in a git repository that make commit messages name the run, or the daemon as a service.",
    words="git [DIR] | service",
    options=(YES,),
    text="""
git: inside a run, prepare-commit-msg adds the line "runId: run_001" to the message, and commit-msg refuses a
message without it. Outside a run both do nothing. An existing hook is kept, and runs first.
service: writes a systemd user unit for the daemon of this bus, and shows it. It starts with your session, and
again if it fails. At a terminal the command asks whether to start it now; elsewhere it prints how.
palaver uninstall restores everything.
""",
    examples=("palaver install git", "palaver install service --yes", "palaver uninstall service"),
)


def run(context: Context) -> int:
    """Install the hooks, or the service."""
    if context.args.words == ["service"]:
        return _install_service(context)
    found = git_hooks.install(repository(context, SPEC), context.environment)
    lines = [f"Installed: {', '.join(found.hooks)} in {safe(found.folder)}"]
    lines += [f"Kept, and run first: {', '.join(found.kept)}"] if found.kept else []
    return context.show(found, lines)


def _install_service(context: Context) -> int:
    context.refuse_inside_run("install the service, which serves the dashboard,")
    found = service_unit.install(context.root, context.environment)
    context.show(
        found,
        [f"{'Installed' if found.changed else 'Installed already'}: {safe(found.path)}", block(found.text)],
    )
    if is_wanted(context, "Start it, now and at every login?"):
        service_unit.systemctl(context.environment, "daemon-reload")
        service_unit.systemctl(context.environment, "enable", "--now", found.unit)
    else:
        context.say("To start it, now and at every login:")
        context.say(f"  systemctl --user daemon-reload && systemctl --user enable --now {found.unit}")
    return 0


def is_wanted(context: Context, question: str) -> bool:
    """Return True if the option says so, or the person at the terminal."""
    if context.args.has("--yes"):
        return True
    return context.is_interactive and context.ask(f"{question} [y/N] ") in ("y", "yes")


def repository(context: Context, spec: Spec) -> str:
    """Return the folder in `git [DIR]`, or refuse other words."""
    what, *folder = context.args.words
    if what != "git":
        raise spec.wrong(f"cannot {spec.name} {what[:40]!r}", f"use palaver {spec.name} git, or service")
    return context.path(folder[0]) if folder else context.folder
