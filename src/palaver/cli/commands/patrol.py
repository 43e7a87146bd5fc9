"""palaver patrol: check every deadline once."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped
from palaver.model.clock_text import spell_duration
from palaver.supervision.patrol_service import PatrolResult
from palaver.supervision.step import Step

_PATROL = Binding(Bus.patrol, short={"dry_run": "-n"})
SPEC = Spec(
    "patrol",
    "Check every deadline once, and act.",
    options=_PATROL.options,
    text="""
Nudges idle agents, reminds, releases work and escalates; every step says why. palaver up patrols every 30
seconds. Each step is an event that names its cause and is logged once, however many patrols there are.
Time counts only while patrols run: nothing is late because the machine slept. The deadlines are under
[deadlines] in the config; see docs/supervision.md.
""",
    examples=("palaver patrol --dry-run", "palaver patrol --json | jq '.steps[] | .why'"),
)


def run(context: Context) -> int:
    """Patrol once."""
    is_dry_run = context.args.has("--dry-run")
    result = _PATROL.perform(context, note=context.note)
    lines = _lines(result, is_dry_run=is_dry_run)
    return context.show({"dry_run": is_dry_run, **result.plain()}, lines)


def _lines(result: PatrolResult, *, is_dry_run: bool) -> list[str]:
    if not result.steps:
        facts = result.facts
        watched = f"watched for {spell_duration(facts.clock.now)}"
        return [f"Nothing is due: {len(facts.idle_since)} at work, {len(facts.waits)} waits, {watched}"]
    if is_dry_run:
        return [f"would {_row(step)}" for step in result.steps]
    return [_row(step) if step in result.taken else f"done before: {_row(step)}" for step in result.steps]


def _row(step: Step) -> str:
    whom = f" → {', '.join(step.to)}" if step.to and step.to != (step.agent,) else ""
    about = step.task or step.run or step.tag
    shown = f"{step.rule} {step.agent}{whom}" + (f" ({about})" if about else "")
    return f"{shown}: {clipped(step.why, 120)}"
