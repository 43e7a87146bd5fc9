"""Detection: folders that agents already use, recognised by the files in them."""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from palaver.bus import trust
from palaver.dialects import specs


class DetectedMount(NamedTuple):
    """A folder with files of a dialect."""

    dialect: str
    path: str


def detect_mounts(folder: str) -> list[DetectedMount]:
    """Return what could be mounted: in a folder, and among the teams of this user.

    A link that leads out of the folder is passed over: it may have come with the project. Users who want it
    mount the place that it leads to.
    """
    return [*_in_project(folder), *_teams()]


def _in_project(folder: str) -> Iterator[DetectedMount]:
    for name, spec in specs().items():
        shown = (mount for evidence, mount in spec.detection.evidence if _has(folder, evidence))
        for mount in dict.fromkeys(shown):
            yield DetectedMount(dialect=name, path=folder if mount == "." else f"{folder}/{mount}")


def _teams() -> Iterator[DetectedMount]:
    for name, spec in specs().items():
        teams = os.path.expanduser(spec.detection.teams)
        for team in sorted(_listed(teams)) if teams else ():
            if any(os.path.isfile(f"{teams}/{team}/{entry}") for entry in spec.detection.entries):
                yield DetectedMount(dialect=name, path=f"{teams}/{team}")


def _has(project: str, evidence: str) -> bool:
    """Return True if the project has the file, or the folder if the evidence ends in `/`."""
    path = evidence.rstrip("/")
    folder, _, pattern = path.rpartition("/")
    if "*" in pattern:
        is_there = any(fnmatchcase(name, pattern) for name in _listed(f"{project}/{folder}"))
        return is_there and _is_inside(project, folder)
    exists = os.path.isdir if evidence.endswith("/") else os.path.isfile
    return exists(f"{project}/{path}") and _is_inside(project, path)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_inside(project: str, path: str) -> bool:
    """Return True if a path of the project leads neither out of it nor into .git or .palaver."""
    home = os.path.realpath(project)
    real = os.path.realpath(f"{project}/{path}")
    below = f"{real.removeprefix(home)}/"
    return trust.is_within(real, home) and "/.git/" not in below and "/.palaver/" not in below
