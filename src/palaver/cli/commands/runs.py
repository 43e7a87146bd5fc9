"""palaver runs: list, show and kill the runs of agents."""

import signal
from collections.abc import Iterator

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.show import block, clipped, field_lines, safe, short_duration
from palaver.runs import run_config
from palaver.runs.process_table import run_processes
from palaver.runs.status import GOING, RunStatus

_LIST = Binding(Bus.runs, short={"limit": "-n"})
_PARTS = Binding(Bus.run_parts, own=("run",))
_OUTPUT = Binding(Bus.run_output, own=("run",))
_KILL = Binding(Bus.kill_run, own=("run", "agent"), note="with kill: ")
SPEC = Spec(
    "runs",
    "Show and kill the runs of agents.",
    words="[list | show RUN | tail RUN | kill RUN]",
    options=(*_LIST.options, *_KILL.options),
    text="""
A run is running, idle (no output for [runs] idle seconds), frozen (stopped by a signal), orphaned (its
palaver run is gone, the program is not), ended, crashed (by a signal), killed, lost (it is gone, and its end
was not seen), or elsewhere (on another machine). tail shows the last --limit lines of output. kill sends
SIGTERM to the session, and SIGKILL after ten seconds. Exits with 1 if there is an orphaned run.
Runs that the script run-agent.sh started in the same folder are shown too; they cannot be killed from here.
""",
    examples=(
        "palaver runs",
        "palaver runs show run_001",
        "palaver runs kill run_001 --reason 'wrong branch'",
    ),
)


def run(context: Context) -> int:
    """List, show, tail or kill."""
    match context.args.words or ["list"]:
        case ["list"]:
            return _list(context)
        case ["show", wanted]:
            return _show(context, wanted)
        case ["tail", wanted]:
            found = _OUTPUT.perform(context, run=wanted)
            return context.show(found, block("\n".join(found.lines)))
        case ["kill", wanted]:
            ended = _KILL.perform(context, run=wanted, agent=context.args.text("--agent"))
            lines = (f"Killed: {each.run.run} {each.run.agent} ({_state(each)})" for each in ended)
            return context.show(ended, lines)
    raise SPEC.wrong("use list, show RUN, tail RUN or kill RUN")


def _list(context: Context) -> int:
    found = _LIST.perform(context)
    is_orphaned = any(each.state == "orphaned" for each in found)
    empty = "No runs; palaver run --as NAME -- PROGRAM starts one"
    return context.show(found, map(_row, found), empty=empty, code=1 if is_orphaned else 0)


def _show(context: Context, wanted: str) -> int:
    session = connect(context)
    found = _PARTS.perform_on(session, context, run=wanted)
    traces = f"traces: {safe(run_config.runs_folder(session.root))}/{found[0].run.run}"
    return context.show(found, [*_details(session.root.path, found), traces])


def _row(status: RunStatus) -> str:
    run = status.run
    return (
        f"{clipped(run.run, 30):<9} {clipped(run.agent, 30):<14} {_state(status):<14} "
        f"{short_duration(status.age):>5} {_size(run.bytes):>7}  {clipped(run.task, 20):<8} "
        f"{clipped(run.line or run.command, 50)}"
    ).rstrip()


def _state(status: RunStatus) -> str:
    """Return the state, with the exit code or the signal if the program has ended."""
    if status.state in (*GOING, "lost", "elsewhere"):
        return status.state
    return f"{status.state} {_signal_name(status.run.signal) if status.run.signal else status.run.code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _size(count: int) -> str:
    for unit, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if count >= unit:
            return f"{count / unit:.1f}{letter}"
    return f"{count}B"


def _details(root: str, found: list[RunStatus]) -> Iterator[str]:
    for status in found:
        run = status.run
        rows = {
            "state": _state(status),
            "task": run.task,
            "command": run.command,
            "by": run.by,
            "process": f"{run.pid} (runner {run.runner})",
            "started": run.at,
            "ended": run.ended,
            "age": short_duration(status.age),
            "output": f"{_size(run.bytes)}, silent for {short_duration(status.silent)}",
            "last line": run.line,
        }
        yield f"{run.run} {run.agent}"
        yield from (f"  {line}" for line in field_lines(rows, 11))
        if status.state not in GOING and status is found[-1]:
            left = [str(each.pid) for each in run_processes(root, run.run, run.agent)]
            if left:
                yield f"  left running: {', '.join(left)}"
        yield ""
