"""Runs a program as an agent: registered, with its prompt, and traced.

PALAVER_ROOT                     the bus, as an absolute path
PALAVER_AGENT, AGENT_ID          the agent it runs as
PALAVER_RUN, RUN_ID              the run
PALAVER_TASK, WORK_ORDER_ID      the task, if there is one
PALAVER_TOKEN                    the proof that it is this agent; only its digest is in the log. A person gets
                                 none: no program is the person (docs/adr/0024)
PALAVER_HOPS                     how long the chain is of what it sends, if mail has started it
PALAVER_PROMPT                   the file with the prompt that is on its standard input
PALAVER_RUN_FOLDER               the folder of the traces
PALAVER_TRUST                    the bus again: the user trusts it, even if a sandbox hides their home
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from palaver.bus import trust
from palaver.bus.agents import agent_registry, tokens
from palaver.bus.config.config_store import read
from palaver.bus.git import Git
from palaver.bus.session import Session
from palaver.bus.tasks import assignment, moves
from palaver.bus.tasks.clock_file import boot_id
from palaver.log.clock import letters
from palaver.model.errors import NotPermitted, Retired
from palaver.model.names import name
from palaver.runs import process_table, run_config, run_records, status
from palaver.runs.child_program import ChildProgram, ProgramEnd, refuse_missing
from palaver.runs.output_mask import OutputMask
from palaver.runs.repository.review_packet import current_commit, packet_section
from palaver.runs.run_config import RunConfig
from palaver.runs.run_events import RunEvents
from palaver.runs.run_records import RunProcesses
from palaver.runs.traces import Traces, fresh_run, run_name
from palaver.views.agents import runs as view

# Variables that we set ourselves, or that belong to a run around us.
_OURS = ("PALAVER_TASK", "WORK_ORDER_ID", "PALAVER_MESSAGE", tokens.HOPS_VARIABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What is to be run."""

    agent: str
    words: list[str]
    environment: Mapping[str, str]
    #: The folder it runs in, and the file descriptors that its output is copied to.
    folder: str = "."
    streams: tuple[int, int] = (1, 2)
    umask: int
    #: The agent that starts it, if known.
    by: str = ""
    task: str = ""
    run: str = ""
    #: Whether more may be written to its standard input later.
    keep_input_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A run that may begin: its agent, its task, its traces, and its environment."""

    request: RunRequest
    agent: str
    task: str
    config: RunConfig
    traces: Traces
    environment: Mapping[str, str]

    @property
    def git(self) -> Git:
        """Return git in the folder where it runs."""
        return Git(self.request.folder, self.request.environment)


def prepare(core: Session, request: RunRequest) -> PreparedRun:
    """Check that a run may begin and make its folder; nothing is started yet."""
    refuse_missing(request.words[0], request.environment)
    refuse_another(core, request.agent)
    agent = _register(core, request.agent)
    task = _task(core, agent, request.task)
    folder = run_config.runs_folder(core.root)
    run = run_name(request.run) if request.run else ""
    if run:
        status.refuse_second_start(core, run, agent)
    else:
        run = fresh_run(folder, view.names(core.view.current()))
    traces = Traces(folder, run, agent)
    environment = {key: value for key, value in request.environment.items() if key not in _OURS}
    environment |= {"PALAVER_ROOT": core.root.path, "PALAVER_RUN_FOLDER": traces.folder}
    environment |= {"PALAVER_AGENT": agent, "AGENT_ID": agent, "PALAVER_RUN": run, "RUN_ID": run}
    # A sandbox may hide the home folder, where the user's trust in this bus is recorded.
    environment |= {trust.VARIABLE: os.path.realpath(core.root.path)}
    if task:
        environment |= {"PALAVER_TASK": task, "WORK_ORDER_ID": task}
    return PreparedRun(
        request=request,
        agent=agent,
        task=task,
        config=run_config.load_runs(core.root),
        traces=traces,
        environment=environment,
    )


def refuse_another(core: Session, agent: str) -> None:
    """Refuse to start a program as an agent from inside a run of another: it would get that agent's proof."""
    own = core.inside.get("agent") if core.inside is not None else name(agent)
    if own != name(agent):
        why = f"a run of {own}, and acts as {own} alone" if own else "a run of another bus"
        raise NotPermitted(
            f"cannot run a program as {agent}", f"this process is inside {why}", "ask the user to start it"
        )


