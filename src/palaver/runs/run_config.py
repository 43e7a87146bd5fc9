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
checks that run one) are read only from the user's own config, and so is a folder outside the project.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from palaver.bus import trust
from palaver.bus.config import user_config
from palaver.bus.config.settings import read
from palaver.bus.root import Root
from palaver.model import names
from palaver.model.errors import BadConfig, BadName
from palaver.model.limits import HEALTH_CHECKS, KILL_SECONDS, SLOTS

_RUNS: Final = ("folder", "worker", "slots", "rate", "window", "retry", "idle", "kill")
_HEALTH: Final = ("name", "to", "checks")
#: The kinds of checks, and the type of the value of each.
KINDS: Final[dict[str, type]] = {"process": str, "port": int, "file": str, "command": str}
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_SLOTS_MOST: Final = 100
_TYPES_SHOWN: Final[Mapping[type, str]] = {str: "a string", list: "a list", dict: "a table"}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthConfig:
    """The table `[health]`."""

    name: str = "palaver health"
    to: tuple[str, ...] = ()
    checks: tuple[HealthCheck, ...] = field(default=())
    #: Checks of the bus's own config that would run a command, and are ignored.
    ignored: tuple[str, ...] = ()


def load_runs(root: Root) -> RunConfig:
    """Return the table `[runs]`, with defaults."""
    reader = _TableReader(root.config, _table(root, "runs"), "runs", _RUNS)
    default = RunConfig()
    user = user_config.load(root.path)
    return RunConfig(
        folder=user.runs_folder or reader.folder(root, default.folder),
        worker=user.worker,
        slots=int(reader.seconds("slots", default.slots, 1, _SLOTS_MOST)),
        rate=int(reader.seconds("rate", default.rate, 1, 10_000)),
        window=reader.seconds("window", default.window, 0.1, 86_400),
        retry=reader.seconds("retry", default.retry, 0, 86_400),
        idle=reader.seconds("idle", default.idle, 0.1, 86_400 * 7),
        kill=reader.seconds("kill", default.kill, 0.1, 600),
    )


def runs_folder(root: Root) -> str:
    """Return the folder of all traces."""
    return os.path.normpath(os.path.join(os.path.dirname(root.path), load_runs(root).folder))


def load_health(root: Root) -> HealthConfig:
    """Return the table `[health]`."""
    reader = _TableReader(root.config, _table(root, "health"), "health", _HEALTH)
    to = reader.value("to", (str, list), [])
    recipients = [to] if isinstance(to, str) else to
    assert isinstance(recipients, list), "the type was checked"
    checks = reader.value("checks", (dict,), {})
    assert isinstance(checks, dict), "the type was checked"
    user = user_config.load(root.path)
    shared = {
        name: each for name, each in checks.items() if not (isinstance(each, dict) and "command" in each)
    }
    if len(checks) + len(user.checks) > HEALTH_CHECKS:
        raise reader.wrong("checks", f"there are more than {HEALTH_CHECKS}", "remove some")
    return HealthConfig(
        name=str(reader.value("name", (str,), HealthConfig().name)),
        to=tuple(reader.address(each) for each in recipients),
        checks=(
            *_checks(reader, shared),
            *_checks(_TableReader(user.path, {}, "health", _HEALTH), user.checks),
        ),
        ignored=tuple(name for name in checks if name not in shared),
    )


def _table(root: Root, name: str) -> dict[str, object]:
    content, _ = read(root)
    found = tomllib.loads(content.decode("utf-8-sig")).get(name, {})
    if not isinstance(found, dict):
        raise BadConfig(
            f"{root.config}: cannot use '{name}'",
            "it must be a table",
            f"write [{name}] on a line of its own",
        )
    return found


