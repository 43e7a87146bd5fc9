"""co worker: the slots of a factory, and the programs in them."""

import os
import re

from palaver.bus.agents import agent_registry
from palaver.bus.session import Session
from palaver.bus.tasks import assignment, moves
from palaver.cli.arguments import Option
from palaver.cli.commands.send import body
from palaver.cli.company.home import at_home
from palaver.cli.company.subcommands import Subcommand
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.hot import umask
from palaver.cli.show import clipped, safe
from palaver.model.errors import BadArguments, NotFound, Refusal
from palaver.model.names import name, role
from palaver.runs import kill, run_config, workers
from palaver.runs.repository.worktrees import SavedWork, save_work, worktree
from palaver.runs.status import GOING, RunStatus, list_runs

_SLOT = re.compile(r"(?:slot)?\d+", re.ASCII | re.IGNORECASE)


def _done(context: Context) -> int:
    by = context.speaker()
    core = connect_synced(context)
    at_home(core, by)
    held = assignment.current(core, by)
    mine = held.ref if held and held.kind == "work_order" else ""
    order = context.args.words[0] if context.args.words else mine
    if not order:
        raise BadArguments("nothing is done", f"{by} has no work order", "name one: co worker done WO")
    words = body(context.args)
    held_in = save_work(
        core.root, by, order, words.partition("\n")[0], push=not context.args.has("--no-push")
    )
    factory = role(role(by))
    boss = context.args.text("--to") or (f"{factory}/supervisor" if factory else "supervisor")
    message = assignment.done(core, by, order, _with_branch(words, held_in), boss)
    told = {"id": message.id, **({"branch": held_in.branch, "commit": held_in.commit} if held_in else {})}
    context.answer(told) if context.json else context.say(f"Sent: {message.id}; assignment cleared")
    if held_in and held_in.trouble:
        context.note(f"{held_in.branch} is committed, but not pushed: {held_in.trouble}")
    return 0


def _with_branch(words: str, held_in: SavedWork | None) -> str:
    """Say where the work is, for who looks at it next."""
    if held_in is None:
        return words
    where = f"Branch: {held_in.branch}\nCommit: {held_in.commit}"
    return f"{words}\n\n{where}" if words else where


def _list(context: Context) -> int:
    core = connect_synced(context)
    wanted = f"{name(context.args.words[0])}/workers" if context.args.words else ""
    workers = [
        agent.id
        for agent in agent_registry.agents(core)
        if (agent.role == wanted if wanted else agent.role.endswith("workers"))
    ]
    rows = [_row(core, worker) for worker in workers]
    if context.args.has("--status"):
        rows = [row for row in rows if row["status"] == context.args.text("--status")]
    if context.json:
        context.answer(rows)
    for row in [] if context.json else rows:
        shown = f"{clipped(str(row['worker']), 40):<34} {row['status']:<9} {safe(str(row['assignment'])):<22}"
        context.say(f"{shown} {row['run']} {row['process']}".rstrip())
    if not rows and not context.json:
        context.say("No workers")
    return 0


def _row(core: Session, worker: str) -> dict[str, object]:
    held = assignment.current(core, worker)
    last = _last(core, worker)
    return {
        "worker": worker,
        "status": "assigned" if held else "idle",
        "assignment": held.line if held else "",
        "run": last.run.run if last else "",
        "process": last.state if last else "",
    }


def _last(core: Session, worker: str) -> RunStatus | None:
    found = list_runs(core, agent=worker, limit=1)
    return found[0] if found else None


def _worker(context: Context) -> str:
    factory, slot = context.args.words[:2]
    return workers.slot_name(factory, slot)


def _status(context: Context) -> int:
    core = connect_synced(context)
    worker = _worker(context)
    if worker not in {agent.id for agent in agent_registry.agents(core)}:
        raise NotFound(f"no worker {worker}", "nobody was dispatched or started there", "co worker list")
    last = _last(core, worker)
    row: dict[str, object] = {**_row(core, worker)}
    if last:
        row |= {"age_seconds": int(last.age), "silent_seconds": int(last.silent), "line": last.run.line}
    if context.json:
        context.answer([row])
        return 0
    for field, value in row.items():
        context.say(f"{field.replace('_', ' ') + ':':<16}{safe(str(value))}".rstrip())
    return 0


def _kill(context: Context) -> int:
    core = connect_synced(context)
    worker, by = _worker(context), context.speaker()
    reason = context.args.text("--reason", "killed")
    last = _last(core, worker)
    held = assignment.current(core, worker)
    if held is None and (last is None or last.state not in GOING):
        raise NotFound(
            f"nothing to end in {worker}", "no program runs there, and no work waits", "co worker list"
        )
    if last is not None and last.state in GOING:
        last = kill.kill_program(core, last.run.run, worker, by=by, reason=reason)
    freed = _freed(context, core, by, worker, reason)
    state = last.state if last else "was not running"
    if context.json:
        context.answer([{"worker": worker, "process": state, "released": freed}])
    else:
        context.say(f"Killed: {worker} ({state}); released: {freed or 'nothing'}")
    return 0


