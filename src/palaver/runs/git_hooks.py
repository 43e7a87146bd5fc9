"""Hooks of a git repository: inside a run, a commit message says which one it was.

`prepare-commit-msg` adds the line `runId: run_001`, `commit-msg` refuses a message that lacks it. Outside of
a run both do nothing. They are plain shell and need nothing of ours. A hook that was there is kept under
another name, runs first, and decides first; taking ours out puts it back as it was.
"""

import os
import subprocess
from stat import S_IXUSR

from palaver.model.errors import InTheWay, NotFound, Refusal, StorageFailed, ToolMissing

_MARK = "# Written by palaver install git."
_BEFORE = ".before-palaver"
_MADE = "# The folder was made with it."
_SECONDS = 30
_HEAD = """#!/bin/sh
{mark} Take it out with: palaver uninstall git
{made}# A hook that was here before stands beside it, and comes first.
before="$0{kept}"
if [ -x "$before" ]; then
    "$before" "$@" || exit $?
fi
run="${{PALAVER_RUN:-$RUN_ID}}"
[ -n "$run" ] || exit 0
"""
_HOOKS = {
    "prepare-commit-msg": """\
grep -v '^#' "$1" | grep -qwF -e "$run" && exit 0
exec git interpret-trailers --in-place --trailer "runId: $run" "$1"
""",
    "commit-msg": """\
grep -v '^#' "$1" | grep -qwF -e "$run" && exit 0
echo "palaver: the commit message does not say its run; add a line: runId: $run" >&2
exit 1
""",
}


class Installed:
    """What was done to the hooks of a repository."""

    def __init__(self, folder: str) -> None:
        """Take the folder of the hooks."""
        self.folder = folder
        self.hooks: list[str] = []
        # Those that were there before, and are kept or were put back.
        self.kept: list[str] = []
        # Those that somebody else has put in the place of ours.
        self.foreign: list[str] = []

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"folder": self.folder, "hooks": self.hooks, "kept": self.kept, "foreign": self.foreign}


def install(folder: str) -> Installed:
    """Put our hooks into the repository around a folder; what is installed already is renewed."""
    hooks = _hooks(folder)
    found = Installed(hooks)
    try:
        made = not os.path.isdir(hooks)
        os.makedirs(hooks, exist_ok=True)
        for name in _HOOKS:
            path = f"{hooks}/{name}"
            if os.path.lexists(path) and not _is_ours(path):
                if os.path.lexists(path + _BEFORE):
                    raise InTheWay(
                        f"cannot keep {path}", f"{name}{_BEFORE} is there already", "move one of the two away"
                    )
                os.rename(path, path + _BEFORE)
            if os.path.lexists(path + _BEFORE):
                found.kept.append(name)
            made = made or _said(path, _MADE)
            _write(path, _script(name, made=made))
            found.hooks.append(name)
    except OSError as fault:
        raise _storage(hooks, fault) from fault
    return found


def present(folder: str) -> list[str]:
    """Return which of our hooks are installed around a folder; none where there is no repository."""
    try:
        hooks = _hooks(folder)
    except Refusal:
        return []
    return [name for name in _HOOKS if _is_ours(f"{hooks}/{name}")]


def uninstall(folder: str) -> Installed:
    """Take our hooks out; what was there before is there again."""
    hooks = _hooks(folder)
    found = Installed(hooks)
    made = False
    try:
        for name in _HOOKS:
            path = f"{hooks}/{name}"
            if os.path.lexists(path):
                if not _is_ours(path):
                    found.foreign.append(name)
                    continue
                made = made or _said(path, _MADE)
                os.unlink(path)
                found.hooks.append(name)
            if os.path.lexists(path + _BEFORE):
                os.rename(path + _BEFORE, path)
                found.kept.append(name)
        if made and not os.listdir(hooks):
            os.rmdir(hooks)
    except OSError as fault:
        raise _storage(hooks, fault) from fault
    if not found.hooks:
        raise NotFound(f"no hook of ours in {hooks}", "nothing was installed here", "palaver install git")
    return found


def _script(name: str, *, made: bool) -> str:
    return _HEAD.format(mark=_MARK, kept=_BEFORE, made=f"{_MADE}\n" if made else "") + _HOOKS[name]


def _hooks(folder: str) -> str:
    """Return where the hooks of a repository are; refuse a place that is not the repository's own."""
    common = os.path.realpath(_git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    hooks = os.path.realpath(_git(folder, "rev-parse", "--path-format=absolute", "--git-path", "hooks"))
    top = os.path.dirname(common)
    if os.path.commonpath([hooks, common]) != common and os.path.commonpath([hooks, top]) != top:
        raise InTheWay(
            "cannot install hooks",
            f"core.hooksPath is {hooks}, which other repositories use too",
            "git config core.hooksPath .git/hooks",
        )
    return hooks


def _is_ours(path: str) -> bool:
    return not os.path.islink(path) and _said(path, _MARK)


def _said(path: str, words: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return words in file.read(4_096)
    except OSError:
        return False


def _write(path: str, text: str) -> None:
    """Put a hook in its place, whole or not at all."""
    fresh = f"{path}.{os.getpid()}.tmp"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o700)
    try:
        os.write(fd, text.encode())
        os.fchmod(fd, 0o755)
    finally:
        os.close(fd)
    assert os.stat(fresh).st_mode & S_IXUSR, "git passes over a hook that cannot be executed"
    os.rename(fresh, path)


def _git(folder: str, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", folder, *words], capture_output=True, timeout=_SECONDS, check=False, text=True
        )
    except (OSError, subprocess.SubprocessError) as fault:
        raise ToolMissing("cannot use git", str(fault), "install it") from fault
    if done.returncode:
        why = "there is no git repository" if "not a git repository" in done.stderr else done.stderr.strip()
        raise NotFound(f"no hooks for {folder}", why[:300], "git init, or name the folder of a repository")
    return done.stdout.rstrip("\n")


def _storage(path: str, fault: OSError) -> StorageFailed:
    return StorageFailed(
        f"cannot change the hooks in {path}", fault.strerror or str(fault), "mend it and try again"
    )
