"""Health: a few things that are looked at, as pairs that a person and a program can read.

    grass=native:up nodepay=ext:down

Each check is done by itself and in bounded time; one that cannot be done is down.
"""

import os
import re
import signal
import socket
import subprocess
import time
from typing import NamedTuple

from palaver.bus.mail import send as posting
from palaver.bus.mail.message_check import SendResult
from palaver.bus.session import Session
from palaver.model.errors import BadArguments
from palaver.model.limits import HEALTH_SECONDS
from palaver.model.message import Message
from palaver.runs import lines, settings
from palaver.runs.living import everybody
from palaver.runs.settings import Check, Health


class Found(NamedTuple):
    """What a check has found."""

    name: str
    via: str
    state: str
    why: str

    @property
    def pair(self) -> str:
        """Return it as a pair."""
        return f"{self.name}={self.via}:{self.state}"


def look(core: Session, health: Health) -> list[Found]:
    """Do every check."""
    if not health.checks:
        ignored = f", and {', '.join(health.ignored)} would run a command" if health.ignored else ""
        raise BadArguments(
            "there is nothing to check",
            f"the config has no [health.checks]{ignored}",
            "write: [health.checks] and web = { port = 8080 }; commands belong in your own config",
        )
    folder = os.path.dirname(core.root.path)
    return [_found(check, folder) for check in health.checks]


def tell(core: Session, by: str, health: Health, found: list[Found], to: list[str]) -> SendResult | None:
    """Tell how things are: the line that says that we fired, then the pairs; None if nobody is to be told."""
    lines.system(core, f"Cron fired {health.name}")
    if not to:
        return None
    pairs = {each.name: {"via": each.via, "state": each.state} for each in found}
    message = Message(
        sender=by,
        to=to,
        act="health",
        body=" ".join(each.pair for each in found),
        meta={"health": pairs},
        priority="normal" if all(each.state == "up" for each in found) else "urgent",
    )
    sent = posting.send(core, message)
    core.sync.write_on()
    return sent


def configured(core: Session) -> Health:
    """Return what the config says is to be looked at."""
    return settings.health(core.root)


def _found(check: Check, folder: str) -> Found:
    why = _CHECKS[check.kind](check, folder)
    return Found(check.name, check.via, "down" if why else "up", why)


def _process(check: Check, folder: str) -> str:
    """Look for a process whose command line has the words; ourselves and who started us do not count."""
    del folder
    wanted = re.compile(rf"(?<![\w.-]){re.escape(check.wanted)}(?![\w-])")
    ours = {os.getpid(), os.getppid()}
    for each in everybody():
        if each.pid not in ours and wanted.search(_command(each.pid)):
            return ""
    return f"no process has {check.wanted!r} in its command"


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as said:
            return said.read(4_096).decode("utf-8", "replace").replace("\0", " ")
    except OSError:
        return ""


def _port(check: Check, folder: str) -> str:
    del folder
    try:
        with socket.create_connection((check.host, int(check.wanted)), timeout=HEALTH_SECONDS):
            return ""
    except OSError as fault:
        return f"port {check.wanted} of {check.host}: {fault.strerror or fault}"


def _file(check: Check, folder: str) -> str:
    path = os.path.join(folder, os.path.expanduser(check.wanted))
    try:
        age = time.time() - os.stat(path).st_mtime
    except OSError as fault:
        return f"{check.wanted}: {fault.strerror}"
    return f"{check.wanted} is {age:.0f} s old" if age > check.age else ""


def _run(check: Check, folder: str) -> str:
    """Run a command of the shell; its whole group ends with it."""
    with subprocess.Popen(  # noqa: S603 - the user wrote it into their own config
        ["/bin/sh", "-c", check.wanted],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as command:
        try:
            code = command.wait(HEALTH_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(command.pid, signal.SIGKILL)
            return f"the command took longer than {HEALTH_SECONDS:g} s"
    return f"the command ended with {code}" if code else ""


_CHECKS = {"process": _process, "port": _port, "file": _file, "command": _run}
