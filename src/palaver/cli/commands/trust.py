"""palaver trust: accept a bus that you have not created on this machine."""

from palaver.bus import superuser, trust
from palaver.bus.admin import acceptance
from palaver.bus.root import Root
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.daemon.background import stop
from palaver.model.errors import BadArguments, NotPermitted
from palaver.runs import run_config
from palaver.sync.mounts.mount_point import mount_points

SPEC = Spec(
    "trust",
    "Show the settings of a bus that you did not create on this machine, and accept it.",
    options=(
        Option("--yes", short="-y", help="accept it without asking, for scripts"),
        Option("--revoke", help="revoke trust, and end the daemon of the bus"),
    ),
    text="""
A bus decides which files are read and written, and which agents have authority. One that came with a cloned
repository, an archive or a moved folder is not used before you accept it: until then only verify, doctor and
trust look at it. A bus that you created with palaver init is already accepted. A bus whose settings cannot
be shown, because its config cannot be read, is not accepted.
The record is kept outside the bus, in $XDG_STATE_HOME/palaver (~/.local/state/palaver). If that cannot be
written, name the folder of the project in PALAVER_TRUST.
--revoke also holds for programs that palaver run has started: from then on they cannot use the bus.
Commands, and mounts outside the project, are never taken from the bus's own config: see docs/trust.md.
Agents cannot accept a bus: inside a run this command is refused.
""",
    examples=("palaver trust", "palaver trust --yes", "palaver trust --revoke"),
)


def run(context: Context) -> int:
    """Show what the bus would do, ask, and record the answer."""
    root = context.untrusted_root()
    if superuser.is_acting():
        raise NotPermitted(
            f"cannot accept {root.path} for another user", "that user decides", "run it as that user"
        )
    context.refuse_inside_run("change whether a bus is trusted")
    if context.args.has("--revoke"):
        return _revoke(context, root)
    is_trusted = trust.is_trusted(root.path)
    if not is_trusted:
        acceptance.refuse_irregular(root)
    effects = acceptance.review(root, lambda name, fields: _mount(root, name, fields), run_config.asked_for)
    _show(context, root, effects)
    if is_trusted:
        return _answer(context, root, "Already trusted", effects)
    if not context.args.has("--yes") and not _confirmed(context):
        context.say("Not trusted.")
        return NotPermitted.exit
    # One that was started before the bus was moved here, or before trust in it was revoked.
    stop(root)
    acceptance.accept(root)
    return _answer(context, root, "Trusted", effects)


def _revoke(context: Context, root: Root) -> int:
    was_trusted = trust.withdraw(root.path)
    # After the record: a program that runs may start one, and it ends by itself then.
    stop(root)
    outcome = "No longer trusted" if was_trusted else "Not trusted, nothing to revoke"
    if trust.is_trusted(root.path):
        outcome = f"Still trusted, because {trust.VARIABLE} names it"
    return _answer(context, root, outcome, [])


def _answer(context: Context, root: Root, outcome: str, effects: list[acceptance.Effect]) -> int:
    answer = {"root": root.path, "trusted": trust.is_trusted(root.path), "effects": effects}
    return context.show(answer, f"{outcome}: {safe(root.path)}")


def _show(context: Context, root: Root, effects: list[acceptance.Effect]) -> None:
    context.say(f"The bus at {safe(root.path)} has these settings:")
    for effect in effects:
        context.say(f"  {effect.kind:<8} {safe(effect.name):<12} {safe(effect.text)}")
    if not effects:
        context.say("  the defaults")


def _mount(root: Root, name: str, fields: dict[str, str]) -> tuple[str, str]:
    """Return the folder of a mount, and why it would not be used."""
    [found] = mount_points(root.path, {name: fields})
    barred = found.barred()
    return found.path, f"not used: {barred.why}; {barred.fix}" if barred else ""


def _confirmed(context: Context) -> bool:
    if not context.is_interactive:
        raise BadArguments("cannot ask whether you trust this bus", "this is not a terminal", "use --yes")
    return context.ask("Trust this bus? [y/N] ") in ("y", "yes")
