"""What is already there: folders that agents use, found by what lies in them."""

import os
from collections.abc import Iterator

from palaver.bus import trust
from palaver.sync.mounting import TEAMS, Wanted


def detected(folder: str) -> list[Wanted]:
    """Return what could be mounted: in a folder, and among the teams of this user.

    A link that leads out of the folder is passed over: it may have come with the project. Users who want it
    mount the place that it leads to.
    """
    return [*_here(folder), *_teams()]


def _here(folder: str) -> Iterator[Wanted]:
    if _is_inside(folder, "messages") and _has(
        f"{folder}/messages", lambda name: name == "manager-inbox.log" or name.startswith("employee-")
    ):
        yield Wanted(dialect="office", path=folder, settings={})
    if _is_folder(folder, ".work"):
        yield Wanted(dialect="vermas", path=folder, settings={})
    for place in ("", "runs/"):
        if _is_file(folder, f"{place}MESSAGE-BUS.md"):
            yield Wanted(dialect="runbus", path=f"{folder}/{place}MESSAGE-BUS.md", settings={})
    for place in ("collab", "."):
        if _is_file(folder, f"{place}/chat.log") or (
            place == "collab" and _is_folder(folder, "collab/inbox")
        ):
            yield Wanted(dialect="collab", path=f"{folder}/{place}", settings={})
    if _is_file(folder, "channel.jsonl"):
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


def _is_file(project: str, path: str) -> bool:
    return os.path.isfile(f"{project}/{path}") and _is_inside(project, path)


def _is_folder(project: str, path: str) -> bool:
    return os.path.isdir(f"{project}/{path}") and _is_inside(project, path)


def _is_inside(project: str, path: str) -> bool:
    """Return True if a path of the project leads neither out of it nor into .git or .palaver."""
    home = os.path.realpath(project)
    real = os.path.realpath(f"{project}/{path}")
    below = f"{real.removeprefix(home)}/"
    return trust.is_within(real, home) and "/.git/" not in below and "/.palaver/" not in below


def _has(folder: str, fits: object) -> bool:
    assert callable(fits)
    try:
        return any(fits(name) for name in os.listdir(folder))
    except OSError:
        return False
