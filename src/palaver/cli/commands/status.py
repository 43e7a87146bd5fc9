"""palaver status: what the bytes of every watched file are."""

from palaver.bus.config.config_events import apply
from palaver.cli.arguments import Option, Spec
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe
from palaver.sync.accounts import Account, accounts
from palaver.views.files import findings, outstanding

_FINDINGS = 10

SPEC = Spec(
    "status",
    "What the bytes of every watched file are, what is still to be written, and what was found.",
    options=(Option("--findings", "N", help=f"how many findings to show ({_FINDINGS})"),),
    text="""
Every byte of a watched file is exactly one of: event (it is in the log), ours (we wrote it, or had it
already), quarantined (nobody could read it; it is kept whole), blank, or pending (its end is not written
yet). They add up to its size.
""",
    examples=("palaver status", "palaver status --json | jq '.files[] | select(.pending > 0)'"),
)


def run(context: Context) -> int:
    """Show."""
    shown = context.args.rows("--findings", _FINDINGS)
    bus = bus_of(context)
    apply(bus.session)
    bus.session.sync.catch_up()
    mounts, found = accounts(bus.session)
    db = bus.session.view.current()
    owing = outstanding.waiting(db)
    odd = findings.findings(db, shown)
    if context.json:
        context.answer(
            {
                "mounts": [each.name for each in mounts],
                "files": [each.plain() for each in found],
                "outstanding": owing,
                "findings": odd,
                "behind": bus.session.sync.late,
            }
        )
        return 0
    if not mounts:
        context.say("No mounts; palaver mount add DIALECT PATH")
        return 0
    context.say(
        f"{'file':<44}{'size':>10}{'events':>10}{'ours':>10}{'quarant.':>10}{'blank':>8}{'pending':>9}"
    )
    for each in found:
        context.say(_row(each))
    for mount, count in owing.items():
        context.say(f"{mount}: {count} still to be written")
    if odd:
        context.say("Findings, newest first:")
    for finding in odd:
        where = f"{finding['mount']}:{finding['file']}:{finding['line']}"
        context.say(f"  {clipped(where, 50)}  {finding['code']}  {clipped(str(finding['message']), 70)}")
    return 0


def _row(each: Account) -> str:
    name = clipped(safe(f"{each.mount}:{each.file}"), 43)
    counts = f"{each.size:>10}{each.events:>10}{each.ours:>10}{each.quarantined:>10}"
    counts += f"{each.blank:>8}{each.pending:>9}"
    more = f"  {each.unfit}" if each.unfit else ""
    more += f"  rewritten {each.rewritten}x" if each.rewritten else ""
    return f"{name:<44}{counts}{more}"
