"""Snapshots: the log into a small git history of its own, inside `.palaver`.

The surrounding repository never tracks a live log (docs/adr/0010). Git is a tool here, not a store:
nothing of the bus needs it, and nothing waits for it.
"""

import os
import shutil
import subprocess

from palaver.bus.root import Root
from palaver.model.errors import ToolMissing

# Everything but the log and the config can be made again.
_IGNORED = "*\n!/log/\n!/log/*.jsonl\n!/config.toml\n!/quarantine/\n!/quarantine/**\n!/.gitignore\n"
_WHO = (
    "-c",
    "user.name=palaver",
    "-c",
    "user.email=palaver@localhost",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "gc.auto=0",
)


def begin(root: Root) -> bool:
    """Make `.palaver` a repository of its own; tell whether git was there to do it."""
    if shutil.which("git") is None:
        return False
    with open(root.path + "/.gitignore", "w", encoding="utf-8") as file:
        file.write(_IGNORED)
    if not os.path.isdir(root.path + "/.git"):
        _git(root, "init", "--quiet", "--initial-branch=log")
    return True


def snapshot(root: Root, message: str = "") -> str:
    """Commit the log as it is now; return the commit, or nothing if it had not changed."""
    if not begin(root):
        raise ToolMissing(
            "cannot make a snapshot", "git is not installed", "install git, or copy .palaver/log"
        )
    _git(root, "add", "--all", ".")
    if not _git(root, "status", "--porcelain"):
        return ""
    _git(root, *_WHO, "commit", "--quiet", "--message", message or "snapshot")
    return _git(root, "rev-parse", "--short", "HEAD").strip()


def start_anew(root: Root) -> bool:
    """Forget the history of snapshots and begin another; tell whether there was one."""
    if not os.path.isdir(root.path + "/.git/objects") or not _has_commits(root):
        return False
    shutil.rmtree(root.path + "/.git")
    snapshot(root, "snapshot after a redaction")
    return True


def _has_commits(root: Root) -> bool:
    done = subprocess.run(
        ["git", "-C", root.path, "rev-parse", "--verify", "--quiet", "HEAD"], capture_output=True, check=False
    )
    return done.returncode == 0


def _git(root: Root, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-C", root.path, *arguments],
        capture_output=True,
        text=True,
        errors="backslashreplace",
        check=False,
        env=environment,
    )
    if done.returncode:
        why = (done.stderr or done.stdout).strip().partition("\n")[0]
        raise ToolMissing("git refused", why or f"it ended with {done.returncode}", "mend it and try again")
    return done.stdout
