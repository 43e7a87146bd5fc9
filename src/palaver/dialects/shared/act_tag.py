"""Act tags: a form in which every dialect can express every act.

    [DECIDE] We use Redis.          [CLAIM:parser] I take it.

The name of the act in capitals, in brackets, with the task if there is one. At the start of a text it decides
the act, whatever the dialect's own words mean.
"""

from typing import Final

from palaver.model.message import ACTS

_ACTS: Final = {act.upper(): act for act in ACTS}


def with_act_tag(act: str, text: str, task: str = "") -> str:
    """Return a text with an act tag in front of it."""
    tag = f"[{act.upper()}:{task}]" if task else f"[{act.upper()}]"
    return f"{tag} {text}" if text else tag


def read_act_tag(text: str) -> tuple[str, str, str] | None:
    """Return act, task and the rest of a text that begins with an act tag, or None."""
    if text[:1] != "[":
        return None
    tag, end, rest = text[1:].partition("]")
    word, colon, task = tag.partition(":")
    act = _ACTS.get(word)
    if act is None or not end or (colon and not fits_act_tag(task)):
        return None
    if rest[:1] == " ":
        return act, task, rest[1:]
    return (act, task, rest) if rest in ("", "\n") else None


def fits_act_tag(task: str) -> bool:
    """Return True if a task can be written in an act tag."""
    return "]" not in task and task.split() == [task]
