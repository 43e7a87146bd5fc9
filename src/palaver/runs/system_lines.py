"""Lines of the system: how a pair is told that something happened that no agent said."""

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.session import Session
from palaver.dialects import conventions
from palaver.model.errors import Refusal
from palaver.model.message import Message

SYSTEM = "system"


def write_system_line(core: Session, words: str, *, agent: str = "") -> None:
    """Write a line of the system into every mount that wants it, or only those where an agent lives."""
    try:
        core.view.current()
        roster = core.view.roster()
        mounts = [
            name
            for name, settings in roster.mounts.items()
            if conventions(settings).announces_programs and (not agent or agent in roster.residents(name))
        ]
        drafts = [mail_sent(Message(sender=SYSTEM, to=[f"@{name}"], body=words)) for name in mounts]
        if drafts:
            core.log.append(drafts)
            core.sync.write_on()
    except Refusal:
        # It is for people to read, and nothing depends on it.
        return
