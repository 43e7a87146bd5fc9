"""Acts in words: the general form in which every dialect can say every act.

    [DECIDE] We use Redis.          [CLAIM:parser] I take it.

T is the act's name in capitals, in brackets, with the task where there is one. At the start of a text it
decides the act, whatever the dialect's own words are.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.message import ACTS

_NAMES = {act.upper(): act for act in ACTS}


def say(act: str, text: str, task: str = "") -> str:
    """Return the text with its T."""
    head = f"[{act.upper()}:{task}]" if task else f"[{act.upper()}]"
    return f"{head} {text}" if text else head


def heard(text: str) -> tuple[str, str, str] | None:
    """Return (act, task, text) of a text that starts with a T, else None."""
    if text[:1] != "[":
        return None
    head, end, rest = text[1:].partition("]")
    word, colon, task = head.partition(":")
    act = _NAMES.get(word)
    if act is None or not end or (colon and not sayable(task)):
        return None
    if rest[:1] == " ":
        return act, task, rest[1:]
    return (act, task, rest) if rest in ("", "\n") else None


def sayable(task: str) -> bool:
    """Tell whether a task can stand inside a T."""
    return "]" not in task and task.split() == [task]
