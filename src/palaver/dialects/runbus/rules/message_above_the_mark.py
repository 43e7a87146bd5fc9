"""RUN046 message-above-the-mark: a message is above the mark below which all messages belong.

Why: other readers start at the mark and never see it.

Bad (MESSAGE-BUS.md):

    claude FACT: The parser is ready.

    <!-- All messages below this line. Append only. Do not modify above messages. -->

Good (MESSAGE-BUS.md):

    <!-- All messages below this line. Append only. Do not modify above messages. -->

    claude FACT: The parser is ready.
"""

from typing import Final

from palaver.dialects.runbus.grammar import MARK
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.mounted_files import Kind

LOOKS_BACK: Final = True


def check(file: CheckedFile) -> Violations:
    content, offset = file.source.content, file.source.offset
    blanks = (piece.start for piece in file.parsed.pieces if piece.kind is Kind.BLANK)
    marks = [start for start in blanks if MARK.match(content, start - offset)]
    for each in file.messages():
        if marks and each.place.offset < marks[-1]:
            yield each.violation("it is above the mark", "append it at the end of the file")
