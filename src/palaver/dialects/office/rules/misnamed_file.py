"""OFF116 misnamed-file: a file in messages/ holds lines of an office, and has the name of no log.

Why: the manager reads employee-<employeeId>.log, and workers read manager-inbox.log. What is in another file
is never seen: its writer waits for an answer that nobody knows of. The writer is told once for each file, and
so is the manager. The lines do not count.

Bad (messages/emp-a1.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-a1 | I take the footer.

Good (messages/employee-emp-a1.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-a1 | I take the footer.
"""

from palaver.dialects.office.misnamed import find_misnamed
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.mounted_files import Place


def check(file: CheckedFile) -> Violations:
    if meant := find_misnamed(file.source):
        yield Violation(Place(path=file.source.path, line=1, offset=0), meant.message, meant.fix)
