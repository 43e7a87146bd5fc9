"""Keys beside the six fields, for what swarm has no field for.

    …,"content":"…","task":"parser","priority":"urgent","re":"msg-7eqvl7msm3bp"}

A key that is not ours belongs to the program that wrote it: it is kept in `meta` and written again.
"""

from collections.abc import Mapping
from typing import Final

from palaver.dialects.shared.translation import is_usable, with_fields
from palaver.dialects.swarm.grammar import ABSENT, SIX
from palaver.dialects.swarm.handles import resolve_alias
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.message import Message
from palaver.model.mounted_files import Provenance
from palaver.model.names import EVERYONE, address, short

#: Keys with the names of fields. The act and the body are always in the content, and have none.
_OURS: Final = frozenset(["task", "subject", "priority", "re", "run", "tag", "files", "artifacts"])
#: For the id, and for fields that the six hold in a shorter form. No other program uses these names.
_EXACT: Final = {
    "palaver_id": "id",
    "palaver_from": "from",
    "palaver_to": "to",
    "palaver_reasoning": "reasoning",
}
#: Fields that say who wrote what to whom, and in answer to what.
_PROVENANCE: Final = frozenset(["id", "from", "to", "re"])
_TRUSTED: Final[Mapping[Provenance, frozenset[str]]] = {
    Provenance.ALL: _PROVENANCE,
    Provenance.RELATIONS: frozenset(["id", "re"]),
    Provenance.NONE: frozenset(),
}
_SIX: Final = frozenset(SIX)
_META: Final = "meta"
_FIELD_OF: Final = _EXACT | {key: key for key in _OURS}
_KEY_OF: Final = {field: key for key, field in _FIELD_OF.items()}


def read(message: Message, table: Mapping[str, object], provenance: Provenance) -> Message:
    """Return the message with what a record holds beside the six fields.

    What palaver alone writes there is read back as far as it is trusted; otherwise it says nothing.
    """
    trusted = _TRUSTED[provenance]
    fields: dict[str, object] = {}
    meta = dict(message.meta)
    inside: dict[str, object] = {}
    for key, value in table.items():
        field = _FIELD_OF.get(key, "")
        if key in _SIX or (field in _PROVENANCE and field not in trusted):
            continue
        if key == _META and type(value) is dict:
            inside = value
        elif _fits(key, value) or _is_exact_form(message, key, value):
            fields[_FIELD_OF[key]] = value
        else:
            meta[key] = value
    found, unusable = with_fields(message, fields | {_META: meta | inside})
    assert not unusable, unusable
    return found


def written(missing: Mapping[str, object], said: Mapping[str, object]) -> dict[str, object]:
    """Return the keys for the fields that the six do not bring back; they bring back `said` of `meta`."""
    keys = {_KEY_OF[field]: value for field, value in missing.items() if field != _META}
    wanted = missing.get(_META)
    meta = {} if type(wanted) is not dict else {k: v for k, v in wanted.items() if k not in said}
    inside = {key: value for key, value in meta.items() if _is_ours(key, value)}
    if inside:
        keys[_META] = inside
    return keys | {key: value for key, value in meta.items() if key not in inside}


def _is_ours(key: str, value: object) -> bool:
    """Return True if a key of `meta` would be read as something else beside the six."""
    if key in _SIX or key in _EXACT:
        return True
    return type(value) is dict if key == _META else _fits(key, value)


def _fits(key: str, value: object) -> bool:
    return key in _OURS and is_usable(key, value)


def _is_exact_form(message: Message, key: str, value: object) -> bool:
    """Return True if a value is the full form of a field of the six: no name can stand in for another."""
    match key, value:
        case "palaver_id", str():
            return True
        case "palaver_from", str(sender):
            return _is_canonical(sender) and message.sender in _short_forms(sender)
        case "palaver_to", [*recipients] if len(recipients) <= RECIPIENTS:
            return _are_exact_forms(message.to, recipients)
        case "palaver_reasoning", str(reasoning):
            return reasoning in ABSENT and not message.reasoning
        case _:
            return False


def _are_exact_forms(found: list[str], recipients: list[object]) -> bool:
    hit: set[str] = set()
    for each in recipients:
        if type(each) is not str or not _is_canonical(each):
            return False
        said = _short_forms(each) & set(found)
        if not said:
            return False
        hit |= said
    return hit == set(found)


def _short_forms(agent: str) -> set[str]:
    """Return the names under which an agent may appear in a channel."""
    bare = agent if agent == EVERYONE else agent.removeprefix("@")
    return {resolve_alias(bare), resolve_alias(short(bare))}


def _is_canonical(text: str) -> bool:
    try:
        return address(text) == text
    except BadName:
        return False
