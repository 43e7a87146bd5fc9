"""Starts workers in the background: each is a `palaver run` of its own that outlives the caller."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import BinaryIO

from palaver.bus.agents import agent_registry
from palaver.bus.session import Session
from palaver.files.regular import open_regular, storage_failed
from palaver.model.errors import AlreadyRunning, BadArguments, NoFreeWorker, ToolMissing
from palaver.model.names import name
from palaver.runs import run_config, status
from palaver.runs.child_program import refuse_missing
from palaver.runs.execution import refuse_another
from palaver.runs.status import GOING, RunStatus
from palaver.runs.traces import file_name

_START_SECONDS = 30.0
_NAP_SECONDS = 0.02
_PALAVER = "from palaver.cli.hot import main; main()"
# Variables of the run that we ourselves may be in.
_OURS = ("PALAVER_RUN", "RUN_ID", "PALAVER_TASK", "WORK_ORDER_ID", "PALAVER_PROMPT")


def slot_name(factory: str, slot: str) -> str:
    """Return the agent of a factory's slot: `slot0`, or just `0`."""
    return name(f"{factory}/workers/{'slot' + slot if slot.isdecimal() else slot}")


def running_worker(core: Session, worker: str) -> RunStatus | None:
    """Return the run of a worker that has not ended, if there is one."""
    for each in status.list_runs(core, agent=worker, going=True, limit=1):
        return each if each.state in GOING else None
    return None


def free_slot(core: Session, factory: str) -> str:
    """Return a slot of a factory in which nothing runs; refuse if all are taken."""
    slots = run_config.load_runs(core.root).slots
    for slot in range(slots):
        worker = slot_name(factory, str(slot))
        if running_worker(core, worker) is None:
            return worker
    raise NoFreeWorker(f"no free slot in {factory}", f"all {slots} are taken", "wait for one, or kill one")


def spawn(
    core: Session,
    worker: str,
    words: list[str],
    *,
    environment: Mapping[str, str],
    umask: int,
    folder: str = "",
    options: tuple[str, ...] = (),
) -> RunStatus:
    """Start a program as a worker, and return its run as soon as it is in the log."""
    if not words:
        raise BadArguments(
            f"cannot start {worker}",
            "the program is missing",
            'pass it after --, or set worker = ["program"] under [runs] in your own config',
        )
    refuse_missing(words[0], environment, ToolMissing.exit)
    refuse_another(core, worker)
    running = running_worker(core, worker)
    if running is not None:
        raise AlreadyRunning(
            f"cannot start {worker}",
            f"{running.run.run} is {running.state} there",
            f"palaver runs kill {running.run.run}",
        )
    agent_registry.register(core, worker)
    since = core.log.last_seq()
    os.makedirs(f"{core.root.path}/run", mode=0o700, exist_ok=True)
    errors = f"{core.root.path}/run/{file_name(worker)}.err"
    inherited = {key: value for key, value in environment.items() if key not in _OURS}
    with _open_errors(errors) as file:
        runner = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-c", _PALAVER, "run", "--as", worker, *options, "--", *words],
            cwd=folder or None,
            env={**inherited, "PALAVER_ROOT": core.root.path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,
            umask=umask,
        )
    return _wait_for_start(core, worker, since, runner, errors)


def _open_errors(path: str) -> BinaryIO:
    try:
        return open(path, "wb", opener=open_regular)
    except OSError as fault:
        raise storage_failed(fault, path) from fault


def _wait_for_start(
    core: Session, worker: str, since: int, runner: "subprocess.Popen[bytes]", errors: str
) -> RunStatus:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        is_over = runner.poll() is not None
        for each in status.list_runs(core, agent=worker, limit=1):
            if each.run.seq > since:
                return each
        if is_over:
            break
        time.sleep(_NAP_SECONDS)
    with open(errors, encoding="utf-8", errors="replace", opener=open_regular) as file:
        why = file.read(500).strip().removeprefix("palaver: ")
    raise ToolMissing(f"{worker} did not start", why or "it did not respond", f"see {errors}")
