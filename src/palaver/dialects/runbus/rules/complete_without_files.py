"""RUN038 complete-without-files: a COMPLETE names neither the files that changed nor artifacts.

Why: other agents must be able to find the results: a COMPLETE lists changed files and artifacts.

Bad (MESSAGE-BUS.md):

    claude COMPLETE: The parser is done.

Good (MESSAGE-BUS.md):

    claude COMPLETE (files: src/parser.py, tests/test_parser.py; artifacts: runs/run_001/artifacts/review-packet.md): The parser is done.
"""

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        named = entry.message.files or entry.message.artifacts
        if entry.kind == "COMPLETE" and not named and not entry.is_translated:
            yield entry.violation("it names no files and no artifacts", "list them in files: and artifacts:")
