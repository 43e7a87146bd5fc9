"""COL113 line-format: a line can be read, but does not have the form `YYYY-MM-DD HH:MM:SS SENDER -> RECEIVER: message`.

Why: Palaver also reads `A->B`, `→`, lower case and other times; scripts that poll the log do not.

Bad (chat.log):

    2026-02-22T03:15:46Z clawdy→jim: [STATUS:report] 50% done

Good (chat.log):

    2026-02-22 03:15:46 CLAWDY -> JIM: [STATUS:report] 50% done
"""

import re

from palaver.dialects.collab.grammar import LINE, STAMPED
from palaver.dialects.collab.open_items import chat
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations


def check(file: CheckedFile) -> Violations:
    reported = {finding.place.offset for finding in file.parsed.findings}
    for place, _, raw in chat(file):
        line = raw.partition(b"\n")[0].removeprefix(BYTE_ORDER_MARK).removesuffix(b"\r")
        if place.offset in reported or not STAMPED.match(line):
            # The parser says more precisely what is wrong: it has no time, no sender, or no receiver.
            continue
        match = LINE.fullmatch(line.decode("utf-8", "replace"))
        if match is None or _has_small_name(match):
            fix = "write `YYYY-MM-DD HH:MM:SS SENDER -> RECEIVER: message`, names in capitals"
            yield Violation(place, "the line has another form", fix)


def _has_small_name(line: re.Match[str]) -> bool:
    """Return True if a name of a line has no capital; a mount may spell a name in mixed case."""
    return any(name.islower() for name in f"{line[3]},{line[4]}".split(",") if line[3])
