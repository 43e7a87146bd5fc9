"""The check of a message before it is stored, and the result of sending it.

It imports nothing of the log: a command that hands a message to the daemon must not pay for that.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.model import secrets
from palaver.model.errors import BadArguments, BadText, EmptyBody, SecretFound, TooLarge
from palaver.model.limits import DEPTH, FILES, META_CHARS, META_FIELDS, RECIPIENTS, SUBJECT_CHARS
from palaver.model.message import ACTS, PRIORITIES, WORDLESS, Message
from palaver.model.names import address, check_task

# What is done about a secret in a message; a command without the option says the first half alone.
_ALLOWED = "take it out, or use --allow-secret"
_PLURAL = ("files", "artifacts", "needs", "members", "settings", "ids")


class SendResult:
    """The result of sending a message."""

    __slots__ = ("fresh", "message", "no_effect", "unknown")

    def __init__(
        self,
        message: Message,
        *,
        fresh: bool,
        unknown: list[tuple[str, str, list[str]]],
        no_effect: str = "",
    ) -> None:
        """Take the message, whether it is new in the log, and the unknown addresses.

        Each of those comes with the reason and the nearest names. `no_effect` says why the message did not
        move its task.
        """
        self.message = message
        self.no_effect = no_effect
        self.fresh = fresh
        self.unknown = unknown

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        message = self.message
        return {
            "id": message.id,
            "seq": message.seq,
            "event_id": message.event_id,
            "at": message.at,
            "from": message.sender,
            "to": message.to,
            "thread": message.thread,
            "duplicate": not self.fresh,
            "no_effect": self.no_effect,
            "undeliverable": [
                {"address": written, "why": why, "nearest": nearest} for written, why, nearest in self.unknown
            ],
        }


def _levels(message: Message) -> bool:
    """Return True if it sets an agent's autonomy to a level; that needs no words."""
    return message.act == "autonomy" and "level" in message.meta


def check(message: Message, *, allow_secret: bool = False, allow_empty: bool = False) -> Message:
    """Refuse what no log should hold; return the message with addresses in their canonical form."""
    to = message.to
    if not 0 < len(to) <= RECIPIENTS:
        raise _addressed(to)
    if not allow_secret:
        # An address that nobody has may be stored, and a sender is registered.
        harmless(", ".join(to), "recipient", _ALLOWED)
        harmless(message.sender, "sender", _ALLOWED)
    canonical = message.replace(to=[address(written) for written in to])
    judge(canonical, allow_secret=allow_secret, allow_empty=allow_empty)
    return canonical


def judge(message: Message, *, allow_secret: bool, allow_empty: bool) -> None:
    """Refuse what no message may say."""
    if message.act not in ACTS or message.priority not in PRIORITIES:
        raise _unheard_of(message)
    if not allow_empty and not message.body.strip() and message.act not in WORDLESS and not _levels(message):
        raise EmptyBody(
            "cannot send an empty message",
            f"'{message.act}' needs words",
            "give a body with -m TEXT or -m -",
        )
    if len(message.subject) > SUBJECT_CHARS:
        raise TooLarge(
            "cannot take the subject", f"it is longer than {SUBJECT_CHARS} characters", "put it in the body"
        )
    texts = _texts(message)
    for text in texts:
        if not text.isascii():
            encodable(text)
    if not allow_secret:
        _harmless_message(message, texts)
    # Last, because the refusal repeats the id.
    if message.task:
        check_task(message.task)


def harmless(text: str, field: str = "text", way_out: str = "take it out") -> None:
    """Refuse a text that holds a secret; `field` says where the text is from."""
    for family, start, _ in secrets.spans(text):
        line = f", line {text.count(chr(10), 0, start) + 1}" if "\n" in text else ""
        raise secret_found(field, family + line, way_out)


