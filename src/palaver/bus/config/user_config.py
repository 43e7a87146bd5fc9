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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from palaver.bus.config.config_reader import ConfigReader, parse_toml
from palaver.files.regular import way_out
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
    #: Reads one of them.
    check_reader: ConfigReader
    folders: tuple[str, ...] = ()


def load(bus: str) -> UserConfig:
    """Return the user's config as it applies to the bus at this path, or refuse one that is wrong."""
    path = location()
    text, everywhere = parse_toml(_read(path), path)
    reader = ConfigReader(path, text)
    reader.refuse_unknown(everywhere, (*_TABLES, "bus"))
    project = os.path.dirname(os.path.realpath(bus))
    here: dict[str, object] = {}
    buses = reader.table(everywhere, "bus")
    for name in buses:
        found = reader.table(buses, name, "bus.")
        reader.refuse_unknown(found, _TABLES, f"bus.{name}.")
        if os.path.realpath(os.path.expanduser(name)) == project:
            here, reader = found, reader.at(f"bus.{name}", "")
    values = {name: _merge(reader, name, everywhere, here) for name in _TABLES}
    folders = values["mounts"].get("folders", [])
    if not isinstance(folders, list):
        raise reader.wrong("mounts.folders", "it must be a list of paths", 'write folders = ["~/teams"]')
    return UserConfig(
        path=path,
        notify=reader.words("notify.command", values["notify"].get("command", [])),
        worker=reader.words("runs.worker", values["runs"].get("worker", [])),
        runs_folder=reader.folder("runs.folder", values["runs"].get("folder", "")),
        checks=reader.table(values["health"], "checks", "health."),
        check_reader=ConfigReader(path, text, "health", reader.below("health")),
        folders=tuple(os.path.realpath(reader.folder("mounts.folders", each)) for each in folders if each),
    )


def location() -> str:
    """Return the path of the user's config."""
    named = os.environ.get("XDG_CONFIG_HOME", "")
    return (named if named.startswith("/") else os.path.expanduser("~/.config")) + "/palaver/config.toml"


def _read(path: str) -> bytes:
    """Return the content of the config, empty if there is none; refuse one that others may write to."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as fault:
        raise BadConfig(f"cannot read {path}", fault.strerror or str(fault), way_out(fault)) from fault
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        if found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o022:
            why = "another user owns it or may write to it"
            raise BadConfig(f"will not use {path}", why, f"chown it, or: chmod go-w {path}")
        return file.read(CONFIG_BYTES + 1)


def _merge(
    reader: ConfigReader, name: str, everywhere: Mapping[str, object], here: Mapping[str, object]
) -> dict[str, object]:
    """Return one table; what is said for one bus wins over what is said for all of them."""
    general, special = reader.table(everywhere, name), reader.table(here, name, "bus.….")
    for fields in (general, special):
        reader.refuse_unknown(fields, _TABLES[name], f"{name}.")
    if name != "health":
        return {**general, **special}
    checks = [reader.table(fields, "checks", "health.") for fields in (general, special)]
    return {"checks": {**checks[0], **checks[1]}}
