"""Events about bytes of mounted files: where the bytes are, and the events on their way into the log."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain
from operator import attrgetter

from palaver.log.clock import new_id, now
from palaver.model import secrets
from palaver.model.event import Draft, number
from palaver.model.limits import FOUND_CHARS
from palaver.model.message import Message
from palaver.model.names import BUS


def hashed(content: bytes) -> str:
    """Return the hash of a piece of a file; blanks around it do not count."""
    return blake2b(content.strip(), digest_size=8).hexdigest()


def words_of(content: bytes) -> str:
    """Return the hash of the text of a dropped file, whatever its line ends are."""
    return hashed(content.replace(b"\r\n", b"\n"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlace:
    """A file, and which of its generations: a rewritten file begins another one."""

    mount: str
    file: str
    gen: int
    #: The identity of a file that is read as a whole.
    mark: str = ""
    #: Whether its bytes were written before the mount existed.
    history: bool = False
    #: Where the bytes end that were in it when another program rewrote it; 0 if none did.
    rewritten: int = 0

    def is_rewritten(self, src: dict[str, object]) -> bool:
        """Return True if these bytes were in the file when another program rewrote it."""
        return number(src, "off") < self.rewritten

    def src(self, offset: int, length: int, sha: str) -> dict[str, object]:
        """Return the bytes that an event came from, as the event names them."""
        found: dict[str, object] = {
            "mount": self.mount,
            "file": self.file,
            "gen": self.gen,
            "off": offset,
            "len": length,
            "sha": sha,
        }
        if self.mark:
            found["mark"] = self.mark
        if self.history:
            found["history"] = 1
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LineNote:
    """What is odd about a line that was recorded, and the agents that are told of it."""

    code: str
    said: str
    fix: str = "take it out"
    line: int = 0
    #: How many lines it is about, if they are counted together.
    lines: int = 0
    #: The name of the rule, if there is one for the code.
    rule: str = ""
    author: str = ""
    #: Agents that must know of it, too.
    others: tuple[str, ...] = ()
    #: The message of the line, if it has one.
    message_id: str = ""
    #: How many notes about the same line are right before it in the log.
    earlier: int = 0
    #: A word of the line that is wrong, or the name of the file, and the one that was meant.
    wrong: str = ""
    meant: str = ""

    def by(self, author: str) -> "LineNote":
        """Return the same note about a line of this author."""
        return replace(self, author=author)

    def about(self, message_id: str) -> "LineNote":
        """Return the same note about a message."""
        return replace(self, message_id=message_id)

    def fields(self) -> dict[str, object]:
        """Return what its event holds."""
        more: dict[str, object] = {"earlier": self.earlier, "lines": self.lines, "rule": self.rule}
        more |= {"author": self.author, "message_id": self.message_id}
        more |= {"wrong": self.wrong, "meant": self.meant}
        data: dict[str, object] = {
            "code": self.code,
            "message": self.said,
            "fix": self.fix,
            "line": self.line,
        }
        data |= {name: value for name, value in more.items() if value}
        return data | ({"others": [*self.others]} if self.others else {})


def mention_note(stranger: str, close: Sequence[str], *, is_for_all: bool) -> LineNote:
    """Return the note about a mention of an agent that does not exist, and the names that may be meant."""
    meant = [f"@{name}" for name in close]
    said = f"nobody is called {stranger}" + (", so it is for everyone" if is_for_all else "")
    return LineNote(
        code="unknown-mention",
        said=f"{said}; did you mean {' or '.join(meant)}?" if meant else said,
        fix="an agent is known once it has written a message",
        wrong=stranger,
        meant=meant[0] if meant else "",
    )


def secret_note(families: Sequence[str]) -> LineNote:
    """Return the note about a line that held secrets of these families."""
    named = ", ".join(dict.fromkeys(families))
    said = f"it held a secret ({named}); the log has it masked"
    return LineNote(code="secret", said=said, fix="replace the secret, and take it out of the file")


def shown_text(content: bytes, above: bytes = b"") -> str:
    """Return the text of a line as an event may hold it: bounded, and without secrets.

    `above` is what precedes it in its file: the line may be a part of a key.
    """
    shown = content.decode("utf-8", "replace").strip()
    # Masked before it is cut, so that half a secret never stays.
    return secrets.masked_after(above.decode("utf-8", "replace"), shown)[:FOUND_CHARS]


@dataclass(slots=True)
class IntakeBatch:
    """Events on their way into the log, those of one file in the order of its bytes."""

    drafts: list[Draft] = field(default_factory=list)
    #: The messages among them.
    messages: list[Message] = field(default_factory=list)

    def add(self, drafts: Iterable[Draft], messages: Iterable[Message] = ()) -> None:
        """Add events, and the messages among them."""
        self.drafts += drafts
        self.messages += messages

    def recipients(self) -> list[str]:
        """Return the addresses of its messages."""
        return sorted(set(chain.from_iterable(map(attrgetter("to"), self.messages))))


def draft(
    event_type: str, data: dict[str, object], src: dict[str, object] | None = None, **more: str
) -> Draft:
    """Return an event by the bus itself."""
    return Draft(
        event_type,
        actor=more.pop("actor", BUS),
        data=data,
        event_id=new_id("evt"),
        timestamp=now(),
        auth=more.pop("auth", "token"),
        src=src,
        **more,
    )
