"""RUN044 comma-in-file-name: a file or an artifact has a comma or a quote in its name.

Why: lists are comma-separated, so other readers see two names, and neither file exists.

Bad (MESSAGE-BUS.md):

    claude COMPLETE (files: "notes, final.md"): The notes are done.

Good (MESSAGE-BUS.md):

    claude COMPLETE (files: notes-final.md): The notes are done.
"""

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.masking.masks import clip


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        paths = [str(file.get("path", "")) for file in entry.message.files]
        odd = [name for name in (*paths, *entry.message.artifacts) if "," in name or '"' in name]
        if odd:
            said = f"{clip(odd[0], 80)!a} cannot be written in a list"
            yield entry.violation(said, "rename it, without commas and quotes")
