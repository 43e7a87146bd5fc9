"""Operations on programs: list, read and kill runs, run health checks, and patrol."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from palaver.bus.config.config_events import apply
from palaver.bus.mail.message_check import SendResult
from palaver.bus.operations import keys
from palaver.bus.operations.fields import AgentName, Key, Reason, Rows, Speaker
from palaver.bus.operations.operation import inspects, operation, reads, writes
from palaver.bus.operations.request import PYTHON_ONLY
from palaver.bus.session import Session
from palaver.model.errors import LogLocked, NotFound
from palaver.model.event import Event, table, text
from palaver.model.limits import RECIPIENTS, ROWS, ROWS_DEFAULT, SHOW_BYTES
from palaver.model.message import from_event
from palaver.model.names import BUS, name
from palaver.runs import health as checks
from palaver.runs import kill, run_config, status
from palaver.runs.health import CheckResult
from palaver.runs.status import RunStatus
from palaver.runs.traces import file_name, run_name
from palaver.supervision.patrol_service import PatrolResult, PatrolService

_RunName = Annotated[str, Meta(title="RUN", description="id of a run", max_length=2_000)]
_Going = Annotated[bool, Meta(description="only runs that have not ended")]
_To = Annotated[
    list[str],
    Meta(title="NAME", description="recipients of the report (default: [health] to)", max_length=RECIPIENTS),
]
_DryRun = Annotated[bool, Meta(description="run the checks, but send no report")]
_OnlyShow = Annotated[bool, Meta(description="only show what would be done, and why")]
_Note = Annotated[
    Callable[[str], None] | None,
    Meta(description="called with a notification that failed", extra={PYTHON_ONLY: 1}),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutput:
    """The end of what a run has printed."""

    run: str
    path: str
    size: int
    lines: list[str]

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"run": self.run, "path": self.path, "size": self.size, "lines": self.lines}


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


@operation(reads)
def runs(
    session: Session, *, agent: AgentName = "", going: _Going = False, limit: Rows = ROWS_DEFAULT
) -> list[RunStatus]:
    """Return the runs that match, newest first."""
    return status.list_runs(session, agent=_agent(agent), going=going, limit=limit)


@operation(reads)
def run_parts(session: Session, run: _RunName, *, agent: AgentName = "") -> list[RunStatus]:
    """Return the programs of one run, oldest first."""
    run, agent = run_name(run), _agent(agent)
    status.find_run(session, run, agent)
    return status.list_runs(session, run=run, agent=agent, limit=ROWS)[::-1]


@operation(reads)
def run_output(
    session: Session, run: _RunName, *, agent: AgentName = "", limit: Rows = ROWS_DEFAULT
) -> RunOutput:
    """Return the last lines that a run has printed."""
    run, agent = run_name(run), _agent(agent)
    status.find_run(session, run, agent)
    folder = f"{run_config.runs_folder(session.root)}/{run}"
    path = f"{folder}/agent-logs/{file_name(agent)}.txt" if agent else f"{folder}/run.log"
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - SHOW_BYTES * limit))
            lines = file.read().removesuffix(b"\n").split(b"\n")
    except OSError as fault:
        why = f"{path}: {fault.strerror or fault}"
        raise NotFound(f"no traces of {run}", why, "they were removed, or are elsewhere") from fault
    shown = [each.decode("utf-8", "backslashreplace") for each in lines[-limit:]]
    return RunOutput(run=run, path=path, size=size, lines=shown)


def _killed_before(session: Session, first: Event) -> list[RunStatus]:
    return run_parts(session, keys.expect_done(first, "kill_run"))


@operation(writes, repeat=_killed_before)
def kill_run(
    session: Session, run: _RunName, *, agent: AgentName = "", reason: Reason = "", key: Key = ""
) -> list[RunStatus]:
    """Kill the programs of a run that have not ended."""
    run, agent = run_name(run), _agent(agent)
    going = status.list_runs(session, run=run, agent=agent, going=True, limit=ROWS)
    wanted = [each.run.agent for each in going] or [status.find_run(session, run, agent).run.agent]
    ended = [kill.kill_run(session, run, agent=each, by=session.agent, reason=reason) for each in wanted]
    keys.mark_done(session, "kill_run", session.agent or BUS, key, about=run)
    return ended


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
    session: Session, *, to: _To | None = None, dry_run: _DryRun = False, by: Speaker = "", key: Key = ""
) -> HealthResult:
    """Run the configured health checks and report them."""
    sender = "" if dry_run else session.speaker(by)
    config = run_config.load_health(session.root)
    found = checks.run_checks(session, config)
    report = None
    if sender:
        report = checks.send_report(session, sender, config, found, to or list(config.to), key=key)
    return HealthResult(checks=found, ignored=tuple(config.ignored), report=report)


@operation(inspects)
def patrol(session: Session, *, dry_run: _OnlyShow = False, note: _Note = None) -> PatrolResult:
    """Check every deadline once, and act. Each step is logged once, so no key is needed."""
    session.sync.catch_up()
    apply(session, patient=True)
    service = PatrolService(session, note=note or (lambda _: None))
    result = service.run_once(dry=dry_run)
    if result is None:
        session.view.insist()
        raise LogLocked("cannot patrol", "the view cannot be brought up to date now", "try again in a moment")
    if not dry_run:
        session.sync.write_on()
    service.wait_for_notifications(result.facts.deadlines["notify"] + 1.0)
    return result


def _agent(given: str) -> str:
    return name(given) if given else ""
