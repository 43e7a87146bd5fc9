"""Plain texts and values: without hidden characters, and as JSON, both ways.

A hidden character shows nothing of itself: it moves the cursor, ends a line for some readers only, turns the
direction of writing, or has no width. Terminals and files get its number instead (docs/adr/0049). Values are
JSON, with nothing but the C parts of the standard library.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections_abc import Callable
from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner

# --- hidden characters ---

# Controls but tab and newline, separators of lines and paragraphs, formats (marks of writing direction, what
# has no width, tags), fillers, variation selectors, halves of characters. Only those that Python does not
# count as printable, and `_FILLERS`. Not the selector of coloured emoji (U+FE0F).
_HIDDEN = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x600, 0x605), (0x61C, 0x61C),
    (0x6DD, 0x6DD), (0x70F, 0x70F), (0x890, 0x891), (0x8E2, 0x8E2), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xD800, 0xDFFF), (0xFE00, 0xFE0E), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB),
    (0x110BD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
# Those of them that Python counts as printable.
_FILLERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE0F)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
#: Between two symbols a joiner makes one emoji of them; in these scripts it says how two letters are written.
JOINERS = "\u200c\u200d"
_EMOJI_SELECTOR = 0xFE0F
_SYMBOLS = ((0x2190, 0x2BFF), (0x1F000, 0x1FBFF))
_JOINED_SCRIPTS = ((0x600, 0x109F), (0x1780, 0x18AF))


def has_hidden(text: str) -> bool:
    """Return True if a text has hidden characters."""
    if text.isprintable() and (text.isascii() or _FILLERS.isdisjoint(text)):
        return False
    if any(c not in JOINERS and _is_hidden(c) for c in set(text)):
        return True
    if not any(c in text for c in JOINERS):
        return False
    return any(c in JOINERS and not _joins(text, at) for at, c in enumerate(text))


def spelled(text: str, spell: Callable[[str], str], also: str = "") -> str:
    """Return a text with `spell(c)` for each hidden character, and for each of the characters `also`."""
    table = {ord(c): spell(c) for c in set(text) if c in also or _is_hidden(c)}
    in_doubt = {c for c in JOINERS if c in text and c not in also}
    if not in_doubt:
        return text.translate(table)
    return "".join(
        [c if c in in_doubt and _joins(text, at) else table.get(ord(c), c) for at, c in enumerate(text)]
    )


def _is_hidden(c: str) -> bool:
    """Return True if a character is hidden; a joiner is, unless it joins something."""
    if c.isascii():
        return not c.isprintable() and c not in "\t\n"
    return (not c.isprintable() or c in _FILLERS) and _is_in(_HIDDEN, ord(c))


def _joins(text: str, at: int) -> bool:
    """Return True if a joiner is between two symbols, or two letters of a script that needs it."""
    if not 0 < at < len(text) - 1:
        return False
    before, after = ord(text[at - 1]), ord(text[at + 1])
    if text[at] == "\u200d" and _is_in(_SYMBOLS, after):
        return before == _EMOJI_SELECTOR or _is_in(_SYMBOLS, before)
    return all(_is_in(_JOINED_SCRIPTS, each) and not _is_in(_HIDDEN, each) for each in (before, after))


def _is_in(ranges: tuple[tuple[int, int], ...], code: int) -> bool:
    return any(first <= code <= last for first, last in ranges)


def number_of(c: str) -> str:
    r"""Return a character by its number.

    >>> print(number_of("\x1b"), number_of("\u2028"), number_of("\U000e0041"))
    \x1b \u2028 \U000e0041
    """
    code = ord(c)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# --- JSON ---


def quote(text: str) -> str:
    """Return the text as a JSON string."""
    quoted = encode_basestring(text)
    return quoted if prints(quoted) else spelled(quoted, lambda c: encode_basestring_ascii(c)[1:-1])


def prints(quoted: str) -> bool:
    """Return True if a quoted text needs no more escapes; in ASCII only DEL is left, and is hidden."""
    return "\x7f" not in quoted if quoted.isascii() else not has_hidden(quoted)


def _refuse(value: object) -> object:
    raise TypeError(f"a record cannot hold a {type(value).__name__}")


# Arguments: no cycle check, what to do with strange types, quoting, no indent, separators, no sorting,
# no skipping of strange keys, no NaN.
_swift = make_encoder(None, _refuse, encode_basestring, None, ":", ",", False, False, False)
_careful = make_encoder(None, _refuse, quote, None, ":", ",", False, False, False)


class _Strict:
    """What the scanner asks for; numbers too large for a float stay out."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = _refuse


_scan = make_scanner(_Strict)  # type: ignore[arg-type]  # typeshed asks for the result as argument


def dumps(value: object) -> str:
    """Return a plain value as compact JSON."""
    text = "".join(_swift(value, 0))
    return text if prints(text) else "".join(_careful(value, 0))


def to_plain(value: object) -> object:
    """Return a result as JSON has it: `plain()` where there is one, in lists and objects too."""
    if hasattr(value, "plain"):
        return value.plain()
    if isinstance(value, dict):
        return {name: to_plain(each) for name, each in value.items()}
    if hasattr(value, "__iter__") and not isinstance(value, (str, bytes)):
        return [to_plain(each) for each in value]
    return value


def loads(text: str) -> object:
    """Return the value of a JSON text, or raise ValueError."""
    try:
        value, end = _scan(text, 0)
    except (StopIteration, RecursionError, TypeError, SystemError) as fault:
        # SystemError: the C scanner words its complaint with json.decoder, which we do not load.
        raise ValueError("not JSON") from fault
    if end != len(text):
        raise ValueError("a JSON value is followed by something else")
    return value


def numbered(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> numbered(1, "line"), numbered(0, "message"), numbered(2, "entry")
    ('1 line', '0 messages', '2 entries')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"


def sentence(words: str) -> str:
    """Return words with a full stop, unless they have an end.

    >>> sentence("it is open"), sentence("Did you mean bob?")
    ('it is open.', 'Did you mean bob?')
    """
    return words if not words or words.endswith((".", "?", "!")) else f"{words}."
