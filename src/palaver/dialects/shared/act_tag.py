"""Act tags: a form in which every dialect can express every act.

    [DECIDE] We use Redis.          [CLAIM:parser] I take it.

The name of the act in capitals, in brackets, with the task if there is one. At the start of a text it decides
the act, whatever the dialect's own words mean.
"""

import re
from typing import Final

from palaver.model.message import ACTS
from palaver.model.plain import has_hidden

_ACTS: Final = {act.upper(): act for act in ACTS}
_TASK: Final = re.compile(r"[^\]\s]+")
_TAG: Final = re.compile(rf"\[([A-Z]+)(?::({_TASK.pattern}))?\](?: |(?=\n?\Z))")


def with_act_tag(act: str, text: str, task: str = "") -> str:
    """Return a text with an act tag in front of it, which names the task if the tag can hold its id."""
    can_be_named = _TASK.fullmatch(task) and not has_hidden(task)
    tag = f"[{act.upper()}:{task}]" if can_be_named else f"[{act.upper()}]"
    return f"{tag} {text}" if text else tag


def read_act_tag(text: str) -> tuple[str, str, str] | None:
    """Return act, task and the rest of a text that begins with an act tag, or None."""
    tag = _TAG.match(text)
    act = _ACTS.get(tag[1]) if tag else None
    return (act, tag[2] or "", text[tag.end() :]) if tag and act else None
