"""palaver channel: what a swarm's script does, on the bus."""

import json
from pathlib import Path

import pytest

from tests.cli.spoken import Answer, Shell


@pytest.fixture
def team(bus: Shell, tmp_path: Path) -> Shell:
    bus = bus.with_env(HOME=str(tmp_path / "home"))
    bus.run("channel", "init", "--team", "t1")
    return bus


def write(shell: Shell, sender: str, content: str, *more: str) -> Answer:
    words = ["--from", sender, "--reasoning", "because", "--content", content]
    return shell.run("channel", "write", "--team", "t1", *words, *more)


def waits(shell: Shell) -> list[tuple[str, str, list[str]]]:
    found = json.loads(shell.run("waiting", "--json").out)["waits"]
    return [(wait["kind"], wait["waiter"], wait["movers"]) for wait in found]


def test_what_is_written_is_read_in_the_form_of_the_script(team: Shell) -> None:
    written = write(team, "programmer", "ACK: → Claimed task #2", "--to", "@qa", "@critic", "--type", "task")

    assert written.out.startswith("Message written: 20")
    at = written.out.split()[2][:19]
    assert team.run("channel", "read", "--team", "t1").lines[:3] == [
        f"[{at}] programmer → @qa, @critic (task)",
        "  REASONING: because",
        "  ACK: → Claimed task #2",
    ]


def test_a_team_without_messages_says_so(team: Shell) -> None:
    answer = team.run("channel", "read", "--team", "t1")

    assert (answer.code, answer.out) == (0, "No messages.\n")


def test_a_team_that_does_not_exist_is_not_found(team: Shell) -> None:
    answer = team.run("channel", "read", "--team", "t9")

    assert answer.code == 3
    assert "palaver channel init --team t9" in answer.err


@pytest.mark.parametrize("words", [["--mine", "qa"], ["--mine", "@qa"], ["--mine", "--as", "qa"]])
def test_mine_works_with_and_without_a_value(team: Shell, words: list[str]) -> None:
    write(team, "td", "to all")
    write(team, "td", "to qa", "--to", "@qa")
    write(team, "td", "to critic", "--to", "@critic")

    shown = team.run("channel", "read", "--team", "t1", *words).out

    assert "to all" in shown
    assert "to qa" in shown
    assert "to critic" not in shown


def test_the_newest_are_cut_off_after_the_other_filters(team: Shell) -> None:
    for number in range(4):
        write(team, "td", f"line {number}")

    lines = json.loads(team.run("channel", "read", "--team", "t1", "--last", "2", "--json").out)

    assert [line["content"] for line in lines] == ["line 2", "line 3"]
    later = json.loads(team.run("channel", "read", "--team", "t1", "--since", lines[0]["ts"], "--json").out)
    assert [line["content"] for line in later] == ["line 3"]


def test_a_mention_adds_a_recipient_who_is_expected_to_acknowledge(team: Shell) -> None:
    write(team, "td", "Please look at this, @qa.", "--to", "@critic")

    assert "Please look" in team.run("inbox", "--as", "qa").out
    assert waits(team) == [("mention", "td", ["qa"])]
    write(team, "qa", "ACK: on it", "--to", "@td", "--type", "task")
    assert waits(team) == []


def test_a_blocker_reaches_those_whom_it_names(team: Shell) -> None:
    write(team, "td", "[ASSIGN:#2] Build auth", "--to", "@programmer", "--type", "task")
    blocked = "BLOCKED: Task #2 needs API endpoint definitions. @critic please provide."
    write(team, "programmer", blocked, "--to", "@td", "--type", "status")

    assert "needs API" in team.run("inbox", "--as", "critic").out
    assert "blocked" in team.run("task", "list").out


