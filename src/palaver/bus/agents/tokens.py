"""Tokens: what tells, inside a run, which run that is, and proves that its agent speaks.

`palaver run` gives its program a token. The log has the token's digest, in the event of the start; the token
itself is stored nowhere. The log decides whether a token counts: it does until the end of its run is logged.
So that a send need not open the view, a file named like the digest is in `.palaver/token/` while the program
runs, with its agent, its process and its run: if that process is alive, the file answers, else the view does.

A process inside a run of another bus carries a token that this bus does not know. It is a stranger here: it
may speak, and has no power, unless the bus was created inside that run (docs/adr/0051).

A bare module: `palaver send` imports it inside a run (see docs/adr/0006).
"""

import os
from _blake2 import blake2b
from _collections_abc import Mapping

from palaver.bus.root import Root
from palaver.files.regular import open_regular
from palaver.model.errors import BadToken, NotPermitted

VARIABLE = "PALAVER_TOKEN"
# The hops of what a program sends that mail has started: another bus knows nothing else of it.
HOPS_VARIABLE = "PALAVER_HOPS"
_HOPS_DIGITS = 4
# A run of the person has no token, and is a run all the same.
_OF_A_RUN = (VARIABLE, "PALAVER_RUN")
# How every token begins, so that one is recognised wherever it is written (see model/secrets.py).
PREFIX = "palaver_run_"
# A line of it is an agent, two numbers and a run.
_BYTES = 1_024
_DIGEST_BYTES = 16


def digest(token: str) -> str:
    """Return what the log has of a token."""
    return blake2b(token.encode("utf-8", "replace"), digest_size=_DIGEST_BYTES).hexdigest()


# The process that carries a token: the agent of the run, empty if that is a run of another bus; and what
# every event of the process records of it.
Bearer = tuple[str, dict[str, object]]


def proof(bearer: Bearer, agent: str) -> str:
    """Return how a token shows that an agent speaks.

    The token of another agent proves nothing for this one: its name is a claim.
    """
    return "token" if bearer[0] == agent else "claimed"


def stranger(environment: Mapping[str, str]) -> Bearer:
    """Return a process whose token no run of this bus was given."""
    inside: dict[str, object] = {"token": digest(environment[VARIABLE])}
    hops = environment.get(HOPS_VARIABLE, "")[:_HOPS_DIGITS]
    if hops.isascii() and hops.isdigit():
        inside["hops"] = int(hops)
    return "", inside


def refuse_inside_run(environment: Mapping[str, str], what: str) -> None:
    """Refuse what is for the user to decide inside any run, whichever bus it is for."""
    # Also if a variable is empty: a program that empties it is no less inside the run.
    if any(each in environment for each in _OF_A_RUN):
        raise NotPermitted(
            f"cannot {what} inside a run", "it takes the powers of the person", "ask the user to do it"
        )


def keep(root: Root, token: str, *, agent: str, run: str, pid: int, ticks: int) -> None:
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
            file.write(f"{agent} {pid} {ticks} {run}\n")
    except OSError:
        return


def drop(root: Root, token: str) -> None:
    """Let nobody see at once any more that a token counts: its run is at an end."""
    try:
        os.unlink(f"{_folder(root)}/{digest(token)}")
    except OSError:
        return


def bearer(root: Root, environment: Mapping[str, str]) -> Bearer | None:
    """Return whose token is in an environment; None if there is none. That of an ended run is refused.

    A token that this bus does not know is that of another bus if PALAVER_ROOT names that, or if the bus was
    created with it; else it is refused.
    """
    token = environment.get(VARIABLE, "")
    if not token:
        return None
    found = _living(f"{_folder(root)}/{digest(token)}") or _creator(root, token) or _logged(root, token)
    if found is None and root.is_home(environment):
        raise BadToken(
            f"cannot speak with this {VARIABLE}",
            "no run of this bus was given it",
            f"unset {VARIABLE}, and the name is taken as a claim",
        )
    return found or stranger(environment)


def _folder(root: Root) -> str:
    return root.path + "/token"


def _living(path: str) -> Bearer | None:
    """Return the run of a token's file if its process is alive."""
    try:
        agent, pid, ticks, run = _said(path).split()
        words = _said(f"/proc/{int(pid)}/stat").rpartition(")")[2].split()
        is_alive = words[0] not in "ZXx" and words[19] == ticks
    except (OSError, ValueError, IndexError):
        return None
    return (agent, {"run": run, "agent": agent}) if is_alive else None


def _creator(root: Root, token: str) -> Bearer | None:
    """Return the run in which the bus was created, if the token is that of it: the first event says so."""
    from palaver.log.factory import open_log

    first = open_log(root.log, lock=root.log_lock).read(0, 1)
    inside = first[0].inside if first else None
    if inside is None or inside.get("token") != digest(token):
        return None
    return "", {**inside, "created": True}


def _logged(root: Root, token: str) -> Bearer | None:
    """Return the run of a token by the log, or refuse if it has ended."""
    from palaver.bus.session import Session
    from palaver.views.agents.runs import by_token

    found = by_token(Session(root).view.current(), digest(token))
    if found is None:
        return None
    if found.ended:
        # In whatever name: what its agent had to do may have been given to another one since.
        raise BadToken(
            f"cannot act with this {VARIABLE}",
            f"the run of {found.agent} that was given it has ended",
            f"start a program elsewhere with palaver run --as {found.agent}, or unset {VARIABLE}",
        )
    return found.agent, {"run": found.run, "agent": found.agent}


def _said(path: str) -> str:
    fd = open_regular(path, os.O_RDONLY)
    try:
        return os.read(fd, _BYTES).decode("utf-8", "replace")
    finally:
        os.close(fd)


def _is_digest(name: str) -> bool:
    return len(name) == 2 * _DIGEST_BYTES and not name.strip("0123456789abcdef")
