"""What a bus should hold, said again in plain Python: a list of messages, and for each reader a few marks."""

from dataclasses import dataclass, field
from typing import Final

ORDER: Final = {"urgent": 0, "normal": 1, "low": 2}
LADDER: Final = ("stored", "notified", "read", "acknowledged", "answered")


@dataclass
class Kept:
    """What has become of a message for one agent."""

    via: str
    shared: bool
    marks: set[str] = field(default_factory=set)
    taken_by: str = ""

    @property
    def open(self) -> bool:
        return not self.taken_by and not self.marks & {"acknowledged", "answered", "archived", "withdrawn"}

    @property
    def stage(self) -> str:
        if "withdrawn" in self.marks:
            return "withdrawn"
        if self.taken_by:
            return "taken"
        return max(self.marks & set(LADDER), key=LADDER.index, default="stored")


@dataclass
class Letter:
    """One message."""

    id: str
    sender: str
    priority: str
    place: int
    kept: dict[str, Kept]


class Mirror:
    """A whole bus: agents, lists, letters."""

    def __init__(self) -> None:
        self.retired: dict[str, bool] = {"ada": False}
        self.lists: dict[str, list[str]] = {}
        self.letters: dict[str, Letter] = {}

    def living(self) -> list[str]:
        return [agent for agent, retired in self.retired.items() if not retired]

    def meant(self, address: str, seen: frozenset[str] = frozenset()) -> tuple[str, list[str]]:
        """Return the kind of an address and whom it means."""
        if address == "@all":
            return "all", self.living()
        if address in self.retired:
            return "agent", [] if self.retired[address] else [address]
        if address in self.lists:
            inside = [
                agent
                for member in self.lists[address]
                if member not in seen
                for agent in self.meant(member, seen | {address})[1]
            ]
            return "list", list(dict.fromkeys(inside))
        return "role", [agent for agent in self.living() if agent.rpartition("/")[0] == address]

    def sent(
        self, message_id: str, sender: str, to: list[str], priority: str, reply_to: str = ""
    ) -> list[str]:
        """Take a message in; return the addresses that reached nobody."""
        self.retired.setdefault(sender, False)
        kept: dict[str, Kept] = {}
        lost = []
        for address in to:
            kind, agents = self.meant(address)
            if not agents or (kind != "agent" and agents == [sender]):
                lost.append(address)
            for agent in agents:
                if kind == "agent" or agent != sender:
                    kept.setdefault(agent, Kept(via=address, shared=kind == "role"))
        self.letters[message_id] = Letter(message_id, sender, priority, len(self.letters), kept)
        if reply_to and sender in self.letters[reply_to].kept:
            self.letters[reply_to].kept[sender].marks.add("answered")
        return lost

    def acknowledged(self, message_id: str, agent: str) -> None:
        mine = self.letters[message_id].kept[agent]
        if "acknowledged" in mine.marks:
            return
        mine.marks.add("acknowledged")
        for other, theirs in self.letters[message_id].kept.items():
            if mine.shared and theirs.shared and other != agent and theirs.via == mine.via:
                theirs.taken_by = agent

    def withdrawn(self, message_id: str) -> None:
        for kept in self.letters[message_id].kept.values():
            if kept.open and "read" not in kept.marks:
                kept.marks.add("withdrawn")

    def inbox(self, agent: str, *, unread: bool = False) -> list[str]:
        """Return the ids in an agent's inbox, in order."""
        waiting = [
            letter
            for letter in self.letters.values()
            if agent in letter.kept
            and letter.kept[agent].open
            and not (unread and "read" in letter.kept[agent].marks)
        ]
        return [letter.id for letter in sorted(waiting, key=lambda each: (ORDER[each.priority], each.place))]
