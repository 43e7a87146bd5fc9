"""In `make warm`, a daemon at every bus where a test types commands: what tests expect holds there too."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from palaver.bus.root import at, nearest
from palaver.bus.trust import bus_id
from palaver.model.errors import Refusal
from tests.patience import PATIENCE

IS_WARM: Final = os.environ.get("PALAVER_TESTS") == "warm"
_PALAVER_PY: Final = Path(sys.executable).with_name("palaver-py")
# These are about the daemon, or come before it.
_WITHOUT: Final = ("init", "up", "down", "open")
_SETTINGS: Final = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")


class Daemons:
    """The daemons of one test."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, ...], subprocess.Popen[bytes]] = {}
        # Buses of tests that start a daemon themselves.
        self._left: set[str] = set()

    def serve(self, folder: Path, environment: Mapping[str, str], words: tuple[str | bytes, ...]) -> bool:
        """Return True if the bus of a command has a daemon; start it if need be."""
        if not IS_WARM or (words and words[0] in _WITHOUT):
            return False
        try:
            root = (
                at(given, str(folder)) if (given := environment.get("PALAVER_ROOT")) else nearest(str(folder))
            )
        except Refusal:
            return False
        if root in self._left:
            return False
        key = (root, *(environment.get(name, "") for name in _SETTINGS))
        if key not in self._running and Path(root, "config.toml").is_file():
            self._running[key] = _start(root, environment)
        return key in self._running

    def leave(self, folder: Path) -> None:
        """Leave the bus of a folder alone from now on: the test starts a daemon itself."""
        root = str(folder / ".palaver")
        self._left.add(root)
        for key in [key for key in self._running if key[0] == root]:
            _end(self._running.pop(key))

    def end(self) -> None:
        """End them all."""
        while self._running:
            _end(self._running.popitem()[1])


def _end(process: "subprocess.Popen[bytes]") -> None:
    # One that refused to start has ended already.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


def _start(root: str, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start a daemon that speaks for nobody; return when it serves, or has refused."""
    own = {
        name: value for name, value in environment.items() if not name.startswith(("PALAVER_", "AGENT_ID"))
    }
    process = subprocess.Popen(
        [_PALAVER_PY, "up", "--no-web", "--json"],
        cwd=Path(root).parent,
        env=own,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    state = environment.get("XDG_STATE_HOME") or f"{environment['HOME']}/.local/state"
    place = Path(f"{state}/palaver/daemon/{bus_id(root)}")
    while not place.exists() and process.poll() is None:
        time.sleep(0.005)
    return process


DAEMONS: Final = Daemons()
