"""One message in each dialect, as an agent of that dialect would write it, and the file it goes to."""

import json
from dataclasses import dataclass, field
from typing import Final

AT: Final = "2026-02-11T10:00:00.000Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """How one dialect is spoken: the file, and who speaks there."""

    dialect: str
    file: str
    sender: str
    #: The mark after which a message is whole; for all but runbus a newline.
    settings: dict[str, str] = field(default_factory=dict)

    def says(self, body: str) -> bytes:
        """Return the bytes that an agent appends to say something to nobody in particular, or to a fellow."""
        return _WORDS[self.dialect](body)


def _office(body: str) -> bytes:
    return f"[{AT}] [INFO] by: emp-a | {body}\n".encode()


def _vermas(body: str) -> bytes:
    fields = {"from": "ceo", "to": "qa/bot", "subject": "s", "body": body, "timestamp": AT}
    return json.dumps({"id": f"msg-{_letters(body)}", **fields}).encode() + b"\n"


def _swarm(body: str) -> bytes:
    fields = {"ts": AT, "from": "architect", "to": None, "type": "message", "reasoning": "r", "content": body}
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _runbus(body: str) -> bytes:
    head = f"type: FACT\nagent: codex-impl-1\ntimestamp: {AT}\nrunId: run_1\ntaskId: TASK-1"
    name = f"MSG-20260211-100000-codex-impl-1-{_letters(body)}"
    return f"---\nmessageId: {name}\n{head}\n---\n\n{body}\n\n---\n".encode()


def _collab(body: str) -> bytes:
    return f"2026-02-11 10:00:00 JIM -> CLAWDY: {body}\n".encode()


def _letters(body: str) -> str:
    return "".join(each for each in body if each.isalnum() and each.isascii())[:24] or "x"


_WORDS = {"office": _office, "vermas": _vermas, "swarm": _swarm, "runbus": _runbus, "collab": _collab}

SPEECHES: Final = (
    Speech(dialect="office", file="messages/employee-emp-a.log", sender="emp-a"),
    Speech(dialect="vermas", file=".work/messages.jsonl", sender="ceo"),
    Speech(dialect="swarm", file="channel.jsonl", sender="architect"),
    Speech(dialect="runbus", file="MESSAGE-BUS.md", sender="codex-impl-1"),
    Speech(
        dialect="collab",
        file="chat.log",
        sender="jim",
        settings={"a": "jim", "b": "clawdy", "person": "jeremy"},
    ),
)
SPEECH: Final = {each.dialect: each for each in SPEECHES}
