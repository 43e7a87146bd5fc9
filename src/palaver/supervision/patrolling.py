"""Carrying out what a patrol decided: the rim, where the clock, the log and processes are.

Every step is an event of `palaver` that names its cause, with a key made from it: however many patrols,
processes and restarts there are, it stands once. Who is to be killed is looked at once more, right before.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.session import Session, draft
from palaver.bus.tasks.consequences import settle
from palaver.bus.tasks.patrol_clock import boot_id, keep, kept, path_of
from palaver.model.errors import Refusal
from palaver.model.event import Draft
from palaver.model.limits import KEEPER_SECONDS, KILL_SECONDS, LOCK_SECONDS, ROWS
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.watch import Watch
from palaver.runs import ending, watching
from palaver.supervision.facts import Facts, gather
from palaver.supervision.notifying import notify
from palaver.supervision.patrol import patrol
from palaver.supervision.step import PLAIN, Step
from palaver.views.agents import runs
from palaver.views.agents.runs import Run

# A patrol that did nothing is worth an event once in so many seconds.
_HOUR = 3_600.0
# How each run of each agent ended.
Endings = dict[str, dict[str, str]]
_HARDEST = (ending.MADE, ending.ASKED, ending.ELSEWHERE, ending.GONE)


class Patrolled:
    """What one pass did."""

    __slots__ = ("facts", "steps", "taken", "watched")

    def __init__(self, facts: Facts, steps: list[Step]) -> None:
        """Take what was looked at, and what was due."""
        self.facts = facts
        self.steps = steps
        # Those that this pass was the first to take.
        self.taken: list[Step] = []
        self.watched = facts.watch.now

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "agents": len(self.facts.live),
            "working": len(self.facts.idle_since),
            "waits": len(self.facts.items),
            "watched_seconds": round(self.watched, 3),
            "steps": [{**step.plain(), "taken": step in self.taken} for step in self.steps],
        }


class Patrols:
    """Patrols over one bus, by one process."""

    def __init__(
        self,
        core: Session,
        *,
        note: Callable[[str], None],
        ticks: Callable[[], float] = time.monotonic,
        boot: Callable[[], str] = boot_id,
    ) -> None:
        """Take the bus, who says what goes wrong, and the machine's clock."""
        self._core = core
        self._note = note
        self._ticks = ticks
        self._boot = boot
        self._due = 0.0
        self._thread: Thread | None = None
        self._callers: list[Thread] = []

    # --- for a process that lives long ---

    def turn(self) -> None:
        """Patrol in a thread of its own, if it is time and none is under way: nobody waits for it."""
        if (self._thread is not None and self._thread.is_alive()) or self._ticks() < self._due:
            return
        # Until it says otherwise, the next one comes soon.
        self._due = self._ticks() + 1.0
        self._thread = Thread(target=self._guarded, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let a pass that is under way come to its end."""
        if self._thread is not None:
            self._thread.join(KILL_SECONDS + KEEPER_SECONDS + 2 * LOCK_SECONDS)

    def _guarded(self) -> None:
        try:
            found = self.once()
        except (Refusal, OSError) as fault:
            self._note(f"patrol: {fault}")
            self._due = self._ticks() + 5.0
            return
        if found is not None:
            self._due = self._ticks() + found.facts.after("patrol")

    # --- one pass ---

    def once(self, *, dry: bool = False) -> Patrolled | None:
        """Do one pass; None if the view cannot be brought up to date: who decides must know all."""
        core = self._core
        if not dry:
            # An end that nobody saw is one that the patrol must know of.
            watching.note_lost(core)
        # By the settings that are in force: whoever writes the config may be half done with it.
        db = core.view.current(LOCK_SECONDS)
        if core.view.behind:
            return None
        watch = kept(core)
        with _uncollected():
            with core.view.held():
                [(head,)] = db.execute("select seq from place")
                facts = gather(db, core.view.roster(), watch)
                watch.look(ticks=self._ticks(), boot=self._boot(), head=head, gap=facts.after("gap"))
            found = Patrolled(facts, patrol(facts, watch.now))
        found.watched = watch.now
        if not dry:
            self._save(watch)
            self._carry_out(found, head)
            self._callers = notify(core, facts, self._note)
            self._complete(found, head)
        return found

    def join(self, seconds: float) -> None:
        """Wait until the commands of people have ended, but not longer than this."""
        deadline = time.monotonic() + seconds
        for each in self._callers:
            each.join(max(0.0, deadline - time.monotonic()))

    def _save(self, watch: Watch) -> None:
        """Write it down; without, the next pass takes everything for new, and nothing worse happens."""
        try:
            keep(self._core, watch)
        except OSError as fault:
            self._note(f"cannot write {path_of(self._core)}: {fault.strerror or fault}")

    def _carry_out(self, found: Patrolled, head: int) -> None:
        killed = {(step.since, step.agent) for step in found.steps if step.rule == "kill"}
        gentle = [step for step in found.steps if (step.since, step.agent) not in killed]
        self._write(found, gentle, {}, head)
        if killed:
            hard = [step for step in found.steps if (step.since, step.agent) in killed]
            self._end(found, hard, head)
        if found.taken:
            settle(self._core)
            self._core.wakeups.ring(sorted({name for step in found.taken for name in step.to}))

    def _end(self, found: Patrolled, steps: list[Step], head: int) -> None:
        """End programs and take their agents out of their work, unless one of them has just moved."""
        db = self._core.view.current(LOCK_SECONDS)
        if self._core.view.behind:
            return
        active = dict(db.execute("select agent, seq from activity"))
        going = {step.agent: runs.runs(db, agent=step.agent, going=True, limit=ROWS) for step in steps}
        steps = [step for step in steps if _is_still_due(step, active, going[step.agent])]
        doomed = [(run, step.why) for step in steps if step.rule == "kill" for run in going[step.agent]]
        hows = ending.end(self._core, doomed, key="patrol")
        endings: Endings = {step.agent: {} for step in steps if step.rule == "kill"}
        for (run, _), how in zip(doomed, hows, strict=True):
            endings[run.agent][run.run] = how
        self._write(found, steps, endings, head)

    def _write(self, found: Patrolled, steps: list[Step], endings: Endings, head: int) -> None:
        """Append what the steps are; note which of them stand because of us."""
        core = self._core
        drafts: list[tuple[Step, Draft]] = []
        for step in steps:
            if step.rule in ("lease", "warn"):
                drafts.append((step, found.facts.leases[step.task].drafted(step.rule)))
            else:
                cause = self._cause(step.since)
                drafts += [(step, each) for each in _drafts(step, cause, endings.get(step.agent))]
        events = core.log.append([each for _, each in drafts], since=head)
        for (step, wanted), event in zip(drafts, events, strict=True):
            if event.event_id == wanted.event_id and step not in found.taken:
                found.taken.append(step)

    def _cause(self, seq: int) -> str:
        events = self._core.log.read(seq - 1, 1) if seq else []
        return events[0].event_id if events and events[0].seq == seq else f"seq-{seq}"

    def _complete(self, found: Patrolled, head: int) -> None:
        """Say that somebody patrolled: when something was done, else once an hour."""
        facts = found.facts
        if not found.taken and facts.watch.age(facts.patrolled) < _HOUR:
            return
        rules = [step.rule for step in found.taken]
        data: dict[str, object] = {
            "workers_checked": len(facts.live),
            "idle_found": len({step.agent for step in found.taken if step.rule in ("nudge", "kill", "wake")}),
            "nudges_sent": sum(rule in ("nudge", "wake", "remind") for rule in rules),
            "kills_executed": rules.count("kill"),
            "steps": {rule: rules.count(rule) for rule in sorted(set(rules))},
        }
        key = found.taken[0].key(self._cause(found.taken[0].since)) if found.taken else "hour"
        self._core.log.append(
            [draft("patrol.completed", BUS, data, key=f"patrol:{facts.patrolled}:{key}")], since=head
        )


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let the collector of garbage rest: among things that are all wanted it would look in vain."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _is_still_due(step: Step, active: dict[str, int], going: list[Run]) -> bool:
    """Tell whether an agent has done nothing since, has not been started anew, and is not who patrols."""
    anew = any(run.seq > step.since or _is_inside(run) for run in going)
    return active.get(step.agent, 0) <= step.since and not anew


def _is_inside(run: Run) -> bool:
    """Tell whether we run in it. In a container a session may be numbered 0, as is a program nobody knows."""
    return watching.is_here(run) and run.pid == os.getsid(0)


def _drafts(step: Step, cause: str, ended: dict[str, str] | None) -> list[Draft]:
    """Return the events that a step is."""
    key = step.key(cause)
    caused_by = cause if cause.startswith("evt-") else ""
    if step.rule == "withdraw":
        data: dict[str, object] = {"message_id": step.message, "by": BUS}
        return [draft("mail.withdrawn", BUS, data, key=key, caused_by=caused_by, correlation_id=step.message)]
    if step.rule == "kill":
        data = {"agent": step.agent, "run": step.run, "why": step.why, "steps": step.taken()}
        # Of several runs the hardest end is named, and that of each.
        data["how"] = next((how for how in _HARDEST if how in (ended or {}).values()), "none")
        data["runs"] = ended or {}
        return [draft("agent.killed", BUS, data, key=key, caused_by=caused_by)]
    said = mail_sent(_message(step), key=key, caused_by=caused_by)
    # Whoever's name it is in, it is the bus that says it.
    said.actor = BUS
    if step.rule != "nudge":
        return [said]
    nudged: dict[str, object] = {"agent": step.agent, "message_id": said.data["message_id"], "why": step.why}
    return [said, draft("agent.nudged", BUS, nudged, key=f"{key}:event", caused_by=caused_by)]


def _message(step: Step) -> Message:
    meta: dict[str, object] = {"rule": step.rule, "steps": step.taken()}
    if step.fence:
        meta["fence"] = step.fence
    return Message(
        sender=step.sender or BUS,
        to=list(step.to),
        act=step.act,
        body=step.body,
        task=step.task,
        priority="urgent" if step.rule == "escalate" else "normal",
        tag=step.tag if step.tag.isupper() and step.tag != PLAIN else "",
        meta=meta,
        auth="token",
    )
