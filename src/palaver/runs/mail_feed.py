"""Mail for a running program: written to its standard input as it comes, and kept with its prompts.

Each message is fenced with a word that nobody can know before: what an agent writes cannot pretend to be
the end of its message, or the beginning of another one.
"""

from collections.abc import Callable

from palaver.bus.mail import mailbox
from palaver.bus.session import Session, draft
from palaver.log.clock import letters
from palaver.log.file_watch import Watch
from palaver.model.errors import Refusal
from palaver.model.event import Draft
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.runs.child_program import ChildProgram
from palaver.runs.traces import Traces


class MailFeed:
    """Feeds the mail of one agent into its running program."""

    def __init__(self, core: Session, agent: str, render: Callable[[Message], str]) -> None:
        """Take the bus, the agent, and how a message is rendered."""
        self._core = core
        self._agent = agent
        self._render = render
        self._watch = Watch()
        for path in core.wakeups.hang(core.view.roster().bells(agent)):
            self._watch.add(path)
        self._seen: str | None = None

    @property
    def wakers(self) -> tuple[int, ...]:
        """Return the file descriptors that become readable when there may be mail."""
        return (self._watch.fd,) if self._watch.fd >= 0 else ()

    def feed(self, program: ChildProgram, traces: Traces) -> None:
        """Write the unread mail to the program."""
        try:
            self._core.sync.catch_up()
            end = self._core.log.end()
            if end == self._seen:
                return
            listing = mailbox.list_inbox(self._core, self._agent, scope="unread", limit=ROWS_DEFAULT)
            if not listing.behind and len(listing.mail) < ROWS_DEFAULT:
                self._seen = end
            for mail in listing.mail:
                text = fence_message(self._render(mail.message)).encode("utf-8", "replace")
                if not program.write_input(text):
                    return
                traces.prompt(text, "injected")
                self._core.log.append([draft_injected(self._agent, mail.message)])
                mailbox.read(self._core, [mail.message.id], agent=self._agent)
        except (Refusal, OSError):
            # It stays unread, and is fed the next time.
            return

    def close(self) -> None:
        """Release the watch."""
        self._watch.close()


def fence_message(text: str) -> str:
    """Return a message between two lines that it cannot contain."""
    word = letters()
    return f"--- message {word}\n{text}\n--- end of message {word}\n"


def draft_injected(agent: str, message: Message) -> Draft:
    """Return the event that a message was given to a program of its recipient."""
    data: dict[str, object] = {"recipient": agent, "stage": "injected", "message_ids": [message.id]}
    return draft("mail.delivered", BUS, {**data, "chars": len(message.body)})
