"""The header of a bus file: everything above the mark, and the mark itself. It is kept but not read.

    <!-- All messages below this line. Append only. Do not modify above messages. -->

A file without the mark has no header and is read from its start. A message above the mark is still a
message: otherwise writing the mark into a text would hide everything above it. So the header ends at the
mark or at the first message, whichever comes first; code fences and templates in it are not messages.
"""

import re
from typing import Final

from palaver.dialects.runbus.blocks import Blocks
from palaver.dialects.runbus.grammar import FENCE_AT, HEADER_BYTES, MARK, OPENER_AT
from palaver.dialects.runbus.one_line import BEGINS

_EVENT: Final = re.compile(rb"(" + MARK.pattern + rb")|^(?:---|" + BEGINS + rb"| {0,3}(?:```|~~~))", re.M)
_TEMPLATE: Final = re.compile(rb"---[^\n]*\n[^\n]*(?:[<>]|YYYY)")


def end(blocks: Blocks, start: int) -> int | None:
    """Return where the header ends, 0 if there is none, or None while that is unknown."""
    content = blocks.content
    long = len(content) > HEADER_BYTES
    limit = content.rfind(b"\n", 0, HEADER_BYTES) + 1 if long else blocks.known
    fence = b""
    for found in _EVENT.finditer(content, start, limit):
        if found[1] is not None:
            newline = content.find(b"\n", found.end())
            return newline + 1 if newline >= 0 else len(content)
        mark = content[found.start() : found.end()].lstrip()[:3]
        if mark in (b"```", b"~~~"):
            opened = mark if FENCE_AT.match(content, found.start()) else b""
            fence = b"" if fence == mark else (fence or opened)
        elif not fence and _is_message(content, found.start(), limit):
            return 0
    return 0 if long or blocks.whole else None


def _is_message(content: bytes, at: int, limit: int) -> bool:
    if not content.startswith(b"---", at):
        return True
    return OPENER_AT.match(content, at, limit) is not None and not _TEMPLATE.match(content, at, limit)
