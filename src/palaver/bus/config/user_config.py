"""The user's own config: the only place from which commands are run.

    # $XDG_CONFIG_HOME/palaver/config.toml, ~/.config/palaver/config.toml by default

    [notify]
    command = ["notify-send", "Palaver"]     # run once for each escalation to a person

    [runs]
    worker = ["claude", "-p"]                # what `co worker spawn` starts where no command is given
    folder = "/var/tmp/runs"                 # where traces are kept, if not in the project

    [health.checks]
    disk = { command = "df --output=pcent / | tail -1 | grep -qv 100" }

    [mounts]
    folders = ["~/.claude/teams"]            # mounts of every bus may use these folders outside its project

    [bus."/srv/project".health.checks]  # any of these tables, for the bus of one project
    tests = { command = "make -s test" }

A bus's own config arrives with whatever repository holds it, so it never names a command, and never a folder
outside its project that the user has not added with `palaver mount add` (see docs/adr/0027).
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from palaver.model.errors import BadConfig
from palaver.model.limits import CONFIG_BYTES

#: The keys that each table may have.
_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "notify": ("command",),
    "runs": ("worker", "folder"),
    "health": ("checks",),
    "mounts": ("folders",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UserConfig:
    """What this user allows for one bus."""

    path: str
    notify: tuple[str, ...] = ()
    worker: tuple[str, ...] = ()
    #: Where the traces of runs are kept; nothing means: where the bus's config says.
    runs_folder: str = ""
    #: Health checks as they are written, by name; `runs/run_config.py` reads them.
    checks: Mapping[str, object] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


def load(bus: str) -> UserConfig:
    """Return the user's config as it applies to the bus at this path, or refuse one that is wrong."""
    path = location()
    reader = _Reader(path)
    everywhere = reader.read()
    project = os.path.dirname(os.path.realpath(bus))
    buses = reader.table(everywhere, "bus", "bus")
    reader.refuse_unknown(everywhere, (*_TABLES, "bus"), "")
    here: dict[str, object] = {}
    for name in buses:
        found = reader.table(buses, name, f"bus.{name}")
        reader.refuse_unknown(found, tuple(_TABLES), f"bus.{name}.")
        if os.path.realpath(os.path.expanduser(name)) == project:
            here = found
    values = {name: reader.merged(name, everywhere, here) for name in _TABLES}
    checks = values["health"].get("checks", {})
    if not isinstance(checks, dict):
        raise reader.wrong(
            "health.checks", "it must be a table", "write [health.checks] on a line of its own"
        )
    return UserConfig(
        path=path,
        notify=reader.words("notify.command", values["notify"].get("command", [])),
        worker=reader.words("runs.worker", values["runs"].get("worker", [])),
        runs_folder=reader.folder("runs.folder", values["runs"].get("folder", "")),
        checks=checks,
        folders=reader.folders("mounts.folders", values["mounts"].get("folders", [])),
    )


def location() -> str:
    """Return the path of the user's config."""
    named = os.environ.get("XDG_CONFIG_HOME", "")
    return (named if named.startswith("/") else os.path.expanduser("~/.config")) + "/palaver/config.toml"


class _Reader:
    """Reads the settings, and names the one that is wrong."""

    def __init__(self, path: str) -> None:
        self._path = path

    def wrong(self, key: str, why: str, way_out: str) -> BadConfig:
        return BadConfig(f"{self._path}: cannot use '{key[:80]}'", why, way_out)

    def read(self) -> dict[str, object]:
        """Return all that is written; nothing if there is no such file."""
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as fault:
            raise BadConfig(
                f"cannot read {self._path}", fault.strerror or str(fault), "mend it and try again"
            ) from fault
        with open(fd, "rb") as file:
            found = os.fstat(fd)
            if found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o022:
                why = "another user owns it or may write to it"
                raise BadConfig(f"will not use {self._path}", why, f"chown it, or: chmod go-w {self._path}")
            data = file.read(CONFIG_BYTES + 1)
        if len(data) > CONFIG_BYTES:
            raise BadConfig(
                f"cannot use {self._path}", f"it is longer than {CONFIG_BYTES} bytes", "shorten it"
            )
        try:
            return tomllib.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as fault:
            raise BadConfig(f"{self._path}: not TOML", str(fault), "mend the line") from fault

    def table(self, fields: Mapping[str, object], key: str, shown: str) -> dict[str, object]:
        value = fields.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(shown, "it must be a table", f"write [{shown}] on a line of its own")
        return value

    def refuse_unknown(self, fields: Mapping[str, object], known: tuple[str, ...], prefix: str) -> None:
        for key in fields:
            if key not in known:
                raise self.wrong(
                    f"{prefix}{key}", "there is no such setting", f"use one of {', '.join(known)}"
                )

    def merged(
        self, name: str, everywhere: Mapping[str, object], here: Mapping[str, object]
    ) -> dict[str, object]:
        """Return one table; what is said for one bus wins over what is said for all of them."""
        general, special = self.table(everywhere, name, name), self.table(here, name, f"bus.….{name}")
        for fields in (general, special):
            self.refuse_unknown(fields, _TABLES[name], f"{name}.")
        both = {**general, **special}
        checks = [fields["checks"] for fields in (general, special) if isinstance(fields.get("checks"), dict)]
        if len(checks) > 1:
            both["checks"] = {
                key: value for each in checks if isinstance(each, dict) for key, value in each.items()
            }
        return both

    def words(self, key: str, value: object) -> tuple[str, ...]:
        """Return a command: a list of words, started as it is written, without a shell."""
        if not isinstance(value, list) or not all(
            type(each) is str and each and "\0" not in each for each in value
        ):
            raise self.wrong(
                key, "a command is a list of words", f'write {key.rpartition(".")[2]} = ["program", "word"]'
            )
        return tuple(value)

    def folder(self, key: str, value: object) -> str:
        if not isinstance(value, str) or "\0" in value:
            raise self.wrong(
                key, "it must be a path in quotes", "write an absolute path, or one that begins with ~/"
            )
        path = os.path.expanduser(value)
        if path and not path.startswith("/"):
            raise self.wrong(key, "it is relative", "write an absolute path, or one that begins with ~/")
        return os.path.normpath(path) if path else ""

    def folders(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.wrong(key, "it must be a list of paths", 'write folders = ["~/teams"]')
        return tuple(os.path.realpath(self.folder(key, each)) for each in value if each)
