"""Plain values as JSON text, both ways, with nothing but the C parts of the standard library.

A text that prints stands as it is, one that does not is escaped: JSON's own escapes first, and where
something that does not print is left, the whole string in ASCII. So no text of ours can play tricks
on a terminal.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner


def quote(text: str) -> str:
    """Return the text as a JSON string."""
    quoted = encode_basestring(text)
    return quoted if prints(quoted) else encode_basestring_ascii(text)


def prints(quoted: str) -> bool:
    """Return True if a quoted text is printable; in ASCII only DEL is neither escaped nor printable."""
    return "\x7f" not in quoted if quoted.isascii() else quoted.isprintable()


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
