"""Whatever happens on a bus, its views agree with a simple account of it, live and made anew."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from palaver import Bus, Refusal
from tests.bus.scene import bus_in
from tests.views.dumps import dump, rebuilt, view_path
from tests.views.mirror import Mirror

AGENTS = st.sampled_from(["ada", "bob", "team/carol", "team/dave", "team/erin"])
ADDRESSES = st.one_of(AGENTS, st.sampled_from(["team", "crew", "ring", "@all", "ghost"]))
MEMBERS = st.lists(
    st.sampled_from(["ada", "bob", "team/dave", "team", "crew", "ring"]), min_size=1, max_size=3
)
ANY = st.integers(0, 10_000)


class BusMachine(RuleBasedStateMachine):
    """Drives every operation of a bus, and keeps account of what it should come to."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="palaver-mirror-"))
        self.bus = bus_in(self.folder)
        self.mirror = Mirror()

    def teardown(self) -> None:
        if not hasattr(self, "folder"):
            return
        try:
            self.bus.inbox("ada")
            live = dump(self.bus)
            assert live == rebuilt(self.bus)
        finally:
            shutil.rmtree(self.folder)

    def letter(self, number: int) -> str:
        return list(self.mirror.letters)[number % len(self.mirror.letters)]

    def theirs(self, number: int) -> tuple[str, str] | None:
        """Return some letter that somebody has, and who, if there is one."""
        pairs = [
            (letter.id, agent)
            for letter in self.mirror.letters.values()
            for agent, kept in letter.kept.items()
            if kept.stage not in ("withdrawn", "taken")
        ]
        return pairs[number % len(pairs)] if pairs else None

    # --- what can happen ---

    @rule(
        sender=AGENTS,
        to=st.lists(ADDRESSES, min_size=1, max_size=3, unique=True),
        rank=st.sampled_from("unl"),
    )
    def send(self, sender: str, to: list[str], rank: str) -> None:
        priority = {"u": "urgent", "n": "normal", "l": "low"}[rank]
        if self.mirror.retired.get(sender):
            return
        sent = self.bus.send(to, f"Hello from {sender}", sender=sender, priority=priority, allow_unknown=True)
        lost = self.mirror.sent(sent.message.id, sender, to, priority)

        assert [address for address, _, _ in sent.unknown] == lost

    @precondition(lambda self: self.mirror.letters)
    @rule(number=ANY, sender=AGENTS)
    def reply(self, number: int, sender: str) -> None:
        if self.mirror.retired.get(sender, True):
            return
        parent = self.letter(number)
        sent = self.bus.reply(parent, "Yes", sender=sender, allow_unknown=True)
        self.mirror.sent(sent.message.id, sender, [self.mirror.letters[parent].sender], "normal", parent)

    @precondition(lambda self: self.mirror.letters)
    @rule(number=ANY, step=st.sampled_from(["read", "ack", "archive"]))
    def handle(self, number: int, step: str) -> None:
        found = self.theirs(number)
        if found is None:
            return
        message_id, agent = found
        kept = self.mirror.letters[message_id].kept[agent]
        if step == "read":
            [mail] = self.bus.read([message_id], agent=agent)
            assert mail.delivery.redelivered == (kept.open and "read" in kept.marks)
            kept.marks.add("read")
        elif step == "ack":
            assert bool(self.bus.ack([message_id], agent=agent)) == ("acknowledged" not in kept.marks)
            self.mirror.acknowledged(message_id, agent)
        else:
            assert bool(self.bus.archive([message_id], agent=agent)) == ("archived" not in kept.marks)
            kept.marks.add("archived")

    @precondition(lambda self: self.mirror.letters)
    @rule(number=ANY)
    def withdraw(self, number: int) -> None:
        letter = self.mirror.letters[self.letter(number)]
        can = any(kept.open and "read" not in kept.marks for kept in letter.kept.values())
        had = any(kept.stage not in ("withdrawn", "taken") for kept in letter.kept.values())
        gone = any(kept.stage == "withdrawn" for kept in letter.kept.values())
        try:
            self.bus.withdraw(letter.id, agent=letter.sender)
        except Refusal as refused:
            assert (refused.code, had, can, gone) == ("already-read", True, False, False)  # noqa: PT017
        else:
            assert can or gone or not had
        self.mirror.withdrawn(letter.id)

    @rule(agent=AGENTS)
    def wait(self, agent: str) -> None:
        waiting = self.mirror.inbox(agent, unread=True)
        if waiting:
            told = [mail.message.id for mail in self.bus.wait(agent=agent, timeout=0).mail]
            assert told == waiting[:20]
            for message_id in told:
                self.mirror.letters[message_id].kept[agent].marks.add("notified")

    @rule(agent=AGENTS)
    def add(self, agent: str) -> None:
        self.bus.add_agent(agent)
        self.mirror.retired[agent] = False

    @rule(agent=AGENTS)
    def retire(self, agent: str) -> None:
        if agent in self.mirror.retired:
            self.bus.retire_agent(agent)
            self.mirror.retired[agent] = True

    @rule(listed=st.sampled_from(["crew", "ring"]), members=MEMBERS)
    def set_list(self, listed: str, members: list[str]) -> None:
        self.bus.set_list(listed, members)
        self.mirror.lists[listed] = members

    @precondition(lambda self: self.mirror.lists)
    @rule(number=ANY)
    def drop_list(self, number: int) -> None:
        listed = list(self.mirror.lists)[number % len(self.mirror.lists)]
        self.bus.set_list(listed, None)
        del self.mirror.lists[listed]

    @precondition(lambda self: self.mirror.letters)
    @rule(number=ANY)
    def redact(self, number: int) -> None:
        self.bus.redact(self.bus.event(self.letter(number)).seq)

    @rule(how=st.sampled_from(["reopen", "delete", "rebuild"]))
    def disturb(self, how: str) -> None:
        if how == "delete":
            view_path(self.bus).unlink()
        if how == "rebuild":
            self.bus.rebuild()
        else:
            self.bus = Bus(str(self.folder), agent="ada")

    # --- what must hold after each of them ---

    @invariant()
    def everybody_sees_what_is_theirs(self) -> None:
        for agent in self.mirror.retired:
            listing = self.bus.inbox(agent, limit=1_000)
            assert [mail.message.id for mail in listing.mail] == self.mirror.inbox(agent)
            assert listing.unread == len(self.mirror.inbox(agent, unread=True))
            assert not listing.behind

    @invariant()
    def every_delivery_is_as_far_as_it_should_be(self) -> None:
        for letter in list(self.mirror.letters.values())[-3:]:
            [said] = [each for each in self.bus.thread(letter.id) if each.message.id == letter.id]
            found = {each.agent: (each.stage, each.open, each.via) for each in said.deliveries}
            wanted = {agent: (kept.stage, kept.open, kept.via) for agent, kept in letter.kept.items()}
            assert found == wanted

    @invariant()
    def the_roster_is_right(self) -> None:
        assert {agent.id: agent.retired for agent in self.bus.agents(retired=True)} == self.mirror.retired
        assert self.bus.lists() == dict(sorted(self.mirror.lists.items()))


TestBus = pytest.mark.random(BusMachine.TestCase)
TestBus.settings = settings(
    max_examples=20,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
