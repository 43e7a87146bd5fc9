"""palaver uninstall: remove our hooks from a git repository, or the service."""

from palaver.cli.arguments import Spec
from palaver.cli.commands.install import YES, is_wanted, repository
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.daemon import service_unit
from palaver.runs.repository import git_hooks

SPEC = Spec(
    "uninstall",
    "Remove our hooks from a git repository and restore those from before, or remove the service.",
    words="git [DIR] | service",
    options=(YES,),
    text="A hook that another program has put in the place of ours is left alone.",
    examples=("palaver uninstall git", "palaver uninstall service --yes"),
)


def run(context: Context) -> int:
    """Remove the hooks, or the service."""
    if context.args.words == ["service"]:
        return _uninstall_service(context)
    found = git_hooks.uninstall(repository(context, SPEC), context.environment)
    lines = [f"Removed: {', '.join(found.hooks)} from {safe(found.folder)}"]
    lines += [f"Restored: {', '.join(found.kept)}"] if found.kept else []
    lines += [f"Left alone, because it is not ours: {', '.join(found.foreign)}"] if found.foreign else []
    return context.show(found, lines)


def _uninstall_service(context: Context) -> int:
    found = service_unit.find_service(context.root, context.environment)
    is_ended = is_wanted(context, "End it?")
    if is_ended:
        service_unit.systemctl(context.environment, "disable", "--now", found.unit)
    service_unit.remove(found)
    context.show(found, f"Removed: {safe(found.path)}")
    if is_ended:
        service_unit.systemctl(context.environment, "daemon-reload")
    else:
        context.say("If it runs:")
        context.say(f"  systemctl --user stop {found.unit} && systemctl --user daemon-reload")
    return 0
