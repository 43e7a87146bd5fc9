"""Start a program as an agent: registered, supplied, traced.

PALAVER_ROOT                     the bus, as an absolute path
PALAVER_AGENT, AGENT_ID          who it is
PALAVER_RUN, RUN_ID              the run
PALAVER_TASK, WORK_ORDER_ID      the task, if there is one
PALAVER_TOKEN                    what proves that it is this agent; only its digest is in the log. A person
                                 gets none: no program is him (docs/adr/0024)
PALAVER_PROMPT                   the file that has what stands on its standard input
PALAVER_RUN_FOLDER               the folder of the traces
PALAVER_TRUST                    the bus again: the user trusts it, also where a sandbox hides their home
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from palaver.bus import trust
from palaver.bus.agents import registry, tokens
from palaver.bus.config.settings import read
from palaver.bus.session import Session
from palaver.bus.tasks import assignment, moves
from palaver.bus.tasks.patrol_clock import boot_id
from palaver.log.stamp import letters
from palaver.model.errors import Retired
from palaver.model.names import name
from palaver.runs import living, packets, settings, watching
from palaver.runs.masking import Mask
from palaver.runs.program import Ended, Program, refuse_missing
from palaver.runs.reports import Reports
from palaver.runs.traces import Traces, fresh_run, run_name
from palaver.views.agents import runs as view

_OURS = ("PALAVER_TASK", "WORK_ORDER_ID", "PALAVER_MESSAGE", tokens.VARIABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be run."""

    agent: str
    words: list[str]
    environment: Mapping[str, str]
    umask: int
    #: Who starts it, if anyone said so.
    by: str = ""
    task: str = ""
    run: str = ""
    #: Whether more may be written to its standard input later.
    open_end: bool = False


@dataclass(slots=True, kw_only=True)
class Prepared:
    """A run that may begin: who, where, with what."""

    wanted: Wanted
    agent: str
    task: str
    settings: settings.Runs
    traces: Traces
    environment: dict[str, str] = field(default_factory=dict)


def prepare(core: Session, wanted: Wanted) -> Prepared:
    """Make the place for a run, and see that nothing speaks against it; nothing is started yet."""
    refuse_missing(wanted.words[0], wanted.environment)
    agent = _known(core, wanted.agent)
    task = _task(core, agent, wanted.task)
    configured = settings.runs(core.root)
    folder = settings.runs_folder(core.root)
    run = run_name(wanted.run) if wanted.run else ""
    if run:
        watching.refuse_second(core, run, agent)
    else:
        run = fresh_run(folder, view.names(core.view.current()))
    traces = Traces(folder, run, agent)
    environment = {key: value for key, value in wanted.environment.items() if key not in _OURS}
    environment |= {"PALAVER_ROOT": core.root.path, "PALAVER_RUN_FOLDER": traces.folder}
    environment |= {"PALAVER_AGENT": agent, "AGENT_ID": agent, "PALAVER_RUN": run, "RUN_ID": run}
    # A sandbox may hide the home folder, where it is recorded that the user trusts this bus.
    environment |= {trust.VARIABLE: os.path.realpath(core.root.path)}
    if task:
        environment |= {"PALAVER_TASK": task, "WORK_ORDER_ID": task}
    return Prepared(
        wanted=wanted, agent=agent, task=task, settings=configured, traces=traces, environment=environment
    )


def execute(
    core: Session,
    prepared: Prepared,
    prompt: str,
    *,
    note: Callable[[str], None],
    more: Mapping[str, str] | None = None,
    feed: Callable[[Program, Traces], None] | None = None,
    wakers: tuple[int, ...] = (),
) -> Ended:
    """Run the program once, to its end; `feed` is asked now and then whether there is more to give it."""
    traces, agent, wanted = prepared.traces, prepared.agent, prepared.wanted
    given = prompt.encode("utf-8", "replace")
    token = _token(core, agent)
    environment = {**prepared.environment, **(more or {}), **({tokens.VARIABLE: token} if token else {})}
    mask = Mask(environment)
    reports, before = Reports(core, run=traces.run, agent=agent, mask=mask, note=note), packets.head()
    environment["PALAVER_PROMPT"] = traces.prompt(given)
    command = mask.text(" ".join(wanted.words))
    program = Program(wanted.words, environment=environment, umask=wanted.umask, grace=prepared.settings.kill)
    try:
        reports.started({**_fields(prepared, program, command, token), "prompt": len(prompt)})
    except BaseException:
        program.give_up()
        raise
    tokens.keep(core.root, token, agent, program.pid, program.ticks)
    traces.note(f"started as process {program.pid}: {command}")
    program.begin(given, open_end=wanted.open_end)

    def heard(piece: bytes) -> None:
        traces.output(piece)
        reports.heard(piece)

    def due() -> float:
        if feed:
            feed(program, traces)
        return reports.due(prepared.settings.idle)

    try:
        ended = program.run(heard, due, more=wakers)
    finally:
        tokens.drop(core.root, token)
    ended.left = [each.pid for each in living.marked(core.root.path, traces.run, agent)]
    ended.killed = ended.asked or reports.is_being_killed()
    fields = _end(ended, traces)
    _review(traces, packets.section(ended, task=prepared.task, agent=agent, command=command, before=before))
    reports.ended(fields)
    if traces.lost:
        note(f"{traces.lost} bytes of traces of {traces.run} could not be kept: {traces.fault}")
    return ended


def _review(traces: Traces, page: str) -> None:
    if not traces.packet(page):
        traces.note("the review packet is the agent's own, or cannot be written")


def _token(core: Session, agent: str) -> str:
    """Draw what proves an agent; nothing for the person, whose word leads and whom no program is."""
    return "" if agent == read(core.root)[1].person else letters() + letters()


def _known(core: Session, given: str) -> str:
    agent = name(given)
    known = registry.roster(core).agents.get(agent)
    if known is not None and known.retired:
        raise Retired(f"cannot run {agent}", "it is retired", f"palaver agents add {agent}")
    if known is None:
        registry.add_agent(core, agent)
    return agent


def _task(core: Session, agent: str, given: str) -> str:
    """Return the task that is meant: the one named, else the agent's assignment, if that is one."""
    if given:
        return moves.find_task(core, given).id
    held = assignment.current(core, agent)
    return held.ref if held is not None and held.kind == "work_order" else ""


def _fields(prepared: Prepared, program: Program, command: str, token: str) -> dict[str, object]:
    keeper = living.process(os.getpid())
    fields: dict[str, object] = {
        "pid": program.pid,
        "pgid": program.pid,
        "ticks": program.ticks,
        "keeper": os.getpid(),
        "keeper_ticks": keeper.ticks if keeper else 0,
        "host": living.host(),
        "boot": boot_id(),
        "task": prepared.task,
        "command": command[:1_000],
        "by": prepared.wanted.by,
    }
    if token:
        fields["token"] = tokens.digest(token)
    return fields


def _end(ended: Ended, traces: Traces) -> dict[str, object]:
    """Note the end in the traces; return what the log is to hear of it."""
    traces.note(f"ended: {ended.reason}, exit {ended.exit}, after {ended.seconds:.1f} s")
    fields: dict[str, object] = {
        "exit": ended.exit,
        "signal": ended.signal,
        "reason": ended.reason,
        "seconds": int(ended.seconds),
    }
    if ended.made:
        fields["made"] = True
    if ended.left:
        fields["left"] = ended.left
    if traces.lost:
        fields["lost"] = traces.lost
    return fields
