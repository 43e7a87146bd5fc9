"""Hooks of a git repository: inside a run, the commit message names the run.

`prepare-commit-msg` adds the line `runId: run_001`, `commit-msg` refuses a message without it. Outside a run
both do nothing. They are plain shell scripts without dependencies. An existing hook is kept under another
name, runs first and can refuse first; uninstalling ours restores it.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from stat import S_IXUSR

from palaver.bus.git import Git
from palaver.bus.operations.result import PlainFields
from palaver.files.atomic_replace import write_whole
from palaver.files.regular import way_out
from palaver.model.errors import InTheWay, NotFound, Refusal, StorageFailed, ToolMissing

_MARK = "# Written by palaver install git."
_BEFORE = ".before-palaver"
_MADE = "# The folder was made with it."
_HEAD = """#!/bin/sh
{mark} Remove it with: palaver uninstall git
{made}# A hook that was here before is beside it, and runs first.
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
echo "palaver: the commit message does not name its run; add a line: runId: $run" >&2
exit 1
""",
}


@dataclass(slots=True, kw_only=True)
class HookChanges(PlainFields):
    """What was done to the hooks of a repository."""

    folder: str
    hooks: list[str] = field(default_factory=list)
    #: Hooks that were there before, and are kept or were restored.
    kept: list[str] = field(default_factory=list)
    #: Hooks that another program has put in the place of ours.
    foreign: list[str] = field(default_factory=list)


def install(folder: str, environment: Mapping[str, str] = os.environ) -> HookChanges:
    """Install our hooks in the repository around a folder; installed ones are renewed."""
    hooks = _hooks(folder, environment)
    found = HookChanges(folder=hooks)
    try:
        made = not os.path.isdir(hooks)
        os.makedirs(hooks, exist_ok=True)
        for name in _HOOKS:
            path = f"{hooks}/{name}"
            if os.path.lexists(path) and not _is_ours(path):
                if os.path.lexists(path + _BEFORE):
                    raise InTheWay(
                        f"cannot keep {path}", f"{name}{_BEFORE} already exists", "move one of the two away"
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


def present(folder: str, environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return which of our hooks are installed around a folder; none if there is no repository."""
    try:
        hooks = _hooks(folder, environment)
    except Refusal:
        return []
    return [name for name in _HOOKS if _is_ours(f"{hooks}/{name}")]


def uninstall(folder: str, environment: Mapping[str, str] = os.environ) -> HookChanges:
    """Remove our hooks, and restore the hooks that were there before."""
    hooks = _hooks(folder, environment)
    found = HookChanges(folder=hooks)
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
        raise NotFound(f"no hooks of palaver in {hooks}", "they are not installed", "palaver install git")
    return found


def _script(name: str, *, made: bool) -> str:
    return _HEAD.format(mark=_MARK, kept=_BEFORE, made=f"{_MADE}\n" if made else "") + _HOOKS[name]


def _hooks(folder: str, environment: Mapping[str, str]) -> str:
    """Return the hooks folder of a repository; refuse one that is not the repository's own."""
    git = Git(folder, environment)
    common, hooks = _path(git, "--git-common-dir"), _path(git, "--git-path", "hooks")
    top = os.path.dirname(common)
    if os.path.commonpath([hooks, common]) != common and os.path.commonpath([hooks, top]) != top:
        raise InTheWay(
            "cannot install hooks",
            f"core.hooksPath is {hooks}, which other repositories use, too",
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
    """Write a hook, whole or not at all."""
    write_whole(path, text.encode(), mode=0o755, is_durable=False)
    assert os.stat(path).st_mode & S_IXUSR, "git skips a hook that is not executable"


def _path(git: Git, *words: str) -> str:
    """Return a path of the repository around a folder; refuse if there is none."""
    try:
        found = git.run("rev-parse", "--path-format=absolute", *words)
    except ToolMissing as refused:
        if "not a git repository" not in refused.why:
            raise
        way_out = "git init, or name the folder of a repository"
        raise NotFound(f"no hooks for {git.folder}", "there is no git repository", way_out) from refused
    return os.path.realpath(found.rstrip("\n"))


def _storage(path: str, fault: OSError) -> StorageFailed:
    return StorageFailed(f"cannot change the hooks in {path}", fault.strerror or str(fault), way_out(fault))
