"""Health checks, reported as pairs that people and programs can read.

    grass=native:up nodepay=ext:down

Each check has a time limit; a check that cannot be done counts as down.
"""

import os
import re
import socket
import time
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from msgspec import Meta

from palaver.bus.mail import send
from palaver.bus.mail.message_check import SendResult
from palaver.bus.operations import keys
from palaver.bus.operations.fields import Key, Speaker
from palaver.bus.operations.operation import operation, writes
from palaver.bus.session import Session
from palaver.model.errors import BadArguments
from palaver.model.event import Event, table, text
from palaver.model.limits import HEALTH_SECONDS, RECIPIENTS
from palaver.model.message import Message, from_event
from palaver.runs import run_config
from palaver.runs.process_table import all_processes
from palaver.runs.run_config import HealthCheck
from palaver.runs.system_lines import write_system_line
from palaver.runs.user_command import run_limited

To = Annotated[
    list[str],
    Meta(title="NAME", description="recipients of the report (default: [health] to)", max_length=RECIPIENTS),
]
DryRun = Annotated[bool, Meta(description="run the checks, but send no report")]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthResult:
    """The results of the checks, those that were not run, and the report if one was sent."""

    checks: list[CheckResult]
    ignored: tuple[str, ...] = ()
    report: SendResult | None = None

    @property
    def down(self) -> list[CheckResult]:
        """Return the checks that failed."""
        return [each for each in self.checks if each.state != "up"]

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "up": not self.down,
            "checks": [each._asdict() for each in self.checks],
            "message_id": self.report.message.id if self.report else "",
        }


def _reported_before(session: Session, first: Event) -> HealthResult:
    del session
    message = from_event(keys.expect(first, "mail.sent"))
    reported = table(message.meta, "health")
    pairs = {check: table(reported, check) for check in reported}
    results = [
        CheckResult(name=check, via=text(pair, "via"), state=text(pair, "state"), why="")
        for check, pair in pairs.items()
    ]
    return HealthResult(checks=results, report=SendResult(message, fresh=False, unknown=[]))


@operation(writes, repeat=_reported_before)
def health(
    session: Session, *, to: To | None = None, dry_run: DryRun = False, by: Speaker = "", key: Key = ""
) -> HealthResult:
    """Run the configured health checks and report them."""
    sender = "" if dry_run else session.speaker(by)
    config = run_config.load_health(session.root)
    if not config.checks:
        ignored = f", and {', '.join(config.ignored)} would run a command" if config.ignored else ""
        raise BadArguments(
            "no health checks are configured",
            f"the config has no [health.checks]{ignored}",
            "write: [health.checks] and web = { port = 8080 }; commands belong in your own config",
        )
    folder = os.path.dirname(session.root.path)
    results = [_run_check(check, folder) for check in config.checks]
    report = None
    if sender:
        write_system_line(session, f"Cron fired {config.name}")
        report = _send_report(session, sender, results, to or list(config.to), key)
    return HealthResult(checks=results, ignored=config.ignored, report=report)


def _send_report(
    core: Session, by: str, results: list[CheckResult], to: list[str], key: str
) -> SendResult | None:
    """Send the report; return None if it has no recipients."""
    if not to:
        return None
    message = Message(
        sender=by,
        to=to,
        act="health",
        body=" ".join(each.pair for each in results),
        meta={"health": {each.name: {"via": each.via, "state": each.state} for each in results}},
        priority="normal" if all(each.state == "up" for each in results) else "urgent",
    )
    # The state of the services is the answer, even if nobody gets the report.
    return send.send(core, message, key=key, allow_unknown=True)


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
    try:
        age = time.time() - os.stat(check.path_in(folder)).st_mtime
    except OSError as fault:
        return f"{check.wanted}: {fault.strerror}"
    return f"{check.wanted} is {age:.0f} s old" if age > check.age else ""


def _run(check: HealthCheck, folder: str) -> str:
    why = run_limited(["/bin/sh", "-c", check.wanted], HEALTH_SECONDS, folder=folder)
    return f"the command {why}" if why else ""


_CHECKS = {"process": _process, "port": _port, "file": _file, "command": _run}
