"""Acts in words: the general form in which every dialect can say every act.

    [DECIDE] We use Redis.          [CLAIM:parser] I take it.

T is the act's name in capitals, in brackets, with the task where there is one. At the start of a text it
decides the act, whatever the dialect's own words are.
"""

import re
from typing import Final

from palaver.model.message import ACTS

_GENERAL: Final = re.compile(r"\[([A-Z]+)(?::([^\]\s]+))?\](?: |$)")
_NAMES: Final = {act.upper(): act for act in ACTS}


def say(act: str, text: str, task: str = "") -> str:
    """Return the text with its T."""
    head = f"[{act.upper()}:{task}]" if task else f"[{act.upper()}]"
    return f"{head} {text}" if text else head


def heard(text: str) -> tuple[str, str, str] | None:
    """Return (act, task, text) of a text that starts with a T, else None."""
    if text[:1] != "[":
        return None
    match = _GENERAL.match(text)
    if match is None or match[1] not in _NAMES:
        return None
    return _NAMES[match[1]], match[2] or "", text[match.end() :]


def sayable(task: str) -> bool:
    """Tell whether a task can stand inside a T."""
    return bool(task) and not re.search(r"[\]\s]", task)