def _freed(context: Context, core: Session, by: str, worker: str, reason: str) -> str:
    """Give back what a worker had; return what that was."""
    held = assignment.current(core, worker)
    if held is None:
        return ""
    if held.kind == "work_order":
        try:
            moves.move(core, held.ref, "release", reason, by=by, to=worker)
        except Refusal as refused:
            context.note(str(refused))
    assignment.clear(core, agent=worker, by=by)
    return held.line


def _spawn(context: Context) -> int:
    factory, *rest = context.args.words
    core = connect_synced(context)
    slot = rest.pop(0) if rest and _SLOT.fullmatch(rest[0]) else ""
    order = context.args.text("--wo")
    if order and slot:
        worker = workers.slot_name(factory, slot)
        agent_registry.register(core, worker, mount=at_home(core))
        assignment.assign(core, worker, f"work_order:{order}", by=context.speaker())
    elif order:
        worker = dispatched(context, core, order, factory)
    else:
        worker = workers.slot_name(factory, slot) if slot else workers.free_slot(core, factory)
    started = spawned(context, core, worker, rest)
    if context.json:
        context.answer([started.plain()])
    else:
        given = f", assigned {order}" if order else ""
        session = f"worker-{worker.replace('/workers/', '-')}"
        context.say(f"Spawned {session}{given} ({started.run.run}, process {started.run.pid})")
    return 0


def dispatched(context: Context, core: Session, order: str, factory: str) -> str:
    """Give a work order to a free slot; return the worker."""
    slots = run_config.load_runs(core.root).slots
    by = context.speaker()
    return assignment.dispatch_to(core, by, order, factory, slots=slots, home=at_home(core, by)).agent


def spawned(context: Context, core: Session, worker: str, words: list[str]) -> RunStatus:
    """Start a program as a worker: the one that is named, else the one of the config."""
    args = context.args
    held = assignment.current(core, worker)
    about = held.ref if held is not None and held.kind == "work_order" else ""
    folder = worktree(core.root, worker, about) if args.has("--worktree") else ""
    prompt = os.path.abspath(args.text("--prompt")) if args.has("--prompt") else ""
    return workers.spawn(
        core,
        worker,
        words or list(run_config.load_runs(core.root).worker),
        environment={**os.environ, "PALAVER_AGENT": context.named()},
        umask=umask(),
        folder=folder,
        options=("--prompt", prompt) if prompt else (),
    )


BODY = Option("--message", "BODY", short="-m", help="what to say; '-' takes standard input")
STARTING = (
    Option("--worktree", help="in a git worktree of its own: .palaver/worktrees/FACTORY/SLOT"),
    Option("--prompt", "FILE", help="what the program is told, after what palaver prime says"),
)
_STATUSES = (Option("--status", "STATUS", help="only idle, or assigned"), Option("--all", help="all of them"))
ROWS = (
    Subcommand(
        "co",
        "worker spawn",
        "Start a program as a worker, in the background; else the one of [runs] worker",
        _spawn,
        words="FACTORY [SLOT] [-- PROGRAM [WORD…]]",
        least=1,
        most=-1,
        options=(*STARTING, Option("--wo", "WO", help="give it this work order first")),
    ),
    Subcommand(
        "co",
        "worker status",
        "What a worker has, and how its program is",
        _status,
        words="FACTORY SLOT",
        least=2,
        most=2,
    ),
    Subcommand(
        "co",
        "worker kill",
        "End a worker's program, and give back what it had",
        _kill,
        words="FACTORY SLOT",
        least=2,
        most=2,
        options=(Option("--reason", "TEXT", help="why"),),
    ),
    Subcommand(
        "co",
        "worker done",
        "Hand in your work order to the supervisor: commits your worktree, clears your assignment",
        _done,
        words="[WO]",
        most=1,
        options=(
            BODY,
            Option("--to", "ADDR", help="instead of the supervisor"),
            Option("--no-push", help="leave the branch here, also if the repository has a remote"),
        ),
    ),
    Subcommand(
        "co", "worker list", "The same as workers", _list, words="[FACTORY]", most=1, options=_STATUSES
    ),
    Subcommand(
        "co",
        "workers",
        "The workers of a factory, what they have, and how their programs are",
        _list,
        words="[FACTORY]",
        most=1,
        options=_STATUSES,
    ),
)
