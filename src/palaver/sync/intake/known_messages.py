"""What the log has already of what is being read: messages by id, lines, questions, tasks, dropped files."""

from collections.abc import Callable, Collection, Iterable, Sequence

from palaver.bus.mail import shown_ids
from palaver.bus.session import Session
from palaver.model import secrets
from palaver.model.event import Event, number, original_file, text
from palaver.model.limits import FILES, META_CHARS, META_FIELDS, RECIPIENTS, SUBJECT_CHARS
from palaver.model.message import Message, from_event, title_of
from palaver.model.mounted_files import content_id
from palaver.model.names import EVERYONE
from palaver.model.secrets import mask_value
from palaver.sync.intake.file_events import FilePlace, words_of
from palaver.views.files import file_history, known_files
from palaver.views.mail import inbox, intake_queries
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import Card

# The event of a line that is not in the view: this pass has read it, or is about to find it as our own.
_THIS_PASS = -1


class Known:
    """Messages and tasks that the log has, or that this pass has read before."""

    def __init__(self, session: Session) -> None:
        """Take the session; its view is up to date."""
        self._session = session
        self._db: Query = session.view
        self._fresh: dict[str, Message] = {}
        # Questions of this pass, the questions that its messages answered, and the agents that were asked.
        self._asks: list[Message] = []
        self._answered: set[str] = set()
        self._asked: set[str] | None = None
        # Ids that were looked up together, and that no message has.
        self._unknown: set[str] = set()
        # The agent that gave a task to another, for the tasks that were looked up.
        self._givers: dict[tuple[str, str], str] = {}
        # The run in which a task was given.
        self._runs: dict[str, str] = {}
        #: Tasks as lines of this pass leave them.
        self.cards: dict[str, Card] = {}
        self._changed: dict[str, str] | None = None
        # Dropped messages of this pass by the hash of their text, and those whose line was found.
        self._drops: dict[str, list[int]] = {}
        self._repeated: set[int] = set()

    def look_up(self, messages: Iterable[Message]) -> None:
        """Look up the ids and tasks of many messages at once; nearly always the log has none of them."""
        ids: set[str] = set()
        tasks: set[str] = set()
        for message in messages:
            ids.add(message.id)
            tasks.add(message.task)
        if ids := ids - {""}:
            self._unknown |= ids - intake_queries.known(self._db, [*ids])
        if tasks := tasks - {""}:
            self._givers |= intake_queries.givers(self._db, sorted(tasks))

    def message(self, message_id: str) -> Message | None:
        """Return the message with an id."""
        fresh = self._fresh.get(message_id)
        if fresh is not None or message_id in self._unknown:
            return fresh
        row = inbox.found(self._db, message_id)
        event = self._session.said(row) if row else None
        return from_event(event) if event else None

    def same(self, line: Message) -> Message | None:
        """Return the message that a line says again: the one of its id, or one that got another id."""
        for message_id in (line.id, content_id(line)):
            known = self.message(message_id)
            if known is not None and says_again(line, known):
                return known
        return None

    def is_said_elsewhere(self, line: Message, place: FilePlace, offset: int) -> bool:
        """Return True if the log has the message of a line, by its id, from another place."""
        known = self.same(line) if line.id else None
        event = self._session.log.event(known.seq) if known and known.seq else None
        return known is not None and not _is_at(event, place, offset)

    def shown_as(self, shown: str) -> Message | None:
        """Return the message that a file shows under an id that was made for it there."""
        return self.message(shown_ids.own_id(shown)) or shown_ids.find(self._session, shown)

    def add(self, message: Message) -> None:
        """Add a message of this pass."""
        self._fresh[message.id] = message
        if message.act == "ask":
            self._asks.append(message)
        if message.reply_to:
            self._answered.add(message.reply_to)

    def has_read(self, message_id: str, reader: str) -> bool:
        """Return True if the log knows that an agent has read a message."""
        return (message_id, reader) in intake_queries.read_marks(self._db, [message_id])

    def is_asked(self, agent: str) -> bool:
        """Return True if an agent may have been asked something that it has not answered."""
        if self._asked is None:
            self._asked = intake_queries.asked(self._db)
        return agent in self._asked or bool(self._asks)

    def question(
        self, answer: Message, askers: Collection[str], reaches: Callable[[Message, str], bool]
    ) -> str:
        """Return the question of one of these agents that an answer closes if it names none.

        It is the one about the same task, else the oldest; `reaches` tells whom a message was for.
        """
        found = intake_queries.questions(self._db, answer.sender, askers) if askers else []
        found += [
            (each.id, each.task.lower())
            for each in self._asks
            if each.sender in askers and reaches(each, answer.sender)
        ]
        left = [(name, task) for name, task in found if name not in self._answered]
        same = [name for name, task in left if task and task == answer.task.lower()]
        return next(iter([*same, *(name for name, _ in left)]), "")

    def card(self, task_id: str) -> Card | None:
        """Return a task with what it needs."""
        if task_id not in self.cards:
            found = board.task(self._db, task_id)
            if found is None:
                return None
            self.cards[task_id] = board.card(self._db, found)
        return self.cards[task_id]

    def changed(self, task_id: str) -> str:
        """Return when a task was last moved or changed since it was opened."""
        if self._changed is None:
            self._changed = board.changed(self._db)
        return self._changed.get(task_id, "")

    def giver(self, task: str, agent: str) -> str:
        """Return the agent that gave another a task that was looked up, or nothing."""
        return self._givers.get((task, agent), "")

    def owner(self, task_id: str) -> str:
        """Return the owner of a task, or nothing."""
        found = board.task(self._db, task_id)
        return found.owner if found else ""

    def run(self, task_id: str) -> str:
        """Return the run in which a task was last given to an agent, or nothing."""
        if task_id not in self._runs:
            row = inbox.last_given(self._db, task_id)
            event = self._session.said(row) if row else None
            self._runs[task_id] = from_event(event).run if event else ""
        return self._runs[task_id]

    # --- a dropped file, and the line of a log that repeats it ---

    def add_drop(self, words: str, seq: int) -> None:
        """Add a message of this pass that was dropped, by the hash of its text."""
        self._drops.setdefault(words, []).append(seq)

    def dropped(self, mount: str, content: bytes) -> int:
        """Return the oldest dropped message with this text, 0 if there is none; each is found once."""
        words = words_of(content)
        for seq in file_history.dropped(self._db, mount, words) + self._drops.get(words, []):
            if seq not in self._repeated:
                self._repeated.add(seq)
                return seq
        return 0


