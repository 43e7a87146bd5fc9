"""What the files of a project hold."""

import json
from pathlib import Path


def read(path: Path) -> str:
    """Return the text of a file; one that does not exist is empty."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def records(path: Path) -> list[dict[str, object]]:
    """Return the objects of a JSON Lines file."""
    return [json.loads(line) for line in read(path).split("\n") if line.strip()]
