"""Commands of another user of this machine, beside those of root."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

#: Nobody has this number.
OTHER: Final = 54_321
# Lets all users enter the way to Python, in this process and its children alone.
_OPENED: Final = (
    'set -e; keep=$(mktemp -d); mount --bind "$2" "$keep"; mount -t tmpfs -o mode=755 none "$1"; '
    'mkdir -p "$2"; mount --bind "$keep" "$2"; umount "$keep"; rmdir "$keep"; shift 2; exec "$@"'
)


def _closed_above(path: Path) -> Path | None:
    """Return the topmost folder above a path that other users may not enter."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & 0o001:
            return folder
    return None


def _words(user: int) -> list[str]:
    """Return the words under which a program runs as a user, in a world where Python can be read by all."""
    change = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
    python = Path(sys.base_prefix).resolve()
    closed = _closed_above(python)
    if closed is None:
        return change
    return ["unshare", "--mount", "sh", "-c", _OPENED, "sh", str(closed), str(python), *change]


def under(user: int) -> list[str]:
    """Return the words to run a command under, or skip where there can be no other user."""
    if os.geteuid():
        pytest.skip("only root can become another user")
    words = _words(user)
    done = subprocess.run([*words, sys.executable, "-c", ""], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no other user here: {done.stderr.strip()}")
    return words
