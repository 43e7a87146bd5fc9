"""palaver runs: list, show and kill the runs of agents."""

import os
import signal

from palaver.cli.arguments import Option, Spec
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.show import block, clipped, safe, short_duration
from palaver.model.errors import NotFound
from palaver.model.limits import ROWS_DEFAULT, SHOW_BYTES
from palaver.model.names import name
from palaver.runs import kill, run_config, status
from palaver.runs.process_table import run_processes
from palaver.runs.status import GOING, RunStatus
from palaver.runs.traces import file_name, run_name

SPEC = Spec(
    "runs",
    "Show and kill the runs of agents.",
    words="[list | show RUN | tail RUN | kill RUN]",
    most=2,
    options=(
        Option("--agent", "NAME", help="only this agent"),
        Option("--going", help="with list: only runs that have not ended"),
        Option("--limit", "N", short="-n", help=f"number of runs, or of lines with tail ({ROWS_DEFAULT})"),
        Option("--reason", "TEXT", help="with kill: the reason, stored in the log"),
    ),
    text="""
A run is running, idle (no output for [runs] idle seconds), frozen (stopped by a signal), orphaned (its
palaver run is gone, the program is not), ended, crashed (by a signal), killed, lost (it is gone, and nobody
saw the end), or elsewhere (on another machine). Kill sends SIGTERM to the session, and SIGKILL after ten
seconds. Exits with 1 if there is an orphaned run.
""",
    examples=(
        "palaver runs",
        "palaver runs show run_001",
        "palaver runs kill run_001 --reason 'wrong branch'",
    ),
)


def run(context: Context) -> int:
    """List, show, tail or kill."""
    words = context.args.words or ["list"]
    if words == ["list"]:
        return _list(context)
    if len(words) == 2 and words[0] in _DEEDS:
        return _DEEDS[words[0]](context, run_name(words[1]))
    raise SPEC.wrong("say list, show RUN, tail RUN or kill RUN")


def _agent(context: Context) -> str:
    return name(context.args.text("--agent")) if context.args.has("--agent") else ""


def _list(context: Context) -> int:
    limit = context.args.rows("--limit", ROWS_DEFAULT)
    core = connect_synced(context)
    found = status.list_runs(core, agent=_agent(context), going=context.args.has("--going"), limit=limit)
    if context.json:
        context.answer([each.plain() for each in found])
    else:
        for each in found:
            context.say(_row(each))
        if not found:
            context.say("No runs; palaver run --as NAME -- PROGRAM starts one")
    return 1 if any(each.state == "orphaned" for each in found) else 0


def _row(seen: RunStatus) -> str:
    run = seen.run
    how = f"{seen.state} {_end(seen)}".rstrip()
    return (
        f"{clipped(run.run, 20):<9} {clipped(run.agent, 30):<14} {how:<14} {short_duration(seen.age):>5} "
        f"{_size(run.bytes):>7}  {clipped(run.task, 20):<8} {clipped(run.line or run.command, 50)}"
    ).rstrip()


def _end(seen: RunStatus) -> str:
    if seen.state in (*GOING, "lost", "elsewhere"):
        return ""
    return signal_name(seen.run.signal) if seen.run.signal else str(seen.run.code)


def signal_name(number: int) -> str:
    """Return what a signal is called."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _size(count: int) -> str:
    for unit, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if count >= unit:
            return f"{count / unit:.1f}{letter}"
    return f"{count}B"


def _show(context: Context, run: str) -> int:
    core = connect_synced(context)
    status.find_run(core, run, _agent(context))
    found = status.list_runs(core, run=run, agent=_agent(context), limit=1_000)[::-1]
    if context.json:
        context.answer([each.plain() for each in found])
        return 0
    for each in found:
        for line in _told(each):
            context.say(line)
        if each.state not in GOING and each is found[-1]:
            left = [str(one.pid) for one in run_processes(core.root.path, run, each.run.agent)]
            if left:
                context.say(f"  left running: {', '.join(left)}")
        context.say("")
    context.say(f"traces: {safe(_folder(context, run))}")
    return 0


def _told(seen: RunStatus) -> list[str]:
    run = seen.run
    rows = [
        ("state", f"{seen.state} {_end(seen)}".rstrip()),
        ("task", run.task),
        ("command", run.command),
        ("by", run.by),
        ("process", f"{run.pid} (runner {run.runner})"),
        ("started", run.at),
        ("ended", run.ended),
        ("age", short_duration(seen.age)),
        ("output", f"{_size(run.bytes)}, silent for {short_duration(seen.silent)}"),
        ("last line", run.line),
    ]
    return [f"{run.run} {run.agent}", *(f"  {word + ':':<11}{safe(value)}" for word, value in rows if value)]


def _tail(context: Context, run: str) -> int:
    limit = context.args.rows("--limit", ROWS_DEFAULT)
    agent = _agent(context)
    status.find_run(connect_synced(context), run, agent)
    folder = _folder(context, run)
    path = f"{folder}/agent-logs/{file_name(agent)}.txt" if agent else f"{folder}/run.log"
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - SHOW_BYTES * limit))
            lines = file.read().split(b"\n")
    except OSError as fault:
        why = fault.strerror or str(fault)
        raise NotFound(
            f"no traces of {run}", f"{path}: {why}", "they were removed, or are elsewhere"
        ) from fault
    if lines and not lines[-1]:
        lines.pop()
    shown = [line.decode("utf-8", "backslashreplace") for line in lines[-limit:]]
    if context.json:
        context.answer({"run": run, "path": path, "size": size, "lines": shown})
    else:
        context.say(block("\n".join(shown)))
    return 0


def _kill(context: Context, run: str) -> int:
    core = connect_synced(context)
    agent = _agent(context)
    going = [each.run.agent for each in status.list_runs(core, run=run, agent=agent, going=True, limit=1_000)]
    wanted = going or [status.find_run(core, run, agent).run.agent]
    reason = context.args.text("--reason")
    ended = [kill.kill_run(core, run, agent=each, by=context.named(), reason=reason) for each in wanted]
    if context.json:
        context.answer([each.plain() for each in ended])
    for each in [] if context.json else ended:
        context.say(f"Ended: {each.run.run} {each.run.agent} ({each.state} {_end(each)})")
    return 0


def _folder(context: Context, run: str) -> str:
    return f"{run_config.runs_folder(context.root)}/{run}"


_DEEDS = {"show": _show, "tail": _tail, "kill": _kill}
