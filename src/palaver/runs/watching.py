"""How runs are now: what the log says of them, and what the machine says of their processes.

running   its program runs, and so does its keeper, the `palaver run` that started it
idle      the same, and it has not printed anything for too long
frozen    somebody has stopped it
orphaned  its keeper is gone, the program is not: nobody copies what it prints
ended, crashed, killed
lost      keeper and program are gone, and nobody saw the end
elsewhere another machine's; it cannot be told from here
"""

from palaver.bus.session import Session
from palaver.bus.tasks.patrol_clock import boot_id
from palaver.log.stamp import now, read
from palaver.model.errors import AlreadyRunning, NotFound, Refusal
from palaver.model.limits import ROWS
from palaver.runs import living, settings
from palaver.runs.living import Process
from palaver.runs.reports import ended
from palaver.views.agents import runs as view
from palaver.views.agents.runs import Run

_OVER = {"exit": "ended", "crash": "crashed", "killed": "killed", "lost": "lost"}
GOING = ("running", "idle", "frozen", "orphaned")


class Seen:
    """A run, as it is now."""

    def __init__(self, run: Run, state: str, *, age: float, silent: float) -> None:
        """Take what the log says, the state in one word, its age, and how long it has been silent."""
        self.run = run
        self.state = state
        self.age = age
        self.silent = silent

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            **self.run.plain(),
            "state": self.state,
            "age_seconds": int(self.age),
            "silent_seconds": int(self.silent),
        }


def seen(
    core: Session, *, run: str = "", agent: str = "", going: bool = False, limit: int = 20
) -> list[Seen]:
    """Return the newest runs that fit, the newest first; an end that nobody saw is noted on the way."""
    note_lost(core)
    found = view.runs(core.view.current(), run=run, agent=agent, going=going, limit=limit)
    idle = settings.runs(core.root).idle
    return [_seen(core, each, idle) for each in found]


def one(core: Session, run: str, agent: str = "") -> Seen:
    """Return a run, of an agent if one is named, or refuse with the names of others."""
    found = seen(core, run=run, agent=agent, limit=1)
    if not found:
        others = [f"{each.run} ({each.agent})" for each in view.runs(core.view.current(), limit=3)]
        hint = f"the last are {', '.join(others)}" if others else "palaver run starts one"
        raise NotFound(f"no run {run[:80]}{' of ' + agent if agent else ''}", "the log has none", hint)
    return found[0]


def note_lost(core: Session) -> None:
    """Append an end for every run whose processes are gone and whose end nobody saw."""
    drafts = []
    since = 0
    for run in view.runs(core.view.current(), going=True, limit=ROWS):
        if _is_lost(core, run):
            fields: dict[str, object] = {"run": run.run, "agent": run.agent, "exit": 0, "signal": 0}
            drafts.append(ended(run.start, {**fields, "reason": "lost"}))
            since = min(since or run.seq, run.seq)
    if drafts:
        try:
            core.log.append(drafts, since=since)
        except Refusal:
            # Whoever looks next says it.
            return
        core.view.current()


def refuse_second(core: Session, run: str, agent: str) -> None:
    """Refuse to start an agent in a run in which its program is still there."""
    for each in seen(core, run=run, agent=agent, limit=1):
        if each.state in GOING:
            raise AlreadyRunning(
                f"cannot start {agent} in {run}",
                f"process {each.run.pid} is {each.state} there",
                f"palaver runs kill {run}",
            )


def program(run: Run) -> Process | None:
    """Return the process of a run's program, if it is still there."""
    return living.process(run.pid, run.ticks)


def keeper(run: Run) -> Process | None:
    """Return the process of a run's keeper, if it is still there."""
    return living.process(run.keeper, run.keeper_ticks)


def is_here(run: Run) -> bool:
    """Tell whether a run was started on this machine, since it was last started itself."""
    return run.host == living.host() and run.boot == boot_id()


def members(core: Session, run: Run) -> list[Process]:
    """Return every process of a run's session, if that is still this run's; else nothing.

    The number of a process means nothing by itself: it may be somebody else's by now. A session is a run's if
    its first process started when the log says, or if one of its processes bears the run's marks in its
    environment. While one process is in a session, nobody else gets its number; so one proves all.
    """
    if run.pid <= 1 or not is_here(run):
        return []
    session = still(run)
    if any(each.pid == run.pid for each in session):
        return session
    return session if living.marked(core.root.path, run.run, run.agent, session) else []


def still(run: Run) -> list[Process]:
    """Return what is left of a session that was a run's just now; nothing if it has another leader."""
    session = living.of_session(run.pid)
    stranger = any(each.pid == run.pid and each.ticks != run.ticks for each in session)
    return [] if stranger else session


def _seen(core: Session, run: Run, idle: float) -> Seen:
    state = _OVER.get(run.reason, "ended") if run.ended else _state(core, run)
    at = now()
    until = run.ended or at
    silent = _seconds(run.heard or run.at, until)
    if state == "running" and silent >= idle:
        state = "idle"
    return Seen(run, state, age=_seconds(run.at, until), silent=silent)


def _is_lost(core: Session, run: Run) -> bool:
    """Tell whether all of a run is gone. Its keeper, who is there as a rule, is looked for first."""
    if run.host != living.host():
        return False
    return run.boot != boot_id() or (keeper(run) is None and not _is_left(core, run))


def _is_left(core: Session, run: Run) -> bool:
    return program(run) is not None or bool(members(core, run))


def _state(core: Session, run: Run) -> str:
    if run.host != living.host():
        return "elsewhere"
    if run.boot != boot_id():
        return "lost"
    kept = keeper(run) is not None
    first = program(run)
    if first is not None and first.frozen:
        return "frozen"
    if kept:
        # Where the program is gone, it is about to say how it ended; if it never does, it is gone too.
        return "running"
    return "orphaned" if _is_left(core, run) else "lost"


def _seconds(since: str, until: str) -> float:
    try:
        return max(0.0, read(until) - read(since))
    except ValueError:
        return 0.0