class _TableReader:
    """Reads one table; a refusal names the path and key of the wrong value."""

    def __init__(self, path: str, fields: dict[str, object], table: str, known: tuple[str, ...]) -> None:
        self._path = path
        self._fields = fields
        self._table = table
        for key in fields:
            if key not in known:
                raise self.wrong(key, "unknown setting", f"use one of {', '.join(known)}")

    def wrong(self, key: str, why: str, way_out: str) -> BadConfig:
        return BadConfig(f"{self._path}: cannot use '{self._table}.{key[:80]}'", why, way_out)

    def value(self, key: str, kinds: tuple[type, ...], default: object) -> object:
        found = self._fields.get(key, default)
        if type(found) not in kinds or (isinstance(found, str) and ("\0" in found or "\n" in found)):
            shown = " or ".join(_TYPES_SHOWN[kind] for kind in kinds)
            raise self.wrong(key, f"it must be {shown}", "correct it")
        return found

    def folder(self, root: Root, default: str) -> str:
        """Return the folder of the traces; the bus's own config may only choose one inside the project."""
        project = os.path.realpath(os.path.dirname(root.path))
        named = str(self.value("folder", (str,), default)) or default
        real = os.path.realpath(os.path.join(project, named))
        way_out = f"name a folder inside the project, or set [runs] folder in {user_config.location()}"
        if not trust.is_within(real, project):
            raise self.wrong("folder", "it is outside the project", way_out)
        if "/.git/" in f"{real}/" or "/.palaver/" in f"{real}/":
            raise self.wrong("folder", "traces cannot be stored in .git or .palaver", way_out)
        return named

    def seconds(self, key: str, default: float, least: float, most: float) -> float:
        found = self._fields.get(key, default)
        if type(found) not in (int, float) or not least <= float(str(found)) <= most:
            raise self.wrong(
                key, f"it must be a number from {least:g} to {most:g}", f"write {key} = {default:g}"
            )
        return float(str(found))

    def address(self, value: object) -> str:
        try:
            return names.address(str(value))
        except BadName as bad:
            raise self.wrong("to", bad.why, bad.way_out) from bad

    def check(self, name: str, fields: object) -> HealthCheck:
        key = f"checks.{name}"
        if not _WORD.fullmatch(name) or not isinstance(fields, dict):
            raise self.wrong(key, "a check needs a plain name and a table", 'write name = { process = "x" }')
        kinds = [kind for kind in KINDS if kind in fields]
        if len(kinds) != 1:
            raise self.wrong(key, "it must have exactly one kind", f"use one of {', '.join(KINDS)}")
        kind, via = kinds[0], fields.get("via", kinds[0])
        for field_name in fields:
            if field_name not in (kind, "via", *{"file": ("age",), "port": ("host",)}.get(kind, ())):
                raise self.wrong(f"{key}.{field_name}", "unknown setting for this kind of check", "remove it")
        self._wanted(key, kind, fields[kind])
        if not isinstance(via, str) or not _WORD.fullmatch(via):
            raise self.wrong(key, "'via' must be one word", 'write via = "native"')
        age = fields.get("age", 900)
        if type(age) not in (int, float) or not 0 < float(str(age)) <= 86_400 * 366:
            raise self.wrong(key, "'age' must be a number of seconds", "write age = 900")
        host = str(fields.get("host", "127.0.0.1"))
        return HealthCheck(
            name=name, kind=kind, wanted=str(fields[kind]), via=via, age=float(str(age)), host=host
        )

    def _wanted(self, key: str, kind: str, wanted: object) -> None:
        if type(wanted) is not KINDS[kind] or wanted in ("", 0) or "\0" in str(wanted):
            raise self.wrong(
                key, f"'{kind}' must be {'a number' if kind == 'port' else 'a string'}", "correct it"
            )
        if kind == "port" and not 0 < int(str(wanted)) < 1 << 16:
            raise self.wrong(key, "port out of range", "use one from 1 to 65535")


def _checks(reader: _TableReader, written: Mapping[str, object]) -> list[HealthCheck]:
    return [reader.check(name, fields) for name, fields in written.items()]
