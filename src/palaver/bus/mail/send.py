"""The full path of a message: keys, replies, unknown names, lists that were just edited.

The message is checked against the current view, then appended, then folded. A message that reaches no agent
is refused, unless the caller allows it. One that reaches only some of its recipients is stored, marked
`undeliverable`, and the caller is told the others.
"""

from itertools import chain

from palaver.bus.config.config_events import apply
from palaver.bus.mail.message_check import SendResult, check
from palaver.bus.mail.plain_send import is_weighty, mail_sent, send_plain, stamp
from palaver.bus.operations import keys
from palaver.bus.session import Session
from palaver.log.clock import many_letters, now
from palaver.model.errors import BadArguments, KeyConflict, NotFound, Refusal, Retired, UnknownRecipient
from palaver.model.event import flag
from palaver.model.message import Message, from_event
from palaver.model.names import name
from palaver.views.agents.power import ON_AGENTS, ON_TASKS
from palaver.views.agents.roster import Meaning, Roster
from palaver.views.mail import inbox


def send(
    session: Session,
    message: Message,
    *,
    key: str = "",
    allow_secret: bool = False,
    allow_unknown: bool = False,
) -> SendResult:
    """Store a message; return it with its id, and with the unknown names. Refuse if it reaches no agent."""
    message = _prove(session, check(message, allow_secret=allow_secret))
    if not key:
        sent = send_plain(session, message)
        if sent is not None:
            return sent
    elif message.act == "inform" and not is_weighty(message) and _all_plain(session, [message]):
        # Only the key has to be looked up.
        message, fresh = post(session, message, key=key)
        return SendResult(message, fresh=fresh, unknown=[])
    return _send_long(session, message, key, allow_unknown=allow_unknown)


def send_many(
    session: Session, messages: list[Message], *, allow_secret: bool = False, allow_unknown: bool = False
) -> list[SendResult]:
    """Store many messages with one sync; a crash in the middle leaves the first of them."""
    if len({id(message) for message in messages}) < len(messages):
        raise BadArguments("cannot send these messages", "one of them is there twice", "copy it")
    checked = []
    for each in messages:
        # A message that is sent again is another one, with an id of its own.
        fresh = each.replace(sender=name(each.sender), id="", event_id="", thread="")
        checked.append(_prove(session, check(fresh, allow_secret=allow_secret)))
    if not _all_plain(session, checked):
        if not allow_unknown:
            refuse_unreached(session, checked, [""] * len(checked))
        return [_send_long(session, each, "", allow_unknown=True) for each in checked]
    at = now()
    drawn = many_letters(len(checked))
    stamped = [stamp(each, name, at) for each, name in zip(checked, drawn, strict=True)]
    stored = session.log.append([mail_sent(each) for each in stamped])
    session.wakeups.ring(sorted({written for each in stamped for written in each.to}))
    return [
        SendResult(each.replace(seq=event.seq), fresh=True, unknown=[])
        for each, event in zip(stamped, stored, strict=True)
    ]


def _prove(session: Session, message: Message) -> Message:
    """Return a message with the proof that its sender has, if it brings none."""
    proof = session.proof(message.sender)
    return message if message.auth != "claimed" or proof == "claimed" else message.replace(auth=proof)


def _all_plain(session: Session, messages: list[Message]) -> bool:
    """Return True if every message can take the short path."""
    known = session.roster_cache()
    speakers = {message.sender for message in messages}
    addresses = {written for message in messages for written in message.to}
    long = any(map(is_weighty, messages))
    return not long and all(map(known.speaks, speakers)) and all(map(known.means, addresses))


def refuse_unreached(session: Session, messages: list[Message], used: list[str]) -> None:
    """Refuse messages of which one would reach no agent, before any of them is stored.

    A message whose key was used before is not judged again: it is stored already.
    """
    roster = _current_roster(session)
    for message, key in zip(messages, used, strict=True):
        unknown = _unknown(roster, message)
        if unknown:
            session.view.insist()
            _refuse_if_unreached(session, message, unknown, key)


def _refuse_if_unreached(
    session: Session, message: Message, unknown: list[tuple[str, str, list[str]]], key: str
) -> None:
    reaches_nobody = {written for written, _, _ in unknown}.issuperset(message.to)
    if reaches_nobody and not (key and keys.find(session, message.sender, key)):
        raise _reaches_nobody(unknown)


def _current_roster(session: Session) -> Roster:
    # A recipient may have registered in a file just now.
    session.sync.catch_up()
    apply(session)
    session.view.current()
    session.view.republish()
    return session.view.roster()


def _unknown(roster: Roster, message: Message) -> list[tuple[str, str, list[str]]]:
    """Return the addresses and members of lists that reach no agent, each with why and the nearest names."""
    found: dict[str, tuple[str, str, list[str]]] = {}
    for written in message.to:
        meaning = roster.resolve(written)
        if written.lstrip("@") != message.sender and (why := _lost(meaning, message.sender)):
            meant = [member for member, _ in meaning.lost] or [written]
            close = chain.from_iterable(roster.nearest(each, roles=True) for each in meant)
            found[written] = (written, why, [*dict.fromkeys(close)])
        elif meaning.kind == "list":
            for member, lost in meaning.lost:
                found.setdefault(member, (member, lost, roster.nearest(member, roles=True)))
    return [*found.values()]


