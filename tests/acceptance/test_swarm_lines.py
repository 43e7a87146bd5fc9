"""swarm: lines as agents and shells really write them, and what their authors are told."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.acceptance.files import read
from tests.acceptance.swarm_team import SwarmTeam, channel_line


@pytest.fixture
def team(tmp_path: Path) -> SwarmTeam:
    return SwarmTeam(tmp_path)


def without(line: str, *names: str) -> str:
    fields = json.loads(line)
    return json.dumps({name: fields[name] for name in fields if name not in names})


def offered(team: SwarmTeam, handle: str) -> list[dict[str, object]]:
    """Return the lines that the bus told an agent to write."""
    texts = [str(notice["content"]) for notice in team.told(handle)]
    lines = [re.search(r"[Ww]rite: (\{.*\})", text) for text in texts]
    return [json.loads(line[1]) for line in lines if line]


def inbox(team: SwarmTeam, agent: str) -> str:
    return team.project.do("inbox", "--as", agent).out


# --- records on one line ---


def test_a_record_before_a_torn_one_is_read(team: SwarmTeam) -> None:
    team.project.append(team.channel, channel_line("critic", "Whole.", kind="message"), end="")
    team.project.append(team.channel, '{"ts":"2026-01-25T23:45:00.000Z","from":"progr')
    team.say("qa", "Next.", kind="message")
    team.sync()

    assert "Whole." in inbox(team, "td")
    assert team.told("@critic") == []


def test_the_author_of_the_second_record_of_a_line_is_told_of_it(team: SwarmTeam) -> None:
    team.project.append(team.channel, channel_line("critic", "First.", kind="message"), end="")
    team.project.append(team.channel, without(channel_line("qa", "Second.", kind="message"), "reasoning"))
    team.sync()

    assert team.told("@critic") == []
    assert [line["content"] for line in offered(team, "@qa")] == ["Second."]


def test_channel_read_prints_the_record_behind_a_torn_one(team: SwarmTeam) -> None:
    team.project.append(team.channel, '{"ts":"2026-01-25T23:45:00.000Z","from":"progr', end="")
    team.say("critic", "Behind.", kind="message")

    assert "\n  Behind.\n" in team.project.do("channel", "read", "--team", "swarm").out


def test_the_team_is_told_which_line_of_the_channel_was_edited(team: SwarmTeam) -> None:
    team.say("td", "Task #1: write tests", to=["@qa"])
    team.say("qa", "ACK: task #1")
    team.sync()
    [message] = team.project.messages("write", "tests")
    team.channel.write_text(read(team.channel).replace("write tests", "write no tests"))
    os.utime(team.channel, (1_767_225_600, 1_767_225_600))
    team.sync()
    team.sync()

    [told] = [line for line in team.project.bus_lines(team.channel) if "append-only" in line]
    assert f"palaver read {message['id']}" in told


def test_a_byte_order_mark_before_a_line_is_ignored(team: SwarmTeam) -> None:
    team.say("qa", "First.", kind="message")
    team.project.append(team.channel, "\ufeff" + channel_line("critic", "Second.", kind="message"))
    team.sync()

    assert "Second." in inbox(team, "td")
    assert team.project.bus_lines(team.channel) == []


# --- the line to write instead ---


def test_a_record_printed_over_several_lines_is_told_as_one_line(team: SwarmTeam) -> None:
    line = channel_line("qa", "Pretty.", kind="status", to=["@td"])
    # As `jq .` prints it, with the handles on lines of their own.
    team.project.append(team.channel, json.dumps(json.loads(line), indent=2))
    team.sync()

    assert offered(team, "@qa") == [json.loads(line)]
    assert team.told("@td") == []


@pytest.mark.parametrize(
    "line",
    [
        channel_line("qa", "Unclosed.", kind="status", to=["@td"]).removesuffix('"}'),
        channel_line("qa", "Unclosed.", kind="status", to=["@td"]).removesuffix("}"),
        channel_line("qa", "Unclosed.", kind="status", to=["@td"]).replace('"', "'"),
        channel_line("qa", "Unclosed.", kind="status", to=["@td"]).replace('"type"', "type"),
        channel_line("qa", "Unclosed.", kind="status", to=["@td"]).replace("}", ",}"),
    ],
    ids=["unquoted", "unclosed", "single-quotes", "bare-key", "comma"],
)
def test_broken_json_is_told_as_the_record_that_it_was_to_be(team: SwarmTeam, line: str) -> None:
    team.project.append(team.channel, line)
    team.sync()

    [offer] = offered(team, "@qa")
    assert (offer["from"], offer["to"], offer["content"]) == ("qa", ["@td"], "Unclosed.")


def test_plain_text_is_told_as_the_content_of_a_record(team: SwarmTeam) -> None:
    team.project.append(team.channel, "I am done with the parser")
    team.sync()

    assert [line["content"] for line in offered(team, "@td")] == ["I am done with the parser"]


@pytest.mark.parametrize("line", ["I am done", '{"type":"message","reasoning":"r","content":"Done."}'])
def test_nobody_is_told_to_speak_as_the_director(team: SwarmTeam, line: str) -> None:
    team.project.append(team.channel, line)
    team.sync()

    assert [line["from"] for line in offered(team, "@td")] == ["<your name>"]


@pytest.mark.parametrize(
    ("name", "value"), [("ts", None), ("type", None), ("reasoning", None), ("to", "td"), ("to", ["td"])]
)
def test_the_author_of_a_line_that_counted_is_not_told_to_write_it_again(
    team: SwarmTeam, name: str, value: object
) -> None:
    fields = json.loads(channel_line("qa", "Once.", kind="message"))
    team.project.append(team.channel, json.dumps({**fields, name: value}))
    team.sync()

    [notice] = team.told("@qa")
    assert "It counted; next time write: {" in str(notice["content"])


def test_the_line_to_write_instead_has_a_time(team: SwarmTeam) -> None:
    team.project.append(team.channel, without(channel_line("qa", "No time.", kind="message"), "ts"))
    team.sync()

    assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT[\d:.]+Z", str(line["ts"])) for line in offered(team, "@qa"))


def test_the_keys_of_another_program_stay_in_the_line_to_write_instead(team: SwarmTeam) -> None:
    fields = json.loads(channel_line("qa", "Ready.", kind="message"))
    team.project.append(team.channel, json.dumps({**fields, "reasoning": "", "ticket": "T-1"}))
    team.sync()

    assert [line["ticket"] for line in offered(team, "@qa")] == ["T-1"]
