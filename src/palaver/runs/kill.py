"""Kills runs from outside: SIGTERM to the session of each, ten seconds, SIGKILL. The only way to do it.

That a run is being killed is in the log before it is done, so its runner knows that it did not crash. The
runner logs how the program ended; if there is no runner, or it is stopped, we do. The event has one key, so
it is logged once.
"""

import signal
import time

from palaver.bus.operations import keys
from palaver.bus.operations.fields import AgentName, Key, Reason
from palaver.bus.operations.operation import operation, writes
from palaver.bus.power_check import require
from palaver.bus.session import Session, draft
from palaver.model.errors import BadArguments, NotPermitted, Refusal
from palaver.model.event import Draft, Event, flag
from palaver.model.limits import KILL_SECONDS, RUNNER_SECONDS
from palaver.model.names import BUS
from palaver.runs import process_table, run_config, run_records, status
from palaver.runs.process_table import ProcessEntry
from palaver.runs.run_events import draft_run_ended
from palaver.runs.status import GOING, RunName, RunStatus
from palaver.runs.traces import run_name
from palaver.views.agents import runs as view
from palaver.views.agents.runs import Run

#: How a run ended: it was asked to, it was made to, it was not there, or it is on another machine.
ASKED, MADE, GONE, ELSEWHERE = "SIGTERM", "SIGKILL", "gone", "elsewhere"
_NAP_SECONDS = 0.02


def _killed_before(session: Session, first: Event) -> list[RunStatus]:
    return status.run_parts(session, keys.expect_done(first, "kill_run"))


@operation(writes, repeat=_killed_before)
def kill_run(
    session: Session, run: RunName, *, agent: AgentName = "", reason: Reason = "", key: Key = ""
) -> list[RunStatus]:
    """Kill the programs of a run that have not ended."""
    run = run_name(run)
    going = status.list_runs(session, run=run, agent=agent, going=True) or [
        status.find_run(session, run, agent)
    ]
    ended = [kill_program(session, run, each.run.agent, by=session.agent, reason=reason) for each in going]
    keys.mark_done(session, "kill_run", session.agent or BUS, key, about=run)
    return ended


def kill_program(core: Session, run: str, agent: str, *, by: str, reason: str) -> RunStatus:
    """Kill an agent's program in a run, and its runner; return its status then. Refuse if it has ended."""
    found = status.find_run(core, run, agent)
    require(core, "kill", by=by, over=found.run.agent)
    if found.state not in GOING:
        raise BadArguments(f"cannot kill {run}", f"it is {found.state}", "palaver runs lists the live ones")
    if not _Proof(core, found.run).is_given:
        raise NotPermitted(
            f"cannot kill {run}",
            f"only the log says that process {found.run.pid} is that run: it was not started here",
            f"look at the process, and end it yourself: kill {found.run.pid}",
        )
    if not all(process_table.can_signal(each) for each in status.session_of(core, found.run)):
        raise NotPermitted(f"cannot kill {run}", "its process belongs to another user", "ask them")
    end_runs(core, [(found.run, reason)], by=by, with_runner=True)
    return status.find_run(core, found.run.run, found.run.agent)


def end_runs(
    core: Session, runs: list[tuple[Run, str]], *, by: str = "", key: str = "", with_runner: bool = False
) -> list[str]:
    """End runs, each for a reason, all at once; return how each ended.

    With its runner, a run that starts a program for each message starts no other. With a key the announcement
    is logged once, however many processes do it.
    """
    try:
        grace = run_config.load_runs(core.root).kill
    except Refusal:
        # The config may be half edited; the run is killed all the same.
        grace = KILL_SECONDS
    kills = [_Kill(core, run, grace, with_runner=with_runner) for run, _ in runs]
    announcements = [
        each.announce(by, reason, key) for each, (_, reason) in zip(kills, runs, strict=True) if each.is_here
    ]
    if announcements:
        core.log.append(announcements, since=min(run.seq for run, _ in runs))
    for each in kills:
        each.ask()
    waiting = kills
    while waiting := [each for each in waiting if not each.is_over()]:
        time.sleep(_NAP_SECONDS)
    return [each.record() for each in kills]


