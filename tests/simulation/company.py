"""The company: a team of each dialect, where its agents write and read, and the right lines that they say."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from palaver.model.names import short
from tests.acceptance.lines import (
    MANAGER,
    approval,
    block,
    chat,
    claim,
    delivery,
    done,
    heartbeat,
    info,
    mail,
    post,
    reply,
)

#: The agents of each team. The first one leads it.
TEAMS: Final = {
    "office": (MANAGER, "emp-a", "emp-b", "emp-c"),
    "vermas": ("ceo", "project-a/supervisor", "project-a/workers/slot0", "project-a/workers/slot1"),
    "swarm": ("td", "architect", "programmer"),
    "runbus": ("orchestrator", "claude-research-1", "codex-impl-1"),
    "collab": ("jim", "clawdy", "jeremy"),
}
SETTINGS: Final = {"collab": {"a": "jim", "b": "clawdy", "person": "jeremy"}}
HOME: Final = {agent: team for team, agents in TEAMS.items() for agent in agents}
#: Tasks of each team, which its lead owns.
TASKS: Final = {
    "office": ("001", "002", "003"),
    "vermas": ("wo-1", "wo-2"),
    "swarm": ("21", "22"),
    "runbus": ("parser", "lexer"),
    "collab": ("price", "bot"),
}
#: The person, and the agent that leads all teams.
PERSON, BOSS = "ada", "boss"
#: The file that all agents of a team read, and most of them write.
SHARED: Final = {
    "office": "office/messages/manager-inbox.log",
    "vermas": "vermas/.work/messages.jsonl",
    "swarm": "swarm/channel.jsonl",
    "runbus": "runbus/MESSAGE-BUS.md",
    "collab": "collab/chat.log",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What an agent appends, and what the log must have of it."""

    file: str
    content: bytes
    sender: str
    #: A word that occurs in no other line.
    token: str
    to: str = ""
    #: What the product must do with it (`wrong_lines.py`); a right line becomes one message.
    kind: str = "right"


def writes(agent: str) -> str:
    """Return the file that an agent writes to."""
    if HOME[agent] == "office" and agent != MANAGER:
        return f"office/messages/employee-{agent}.log"
    return SHARED[HOME[agent]]


def reads(agent: str, sender: str) -> str:
    """Return the file or folder where an agent finds a message that came from outside its team."""
    if agent == MANAGER:
        return f"office/messages/employee-{short(sender)}.log"
    return "collab/inbox" if agent == "clawdy" else SHARED[HOME[agent]]


def greeting(agent: str) -> str:
    """Return the first line of an agent."""
    team = HOME[agent]
    lead = TEAMS[team][0]
    name = agent.rpartition("/")[2]
    if agent == MANAGER:
        return reply("emp-a", "Good morning")
    return {
        "office": info(agent, "Good morning"),
        "vermas": mail(agent, lead, "Plan", "Good morning", id=f"msg-{name}"),
        "swarm": post(agent, f"@{lead}", "message", "Good morning"),
        "runbus": block("FACT", agent, "Good morning", name=f"MSG-20260222-090000-{agent}-1"),
        "collab": chat(agent.upper(), "TEAM", "[STATUS:day] Good morning"),
    }[team]


def say(agent: str, to: str, token: str, dice: random.Random, at: str) -> Line:
    """Return a right line: an agent says something to another one, of any team, or works."""
    said, told = _SAYS[HOME[agent]](agent, to, token, dice, at)
    return Line(file=writes(agent), content=said.encode() + b"\n", sender=agent, token=token, to=told)


def decision(team: str, token: str, dice: random.Random) -> Line:
    """Return a line by which the lead of a team approves or accepts work."""
    lead, task = TEAMS[team][0], dice.choice(TASKS[team])
    act, name = dice.choice(("APPROVE", "ACCEPT", "ACCEPT", "REWORK")), token[1:-1]
    worker = dice.choice(TEAMS[team][1:])
    order = {"work_order_id": task}
    said = {
        "office": dice.choice((approval(task, worker), done(task, worker))) + f" {token}",
        "vermas": mail(lead, worker, f"[{act}] Well", f"{token} done", id=f"msg-{name}", metadata=order),
        "swarm": post(lead, f"@{worker}", "message", f"[{act}:#{task}] {token} done"),
        "runbus": block("FACT", lead, f"[{act}] @{worker} {token}", name=f"MSG-{name}", task=f"TASK-{task}"),
        "collab": chat("JIM", "CLAWDY", f"[{act}:{task}] {token} done"),
    }[team]
    return Line(file=writes(lead), content=said.encode() + b"\n", sender=lead, token=token, kind="decision")