def _reaches_nobody(unknown: list[tuple[str, str, list[str]]]) -> UnknownRecipient:
    reasons = {why for _, why, _ in unknown}
    if len(reasons) == 1:
        names, why = ", ".join(written for written, _, _ in unknown), reasons.pop()
    else:
        names, why = "anybody", ", ".join(f"{written}: {why}" for written, why, _ in unknown)
    close = [name for _, _, nearest in unknown for name in nearest]
    way_out = "palaver agents lists the agents"
    if close:
        way_out = f"did you mean {' or '.join(dict.fromkeys(close))}?"
    return UnknownRecipient(f"Not delivered to {names}", why, way_out)


def _send_long(session: Session, message: Message, key: str, *, allow_unknown: bool) -> SendResult:
    keys.check_key(key)
    roster = _current_roster(session)
    speaker = roster.agents.get(message.sender)
    if speaker is not None and speaker.retired:
        raise Retired(
            f"{message.sender} cannot speak", "it is retired", f"palaver agents add {message.sender}"
        )
    unknown = _unknown(roster, message)
    if unknown:
        session.view.insist()
        if not allow_unknown:
            _refuse_if_unreached(session, message, unknown, key)
        message = message.replace(undeliverable=True)
    if message.act in ON_TASKS | ON_AGENTS | {"leave"}:
        from palaver.bus.tasks.etiquette import heed

        heed(session, message, roster)
    caused_by = ""
    if message.reply_to:
        message, caused_by = _thread(session, message)
        _note_powerless(session, message)
    message, fresh = post(session, message, key=key, caused_by=caused_by)
    no_effect = _follow(session, message)
    return SendResult(message, fresh=fresh, unknown=unknown, no_effect=no_effect)


def post(session: Session, message: Message, *, key: str, caused_by: str = "") -> tuple[Message, bool]:
    """Append a checked message, once if it has a key; return it as the log has it, and whether it is new."""
    keys.check_key(key)
    message = stamp(message)
    draft = mail_sent(message, key=key, caused_by=caused_by)
    event = keys.append_once(session, draft)
    is_new = event.event_id == draft.event_id
    if not is_new and not _same(event.data, draft.data):
        raise KeyConflict(
            f"cannot use the key {key!r} again",
            f"it belongs to {event.data.get('message_id')}, which says something else",
            "use a new key for a new message",
        )
    message = message.replace(seq=event.seq) if is_new else from_event(event)
    session.wakeups.ring(message.to)
    return message, is_new


def _follow(session: Session, message: Message) -> str:
    """Bring the view up to date, and append the consequences of a message that moves a task.

    Return why it did not move the task, if it was to; what was so already needs no move.
    """
    try:
        db = session.view.current()
        if not message.task:
            return ""
        from palaver.bus.tasks.consequences import settle
        from palaver.model.task import is_repeat
        from palaver.views.tasks.board import attempt

        tried = attempt(db, message.seq)
        settle(session)
    except Refusal:
        # The message is stored. The next reader brings the view up to date.
        return ""
    return "" if tried is None or is_repeat(tried.act, tried.before, tried.why) else tried.why


def _lost(meaning: Meaning, sender: str) -> str:
    """Return why mail would reach no agent, or nothing; a message to a group does not go to its sender."""
    if meaning.kind in ("list", "role", "all") and meaning.agents == [sender]:
        return "nobody else is there"
    return meaning.why if meaning.kind == "none" else ""


def _thread(session: Session, message: Message) -> tuple[Message, str]:
    """Return the message in the thread of its parent, and the event that caused it."""
    parent = find(session, message.reply_to)
    # An answer is about the task of its question, even if it names none.
    task = message.task or (parent.task if message.act == "answer" else "")
    joined = message.replace(
        reply_to=parent.id,
        thread=parent.thread,
        hops=parent.hops + 1,
        task=task,
        run=message.run or parent.run,
    )
    return joined, parent.event_id


def _note_powerless(session: Session, message: Message) -> None:
    """Note that a reply will leave the mail that it answers in the inbox of its sender."""
    from palaver.bus.power_check import as_event
    from palaver.views.agents.policy import Policy

    if why := Policy(session.view.roster()).powerless("reply", as_event(session, message)):
        session.view.note(f"{message.reply_to} stays open in the inbox of {message.sender}: {why}")


def find(session: Session, message_id: str) -> Message:
    """Return the message with this id, or the one that a file shows under it; refuse with ids like it."""
    db = session.view.current()
    row = inbox.found(db, message_id)
    if row is None:
        from palaver.bus.mail import shown_ids

        if shown := shown_ids.find(session, message_id):
            return shown
        session.view.insist()
        alike = inbox.alike(db, message_id, 3) if message_id else []
        way_out = (
            f"did you mean {' or '.join(alike)}?" if alike else "palaver inbox and palaver tail list ids"
        )
        raise NotFound(f"no message {message_id or '(empty)'}", "nothing in the log has that id", way_out)
    event = session.said(row)
    if event is None:
        raise NotFound(
            f"cannot show {message_id}", "its line in the log is damaged", "palaver verify shows where"
        )
    return from_event(event)


def _same(stored: dict[str, object], wanted: dict[str, object]) -> bool:
    """Return True if two messages say the same; a redacted one cannot be compared, and its key is trusted."""
    return flag(stored, "redacted") or _said(stored) == _said(wanted)


def _said(data: dict[str, object]) -> dict[str, object]:
    """Return the fields that must be equal when a key is repeated."""
    return {name: value for name, value in data.items() if name not in ("message_id", "undeliverable")}