class ReadLines:
    """The lines of one mount that were read before, in this pass or before it (docs/adr/0047)."""

    def __init__(self, session: Session, mount: str, owed: Callable[[], Collection[str]]) -> None:
        """Take the mount, and what returns the hashes of the renderings that it is owed."""
        self._session = session
        self._mount = mount
        self._owed = owed
        # By line: the event that said it first, 0 for a line that is new.
        self._seqs: dict[str, int] = {}

    def look_up(self, lines: Iterable[str]) -> None:
        """Look up many lines at once."""
        asked = [each for each in dict.fromkeys(lines) if each not in self._seqs]
        if asked:
            owed = self._owed()
            self._seqs |= {each: _THIS_PASS if each in owed else 0 for each in asked}
            self._seqs |= known_files.read_lines(self._session.view, self._mount, asked)

    def again(self, place: FilePlace, sha: str, offset: int, values: Sequence[object]) -> dict[str, object]:
        """Return how an event says that its line, which has a message, was read before at another place."""
        if not any(type(each) is Message for each in values):
            return {}
        return {"again": 1} if self.is_copy(place, sha, offset) else {}

    def is_copy(self, place: FilePlace, sha: str, offset: int) -> bool:
        """Return True if a line was read before, at another place."""
        line = _line(place, sha)
        self.look_up([line])
        seq = self._seqs[line]
        if seq <= 0:
            return seq == _THIS_PASS
        return not _is_at(self._session.log.event(seq), place, offset)

    def add(self, place: FilePlace, sha: str) -> None:
        """Add a line that was read now."""
        line = _line(place, sha)
        self._seqs[line] = self._seqs.get(line) or _THIS_PASS


def _is_at(event: Event | None, place: FilePlace, offset: int) -> bool:
    """Return True if an event came from the line at this place: a crash may have recorded a part of it."""
    src = event.src if event and event.src else {}
    return (text(src, "file"), number(src, "gen"), number(src, "off")) == (place.file, place.gen, offset)


def _line(place: FilePlace, sha: str) -> str:
    return known_files.line_key(original_file(place.file), sha, is_dropped=place.mark != "")


def says_again(message: Message, known: Message) -> bool:
    """Return True if a line says what the log has under its id, to a recipient of that message.

    The log may have more: names in full, everyone of a mount by its name, the task of a question. But a line
    that says anything that the log does not have is another message. What a redacted message said is not
    known any more: a line with its id is never another message, or the text would come back.
    """
    return (known.redacted and _is_same_name(message.sender, known.sender)) or (
        message.act == known.act
        and (not message.task or _is_same(known.task, message.task))
        and message.priority in ("normal", known.priority)
        and _is_same_name(message.sender, known.sender)
        and all(each == EVERYONE or any(_is_same_name(each, to) for to in known.to) for each in message.to)
        and _is_same(_subject(known), _subject(message))
        and _is_same(known.body, message.body)
        and (_has_fields(known, message.meta) or _has_fields(known, mask_value(message.meta)[0]))
    )


def _subject(message: Message) -> str:
    """Return the subject; one that only repeats the first words of the body is none."""
    return "" if message.subject == title_of(message.body) else message.subject


def _is_same(known: str, text: str) -> bool:
    return known == text or known == secrets.masked(text)


def _has_fields(known: Message, meta: object) -> bool:
    return type(meta) is dict and all(known.meta.get(name) == value for name, value in meta.items())


def _is_same_name(written: str, known: str) -> bool:
    """Return True if two names mean the same agent: one of them may have the mount in front."""
    short, long = sorted((written.removeprefix("@").lower(), known.removeprefix("@").lower()), key=len)
    return long == short or long.endswith(f"/{short}")


def is_small(message: Message) -> bool:
    """Return True if a message has nothing but ASCII in its free fields, and is within all bounds."""
    for fields in (message.meta, *message.files):
        for field, value in fields.items():
            if type(value) is not str or len(field) + len(value) > META_CHARS:
                return False
            if not (field.isascii() and value.isascii()):
                return False
    return (
        len(message.subject) <= SUBJECT_CHARS
        and len(message.to) <= RECIPIENTS
        and len(message.meta) <= META_FIELDS
        and len(message.files) <= FILES
        and not message.artifacts
    )
