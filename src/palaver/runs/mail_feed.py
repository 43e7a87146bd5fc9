"""Mail for a running program: written to its standard input as it comes, and kept with its prompts.

Each message is fenced with a word that nobody can know before: what an agent writes cannot pretend to be
the end of its message, or the beginning of another one.
"""

from collections.abc import Callable

from palaver.bus.mail import mailbox
from palaver.bus.mail.loop_limit import CODE, draft_injected, find_hold, tell_hold
from palaver.bus.session import Session
from palaver.log.clock import letters
from palaver.log.file_watch import Watch
from palaver.model.errors import Refusal
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message
from palaver.runs.child_program import ChildProgram
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
        self._note = note
        self._held: set[str] = set()
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
                if self._is_held(mail.message):
                    continue
                text = fence_message(self._render(mail.message)).encode("utf-8", "replace")
                if not program.write_input(text):
                    return
                traces.prompt(text, "injected")
                self._core.log.append([draft_injected(self._core, self._agent, mail.message, run=traces.run)])
                mailbox.read(self._core, [mail.message.id], agent=self._agent)
        except (Refusal, OSError):
            # It stays unread, and is fed the next time.
            return

    def _is_held(self, message: Message) -> bool:
        """Return True if a message may not be fed; report it once."""
        hold = find_hold(self._core, self._agent, message)
        if hold is None:
            return False
        if hold.seconds:
            # Its time comes without a new event.
            self._seen = None
        if message.id not in self._held:
            self._held.add(message.id)
            self._note(f"{message.id} is not fed: {hold.why} [{CODE}]")
            if not hold.seconds:
                tell_hold(self._core, self._agent, message, hold)
        return True

    def close(self) -> None:
        """Release the watch."""
        self._watch.close()


def fence_message(text: str) -> str:
    """Return a message between two lines that it cannot contain."""
    word = letters()
    return f"--- message {word}\n{text}\n--- end of message {word}\n"
