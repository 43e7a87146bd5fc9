"""OFF104 line-in-anothers-log: a line by one employee is in the log of another.

Why: "Who writes: only the employee themselves." A file with one writer proves who the sender is; a line by
another agent is a mistake or a forgery, and its sender is only claimed.

Bad (messages/employee-emp-a1.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-b2 | I take the footer.

Good (messages/employee-emp-b2.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-b2 | I take the footer.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.office.grammar import ANOTHERS_LOG
from palaver.dialects.office.ledger import reported
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = ANOTHERS_LOG


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield the findings of the parser, which reports these lines on intake."""
    del source, together
    return reported(parsed, CODE)


RULE: Final = Rule(code=CODE, name="line-in-anothers-log", manual=__doc__, check=check)
