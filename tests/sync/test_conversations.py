"""Two agents of two dialects talk about a task; each knows only its own files. All ordered pairs.

The agents are processes (`tests/sync/agents`) that append, move and read files. Whatever one says, the other
finds in its own files, in its own words, and answers there; the log has the whole of it, once.
"""

import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from palaver import Bus
from palaver.model.message import Message, from_event
from palaver.model.mounted_files import Growth, Source
from palaver.sync.accounts import accounts
from palaver.sync.mounts.mount_operations import add_mount
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.passes import Sync
from palaver.wiring import begin
from tests.house.repository import ROOT
from tests.patience import PATIENCE

STORY: Final = [
    ("boss", "assign", "Write the parser."),
    ("worker", "ack", "On it."),
    ("worker", "ask", "Which grammar do you want?"),
    ("boss", "answer", "The second one."),
    ("worker", "block", "No network here."),
    ("boss", "resume", "The network is back."),
    ("worker", "deliver", "All cases pass."),
    ("boss", "handoff", "Please look after it from now on."),
    ("worker", "ack", "It is mine now."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Who plays a dialect's two parts, and how its people would set the mount up."""

    boss: str
    worker: str
    #: The task, as the bus knows it.
    task: str
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    settings: dict[str, str]


PARTIES: Final = {
    "office": Party(
        boss="emp-manager-001",
        worker="emp-copilot-a3f2",
        task="004",
        folders=("messages",),
        files=("messages/manager-inbox.log", "messages/employee-emp-copilot-a3f2.log"),
        settings={},
    ),
    "vermas": Party(
        boss="project-a/supervisor",
        worker="project-a/workers/slot0",
        task="wo-abc12",
        folders=(".work",),
        settings={"agents": "project-a/supervisor,project-a/workers/slot0"},
    ),
    "swarm": Party(boss="td", worker="programmer", task="2", settings={}),
    "runbus": Party(
        boss="orchestrator",
        worker="claude-impl-1",
        task="PARSER",
        settings={"agents": "orchestrator,claude-impl-1"},
    ),
    "collab": Party(
        boss="jim", worker="clawdy", task="parser", folders=("inbox",), settings={"a": "jim", "b": "clawdy"}
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation that is over."""

    bus: Bus
    mounts: dict[str, MountPoint]
    names: dict[str, str]
    task: str

    @property
    def said(self) -> list[Message]:
        """Return what the two said, in the order of the log."""
        events = [each for each in self.bus.session.log.read(0, 10_000) if each.event_type == "mail.sent"]
        return [from_event(each) for each in events if each.actor in self.names.values()]

    def standing(self, role: str) -> list[Message]:
        """Return what stands in the files of one side, as anybody who knows its dialect reads it."""
        mounted = self.mounts[role]
        found: list[Message] = []
        for file, growth in mounted.listing().files:
            if growth is Growth.LOG:
                content = Path(mounted.full(file)).read_bytes()
                parsed = mounted.dialect.parse(Source(path=file, content=content, mount=mounted.mount))
                assert not [piece for piece in parsed.pieces if piece.reason], (file, content)
                found += parsed.messages
        return found


def held(folder: Path, boss: str, worker: str) -> Talk:
    """Let a boss of one dialect and a worker of another talk until both are done."""
    spoken = {"boss": boss, "worker": worker}
    names = {"boss": PARTIES[boss].boss, "worker": PARTIES[worker].worker}
    task = PARTIES[boss].task
    begin(str(folder), "ada")
    bus = Bus(str(folder), agent="ada")
    mounts = {role: _mounted(bus, folder, name) for role, name in spoken.items()}
    sync = Sync(bus.session)
    sync.once(PATIENCE)
    others = {"boss": names["worker"], "worker": names["boss"]}
    agents = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", f"tests.sync.agents.{spoken[role]}"),
                *(mounts[role].path, names[role], _called(others[role], spoken[role]), role, task),
            ],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for role in spoken
    ]
    try:
        deadline = time.monotonic() + PATIENCE
        while any(agent.poll() is None for agent in agents) and time.monotonic() < deadline:
            sync.once(PATIENCE)
            time.sleep(0.005)
    finally:
        for agent in agents:
            agent.kill()
    complaints = [agent.communicate()[1] for agent in agents]
    report = sync.once(PATIENCE)
    assert [agent.returncode for agent in agents] == [0, 0], (complaints, _files(folder))
    assert report is not None
    return Talk(bus=bus, mounts=mounts, names=names, task=task)


def _mounted(bus: Bus, folder: Path, name: str) -> MountPoint:
    place = folder / name
    place.mkdir()
    for each in PARTIES[name].folders:
        (place / each).mkdir()
    for each in PARTIES[name].files:
        (place / each).touch()
    return add_mount(bus.session, name, str(place), settings=PARTIES[name].settings)


def _called(name: str, spoken: str) -> str:
    """Return how somebody is called in a dialect: only vermas has paths."""
    return name if spoken == "vermas" else name.rpartition("/")[2]


def _files(folder: Path) -> str:
    found = (each for each in folder.rglob("*") if each.is_file() and ".palaver" not in each.parts)
    return "\n".join(f"=== {each}\n{each.read_text()}" for each in found)


@pytest.fixture(
    scope="module", params=list(permutations(PARTIES, 2)), ids=lambda pair: f"{pair[0]}-to-{pair[1]}"
)
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    """Return the conversation of one ordered pair of dialects."""
    boss, worker = request.param
    return held(tmp_path_factory.mktemp(f"{boss}-{worker}"), boss, worker)


def test_a_conversation_is_in_the_log_once_and_in_order(talk: Talk) -> None:
    said = [(each.sender, each.act) for each in talk.said]

    assert said == [(talk.names[role], act) for role, act, _ in STORY]


def test_every_word_reached_the_log(talk: Talk) -> None:
    for message, (_, act, words) in zip(talk.said, STORY, strict=True):
        # The office's template of a delivery has no place for words.
        assert words in message.body or (message.sender.startswith("emp-") and act == "deliver")


def test_every_message_is_about_the_task_but_a_question_need_not_be(talk: Talk) -> None:
    for message in talk.said:
        assert message.task == talk.task or (message.act in ("ask", "answer") and not message.task)


def test_every_message_is_for_the_other_one(talk: Talk) -> None:
    boss, worker = talk.names["boss"], talk.names["worker"]
    roster = talk.bus.session.view.roster()

    for message in talk.said:
        meant = {agent for each in message.to for agent in roster.meaning(each).agents}
        assert (worker if message.sender == boss else boss) in meant, message.to
        assert not message.undeliverable


def test_an_answer_belongs_to_its_question(talk: Talk) -> None:
    [question] = [each for each in talk.said if each.act == "ask"]
    [answer] = [each for each in talk.said if each.act == "answer"]

    assert answer.reply_to == question.id
    assert answer.thread == question.thread
    assert question.task in ("", answer.task)


@pytest.mark.parametrize("role", ["boss", "worker"])
def test_each_side_finds_the_whole_conversation_in_its_own_files(talk: Talk, role: str) -> None:
    def about(message: Message) -> tuple[str, str]:
        # Who writes an answer may leave it to the question what it is about.
        return message.act, message.task if message.act != "answer" else ""

    stands = sorted(map(about, talk.standing(role)))

    assert stands == sorted(map(about, talk.said))


def test_the_log_is_good_and_nothing_is_owed(talk: Talk) -> None:
    verdict = talk.bus.verify()

    assert verdict.good
    _, found = accounts(talk.bus.session)
    for each in found:
        assert each.size == each.events + each.ours + each.quarantined + each.blank + each.pending
        assert not each.quarantined
        assert not each.pending


def test_nobody_but_the_two_spoke(talk: Talk) -> None:
    events = [each for each in talk.bus.session.log.read(0, 10_000) if each.event_type == "mail.sent"]

    assert {each.actor for each in events} == set(talk.names.values())
