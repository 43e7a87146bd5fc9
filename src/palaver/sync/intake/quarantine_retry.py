"""Trying quarantined bytes again: after a fix of ours, or of the settings, they may say something."""

from palaver.bus.admin import quarantine as isolation
from palaver.bus.session import Session
from palaver.model.errors import BadArguments, Refusal
from palaver.model.event import Draft, number, original_file, source_of, table, text
from palaver.model.mounted_files import Kind, Parsed, Piece, Provenance, Source
from palaver.sync.intake.file_events import FilePlace, IntakeBatch, draft, hashed
from palaver.sync.intake.known_messages import Known, ReadLines
from palaver.sync.intake.resolver import Resolver
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.views.files import quarantine
from palaver.views.files.quarantine import QuarantineItem


def retry(session: Session, item: QuarantineItem) -> bool:
    """Take in what can be parsed of an entry now; return True if that is all of it.

    Lines that cannot be parsed yet are quarantined again, as new entries. If none can, nothing changes.
    """
    event = session.log.event(item.seq)
    src = source_of(event) if event else {}
    each = _mount(session, text(src, "mount"), item)
    db, roster = session.view.current(), session.view.roster().copy()
    # Taken before the check whether it was released: a release after that is found in the log.
    since = db.seq
    known = quarantine.item(db, item.id)
    if known is not None and known.released:
        return True
    lines = ReadLines(session, each.name, frozenset)
    resolver, batch = Resolver(each, roster, Known(session), lines), IntakeBatch()
    rest: list[Draft] = []
    for run in quarantine.runs(db, item):
        content = isolation.run_content(session, run, run.length)
        left = _retry_run(resolver, each, run, content, batch)
        rest += [_quarantined_again(run, src, piece, content) for piece in left]
    if not batch.drafts:
        return False
    # The keys make two retries at the same time record it once; registrations depend on which is first.
    said = [made for made in batch.drafts if made.event_type != "agent.registered"]
    for nth, made in enumerate(said):
        made.key = made.key or f"retry:{item.id}:{nth}"
    released = {**src, "len": item.length - sum(number(table(made.data, "src"), "len") for made in rest)}
    for nth, made in enumerate(rest[1:], 1):
        made.data |= {"id": rest[0].data["id"], "place": nth}
    batch.drafts += rest
    batch.drafts.append(draft("file.released", {"id": item.id, "src": released}, key=f"released:{item.id}"))
    session.log.append(batch.drafts, since=since)
    session.wakeups.ring(batch.recipients())
    session.sync.catch_up()
    return not rest


def _retry_run(
    resolver: Resolver, each: MountPoint, run: QuarantineItem, content: bytes, batch: IntakeBatch
) -> list[Piece]:
    """Make events of what can be parsed of one run of lines; return what cannot."""
    source = Source(
        path=original_file(run.file),
        content=content,
        mount=each.mount,
        provenance=Provenance.NONE,
        is_known=resolver.names.is_known,
    )
    # A generation that no file has: the bytes were counted when they were put into quarantine.
    place = FilePlace(mount=each.name, file=run.file, gen=0)
    return _take(resolver, place, each.dialect.parse(source), content, batch)


def _take(
    resolver: Resolver, place: FilePlace, parsed: Parsed, content: bytes, batch: IntakeBatch
) -> list[Piece]:
    """Make events of what can be parsed; return the runs of bytes that cannot."""
    batch.drafts += resolver.begin_block([(message,) for message in parsed.messages])
    rest: list[Piece] = []
    is_open = False
    for piece in parsed.pieces:
        end = piece.start + piece.length
        if piece.kind is Kind.EVENT:
            try:
                batch.add(*resolver.resolve(place, piece.values, piece.start, content[piece.start : end]))
                is_open = False
                continue
            except Refusal:
                # It stays in quarantine.
                pass
        elif piece.kind is Kind.BLANK:
            continue
        if is_open:
            rest[-1] = rest[-1]._replace(length=end - rest[-1].start)
        else:
            rest.append(piece)
        is_open = True
    return rest


def _quarantined_again(item: QuarantineItem, src: dict[str, object], rest: Piece, content: bytes) -> Draft:
    """Return the event that quarantines a part of an entry again; the bytes are kept already."""
    start, length = rest.start, rest.length
    raw = content[start : start + length]
    name = f"q-{hashed(f'{item.id}:{item.offset + start}'.encode())}"
    entry: dict[str, object] = {
        "id": name,
        "reason": rest.reason or item.reason.partition(":")[0],
        "lines": raw.count(b"\n") + (not raw.endswith(b"\n")),
        "kept": {"in": item.kept_in, "at": item.kept_at + start, "len": length},
        # Not the source of the event: its bytes are accounted for by the entry that they were part of.
        "src": {**src, "off": item.offset + start, "len": length, "sha": hashed(raw)},
    }
    return draft("file.quarantined", entry, key=f"rest:{name}")


def _mount(session: Session, name: str, item: QuarantineItem) -> MountPoint:
    for each in mount_points(session.root.path, session.view.roster().mounts):
        if each.name == name:
            return each
    raise BadArguments(
        f"cannot try {item.id} again", f"no mount reads {item.file} any more", "it stays in quarantine, whole"
    )
