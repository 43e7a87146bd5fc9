"""OFF103 worker-in-manager-inbox: a line by a worker is in the manager's inbox.

Why: only the manager writes there, and the manager reads the employees' logs. A claim in the inbox is never
polled, and every worker takes it for the manager's word.

Bad (messages/manager-inbox.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-a1 | The API uses port 8080.

Good (messages/employee-emp-a1.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-a1 | The API uses port 8080.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.office.grammar import WORKER_IN_MANAGER_INBOX
from palaver.dialects.office.ledger import reported
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = WORKER_IN_MANAGER_INBOX


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield the findings of the parser, which reports these lines on intake."""
    del source, together
    return reported(parsed, CODE)


RULE: Final = Rule(code=CODE, name="worker-in-manager-inbox", manual=__doc__, check=check)
