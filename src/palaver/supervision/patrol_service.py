"""Runs patrols and takes the steps they decide: the rim, where the clock, the log and processes are.

Every step is an event of `palaver` that names its cause, with a key made from it: however many patrols,
processes and restarts there are, it is logged once. An agent is checked once more right before it is killed.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Annotated

from msgspec import Meta

from palaver.bus.config.config_events import apply
from palaver.bus.operations.operation import inspects, operation
from palaver.bus.operations.request import PYTHON_ONLY
from palaver.bus.session import Session, draft
from palaver.bus.tasks.clock_file import boot_id, clock_path, load_clock, save_clock
from palaver.bus.tasks.consequences import settle
from palaver.model.deadlines import PatrolClock, in_force
from palaver.model.errors import LogLocked, Refusal
from palaver.model.limits import KILL_SECONDS, LOCK_SECONDS, ROWS, RUNNER_SECONDS
from palaver.model.names import BUS
from palaver.runs import kill, status
from palaver.supervision.facts import Facts
from palaver.supervision.facts_query import read_facts
from palaver.supervision.notify_command import notify
from palaver.supervision.patrol import patrol
from palaver.supervision.step import Step, StepRule
from palaver.supervision.step_events import RunEnds, draft_events
from palaver.views.agents import runs
from palaver.views.agents.runs import Run

# A patrol that did nothing is worth an event once in so many seconds.
_REPORT_SECONDS = 3_600.0
OnlyShow = Annotated[bool, Meta(description="only show what would be done, and why")]
Note = Annotated[
    Callable[[str], None] | None,
    Meta(description="called with a notification that failed", extra={PYTHON_ONLY: 1}),
]
_FIRST_PAUSE_SECONDS, _FAULT_PAUSE_SECONDS = 1.0, 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PatrolResult:
    """What one pass found and did."""

    facts: Facts
    steps: list[Step]
    #: The steps that this pass was the first to take.
    taken: list[Step]

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        return {
            "agents": len(self.facts.team.live),
            "working": len(self.facts.idle_since),
            "waits": len(self.facts.waits),
            "watched_seconds": round(self.facts.clock.now, 3),
            "steps": [{**step.plain(), "taken": step in self.taken} for step in self.steps],
        }


class PatrolService:
    """Patrols over one bus, by one process."""

    def __init__(
        self,
        core: Session,
        *,
        note: Callable[[str], None],
        ticks: Callable[[], float] = time.monotonic,
        boot: Callable[[], str] = boot_id,
    ) -> None:
        """Take the bus, where to report faults, and the machine's clock."""
        self._core = core
        self._note = note
        self._ticks = ticks
        self._boot = boot
        self._due = 0.0
        self._thread: Thread | None = None
        self._notifications: list[Thread] = []

    # --- for the daemon ---

    def run_if_due(self) -> None:
        """Patrol in a thread of its own, if it is time and no patrol is running."""
        if (self._thread is not None and self._thread.is_alive()) or self._ticks() < self._due:
            return
        self._due = self._ticks() + _FIRST_PAUSE_SECONDS
        self._thread = Thread(target=self._run_guarded, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Wait for a running pass to end."""
        if self._thread is not None:
            self._thread.join(KILL_SECONDS + RUNNER_SECONDS + 2 * LOCK_SECONDS)

    def _run_guarded(self) -> None:
        try:
            result = self.run_once()
        except (Refusal, OSError) as fault:
            self._note(f"patrol: {fault}")
            self._due = self._ticks() + _FAULT_PAUSE_SECONDS
            return
        if result is not None:
            self._due = self._ticks() + result.facts.deadlines["patrol"]

    # --- one pass ---

    def run_once(self, *, dry: bool = False) -> PatrolResult | None:
        """Do one pass; return None if the view cannot be brought up to date: deciding needs all facts."""
        core = self._core
        if not dry:
            # The patrol must know of programs whose end nobody saw.
            status.record_lost(core)
        db = core.view.current(LOCK_SECONDS)
        if core.view.behind:
            return None
        with _collector_paused():
            with core.view.held():
                head = db.seq
                roster = core.view.roster()
                gap = in_force(roster.config)["gap"]
                clock = load_clock(core).advance(ticks=self._ticks(), boot=self._boot(), head=head, gap=gap)
                facts = read_facts(db, roster, clock)
            steps = patrol(facts)
        if dry:
            return PatrolResult(facts=facts, steps=steps, taken=[])
        self._save(clock)
        result = PatrolResult(facts=facts, steps=steps, taken=self._take(facts, steps, head))
        self._notifications = notify(core, facts, self._note)
        self._report(result, head)
        return result

    def wait_for_notifications(self, seconds: float) -> None:
        """Wait until the notification commands have ended, but not longer than this."""
        deadline = time.monotonic() + seconds
        for each in self._notifications:
            each.join(max(0.0, deadline - time.monotonic()))

    def _save(self, clock: PatrolClock) -> None:
        """Save the clock; without it the next pass takes every event for new, and nothing worse happens."""
        try:
            save_clock(self._core, clock)
        except OSError as fault:
            self._note(f"cannot write {clock_path(self._core)}: {fault.strerror or fault}")

    def _take(self, facts: Facts, steps: list[Step], head: int) -> list[Step]:
        """Take the steps; return those that nobody had taken before."""
        killed = {(step.since, step.agent) for step in steps if step.rule is StepRule.KILL}
        taken = self._append(
            facts, [step for step in steps if (step.since, step.agent) not in killed], {}, head
        )
        if killed:
            hard = [step for step in steps if (step.since, step.agent) in killed]
            taken += self._kill(facts, hard, head)
        if taken:
            settle(self._core)
            self._core.wakeups.ring(sorted({name for step in taken for name in step.to}))
        return taken

    def _kill(self, facts: Facts, steps: list[Step], head: int) -> list[Step]:
        """Kill programs and release their agents' work, except for agents that have just been active."""
        db = self._core.view.current(LOCK_SECONDS)
        if self._core.view.behind:
            return []
        active = dict(db.execute("select agent, seq from activity"))
        going = {step.agent: runs.runs(db, agent=step.agent, going=True, limit=ROWS) for step in steps}
        steps = [step for step in steps if _is_still_due(step, active, going[step.agent])]
        doomed = [
            (run, step.why) for step in steps if step.rule is StepRule.KILL for run in going[step.agent]
        ]
        ends: dict[str, RunEnds] = {}
        for (run, _), how in zip(doomed, kill.end_runs(self._core, doomed, key="patrol"), strict=True):
            ends.setdefault(run.agent, {})[run.run] = how
        return self._append(facts, steps, ends, head)

    def _append(self, facts: Facts, steps: list[Step], ends: Mapping[str, RunEnds], head: int) -> list[Step]:
        """Append the events of steps; return the steps that are in the log because of us."""
        drafts = [
            (step, event)
            for step in steps
            for event in draft_events(facts, step, self._cause(step), ends.get(step.agent, {}))
        ]
        events = self._core.log.append([event for _, event in drafts], since=head)
        ours = [
            step
            for (step, wanted), event in zip(drafts, events, strict=True)
            if event.event_id == wanted.event_id
        ]
        return [step for step in steps if step in ours]

    def _cause(self, step: Step) -> str:
        event = self._core.log.event(step.since)
        return event.event_id if event else f"seq-{step.since}"

    def _report(self, result: PatrolResult, head: int) -> None:
        """Log that a patrol took place: when it did something, or else once an hour."""
        facts, taken = result.facts, result.taken
        if not taken and facts.clock.age(facts.last_patrol) < _REPORT_SECONDS:
            return
        rules = [step.rule.value for step in taken]
        data: dict[str, object] = {
            "workers_checked": len(facts.team.live),
            "idle_found": len({step.agent for step in taken if step.rule in ("nudge", "kill", "wake")}),
            "nudges_sent": sum(rule in ("nudge", "wake", "remind") for rule in rules),
            "kills_executed": rules.count("kill"),
            "steps": {rule: rules.count(rule) for rule in sorted(set(rules))},
        }
        key = taken[0].key(self._cause(taken[0])) if taken else "hour"
        self._core.log.append(
            [draft("patrol.completed", BUS, data, key=f"patrol:{facts.last_patrol}:{key}")], since=head
        )


@operation(inspects)
def run_patrol(session: Session, *, dry_run: OnlyShow = False, note: Note = None) -> PatrolResult:
    """Check every deadline once, and act. Each step is logged once, so no key is needed."""
    session.sync.catch_up()
    apply(session, patient=True)
    service = PatrolService(session, note=note or (lambda _: None))
    result = service.run_once(dry=dry_run)
    if result is None:
        session.view.insist()
        raise LogLocked("cannot patrol", "the view cannot be brought up to date now", "try again in a moment")
    if not dry_run:
        session.sync.write_on()
    service.wait_for_notifications(result.facts.deadlines["notify"] + 1.0)
    return result


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector: a patrol makes very many values and needs all of them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _is_still_due(step: Step, active: dict[str, int], going: list[Run]) -> bool:
    """Return True if the agent was not active or restarted since, and we do not run inside its program."""
    restarted = any(run.seq > step.since or _is_our_session(run) for run in going)
    return active.get(step.agent, 0) <= step.since and not restarted


def _is_our_session(run: Run) -> bool:
    # In a container a session may be numbered 0, and so is a program that nobody knows.
    return status.is_here(run) and run.pid == os.getsid(0)
