"""Snapshots: the log into a small git history of its own, inside `.palaver`.

The surrounding repository never tracks a live log (docs/adr/0010). Git is a tool here, not a store:
nothing of the bus needs it, and nothing waits for it. A snapshot is an anchor of the log too, so none is made
of a log that has lost records.
"""

import os
import shutil

from palaver.bus.admin.anchor_check import require_history
from palaver.bus.admin.snapshot_head import snapshot_git
from palaver.bus.operations import keys
from palaver.bus.operations.fields import CommitMessage, Key
from palaver.bus.operations.operation import appends, operation
from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.files.atomic_replace import replace
from palaver.model.errors import ToolMissing
from palaver.model.limits import SUBJECT_CHARS
from palaver.model.names import BUS

# Everything but the log and the config can be made again.
_IGNORED = "*\n!/log/\n!/log/*.jsonl\n!/config.toml\n!/quarantine/\n!/quarantine/**\n!/.gitignore\n"
#: The settings of the repository, written before each use: git runs commands that its settings name, and the
#: files of a bus may come from somebody else.
_SETTINGS = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
\thooksPath = /dev/null
\tfsmonitor = false
[user]
\tname = palaver
\temail = palaver@localhost
[commit]
\tgpgsign = false
[gc]
\tauto = 0
"""


def begin(root: Root) -> bool:
    """Make `.palaver` a repository of its own; return whether git was there to do it."""
    if shutil.which("git") is None:
        return False
    replace(root.path + "/.gitignore", _IGNORED.encode())
    git = root.path + "/.git"
    if os.path.lexists(git) and not os.path.isdir(git):
        raise ToolMissing("cannot use git for snapshots", f"{git} is not a folder", "remove it")
    os.makedirs(git, mode=0o700, exist_ok=True)
    replace(git + "/config", _SETTINGS.encode())
    if not os.path.isfile(git + "/HEAD"):
        snapshot_git(root).run("init", "--quiet", "--initial-branch=log")
        replace(git + "/config", _SETTINGS.encode())
    return True


@operation(appends, repeat=lambda _, first: keys.expect_done(first, "snapshot"))
def snapshot(session: Session, message: CommitMessage = "", *, key: Key = "") -> str:
    """Commit the log to its own git history; return the commit, empty if nothing changed."""
    require_history(session)
    commit = _commit(session, message)
    keys.mark_done(session, "snapshot", session.agent or BUS, key, about=commit)
    return commit


def _commit(session: Session, message: str) -> str:
    root = session.root
    if not begin(root):
        raise ToolMissing(
            "cannot make a snapshot", "git is not installed", "install git, or copy .palaver/log"
        )
    # As a text, because a command line has room for less, and knows no NUL.
    said = (
        (message.strip() or "snapshot").replace("\0", " ").encode("utf-8", "replace").decode()[:SUBJECT_CHARS]
    )
    git = snapshot_git(root)
    git.run("add", "--all", ".")
    if not git.run("status", "--porcelain"):
        return ""
    # A power cut must not leave a snapshot of more than the log.
    session.log.sync()
    git.run("commit", "--quiet", "--message", said)
    return git.run("rev-parse", "--short", "HEAD").strip()


def start_anew(session: Session) -> bool:
    """Forget the history of snapshots and begin another; return whether there was one."""
    history = session.root.path + "/.git"
    if not any(files for _, _, files in os.walk(history + "/objects")):
        return False
    shutil.rmtree(history)
    _commit(session, "snapshot after a redaction")
    return True
