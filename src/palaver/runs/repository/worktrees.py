"""A git worktree for each slot, so that workers do not change each other's files.

`.palaver/worktrees/<factory>/<slot>`, on the branch `<slot>-<work order>`. It starts at the commit of the
main worktree, and is used again if it is clean; uncommitted work is never thrown away. When its work order is
handed in, uncommitted work is committed, and the branch is pushed, if the repository has a remote.
"""

import os
from typing import NamedTuple

from palaver.bus.git import Git
from palaver.bus.root import Root
from palaver.model.errors import InTheWay, ToolMissing
from palaver.model.plain import numbered

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
    home, tree = Git(os.path.dirname(root.path), root.environment), Git(path, root.environment)
    has_branch = bool(home.query("branch", "--list", branch).strip())
    if os.path.exists(f"{path}/.git"):
        changes = tree.query("status", "--porcelain")
        if changes:
            count = len(changes.splitlines())
            why = f"{path} has {numbered(count, 'uncommitted file')}"
            raise InTheWay(f"cannot use the worktree of {worker}", why, "commit them")
        if tree.query("branch", "--show-current").strip() != branch:
            new = () if has_branch else ("-c",)
            start = () if has_branch else (home.query("rev-parse", "HEAD").strip(),)
            tree.run("switch", "--quiet", *new, branch, *start)
        return path
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    # A worktree that was removed by hand is still on git's list.
    home.run("worktree", "prune")
    place = (path, branch) if has_branch else ("-b", branch, path)
    home.run("worktree", "add", "--quiet", *place)
    return path


def save_work(root: Root, worker: str, about: str, words: str, *, push: bool = True) -> SavedWork | None:
    """Commit what a worker has done for a work order in its worktree; push its branch if there is a remote.

    Return None if it has no worktree, or one on another branch: then it worked elsewhere. A failed commit is
    a refusal; a failed push is not, because the work is safe.
    """
    path, branch = _place(root, worker, about)
    tree = Git(path, {**_NO_PROMPT, **root.environment})
    if not os.path.exists(f"{path}/.git") or tree.query("branch", "--show-current").strip() != branch:
        return None
    if tree.query("status", "--porcelain"):
        tree.run("add", "--all")
        tree.run(*_author(tree, worker), "commit", "--quiet", "--message", f"{about}: {words or 'done'}")
    commit = tree.query("rev-parse", "--short", "HEAD").strip()
    remotes = tree.query("remote").split()
    remote = "origin" if "origin" in remotes else (remotes or [""])[0]
    if not push or not remote:
        return SavedWork(branch, commit, "", "")
    try:
        tree.run("push", "--quiet", remote, f"HEAD:refs/heads/{branch}")
    except ToolMissing as refused:
        return SavedWork(branch, commit, "", refused.why)
    return SavedWork(branch, commit, remote, "")


def _place(root: Root, worker: str, about: str) -> tuple[str, str]:
    """Return the path of a worker's worktree, and its branch."""
    parts = worker.split("/")
    slot = parts[-1]
    path = f"{root.path}/worktrees/{'+'.join(parts[:-2]) or 'company'}/{slot}"
    return path, f"{slot}-{about.replace('..', '.').strip('.')}" if about else slot


def _author(tree: Git, worker: str) -> tuple[str, ...]:
    """Return the options that name a worker as the author, if git has no author configured."""
    try:
        tree.query("var", "GIT_AUTHOR_IDENT")
    except ToolMissing:
        return ("-c", f"user.name={worker}", "-c", f"user.email={worker.replace('/', '.')}@palaver.invalid")
    return ()
