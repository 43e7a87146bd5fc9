"""How the files of an agent's mount say things: a poll shows what the agent reads and writes there."""

from dataclasses import dataclass
from functools import partial

from palaver.dialects import conventions, spec
from palaver.log.clock import now
from palaver.model.message import Message
from palaver.model.mounted_files import Mount, mount_of
from palaver.model.names import BUS
from palaver.model.spec import Conventions, DialectSpec, local_name
from palaver.model.task import Task
from palaver.views.agents.roster import Roster

_BY_COMMAND = Conventions()
# What the bus noted about a message.
_NOTED = ("assumed", "broken", "fence", "id", "mentions", "rule", "steps", "to")


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFiles:
    """The files of the mount where an agent polls; an agent without such a mount uses commands."""

    agent: str
    mount: Mount | None = None
    #: The lead of the mount.
    lead: str = ""

    @property
    def _dialect(self) -> DialectSpec | None:
        return spec(self.mount.dialect) if self.mount is not None else None

    def called(self, task: str) -> str:
        """Return what a task is called there."""
        return (self._dialect.conventions if self._dialect else _BY_COMMAND).called(task)

    def line(self, message: Message) -> str:
        """Return a message as a line of its file; empty if it has none there."""
        return self._rendered(message).decode().rstrip("\n")

    def _rendered(self, message: Message) -> bytes:
        dialect, mount = self._dialect, self.mount
        if dialect is None or mount is None:
            return b""
        local = partial(local_name, mount.settings)
        message = message.replace(
            sender=local(message.sender), to=[*map(local, message.to)], at=message.at or _now()
        )
        files = dialect.files(message, mount)
        return dialect.render(message, mount, files[0]) if files else b""

    def news(self, message: Message) -> str:
        """Return a message as the agent reads it in the file, without what only the log needs to know.

        What the bus says to a worker is in the file of the lead.
        """
        fields = {name: value for name, value in message.meta.items() if name not in _NOTED}
        if message.sender == BUS and message.to != [self.lead]:
            message = message.replace(sender=self.lead, act="answer", task="")
        rendered = self._rendered(message.replace(reply_to="", run="", meta=fields))
        readable = self._dialect.for_reader(rendered) if self._dialect else rendered
        return readable.decode().rstrip("\n")

    def move(self, act: str, task: Task, to: str = "", body: str = "", **more: object) -> str:
        """Return the line with which the agent moves a task; it is for the lead if it names nobody."""
        if self._dialect is None:
            return ""
        files: list[dict[str, object]] = (
            [{"path": "<file1>"}, {"path": "<file2>"}] if act == "deliver" else []
        )
        meta = {**self._dialect.conventions.move_fields(act, task), **more}
        tag = str(meta.pop("tag", ""))
        whom = [to or self.lead]
        return self.line(
            Message(
                sender=self.agent, to=whom, act=act, task=task.id, body=body, meta=meta, tag=tag, files=files
            )
        )


def _now() -> str:
    """Return the time as people write it."""
    return f"{now()[: len('2026-02-11T10:00:00')]}Z"


def home_files(roster: Roster, agent: str) -> HomeFiles:
    """Return the files of the first mount of an agent that counts polls."""
    known = roster.agents.get(agent)
    for home in known.homes if known is not None else ():
        settings = roster.mounts.get(home, {})
        team = conventions(settings)
        if team.counts_polls:
            return HomeFiles(agent=agent, mount=mount_of(home, settings), lead=team.lead(settings))
    return HomeFiles(agent=agent)


def only_lead(roster: Roster) -> str:
    """Return the lead of the mounts that count polls, empty if there is none or more than one."""
    leads = {
        conventions(each).lead(each) for each in roster.mounts.values() if conventions(each).counts_polls
    }
    return leads.pop() if len(leads) == 1 else ""
