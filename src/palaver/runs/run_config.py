"""The config of runs and health checks: the tables `[runs]` and `[health]`.

    [runs]
    folder = "runs"              # the folder of the traces, inside the project
    slots = 5                    # workers of a factory
    rate = 10                    # programs that --on-message starts …
    window = 60                  # … in so many seconds
    retry = 10                   # seconds until a failed message is retried; doubles each time
    idle = 600                   # seconds without output after which a run is idle
    kill = 10                    # seconds between SIGTERM and SIGKILL

    [health]
    name = "depin_health.sh"     # the name in the line that collab mounts get
    to = "jim"                   # the recipients of the report
    [health.checks]
    grass = { process = "grass", via = "native" }
    web = { port = 8080 }
    chat = { file = "chat.log", age = 900 }

They are not part of the log: they say what this machine does, not what was said. Commands (`runs.worker`,
checks that run one) are read only from the user's own config, and so are folders and files outside the
project, and other hosts than this one.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from palaver.bus import trust
from palaver.bus.config import user_config
from palaver.bus.config.config_reader import ConfigReader, parse_toml
from palaver.bus.config.config_store import read
from palaver.bus.root import Root
from palaver.model.limits import HEALTH_CHECKS, KILL_SECONDS, SLOTS

_RUNS: Final = ("folder", "worker", "slots", "rate", "window", "retry", "idle", "kill")
_HEALTH: Final = ("name", "to", "checks")
#: The kinds of checks, and the type of the value of each.
KINDS: Final[dict[str, type]] = {"process": str, "port": int, "file": str, "command": str}
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_SLOTS_MOST: Final = 100
#: The hosts that a check of the bus's own config may connect to.
_THIS_MACHINE: Final = ("127.0.0.1", "localhost", "::1")
#: Further settings of some kinds of checks.
_MORE: Final = {"file": ("age",), "port": ("host",)}
#: Seconds after which a file is too old.
_AGE: Final = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """The table `[runs]`."""

    folder: str = "runs"
    worker: tuple[str, ...] = ()
    slots: int = SLOTS
    rate: int = 10
    window: float = 60.0
    retry: float = 10.0
    idle: float = 600.0
    kill: float = KILL_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One health check."""

    name: str
    kind: str
    wanted: str
    via: str
    age: float = 0.0
    host: str = "127.0.0.1"

    def path_in(self, project: str) -> str:
        """Return the file that is looked at."""
        return os.path.join(project, os.path.expanduser(self.wanted))

    def __str__(self) -> str:
        """Return what the check does."""
        return {
            "process": f"looks for a process with {self.wanted!r} in its command",
            "port": f"connects to port {self.wanted} of {self.host}",
            "file": f"looks whether {self.wanted} was changed in the last {self.age:g} s",
            "command": f"runs {self.wanted!r}",
        }[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthConfig:
    """The table `[health]`."""

    name: str = "palaver health"
    to: tuple[str, ...] = ()
    checks: tuple[HealthCheck, ...] = ()
    #: Checks of the bus's own config that would run a command, and are ignored.
    ignored: tuple[str, ...] = ()


def load_runs(root: Root) -> RunConfig:
    """Return the table `[runs]`, with defaults."""
    reader, fields = _read_table(root, "runs", _RUNS)
    default, user = RunConfig(), user_config.load(root.path)

    def number(key: str, least: float, most: float) -> float:
        usual = getattr(default, key)
        return reader.number(key, fields.get(key, usual), least, most, usual)

    return RunConfig(
        folder=user.runs_folder or _folder(root, reader, fields.get("folder", default.folder)),
        worker=user.worker,
        slots=int(number("slots", 1, _SLOTS_MOST)),
        rate=int(number("rate", 1, 10_000)),
        window=number("window", 0.1, 86_400),
        retry=number("retry", 0, 86_400),
        idle=number("idle", 0.1, 86_400 * 7),
        kill=number("kill", 0.1, 600),
    )


def runs_folder(root: Root) -> str:
    """Return the folder of all traces."""
    return os.path.normpath(os.path.join(os.path.dirname(root.path), load_runs(root).folder))


def load_health(root: Root) -> HealthConfig:
    """Return the table `[health]`."""
    reader, fields = _read_table(root, "health", _HEALTH)
    to = fields.get("to", [])
    user = user_config.load(root.path)
    checks, ignored = _own_checks(root, reader, fields)
    if len(checks) + len(user.checks) > HEALTH_CHECKS:
        raise reader.wrong("checks", f"there are more than {HEALTH_CHECKS}", "remove some")
    return HealthConfig(
        name=reader.text("name", fields.get("name", HealthConfig().name)),
        to=tuple(reader.addressed("to", each) for each in (to if isinstance(to, list) else [to])),
        checks=(
            *checks,
            *(_check(user.check_reader, name, each) for name, each in user.checks.items()),
        ),
        ignored=ignored,
    )


def asked_for(root: Root) -> Iterator[tuple[str, str, str]]:
    """Yield what the bus's own config asks of runs and of `palaver health`: table, setting, and its text."""
    _, fields = _read_table(root, "runs", _RUNS)
    for key, value in fields.items():
        if key != "worker":
            yield "runs", key, str(value)
    reader, fields = _read_table(root, "health", _HEALTH)
    to = fields.get("to", [])
    if to:
        yield "health", "to", ", ".join(map(str, to)) if isinstance(to, list) else str(to)
    checks, _ = _own_checks(root, reader, fields)
    for check in checks:
        yield "health", check.name, str(check)


def _read_table(root: Root, name: str, known: tuple[str, ...]) -> tuple[ConfigReader, dict[str, object]]:
    """Return a table of the bus's config, and its reader."""
    content, _ = read(root)
    text, tables = parse_toml(content, root.config)
    fields = ConfigReader(root.config, text).table(tables, name)
    reader = ConfigReader(root.config, text, name)
    reader.refuse_unknown(fields, known)
    return reader, fields


def _folder(root: Root, reader: ConfigReader, value: object) -> str:
    """Return the folder of the traces; the bus's own config may only choose one inside the project."""
    project = os.path.realpath(os.path.dirname(root.path))
    named = reader.text("folder", value) or RunConfig().folder
    real = os.path.realpath(os.path.join(project, named))
    way_out = f"name a folder inside the project, or set [runs] folder in {user_config.location()}"
    if not trust.is_within(real, project):
        raise reader.wrong("folder", "it is outside the project", way_out)
    if "/.git/" in f"{real}/" or "/.palaver/" in f"{real}/":
        raise reader.wrong("folder", "traces cannot be stored in .git or .palaver", way_out)
    return named


def _own_checks(
    root: Root, reader: ConfigReader, fields: dict[str, object]
) -> tuple[list[HealthCheck], tuple[str, ...]]:
    """Return the checks of the bus's own config, and the names of those that would run a command."""
    checks = reader.table(fields, "checks")
    ignored = tuple(name for name, each in checks.items() if isinstance(each, dict) and "command" in each)
    found = [_own_check(root, reader, name, each) for name, each in checks.items() if name not in ignored]
    return found, ignored


def _own_check(root: Root, reader: ConfigReader, name: str, fields: object) -> HealthCheck:
    """Return a check of the bus's own config, which may look only at the project and at this machine."""
    check = _check(reader, name, fields)
    project = os.path.realpath(os.path.dirname(root.path))
    if check.kind == "file" and not trust.is_within(os.path.realpath(check.path_in(project)), project):
        why = f"{check.wanted!r} is outside the project"
        way_out = f"name a file inside the project, or move the check to {user_config.location()}"
        raise reader.wrong(f"checks.{name}", why, way_out)
    if check.host not in _THIS_MACHINE:
        why = f"{check.host!r} is another machine"
        way_out = f"use {_THIS_MACHINE[0]}, or move the check to {user_config.location()}"
        raise reader.wrong(f"checks.{name}", why, way_out)
    return check


def _check(reader: ConfigReader, name: str, fields: object) -> HealthCheck:
    key = f"checks.{name}"
    if not _WORD.fullmatch(name) or not isinstance(fields, dict):
        raise reader.wrong(key, "a check needs a plain name and a table", 'write name = { process = "x" }')
    kinds = [kind for kind in KINDS if kind in fields]
    if len(kinds) != 1:
        raise reader.wrong(key, "it must have exactly one kind", f"use one of {', '.join(KINDS)}")
    [kind] = kinds
    wanted, via = fields[kind], fields.get("via", kind)
    reader.refuse_unknown(fields, (kind, "via", *_MORE.get(kind, ())), f"{key}.")
    if type(wanted) is not KINDS[kind] or wanted in ("", 0) or "\0" in str(wanted):
        raise reader.wrong(
            key, f"'{kind}' must be {'a number' if kind == 'port' else 'a string'}", "correct it"
        )
    if isinstance(wanted, int) and not 0 < wanted < 1 << 16:
        raise reader.wrong(key, "port out of range", "use one from 1 to 65535")
    if not isinstance(via, str) or not _WORD.fullmatch(via):
        raise reader.wrong(key, "'via' must be one word", 'write via = "native"')
    return HealthCheck(
        name=name,
        kind=kind,
        wanted=str(wanted),
        via=via,
        age=reader.number(f"{key}.age", fields.get("age", _AGE), 0.001, 86_400 * 366, _AGE),
        host=str(fields.get("host", "127.0.0.1")),
    )