def test_finished_work_is_passed_on_to_be_checked(team: Shell) -> None:
    team.run("task", "open", "Auth", "--id", "2", "--as", "td")
    team.run("task", "claim", "2", "--as", "programmer")
    write(
        team, "programmer", "[HANDOFF:#2] Auth module complete.", "--to", "@qa", "@critic", "--type", "task"
    )

    shown = team.run("task", "show", "2", "--json").fields
    assert (shown["state"], shown["holder"], shown["checker"]) == ("checking", "programmer", "qa critic")


def test_gated_agents_ask_first_and_the_approval_releases_them(team: Shell) -> None:
    gate = "AUTONOMY_UPDATE: programmer → gated. Ask before each task."
    write(team, "qa", gate, "--to", "@programmer", "--type", "autonomy")
    team.run("task", "open", "One", "--id", "1", "--as", "td")
    free = team.run("task", "claim", "1", "--as", "programmer").out
    team.run("task", "release", "1", "--as", "programmer")
    write(team, "td", gate, "--to", "@programmer", "--type", "autonomy")
    gated = team.run("task", "claim", "1", "--as", "programmer").out
    team.run("task", "approve", "1", "--as", "td")

    assert free.startswith("1 is yours"), "only the director changes it"
    assert gated.startswith("1 is claimed and waits for approval")
    assert team.run("task", "show", "1", "--json").fields["state"] == "working"


def test_nobody_is_ended_while_he_holds_work(team: Shell) -> None:
    team.run("task", "open", "One", "--id", "1", "--as", "td")
    team.run("task", "claim", "1", "--as", "qa")
    write(team, "td", "SHUTDOWN_REQUEST: Please finish.", "--to", "@qa", "--type", "system")
    assert waits(team) == [("shutdown", "td", ["qa"])]

    early = write(team, "qa", "SHUTDOWN_ACK: Ready.", "--to", "@td", "--type", "system")
    team.run("task", "deliver", "1", "-m", "works", "--as", "qa")
    late = write(team, "qa", "SHUTDOWN_ACK: Ready.", "--to", "@td", "--type", "system")

    assert early.code == 4
    assert "qa holds 1" in early.err
    assert late.code == 0
    assert [wait for wait in waits(team) if wait[0] == "shutdown"] == []


def test_a_shutdown_may_be_refused_with_a_reason(team: Shell) -> None:
    write(team, "td", "SHUTDOWN_REQUEST: Please finish.", "--to", "@qa", "--type", "system")
    team.run("send", "td", "--act", "refuse", "-m", "two tests left", "--as", "qa")

    assert waits(team) == []


MISTAKES = [
    (["channel"], "say which: read or write or init"),
    (["channel", "shout", "--team", "t"], "use read, write or init"),
    (["channel", "read"], "--team is missing"),
    (["channel", "write", "--team", "t", "--content", "x"], "--reasoning is missing"),
    (["channel", "write", "--team", "t", "--reasoning", "x"], "--content is missing"),
    (["channel", "write", "--team", "t", "--reasoning", "x", "--content", "x", "--type", "shout"], "no type"),
    (["channel", "read", "--team", "../x"], "bad-name"),
]


@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=[" ".join(case[0]) for case in MISTAKES])
def test_a_mistake_is_told(team: Shell, words: list[str], said: str) -> None:
    answer = team.run(*words, "--as", "td")

    assert answer.code == 2
    assert said in answer.err


def test_a_change_of_autonomy_needs_no_further_words(team: Shell) -> None:
    said = write(
        team, "td", "AUTONOMY_UPDATE: programmer → gated.", "--to", "@programmer", "--type", "autonomy"
    )
    team.run("task", "open", "One", "--id", "1", "--as", "td")

    assert said.code == 0
    assert team.run("task", "claim", "1", "--as", "programmer").out.startswith("1 is claimed and waits")


# --- teams whose channel is mounted ---


