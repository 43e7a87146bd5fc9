"""Tokens: what proves, inside a run, that its agent speaks.

`palaver run` hands its program a token. The log has the token's digest, in the event of the start; the token
itself is written down nowhere. Whether one counts is the log's to say: it does until the end of its run is
there. So that a send need not open the view for that, a file named like the digest lies in `.palaver/token/`
while the program runs, with the agent and the process: who finds the process alive has its answer, and
everybody else asks the view.

A bare module: `palaver send` imports it inside a run (see docs/adr/0006).
"""

import os
from _blake2 import blake2b
from _collections_abc import Mapping

from palaver.bus.root import Root
from palaver.files.regular import open_regular
from palaver.model.errors import BadToken

VARIABLE = "PALAVER_TOKEN"
# A line of it is a name and two numbers.
_BYTES = 1_024
_DIGEST_BYTES = 16


def digest(token: str) -> str:
    """Return what the log has of a token."""
    return blake2b(token.encode("utf-8", "replace"), digest_size=_DIGEST_BYTES).hexdigest()


def keep(root: Root, token: str, agent: str, pid: int, ticks: int) -> None:
    """Let commands see at once that a token counts; without this they ask the view."""
    if not token:
        return
    folder = _folder(root)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for left in os.listdir(folder):
            # A runner that was killed could not clean up. Other files there are not ours to delete.
            if _is_digest(left) and not _living(f"{folder}/{left}"):
                os.unlink(f"{folder}/{left}")
        with open(f"{folder}/{digest(token)}", "w", encoding="utf-8", opener=open_regular) as file:
            file.write(f"{agent} {pid} {ticks}\n")
    except OSError:
        return


def drop(root: Root, token: str) -> None:
    """Let nobody see at once any more that a token counts: its run is at an end."""
    try:
        os.unlink(f"{_folder(root)}/{digest(token)}")
    except OSError:
        return


def given(root: Root, environment: Mapping[str, str]) -> str:
    """Return the token of an environment, if it is one of this bus, else nothing."""
    token = environment.get(VARIABLE, "")
    home = environment.get("PALAVER_ROOT", "")
    return token if not home or home == root.path else ""


def proof(root: Root, agent: str, token: str) -> str:
    """Return how a token shows that an agent speaks; refuse one that is no token, or none any more.

    The token of somebody else proves nothing for this agent, and nothing against it: its name is a claim.
    """
    whose, running = _living(f"{_folder(root)}/{digest(token)}"), True
    if not whose:
        whose, running = _logged(root, token)
    if not whose:
        raise BadToken(
            f"{agent} cannot speak with this {VARIABLE}",
            "no run of this bus was given it",
            f"unset {VARIABLE}, and the name is taken as a claim",
        )
    if whose != agent:
        return "claimed"
    if not running:
        raise BadToken(
            f"{agent} cannot speak with this {VARIABLE}",
            "the run that was given it has ended",
            f"start a program with palaver run --as {agent}, or unset {VARIABLE}",
        )
    return "token"


def _folder(root: Root) -> str:
    return root.path + "/token"


def _living(path: str) -> str:
    """Return the agent of a token's file if its process is alive, else nothing."""
    try:
        agent, pid, ticks = _said(path).split()
        words = _said(f"/proc/{int(pid)}/stat").rpartition(")")[2].split()
        return agent if words[0] not in "ZXx" and words[19] == ticks else ""
    except (OSError, ValueError, IndexError):
        return ""


def _logged(root: Root, token: str) -> tuple[str, bool]:
    """Return whose a token is by the log, and whether its run goes on."""
    from palaver.bus.session import Session
    from palaver.views.agents.runs import by_token

    return by_token(Session(root).view.current(), digest(token))


def _said(path: str) -> str:
    fd = open_regular(path, os.O_RDONLY)
    try:
        return os.read(fd, _BYTES).decode("utf-8", "replace")
    finally:
        os.close(fd)


def _is_digest(name: str) -> bool:
    return len(name) == 2 * _DIGEST_BYTES and not name.strip("0123456789abcdef")
