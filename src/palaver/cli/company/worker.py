"""co worker: the slots of a factory, and the programs in them."""

import re

from palaver.api import Bus
from palaver.bus.agents import agent_registry
from palaver.bus.session import Session
from palaver.bus.tasks import assignment, moves
from palaver.cli.arguments import Option
from palaver.cli.binding import Binding, perform_once
from palaver.cli.commands.send import body
from palaver.cli.company.home import at_home
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.program import SEVERAL, Subcommand
from palaver.cli.show import clipped, field_lines, safe
from palaver.model.errors import BadArguments, NotFound, Refusal
from palaver.model.names import name, role
from palaver.runs import kill, run_config, workers
from palaver.runs.repository.worktrees import SavedWork, save_work, worktree
from palaver.runs.status import GOING, RunStatus, list_runs
from palaver.views.tasks.assignments import Assignment

_SLOT = re.compile(r"(?:slot)?\d+", re.ASCII | re.IGNORECASE)


def _done(context: Context) -> int:
    args, by = context.args, context.speaker()
    session = connect_synced(context)

    def deliver() -> dict[str, object]:
        at_home(session, by)
        held = assignment.current(session, by)
        order = "".join(args.words) or (held.ref if held and held.kind == "work_order" else "")
        if not order:
            raise BadArguments("nothing is done", f"{by} has no work order", "name one: co worker done WO")
        words = body(context)
        saved = save_work(session.root, by, order, words.partition("\n")[0], push=not args.has("--no-push"))
        factory = role(role(by))
        supervisor = args.text("--to") or (f"{factory}/supervisor" if factory else "supervisor")
        message = assignment.done(session, by, order, _with_branch(words, saved), supervisor)
        if saved and saved.trouble:
            context.note(f"{saved.branch} is committed, but not pushed: {saved.trouble}")
        return {"id": message.id, **({"branch": saved.branch, "commit": saved.commit} if saved else {})}

    done = perform_once(context, session, "worker done", deliver)
    return context.show(done, f"Sent: {done['id']}; assignment cleared")


def _with_branch(words: str, saved: SavedWork | None) -> str:
    """Return the words, followed by the branch and the commit of the work."""
    if saved is None:
        return words
    where = f"Branch: {saved.branch}\nCommit: {saved.commit}"
    return f"{words}\n\n{where}" if words else where


def _list(context: Context) -> int:
    session = connect_synced(context)
    wanted = f"{name(context.args.words[0])}/workers" if context.args.words else ""
    rows = [
        _fields(session, agent.id)
        for agent in agent_registry.agents(session)
        if (agent.role == wanted if wanted else agent.role.endswith("workers"))
    ]
    if context.args.has("--status"):
        rows = [row for row in rows if row["status"] == context.args.text("--status")]
    return context.show(rows, map(_row, rows), empty="No workers")


def _fields(session: Session, worker: str) -> dict[str, object]:
    held = assignment.current(session, worker)
    last = _last(session, worker)
    return {
        "worker": worker,
        "status": "assigned" if held else "idle",
        "assignment": held.line if held else "",
        "run": last.run.run if last else "",
        "process": last.state if last else "",
    }


def _row(fields: dict[str, object]) -> str:
    worker, held = clipped(str(fields["worker"]), 40), safe(str(fields["assignment"]))
    return f"{worker:<34} {fields['status']:<9} {held:<22} {fields['run']} {fields['process']}".rstrip()


def _last(session: Session, worker: str) -> RunStatus | None:
    return next(iter(list_runs(session, agent=worker, limit=1)), None)


def _worker(context: Context) -> str:
    factory, slot = context.args.words[:2]
    return workers.slot_name(factory, slot)


def _status(context: Context) -> int:
    session = connect_synced(context)
    worker = _worker(context)
    if worker not in {agent.id for agent in agent_registry.agents(session)}:
        raise NotFound(f"no worker {worker}", "none was dispatched or started there", "co worker list")
    last = _last(session, worker)
    found = _fields(session, worker)
    if last:
        found |= {"age_seconds": int(last.age), "silent_seconds": int(last.silent), "line": last.run.line}
    return context.show([found], field_lines(found, 16))


def _kill(context: Context) -> int:
    session = connect_synced(context)
    worker, by = _worker(context), context.speaker()
    reason = context.args.text("--reason", "killed")

    def end() -> dict[str, object]:
        last, held = _last(session, worker), assignment.current(session, worker)
        is_running = last is not None and last.state in GOING
        if held is None and not is_running:
            why = "no program runs there, and nothing is assigned to it"
            raise NotFound(f"nothing to end in {worker}", why, "co worker list")
        if last is not None and is_running:
            last = kill.kill_program(session, last.run.run, worker, by=by, reason=reason)
        released = _release(context, session, by, worker, reason)
        return {"worker": worker, "process": last.state if last else "was not running", "released": released}

    done = perform_once(context, session, "worker kill", end)
    released = done["released"] or "nothing"
    return context.show([done], f"Killed: {worker} ({done['process']}); released: {released}")


