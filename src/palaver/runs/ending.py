"""End runs from outside: SIGTERM to the session of each, ten seconds, SIGKILL. The one way, whoever asks.

That somebody ends a run is in the log before it is done, so its keeper knows that it did not crash. The
keeper says how it ended; where there is none, or it is frozen, we do. The event has one key, so it stands
once.
"""

import signal
import time

from palaver.bus.session import Session, draft
from palaver.model.errors import BadArguments, NotPermitted, Refusal
from palaver.model.event import Draft, flag
from palaver.model.limits import KEEPER_SECONDS, KILL_SECONDS
from palaver.model.names import BUS
from palaver.runs import living, settings, watching
from palaver.runs.living import Process
from palaver.runs.reports import ended
from palaver.runs.watching import GOING, Seen
from palaver.views.agents import runs as view
from palaver.views.agents.runs import Run

#: How the end of a run is called: it was asked, it was made, nothing was there, it is another machine's.
ASKED, MADE, GONE, ELSEWHERE = "SIGTERM", "SIGKILL", "gone", "elsewhere"
_NAP_SECONDS = 0.02


def kill(core: Session, run: str, *, agent: str = "", by: str = "", reason: str = "") -> Seen:
    """End a run and its keeper; return it as it is then. One that is over is refused."""
    found = watching.one(core, run, agent)
    if found.state not in GOING:
        raise BadArguments(f"cannot end {run}", f"it is {found.state}", "palaver runs lists those that run")
    if not all(living.is_ours(each) for each in watching.members(core, found.run)):
        raise NotPermitted(f"cannot end {run}", "its process is another user's", "ask them")
    end(core, [(found.run, reason)], by=by, for_good=True)
    return watching.one(core, found.run.run, found.run.agent)


def end(
    core: Session, runs: list[tuple[Run, str]], *, by: str = "", key: str = "", for_good: bool = False
) -> list[str]:
    """End runs, each for a reason, all at once; return how each ended.

    For good is with its keeper, so that one that starts a program for each message starts no other. With a
    key it is said once, however many do it.
    """
    try:
        grace = settings.runs(core.root).kill
    except Refusal:
        # Somebody may be half done with the config; that saves nobody.
        grace = KILL_SECONDS
    ends = [_End(core, run, grace, for_good=for_good) for run, _ in runs]
    pairs = zip(ends, runs, strict=True)
    if said := [each.said(by, reason, key) for each, (_, reason) in pairs if each.is_here]:
        core.log.append(said, since=min(run.seq for run, _ in runs))
    for each in ends:
        each.ask()
    waiting = ends
    while waiting := [each for each in waiting if not each.is_over()]:
        time.sleep(_NAP_SECONDS)
    return [each.how() for each in ends]


class _End:
    """The end of one run: asked for, then insisted on, then written down."""

    def __init__(self, core: Session, run: Run, grace: float, *, for_good: bool) -> None:
        self._core = core
        self._run = run
        self._grace = grace
        self._for_good = for_good
        self._made = False
        self._asked = self._emptied = 0.0
        self._left = watching.members(core, run)
        self.is_here = bool(self._left) or self._keeper() is not None

    def said(self, by: str, reason: str, key: str) -> Draft:
        """Return the event that says it."""
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
        """Ask it to end: its keeper, who passes that on, or all of it."""
        keeper = self._keeper() if self._for_good else None
        living.ask_to_end(self._left if keeper is None or keeper.frozen else [keeper])
        self._asked = time.monotonic()

    def is_over(self) -> bool:
        """Make it end, if it had its time; tell whether there is nothing more to wait for."""
        now = time.monotonic()
        if self._left:
            self._left = watching.still(self._run)
        if not self._left:
            self._emptied = self._emptied or now
            return self._is_told() or now - self._emptied > KEEPER_SECONDS
        late = now - self._asked - self._grace - (1.0 if self._for_good else 0.0)
        if late >= 0:
            # Again each time: what was forked while we looked is new to us.
            self._made = True
            living.tell(self._left, signal.SIGKILL)
        return late > KEEPER_SECONDS

    def how(self) -> str:
        """Return how it ended, and write that down where no keeper has."""
        run = self._run
        if not self.is_here:
            return GONE if watching.is_here(run) else ELSEWHERE
        number = signal.SIGKILL if self._made else signal.SIGTERM
        fields: dict[str, object] = {"run": run.run, "agent": run.agent, "reason": "killed"}
        fields |= {"exit": 128 + number, "signal": int(number)}
        if self._made:
            fields["made"] = True
        if self._left:
            fields["left"] = [each.pid for each in self._left]
        [event] = self._core.log.append([ended(run.start, fields)], since=run.seq)
        keeper = self._keeper()
        if keeper is not None and keeper.frozen:
            # Let it see that there is nothing left to keep.
            living.tell([keeper], signal.SIGCONT)
        return MADE if self._made or flag(event.data, "made") else ASKED

    def _is_told(self) -> bool:
        """Tell whether its end is in the log, or nobody is there who would say it."""
        keeper = self._keeper()
        if keeper is None or keeper.frozen:
            return True
        return view.is_over(self._core.view.current(), self._run.start)

    def _keeper(self) -> Process | None:
        return watching.keeper(self._run) if watching.is_here(self._run) else None
