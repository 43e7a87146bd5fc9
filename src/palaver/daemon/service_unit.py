r"""The systemd user unit of a bus: the daemon runs while you are logged in, and starts again if it fails.

    # Written by palaver install service. Remove it with: palaver uninstall service
    [Service]
    ExecStart="/usr/bin/python3" "-P" "-m" "palaver" "up" "--quiet" "--root" "/srv/project/.palaver"
    Environment="XDG_STATE_HOME=/srv/state"
    Restart=on-failure

Its environment is that of the shell that installs it: the daemon runs commands only for callers with the same
home and state folder. A unit that we have not written is never changed.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from palaver.bus import trust
from palaver.bus.operations.result import PlainFields
from palaver.bus.root import Root
from palaver.files.atomic_replace import write_whole
from palaver.files.regular import storage_failed
from palaver.model.errors import InTheWay, NotFound, ToolMissing
from palaver.model.limits import SYSTEMCTL_SECONDS

_VARIABLES: Final = ("HOME", "PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", trust.VARIABLE)
_TEXT: Final = """\
# Written by palaver install service. Remove it with: palaver uninstall service
[Unit]
Description=Palaver daemon of {name}

[Service]
ExecStart={command}
{environment}
Restart=on-failure
# A refusal would be the same the next time.
RestartPreventExitStatus=2 3 4 5

[Install]
WantedBy=default.target
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceChange(PlainFields):
    """What was done to the unit of a bus."""

    unit: str
    path: str
    text: str
    #: Whether the file was written or removed.
    changed: bool


def install(root: Root, environment: Mapping[str, str]) -> ServiceChange:
    """Write the unit of a bus, unless it is there already."""
    path, before = _find(root, environment)
    text = _text(root, environment)
    if text != before:
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_whole(path, text.encode(), mode=0o644)
        except OSError as fault:
            raise storage_failed(fault, path) from fault
    return ServiceChange(unit=os.path.basename(path), path=path, text=text, changed=text != before)


def find_service(root: Root, environment: Mapping[str, str]) -> ServiceChange:
    """Return the unit of a bus; refuse if it is not installed."""
    path, text = _find(root, environment)
    if not text:
        raise NotFound("no service for this bus", f"{path} does not exist", "palaver install service")
    return ServiceChange(unit=os.path.basename(path), path=path, text=text, changed=True)


def remove(service: ServiceChange) -> None:
    """Remove a unit, and the link that starts it at a login."""
    folder, unit = os.path.split(service.path)
    try:
        for path in (f"{folder}/default.target.wants/{unit}", service.path):
            if os.path.lexists(path):
                os.unlink(path)
    except OSError as fault:
        raise storage_failed(fault, service.path) from fault


def systemctl(environment: Mapping[str, str], *words: str) -> None:
    """Run systemctl for this user, or refuse with its error."""
    shown = f"systemctl --user {' '.join(words)}"
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            ["systemctl", "--user", *words],  # noqa: S607 - the user's own systemd
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SYSTEMCTL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as fault:
        raise ToolMissing(f"cannot run {shown}", str(fault), "run it yourself") from fault
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().replace("\n", "; ")
        raise ToolMissing(f"{shown} failed", why or f"it ended with {done.returncode}", "run it yourself")


def _text(root: Root, environment: Mapping[str, str]) -> str:
    words = [sys.executable, "-P", "-m", "palaver", "up", "--quiet", "--root", root.path]
    # A colon: systemd puts no variables into the words.
    mark = ":" if any("$" in word for word in words) else ""
    named = [f"{name}={environment[name]}" for name in _VARIABLES if environment.get(name)]
    return _TEXT.format(
        name=_name(root),
        command=mark + " ".join(map(_quoted, words)),
        environment="\n".join(f"Environment={_quoted(each)}" for each in named),
    )


def _find(root: Root, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the path of the unit of a bus, and its text, empty if there is none yet.

    If another bus has the name, the id of this one becomes a part of it.
    """
    named = environment.get("XDG_CONFIG_HOME", "")
    home = named if named.startswith("/") else environment.get("HOME", "") + "/.config"
    ours = f'"--root" {_quoted(root.path)}\n'
    for name in (_name(root), f"{_name(root)}-{trust.bus_id(root.path)[:6]}"):
        path = f"{home}/systemd/user/palaver-{name}.service"
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except FileNotFoundError:
            return path, ""
        if ours in text:
            return path, text
    raise InTheWay(f"cannot write {path}", "it belongs to something else", "move it away")


def _name(root: Root) -> str:
    """Return the name of the project, with what a unit can have in its name."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", os.path.basename(os.path.dirname(root.path))) or "root"


def _quoted(word: str) -> str:
    """Return a word as units have it: in quotes, with C escapes, and without specifiers."""
    escaped = "".join(_escaped(each) for each in os.fsencode(word).decode("utf-8", "surrogateescape"))
    return f'"{escaped}"'


def _escaped(each: str) -> str:
    if each in '\\"':
        return f"\\{each}"
    if each == "%":
        return "%%"
    if each.isprintable():
        return each
    return "".join(f"\\x{byte:02x}" for byte in each.encode("utf-8", "surrogateescape"))