def execute(
    core: Session,
    prepared: PreparedRun,
    prompt: str,
    *,
    note: Callable[[str], None],
    message: str = "",
    hops: int = 0,
    feed: Callable[[ChildProgram, Traces], None] | None = None,
    wakers: tuple[int, ...] = (),
) -> ProgramEnd:
    """Run the program once, to its end; `feed` is called now and then to give it more input.

    `message` is the id of the mail that it is started for, if it is, and `hops` are those of what it sends.
    """
    traces, agent, request = prepared.traces, prepared.agent, prepared.request
    token = _draw_token(core, agent)
    own = {tokens.VARIABLE: token, "PALAVER_MESSAGE": message, tokens.HOPS_VARIABLE: str(hops or "")}
    environment = dict(prepared.environment) | _with_value(own)
    mask = OutputMask(environment)
    events = RunEvents(core, run=traces.run, agent=agent, mask=mask, note=note)
    commit = current_commit(prepared.git)
    environment["PALAVER_PROMPT"] = traces.prompt(text := prompt.encode("utf-8", "replace"))
    command = mask.mask_text(" ".join(request.words))
    program = _program(prepared, environment)
    try:
        fields = _start_fields(prepared, program, command, token) | _with_value({"message": message})
        events.record_start({**fields, "prompt": len(prompt)})
    except BaseException:
        program.abandon()
        raise
    recorded = _keep_records(core, prepared, program, token)
    traces.note(f"started as process {program.pid}: {command}")
    program.begin(text, keep_input_open=request.keep_input_open)

    def take_output(piece: bytes) -> None:
        traces.output(piece)
        events.take_output(piece)

    def do_due() -> float:
        if feed:
            feed(program, traces)
        return events.append_due(prepared.config.idle)

    try:
        end = program.run(take_output, do_due, wakers=wakers)
    finally:
        tokens.drop(core.root, token)
        run_records.drop(core.root.path, recorded)
    left = process_table.run_processes(core.root.path, traces.run, agent)
    end = replace(end, left=tuple(each.pid for each in left), killed=end.asked or events.is_being_killed())
    about = {"task": prepared.task, "agent": agent, "command": command, "before": commit}
    _record_end(events, traces, end, packet_section(end, prepared.git, **about), note)
    return end


def _record_end(
    events: RunEvents, traces: Traces, end: ProgramEnd, section: str, note: Callable[[str], None]
) -> None:
    traces.note(f"ended: {end.reason}, exit {end.exit}, after {end.seconds:.1f} s")
    traces.packet(section)
    fields: dict[str, object] = {
        "exit": end.exit,
        "signal": end.signal,
        "reason": end.reason,
        "seconds": int(end.seconds),
    }
    optional = {"made": end.made, "left": list(end.left), "lost": traces.lost}
    events.record_end({**fields, **{name: value for name, value in optional.items() if value}})
    if traces.lost:
        note(f"{traces.lost} bytes of the traces of {traces.run} could not be written: {traces.fault}")


def _program(prepared: PreparedRun, environment: Mapping[str, str]) -> ChildProgram:
    request = prepared.request
    return ChildProgram(
        request.words,
        environment=environment,
        folder=request.folder,
        streams=request.streams,
        umask=request.umask,
        grace=prepared.config.kill,
    )


def _with_value(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def _draw_token(core: Session, agent: str) -> str:
    """Return a new token for an agent; none for the person, for whom no program may act."""
    return "" if agent == read(core.root)[1].person else tokens.PREFIX + letters() + letters()


def _register(core: Session, given: str) -> str:
    agent = name(given)
    known = agent_registry.roster(core).agents.get(agent)
    if known is not None and known.retired:
        raise Retired(f"cannot run {agent}", "it is retired", f"palaver agents add {agent}")
    if known is None:
        agent_registry.register(core, agent)
    return agent


def _task(core: Session, agent: str, given: str) -> str:
    """Return the task of a run: the one that is given, or else the agent's assignment if that is a task."""
    if given:
        return moves.find_task(core, given).id
    held = assignment.current(core, agent)
    return held.ref if held is not None and held.kind == "work_order" else ""


def _recorded(prepared: PreparedRun, program: ChildProgram) -> RunProcesses:
    runner = process_table.find_process(os.getpid())
    return RunProcesses(
        prepared.traces.run,
        prepared.agent,
        program.pid,
        program.ticks,
        os.getpid(),
        runner.ticks if runner else 0,
    )


def _keep_records(core: Session, prepared: PreparedRun, program: ChildProgram, token: str) -> RunProcesses:
    """Let this machine know that the program is this run, and that its token counts."""
    found = _recorded(prepared, program)
    run_records.keep(core.root.path, found)
    tokens.keep(core.root, token, agent=found.agent, run=found.run, pid=found.pid, ticks=found.ticks)
    return found


def _start_fields(
    prepared: PreparedRun, program: ChildProgram, command: str, token: str
) -> dict[str, object]:
    recorded = _recorded(prepared, program)
    fields: dict[str, object] = {
        "pid": recorded.pid,
        "pgid": recorded.pid,
        "ticks": recorded.ticks,
        "keeper": recorded.runner,
        "keeper_ticks": recorded.runner_ticks,
        "host": process_table.host(),
        "boot": boot_id(),
        "task": prepared.task,
        "command": command[:1_000],
        "by": prepared.request.by,
    }
    if token:
        fields["token"] = tokens.digest(token)
    return fields
