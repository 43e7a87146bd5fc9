"""Health checks, reported as pairs that people and programs can read.

    grass=native:up nodepay=ext:down

Each check has a time limit; a check that cannot be done counts as down.
"""

import os
import re
import signal
import socket
import subprocess
import time
from typing import NamedTuple

from palaver.bus.mail import send
from palaver.bus.mail.message_check import SendResult
from palaver.bus.session import Session
from palaver.model.errors import BadArguments
from palaver.model.limits import HEALTH_SECONDS
from palaver.model.message import Message
from palaver.runs.process_table import all_processes
from palaver.runs.run_config import HealthCheck, HealthConfig
from palaver.runs.system_lines import write_system_line


class CheckResult(NamedTuple):
    """The result of a check."""

    name: str
    via: str
    state: str
    why: str

    @property
    def pair(self) -> str:
        """Return the result as the report shows it."""
        return f"{self.name}={self.via}:{self.state}"


def run_checks(core: Session, config: HealthConfig) -> list[CheckResult]:
    """Run every check."""
    if not config.checks:
        ignored = f", and {', '.join(config.ignored)} would run a command" if config.ignored else ""
        raise BadArguments(
            "no health checks are configured",
            f"the config has no [health.checks]{ignored}",
            "write: [health.checks] and web = { port = 8080 }; commands belong in your own config",
        )
    folder = os.path.dirname(core.root.path)
    return [_run_check(check, folder) for check in config.checks]


def send_report(
    core: Session, by: str, config: HealthConfig, results: list[CheckResult], to: list[str], *, key: str = ""
) -> SendResult | None:
    """Write the line that the checks ran, then send the report; return None if it has no recipients."""
    write_system_line(core, f"Cron fired {config.name}")
    if not to:
        return None
    pairs = {each.name: {"via": each.via, "state": each.state} for each in results}
    message = Message(
        sender=by,
        to=to,
        act="health",
        body=" ".join(each.pair for each in results),
        meta={"health": pairs},
        priority="normal" if all(each.state == "up" for each in results) else "urgent",
    )
    return send.send(core, message, key=key)


def _run_check(check: HealthCheck, folder: str) -> CheckResult:
    why = _CHECKS[check.kind](check, folder)
    return CheckResult(check.name, check.via, "down" if why else "up", why)


def _process(check: HealthCheck, _folder: str) -> str:
    """Look for a process with these words in its command line; we and our parent do not count."""
    wanted = re.compile(rf"(?<![\w.-]){re.escape(check.wanted)}(?![\w-])")
    ours = {os.getpid(), os.getppid()}
    for each in all_processes():
        if each.pid not in ours and wanted.search(_command(each.pid)):
            return ""
    return f"no process has {check.wanted!r} in its command"


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read(4_096).decode("utf-8", "replace").replace("\0", " ")
    except OSError:
        return ""


def _port(check: HealthCheck, _folder: str) -> str:
    try:
        with socket.create_connection((check.host, int(check.wanted)), timeout=HEALTH_SECONDS):
            return ""
    except OSError as fault:
        return f"port {check.wanted} of {check.host}: {fault.strerror or fault}"


def _file(check: HealthCheck, folder: str) -> str:
    path = os.path.join(folder, os.path.expanduser(check.wanted))
    try:
        age = time.time() - os.stat(path).st_mtime
    except OSError as fault:
        return f"{check.wanted}: {fault.strerror}"
    return f"{check.wanted} is {age:.0f} s old" if age > check.age else ""


def _run(check: HealthCheck, folder: str) -> str:
    """Run a shell command; its whole process group ends with it."""
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
