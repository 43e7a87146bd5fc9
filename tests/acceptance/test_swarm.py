"""swarm: `channel read` prints what is in the file, and `channel write` stores what was written."""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.acceptance.files import records
from tests.acceptance.project import Answer
from tests.acceptance.swarm_team import REASON, SwarmTeam, channel_line

# --- read ---


class Line(NamedTuple):
    """A line of the channel, and whom the original script prints as its recipients."""

    sender: str
    to: list[str] | None
    shown: str
    kind: str
    content: str


LINES = [
    pytest.param(Line("programmer", ["@qa", "@td"], "@qa, @td", "task", "[REVIEW] Please."), id="two"),
    pytest.param(Line("td", None, "@all", "message", "Plain words."), id="null"),
    pytest.param(Line("td", [], "@all", "message", "To nobody."), id="empty"),
    pytest.param(Line("td", ["@qa"], "@qa", "message", "BLOCKED: is what it says."), id="word"),
    pytest.param(Line("td", ["@qa"], "@qa", "message", "[INFORM] Hello."), id="tag"),
    pytest.param(Line("td", ["@qa"], "@qa", "autonomy", "AUTONOMY_UPDATE: qa -> gated. Ask."), id="arrow"),
    pytest.param(Line("td", ["@qa"], "@qa", "task", "[ASSIGN:4] Do it."), id="number"),
    pytest.param(Line("red-team", ["@game-master"], "@game-master", "message", "Titles."), id="title"),
    pytest.param(Line("td", ["@qa"], "@qa", "message", "Two  spaces, twice  over."), id="spaces"),
]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what `channel read` prints of a channel with all the lines above."""
    team = SwarmTeam(tmp_path_factory.mktemp("read"))
    for parameters in LINES:
        (line,) = parameters.values
        assert isinstance(line, Line)
        team.say(line.sender, line.content, kind=line.kind, to=line.to)
    return team.project.do("channel", "read", "--team", "swarm").out


@pytest.mark.parametrize("line", LINES)
def test_channel_read_prints_a_line_as_it_stands_in_the_file(printed: str, line: Line) -> None:
    head = f"[2026-01-25T23:45:00] {line.sender} → {line.shown} ({line.kind})"

    assert f"{head}\n  REASONING: {REASON}\n  {line.content}\n" in printed


def read_contents(team: SwarmTeam) -> list[str]:
    """Return the contents that `channel read` prints, each of which is one line."""
    lines = team.project.do("channel", "read", "--team", "swarm").out.splitlines()
    return [line.removeprefix("  ") for line in lines[2::3]]


def test_channel_read_keeps_the_order_of_the_file_whatever_the_times(tmp_path: Path) -> None:
    team = SwarmTeam(tmp_path)
    for second in (3, 1, 2, 1):
        line = channel_line("td", f"At {second}.", kind="message", at=f"2026-01-25T23:45:0{second}")
        team.project.append(team.channel, line)

    assert read_contents(team) == ["At 3.", "At 1.", "At 2.", "At 1."]


def test_channel_read_keeps_the_order_of_the_file_with_lines_of_the_bus(tmp_path: Path) -> None:
    team = SwarmTeam(tmp_path)
    team.say("td", "To somebody unknown.", kind="message", to=["@nosuch"])
    team.say("td", "The next line.", kind="message")
    team.sync()

    shown = read_contents(team)

    assert len(shown) > 2
    assert shown == [line["content"] for line in records(team.channel)]


def test_channel_read_prints_every_line_that_is_there_twice(tmp_path: Path) -> None:
    team = SwarmTeam(tmp_path)
    team.say("td", "Again.", kind="message")
    team.say("td", "Again.", kind="message")

    assert read_contents(team) == ["Again.", "Again."]


# --- write ---


@pytest.fixture(scope="module")
def writing(tmp_path_factory: pytest.TempPathFactory) -> SwarmTeam:
    return SwarmTeam(tmp_path_factory.mktemp("write"))


@pytest.mark.parametrize(
    ("words", "to", "content"),
    [
        (("--to", "@qa", "critic"), ["@qa", "@critic"], "Auth module ready for review"),
        ((), None, "a -> b, @critic look"),
        ((), None, "line one\nline two"),
        ((), None, "[INFORM] Ready"),
        ((), None, "ACK: is a word"),
        (("--type", "decision"), None, "[DECIDE] Redis"),
        (("--to", "@qa-engineer"), ["@qa-engineer"], "Title"),
        (("--to", "@nosuch", "--allow-unknown"), ["@nosuch"], "To a stranger"),
    ],
)
def test_channel_write_stores_what_was_written(
    writing: SwarmTeam, words: tuple[str, ...], to: object, content: str
) -> None:
    said = ("--from", "programmer", "--reasoning", REASON, "--content", content)
    writing.project.do("channel", "write", "--team", "swarm", *said, *words)

    line = records(writing.channel)[-1]
    assert (line["from"], line["to"], line["reasoning"], line["content"]) == (
        "programmer",
        to,
        REASON,
        content,
    )


def test_channel_write_stores_the_arrow_that_was_written(writing: SwarmTeam) -> None:
    content = "AUTONOMY_UPDATE: programmer -> autonomous. Go."
    said = ("--from", "td", "--type", "autonomy", "--reasoning", REASON, "--content", content)
    writing.project.do("channel", "write", "--team", "swarm", *said)

    assert records(writing.channel)[-1]["content"] == content


def test_the_greps_of_the_seed_find_what_the_bus_writes(writing: SwarmTeam) -> None:
    said = ("--from", "architect", "--to", "@programmer", "--reasoning", REASON, "--content", "Found")
    writing.project.do("channel", "write", "--team", "swarm", *said)

    line = writing.channel.read_text().splitlines()[-1]
    assert '"from":"architect"' in line
    assert '"@programmer"' in line


# --- lines that cannot do what they say ---


def typed(team: SwarmTeam, sender: str, content: str, *words: str) -> Answer:
    said = ("--from", sender, "--reasoning", REASON, "--content", content)
    return team.project.run("channel", "write", "--team", "swarm", *said, *words)


@pytest.mark.parametrize(
    ("note", "sender", "words"),
    [
        ("SWA101", "programmer", ("--content", "Ready", "--reasoning", "-")),
        ("SWA108", "programmer", ("--content", "ACK: Claimed task #2.", "--reasoning", REASON)),
        ("SWA103", "td", ("--content", "qa is free", "--reasoning", REASON, "--type", "autonomy")),
        ("SWA105", "qa", ("--content", "BLOCKED: no net", "--reasoning", REASON, "--type", "status")),
    ],
)
def test_channel_write_says_what_is_wrong_with_a_line(
    writing: SwarmTeam, note: str, sender: str, words: tuple[str, ...]
) -> None:
    answer = writing.project.run("channel", "write", "--team", "swarm", "--from", sender, *words)

    assert answer.code == 0
    assert note in answer.err
    assert records(writing.channel)[-1]["content"] == words[1]


def test_channel_write_refuses_a_shutdown_by_an_agent_that_does_not_lead(writing: SwarmTeam) -> None:
    before = writing.channel.read_text()

    answer = typed(writing, "qa", "SHUTDOWN_REQUEST: End.", "--type", "system", "--to", "@programmer")

    assert answer.code == 4
    assert writing.channel.read_text() == before


def test_channel_write_refuses_to_set_the_autonomy_of_nobody(writing: SwarmTeam) -> None:
    content = "AUTONOMY_UPDATE: programer → gated"

    answer = typed(writing, "td", content, "--type", "autonomy")

    assert answer.code == 3
    assert "programmer" in answer.err


def test_channel_write_to_no_handles_is_for_everyone(writing: SwarmTeam) -> None:
    answer = typed(writing, "programmer", "For all", "--to", "--type", "status")

    assert (answer.code, records(writing.channel)[-1]["to"]) == (0, None)


def test_channel_write_knows_the_director_of_the_team(tmp_path: Path) -> None:
    team = SwarmTeam(tmp_path, "director=boss")
    typed(team, "boss", "Task #2: Build the parser.", "--type", "task", "--to", "@qa")

    assert team.state("2") == "assigned"


@pytest.mark.parametrize(
    ("kind", "content", "state"),
    [
        ("task", "ACK: Starting.", "working"),
        ("status", "BLOCKED: No network, @td.", "blocked"),
        ("task", "HANDOFF: Done, @critic look.", "checking"),
        ("task", "Completed. Tests pass.", "delivered"),
    ],
)
def test_a_word_that_is_written_by_command_means_the_only_task_too(
    tmp_path: Path, kind: str, content: str, state: str
) -> None:
    team = SwarmTeam(tmp_path)
    typed(team, "td", "Task #2: Build the parser.", "--type", "task", "--to", "@qa")

    typed(team, "qa", content, "--type", kind, "--to", "@td")

    assert team.state("2") == state


# --- options of read ---


def test_channel_read_prints_a_line_without_a_time(tmp_path: Path) -> None:
    team = SwarmTeam(tmp_path)
    team.project.append(team.channel, '{"from":"qa","type":"message","reasoning":"r","content":"Timeless."}')

    assert "  Timeless.\n" in team.project.do("channel", "read", "--team", "swarm").out


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("2026-01-25T23:45:01Z", ["At 2."]),
        ("2026-01-25T23:45:01", ["At 2."]),
        ("2026-01-26T00:45:01+01:00", ["At 2."]),
        ("2026-01-25", ["At 1.", "At 2."]),
    ],
)
def test_channel_read_since_prints_what_is_strictly_later(
    tmp_path: Path, since: str, expected: list[str]
) -> None:
    team = SwarmTeam(tmp_path)
    for second in (1, 2):
        line = channel_line("td", f"At {second}.", kind="message", at=f"2026-01-25T23:45:0{second}")
        team.project.append(team.channel, line)

    lines = team.project.do("channel", "read", "--team", "swarm", "--since", since, "--json").rows

    assert [line["content"] for line in lines] == expected


def test_channel_read_for_a_handle_that_nobody_has_is_no_success(writing: SwarmTeam) -> None:
    answer = writing.project.run("channel", "read", "--team", "swarm", "--mine", "@programer")

    assert answer.code == 3
    assert "programmer" in answer.err
