"""What agents say in each dialect, written as its own specification writes it, and the limit's expression."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bench.ground import BODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A file that grows: its path, the bytes of its n-th message, and what takes such a message apart."""

    path: str
    said: Callable[[int], bytes]
    #: None: each line is JSON.
    pattern: str | None = None
    #: Whether a message is a block of lines.
    blocks: bool = False


def _clock(place: int) -> str:
    return f"{place // 3600 % 24:02}:{place // 60 % 60:02}:{place % 60:02}"


def _day(place: int) -> str:
    return f"2026-02-{1 + place // 86_400 % 28:02}"


def _office(place: int) -> bytes:
    who = "emp-copilot-a3f2"
    kinds = (
        f"[CLAIM] task-{place} | title: The home page | by: {who} | difficulty: 3 | deps-met: yes",
        f"[INFO] by: {who} | {BODY}",
        f"[DELIVERY] task-{place} | by: {who} | files: a.py, b.py | criteria-met: all",
    )
    return f"[{_day(place)}T{_clock(place)}Z] {kinds[place % 3]}\n".encode()


def _vermas(place: int) -> bytes:
    return (
        f'{{"id":"msg-{place}","from":"project-a/workers/slot{place % 9}","to":"project-a/supervisor",'
        f'"subject":"Done","body":"{BODY}","timestamp":"{_day(place)}T{_clock(place)}.000Z",'
        f'"type":"WORKER_DONE","metadata":{{"work_order_id":"wo-{place}"}}}}\n'
    ).encode()


def _swarm(place: int) -> bytes:
    return (
        f'{{"ts":"{_day(place)}T{_clock(place)}.000Z","from":"programmer","to":["@td","@qa"],"type":"status",'
        f'"reasoning":"The director asked how far it is.","content":"{BODY}"}}\n'
    ).encode()


def _runbus(place: int) -> bytes:
    day, clock = _day(place), _clock(place)
    return (
        f"---\nmessageId: MSG-{day.replace('-', '')}-{clock.replace(':', '')}-claude-{place}\ntype: FACT\n"
        f"agent: claude-research-1\ntimestamp: {day}T{clock}Z\nrunId: run_001\ntaskId: TASK-parser\n---\n\n"
        f"{BODY}\n\n---\n"
    ).encode()


def _collab(place: int) -> bytes:
    kinds = (
        f"JIM -> CLAWDY: [TASK:price-{place}] {BODY}",
        f"CLAWDY -> JIM: [DONE:price-{place}] {BODY}",
        f"JIM -> CLAWDY: {BODY}",
    )
    return f"{_day(place)} {_clock(place)} {kinds[place % 3]}\n".encode()


_TIME: Final = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"
SCRIPTS: Final = {
    "office": Script(
        path="messages/employee-emp-copilot-a3f2.log",
        said=_office,
        pattern=(
            rf"\[{_TIME}\] \[([A-Z_]+)\] (?:(task-\d+) \| )?(?:title: (.*?) \| )?by: (\S+)"
            r"(?: \| difficulty: (\d) \| deps-met: (\S+)| \| files: (.*?) \| criteria-met: (.*)| \| (.*))"
        ),
    ),
    "vermas": Script(path=".work/messages.jsonl", said=_vermas),
    "swarm": Script(path="channel.jsonl", said=_swarm),
    "runbus": Script(
        path="MESSAGE-BUS.md",
        said=_runbus,
        blocks=True,
        pattern=(
            rf"---\nmessageId: (\S+)\ntype: ([A-Z]+)\nagent: (\S+)\ntimestamp: {_TIME}\nrunId: (\S+)\n"
            r"taskId: (\S+)\n(?:relatesTo: (\S+)\n)?(?:files: (.+)\n)?(?:artifacts: (.+)\n)?---\n\n"
            r"((?:(?!---\n).*\n)+)---\n"
        ),
    ),
    "collab": Script(
        path="chat.log",
        said=_collab,
        pattern=(
            r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (\S+) -> (\S+): (?:\[([A-Z-]+)(?::([^\]\s]+))?\] )?(\S.*)"
        ),
    ),
}
