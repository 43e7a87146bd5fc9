"""The policy in force at a place in the log: that of the last `config.applied` before it."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from palaver.dialects import DIALECTS, conventions, has_assignments, spec
from palaver.model.event import Event, flag, number, table, text, texts
from palaver.model.message import origin_of
from palaver.model.names import BUS, short
from palaver.model.spec import Conventions, SettingKind
from palaver.model.task import Task
from palaver.views.agents.power import OF_LEADS, bearer_of, gives_rank, objection
from palaver.views.agents.roster import Roster

_STRICTER = ("refuse", "report", "ignore")
# Acts that may change which agents lead.
_LEAD_MAKING = ("register", "list", "mount")
# The setting `parallel` of a mount that has none, by its convention.
_PARALLEL = {True: "false", False: ""}


class Policy(NamedTuple):
    """The settings of a roster that concern work."""

    roster: Roster

    @property
    def _policy(self) -> dict[str, object]:
        return table(self.roster.config, "policy")

    def text(self, name: str, event: Event | None = None) -> str:
        """Return a text setting; the mount that an event came from may have its own."""
        return text(self._mount(event), name) or text(self._policy, name)

    def number(self, name: str, event: Event) -> int:
        """Return a number setting."""
        own = text(self._mount(event), name)
        return int(own) if own.isdecimal() else number(self._policy, name)

    def flag(self, name: str, event: Event | None = None, *, usual: bool = False) -> bool:
        """Return a yes-or-no setting, `usual` where neither the mount nor the policy has it."""
        own = text(self._mount(event), name)
        return own == "true" if own else flag({name: usual, **self._policy}, name)

    @property
    def pads_numbers(self) -> bool:
        """Return True if a number may name a task with other leading zeros, by the conventions of a mount."""
        return any(conventions(each).pads_numbers for each in self.roster.mounts.values())

    def caretaker(self, mount: str) -> str:
        """Return the agent that is told of lines without a known author, or else the person."""
        settings = self.roster.mounts.get(mount, {})
        return conventions(settings).caretaker(settings) or text(self.roster.config, "person").lower()

    @property
    def _lead_names(self) -> list[str]:
        """Return what the config names as leads: agents, roles, handles and lists."""
        return [name for name in (self.text("manager"), *texts(self._policy, "leads")) if name]

    def leads(self) -> frozenset[str]:
        """Return the agents that may do with any task what its owner may.

        The name of a mount makes nobody a lead: an agent is registered there by the lines that it writes.
        """
        meanings = [self.roster.meaning(name) for name in self._lead_names]
        return frozenset(agent for each in meanings if each.kind != "mount" for agent in each.agents)

    def leads_for(self, event: Event) -> frozenset[str]:
        """Return the leads, with the person if authenticated, or the bus in its own or a manager's name."""
        if self.is_person(event.actor, event.auth):
            return self.leads() | {event.actor}
        if event.actor != BUS or event.auth != "token":
            return self.leads()
        return self.leads() | {BUS, text(event.data, "from").lower()}

    def is_person(self, actor: str, auth: str) -> bool:
        """Return True if it is the authenticated person whose bus this is: they lead all (docs/adr/0021)."""
        return auth == "token" and actor == text(self.roster.config, "person").lower() != ""

    def powerless(self, act: str, event: Event) -> str:
        """Return why an act has no power, even if its sender may do it: its identity is not proved.

        A line of a file proves its sender only if the mount says so, with `identity = "open"`.
        """
        return objection(
            act,
            actor=event.actor,
            auth=event.auth,
            inside=bearer_of(event),
            is_strict=self.text("identity", event) == "strict",
        )

    def may(self, act: str, event: Event, over: str = "") -> str:
        """Return why an act on an agent, or on the settings of all, has no effect; empty if it has.

        Where the policy is open, every agent may do it. Where it is strict, an agent that leads the other
        may, and the agent itself. Under either, only leads make leads, and inside a run only an agent that
        leads another gives it a handle, a role or a level.
        """
        why = self.powerless(act, event)
        if why or act not in OF_LEADS or event.actor == BUS:
            return why
        if act in _LEAD_MAKING and self._changes_leads(act, event) and not self._makes_leads(event.actor):
            return f"it changes which agents lead, and {event.actor} does not lead"
        is_rank = act == "register" and gives_rank(event)
        is_own = over != "" and event.actor == over and not is_rank
        is_strict = self.text("identity", event) == "strict"
        is_free = is_own or not (is_strict or (is_rank and bearer_of(event)))
        if is_free or event.actor in self.directors(over) or self.is_person(event.actor, event.auth):
            return ""
        where = "the policy is strict" if is_strict else "inside a run this needs a lead"
        return f"{where}, and {event.actor} does not lead{f' {over}' if over != event.actor else ''}".rstrip()

    def _changes_leads(self, act: str, event: Event) -> bool:
        """Return True if a role, a handle, a list or a mount makes an agent a lead, or makes it none."""
        if not self._lead_names and act != "mount":
            # Most buses name none, and a roster may be long.
            return False
        before, after = self.roster, self.roster.copy()
        if act == "register":
            if text(event.data, "agent").lower() not in before.agents:
                # That it is there at all takes no power, even if the config names it.
                before = self.roster.copy()
                before.registered(event.having({"agent": text(event.data, "agent")}))
            after.registered(event)
        elif act == "list":
            after.lists = {**after.lists, text(event.data, "list"): texts(event.data, "members")}
        elif "settings" in event.data:
            settings = table(event.data, "settings")
            team = conventions(settings)
            lead = team.lead(settings)
            usual = team.lead({key: settings[key] for key in ("prefix",) if key in settings})
            if lead == event.actor != usual:
                # The agents of a mount are directed by its lead, and here that is the one that adds it.
                return True
            after.registered(event.having({"agent": lead, "role": team.lead_role}))
        return Policy(after).leads() != Policy(before).leads()

    def _makes_leads(self, actor: str) -> bool:
        """Return True if an agent that has the power of its name may make others leads.

        A process without a name, outside any run, is the user's own, and could take any name.
        """
        return actor in ("", text(self.roster.config, "person").lower()) or actor in self.leads()

    def talk(self, agent_id: str) -> str:
        """Return what happens to a task at the wrong time for an agent: refuse, report or ignore.

        The strictest home of the agent counts; empty if neither the settings nor a protocol say anything.
        """
        homes = self._homes(agent_id)
        for own in ([text(mount, "talk") for mount in homes], [text(self._policy, "talk")]):
            if said := min(filter(None, own), key=_STRICTER.index, default=""):
                return said
        return "refuse" if any(conventions(mount).refuses_untimely_tasks for mount in homes) else ""

    def allows_one_task(self, agent_id: str, event: Event) -> bool:
        """Return True if the sender of a claim may have one task at a time: by its mount, or by the policy.

        Of a command, the homes of the sender decide.
        """
        mounts = [self._mount(event)] if event.src else self._homes(agent_id)
        own = {text(mount, "parallel") or _PARALLEL[conventions(mount).one_task_each] for mount in mounts}
        usual = flag({"parallel": True, **self._policy}, "parallel")
        return "false" in own or ("true" not in own and not usual)

    def move_fields(self, agents: Iterable[str], act: str, task: Task) -> dict[str, object]:
        """Return the fields that the files of these agents have for a move of a task."""
        found: dict[str, object] = {}
        for agent_id in agents:
            for mount in self._homes(agent_id):
                found |= conventions(mount).move_fields(act, task)
        return found

    def called(self, agent_id: str) -> Callable[[str], str]:
        """Return how the files of an agent call a task."""
        return next((conventions(mount).called for mount in self._homes(agent_id)), str)

    def with_spellings(self, agent_id: str, words: str) -> str:
        """Return a sentence with the names of agents as the mounts of its reader spell them."""
        for mount in self._homes(agent_id):
            dialect = text(mount, "dialect")
            settings = spec(dialect).settings if dialect in DIALECTS else ()
            names = [text(mount, each.name) for each in settings if each.kind is SettingKind.SPELLED]
            # A name of one letter may be a word.
            for name in [each for each in names if len(each) > 1 and not each.islower()]:
                as_written = rf"(?<![\w./@:-]){re.escape(name)}(?![\w/-])"
                words = re.sub(as_written, name, words, flags=re.IGNORECASE)
        return words

    def answers_claims(self, agent_id: str) -> bool:
        """Return True if a home of an agent answers every claim."""
        return any(conventions(mount).claims_are_answered for mount in self._homes(agent_id))

    def ends_at_stop(self, agent_id: str) -> bool:
        """Return True if an agent writes nothing more after its lead has asked it to stop."""
        return any(conventions(mount).stop_ends_writing for mount in self._homes(agent_id))

    def is_anonymous(self, agent_id: str) -> bool:
        """Return True if an agent only stands for the unknown authors of lines."""
        return any(conventions(mount).anonymous == short(agent_id) for mount in self._homes(agent_id))

    def has_assignment(self, agent_id: str) -> bool:
        """Return True if a home of an agent shows what is assigned to it."""
        return any(map(has_assignments, self._homes(agent_id)))

    def allows_parallel(self, agent_id: str) -> bool:
        """Return True if a home of an agent declares that tasks run in parallel."""
        return any(text(mount, "parallel") == "true" for mount in self._homes(agent_id))

    def heads(self, agent_id: str) -> frozenset[str]:
        """Return the leads of an agent's homes: the manager of its office, the director of its swarm."""
        return frozenset(conventions(mount).lead(mount) for mount in self._homes(agent_id)) - {"", agent_id}

    def directors(self, agent_id: str) -> frozenset[str]:
        """Return the agents that direct an agent: the leads, and those of its homes, itself if it is one."""
        found = frozenset(conventions(mount).lead(mount) for mount in self._homes(agent_id))
        return self.leads() | (found - {""})

    def may_end(self, agent: str, auth: str, other: str) -> bool:
        """Return True if an agent may ask another to shut down: anyone, if no agent directs it."""
        directors = self.directors(other)
        return not directors or agent in directors or self.is_person(agent, auth)

    def supervisors(self, agent_id: str) -> frozenset[str]:
        """Return the leads that are told what an agent does without asking, if it is supervised."""
        homes = [mount for mount in self._homes(agent_id) if conventions(mount).has_autonomy]
        return frozenset(conventions(mount).lead(mount) for mount in homes) - {"", agent_id}

    def conventions(self, event: Event) -> Conventions:
        """Return the conventions of the mount that a message came from, or those of mail sent by command."""
        return conventions(self._mount(event))

    def misfiled(self, event: Event) -> bool:
        """Return True if a message is in a file that its protocol gives to another agent."""
        if event.src is None or event.auth != "claimed":
            return False
        team, sender = self.conventions(event), text(event.data, "from").lower()
        pen, file = team.writer_file, text(event.src, "file")
        # The lead has another file.
        own = pen.format(short(sender)) if sender != team.lead(self._mount(event)) else ""
        folder = pen[: pen.rfind("/") + 1]
        return folder != "" and file.startswith(folder) and file != own

    def _homes(self, agent_id: str) -> list[dict[str, object]]:
        """Return the mounts where an agent is registered."""
        agent = self.roster.agents.get(agent_id)
        return [self.roster.mounts.get(home, {}) for home in agent.homes] if agent is not None else []

    def _mount(self, event: Event | None) -> dict[str, object]:
        """Return the settings of the mount that an event came from."""
        return self.roster.mounts.get(origin_of(event), {}) if event is not None else {}
