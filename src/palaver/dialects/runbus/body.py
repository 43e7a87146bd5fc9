r"""The text of a message, between its front matter and its closing `---`.

One empty line precedes it and one follows it; other writers may omit either. A line of the text that could
be taken for an end or a beginning gets a backslash: `\---`, `\messageId: …`, and `\` before an unclosed code
fence. Inside a closed fence nothing is escaped.
"""

from collections.abc import Iterator

from palaver.dialects.runbus.fences import Fences, ends_with_rule
from palaver.dialects.runbus.grammar import ESCAPED, EVENT, GUARDED


def written(text: bytes) -> bytes:
    """Return a text as it is written, with its empty lines."""
    if not text:
        return b"\n"
    if GUARDED.search(text):
        text = b"".join(
            piece if fenced else GUARDED.sub(rb"\\\g<0>", piece) for fenced, piece in _parted(text)
        )
    return b"\n%s\n\n" % text


def read(content: bytes) -> bytes:
    """Return the text between front matter and closing `---`."""
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    text = content[: _without_rules(content)].removeprefix(b"\n").removesuffix(b"\n").removesuffix(b"\n")
    if b"\\" not in text or not ESCAPED.search(text):
        return text
    return b"".join(
        piece if fenced else ESCAPED.sub(lambda found: found[0][1:], piece) for fenced, piece in _parted(text)
    )


def _parted(text: bytes) -> Iterator[tuple[bool, bytes]]:
    """Yield the parts of a text, each with whether it is a closed code fence."""
    fences = Fences(text, len(text))
    done = at = 0
    while found := EVENT.search(text, at):
        at = found.end()
        if found[1] is None:
            continue
        end = fences.end(found)
        if end > 0 and fences.holds(found):
            yield False, text[done : found.start()]
            yield True, text[found.start() : end]
            done = at = end
    yield False, text[done:]


def _without_rules(content: bytes) -> int:
    """Return where the text ends if it is followed by more than one closing `---`."""
    end, kept = len(content.rstrip(b" \t\n")), len(content)
    while ends_with_rule(content, end):
        end = kept = end - 3
        while end > 0 and content[end - 1] in b" \t\n":
            end -= 1
    return kept
