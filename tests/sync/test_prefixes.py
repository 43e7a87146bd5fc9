"""Two teams with the same names: each calls its own by their names, and strangers by where they live."""

import json
from pathlib import Path

import pytest

from tests.sync.scene import Scene, append


class Teams:
    """Two swarms; the second one's names are taken, so it has a prefix."""

    def __init__(self, folder: Path) -> None:
        self.scene = Scene(folder)
        self.channels = {}
        for name in ("t1", "t2"):
            settings = {"prefix": "t2"} if name == "t2" else {}
            self.channels[name] = self.scene.mount("swarm", name, **settings) / "channel.jsonl"

    def say(self, team: str, sender: str, to: str, content: str) -> None:
        fields = {"from": sender, "to": [to], "type": "message", "reasoning": "r", "content": content}
        line = json.dumps({"ts": "2026-01-01T10:00:00.000Z", **fields})
        append(self.channels[team], line.encode() + b"\n")
        self.scene.settle()

    def last(self, team: str) -> dict[str, object]:
        line = json.loads(self.channels[team].read_text().splitlines()[-1])
        assert isinstance(line, dict)
        return line


@pytest.fixture
def teams(tmp_path: Path) -> Teams:
    return Teams(tmp_path)


def test_a_name_means_the_one_of_the_own_team_first(teams: Teams) -> None:
    teams.say("t2", "programmer", "@td", "Hello.")

    assert [each.message.body for each in teams.scene.bus.inbox("t2/td").mail] == ["Hello."]
    assert teams.scene.bus.inbox("td").mail == []


def test_a_stranger_does_not_look_like_one_of_the_team(teams: Teams) -> None:
    teams.say("t1", "td", "@t2/programmer", "Please help us.")

    assert teams.last("t2")["from"] == "t1/td"
    assert teams.last("t2")["to"] == ["@programmer"]


def test_a_stranger_can_be_answered_by_the_name_that_he_is_shown_under(teams: Teams) -> None:
    teams.say("t1", "td", "@t2/programmer", "Please help us.")
    teams.say("t2", "programmer", "@t1/td", "With pleasure.")

    [answer] = teams.scene.bus.inbox("td").mail
    assert answer.message.sender == "t2/programmer"
    assert teams.last("t1")["from"] == "t2/programmer"
    assert teams.last("t1")["to"] == ["@td"]


def test_a_name_that_is_nobodys_there_is_reported_under_the_own_team(teams: Teams) -> None:
    teams.say("t2", "programmer", "@t1/nobody", "Hello?")

    assert teams.last("t2")["from"] == "palaver"