def _harmless_message(message: Message, texts: list[str]) -> None:
    """Refuse a message that holds a secret, also one that only the name of its field tells."""
    for text in texts:
        if secrets.find(text):
            harmless(text, _field_of(message, text), _ALLOWED)
    for field in ("meta", "files", "artifacts"):
        value = getattr(message, field)
        if value and (families := secrets.mask_value(value)[1]):
            raise secret_found(field, families[0], _ALLOWED)


def secret_found(field: str, which: str, way_out: str = "take it out") -> SecretFound:
    """Return the refusal of a secret in a field."""
    seems = "seem" if field in _PLURAL else "seems"
    return SecretFound(
        f"will not {'send' if way_out == _ALLOWED else 'store'} a secret",
        f"the {field} {seems} to hold one ({which}), and every agent could read it",
        way_out,
    )


def _field_of(message: Message, text: str) -> str:
    """Return the field of a message that a text is from."""
    for field in ("body", "subject", "reasoning", "task", "run", "artifacts"):
        value = getattr(message, field)
        if value == text or (type(value) is list and text in value):
            return field
    return "meta" if message.meta else "files"


def _addressed(to: list[str]) -> BadArguments | TooLarge:
    if not to:
        return BadArguments("cannot send", "nobody is addressed", "name an agent, a list, or @all")
    return TooLarge(
        f"cannot send to {len(to)} recipients", f"at most {RECIPIENTS} can be named", "make a list of them"
    )


def _unheard_of(message: Message) -> BadArguments:
    if message.act not in ACTS:
        return BadArguments(
            f"there is no act '{message.act}'", "the list is closed", f"use one of {', '.join(ACTS)}"
        )
    return BadArguments(
        f"there is no priority '{message.priority}'",
        "the list is closed",
        f"use one of {', '.join(PRIORITIES)}",
    )


def _texts(message: Message) -> list[str]:
    texts = [message.body]
    if message.subject:
        texts.append(message.subject)
    if message.reasoning or message.meta or message.task or message.run or message.files or message.artifacts:
        texts += [message.reasoning, message.task, message.run, *message.artifacts, *_free(message)]
    return texts


def _free(message: Message) -> list[str]:
    """Return the texts of the free fields, if there are not too many."""
    if len(message.meta) > META_FIELDS or len(message.files) + len(message.artifacts) > FILES:
        raise TooLarge(
            "cannot take so many fields",
            f"at most {META_FIELDS} of meta, {FILES} files",
            "put them in a file",
        )
    texts: list[str] = []
    for field, value in message.meta.items():
        found = [field, value] if type(value) is str else _inside([field, value])
        if sum(map(len, found)) > META_CHARS:
            why = f"it is longer than {META_CHARS} characters"
            raise TooLarge(f"cannot take the field {field[:40]!r}", why, "use a file")
        texts += found
    named = [part for each in message.files for pair in each.items() for part in pair]
    flat = [part for part in named if type(part) is str]
    return texts + (flat if len(flat) == len(named) else _inside(message.files))


def _inside(value: object) -> list[str]:
    """Return every text of a plain value, names of fields too; refuse what JSON cannot say."""
    texts: list[str] = []
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        each, depth = waiting.pop()
        if depth > DEPTH:
            raise TooLarge("cannot take the fields", f"they are nested deeper than {DEPTH}", "use a file")
        if type(each) is dict:
            waiting += [(part, depth + 1) for pair in each.items() for part in pair]
        elif type(each) is list or type(each) is tuple:
            waiting += [(part, depth + 1) for part in each]
        elif type(each) is float and each - each != 0:
            raise BadArguments("cannot take the fields", f"JSON has no {each}", "use a text")
        elif each is None or type(each) in (str, int, float, bool):
            texts.append(str(each))
        else:
            raise BadArguments("cannot take the fields", f"JSON has no {type(each).__name__}", "use a text")
    return texts


def encodable(text: str) -> None:
    """Refuse a text that cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise BadText(
            "cannot send the text", "it is not Unicode (half a surrogate pair)", "send it as UTF-8"
        ) from fault
