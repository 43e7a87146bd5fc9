"""palaver patrol: look after everything that has a deadline, once."""

from palaver.bus.config.config_events import apply
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.opened import opened
from palaver.cli.show import clipped
from palaver.model.errors import LogLocked
from palaver.supervision.patrolling import Patrolled, Patrols
from palaver.supervision.spelling import lasting
from palaver.supervision.step import Step

SPEC = Spec(
    "patrol",
    "Look after everything that has a deadline, once: wake, remind, release, escalate; say what and why.",
    options=(Option("--dry-run", short="-n", help="only say what would be done, and why"),),
    text="""
palaver up patrols by itself, every 30 seconds. Each step is an event that names its cause and stands once,
however many patrols there are. Time counts only while somebody patrols: a machine that slept makes nobody
late. The deadlines are under [deadlines] in the config; docs/supervision.md tells the rest.
""",
    examples=("palaver patrol --dry-run", "palaver patrol --json | jq '.steps[] | .why'"),
)


def run(context: Context) -> int:
    """Do one pass."""
    bus = opened(context)
    bus.sync.catch_up()
    apply(bus, patient=True)
    dry = context.args.has("--dry-run")
    patrols = Patrols(bus, note=context.note)
    found = patrols.once(dry=dry)
    if found is None:
        bus.view.insist()
        raise LogLocked("cannot patrol", "the view cannot be brought up to date now", "try again in a moment")
    if not dry:
        bus.sync.write_on()
    _show(context, found, dry=dry)
    context.flush()
    patrols.join(found.facts.after("notify") + 1.0)
    return 0


def _show(context: Context, found: Patrolled, *, dry: bool) -> None:
    if context.json:
        context.answer({"dry_run": dry, **found.plain()})
        return
    for step in found.steps:
        done = "would" if dry else "" if step in found.taken else "done before:"
        context.say(f"{done} {_row(step)}".strip())
    facts = found.facts
    watched = f"watched for {lasting(found.watched)}"
    if not found.steps:
        context.say(f"Nothing is due: {len(facts.idle_since)} at work, {len(facts.items)} waits, {watched}")


def _row(step: Step) -> str:
    whom = f" → {', '.join(step.to)}" if step.to and step.to != (step.agent,) else ""
    about = step.task or step.run or step.tag
    shown = f"{step.rule} {step.agent}{whom}" + (f" ({about})" if about else "")
    return f"{shown}: {clipped(step.why, 120)}"
