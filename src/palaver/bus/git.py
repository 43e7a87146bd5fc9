"""Runs git in one folder.

A query runs no programs that the config of a repository names (`core.fsmonitor` and hooks may come with a
project) and does not write the index. Commits, new worktrees and pushes are what the user asked for, and run
the user's hooks.
"""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from palaver.model.errors import ToolMissing

_QUERY: Final = (
    *("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
)
_SECONDS: Final = 120.0
# Inside a hook of git these lead to another repository than the folder that is given.
_OVERRIDES: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")


@dataclass(frozen=True, slots=True)
class Git:
    """Git in a folder, with the environment of the caller."""

    folder: str
    environment: Mapping[str, str]
    #: Variables that win over the environment.
    own: Mapping[str, str] | None = None
    umask: int = 0o022

    def run(self, *words: str, seconds: float = _SECONDS, given: bytes = b"") -> str:
        """Return the output of a git command, or refuse with its error; `given` is its input."""
        inherited = {name: value for name, value in self.environment.items() if name not in _OVERRIDES}
        try:
            done = subprocess.run(
                ["git", "-C", self.folder, *words],
                capture_output=True,
                timeout=seconds,
                check=False,
                input=given,
                umask=self.umask,
                env={**inherited, **(self.own or {})},
            )
        except (OSError, subprocess.SubprocessError) as fault:
            raise ToolMissing("cannot run git", str(fault), "install it") from fault
        if done.returncode:
            error = (done.stderr or done.stdout).decode("utf-8", "replace")
            why = error.strip().replace("\n", "; ") or f"it ended with {done.returncode}"
            command = " ".join(word for word in words if word not in _QUERY)
            raise ToolMissing(
                f"git {command[:60]} failed in {self.folder}", why[:500], "fix it and try again"
            )
        return done.stdout.decode("utf-8", "surrogateescape")

    def query(self, *words: str, seconds: float = _SECONDS) -> str:
        """Return the answer of git to a question about a repository, or refuse with its error."""
        return self.run(*_QUERY, *words, seconds=seconds)
