"""The git repository inside a bus, which holds its snapshots.

Git follows links, and what the files of a repository say: its settings name commands, `commondir` and
alternates lead to other repositories, an index makes git look into other working trees. The files of a bus
may come from somebody else. So git gets its settings from us before each use, is never asked to look at a
folder, and is not used where a file could lead it out of the bus (docs/adr/0057).
"""

import os
import shutil
from stat import S_ISDIR
from typing import Final

from palaver.bus.git import Git
from palaver.bus.root import Root
from palaver.files.atomic_replace import replace
from palaver.files.irregular import find_irregular
from palaver.log.anchor import Anchor, last_record
from palaver.model.errors import UnsafeRoot
from palaver.model.limits import REPOSITORY_ENTRIES

#: The branch that the snapshots are on.
BRANCH: Final = "refs/heads/log"
_SETTINGS: Final = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
\thooksPath = /dev/null
\tfsmonitor = false
[submodule]
\trecurse = false
[user]
\tname = palaver
\temail = palaver@localhost
[gc]
\tauto = 0
"""
# What a `git status` by hand should not name: everything that can be made again.
_IGNORED: Final = "*\n!/log/\n!/log/*.jsonl\n!/config.toml\n!/quarantine/\n!/quarantine/*.bin\n!/.gitignore\n"
# Files by which a repository uses parts of another one; `init` makes none, and no variable overrides them.
_LEADING_ELSEWHERE: Final = ("commondir", "objects/info/alternates", "objects/info/http-alternates")


def begin(root: Root) -> bool:
    """Make `.palaver` a repository of its own; return whether git was there to do it."""
    if shutil.which("git") is None:
        return False
    git = root.path + "/.git"
    require_contained(root)
    replace(root.path + "/.gitignore", _IGNORED.encode())
    os.makedirs(git, mode=0o700, exist_ok=True)
    replace(git + "/config", _SETTINGS.encode())
    # Git appends to a log of branches that it finds.
    shutil.rmtree(git + "/logs", ignore_errors=True)
    if not os.path.isfile(git + "/HEAD"):
        # Without the user's templates, in which links are common.
        snapshot_git(root).run("init", "--quiet", "--initial-branch=log", "--template=")
        replace(git + "/config", _SETTINGS.encode())
    return True


def require_contained(root: Root) -> None:
    """Refuse a repository inside the bus that git would leave, or wait in."""
    if found := way_elsewhere(root):
        raise UnsafeRoot(
            "will not use git for snapshots", found, "remove it, and find out where it came from"
        )


def way_elsewhere(root: Root) -> str:
    """Return what leads git out of the repository inside the bus, or holds it up; empty if nothing does."""
    git = root.path + "/.git"
    if not os.path.lexists(git):
        return ""
    if not S_ISDIR(os.lstat(git).st_mode):
        return f"{git} is not a folder"
    # Hard links are of no harm: what `begin` leaves is never written in place.
    irregular = find_irregular(git, REPOSITORY_ENTRIES, twins=git)
    if irregular is not None:
        return f"{irregular.path} {irregular.what}"
    paths = [f"{git}/{name}" for name in _LEADING_ELSEWHERE]
    found = next(filter(os.path.lexists, paths), "")
    return f"{found} leads to another repository" if found else ""


def snapshot_git(root: Root) -> Git:
    """Return git for the repository inside the bus, whatever repository is around it."""
    require_contained(root)
    # Neither the variables of a hook that we may run in nor a folder around us name the repository.
    outside = {name: value for name, value in root.environment.items() if not name.startswith("GIT_")}
    git = root.path + "/.git"
    own = {"GIT_DIR": git, "GIT_COMMON_DIR": git, "GIT_WORK_TREE": root.path, "GIT_DEFAULT_HASH": "sha1"}
    return Git(root.path, outside, own, umask=0o077)


def find_anchor(root: Root) -> Anchor | None:
    """Return the last record of the log in the last snapshot; None if there is no snapshot, or no git."""
    if shutil.which("git") is None or not os.path.isfile(root.path + "/.git/HEAD"):
        return None
    git = snapshot_git(root)
    found = git.query("for-each-ref", "--format=%(objectname:short) %(committerdate:iso-strict)", BRANCH)
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
