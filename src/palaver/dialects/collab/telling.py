"""A head and its text into a message: trailer, tag, and the fields beside the text.

The trailer is one line's: our writer writes nothing else, and a trailer that somebody put under a text of
several lines is part of that text.
"""

from palaver.dialects.collab import words
from palaver.dialects.collab.cast import Cast
from palaver.dialects.collab.grammar import USER
from palaver.dialects.collab.opening import Note, Opening
from palaver.dialects.shared.trailer import without_trailer
from palaver.dialects.shared.translation import with_fields
from palaver.model import names
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.message import ACTS, PRIORITIES, Message

_EMPTY = Note("COL011", "the message says nothing", "write what is to be said, or leave the line out")


def told(
    opening: Opening, text: str, cast: Cast, *, to_inbox: bool = False
) -> tuple[Message, tuple[Note, ...]] | Note:
    """Return the message and what is to be said about it, or why it is none.

    In the inbox `USER:` only says who the sender is; in a chat log it is worth remembering as well.
    """
    if not text.strip():
        return _EMPTY
    beside: dict[str, object] = {}
    if "\n" not in text:
        text, beside = without_trailer(text)
    said = words.read(text, cast)
    message = Message(
        sender=cast.person if said.by_person else opening.sender,
        to=opening.to,
        body=said.body,
        act=said.act,
        task=said.task,
        tag="" if to_inbox and said.tag == USER else said.tag,
        at=opening.at,
        meta=said.meta,
    )
    if not beside:
        return message, opening.notes
    hostile = _hostile(beside)
    if hostile is not None:
        return hostile
    unlisted = _unlisted(beside)
    message, unfit = with_fields(message, beside)
    unusable = unlisted + unfit
    return message, opening.notes + tuple(_unusable(name) for name in unusable)


def ends_with_trailer(text: str) -> bool:
    """Tell whether a line ends with a trailer, so that no further line can belong to it."""
    return text.endswith(")") and without_trailer(text)[0] is not text


def _hostile(beside: dict[str, object]) -> Note | None:
    """Return what is wrong with the names of a trailer; they go where the names of the line go."""
    to = beside.get("to")
    named = [beside.get("from"), *(to if type(to) is list else [])]
    if len(named) > RECIPIENTS + 1:
        return Note("COL010", f"{len(named) - 1} receivers", f"name at most {RECIPIENTS}, or TEAM")
    try:
        for name in named:
            if type(name) is str:
                names.address(name)
    except BadName as refused:
        return Note("COL008", f"{refused.what}: {refused.why}", refused.way_out)
    return None


def _unlisted(beside: dict[str, object]) -> list[str]:
    """Take out what is not on a closed list, and name it."""
    wrong = [
        name
        for name, known in (("act", ACTS), ("priority", PRIORITIES))
        if name in beside and beside[name] not in known
    ]
    for name in wrong:
        del beside[name]
    return wrong


def _unusable(name: str) -> Note:
    return Note("COL026", f"the trailer's {name} cannot be used", "leave the trailer to Palaver")
