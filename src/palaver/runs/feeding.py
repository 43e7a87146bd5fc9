"""Mail for a program that runs: written to its standard input as it comes, and kept with its prompts.

Each message is fenced, with a word that nobody can know before: what an agent writes cannot pretend to be
the end of its message, or the beginning of another.
"""

from collections.abc import Callable

from palaver.bus.mail import mailbox
from palaver.bus.session import Session, draft
from palaver.log.stamp import letters
from palaver.log.watch import Watch
from palaver.model.errors import Refusal
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.runs.program import Program
from palaver.runs.traces import Traces


class Feeding:
    """The mail of one agent, on its way into its running program."""

    def __init__(self, core: Session, agent: str, shown: Callable[[Message], str]) -> None:
        """Take the bus, the agent, and how a message is put into words."""
        self._core = core
        self._agent = agent
        self._shown = shown
        self._watch = Watch()
        for path in core.wakeups.hang(core.view.roster().bells(agent)):
            self._watch.add(path)
        self._seen: str | None = None

    @property
    def wakers(self) -> tuple[int, ...]:
        """Return what becomes readable when there may be mail."""
        return (self._watch.fd,) if self._watch.fd >= 0 else ()

    def feed(self, program: Program, traces: Traces) -> None:
        """Give the program the mail that it does not have yet."""
        try:
            self._core.sync.catch_up()
            end = self._core.log.end()
            if end == self._seen:
                return
            listing = mailbox.list_inbox(self._core, self._agent, scope="unread", limit=ROWS_DEFAULT)
            if not listing.behind and len(listing.mail) < ROWS_DEFAULT:
                self._seen = end
            for mail in listing.mail:
                text = fenced(self._shown(mail.message)).encode("utf-8", "replace")
                if not program.give(text):
                    return
                traces.prompt(text, "injected")
                self._record(mail.message)
        except (Refusal, OSError):
            # It stays unread, and comes with the next look.
            return

    def close(self) -> None:
        """Give the watch back."""
        self._watch.close()

    def _record(self, message: Message) -> None:
        fields: dict[str, object] = {
            "recipient": self._agent,
            "stage": "injected",
            "chars": len(message.body),
        }
        event = draft("mail.delivered", BUS, {**fields, "message_ids": [message.id]})
        self._core.log.append([event])
        mailbox.read(self._core, self._agent, [message.id])


def fenced(text: str) -> str:
    """Return a message between two lines that it cannot contain."""
    word = letters()
    return f"--- message {word}\n{text}\n--- end of message {word}\n"
