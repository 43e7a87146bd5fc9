"""Names and addresses: what may be one, and when two are the same.

    ada   emp-copilot-a3f2   project-a/workers/slot0   project-a/supervisor   @qa   @all

A name is one to four segments joined by `/`. A segment starts with a letter or a digit and goes on
with letters, digits, `.`, `_` and `-`. Case does not count. So no name can leave its folder, look
like an option, or pass for another by a letter of some other alphabet.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.model import secrets
from palaver.model.errors import BadName
from palaver.model.limits import FILE_NAME_BYTES, ID_CHARS, NAME_CHARS, NAME_SEGMENTS, TASK_CHARS

EVERYONE = "@all"
# Our own hand in the log; nobody else may use it.
BUS = "palaver"

_START = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_REST = "abcdefghijklmnopqrstuvwxyz0123456789._-"
_OF_IDS = _REST + ":+@"
# Device names that some file systems will not store.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)]
)
# What was found good before, as it was written and as it is: most mail goes to the same few.
_addresses: dict[str, str] = {}
_REMEMBERED = 1_000


def name(text: str) -> str:
    """Return the canonical form of an agent's name, or refuse it."""
    found = address(text)
    if text[:1] == "@":
        raise _bad(text, _complaint(text))
    if found in (EVERYONE, BUS):
        raise BadName(f"cannot use the name '{text.lower()}'", "it is reserved", "choose another")
    return found


def is_name(text: str) -> bool:
    """Return True if an agent can have this name; a log that others wrote may contain any."""
    try:
        return bool(name(text))
    except BadName:
        return False


def address(text: str) -> str:
    """Return the canonical form of an address: a name, or `@` and a handle."""
    found = _addresses.get(text)
    if found is None:
        refuse_secret(text)
        found = _segments(text.removeprefix("@"), text)
        if text[:1] == "@" or found == "all":
            found = f"@{found}"
        if len(_addresses) >= _REMEMBERED:
            _addresses.clear()
        _addresses[text] = found
    return found


def refuse_secret(text: str) -> None:
    """Refuse a name with a secret: names stay in the log whatever is redacted, and no mask is a name."""
    if family := secrets.find(text):
        raise _bad(text, f"it seems to hold a secret ({family})")


def short(full: str) -> str:
    """Return the last segment: how people call an agent."""
    return full.rpartition("/")[2]


def role(full: str) -> str:
    """Return what is left of the last segment: the role that the address implies, or nothing."""
    return full.rpartition("/")[0]


def is_id(text: str) -> bool:
    """Return True if a text from another program can be the id of a message."""
    return 0 < len(text) <= ID_CHARS and text.isascii() and not text.lower().strip(_OF_IDS)


def check_task(text: str) -> None:
    """Refuse the id of a task that could be taken for a path, an option or a hidden file."""
    if not 0 < len(text) <= TASK_CHARS:
        why = f"it has more than {TASK_CHARS} characters" if text else "it is empty"
    elif text[0] in "-.~":
        why = f"it starts with {text[0]!r}"
    elif "/" in text or "\\" in text or not text.isprintable():
        why = "it has a slash, or a character that cannot be printed"
    else:
        return
    from palaver.model.masking.masks import clip

    raise BadName(f"cannot use the task id {clip(text, 80)!a}", why, "use letters, digits, '.', '-' and '_'")


def _segments(text: str, shown: str) -> str:
    if not text.isascii():
        # Before the case is changed: U+212A, the sign for kelvin, would become a plain k.
        odd = next(c for c in text if not c.isascii())
        raise _bad(shown, f"it has the character U+{ord(odd):04X}, which could pass for another")
    lowered = text.lower()
    parts = lowered.split("/")
    if not parts[0] and parts[1:]:
        raise _bad(shown, "it starts with '/'")
    if len(parts) > NAME_SEGMENTS:
        raise _bad(shown, f"it has more than {NAME_SEGMENTS} segments")
    for part in parts:
        if part[:1] not in _START or part.strip(_REST):
            raise _bad(shown, _complaint(part) if lowered else "it is empty")
        if len(part) > NAME_CHARS:
            raise _bad(shown, f"a segment is longer than {NAME_CHARS} characters")
        if part[-1] == "." or part.partition(".")[0] in _DEVICES:
            raise _bad(shown, "no file system would take it safely")
    return lowered


def _complaint(part: str) -> str:
    if not part:
        return "a segment is empty"
    if part[0] not in _START:
        return "a segment must start with a letter or a digit"
    odd = next(c for c in part if c not in _REST)
    return f"it has {odd!r}"


def _bad(shown: str, why: str) -> BadName:
    # Most names are good ones.
    from palaver.model.masking.masks import clip

    return BadName(
        f"cannot use the name {clip(shown, 80)!a}", why, "use letters, digits, '.', '_', '-', joined by '/'"
    )


def is_file_name(text: str) -> bool:
    """Return True if a text can name one visible file, and cannot lead out of its folder."""
    is_short = len(text.encode("utf-8", "surrogateescape")) <= FILE_NAME_BYTES
    return bool(text) and is_short and "/" not in text and "\0" not in text and not text.startswith(".")
