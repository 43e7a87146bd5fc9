"""`palaver channel init`: the channel of a team, and a script in the place of the swarm's own."""

import os
from typing import Final

from palaver.bus.power_check import require
from palaver.bus.session import Session
from palaver.cli.binding import perform_once
from palaver.cli.channel.team_channel import FILE, mounted_team
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.dialects import spec
from palaver.files.regular import find_link, open_file
from palaver.model.errors import BadArguments, NotPermitted, StorageFailed
from palaver.model.names import name
from palaver.sync.mounts.mount_operations import add_mount, refuse_nested

SCRIPT: Final = "scripts/channel.py"
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


def init(context: Context) -> int:
    """Create the channel of a team, mount it, and write the script; what exists is left unchanged."""
    session = connect_synced(context)
    done = perform_once(context, session, "channel init", lambda: _init(context, session))
    return context.show(done, f"Channel initialized: {done['channel']}")


def _init(context: Context, session: Session) -> dict[str, object]:
    team = name(context.args.text("--team"))
    refuse_nested(team)
    project = os.path.dirname(session.root.path)
    if link := find_link(project, os.path.dirname(SCRIPT)):
        # It may have come with the project, and lead to any folder of the user.
        raise StorageFailed(
            f"cannot write {project}/{SCRIPT}", f"{link} is a symbolic link", "replace it with a folder"
        )
    found = mounted_team(session, team)
    if found is None:
        # Before there is a folder that nothing uses.
        require(session, "mount", by=session.agent)
        folder = f"{os.path.expanduser(spec('swarm').detection.teams)}/{team}"
        os.makedirs(folder, exist_ok=True)
        found = add_mount(session, "swarm", folder, team=team)
    if barred := found.barred():
        raise NotPermitted(f"cannot use the folder of {team}", barred.why, barred.fix)
    channel = found.full(FILE)
    os.close(os.open(channel, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644))
    return {"channel": channel, "script": _write_script(project), "mount": found.name}


def _write_script(project: str) -> str:
    """Write the script; another file of that name is not replaced."""
    path = f"{project}/{SCRIPT}"
    try:
        fd = open_file(project, SCRIPT, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755, create_folders=0o777)
    except FileExistsError:
        if not _is_ours(project):
            raise BadArguments(
                f"cannot write {path}", "another file is there", "move it away, and try again"
            ) from None
        return path
    with open(fd, "wb") as script:
        script.write(_CONTENT.encode())
    return path


def _is_ours(project: str) -> bool:
    try:
        with open(open_file(project, SCRIPT, os.O_RDONLY), "rb") as script:
            return script.read(len(_CONTENT) + 1) == _CONTENT.encode()
    except OSError:
        return False
