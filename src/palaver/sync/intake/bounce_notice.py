"""The notice to the sender of a line that an address in it matches no agent: who was meant, and the line."""

from functools import partial

from palaver.bus.tasks.line_notices import written
from palaver.bus.tasks.offered_line import offered_line
from palaver.log.clock import new_id
from palaver.model.event import Draft, original_file
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.secrets import masked
from palaver.sync.intake.file_events import FilePlace, draft, shown_text
from palaver.sync.mount_names import MountNames
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster


class BounceNotice:
    """Makes such notices for one mount."""

    def __init__(self, mounted: MountPoint, names: MountNames, roster: Roster) -> None:
        """Take the mount, its names, and the roster."""
        self._mounted = mounted
        self._names = names
        self._roster = roster

    def event(self, message: Message, place: FilePlace, content: bytes) -> Draft:
        """Return the notice, as the event that sends it."""
        notice = Message(
            sender=BUS,
            to=[message.sender],
            body=masked(self.words(message, original_file(place.file), content)),
            id=new_id("msg"),
            reply_to=message.id,
            meta={"rule": "undeliverable"},
        )
        return draft(
            "mail.sent",
            notice.fields(),
            correlation_id=message.thread,
            caused_by=message.event_id,
            key=f"{message.event_id}:undeliverable:0",
        )

    def words(self, message: Message, file: str, content: bytes) -> str:
        """Return what the sender of a message is told, with the line to write if a name is near."""
        lost = [each for each in message.to if self._roster.meaning(each).kind == "none"]
        is_given = self._is_given(message, lost)
        find = self._names.misspelt if is_given else partial(self._near, sender=message.sender)
        near = {each: found for each in lost if (found := find(each))}
        shown = ", ".join(map(self._names.shown, lost))
        said = f"Your message to {shown} reached nobody: there is no such agent."
        if is_given:
            said = f"{shown} has not written anything yet."
        if lost[0] not in near:
            more = "A new employee will find your line." if is_given else "`palaver agents` lists the agents."
            said = f"{said} {more}"
        else:
            said = f"{said} Did you mean {' or '.join(map(self._names.shown, near[lost[0]]))}?"
        return Policy(self._roster).with_spellings(message.sender, said) + self._line(
            message, {each: found[0] for each, found in near.items()}, file, content
        )

    def _is_given(self, message: Message, lost: list[str]) -> bool:
        """Return True if a message gives a task to an agent that the bus does not know yet."""
        team = self._mounted.dialect.conventions
        return message.act == "approve" and team.approval_assigns and all(map(team.is_agent_name, lost))

    def _near(self, lost: str, sender: str) -> list[str]:
        return [each for each in self._roster.nearest(lost) if each.removeprefix("@") != sender]

    def _line(self, message: Message, near: dict[str, str], file: str, content: bytes) -> str:
        """Return the line for the agents that were probably meant, as the end of the notice."""
        if not near:
            return ""
        dialect, mount = self._mounted.dialect, self._mounted.mount
        right = {each: self._names.shown(found) for each, found in near.items()}
        line = dialect.corrections.readdressed(shown_text(content), right)
        if not line:
            again = message.replace(to=[*near.values()], id="", tag="")
            local = self._names.local(again, {}, self._mounted.name)
            line = offered_line(dialect, local, mount, file)
        return written("Write", line)
