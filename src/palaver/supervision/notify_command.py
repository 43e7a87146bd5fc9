"""Notifies a person outside the bus: runs `notify.command` of the user's own config for each escalation.

The command is started as written, without a shell, in a process group of its own, with nothing on standard
input. The escalation is in its environment. Its time is limited, and the patrol does not wait for it.
"""

from collections.abc import Callable
from threading import Thread

from palaver.bus.config.user_config import load
from palaver.bus.session import Session, draft
from palaver.model.errors import BadConfig
from palaver.model.limits import NOTIFY_CHARS
from palaver.model.names import BUS
from palaver.runs.user_command import run_limited
from palaver.supervision.facts import Facts
from palaver.views.supervision.notices import Notice, escalations

# Notifications of one pass; a person with more escalations at once reads the inbox.
_MOST = 20


def notify(core: Session, facts: Facts, note: Callable[[str], None]) -> list[Thread]:
    """Start the command for each escalation that it was not run for; return the threads that wait for it."""
    try:
        command = list(load(core.root.path).notify)
    except BadConfig as bad:
        note(str(bad))
        return []
    if not command:
        return []
    db = core.view.current()
    wanted = [word for word in escalations(db) if not word.told and not _is_running(facts, word.agent)]
    since = db.seq
    threads = []
    for word in list({word.id: word for word in wanted}.values())[:_MOST]:
        claim = draft("patrol.notified", BUS, {"message_id": word.id}, key=f"{word.id}:notify:1")
        [event] = core.log.append([claim], since=since)
        if event.event_id == claim.event_id:
            threads.append(_start(command, core, word, facts.deadlines["notify"], note))
    return threads


def _is_running(facts: Facts, agent: str) -> bool:
    program = facts.programs.get(agent)
    return program is not None and not program.ended


def _start(
    command: list[str], core: Session, word: Notice, seconds: float, note: Callable[[str], None]
) -> Thread:
    escalation = {
        "PALAVER_ROOT": core.root.path,
        "PALAVER_ESCALATION": word.id,
        "PALAVER_TO": word.agent,
        "PALAVER_FROM": word.sender,
        "PALAVER_TASK": word.task,
        "PALAVER_TEXT": _printable(word.gist),
    }
    # The command must not speak in an agent's name because we happen to.
    ours = core.root.environment
    kept = {name: value for name, value in ours.items() if name not in ("PALAVER_AGENT", "AGENT_ID")}
    thread = Thread(target=_run, args=(command, {**kept, **escalation}, seconds, note), daemon=True)
    thread.start()
    return thread


def _run(
    command: list[str], environment: dict[str, str], seconds: float, note: Callable[[str], None]
) -> None:
    if why := run_limited(command, seconds, environment=environment):
        note(f"notify.command {why}")


def _printable(words: str) -> str:
    return "".join(each if each.isprintable() else " " for each in words)[:NOTIFY_CHARS]
