"""palaver patrol: check every deadline once."""

from palaver.bus.config.config_events import apply
from palaver.cli.arguments import Option, Spec
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.show import clipped
from palaver.model.clock_text import spell_duration
from palaver.model.errors import LogLocked
from palaver.supervision.patrol_service import PatrolResult, PatrolService
from palaver.supervision.step import Step

SPEC = Spec(
    "patrol",
    "Check every deadline once, and act.",
    options=(Option("--dry-run", short="-n", help="only show what would be done, and why"),),
    text="""
Nudges idle agents, reminds, releases work and escalates; every step says why. palaver up patrols every 30
seconds. Each step is an event that names its cause and is logged once, however many patrols there are.
Time counts only while somebody patrols: a machine that slept makes nobody late. The deadlines are under
[deadlines] in the config; see docs/supervision.md.
""",
    examples=("palaver patrol --dry-run", "palaver patrol --json | jq '.steps[] | .why'"),
)


def run(context: Context) -> int:
    """Do one pass."""
    bus = bus_of(context)
    bus.session.sync.catch_up()
    apply(bus.session, patient=True)
    dry = context.args.has("--dry-run")
    service = PatrolService(bus.session, note=context.note)
    result = service.run_once(dry=dry)
    if result is None:
        bus.session.view.insist()
        raise LogLocked("cannot patrol", "the view cannot be brought up to date now", "try again in a moment")
    if not dry:
        bus.session.sync.write_on()
    _show(context, result, dry=dry)
    context.flush()
    service.wait_for_notifications(result.facts.deadlines["notify"] + 1.0)
    return 0


def _show(context: Context, result: PatrolResult, *, dry: bool) -> None:
    if context.json:
        context.answer({"dry_run": dry, **result.plain()})
        return
    for step in result.steps:
        done = "would" if dry else "" if step in result.taken else "done before:"
        context.say(f"{done} {_row(step)}".strip())
    facts = result.facts
    watched = f"watched for {spell_duration(facts.clock.now)}"
    if not result.steps:
        context.say(f"Nothing is due: {len(facts.idle_since)} at work, {len(facts.waits)} waits, {watched}")


def _row(step: Step) -> str:
    whom = f" → {', '.join(step.to)}" if step.to and step.to != (step.agent,) else ""
    about = step.task or step.run or step.tag
    shown = f"{step.rule} {step.agent}{whom}" + (f" ({about})" if about else "")
    return f"{shown}: {clipped(step.why, 120)}"
