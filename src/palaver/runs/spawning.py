"""Start a worker in the background: a `palaver run` of its own, which outlives whoever asked for it."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import BinaryIO

from palaver.bus.agents import registry
from palaver.bus.session import Session
from palaver.log.faults import storage_failed
from palaver.log.regular import open_regular
from palaver.model.errors import AlreadyRunning, BadArguments, NoFreeWorker, ToolMissing
from palaver.model.names import name
from palaver.runs import settings, watching
from palaver.runs.program import refuse_missing
from palaver.runs.traces import file_name
from palaver.runs.watching import GOING, Seen

_START_SECONDS = 30.0
_NAP_SECONDS = 0.02
_PALAVER = "from palaver.cli.hot import main; main()"
# Of the run that we ourselves may be in.
_OURS = ("PALAVER_RUN", "RUN_ID", "PALAVER_TASK", "WORK_ORDER_ID", "PALAVER_TOKEN", "PALAVER_PROMPT")


def slot_name(factory: str, slot: str) -> str:
    """Return the agent that a slot of a factory is: `slot0`, or just `0`."""
    return name(f"{factory}/workers/{'slot' + slot if slot.isdecimal() else slot}")


def going(core: Session, worker: str) -> Seen | None:
    """Return the run of a worker that has not ended, if there is one."""
    for each in watching.seen(core, agent=worker, going=True, limit=1):
        return each if each.state in GOING else None
    return None


def free_slot(core: Session, factory: str) -> str:
    """Return a slot of a factory in which nothing runs; refuse when all are taken."""
    slots = settings.runs(core.root).slots
    for slot in range(slots):
        worker = slot_name(factory, str(slot))
        if going(core, worker) is None:
            return worker
    raise NoFreeWorker(f"no free slot in {factory}", f"all {slots} are taken", "wait for one, or end one")


def spawn(
    core: Session,
    worker: str,
    words: list[str],
    *,
    environment: Mapping[str, str],
    umask: int,
    folder: str = "",
    options: tuple[str, ...] = (),
) -> Seen:
    """Start a program as a worker, and return its run once that is in the log."""
    if not words:
        raise BadArguments(
            f"cannot start {worker}",
            "no program is named",
            'name one after --, or set worker = ["program"] under [runs] in the config',
        )
    refuse_missing(words[0], environment, ToolMissing.exit)
    there = going(core, worker)
    if there is not None:
        raise AlreadyRunning(
            f"cannot start {worker}",
            f"{there.run.run} is {there.state} there",
            f"palaver runs kill {there.run.run}",
        )
    registry.add_agent(core, worker)
    since = core.log.last_seq()
    os.makedirs(f"{core.root.path}/run", mode=0o700, exist_ok=True)
    trouble = f"{core.root.path}/run/{file_name(worker)}.err"
    given = {key: value for key, value in environment.items() if key not in _OURS}
    with _error_file(trouble) as said:
        keeper = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-c", _PALAVER, "run", "--as", worker, *options, "--", *words],
            cwd=folder or None,
            env={**given, "PALAVER_ROOT": core.root.path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
            umask=umask,
        )
    return _begun(core, worker, since, keeper, trouble)


def _error_file(path: str) -> BinaryIO:
    try:
        return open(path, "wb", opener=open_regular)
    except OSError as fault:
        raise storage_failed(fault, path) from fault


def _begun(core: Session, worker: str, since: int, keeper: "subprocess.Popen[bytes]", trouble: str) -> Seen:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        over = keeper.poll() is not None
        for each in watching.seen(core, agent=worker, limit=1):
            if each.run.seq > since:
                return each
        if over:
            break
        time.sleep(_NAP_SECONDS)
    with open(trouble, encoding="utf-8", errors="replace", opener=open_regular) as said:
        why = said.read(500).strip().removeprefix("palaver: ")
    raise ToolMissing(f"{worker} did not start", why or "nothing was heard of it", f"look at {trouble}")