@pytest.fixture
def teams(bus: Shell, tmp_path: Path) -> Shell:
    """Two teams whose agents are called alike, and two who collaborate in a chat log."""
    bus = bus.with_env(HOME=str(tmp_path / "home"))
    for team in ("t1", "t2"):
        bus.run("channel", "init", "--team", team)
    (bus.folder / "pair").mkdir()
    (bus.folder / "pair/chat.log").touch()
    bus.run("mount", "add", "collab", "pair", "--name", "pair", "--set", "a=jim", "--set", "b=clawdy")
    return bus


def channel(shell: Shell, team: str) -> list[dict[str, object]]:
    path = Path(shell.env["HOME"]) / f".claude/teams/{team}/channel.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def to_team(shell: Shell, team: str, content: str, *more: str) -> Answer:
    words = ["--from", "programmer", "--reasoning", "r", "--content", content, *more]
    return shell.run("channel", "write", "--team", team, *words)


def test_what_is_written_to_a_team_stands_in_its_channel_and_in_no_other(teams: Shell) -> None:
    to_team(teams, "t2", "Test it", "--to", "@qa", "critic", "--type", "task")

    [line] = channel(teams, "t2")
    assert {key: line[key] for key in line if key != "ts"} == {
        "from": "programmer",
        "to": ["@qa", "@critic"],
        "type": "task",
        "reasoning": "r",
        "content": "Test it",
    }
    assert channel(teams, "t1") == []
    assert teams.run("channel", "read", "--team", "t1").out == "No messages.\n"


def test_what_names_nobody_is_for_the_team_alone(teams: Shell) -> None:
    to_team(teams, "t2", "hello team")

    [line] = channel(teams, "t2")
    assert line["to"] is None
    assert channel(teams, "t1") == []
    assert (teams.folder / "pair/chat.log").read_text(encoding="utf-8") == ""


@pytest.mark.alone("a daemon writes to the files of a mount a moment after the send")
def test_who_writes_to_a_team_by_command_lives_there(teams: Shell) -> None:
    words = ["--from", "ursula", "--reasoning", "r", "--content", "I am new"]
    teams.run("channel", "write", "--team", "t2", *words)

    teams.run("send", "t2/ursula", "-m", "welcome", "--as", "jim")

    assert [line["content"] for line in channel(teams, "t2")] == ["I am new", "welcome"]


def test_a_mention_means_somebody_of_the_team(teams: Shell) -> None:
    to_team(teams, "t2", "@critic please look", "--to", "@qa")

    assert [line["to"] for line in channel(teams, "t2")] == [["@qa"]]
    assert "please look" in teams.run("inbox", "--as", "t2/critic").out
    assert waits(teams) == [("mention", "t2/programmer", ["t2/critic"])]


@pytest.mark.alone("a daemon writes to the files of a mount a moment after the send")
def test_whoever_reads_sees_what_stands_in_the_file(teams: Shell) -> None:
    to_team(teams, "t2", "by command", "--to", "@qa")
    teams.run("send", "t2/qa", "-m", "from elsewhere", "--as", "jim")
    path = Path(teams.env["HOME"]) / ".claude/teams/t2/channel.jsonl"
    with path.open("a", encoding="utf-8") as file:
        line = {"ts": "2026-01-25T23:45:00.000Z", "from": "td", "to": ["@qa"], "type": "message"}
        file.write(json.dumps({**line, "reasoning": "r", "content": "by file"}) + "\n")

    read = json.loads(teams.run("channel", "read", "--team", "t2", "--json").out)

    standing = channel(teams, "t2")
    assert [line["content"] for line in read] == ["by command", "from elsewhere", "by file"]
    assert [(line["from"], line["to"]) for line in read] == [(line["from"], line["to"]) for line in standing]


def test_a_time_that_is_none_is_refused(team: Shell) -> None:
    answer = team.run("channel", "read", "--team", "t1", "--since", "yesterday")

    assert answer.code == 2
    assert "use one as 2026-01-25T23:00:00Z" in answer.err
