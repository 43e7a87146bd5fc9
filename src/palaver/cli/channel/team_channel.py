"""The channel of a team: its mount, and the lines of its file."""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder

from palaver.bus.session import Session
from palaver.model.errors import NotFound
from palaver.sync.mounts.mount_point import MountPoint, mount_points

FILE = "channel.jsonl"
_DECODER = JSONDecoder()
# The record behind a torn one. Behind a colon, a comma or a bracket it would be a value of that one.
_BEHIND_TORN = re.compile(r'(?<=[^:,\[\s])\{ ?"(?:ts|from)" ?:')


def mounted_team(session: Session, team: str) -> MountPoint | None:
    """Return the mount of a team, if it has one."""
    session.view.current()
    for each in mount_points(session.root.path, session.view.roster().mounts):
        if each.mount.dialect == "swarm" and team in (each.name, each.mount.settings.get("team")):
            return each
    return None


def find_team(session: Session, team: str) -> MountPoint:
    """Return the mount of a team, or refuse."""
    found = mounted_team(session, team)
    if found is None:
        raise NotFound(
            f"no team {team}", "no channel of that name is mounted", f"palaver channel init --team {team}"
        )
    return found


def team_lines(mounted: MountPoint) -> Iterator[dict[str, object]]:
    """Yield the records of a team's channel as they are in its file; what is no record is left out."""
    if barred := mounted.barred():
        raise NotFound(f"cannot read the channel of {mounted.name}", barred.why, barred.fix)
    try:
        with open(mounted.full(FILE), encoding="utf-8", errors="replace", newline="\n") as file:
            for line in file:
                yield from _records(line.lstrip("\ufeff"))
    except FileNotFoundError:
        return


def _records(line: str) -> Iterator[dict[str, object]]:
    """Yield the objects of a line; a missing newline leaves two of them on one, and one may be torn."""
    place = 0
    while place < len(line := line.rstrip()):
        try:
            found, place = _DECODER.raw_decode(line, place)
        except (JSONDecodeError, RecursionError):
            behind = _BEHIND_TORN.search(line, place + 1)
            if behind is None:
                return
            place = behind.start()
            continue
        if isinstance(found, dict):
            yield found
        place += len(line[place:]) - len(line[place:].lstrip())
