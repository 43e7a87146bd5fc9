"""The review packet: what a run amounts to, on one page, for who reviews it.

Nobody has written down what the original has in it. Ours says what was to be done, what was run, how it
ended, and what changed in the repository, if the program worked in one.
"""

import subprocess

from palaver.log.stamp import now
from palaver.runs.git_query import QUERY
from palaver.runs.program import Ended

_GIT_SECONDS = 5
_DIFF_LINES = 40


def head() -> str:
    """Return the commit that the folder we stand in is at, or nothing."""
    return _git("rev-parse", "--verify", "--quiet", "HEAD").strip()


def section(ended: Ended, *, task: str, agent: str, command: str, before: str) -> str:
    """Return what one execution adds to the packet."""
    how = f"signal {ended.signal}" if ended.signal else f"exit {ended.exit}"
    lines = [
        "",
        f"## {agent}, until {now()}",
        "",
        f"- task: {task or 'none'}",
        f"- command: `{command[:200]}`",
        f"- end: {ended.reason}, {how}, after {ended.seconds:.1f} s",
    ]
    if ended.left:
        lines.append(f"- left running: {', '.join(map(str, ended.left))}")
    after = head() if before else ""
    if after and after != before:
        lines += ["", "Commits:", "", *_indented(_git("log", "--oneline", f"{before}..{after}"))]
        lines += [
            "",
            "Changes:",
            "",
            *_indented(_git("diff", "--no-ext-diff", "--no-textconv", "--stat", before, after)),
        ]
    if before and (open_work := _git("status", "--short")):
        lines += ["", "Not committed:", "", *_indented(open_work)]
    return "\n".join(lines) + "\n"


def _indented(text: str) -> list[str]:
    lines = text.rstrip("\n").split("\n")
    shown = [f"    {line}" for line in lines[:_DIFF_LINES]]
    return shown + ([f"    … and {len(lines) - _DIFF_LINES} more"] if len(lines) > _DIFF_LINES else [])


def _git(*words: str) -> str:
    """Return what git says; nothing where there is no repository, no git, or no answer in time."""
    try:
        done = subprocess.run(
            ["git", *QUERY, *words],
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
