"""A git worktree for each slot, so that workers do not change each other's files.

`.palaver/worktrees/<factory>/<slot>`, on the branch `<slot>-<work order>`. It starts at the commit of the
main worktree, and is used again if it is clean; uncommitted work is never thrown away. When its work order is
handed in, uncommitted work is committed, and the branch is pushed, if the repository has a remote.
"""

import os
from typing import NamedTuple

from palaver.bus.root import Root
from palaver.model.errors import InTheWay, ToolMissing
from palaver.runs.repository.git_command import query_git, run_git

# Nobody is there to be asked for a password.
_NO_PROMPT = {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}


class SavedWork(NamedTuple):
    """How the work of a slot was saved: its branch, the commit, and the result of the push."""

    branch: str
    commit: str
    #: The remote it was pushed to; empty if there is none, or the push failed.
    remote: str
    #: Why the push failed.
    trouble: str


def worktree(root: Root, worker: str, about: str) -> str:
    """Return the folder of a worker's worktree, on a branch of its own."""
    path, branch = _place(root, worker, about)
    home = os.path.dirname(root.path)
    if os.path.exists(f"{path}/.git"):
        changes = query_git(path, "status", "--porcelain")
        if changes:
            count = len(changes.splitlines())
            raise InTheWay(
                f"cannot use the worktree of {worker}",
                f"{count} files in {path} are not committed",
                "commit them",
            )
        if query_git(path, "branch", "--show-current").strip() != branch:
            there = query_git(home, "branch", "--list", branch).strip()
            new = () if there else ("-c",)
            start = () if there else (query_git(home, "rev-parse", "HEAD").strip(),)
            run_git(path, "switch", "--quiet", *new, branch, *start)
        return path
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    # A worktree that was removed by hand is still on git's list.
    run_git(home, "worktree", "prune")
    there = query_git(home, "branch", "--list", branch).strip()
    run_git(
        home,
        "worktree",
        "add",
        "--quiet",
        *(() if there else ("-b", branch)),
        path,
        *((branch,) if there else ()),
    )
    return path


def save_work(root: Root, worker: str, about: str, words: str, *, push: bool = True) -> SavedWork | None:
    """Commit what a worker has done for a work order in its worktree; push its branch if there is a remote.

    Return None if it has no worktree, or one on another branch: then it worked elsewhere. A failed commit is
    a refusal; a failed push is not, because the work is safe.
    """
    path, branch = _place(root, worker, about)
    if not os.path.exists(f"{path}/.git") or query_git(path, "branch", "--show-current").strip() != branch:
        return None
    if query_git(path, "status", "--porcelain"):
        run_git(path, "add", "--all")
        run_git(path, *_author(path, worker), "commit", "--quiet", "--message", f"{about}: {words or 'done'}")
    commit = query_git(path, "rev-parse", "--short", "HEAD").strip()
    remotes = query_git(path, "remote").split()
    remote = "origin" if "origin" in remotes else (remotes or [""])[0]
    if not push or not remote:
        return SavedWork(branch, commit, "", "")
    try:
        run_git(path, "push", "--quiet", remote, f"HEAD:refs/heads/{branch}", variables=_NO_PROMPT)
    except ToolMissing as refused:
        return SavedWork(branch, commit, "", refused.why)
    return SavedWork(branch, commit, remote, "")


def _place(root: Root, worker: str, about: str) -> tuple[str, str]:
    """Return the path of a worker's worktree, and its branch."""
    parts = worker.split("/")
    slot = parts[-1]
    path = f"{root.path}/worktrees/{'+'.join(parts[:-2]) or 'company'}/{slot}"
    return path, f"{slot}-{about.replace('..', '.').strip('.')}" if about else slot


def _author(path: str, worker: str) -> tuple[str, ...]:
    """Return the options that name a worker as the author, if git has no author configured."""
    try:
        query_git(path, "var", "GIT_AUTHOR_IDENT")
    except ToolMissing:
        return ("-c", f"user.name={worker}", "-c", f"user.email={worker.replace('/', '.')}@palaver.invalid")
    return ()
