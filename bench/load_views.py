"""Load a log into views: ours, or bare. A separate program, because memory is measured per process.

    python bench/load_views.py ours ROOT DIRECTORY
    python bench/load_views.py bare ROOT DIRECTORY

Both read the log of the bus at ROOT. Ours makes its view and its search index anew, where they belong; bare
makes two databases in DIRECTORY with the same tables, indexes and settings. Prints seconds, events and the
peak of memory in MB, as JSON.
"""

import json
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from palaver.api import Bus

PRIORITY = {"urgent": 0, "low": 2}


def ours(root: str) -> int:
    """Make the view and the search index anew; return how many events there are."""
    bus = Bus(root)
    events = bus.rebuild()
    # The first search makes its index.
    bus.search("palaver", limit=1)
    return events


def bare(root: str, directory: Path) -> int:
    """Decode every line and load it into the same tables; indexes come last."""
    bus = Bus(root)
    models = {path.name.startswith("search"): path for path in Path(bus.root.view).glob("*.db")}
    view, index = Copy(models[False], directory / "view.db"), Copy(models[True], directory / "search.db")
    agents = dict(view.asked("select id, number from agent"))
    events = 0
    for path in sorted(Path(bus.root.log).glob("*.jsonl")):
        messages, deliveries, spots, words = [], [], [], []
        for message, body, recipient in _rows(path):
            events += 1
            messages.append(message)
            seq = message[0]
            deliveries.append((seq, agents[recipient], message[4], None, 0))
            spots.append((seq, message[12]))
            words.append((seq, message[5], body, message[2]))
        _load(view.db, _MESSAGES, messages, _DELIVERIES, deliveries)
        _load(index.db, _SPOTS, spots, _WORDS, words)
    for made in (view, index):
        made.finish()
    return events


_MESSAGES = "insert into message values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_DELIVERIES = "insert into delivery (message, agent, priority, via, shared, open) values (?, ?, ?, ?, ?, 1)"
_SPOTS = "insert into spot values (?, ?)"
_WORDS = "insert into words (rowid, subject, body, sender) values (?, ?, ?, ?)"


def _rows(path: Path) -> Iterator[tuple[tuple[Any, ...], str, str]]:
    """Yield the row of each message of a segment, its body and its recipient."""
    loads = msgspec.json.Decoder(dict[str, Any]).decode
    segment = int(path.stem)
    offset = 0
    with path.open("rb", buffering=1 << 20) as lines:
        for line in lines:
            event = loads(line)
            if event["event_type"] == "mail.sent":
                data = event["data"]
                body = data["body"]
                row = (
                    event["seq"], data["message_id"], data["from"], data.get("act", "inform"),
                    PRIORITY.get(data.get("priority"), 1), data.get("subject", ""), body[:120],
                    data["message_id"], "", "", 0, event["timestamp"], f"{segment}:{offset}:{len(line) - 1}",
                )  # fmt: skip
                yield row, body, data["to"][0]
            offset += len(line)


def _load(db: sqlite3.Connection, first: str, firsts: list[Any], second: str, seconds: list[Any]) -> None:
    db.execute("begin immediate")
    db.executemany(first, firsts)
    db.executemany(second, seconds)
    db.execute("commit")


class Copy:
    """An empty database with the tables of another one; its indexes are made at the end."""

    def __init__(self, model: Path, path: Path) -> None:
        self._model = model
        self.db = sqlite3.connect(path, isolation_level=None)
        # As our own views: written ahead, safe against crashes of programs.
        self.db.execute("pragma journal_mode = wal")
        self.db.execute("pragma synchronous = normal")
        for sql in self._made("table"):
            self.db.execute(sql)

    def asked(self, question: str) -> list[Any]:
        """Return what the model answers."""
        db = sqlite3.connect(f"file:{self._model}?mode=ro", uri=True)
        try:
            return db.execute(question).fetchall()
        finally:
            db.close()

    def _made(self, kind: str) -> list[str]:
        # What a virtual table keeps behind itself it makes by itself.
        rows = self.asked("select type, name, sql from sqlite_master where sql <> ''")
        return [sql for found, name, sql in rows if found == kind and not name.startswith("words_")]

    def finish(self) -> None:
        self.db.execute("begin immediate")
        for sql in self._made("index"):
            self.db.execute(sql)
        self.db.execute("commit")
        self.db.close()


def peak_megabytes() -> float:
    """Return the most memory that this program has held; what its parent held before it does not count."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1000
    raise RuntimeError("no VmHWM in /proc/self/status")


def main(variant: str, root: str, directory: str) -> None:
    start = time.perf_counter()
    events = ours(root) if variant == "ours" else bare(root, Path(directory))
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "events": events, "peak_mb": peak_megabytes()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
