"""The laws of a dialect, for runbus."""

from typing import Final

from palaver.dialects.runbus.spec import SPEC
from palaver.model.mounted_files import Mount
from palaver.model.spec import DialectSpec
from tests.dialects.contract import DialectContract

FACT: Final = b"""---
messageId: MSG-20260126-101500-claude-5f2
type: FACT
agent: claude-research-1
timestamp: 2026-01-26T10:15:00Z
runId: run_001
taskId: TASK-parser
---

The parser is ready.

---
"""
QUESTION: Final = b"""---
messageId: MSG-20260126-101501-codex-a1b
type: QUESTION
agent: codex-impl-1
timestamp: 2026-01-26T10:15:01Z
runId: run_000
taskId: TASK-000
relatesTo: MSG-20260126-101500-claude-5f2
files: a.md, b.md
artifacts: runs/run_001/run.log
---
Which one?
---
and why
---
"""
QUOTE: Final = b"""---
messageId: MSG-20260126-101502-codex-a1c
type: DECISION
agent: codex-impl-1
timestamp: 2026-01-26T10:15:02Z
runId: run_001
taskId: TASK-1
---

```markdown
---
messageId: MSG-20260126-101500-claude-5f2
type: FACT
---
text
---
```

---
"""
OPEN: Final = b"""---
messageId: MSG-20260126-101503-orchestrator-status-loop
type: PROGRESS
agent: orchestrator-root-0
timestamp: 2026-01-26T10:15:03Z
runId: N/A
taskId: TASK-STATUS-LOOP
---

Agent status: running=1
```sh
"""
HEADER: Final = b"""# Message Bus

```markdown
---
messageId: MSG-YYYYMMDD-HHMMSS-<agent>-<rand>
type: <FACT>
---
```

<!-- All messages below this line. Append only. Do not modify above messages. -->

"""
LINES: Final = b"""[2026-01-31T20:59:30Z] type=question project=swarm task=planning
[2026-02-05 12:51:54] FACT: Task docs-user started (PID: 87913)
- REVIEW 2026-07-18 19:06 CEST (Final quorum): PASS/NO BLOCKERS
"""


class TestRunbus(DialectContract):
    @property
    def dialect(self) -> DialectSpec:
        return SPEC

    @property
    def mount(self) -> Mount:
        return Mount(dialect="runbus")

    @property
    def paths(self) -> tuple[str, ...]:
        return ("MESSAGE-BUS.md",)

    @property
    def samples(self) -> tuple[bytes, ...]:
        return (
            FACT, QUESTION, QUOTE, OPEN, HEADER, LINES, FACT.replace(b"\n", b"\r\n"), FACT[:90], FACT[:200],
            FACT[:200] + FACT, FACT[4:], b"---\n", b"```\n", b"~~~~", b"\xef\xbb\xbf" + FACT,
            b"---\ntype: FACT\nagent: x\n---\ny\n---\n", b"```\n---\nmessageId: MSG-1",
            b"---\nmessageId: MSG-20260126-101500-x-1\n",
        )  # fmt: skip
