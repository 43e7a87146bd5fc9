"""What stands beside the six fields: keys after them, for what swarm has no field for.

    …,"content":"…","task":"parser","priority":"urgent","re":"msg-7eqvl7msm3bp"}

A key that is none of ours belongs to whoever wrote it: it is kept in `meta` and written again.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Mapping

from palaver.dialects.swarm.desk import alias
from palaver.dialects.swarm.grammar import ABSENT, SIX
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.message import PRIORITIES, Message
from palaver.model.names import EVERYONE, address, short
from palaver.model.translation import completed

#: Keys that are called as the fields are. The act and the body are always in the words, and have none.
_TEXTS = frozenset(["task", "subject", "priority", "re", "run", "tag"])
_OURS = _TEXTS | {"files", "artifacts"}
#: For what the six hold but do not give back as it was: names that nobody else will use.
_WHOLE = {"palaver_from": "from", "palaver_to": "to", "palaver_reasoning": "reasoning"}
_SIX = frozenset(SIX)
_META = "meta"
_FIELD_OF = _WHOLE | {key: key for key in _OURS}
_KEY_OF = {field: key for key, field in _FIELD_OF.items()}


def put(message: Message, table: Mapping[str, object]) -> None:
    """Put what stands beside the six into the message."""
    inside: dict[str, object] = {}
    for key, value in table.items():
        if key in _SIX:
            continue
        if key == _META and type(value) is dict:
            inside = value
        elif _fits(key, value) or _is_whole(message, key, value):
            completed(message, {_FIELD_OF[key]: value})
        else:
            message.meta[key] = value
    message.meta.update(inside)


def written(lacking: Mapping[str, object], meta: Mapping[str, object]) -> dict[str, object]:
    """Return the keys for the fields that the six do not give back, and for what they lack of `meta`."""
    keys = {_KEY_OF[field]: value for field, value in lacking.items() if field != _META}
    inside = {key: value for key, value in meta.items() if _is_ours(key, value)}
    if inside:
        keys[_META] = inside
    return keys | {key: value for key, value in meta.items() if key not in inside}


def _is_ours(key: str, value: object) -> bool:
    """Tell whether a key of `meta` would be taken for something else, stood it beside the six."""
    if key in _SIX or key in _WHOLE:
        return True
    return type(value) is dict if key == _META else _fits(key, value)


def _fits(key: str, value: object) -> bool:
    if key in _TEXTS:
        return type(value) is str and (key != "priority" or value in PRIORITIES)
    return key in _OURS and not completed(Message(sender="", to=[]), {key: value})


def _is_whole(message: Message, key: str, value: object) -> bool:
    """Tell whether a value is what a field of the six says, in full: nobody can be made to seem another."""
    match key, value:
        case "palaver_from", str(sender):
            return _canonical(sender) and message.sender in _written_as(sender)
        case "palaver_to", [*recipients] if len(recipients) <= RECIPIENTS:
            return _are_whole(message.to, recipients)
        case "palaver_reasoning", str(reasoning):
            return reasoning == ABSENT and not message.reasoning
        case _:
            return False


def _are_whole(found: list[str], recipients: list[object]) -> bool:
    hit: set[str] = set()
    for each in recipients:
        if type(each) is not str or not _canonical(each):
            return False
        said = _written_as(each) & set(found)
        if not said:
            return False
        hit |= said
    return hit == set(found)


def _written_as(agent: str) -> set[str]:
    """Return the names by which a channel may call an agent."""
    bare = agent if agent == EVERYONE else agent.removeprefix("@")
    return {alias(bare), alias(short(bare))}


def _canonical(text: str) -> bool:
    try:
        return address(text) == text
    except BadName:
        return False
