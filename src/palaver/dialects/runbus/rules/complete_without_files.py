"""RUN038 complete-without-files: a COMPLETE names neither the files that changed nor artifacts.

Why: other agents must be able to find the results: a COMPLETE lists changed files and artifacts.

Bad (MESSAGE-BUS.md):

    claude COMPLETE: The parser is done.

Good (MESSAGE-BUS.md):

    claude COMPLETE (files: src/parser.py, tests/test_parser.py; artifacts: runs/run_001/artifacts/review-packet.md): The parser is done.
"""

from palaver.dialects.runbus.entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        message = entry.message
        if (
            entry.field("type").upper() != "COMPLETE"
            or message.files
            or message.artifacts
            or entry.is_translated
        ):
            continue
        way_out = "list them in files: and artifacts:"
        yield entry.violation("it names no files and no artifacts", way_out)
