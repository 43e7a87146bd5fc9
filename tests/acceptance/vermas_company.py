"""A VerMAS company in a mounted folder: its files, its agents and its commands."""

import json
from pathlib import Path
from typing import Final

from tests.acceptance.files import read, records
from tests.acceptance.project import Answer, Project

CEO: Final = "ceo"
WORKER: Final = "project-a/workers/slot0"
SUPERVISOR: Final = "project-a/supervisor"
QA: Final = "project-a/qa"
STAFF: Final = (CEO, "operations", SUPERVISOR, QA, WORKER)
TIME: Final = "2026-01-01T10:00:00Z"


class Company:
    """A mounted vermas folder; `staff` are the agents that its settings name."""

    def __init__(self, folder: Path, staff: tuple[str, ...] = STAFF) -> None:
        self.project = Project.create(folder, "pat")
        settings = (f"agents={','.join(staff)}",) if staff else ()
        self.work = self.project.mount("vermas", *settings) / ".work"
        self.messages = self.work / "messages.jsonl"
        self.orders = self.work / "work_orders.jsonl"
        self.events = self.work / "events.jsonl"

    def co(self, *words: str, agent: str) -> Answer:
        return self.project.run(*words, agent=agent, program="co")

    def do(self, program: str, *words: str, agent: str) -> Answer:
        """Run a setup command of `co` or `wo`, which must succeed."""
        return self.project.do(*words, agent=agent, program=program)

    def sync(self) -> None:
        self.project.sync()

    def assignment_file(self, agent: str = WORKER) -> Path:
        return self.work / f".assignment-{agent.replace('/', '-')}"

    def write_assignment(self, text: str) -> None:
        """Write the assignment file of the worker, as an agent would."""
        self.work.mkdir(exist_ok=True)
        self.assignment_file().write_text(text)

    def write_order(self, order: str, title: str = "Feature X") -> None:
        """Append an order of the CEO, as an agent would."""
        fields = {"id": order, "title": title, "status": "open", "created_at": TIME, "created_by": CEO}
        self.project.append(self.orders, json.dumps(fields))

    def write_mail(self, sender: str, to: str, subject: str, **fields: object) -> str:
        """Append a line with the six required fields of the seed, and others; return the line."""
        required = {"id": f"msg-{subject.split()[0].lower()}", "from": sender, "to": to}
        text = {"subject": subject, "body": "See the log.", "timestamp": TIME}
        line = json.dumps({**required, **text, **fields})
        self.project.append(self.messages, line)
        return line

    def dispatch(self, order: str) -> None:
        """Open an order and give it to the worker, as the seed shows it."""
        self.write_order(order)
        self.do("co", "dispatch", order, "project-a", agent=CEO)

    def order(self, order: str) -> dict[str, object]:
        found = [record for record in records(self.orders) if record["id"] == order]
        if len(found) != 1:
            raise RuntimeError(f"{len(found)} lines of {order} in {read(self.orders)!r}")
        return found[0]

    def mail_to(self, agent: str) -> list[dict[str, object]]:
        return [record for record in records(self.messages) if record["to"] == agent]