def _office(agent: str, to: str, token: str, dice: random.Random, at: str) -> tuple[str, str]:
    task = dice.choice(TASKS["office"])
    if agent == MANAGER:
        worker = to if HOME[to] == "office" and to != MANAGER else "emp-a"
        return reply(worker, f"{token} go on", at=f"{at}Z"), worker
    ways = (
        (info(agent, f"@{to} {token} is my question", at=f"{at}Z"), to),
        (info(agent, f"{token} is done", at=f"{at}Z"), ""),
        (claim(task, agent, at=f"{at}Z").replace("Home Page", f"Home Page {token}"), ""),
        (delivery(task, agent, at=f"{at}Z").replace("home.html", f"{token}.html"), ""),
        (heartbeat(agent, task, at=f"{at}Z").replace("coding", f"coding {token}"), ""),
    )
    return dice.choice(ways)


def _vermas(agent: str, to: str, token: str, dice: random.Random, at: str) -> tuple[str, str]:
    fields: dict[str, object] = {"id": f"msg-{token[1:-1]}", "timestamp": f"{at}Z"}
    order = {"work_order_id": dice.choice(TASKS["vermas"])}
    ways: tuple[tuple[str, dict[str, object]], ...] = (
        ("Plan", {}),
        ("A question", {"type": "HELP"}),
        ("Done", {"type": "WORKER_DONE", "metadata": order}),
        ("Trouble", {"type": "ESCALATION", "priority": "urgent"}),
    )
    subject, more = dice.choice(ways)
    return mail(agent, to, subject, f"{token} in words", **fields, **more), to


def _swarm(agent: str, to: str, token: str, dice: random.Random, at: str) -> tuple[str, str]:
    task = dice.choice(TASKS["swarm"])
    kind, words = dice.choice(
        (
            ("message", f"{token} is ready"),
            ("request", f"May I {token}?"),
            ("decision", f"Chose {token}"),
            ("task", f"ACK: Claimed task #{task}. {token}"),
            ("task", f"Completed task #{task}. {token} passes."),
            ("status", f"BLOCKED: Task #{task} needs {token}."),
        )
    )
    return post(agent, f"@{to}", kind, words, ts=f"{at}.000Z"), to


def _runbus(agent: str, to: str, token: str, dice: random.Random, at: str) -> tuple[str, str]:
    del at
    task = dice.choice(TASKS["runbus"])
    kind, more = dice.choice(
        (("FACT", ""), ("QUESTION", ""), ("PROGRESS", ""), ("DECISION", ""), ("COMPLETE", "files: parser.py"))
    )
    name = f"MSG-20260222-101500-{agent}-{token[1:-1]}"
    return block(kind, agent, f"@{to} {token}", name=name, task=f"TASK-{task}", more=more), to


def _collab(agent: str, to: str, token: str, dice: random.Random, at: str) -> tuple[str, str]:
    other = "clawdy" if agent == "jim" else "jim"
    to = to if dice.random() < 0.4 else other
    task = dice.choice(TASKS["collab"])
    words = dice.choice(
        (
            f"[STATUS:{task}] {token} half of it",
            f"[QUESTION:{task}] Which {token}?",
            f"[TASK:{task}] Get {token}",
            f"[ACK:{task}] {token}",
            f"[DONE:{task}] {token} is the result",
            f"[BLOCKED:{task}] {token} is missing",
        )
    )
    return chat(agent.upper(), to.upper(), words, at=at[-8:]), to


_SAYS: Final[dict[str, Callable[[str, str, str, random.Random, str], tuple[str, str]]]] = {
    "office": _office,
    "vermas": _vermas,
    "swarm": _swarm,
    "runbus": _runbus,
    "collab": _collab,
}
