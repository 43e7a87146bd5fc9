"""Snapshots: the log into a small git history of its own, inside `.palaver`.

The surrounding repository never tracks a live log (docs/adr/0010). Git is a tool here, not a store:
nothing of the bus needs it, and nothing waits for it. A snapshot is an anchor of the log too, so none is made
of a log that has lost its end. Damage in it is kept as it is: a backup is of most use then.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from palaver.bus.admin.anchor_check import require_history
from palaver.bus.admin.snapshot_repository import BRANCH, begin, snapshot_git
from palaver.bus.git import Git
from palaver.bus.operations import keys
from palaver.bus.operations.fields import CommitMessage, Key
from palaver.bus.operations.operation import appends, operation
from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.files.regular import open_regular, storage_failed
from palaver.log.verification import verify
from palaver.model.errors import ToolMissing
from palaver.model.limits import SUBJECT_CHARS
from palaver.model.names import BUS

# Everything but the log, the config and the quarantine can be made again.
_FILES = (".gitignore", "config.toml")
_FOLDERS = {"log": ".jsonl", "quarantine": ".bin"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotResult:
    """The commit of a snapshot, empty if nothing changed, and how many faults the log has that is in it."""

    commit: str
    faults: int

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"commit": self.commit or None, "faults": self.faults}


@operation(appends, repeat=lambda session, first: _result(session, keys.expect_done(first, "snapshot")))
def snapshot(session: Session, message: CommitMessage = "", *, key: Key = "") -> SnapshotResult:
    """Commit the log to its own git history, also one with damage in it."""
    require_history(session)
    commit = _commit(session, message)
    keys.mark_done(session, "snapshot", session.agent or BUS, key, about=commit)
    return _result(session, commit)


def _result(session: Session, commit: str) -> SnapshotResult:
    return SnapshotResult(commit=commit, faults=len(verify(session.log).faults))


def start_anew(session: Session) -> bool:
    """Forget the history of snapshots and begin another; return whether there was one."""
    history = session.root.path + "/.git"
    if not any(files for _, _, files in os.walk(history + "/objects")):
        return False
    shutil.rmtree(history)
    _commit(session, "snapshot after a redaction")
    return True


def _commit(session: Session, message: str) -> str:
    root = session.root
    if not begin(root):
        raise ToolMissing(
            "cannot make a snapshot", "git is not installed", "install git, or copy .palaver/log"
        )
    git = snapshot_git(root)
    last = git.query("for-each-ref", "--format=%(objectname) %(tree)", BRANCH).split()
    tree = _write_tree(root, git, known=_blobs(git, last[0]) if last else {})
    if last[1:] == [tree]:
        return ""
    # A power cut must not leave a snapshot of more than the log.
    session.log.sync()
    parents = ("-p", last[0]) if last else ()
    commit = git.run("commit-tree", tree, *parents, "-m", _as_argument(message)).strip()
    git.run("update-ref", BRANCH, commit, *last[:1])
    # For those who look at the snapshots with git: nothing of ours reads the index.
    git.run("read-tree", tree)
    return git.run("rev-parse", "--short", commit).strip()


def _as_argument(message: str) -> str:
    """Return the message as a command line can have it: it has room for less, and knows no NUL."""
    plain = (message.strip() or "snapshot").replace("\0", " ").encode("utf-8", "replace").decode()
    return plain[:SUBJECT_CHARS]


def _blobs(git: Git, commit: str) -> dict[str, str]:
    """Return the files of a snapshot, each with the id of its content."""
    rows = [row.partition("\t") for row in git.query("ls-tree", "-r", "-z", commit).split("\0") if row]
    return {path: fields.split(" ")[2] for fields, _, path in rows}


def _write_tree(root: Root, git: Git, known: dict[str, str]) -> str:
    """Give git the files of a snapshot, without those that it has, and return the id of the tree."""
    entries = [_entry(root, git, name, known) for name in _FILES]
    for folder in _FOLDERS:
        files = [_entry(root, git, path, known) for path in _files_in(root, folder)]
        if files:
            entries.append(f"040000 tree {git.run('mktree', '-z', given=_joined(files)).strip()}\t{folder}")
    return git.run("mktree", "-z", given=_joined(entries)).strip()


def _files_in(root: Root, folder: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(f"{root.path}/{folder}"))
    except FileNotFoundError:
        return
    except OSError as fault:
        raise storage_failed(fault, folder) from fault
    for name in names:
        if name.endswith(_FOLDERS[folder]):
            yield f"{folder}/{name}"


def _entry(root: Root, git: Git, path: str, known: dict[str, str]) -> str:
    """Return the row of a tree for a file."""
    try:
        with open(f"{root.path}/{path}", "rb", opener=open_regular) as file:
            content = file.read()
    except OSError as fault:
        raise storage_failed(fault, path) from fault
    blob = hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()
    if known.get(path) != blob:
        # Without a name, so that no attribute and no filter is looked for.
        blob = git.run("hash-object", "-w", "--stdin", given=content).strip()
    return f"100644 blob {blob}\t{os.path.basename(path)}"


def _joined(rows: list[str]) -> bytes:
    return "".join(f"{row}\0" for row in rows).encode("utf-8", "surrogateescape")
