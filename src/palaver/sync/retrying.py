"""Trying quarantined bytes again: after a fix of ours, or of the settings, they may say something."""

from palaver.bus import isolation
from palaver.bus.core import Core
from palaver.model.dialect import Kind, Source
from palaver.model.errors import BadArguments
from palaver.model.event import number, text
from palaver.sync.drafting import Drafting
from palaver.sync.knowing import Known
from palaver.sync.mounts import Mounted, Speaks, mounted
from palaver.sync.pieces import Batch, Place, draft, hashed
from palaver.views import quarantine
from palaver.views.quarantine import Item


def retry(core: Core, speaks: Speaks, item: Item) -> bool:
    """Take in what can be read of a quarantined piece now; tell whether that is all of it."""
    event = next(iter(core.log.read(item.seq - 1, 1)), None)
    src = event.src if event is not None and event.seq == item.seq and event.src else {}
    content = isolation.content(core, item, limit=item.length)
    each = _mount(core, speaks, text(src, "mount"), item)
    db, roster = core.view.current(), core.view.roster()
    # Before we look whether it was released: whoever does it afterwards is found in the log.
    [(since,)] = db.execute("select seq from place")
    if any(each.id == item.id and each.released for each in quarantine.items(db, everything=True)):
        return True
    parsed = each.dialect.parse(Source(path=item.file, content=content, mount=each.mount))
    if not all(piece.kind in (Kind.EVENT, Kind.BLANK) for piece in parsed.pieces):
        return False
    # A life of the file that never was: the bytes were counted when they were put into quarantine.
    place = Place(mount=each.name, file=item.file, gen=0)
    batch = Batch()
    drafting = Drafting(each, place, roster, Known(core, db), batch)
    drafting.welcome(parsed.pieces)
    for piece in parsed.pieces:
        raw = content[piece.start : piece.start + piece.length]
        if piece.kind is Kind.EVENT and drafting.take(piece, raw, hashed(raw)):
            return False
    if not batch.messages and not batch.drafts:
        return False
    # Two who try at once take it in once; who is new here depends on which of them comes first.
    told = [made for made in batch.drafts if made.event_type != "agent.registered"]
    for place_, made in enumerate(told):
        made.key = made.key or f"retry:{item.id}:{place_}"
    released: dict[str, object] = {"id": item.id, "src": {**src, "len": number(src, "len")}}
    batch.drafts.append(draft("file.released", released, key=f"released:{item.id}"))
    core.log.append(batch.drafts, since=int(since))
    core.bells.ring(sorted(batch.to))
    core.live.catch_up()
    return True


def _mount(core: Core, speaks: Speaks, name: str, item: Item) -> Mounted:
    for each in mounted(core.root.path, core.view.roster().mounts, speaks):
        if each.name == name:
            return each
    raise BadArguments(
        f"cannot try {item.id} again", f"no mount reads {item.file} any more", "it stays in quarantine, whole"
    )