def _release(context: Context, session: Session, by: str, worker: str, reason: str) -> str:
    """Take back what is assigned to a worker; return what that was."""
    held = assignment.current(session, worker)
    if held is None:
        return ""
    if held.kind == "work_order":
        try:
            moves.move(session, held.ref, "release", reason, by=by, to=worker)
        except Refusal as refused:
            context.note(str(refused))
    assignment.clear(session, agent=worker, by=by)
    return held.line


def _spawn(context: Context) -> int:
    factory, *rest = context.args.words
    session = connect_synced(context)
    slot = rest.pop(0) if rest and _SLOT.fullmatch(rest[0]) else ""
    order = context.args.text("--wo")

    def start() -> dict[str, object]:
        if order and slot:
            worker = workers.slot_name(factory, slot)
            agent_registry.register(session, worker, mount=at_home(session))
            assignment.assign(session, worker, f"work_order:{order}", by=context.speaker())
        elif order:
            worker = dispatched(context, session, order, factory).agent
        else:
            worker = workers.slot_name(factory, slot) if slot else workers.free_slot(session, factory)
        return spawned(context, session, worker, rest).plain()

    done = perform_once(context, session, "worker spawn", start)
    given = f", assigned {order}" if order else ""
    name_of_worker = f"worker-{str(done['agent']).replace('/workers/', '-')}"
    return context.show([done], f"Spawned {name_of_worker}{given} ({done['run']}, process {done['pid']})")


def dispatched(context: Context, session: Session, order: str, factory: str) -> Assignment:
    """Assign a work order to a free slot of a factory."""
    slots = run_config.load_runs(session.root).slots
    by = context.speaker()
    return assignment.dispatch_to(session, by, order, factory, slots=slots, home=at_home(session, by))


def spawned(context: Context, session: Session, worker: str, words: list[str]) -> RunStatus:
    """Start a program as a worker: the one that is named, else the one of the config."""
    args = context.args
    held = assignment.current(session, worker)
    about = held.ref if held is not None and held.kind == "work_order" else ""
    folder = worktree(session.root, worker, about) if args.has("--worktree") else context.folder
    return workers.spawn(
        session,
        worker,
        words or list(run_config.load_runs(session.root).worker),
        environment={**context.environment, "PALAVER_AGENT": context.named()},
        umask=context.caller.umask,
        folder=folder,
        options=("--prompt", context.path(args.text("--prompt"))) if args.has("--prompt") else (),
    )


_KEY = Binding(Bus.move, only=("key",)).options
STARTING = (
    Option("--worktree", help="in a git worktree of its own: .palaver/worktrees/FACTORY/SLOT"),
    Option("--prompt", "FILE", help="the prompt, added to that of palaver prime"),
    *_KEY,
)
_WO = Option("--wo", "WO", help="assign this work order to it first")
_REASON = Option("--reason", "TEXT", help="reason, stored in the log")
_DONE = (
    *Binding(
        Bus.deliver, only=("result", "key"), names={"result": "--message"}, short={"result": "-m"}
    ).options,
    Option("--to", "ADDR", help="recipient (default: the supervisor)"),
    Option("--no-push", help="do not push the branch, even if the repository has a remote"),
)
_STATUSES = (
    Option("--status", "STATUS", help="only idle or assigned ones"),
    Option("--all", help="all of them (default)"),
)
ROWS = (
    Subcommand(
        "worker spawn",
        "Start a program as a worker, in the background (default: [runs] worker)",
        _spawn,
        "FACTORY [SLOT] [-- PROGRAM [WORD…]]",
        (*STARTING, _WO),
        cold="starts a program",
    ),
    Subcommand("worker status", "Show a worker's assignment, and its program", _status, "FACTORY SLOT"),
    Subcommand(
        "worker kill",
        "Kill a worker's program, and release its assignment",
        _kill,
        "FACTORY SLOT",
        (_REASON, *_KEY),
        cold=SEVERAL,
    ),
    Subcommand(
        "worker done",
        "Commit your worktree, and deliver your work order",
        _done,
        "[WO]",
        _DONE,
        cold="starts git",
    ),
    Subcommand("worker list", "The same as workers", _list, "[FACTORY]", _STATUSES),
    Subcommand(
        "workers", "List workers, their assignments and their programs", _list, "[FACTORY]", _STATUSES
    ),
)
