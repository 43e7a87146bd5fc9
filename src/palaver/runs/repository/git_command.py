"""Runs git.

A query runs no programs that the config of a repository names (`core.fsmonitor` and hooks may come with a
project) and does not write the index. Commits, new worktrees and pushes are what the user asked for, and run
the user's hooks.
"""

import os
import subprocess
from collections.abc import Mapping
from typing import Final

from palaver.model.errors import ToolMissing

_QUERY: Final = (
    *("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
)
_SECONDS: Final = 120.0
# Inside a hook of git these lead to another repository than the folder that is given.
_OVERRIDES: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")


def run_git(
    folder: str, *words: str, variables: Mapping[str, str] | None = None, seconds: float = _SECONDS
) -> str:
    """Return the output of a git command, or refuse with its error."""
    environment = {name: value for name, value in os.environ.items() if name not in _OVERRIDES}
    try:
        done = subprocess.run(
            ["git", "-C", folder, *words],
            capture_output=True,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
            umask=0o022,
            env={**(variables or {}), **environment},
        )
    except (OSError, subprocess.SubprocessError) as fault:
        raise ToolMissing("cannot run git", str(fault), "install it") from fault
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().replace("\n", "; ")
        command = " ".join(word for word in words if word not in _QUERY)
        raise ToolMissing(f"git {command[:60]} failed in {folder}", why[:500], "fix it and try again")
    return done.stdout.decode("utf-8", "replace")


def query_git(folder: str, *words: str, seconds: float = _SECONDS) -> str:
    """Return the answer of git to a question about a repository, or refuse with its error."""
    return run_git(folder, *_QUERY, *words, seconds=seconds)
