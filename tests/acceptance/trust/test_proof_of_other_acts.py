"""Acts on mail, agents, programs and settings: every cell of the table of power is tried as it says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.trust.agent_run import AgentRun
from tests.acceptance.trust.company import Companies, Company
from tests.acceptance.trust.power_table import Cell, cells
from tests.acceptance.trust.test_proof_of_board_files import CELLS as OF_BOARD_FILES
from tests.acceptance.trust.test_proof_of_task_acts import CELLS as OF_TASKS

CELLS: Final = [cell for cell in cells() if cell not in OF_TASKS and cell not in OF_BOARD_FILES]
# Acts that only the recipient of mail may do; boss may do the others.
OF_RECIPIENTS: Final = ("ack", "archive", "reply")
#: Act: the event that it leaves.
EVENTS: Final = {
    "ack": "mail.acknowledged",
    "archive": "mail.archived",
    "withdraw": "mail.withdrawn",
    "assignment": "assignment.set",
    "register": "agent.registered",
    "retire": "agent.retired",
    "kill": "run.ended",
}


class Scene:
    """What an act is tried on: an agent, a message, and a program if it is to be killed."""

    def __init__(self, company: Company, cell: Cell, target: str) -> None:
        self.company, self.cell, self.target = company, cell, target
        self.project, self.service = company.project, company.service
        self.service.call("/api/agents", {"agent": target})
        self.message, self.number = self._mail()
        self.program: AgentRun | None = company.start(target) if cell.act == "kill" else None
        self.run = self.program.variable("PALAVER_RUN") if self.program else ""
        self.polls = self._polls()
        (self.project.folder / target).mkdir()

    def _mail(self) -> tuple[str, str]:
        """Send the message that it is about: over HTTP it is the person's own."""
        letter = {"body": f"text-for-{self.target}"}
        is_received = self.cell.act in OF_RECIPIENTS
        if self.cell.surface == "HTTP" and not is_received:
            sent = self.service.call("/api/messages", {"to": ["bob"], **letter})
        else:
            # A line answers the one question that its author was asked.
            words = ("send", self.recipient, "-m", letter["body"], "--act", "ask", "--json")
            sent = self.company.do("boss", *words).fields
        return str(sent["id"]), str(sent["seq"])

    def _polls(self) -> int:
        """Return how many polls count: nothing tells one from another."""
        return len(self.service.rows("/api/events?type=agent.polled&limit=500", "events"))

    @property
    def recipient(self) -> str:
        """Return the agent that got the message."""
        if self.cell.surface == "file":
            return self.target
        return "ada" if self.cell.surface == "HTTP" else "bob"

    @property
    def words(self) -> list[str]:
        """Return the words of the command that does the act."""
        act, target = self.cell.act, self.target
        meta = ["--meta", f"agent={target}", "--meta", "level=gated"] if act == "autonomy" else []
        return {
            "ack": ["ack", self.message],
            "archive": ["archive", self.message],
            "reply": ["reply", self.message, "-m", "Yes."],
            "withdraw": ["withdraw", self.message],
            "poll": ["continue"],
            "assignment": ["co", "assignment", "set", target, f"mail:{self.message}"],
            "register": ["agents", "add", target, "--role", f"role-{target}"],
            "retire": ["agents", "retire", target],
            "kill": ["runs", "kill", self.run],
            "redact": ["redact", self.number],
            "list": ["lists", "set", f"list-{target}", "bob"],
            "mount": ["mount", "add", "runbus", target, "--name", f"mount-{target}"],
        }.get(act, ["send", target, "--act", act, "-m", "words", *meta])

    @property
    def request(self) -> tuple[str, object]:
        """Return the request that does the act."""
        act, target = self.cell.act, self.target
        meta = {"meta": {"agent": target, "level": "gated"}} if act == "autonomy" else {}
        return {
            "ack": (f"/api/messages/{self.message}/ack", {}),
            "archive": (f"/api/messages/{self.message}/archive", {}),
            "reply": (f"/api/messages/{self.message}/reply", {"body": "Yes."}),
            "withdraw": (f"/api/messages/{self.message}/withdraw", {}),
            "poll": ("/api/operations/poll", {}),
            "assignment": ("/api/operations/assign", {"agent": target, "ref": f"mail:{self.message}"}),
            "register": ("/api/agents", {"agent": target, "role": f"role-{target}"}),
            "retire": (f"/api/agents/{target}/retire", {}),
            "kill": ("/api/operations/kill_run", {"run": self.run}),
            "redact": ("/api/operations/redact", {"event": int(self.number)}),
            "list": ("/api/operations/set_list", {"listed": f"list-{target}", "members": ["bob"]}),
        }.get(act, ("/api/messages", {"to": [target], "act": act, "body": "words", **meta}))

    def attempt(self, speaker: str = "") -> None:
        speaker = speaker or ("bob" if self.cell.act in OF_RECIPIENTS else "boss")
        if self.cell.surface == "HTTP":
            self.company.request(self.cell, *self.request)
        elif self.cell.surface == "file":
            speaker, to, kind, content = {
                "autonomy": (
                    speaker,
                    self.target,
                    "autonomy",
                    f"AUTONOMY_UPDATE: {self.target} → gated. Ask.",
                ),
                "shutdown": (speaker, self.target, "system", "SHUTDOWN_REQUEST: Please end."),
                "reply": (self.recipient, "boss", "message", "Yes."),
            }[self.cell.act]
            self.company.write_line(self.cell, speaker, to, kind, content)
        else:
            self.company.command(self.cell, self.words, speaker)

    def has_effect(self) -> bool:
        """Tell whether the act has done to its object what it is for."""
        act, target, root = self.cell.act, self.target, self.project.root
        if act in ("list", "mount"):
            return f"{act}-{target}" in (root / "config.toml").read_text()
        if act == "poll":
            return self._polls() > self.polls
        if act == "reply":
            listed = self.project.do("inbox", "-n", "1000", "--as", self.recipient, "--json")
            return self.message not in listed.out
        if act == "redact":
            logged = [path.read_bytes() for path in (root / "log").iterdir()]
            return not any(f"text-for-{target}".encode() in content for content in logged)
        if act == "autonomy":
            return '"autonomy": "gated"' in json.dumps(self.service.call(f"/api/agents/{target}"))
        if act == "shutdown":
            # A request to end has power as long as its recipient is waited for.
            waits = [json.dumps(wait) for wait in self.service.rows("/api/waiting", "waits")]
            return any('"shutdown"' in wait and target in wait for wait in waits)
        subject = {"register": f"role-{target}", "kill": self.run}.get(act, target)
        subject = self.message if EVENTS[act].startswith("mail.") else subject
        events = self.service.rows(f"/api/events?type={EVENTS[act]}&limit=500", "events")
        return any(subject in str(event) for event in events)

    def stop(self) -> None:
        if self.program is not None:
            self.program.stop()


@pytest.fixture(scope="module")
def companies(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Companies]:
    companies = Companies(template, tmp_path_factory)
    yield companies
    companies.stop()


@pytest.mark.parametrize("cell", [pytest.param(cell, id=str(cell)) for cell in CELLS])
def test_an_act_with_power_over_others_counts_as_the_table_says(companies: Companies, cell: Cell) -> None:
    scene = Scene(companies.of(cell.policy), cell, f"w{CELLS.index(cell):03}")
    try:
        scene.attempt()

        assert scene.has_effect() == cell.counts
    finally:
        scene.stop()


STRANGERS: Final = [
    cell
    for cell in CELLS
    if cell.policy == "strict"
    and (cell.surface, cell.shown) == ("command", "token of own run")
    and cell.act not in ("assignment", "poll")
]


@pytest.mark.parametrize("cell", [pytest.param(cell, id=cell.act) for cell in STRANGERS])
def test_under_strict_proof_is_not_enough_for_an_agent_that_does_not_lead(
    companies: Companies, cell: Cell
) -> None:
    scene = Scene(companies.of(cell.policy), cell, f"s{CELLS.index(cell):03}")
    try:
        scene.attempt("carol")

        assert not scene.has_effect()
    finally:
        scene.stop()
