"""The bus: everything that a face, or a program, may ask, one method each.

Every method is one call of a use case; no logic lives here.
"""

from collections.abc import Callable, Collection, Iterator

from palaver.bus import browsing, history, measuring, redaction, snapshots
from palaver.bus.admin import doctor, export
from palaver.bus.admin import quarantine as isolation
from palaver.bus.admin.doctor import Check
from palaver.bus.agents import overview, registry
from palaver.bus.config import settings
from palaver.bus.history import Said
from palaver.bus.mail import mail_wait, mailbox, send
from palaver.bus.mail.mailbox import Listing, Mail
from palaver.bus.mail.message_check import SendResult
from palaver.bus.rebuilding import rebuild
from palaver.bus.work import Work
from palaver.log.verification import Verification, verify
from palaver.model.event import Event
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.views.agents.roster import Agent
from palaver.views.files.quarantine import Item
from palaver.views.mail.threads import Thread


class Bus(Work):
    """One bus, seen by one process; `agent` is who speaks where nobody else is named."""

    __slots__ = ()

    # --- saying something ---

    def send(
        self,
        to: str | list[str],
        body: str = "",
        *,
        sender: str = "",
        subject: str = "",
        act: str = "inform",
        priority: str = "normal",
        reasoning: str = "",
        task: str = "",
        run: str = "",
        reply_to: str = "",
        files: list[dict[str, object]] | None = None,
        artifacts: list[str] | None = None,
        meta: dict[str, object] | None = None,
        key: str = "",
        allow_secret: bool = False,
    ) -> SendResult:
        """Send a message; it is safe on the disk when this returns."""
        message = Message(
            sender=self.speaker(sender),
            to=[to] if isinstance(to, str) else list(to),
            body=body,
            subject=subject,
            act=act,
            priority=priority,
            reasoning=reasoning,
            task=task,
            run=run,
            reply_to=reply_to,
            files=files,
            artifacts=artifacts,
            meta=meta,
        )
        sent = send.send(self, message, key=key, allow_secret=allow_secret)
        self.sync.write_on()
        return sent

    def send_many(self, messages: list[Message], *, allow_secret: bool = False) -> list[SendResult]:
        """Send many messages with one sync; a crash in the middle leaves the first of them."""
        sent = send.send_many(self, messages, allow_secret=allow_secret)
        self.sync.write_on()
        return sent

    def reply(
        self,
        message_id: str,
        body: str,
        *,
        sender: str = "",
        act: str = "answer",
        key: str = "",
        allow_secret: bool = False,
    ) -> SendResult:
        """Answer a message: to whoever sent it, in its thread."""
        self.sync.catch_up()
        parent = send.find(self, message_id)
        subject = parent.subject and f"Re: {parent.subject.removeprefix('Re: ')}"
        return self.send(
            parent.sender,
            body,
            sender=sender,
            subject=subject,
            act=act,
            reply_to=parent.id,
            key=key,
            allow_secret=allow_secret,
        )

    def resend(self, message_id: str, to: list[str], *, sender: str = "") -> SendResult:
        """Say the same again, to somebody else: what to do with mail that reached nobody."""
        self.sync.catch_up()
        old = send.find(self, message_id)
        fresh = Message(
            sender=self.speaker(sender),
            to=to,
            body=old.body,
            subject=old.subject,
            act=old.act,
            priority=old.priority,
            reasoning=old.reasoning,
            task=old.task,
            run=old.run,
            files=old.files,
            artifacts=old.artifacts,
            meta={**old.meta, "resent": old.id},
        )
        sent = send.send(self, fresh, allow_secret=True)
        self.sync.write_on()
        return sent

    def withdraw(self, message_id: str, *, agent: str = "") -> list[str]:
        """Take a message back from those who have not read it; return who had."""
        self.sync.catch_up()
        return mailbox.withdraw(self, self.speaker(agent), message_id)

    # --- an agent's mail ---

    def inbox(self, agent: str = "", *, scope: str = "open", limit: int = ROWS_DEFAULT) -> Listing:
        """List an agent's mail: urgent, normal, low, oldest first within each."""
        self.sync.catch_up()
        return mailbox.list_inbox(self, self.speaker(agent), scope=scope, limit=limit)

    def read(self, ids: list[str] | None = None, *, agent: str = "") -> list[Mail]:
        """Read messages whole, and record it; without ids, the next one."""
        self.sync.catch_up()
        return mailbox.read(self, self.speaker(agent), ids or [])

    def ack(self, ids: list[str], *, agent: str = "") -> list[str]:
        """Acknowledge messages; return the ids for which that is news."""
        self.sync.catch_up()
        return mailbox.acknowledge(self, self.speaker(agent), ids)

    def archive(self, ids: list[str], *, agent: str = "") -> list[str]:
        """Archive messages; return the ids for which that is news."""
        self.sync.catch_up()
        return mailbox.archive(self, self.speaker(agent), ids)

    def wait(self, *, agent: str = "", timeout: float = 60.0, limit: int = ROWS_DEFAULT) -> Listing:
        """Sleep until there is unread mail, and return it."""
        return mail_wait.wait_for_mail(self, self.speaker(agent), timeout=timeout, limit=limit)

    def wait_for(self, message_id: str, stage: str, *, timeout: float = 60.0) -> None:
        """Sleep until every recipient of a message has got to a stage."""
        mail_wait.wait_for_stage(self, message_id, stage, timeout=timeout)

    # --- what was said and done ---

    def thread(self, message_id: str) -> list[Said]:
        """Return a conversation, with every delivery record."""
        self.sync.catch_up()
        return history.thread(self, message_id)

    def search(self, wanted: str, *, limit: int = ROWS_DEFAULT) -> list[Message]:
        """Return the newest messages that have all the words."""
        self.sync.catch_up()
        return history.look_for(self, wanted, limit=limit)

    def event(self, wanted: str) -> Event:
        """Return one event by its number or id."""
        self.sync.catch_up()
        return history.event(self, wanted)

    def events(
        self, *, limit: int = 50, event_type: str = "", actor: str = "", after: int = 0
    ) -> list[Event]:
        """Return the newest events that fit, oldest first."""
        self.sync.catch_up()
        return history.latest(self, limit=limit, event_type=event_type, actor=actor, after=after)

    def follow(self, after: int, *, timeout: float | None = None) -> Iterator[Event]:
        """Yield every event behind a number as it comes."""
        return history.follow(self, after, timeout=timeout)

    def browse(
        self, *, before: int = 0, limit: int = 100, event_type: str = "", actor: str = "", words: str = ""
    ) -> browsing.Page:
        """Leaf through the events, newest first."""
        return browsing.page(
            self, before=before, limit=limit, event_type=event_type, actor=actor, words=words
        )

    def conversations(self, *, before: int = 0, limit: int = 30) -> tuple[list[Thread], int]:
        """Return the conversations, newest first, and the number before which the next ones stand."""
        return browsing.conversations(self, before=before, limit=limit)

    def exported(
        self, *, event_type: str = "", actor: str = "", after: int = 0
    ) -> Iterator[dict[str, object]]:
        """Yield the events that fit, as CloudEvents."""
        return export.exported(self, event_type=event_type, actor=actor, after=after)

    def picture(self, *, only: Collection[str] | None = None) -> dict[str, object]:
        """Return every agent at a glance, and what is unanswered."""
        return overview.picture(self, only=only)

    def touched(self, events: list[Event]) -> set[str]:
        """Return the agents whose cards some events may have changed."""
        return overview.touched(self, events)

    def insight(self) -> dict[str, object]:
        """Return figures of the newest messages."""
        return measuring.insight(self)

    # --- who there is ---

    def agents(self, *, retired: bool = False) -> list[Agent]:
        """Return the agents."""
        self.sync.catch_up()
        return registry.agents(self, retired=retired)

    def add_agent(
        self, agent: str, *, handle: str = "", role: str = "", about: str = "", level: int = 0
    ) -> Agent:
        """Register an agent, or bring one back."""
        by = self.agent or BUS
        return registry.add_agent(self, agent, by=by, handle=handle, role=role, about=about, level=level)

    def retire_agent(self, agent: str, *, reason: str = "") -> Agent:
        """Let an agent go."""
        return registry.retire_agent(self, agent, by=self.agent or BUS, reason=reason)

    def lists(self) -> dict[str, list[str]]:
        """Return the distribution lists, as they are written."""
        self.sync.catch_up()
        return registry.lists(self)

    def set_list(self, listed: str, members: list[str] | None) -> None:
        """Set a distribution list; None takes it out."""
        settings.edit_list(self, listed, members)

    # --- keeping it well ---

    def verify(self, told: Callable[[int], None] | None = None) -> Verification:
        """Check every line and every link of the log."""
        return verify(self.log, told)

    def size(self) -> int:
        """Return how many bytes the log has: what verify goes through."""
        return self.log.size()

    def rebuild(self) -> int:
        """Make the views anew; return how many events they hold."""
        return rebuild(self)

    def doctor(self, told: Callable[[int], None] | None = None) -> Iterator[Check]:
        """Look at everything."""
        return doctor.examine(self, told)

    def quarantine(self, *, everything: bool = False) -> list[Item]:
        """Return what could not be understood, the oldest entries first, up to a limit."""
        self.sync.catch_up()
        return isolation.items(self, everything=everything)

    def quarantine_count(self, *, everything: bool = False) -> int:
        """Return how many entries the quarantine has."""
        return isolation.count(self, everything=everything)

    def quarantined(self, item_id: str) -> tuple[Item, bytes]:
        """Return one quarantine entry and the first of its bytes."""
        item = isolation.item(self, item_id)
        return item, isolation.content(self, item)

    def retry(self, item_id: str) -> bool:
        """Try a quarantine entry again; return True if all of it is understood now."""
        return isolation.retry(self, isolation.item(self, item_id))

    def snapshot(self, message: str = "") -> str:
        """Commit the log into its own small history; return the commit, or nothing if nothing changed."""
        return snapshots.snapshot(self.root, message)

    def redact(self, seq: int, *, reason: str = "") -> list[str]:
        """Take the text of a message out of the log for good."""
        return redaction.redact(self, seq, by=self.speaker(), reason=reason)
