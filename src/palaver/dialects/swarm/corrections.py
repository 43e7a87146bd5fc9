"""What a swarm tells the author of a wrong line: the line to append instead."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from palaver.dialects.shared.record_author import author_of_record
from palaver.dialects.swarm.grammar import BARE, CARRIERS, HANDLES, LEVELS, MENTION
from palaver.dialects.swarm.handles import agent_of
from palaver.dialects.swarm.layout import director_of
from palaver.dialects.swarm.salvage import salvage
from palaver.model.clock_text import is_plausible, read_time
from palaver.model.errors import BadName
from palaver.model.limits import FOUND_CHARS, RECIPIENTS
from palaver.model.message import Message
from palaver.model.names import EVERYONE
from palaver.model.plain import dumps
from palaver.model.spec import Corrections, Verdict

_REASON: Final = "<why you do this>"
_CONTENT: Final = "<your message>"
_SENDER: Final = "<your name>"
_AGENT: Final = "<agent>"
#: How a change of autonomy begins, and the words behind it.
_OPENING: Final = re.compile(r"\A\W*AUTONOMY_UPDATE\b", re.I)
_WORD: Final = re.compile(r"[\w/-]+")
#: What is wrong with the form of a line that is understood all the same.
_ODD: Final = frozenset(["SWA021", "SWA022", "SWA023", "SWA024", "SWA025", "reasoning-missing"])
#: Keywords of lines for one agent in particular.
_NAMING: Final = ("BLOCKED", "HANDOFF")


def _line(verdict: Verdict) -> str:
    """Return the line with its fields in the order of the protocol, and what was wrong put right."""
    if verdict.message is not None and verdict.rule in _LINES:
        return _LINES[verdict.rule](verdict, verdict.message)
    if not verdict.text or verdict.rule == "SWA004":
        return ""
    fields = salvage(verdict.text)
    content = _text(fields.get("content")) or _CONTENT
    if verdict.rule == "unknown-mention":
        content = MENTION.sub(_known_handle, content, count=1)
    if len(verdict.text) >= FOUND_CHARS:
        content = "<the same content>" if verdict.message is not None else "See the file <path>."
    to = _handles(fields.get("to"), verdict)
    if _word(content) in _NAMING and not to:
        to = [f"@{director_of(verdict.mount)}"]
    right = {
        "ts": _time(fields.get("ts"), verdict),
        "from": verdict.author if _is_author(verdict, fields) else _SENDER,
        "to": to,
        "type": _type(fields, content),
        "reasoning": _text(fields.get("reasoning")).strip("- ") or _REASON,
        "content": content,
    }
    further = {name: value for name, value in fields.items() if not name.startswith("palaver_")}
    return dumps({**right, **further, **right})


def _has_counted(verdict: Verdict) -> bool:
    """Return True if a line was understood as it was meant: its author must not say it again."""
    if verdict.has_moved or verdict.message is None or verdict.rule not in _ODD:
        return verdict.has_moved
    fields = salvage(verdict.text)
    return _type(fields, _text(fields.get("content"))) == (fields.get("type") or "message")


def _type(fields: dict[str, object], content: str) -> str:
    """Return the type of a line: that of its keyword, or else the one that was given."""
    kind, word = _text(fields.get("type")).lower(), _word(content)
    if word in CARRIERS:
        return kind if kind in CARRIERS[word] else CARRIERS[word][-1]
    return kind if kind in BARE else "message"


def _word(content: str) -> str:
    return content.partition(":")[0]


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else dumps(value)


def _time(written: object, verdict: Verdict) -> str:
    """Return the time of a line in UTC; if it has none, the time at which it was read."""
    found = read_time(written) if isinstance(written, str) else None
    return found.text if found and is_plausible(found.text) else verdict.at


def _is_author(verdict: Verdict, fields: dict[str, object]) -> bool:
    """Return True if a line names its author; otherwise the director is told of it instead."""
    return verdict.message is not None or _agent(_text(fields.get("from"))) == verdict.author


def _agent(handle: str) -> str:
    """Return the agent that a handle names; empty if no agent can have that name."""
    try:
        return agent_of(handle.removeprefix("@"))
    except BadName:
        return ""


def _known_handle(mention: re.Match[str]) -> str:
    return f"@{_nearest([mention[1]], HANDLES) or _AGENT}"


def _handles(to: object, verdict: Verdict) -> list[str] | None:
    """Return the handles of a line as the protocol writes them; None is everyone."""
    named = to if isinstance(to, list) else [to] if isinstance(to, str) and to else []
    if not named or len(named) > RECIPIENTS:
        return None
    handles = [f"@{each.removeprefix('@')}" for each in map(_text, named)]
    found = [each for each in handles if each.lower() == EVERYONE or _agent(each)]
    return found or [f"@{director_of(verdict.mount)}"]


# --- lines of the director, and to the director ---


def _approve(verdict: Verdict, claim: Message) -> str:
    """Return the line that approves a claim."""
    return _written(verdict, claim.sender, "message", f"Approved: task #{claim.task}")


def _update(verdict: Verdict, update: Message) -> str:
    """Return the line that sets the autonomy of the agent that was probably meant.

    Another agent asks the director for it. A level that cannot be told is the most careful one.
    """
    words = _WORD.findall(_OPENING.sub("", update.body))
    level = str(update.meta.get("level") or _nearest(words, LEVELS) or LEVELS[-1])
    agent = _meant_agent(verdict, update, words)
    content = f"AUTONOMY_UPDATE: {agent} → {level}"
    if verdict.author == director_of(verdict.mount):
        return _written(verdict, agent, "autonomy", content)
    return _ask(verdict, f"write: {content}")


def _meant_agent(verdict: Verdict, update: Message, words: list[str]) -> str:
    """Return the agent whose autonomy a message is about: as it says, as it almost says, or its recipient."""
    named = str(update.meta.get("agent") or "")
    if named and verdict.rule != "autonomy-of-nobody":
        return named
    certain = [word.lower() for word in words if word.lower() in HANDLES]
    addressed = [each.removeprefix("@") for each in update.to if each != EVERYONE]
    likely = [_nearest([named] if named else words, HANDLES)]
    found = [*likely, *addressed] if named else [*certain, *addressed, *likely]
    return next(filter(None, found), _AGENT)


def _shut_down(verdict: Verdict, request: Message) -> str:
    """Return the line that asks the director for a shutdown."""
    named = " and ".join("everyone" if each == EVERYONE else each.removeprefix("@") for each in request.to)
    return _ask(verdict, f"ask {named} to shut down. {request.body}")


def _ask(verdict: Verdict, what: str) -> str:
    director = director_of(verdict.mount)
    return _written(verdict, director, "request", f"@{director} please {what}")


def _finish(verdict: Verdict, departure: Message) -> str:
    """Return the line that delivers the first task of an agent that cannot leave with it."""
    if not verdict.tasks:
        return ""
    to = next((each for each in departure.to if each != EVERYONE), director_of(verdict.mount))
    return _written(verdict, to, "task", f"Completed task #{verdict.tasks[0].id}. <what came out>")


def _written(verdict: Verdict, to: str, kind: str, content: str) -> str:
    head = {"ts": verdict.at, "from": verdict.author, "to": [f"@{to}"], "type": kind}
    return dumps({**head, "reasoning": _REASON, "content": content})


def _nearest(words: list[str], names: tuple[str, ...]) -> str:
    """Return the name that one of the words is probably meant to be."""
    found = (get_close_matches(word.lower(), names, n=1) for word in words)
    return next((near[0] for near in found if near), "")


#: The lines that are not the wrong one put right, by rule.
_LINES: Final = {
    "gated": _approve,
    "autonomy-of-nobody": _update,
    "autonomy-unclear": _update,
    "autonomy-not-from-lead": _update,
    "shutdown-not-from-lead": _shut_down,
    "leave-with-work": _finish,
}


def _readdressed(text: str, right: Mapping[str, str]) -> str:
    """Return a line for the agents that were meant by unknown handles, and for no others: they have it."""
    fields = salvage(text)
    if len(text) >= FOUND_CHARS or not isinstance(fields.get("to"), list | str):
        return ""
    return dumps({**fields, "to": [f"@{name}" for name in dict.fromkeys(right.values())]})


CORRECTIONS: Final = Corrections(
    author=author_of_record, line=_line, readdressed=_readdressed, has_counted=_has_counted
)
