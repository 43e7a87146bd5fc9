"""A git worktree for a slot, so that workers do not tread on each other's files.

`.palaver/worktrees/<factory>/<slot>`, on the branch `<slot>-<work order>`. It is made from where the main
worktree is, and used again when it is clean; work that is not committed is never thrown away. When its work
order is handed in, what is not committed is, and the branch goes to the remote, if the repository has one.
"""

import os
import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from palaver.bus.root import Root
from palaver.model.errors import InTheWay, ToolMissing
from palaver.runs.git_query import QUERY

_SECONDS = 120
# Inside a hook of git these lead to another worktree than the one that is named.
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
# Nobody sits there to be asked for a password.
_SILENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}


class Kept(NamedTuple):
    """How the work of a slot is kept: its branch, the commit, and what came of the push."""

    branch: str
    commit: str
    #: Where the branch was pushed to; nothing if there is no remote, or it did not take it.
    remote: str
    #: Why the remote did not take it.
    trouble: str


def worktree(root: Root, worker: str, about: str) -> str:
    """Return the folder of a worker's worktree, on a branch of its own."""
    path, branch = _place(root, worker, about)
    home = os.path.dirname(root.path)
    if os.path.exists(f"{path}/.git"):
        changes = _ask(path, "status", "--porcelain")
        if changes:
            count = len(changes.splitlines())
            raise InTheWay(
                f"cannot use the worktree of {worker}",
                f"{count} files in {path} are not committed",
                "commit them",
            )
        if _ask(path, "branch", "--show-current").strip() != branch:
            there = _ask(home, "branch", "--list", branch).strip()
            new = () if there else ("-c",)
            start = () if there else (_ask(home, "rev-parse", "HEAD").strip(),)
            _git(path, "switch", "--quiet", *new, branch, *start)
        return path
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    # What somebody removed by hand is still on git's list.
    _git(home, "worktree", "prune")
    there = _ask(home, "branch", "--list", branch).strip()
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


def kept(root: Root, worker: str, about: str, words: str, *, push: bool = True) -> Kept | None:
    """Commit what a worker has done for a work order in its worktree; push its branch if there is a remote.

    None if it has no worktree, or that is on another branch: then it worked elsewhere. A commit that git
    refuses is a refusal; a push is not, because the work is safe.
    """
    path, branch = _place(root, worker, about)
    if not os.path.exists(f"{path}/.git") or _ask(path, "branch", "--show-current").strip() != branch:
        return None
    if _ask(path, "status", "--porcelain"):
        _git(path, "add", "--all")
        _git(path, *_author(path, worker), "commit", "--quiet", "--message", f"{about}: {words or 'done'}")
    commit = _ask(path, "rev-parse", "--short", "HEAD").strip()
    remotes = _ask(path, "remote").split()
    remote = "origin" if "origin" in remotes else (remotes or [""])[0]
    if not push or not remote:
        return Kept(branch, commit, "", "")
    try:
        _git(path, "push", "--quiet", remote, f"HEAD:refs/heads/{branch}", more=_SILENT)
    except ToolMissing as refused:
        return Kept(branch, commit, "", refused.why)
    return Kept(branch, commit, remote, "")


def _place(root: Root, worker: str, about: str) -> tuple[str, str]:
    """Return where the worktree of a worker is, and the branch for what it works on."""
    parts = worker.split("/")
    slot = parts[-1]
    path = f"{root.path}/worktrees/{'+'.join(parts[:-2]) or 'company'}/{slot}"
    return path, f"{slot}-{about.replace('..', '.').strip('.')}" if about else slot


def _author(path: str, worker: str) -> tuple[str, ...]:
    """Let a worker sign its commits where nobody has told git who works here."""
    try:
        _ask(path, "var", "GIT_AUTHOR_IDENT")
    except ToolMissing:
        return ("-c", f"user.name={worker}", "-c", f"user.email={worker.replace('/', '.')}@palaver.invalid")
    return ()


def _ask(folder: str, *words: str) -> str:
    """Return the answer of git to a question, without running programs that the repository's config names."""
    return _git(folder, *words, options=QUERY)


def _git(
    folder: str, *words: str, options: tuple[str, ...] = (), more: Mapping[str, str] | None = None
) -> str:
    given = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    try:
        done = subprocess.run(
            ["git", "-C", folder, *options, *words],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            umask=0o022,
            env={**(more or {}), **given},
        )
    except (OSError, subprocess.SubprocessError) as fault:
        raise ToolMissing("cannot use git", str(fault), "install it") from fault
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().replace("\n", "; ")
        raise ToolMissing(
            f"git {' '.join(words)[:60]} failed in {folder}",
            why[:500],
            "mend it and try again",
        )
    return done.stdout.decode("utf-8", "replace")
