"""For every code of swarm: lines that it is about, and what the line that their author is told brings about.

The lines of a rule are the bad example of its page. Where the bus judges by what the lines have led to, the
case says how it tells.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.acceptance.lines import post
from tests.acceptance.swarm_team import SwarmTeam

_READY: Final = post("qa", "@td", "status", "Parser is ready.")


def _arrives(team: SwarmTeam) -> bool:
    """Return True if the message of qa is in the inbox of td."""
    return "Parser is" in team.project.do("inbox", "--as", "td").out


def _is_told(content: str) -> Callable[[SwarmTeam], bool]:
    return lambda team: content in team.project.do("inbox", "--as", "td").out


def _asks(team: SwarmTeam) -> bool:
    return [(wait["waiter"], wait["movers"]) for wait in team.project.questions()] == [("qa", ["td"])]


def _gates(team: SwarmTeam) -> bool:
    agents = team.project.do("agents").out.splitlines()
    return any(line.startswith("qa ") and "gated" in line for line in agents)


def _works(team: SwarmTeam) -> bool:
    return team.project.task("2").get("state") == "working"


def _blocks(team: SwarmTeam) -> bool:
    return team.project.task("2").get("state") == "blocked"


def _reaches_programmer(team: SwarmTeam) -> bool:
    return "Read the plan." in team.project.do("inbox", "--as", "programmer").out


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A code: its bad lines, their author, and what the bus and the advised line do."""

    #: The bytes that are appended; empty for the bad example of the rule's page.
    bad: bytes = b""
    #: Who is told.
    author: str = "qa"
    #: Whether the advised line has the effect that the bad one was to have.
    effect: Callable[[SwarmTeam], bool] = _arrives
    #: Why there is no line that could be pasted as it is.
    no_line: str = ""
    #: What the notice says, if the bus judges by what the line has led to and names no code.
    notice: str = ""
    #: The kind of wait that is left, if the author may still answer: then it is reminded, not told.
    wait: str = ""


def _line(text: str) -> bytes:
    return text.encode() + b"\n"


def _changed(**fields: object) -> bytes:
    return _line(json.dumps({**json.loads(_READY), **fields}))


def _without(name: str) -> bytes:
    fields = json.loads(_READY)
    del fields[name]
    return _line(json.dumps(fields))


CASES: Final = {
    "SWA001": Case(bad=_line(_READY).replace(b"ready", b"\xffready")),
    "SWA002": Case(bad=_line(_READY.removesuffix("}"))),
    "SWA003": Case(bad=_line(json.dumps(json.loads(_READY), indent=2))),
    "SWA004": Case(bad=b"<<<<<<< HEAD\n", author="td", no_line="the file must be merged"),
    "SWA005": Case(bad=_line(_READY.replace("ready", "x" * (1 << 20))), effect=_is_told("See the file")),
    "SWA006": Case(bad=_line(_READY.replace("{", '{"type":"status",'))),
    "SWA007": Case(bad=_without("content"), effect=_is_told("<your message>")),
    "SWA008": Case(bad=_changed(to=["@../td"])),
    "SWA009": Case(bad=_changed(to=7)),
    "SWA010": Case(bad=_changed(type="chatter")),
    "SWA011": Case(
        bad=_line(_READY[:42] + _READY), author="td", no_line="nobody knows who wrote the torn record"
    ),
    "SWA021": Case(bad=_without("ts")),
    "SWA022": Case(bad=_changed(ts="2026-02-30T10:00:00Z")),
    "SWA023": Case(bad=_changed(ts="2026-01-25T23:45:00")),
    "SWA024": Case(bad=_without("type")),
    "SWA025": Case(bad=_changed(to="td")),
    "SWA101": Case(effect=_is_told("Using Redis.")),
    "SWA102": Case(effect=_asks, notice="only td may change autonomy"),
    "SWA103": Case(author="td", effect=_gates),
    "SWA104": Case(wait="start"),
    "SWA105": Case(effect=_blocks),
    "SWA106": Case(effect=_asks, notice="Your shutdown request had no effect"),
    "SWA107": Case(wait="shutdown"),
    "SWA108": Case(effect=_works),
    "SWA109": Case(author="td", effect=_reaches_programmer, notice="Did you mean programmer?"),
    "SWA110": Case(effect=_is_told("Tests complete.")),
}
