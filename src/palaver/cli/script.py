"""`palaver channel init`: the channel of a team, and a script with the name and words of the swarm's own."""

import os
from typing import Final

from palaver.bus.core import Core
from palaver.cli.context import Context
from palaver.cli.team import mounted_team
from palaver.model.errors import BadArguments, NotPermitted
from palaver.model.names import name
from palaver.sync import mounting
from palaver.sync.mounting import TEAMS, Wanted
from palaver.wiring import dialect

SCRIPT: Final = "scripts/channel.py"
_CHANNEL: Final = "channel.jsonl"
_CONTENT: Final = '''\
#!/usr/bin/env python3
"""The channel of a swarm, on the bus: calls `palaver channel` with the same words."""

import os
import sys

try:
    os.execvp("palaver", ["palaver", "channel", *sys.argv[1:]])
except FileNotFoundError:
    sys.exit("palaver is not installed, or not on the PATH")
'''


def init(context: Context, core: Core) -> int:
    """Make the channel of a team, mount it, and leave the script; what is there stays."""
    team = name(context.args.text("--team"))
    found = mounted_team(core, team)
    if found is None:
        folder = f"{os.path.expanduser(TEAMS)}/{team}"
        os.makedirs(folder, exist_ok=True)
        found = mounting.add(core, dialect, Wanted(dialect="swarm", path=folder, team=team, settings={}))
    if barred := found.barred(""):
        raise NotPermitted(f"cannot use the folder of {team}", barred.why, barred.fix)
    channel = found.full(_CHANNEL)
    os.close(os.open(channel, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644))
    script = _leave(os.path.join(os.path.dirname(core.root.path), SCRIPT))
    if context.json:
        context.answer({"channel": channel, "script": script, "mount": found.name})
    else:
        context.say(f"Channel initialized: {channel}")
    return 0


def _leave(path: str) -> str:
    """Leave the script; somebody else's is not written over."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o755)
    except FileExistsError:
        try:
            with open(path, encoding="utf-8", errors="replace") as standing:
                mine = standing.read(len(_CONTENT) + 1) == _CONTENT
        except OSError:
            mine = False
        if not mine:
            raise BadArguments(
                f"cannot leave {path}", "there is another one already", "move it away, and try again"
            ) from None
        return path
    try:
        os.write(fd, _CONTENT.encode())
    finally:
        os.close(fd)
    return path
