"""Lines that the bus cannot act on, in each dialect, and the line that their author should write instead."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.acceptance.lines import MANAGER, block, chat, claim, delivery, info, mail, post, work_mail
from tests.acceptance.teams import Team


def _nothing(team: Team) -> None:
    """Leave the team as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One bad line: who writes it, what came before it, and what the right line holds."""

    dialect: str
    author: str
    line: str
    before: Callable[[Team], None] = _nothing
    #: Patterns that the right line matches, in the order in which they stand in it.
    instead: tuple[str, ...] = ()

    def offers(self, told: list[str]) -> bool:
        """Return True if one of the texts holds the right line."""
        pattern = ".*".join(self.instead)
        return any(re.search(pattern, text, re.DOTALL) for text in told)


def open_home_page(team: Team) -> None:
    words = ("Home Page", "--id", "004", "--difficulty", "3", "--approval")
    team.project.do("task", "open", *words, agent=MANAGER)


def open_task_2(team: Team) -> None:
    team.project.do("task", "open", "Test the parser", "--id", "2", agent="td")


def assign_task_2(team: Team) -> None:
    open_task_2(team)
    team.project.do("task", "assign", "2", "qa", agent="td")


def dispatch_order_1(team: Team) -> None:
    agents = ("project-a/workers/slot0", "project-a/workers/slot1", "project-a/supervisor", "ceo")
    team.project.do("agents", "add", *agents)
    team.project.do("task", "open", "Feature X", "--id", "wo-1", agent="boss")
    team.project.do("task", "assign", "wo-1", "project-a/workers/slot0", agent="boss")


def claim_parser(team: Team) -> None:
    team.project.do("agents", "add", "claude-impl-1")
    team.project.do("task", "open", "Parser", "--id", "parser", agent="boss")
    team.project.do("task", "claim", "parser", agent="claude-impl-1")


def ask_about_parser(team: Team) -> None:
    question = block("QUESTION", "claude-research-1", "Which parser do we keep?", name=QUESTION)
    team.say("claude-research-1", question)


def give_price(team: Team) -> None:
    team.append("jim", chat("JIM", "CLAWDY", "[TASK:price] Get BTC from CoinGecko"))
    team.say("clawdy", chat("CLAWDY", "JIM", "[ACK:price] On it."))


QUESTION: Final = "MSG-20260126-101500-claude-research-1-5f2"
RIGHT_CLAIM: Final = r"\[CLAIM\] task-004 \| title: Home Page \| by: emp-a1 \| difficulty: 3 \| deps-met: yes"

#: Lines that nobody can read: they are kept whole, and have no effect.
QUARANTINED: Final = {
    "office": Case(
        dialect="office",
        author="emp-a1",
        before=open_home_page,
        line=claim("004", "emp-a1").replace("| by:", "| by: emp-a1 | by:"),
        instead=(RIGHT_CLAIM,),
    ),
    "vermas": Case(
        dialect="vermas",
        author="project-a/workers/slot0",
        line=mail("project-a/workers/slot0", "", "Stuck on wo-1", "Which branch?"),
        instead=(r'"from": ?"project-a/workers/slot0"', r'"to": ?"[^"]', r'"subject": ?"Stuck on wo-1"'),
    ),
    "swarm": Case(
        dialect="swarm",
        author="programmer",
        line=post("programmer", "@qa", "chatter", "Auth module ready."),
        instead=(r'"type": ?"message"', r'"content": ?"Auth module ready\."'),
    ),
    "runbus": Case(
        dialect="runbus",
        author="claude-research-1",
        line=block("FACT", "claude-research-1", "There are two parsers.", more="type: FACT"),
        instead=(
            r"type: FACT\s+agent: claude",
            r"taskId: TASK-parser(?!\s+type:)",
            r"There are two parsers\.",
        ),
    ),
    "collab": Case(
        dialect="collab",
        author="clawdy",
        before=give_price,
        line="2026-02-22 03:15:46 CLAWDY -> JIM:",
        instead=(r"CLAWDY -> JIM: \S",),
    ),
}

#: Lines that are read, and change nothing.
WITHOUT_EFFECT: Final = {
    "office": Case(
        dialect="office",
        author="emp-a1",
        before=open_home_page,
        line=delivery("004", "emp-a1"),
        instead=(RIGHT_CLAIM,),
    ),
    "vermas": Case(
        dialect="vermas",
        author="project-a/workers/slot1",
        before=dispatch_order_1,
        line=work_mail("project-a/workers/slot1", "project-a/supervisor", "WORKER_DONE", "wo-1"),
    ),
    "swarm": Case(
        dialect="swarm",
        author="programmer",
        before=assign_task_2,
        line=post("programmer", "@td", "task", "Completed task #2. Tests pass."),
    ),
    "runbus": Case(
        dialect="runbus",
        author="codex-impl-2",
        before=claim_parser,
        line=block("COMPLETE", "codex-impl-2", "Wrote it.", more="files: parser.py"),
    ),
    "collab": Case(
        dialect="collab",
        author="jim",
        before=give_price,
        line=chat("JIM", "CLAWDY", "[DONE:price] BTC $94,230"),
    ),
}

#: Lines that are read and count, and that the protocol forbids.
AGAINST_A_RULE: Final = {
    "office": Case(
        dialect="office",
        author="emp-a1",
        before=open_home_page,
        line=claim("004", "emp-a1").replace("CLAIM", "claim"),
        instead=(RIGHT_CLAIM,),
    ),
    "vermas": Case(
        dialect="vermas",
        author="project-a/workers/slot0",
        before=dispatch_order_1,
        line=work_mail("project-a/workers/slot0", "ceo", "WORKER_DONE", "wo-1"),
        instead=(r'"to": ?"project-a/supervisor"', r'"WORKER_DONE"'),
    ),
    "swarm": Case(
        dialect="swarm",
        author="qa",
        before=open_task_2,
        line=post("qa", "@td", "message", "ACK: Claimed task #2."),
        instead=(r'"type": ?"task"', r'"content": ?"ACK: Claimed task #2\."'),
    ),
    "runbus": Case(
        dialect="runbus",
        author="codex-impl-1",
        before=ask_about_parser,
        line=block("ANSWER", "codex-impl-1", "The second one."),
        instead=(rf"relatesTo: {QUESTION}",),
    ),
    "collab": Case(
        dialect="collab",
        author="clawdy",
        before=give_price,
        line=chat("CLAWDY", "JIM", "[DONE:price] Done."),
        instead=(r"CLAWDY -> JIM: \[DONE:price\] (?!Done\.)\S",),
    ),
}

#: Further lines that `palaver lint` objects to, by the code of its finding.
LINTED: Final = {
    "OFF105": Case(dialect="office", author="emp-a1", line=info("gpt-4o", "The API uses port 8080.")),
    "OFF107": Case(dialect="office", author="emp-a1", line=claim("004", "emp-a1", deps_met="no")),
    "VER102": Case(
        dialect="vermas",
        author="project-a/qa",
        line=mail("project-a/qa", "project-a/workers/slot0", "Merged", "All green.", type="MERGED"),
    ),
    "VER006": Case(
        dialect="vermas",
        author="project-a/workers/slot0",
        line=mail("project-a/workers/slot0", "project-a/supervisor", "Plan", "Two parts.", type="NOPE"),
        instead=(r'"subject": ?"Plan"', r'"body": ?"Two parts\."(?!.*NOPE)'),
    ),
    "SWA101": Case(
        dialect="swarm", author="qa", line=post("qa", "@td", "message", "Using Redis.", reasoning="-")
    ),
    "RUN038": Case(
        dialect="runbus", author="codex-impl-1", line=block("COMPLETE", "codex-impl-1", "Wrote it.")
    ),
    "COL115": Case(
        dialect="collab",
        author="clawdy",
        before=give_price,
        line=chat("CLAWDY", "JIM", "[DONE:prize] BTC $94,230"),
        instead=(r"CLAWDY -> JIM: \[DONE:price\] BTC \$94,230",),
    ),
    "COL106": Case(
        dialect="collab",
        author="jim",
        line=chat("JIM", "CLAWDY", "Check on the trading bot"),
        instead=(r"JIM -> CLAWDY: \[TASK:check-trading-bot\] Check on the trading bot",),
    ),
    "COL108": Case(dialect="collab", author="clawdy", line=chat("CLAWDY", "JIM", "Let me know if it helps.")),
}
