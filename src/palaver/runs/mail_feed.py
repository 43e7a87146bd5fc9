"""Mail for a running program: written to its standard input as it comes, and kept with its prompts.

Each message is fenced with a word that nobody can know before: what an agent writes cannot pretend to be
the end of its message, or the beginning of another one.
"""

from collections.abc import Callable

from palaver.bus.mail import mailbox
from palaver.bus.session import Session
from palaver.log.clock import letters
from palaver.log.file_watch import Watch
from palaver.model.errors import Refusal
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message
from palaver.runs.child_program import ChildProgram
from palaver.runs.held_mail import HeldMail
from palaver.runs.traces import Traces


class MailFeed:
    """Feeds the mail of one agent into its running program."""

    def __init__(
        self,
        core: Session,
        agent: str,
        render: Callable[[Message], str],
        *,
        note: Callable[[str], None],
    ) -> None:
        """Take the bus, the agent, how a message is rendered, and where to report."""
        self._core = core
        self._agent = agent
        self._render = render
        self._held = HeldMail(core, agent, note)
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
            limit = ROWS_DEFAULT + len(self._held)
            listing = mailbox.list_inbox(self._core, self._agent, scope="unread", limit=limit)
            if not listing.behind and len(listing.mail) < limit:
                self._seen = end
            for mail in listing.mail:
                if not program.takes_input:
                    return
                if hold := self._held.claim(mail.message, run=traces.run):
                    if not hold.is_for_good:
                        # Its time comes without a new event.
                        self._seen = None
                    continue
                text = fence_message(self._render(mail.message)).encode("utf-8", "replace")
                program.write_input(text)
                traces.prompt(text, "injected")
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
