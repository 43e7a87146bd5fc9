"""How git is asked about a repository without running programs that its config names.

`core.fsmonitor` and hooks may come with a project. A query runs neither, and does not write the index.
Commits, new worktrees and pushes are what the user asked for, and keep the user's hooks.
"""

from typing import Final

QUERY: Final = (
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "log.showSignature=false",
)
