"""The last record of the log in the last snapshot: an anchor that git keeps."""

import os
import shutil
from typing import Final

from palaver.bus.git import Git
from palaver.bus.root import Root
from palaver.log.anchor import Anchor, last_record
from palaver.model.errors import ToolMissing

# Files by which a repository uses parts of another one; `init` makes none, and no variable overrides them.
_LEADING_ELSEWHERE: Final = ("commondir", "objects/info/alternates", "objects/info/http-alternates")


def way_elsewhere(root: Root) -> str:
    """Return the file that makes the repository inside the bus a part of another one; empty if none does."""
    paths = [f"{root.path}/.git/{name}" for name in _LEADING_ELSEWHERE]
    return next(filter(os.path.lexists, paths), "")


def snapshot_git(root: Root) -> Git:
    """Return git for the repository inside the bus, whatever repository is around it."""
    if found := way_elsewhere(root):
        raise ToolMissing("cannot use git for snapshots", f"{found} leads to another repository", "remove it")
    # Neither the variables of a hook that we may run in nor a folder around us name the repository.
    outside = {name: value for name, value in root.environment.items() if not name.startswith("GIT_")}
    git = root.path + "/.git"
    own = {"GIT_DIR": git, "GIT_COMMON_DIR": git, "GIT_WORK_TREE": root.path, "GIT_DEFAULT_HASH": "sha1"}
    return Git(root.path, outside, own, umask=0o077)


def find(root: Root) -> Anchor | None:
    """Return the last record of the last snapshot; None if there is no snapshot, or no git."""
    if shutil.which("git") is None or not os.path.isfile(root.path + "/.git/HEAD"):
        return None
    git = snapshot_git(root)
    found = git.query(
        "for-each-ref", "--format=%(objectname:short) %(committerdate:iso-strict)", "refs/heads/log"
    )
    commit, _, at = found.strip().partition(" ")
    if not commit:
        return None
    names = git.query("ls-tree", "--name-only", commit, "log/").split("\n")
    for name in sorted((each for each in names if each.endswith(".jsonl")), reverse=True):
        content = git.query("cat-file", "blob", f"{commit}:{name}").encode("utf-8", "surrogateescape")
        anchor = last_record(content)
        if anchor is not None:
            return anchor._replace(source=f"the snapshot {commit}", at=at)
    return None
