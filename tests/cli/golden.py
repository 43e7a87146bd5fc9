"""The golden files of all dialects, as the commands meet them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parents[1] / "dialects"
#: A file of each dialect, by the name that it has at home.
HOMES: Final = {
    "office": "messages/manager-inbox.log",
    "vermas": ".work/messages.jsonl",
    "swarm": "channel.jsonl",
    "runbus": "MESSAGE-BUS.md",
    "collab": "chat.log",
}
#: The same, good and with one thing wrong, and the code of it.
GOOD: Final = {
    "office": b"[2026-02-11T10:05:00Z] [REPLY] To emp-copilot-a3f2: 8080.\n",
    "vermas": (
        b'{"id":"msg-1","from":"ceo","to":"operations","subject":"s","body":"b",'
        b'"timestamp":"2026-01-01T00:00:00Z"}\n'
    ),
    "swarm": (
        b'{"ts":"2026-01-25T23:45:00.000Z","from":"td","to":null,"type":"status","reasoning":"r","content":"c"}\n'
    ),
    "runbus": (
        b"---\nmessageId: MSG-20260126-101500-claude-5f2\ntype: FACT\nagent: claude-research-1\n"
        b"timestamp: 2026-01-26T10:15:00Z\nrunId: run_001\ntaskId: TASK-parser\n---\n\nReady.\n\n---\n"
    ),
    "collab": b"2026-02-22 03:15:44 JIM -> CLAWDY: The price is 94,230.\n",
}
BAD: Final = {
    "office": (b"Done with it.\n", "OFF"),
    "vermas": (b'{"id":"msg-2","from":"ceo"}\n', "VER003"),
    "swarm": (b"{\n", "SWA00"),
    "runbus": (b"\nI forgot the front matter.\n", "RUN"),
    "collab": (b"2026-02-22 03:15:45 hello\n", "COL006"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One golden file: its name, its path in the mount, its bytes, the settings of the mount."""

    name: str
    path: str
    content: bytes
    settings: dict[str, str]


def cases(dialect: str) -> Iterator[Case]:
    """Yield the golden files of a dialect."""
    for half in sorted((FOLDER / dialect / "cases").glob("*.json")):
        (file,) = [path for path in half.parent.glob(f"{half.stem}.*") if path != half]
        expected = json.loads(half.read_text("utf-8"))
        yield Case(
            name=half.stem,
            path=expected.get("path", HOMES[dialect]),
            content=file.read_bytes(),
            settings=expected.get("settings", {}),
        )
