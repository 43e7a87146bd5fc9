"""Quarantine: list what could not be understood, show it safely, try it again after a fix."""

import os

from palaver.bus.core import Core
from palaver.log.record import decode
from palaver.model.errors import BadArguments, NotFound
from palaver.model.limits import SHOW_BYTES
from palaver.views import quarantine
from palaver.views.quarantine import Item


def items(core: Core, *, everything: bool = False) -> list[Item]:
    """Return what is quarantined; with `everything` also what was explained or released."""
    return quarantine.items(core.view.current(), everything=everything)


def item(core: Core, wanted: str) -> Item:
    """Return one quarantined piece."""
    for each in items(core, everything=True):
        if each.id == wanted:
            return each
    raise NotFound(f"nothing in quarantine is called {wanted}", "", "palaver quarantine lists it")


def content(core: Core, wanted: Item, limit: int = SHOW_BYTES) -> bytes:
    """Return the bytes of a piece, as many as may be shown; they are kept whole where they lie."""
    path = (
        f"{core.root.quarantine}/{wanted.id}.bin"
        if wanted.kind == "file"
        else f"{core.root.path}/{wanted.file}"
    )
    offset = 0 if wanted.kind == "file" else wanted.offset
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as fault:
        raise NotFound(f"cannot show {wanted.id}", fault.strerror or str(fault), f"look at {path}") from fault
    try:
        return os.pread(fd, min(limit, wanted.length), offset)
    finally:
        os.close(fd)


def retry(core: Core, wanted: Item) -> bool:
    """Try a piece again; tell whether it is understood now."""
    if wanted.released:
        return True
    if wanted.kind == "damaged":
        if decode(content(core, wanted, limit=wanted.length)) is None:
            return False
        core.view.rebuild(f"{wanted.file} was mended")
        return True
    if wanted.kind == "file":
        return core.live.retry(wanted)
    raise BadArguments(
        f"cannot try {wanted.id} again", f"it is {wanted.kind}, and no text", "it stays in quarantine, whole"
    )
