"""End a run from outside: SIGTERM to its group, ten seconds, SIGKILL.

Its keeper does that when it is asked to. Where there is none, or it is frozen, we do it ourselves, and say in
the log how it ended; the event has one key, so it stands once whoever says it.
"""

import os
import signal

from palaver.bus.core import Core, draft
from palaver.log.watch import wait_until
from palaver.model.errors import BadArguments, NotPermitted
from palaver.model.names import BUS
from palaver.runs import living, settings, watching
from palaver.runs.reports import ended
from palaver.runs.watching import GOING, Seen
from palaver.views.runs import Run


def kill(core: Core, run: str, *, agent: str = "", by: str = "", reason: str = "") -> Seen:
    """End a run; return it as it is then. One that is over is refused."""
    found = watching.one(core, run, agent)
    if found.state not in GOING:
        raise BadArguments(f"cannot end {run}", f"it is {found.state}", "palaver runs lists those that run")
    each = found.run
    fields: dict[str, object] = {"run": each.run, "agent": each.agent, "by": by, "reason": reason}
    core.log.append([draft("run.killing", by or BUS, {**fields, "start": each.start}, caused_by=each.start)])
    grace = settings.runs(core.root).kill
    keeper = watching.keeper(each)
    try:
        if keeper is not None and not keeper.frozen:
            os.kill(keeper.pid, signal.SIGTERM)
            if wait_until(lambda: _is_over(core, each), [core.root.log], 2 * grace + 2):
                return watching.one(core, each.run, each.agent)
        _end(core, each, grace)
    except PermissionError as fault:
        raise NotPermitted(f"cannot end {run}", "its process is another user's", "ask them") from fault
    return watching.one(core, each.run, each.agent)


def _is_over(core: Core, run: Run) -> bool:
    return watching.one(core, run.run, run.agent).state not in GOING


def _end(core: Core, run: Run, grace: float) -> None:
    made = living.end(lambda: watching.members(core, run), grace)
    number = signal.SIGKILL if made else signal.SIGTERM
    fields: dict[str, object] = {
        "run": run.run,
        "agent": run.agent,
        "exit": 128 + number,
        "signal": int(number),
    }
    if made:
        fields["made"] = True
    core.log.append([ended(run.start, {**fields, "reason": "killed"})], since=run.seq)
    keeper = watching.keeper(run)
    if keeper is not None:
        # It was frozen; let it see that there is nothing left to keep.
        living.tell([keeper], signal.SIGCONT)
