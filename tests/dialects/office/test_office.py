"""The office keeps the laws of a dialect."""

from hypothesis import given, settings

from palaver.dialects.office import DIALECT
from palaver.model.dialect import Dialect, Mount
from palaver.model.message import Message
from palaver.model.translation import lacking
from tests.dialects.contract import DialectContract, cover, messages

EMPLOYEE = "messages/employee-emp-copilot-a3f2.log"
INBOX = "messages/manager-inbox.log"
WORKER_LINES = b"""\
[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-copilot-a3f2 | difficulty: 3 | deps-met: yes
[2026-02-11T10:20:00Z] [INFO] by: emp-copilot-a3f2 | Which port does the API use?
[2026-02-11T10:30:00Z] [HEARTBEAT] emp-copilot-a3f2 | status: working | current-task: task-004 | action: styling
[2026-02-11T11:00:00Z] [DELIVERY] task-004 | by: emp-copilot-a3f2 | files: a.py, b.py | criteria-met: all
[2026-02-11T11:01:00Z] [BLOCKED] task-005 | by: emp-copilot-a3f2 | reason: no network"""
MANAGER_LINES = b"""\
[2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-copilot-a3f2. Status: In Progress.
[2026-02-11T10:25:00Z] [REPLY] To emp-copilot-a3f2: 8080.
[2026-02-11T10:26:00Z] [REJECT] task-005 claim by emp-copilot-a3f2 rejected: already claimed by emp-b2.
[2026-02-11T11:05:00Z] [DONE] task-004 marked Done. Delivered by emp-copilot-a3f2.
[2026-02-11T11:06:00Z] [ABANDON] emp-b2 marked inactive after 3 missed heartbeats. Tasks released: task-5, task-6."""
MIXED = b"""\
\xef\xbb\xbf[2026-02-11T10:00:00Z] [INFO] by: ada | hello\r
## Claim\r

[claim] TASK-4 | by: ada
{"tag": "CLAIM"}
[2026-02-11T10:00:00Z] [CLAIM] task-4 | title: Ho[2026-02-11T10:00:01Z] [INFO] by: ada | whole"""


class TestOffice(DialectContract):
    @property
    def dialect(self) -> Dialect:
        return DIALECT

    @property
    def mount(self) -> Mount:
        return Mount(dialect="office", name="office", settings={"manager": "emp-manager-001"})

    @property
    def paths(self) -> tuple[str, ...]:
        return EMPLOYEE, INBOX, "messages/employee-ada.log", "notes.txt"

    @property
    def samples(self) -> tuple[bytes, ...]:
        return WORKER_LINES, MANAGER_LINES, MIXED, *WORKER_LINES.split(b"\n"), *MIXED.split(b"\n")