class _Proof:
    """What this machine itself knows of the processes that are a run by the log, which may be forged."""

    def __init__(self, core: Session, run: Run) -> None:
        session = status.session_of(core, run)
        is_recorded = run_records.is_ours(core.root.path, run)
        marked = process_table.run_processes(core.root.path, run.run, run.agent, session)
        #: Whether the session is that of the run, and whether the runner is its runner.
        self.is_given = is_recorded or bool(marked)
        self.has_runner = is_recorded or any(
            each.pid == run.pid and each.parent == run.runner for each in marked
        )


class _Kill:
    """The end of one run: asked for, then enforced, then recorded."""

    def __init__(self, core: Session, run: Run, grace: float, *, with_runner: bool) -> None:
        self._core = core
        self._run = run
        self._grace = grace
        self._with_runner = with_runner
        self._made = False
        self._asked_at = self._emptied_at = 0.0
        self._proof = _Proof(core, run)
        self._left = status.session_of(core, run) if self._proof.is_given else []
        self.is_here = bool(self._left) or self._runner() is not None

    def announce(self, by: str, reason: str, key: str) -> Draft:
        """Return the event that announces it."""
        run = self._run
        fields: dict[str, object] = {"run": run.run, "agent": run.agent, "by": by, "reason": reason}
        return draft(
            "run.killing",
            by or BUS,
            {**fields, "start": run.start},
            key=f"{key}:{run.start}" if key else "",
            caused_by=run.start,
        )

    def ask(self) -> None:
        """Ask the runner to end, which passes that on, or else the whole session."""
        runner = self._runner() if self._with_runner else None
        process_table.ask_to_end(self._left if runner is None or runner.is_frozen else [runner])
        self._asked_at = time.monotonic()

    def is_over(self) -> bool:
        """Send SIGKILL if the grace period has passed; return True if there is nothing more to wait for."""
        now = time.monotonic()
        if self._left:
            self._left = status.remaining_session(self._run)
        if not self._left:
            self._emptied_at = self._emptied_at or now
            return self._is_recorded() or now - self._emptied_at > RUNNER_SECONDS
        late = now - self._asked_at - self._grace - (1.0 if self._with_runner else 0.0)
        if late >= 0:
            # Each time again: processes forked in between are new.
            self._made = True
            process_table.send_signal(self._left, signal.SIGKILL)
        return late > RUNNER_SECONDS

    def record(self) -> str:
        """Log how it ended unless the runner has; return how."""
        run = self._run
        if not self.is_here:
            return GONE if status.is_here(run) else ELSEWHERE
        number = signal.SIGKILL if self._made else signal.SIGTERM
        fields: dict[str, object] = {"run": run.run, "agent": run.agent, "reason": "killed"}
        fields |= {"exit": 128 + number, "signal": int(number)}
        if self._made:
            fields["made"] = True
        if self._left:
            fields["left"] = [each.pid for each in self._left]
        [event] = self._core.log.append([draft_run_ended(run.start, fields)], since=run.seq)
        runner = self._runner()
        if runner is not None and runner.is_frozen:
            # Let it see that there is nothing left to keep.
            process_table.send_signal([runner], signal.SIGCONT)
        return MADE if self._made or flag(event.data, "made") else ASKED

    def _is_recorded(self) -> bool:
        """Return True if the end is in the log, or there is no runner that would log it."""
        runner = self._runner()
        if runner is None or runner.is_frozen:
            return True
        return view.is_over(self._core.view.current(), self._run.start)

    def _runner(self) -> ProcessEntry | None:
        is_known = self._proof.has_runner and status.is_here(self._run)
        return status.runner_process(self._run) if is_known else None
