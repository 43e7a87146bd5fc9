"""What is already there: folders that agents use, found by what lies in them."""

import os
from collections.abc import Iterator

from palaver.sync.mounting import TEAMS, Wanted


def detected(folder: str) -> list[Wanted]:
    """Return what could be mounted: in a folder, and among the teams of this user."""
    return [*_here(folder), *_teams()]


def _here(folder: str) -> Iterator[Wanted]:
    if _has(f"{folder}/messages", lambda name: name == "manager-inbox.log" or name.startswith("employee-")):
        yield Wanted(dialect="office", path=folder, settings={})
    if os.path.isdir(f"{folder}/.work"):
        yield Wanted(dialect="vermas", path=folder, settings={})
    for place in ("", "runs/"):
        if os.path.isfile(f"{folder}/{place}MESSAGE-BUS.md"):
            yield Wanted(dialect="runbus", path=f"{folder}/{place}MESSAGE-BUS.md", settings={})
    for place in ("collab", "."):
        if os.path.isfile(f"{folder}/{place}/chat.log") or (
            place == "collab" and os.path.isdir(f"{folder}/collab/inbox")
        ):
            yield Wanted(dialect="collab", path=f"{folder}/{place}", settings={})
    if os.path.isfile(f"{folder}/channel.jsonl"):
        yield Wanted(dialect="swarm", path=folder, settings={})


def _teams() -> Iterator[Wanted]:
    teams = os.path.expanduser(TEAMS)
    try:
        names = sorted(os.listdir(teams))
    except OSError:
        return
    for name in names:
        if os.path.isfile(f"{teams}/{name}/channel.jsonl"):
            yield Wanted(dialect="swarm", path=f"{teams}/{name}", settings={})


def _has(folder: str, fits: object) -> bool:
    assert callable(fits)
    try:
        return any(fits(name) for name in os.listdir(folder))
    except OSError:
        return False
