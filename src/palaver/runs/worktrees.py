"""A git worktree for a slot, so that workers do not tread on each other's files.

`.palaver/worktrees/<factory>/<slot>`, on the branch `<slot>-<work order>`. It is made from where the main
worktree is, and used again when it is clean; work that is not committed is never thrown away.
"""

import os
import subprocess

from palaver.bus.root import Root
from palaver.model.errors import InTheWay, ToolMissing

_SECONDS = 120


def worktree(root: Root, worker: str, about: str) -> str:
    """Return the folder of a worker's worktree, on a branch of its own."""
    parts = worker.split("/")
    slot = parts[-1]
    path = f"{root.path}/worktrees/{'+'.join(parts[:-2]) or 'company'}/{slot}"
    home = os.path.dirname(root.path)
    branch = f"{slot}-{about.replace('..', '.').strip('.')}" if about else slot
    if os.path.exists(f"{path}/.git"):
        changes = _git(path, "status", "--porcelain")
        if changes:
            count = len(changes.splitlines())
            raise InTheWay(
                f"cannot use the worktree of {worker}",
                f"{count} files in {path} are not committed",
                "commit them",
            )
        if _git(path, "branch", "--show-current").strip() != branch:
            there = _git(home, "branch", "--list", branch).strip()
            new = () if there else ("-c",)
            start = () if there else (_git(home, "rev-parse", "HEAD").strip(),)
            _git(path, "switch", "--quiet", *new, branch, *start)
        return path
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    # What somebody removed by hand is still on git's list.
    _git(home, "worktree", "prune")
    there = _git(home, "branch", "--list", branch).strip()
    _git(
        home,
        "worktree",
        "add",
        "--quiet",
        *(() if there else ("-b", branch)),
        path,
        *((branch,) if there else ()),
    )
    return path


def _git(folder: str, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", folder, *words],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            umask=0o022,
        )
    except (OSError, subprocess.SubprocessError) as fault:
        raise ToolMissing("cannot use git", str(fault), "install it") from fault
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().replace("\n", "; ")
        raise ToolMissing(f"git {words[0]} failed in {folder}", why[:500], "mend it and try again")
    return done.stdout.decode("utf-8", "replace")
