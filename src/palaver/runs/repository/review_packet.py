"""The review packet: what a run amounts to, on one page, for its reviewer.

The original does not document its content. Ours says what was to be done, what was run, how it ended, and
what changed in the repository, if the program worked in one.
"""

from palaver.bus.git import Git
from palaver.log.clock import now
from palaver.model.errors import ToolMissing
from palaver.runs.child_program import ProgramEnd

_DIFF_LINES = 40
# The end of a run waits for the packet.
_GIT_SECONDS = 5.0


def current_commit(git: Git) -> str:
    """Return the current commit of a folder, or an empty string."""
    return _query(git, "rev-parse", "--verify", "--quiet", "HEAD").strip()


def packet_section(end: ProgramEnd, git: Git, *, task: str, agent: str, command: str, before: str) -> str:
    """Return what one execution adds to the packet; `before` is the commit at its start."""
    how = f"signal {end.signal}" if end.signal else f"exit {end.exit}"
    lines = [
        "",
        f"## {agent}, until {now()}",
        "",
        f"- task: {task or 'none'}",
        f"- command: `{command[:200]}`",
        f"- end: {end.reason}, {how}, after {end.seconds:.1f} s",
    ]
    if end.left:
        lines.append(f"- left running: {', '.join(map(str, end.left))}")
    after = current_commit(git) if before else ""
    if after and after != before:
        diff = _query(git, "diff", "--no-ext-diff", "--no-textconv", "--stat", before, after)
        lines += ["", "Commits:", "", *_indented(_query(git, "log", "--oneline", f"{before}..{after}"))]
        lines += ["", "Changes:", "", *_indented(diff)]
    if before and (uncommitted := _query(git, "status", "--short")):
        lines += ["", "Not committed:", "", *_indented(uncommitted)]
    return "\n".join(lines) + "\n"


def _indented(text: str) -> list[str]:
    lines = text.rstrip("\n").split("\n")
    shown = [f"    {line}" for line in lines[:_DIFF_LINES]]
    return shown + ([f"    … and {len(lines) - _DIFF_LINES} more"] if len(lines) > _DIFF_LINES else [])


def _query(git: Git, *words: str) -> str:
    """Return the answer of git; empty if there is no repository, no git, or no answer in time."""
    try:
        return git.query(*words, seconds=_GIT_SECONDS)
    except ToolMissing:
        return ""
