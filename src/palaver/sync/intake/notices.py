"""Notices about a line in the wrong file: to its author, and to the agents that should have seen it."""

from palaver.log.clock import new_id
from palaver.model.event import Draft, texts
from palaver.model.finding import Finding
from palaver.model.message import Message
from palaver.model.names import BUS, EVERYONE
from palaver.sync.intake.events import draft
from palaver.sync.mounts.mount_point import MountPoint


def notices(
    mounted: MountPoint, file: str, finding: Finding, caused: Draft, senders: list[str]
) -> list[Draft]:
    """Return the notes about a misfiled line, one to each side, each of them once."""
    if finding.code not in mounted.dialect.misfiled_codes or caused.event_type != "mail.sent":
        return []
    owners = mounted.dialect.residents(mounted.mount, [file])
    sides = [*senders, *(each for each in texts(caused.data, "to") if not each.startswith("@")), *owners]
    told: list[Draft] = []
    for place, side in enumerate(dict.fromkeys(sides)):
        if side in (BUS, EVERYONE):
            continue
        notice = Message(
            sender=BUS,
            to=[side],
            body=f"{finding.code} in {file}: {finding.message}; {finding.fix}",
            id=new_id("msg"),
        )
        told.append(
            draft(
                "mail.sent",
                notice.fields(),
                caused_by=caused.event_id,
                key=f"{caused.event_id}:{finding.code}:{place}",
            )
        )
    return told
