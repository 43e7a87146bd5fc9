"""The file protocols that Palaver speaks: a folder each, and a line each in `DIALECTS`.

`spec` is the only way to a dialect: code outside `dialects/` asks a spec and imports nothing else from here.
A spec is loaded when it is asked for, because most commands need none of them.
"""

from collections.abc import Mapping
from importlib import import_module

from palaver.model.errors import NotFound
from palaver.model.event import text
from palaver.model.spec import Conventions, DialectSpec

#: Name → the module that holds its `SPEC`.
DIALECTS = {
    "office": "palaver.dialects.office.spec",
    "vermas": "palaver.dialects.vermas.spec",
    "swarm": "palaver.dialects.swarm.spec",
    "runbus": "palaver.dialects.runbus.spec",
    "collab": "palaver.dialects.collab.spec",
}
_BY_COMMAND = Conventions()


def spec(name: str) -> DialectSpec:
    """Return the spec of a dialect, or refuse a name that is none."""
    if name not in DIALECTS:
        raise NotFound(f"unknown dialect '{name}'", "", f"use one of {', '.join(DIALECTS)}")
    found: DialectSpec = import_module(DIALECTS[name]).SPEC
    return found


def specs() -> dict[str, DialectSpec]:
    """Return all specs, by name."""
    return {name: spec(name) for name in DIALECTS}


def conventions(mount: Mapping[str, object]) -> Conventions:
    """Return the conventions of a mount, by its settings; of no known dialect, those of mail sent by command.

    A log may name a dialect that this release does not have, and is read all the same.
    """
    name = text(dict(mount), "dialect")
    return spec(name).conventions if name in DIALECTS else _BY_COMMAND


def mail_file(mount: Mapping[str, object]) -> str:
    """Return the file for all mail of a mount's agents, by its settings; empty if it has none."""
    name = text(dict(mount), "dialect")
    found = spec(name).mail_file if name in DIALECTS else None
    return found.file if found is not None else ""


def has_assignments(mount: Mapping[str, object]) -> bool:
    """Return True if the agents of a mount look for their assignments there, by its settings."""
    name = text(dict(mount), "dialect")
    return name in DIALECTS and spec(name).board_files.show_assignments
