"""The status of runs: what the log says about them, and what the machine says about their processes.

running    the program runs, and so does its runner, the `palaver run` that started it
idle       the same, and the program has printed nothing for too long
frozen     the program was stopped
orphaned   the runner is gone, the program is not: nobody copies what it prints
ended, crashed, killed
lost       runner and program are gone, and nobody saw the end
elsewhere  the run is on another machine, and cannot be examined from here
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from palaver.bus.operations.fields import AgentName, Rows
from palaver.bus.operations.operation import operation, reads
from palaver.bus.session import Session
from palaver.bus.tasks.clock_file import boot_id
from palaver.log.clock import age, now
from palaver.model.errors import AlreadyRunning, NotFound, Refusal
from palaver.model.limits import ROWS, ROWS_DEFAULT
from palaver.model.masking.masks import clip
from palaver.model.names import name
from palaver.runs import process_table, run_config
from palaver.runs.process_table import ProcessEntry
from palaver.runs.run_events import draft_run_ended
from palaver.runs.script_runs import script_runs
from palaver.runs.traces import run_name
from palaver.views.agents import runs as view
from palaver.views.agents.runs import Run

_STATE_OF_REASON = {"exit": "ended", "crash": "crashed", "killed": "killed", "lost": "lost"}
#: States of a run that has not ended.
GOING = ("running", "idle", "frozen", "orphaned")
Going = Annotated[bool, Meta(description="only runs that have not ended")]
RunName = Annotated[str, Meta(title="RUN", description="id of a run", max_length=2_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """A run, as it is now."""

    run: Run
    state: str
    age: float
    #: Seconds since the last output.
    silent: float

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        return {
            **self.run.plain(),
            "state": self.state,
            "age_seconds": int(self.age),
            "silent_seconds": int(self.silent),
        }


@operation(reads)
def runs(
    session: Session, *, agent: AgentName = "", going: Going = False, limit: Rows = ROWS_DEFAULT
) -> list[RunStatus]:
    """Return the runs that match, newest first, with those that the script run-agent.sh started."""
    found = list_runs(session, agent=agent, going=going, limit=limit)
    others = [
        each
        for each in _script_runs(session)
        if agent in ("", each.run.agent) and (not going or each.state in GOING)
    ]
    return sorted([*found, *others], key=lambda each: each.run.at, reverse=True)[:limit] if others else found


@operation(reads)
def run_parts(session: Session, run: RunName, *, agent: AgentName = "") -> list[RunStatus]:
    """Return the programs of one run, oldest first."""
    run = run_name(run)
    others = [each for each in _script_runs(session) if each.run.run == run]
    if others and not list_runs(session, run=run, limit=1):
        return others
    find_run(session, run, agent)
    return list_runs(session, run=run, agent=agent)[::-1]


def list_runs(
    core: Session, *, run: str = "", agent: str = "", going: bool = False, limit: int = ROWS
) -> list[RunStatus]:
    """Return the newest runs that match, newest first; runs found lost are recorded as such."""
    record_lost(core)
    agent = name(agent) if agent else ""
    found = view.runs(core.view.current(), run=run, agent=agent, going=going, limit=limit)
    idle = run_config.load_runs(core.root).idle
    return [_status(core, each, idle) for each in found]


def _script_runs(core: Session) -> list[RunStatus]:
    return [
        RunStatus(run=run, state=state, age=age(run.at, run.ended or now()), silent=_silence(run))
        for run, state in script_runs(run_config.runs_folder(core.root))
    ]


def find_run(core: Session, run: str, agent: str = "") -> RunStatus:
    """Return a run, of an agent if one is given, or refuse with the names of other runs."""
    found = list_runs(core, run=run, agent=agent, limit=1)
    if not found:
        others = [f"{each.run} ({each.agent})" for each in view.runs(core.view.current(), limit=3)]
        hint = f"the latest runs are {', '.join(others)}" if others else "start one with: palaver run"
        whose = f" of {agent}" if agent else ""
        raise NotFound(f"unknown run {clip(run, 80)}{whose}", "the log has no such run", hint)
    return found[0]


def record_lost(core: Session) -> None:
    """Append an end for every run whose processes are gone and whose end nobody saw."""
    lost = [run for run in view.runs(core.view.current(), going=True, limit=ROWS) if _is_lost(core, run)]
    if not lost:
        return
    drafts = [
        draft_run_ended(
            run.start, {"run": run.run, "agent": run.agent, "exit": 0, "signal": 0, "reason": "lost"}
        )
        for run in lost
    ]
    try:
        core.log.append(drafts, since=min(run.seq for run in lost))
    except Refusal:
        # The next look records it.
        return
    core.view.current()


def refuse_second_start(core: Session, run: str, agent: str) -> None:
    """Refuse to start an agent in a run in which its program is still there."""
    for each in list_runs(core, run=run, agent=agent, limit=1):
        if each.state in GOING:
            raise AlreadyRunning(
                f"cannot start {agent} in {run}",
                f"process {each.run.pid} is {each.state} there",
                f"palaver runs kill {run}",
            )


def runner_process(run: Run) -> ProcessEntry | None:
    """Return the process of a run's runner, if it is still there."""
    return process_table.find_process(run.runner, run.runner_ticks)


def is_here(run: Run) -> bool:
    """Return True if a run was started on this machine, since its last boot."""
    return run.host == process_table.host() and run.boot == boot_id()


def session_of(core: Session, run: Run) -> list[ProcessEntry]:
    """Return every process of a run's session, if that session is still this run's; else nothing.

    A pid means nothing by itself: it may have been reused. A session is a run's if its leader started when
    the log says, or if one of its processes has the run's marks in its environment. While a session has a
    process, its number is not reused; so one process proves all of them.
    """
    if run.pid <= 1 or not is_here(run):
        return []
    session = remaining_session(run)
    if any(each.pid == run.pid for each in session):
        return session
    return session if process_table.run_processes(core.root.path, run.run, run.agent, session) else []


def remaining_session(run: Run) -> list[ProcessEntry]:
    """Return what is left of a session that was a run's just now; nothing if it has another leader."""
    session = process_table.session_processes(run.pid)
    reused = any(each.pid == run.pid and each.ticks != run.ticks for each in session)
    return [] if reused else session


def _status(core: Session, run: Run, idle: float) -> RunStatus:
    state = _STATE_OF_REASON.get(run.reason, "ended") if run.ended else _live_state(core, run)
    silent = _silence(run)
    if state == "running" and silent >= idle:
        state = "idle"
    return RunStatus(run=run, state=state, age=age(run.at, run.ended or now()), silent=silent)


def _silence(run: Run) -> float:
    return age(run.heard or run.at, run.ended or now())


def _is_lost(core: Session, run: Run) -> bool:
    """Return True if all of a run is gone. Its runner is looked for first: usually it is there."""
    if run.host != process_table.host():
        return False
    return run.boot != boot_id() or (runner_process(run) is None and not _is_left(core, run))


def _is_left(core: Session, run: Run) -> bool:
    return process_table.find_process(run.pid, run.ticks) is not None or bool(session_of(core, run))


def _live_state(core: Session, run: Run) -> str:
    if run.host != process_table.host():
        return "elsewhere"
    if run.boot != boot_id():
        return "lost"
    program = process_table.find_process(run.pid, run.ticks)
    if program is not None and program.is_frozen:
        return "frozen"
    if runner_process(run) is not None:
        # If the program is gone, its runner is about to log how it ended; if it never does, it is gone too.
        return "running"
    return "orphaned" if _is_left(core, run) else "lost"
