"""`palaver mount` and `palaver init`: a folder that agents use is on the bus; mistakes have a way out."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from tests.cli.spoken import TRICKS, Answer, Shell, surroundings
from tests.cli.test_terminal import at_terminal
from tests.sync.living import Place, read, swarm_line
from tests.sync.scene import append

HISTORY: Final = 15_000


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "project")


@pytest.fixture
def crowded(tmp_path: Path) -> Shell:
    """Return somebody whose folder has files of all five dialects, and no bus yet."""
    home = tmp_path / "home"
    for folder in ("messages", ".work", "collab/inbox", ".claude/teams/t1", ".claude/teams/t2"):
        (home / folder).mkdir(parents=True)
    (home / "messages/manager-inbox.log").write_text("")
    (home / ".work/messages.jsonl").write_text("")
    (home / "MESSAGE-BUS.md").write_text("")
    for team in ("t1", "t2"):
        append(home / f".claude/teams/{team}/channel.jsonl", swarm_line(f"in {team}"))
    return Shell(folder=home, env=surroundings(HOME=str(home)))


def listed(shell: Shell) -> dict[str, dict[str, object]]:
    return {str(each["name"]): each for each in shell.run("mount", "list", "--json").rows}


def test_a_company_that_has_not_begun_to_write_is_found(tmp_path: Path) -> None:
    (tmp_path / "home/.work").mkdir(parents=True)
    shell = Shell(folder=tmp_path / "home", env=surroundings(HOME=str(tmp_path / "home")))

    shell.run("init", "--person", "ada", "--yes")

    assert listed(shell)["vermas"]["dialect"] == "vermas"


def test_two_who_have_written_down_their_names_are_mounted_with_them(tmp_path: Path) -> None:
    pair = tmp_path / "home/collab"
    (pair / "inbox").mkdir(parents=True)
    (pair / ".ai-collab.env").write_text('AGENT_A_NAME=JIM\nexport AGENT_B_NAME="CLAWDY"\nTOKEN=secret\n')
    shell = Shell(folder=tmp_path / "home", env=surroundings(HOME=str(tmp_path / "home")))

    shell.run("init", "--person", "ada", "--yes")
    shell.run("send", "clawdy", "-m", "are you there?", "--as", "jim")

    agents = listed(shell)["collab"]["agents"]
    assert isinstance(agents, list)
    assert {"jim", "clawdy"} <= set(agents)
    [dropped] = (pair / "inbox").glob("msg_*.txt")
    assert dropped.read_text() == "are you there?\n"
    assert "secret" not in (tmp_path / "home/.palaver/config.toml").read_text()


# --- add, list, remove ---


def test_no_mounts_are_listed_as_none(place: Place) -> None:
    assert place.do("mount").out == "No mounts; palaver mount add DIALECT PATH\n"
    assert place.do("mount", "list", "--json").value == []


def test_a_mount_is_listed_with_who_lives_there(place: Place) -> None:
    team = place.folder / "team"
    team.mkdir()
    append(team / "channel.jsonl", swarm_line("one", sender="newcomer"))

    added = place.do("mount", "add", "swarm", "team", "--json").fields

    assert added["mount"] == "team"
    assert added["taken"] == {"team": 1}
    [found] = place.do("mount", "list", "--json").rows
    assert found["path"] == str(team)
    assert found["dialect"] == "swarm"
    assert "newcomer" in found["agents"]  # type: ignore[operator]  # a list
    assert str(team) in place.do("mount").out


def test_a_mount_that_is_removed_leaves_its_files_and_what_the_log_has(place: Place) -> None:
    team = place.mount("swarm", "t1")
    append(team / "channel.jsonl", swarm_line("one"))
    place.do("sync")
    before = (team / "channel.jsonl").read_bytes()

    answer = place.do("mount", "remove", "t1", "--json")
    place.do("send", "qa", "-m", "to nobody's file", "--as", "ada")

    assert answer.fields == {"removed": "t1"}
    assert (team / "channel.jsonl").read_bytes() == before
    assert place.bodies() == ["one", "to nobody's file"]
    assert "[mounts" not in read(place.folder / ".palaver/config.toml")


def test_a_folder_that_is_mounted_again_after_its_removal_adds_nothing(place: Place) -> None:
    team = place.mount("swarm", "t1")
    append(team / "channel.jsonl", swarm_line("one") + swarm_line("two"))
    place.do("sync")
    place.do("mount", "remove", "t1")
    append(team / "channel.jsonl", swarm_line("three"))

    place.mount("swarm", "t1")

    assert place.bodies() == ["one", "two", "three"]


def test_comments_that_people_wrote_stay(place: Place) -> None:
    config = place.folder / ".palaver/config.toml"
    config.write_text(config.read_text() + "\n# mine\n[mounts]   # ours\n")

    place.mount("swarm", "t1")
    place.mount("office")
    place.do("mount", "remove", "t1")

    assert "\n# mine\n[mounts]   # ours\n" in config.read_text()
    assert list(listed(place.shell)) == ["office"]


def test_settings_are_checked_and_written(place: Place) -> None:
    place.mount("collab", "pair", "--set", "a=jim", "--set", "b=clawdy", "--set", "inbox=ours")

    found = listed(place.shell)["pair"]

    assert found["settings"] == {"a": "jim", "b": "clawdy", "inbox": "ours"}
    assert 'inbox = "ours"' in read(place.folder / ".palaver/config.toml")


def test_lists_and_zones_of_a_command_are_settings(place: Place) -> None:
    place.mount("collab", "pair", "--set", "agents=bob, carol", "--set", "timezone=+02:00")

    assert listed(place.shell)["pair"]["settings"] == {"timezone": "+02:00"}
    assert {each["id"] for each in place.shell.run("agents", "--json").rows} >= {"bob", "carol"}


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["add"], 2, "use list, add"),
        (["add", "swarm"], 2, "no folder was named"),
        (["add", "esperanto", "."], 3, "use one of office, vermas, swarm, runbus, collab"),
        (["add", "swarm", "nowhere"], 3, "there is no such folder"),
        (["add", "swarm", ".palaver"], 2, "inside the bus itself"),
        (["add", "swarm", ".", "--name", "a/b"], 2, "it has a '/'"),
        (["add", "swarm", ".", "--name", "ada"], 5, "the name is taken"),
        (["add", "swarm", ".", "--name", "../x"], 2, "must start with"),
        (["add", "swarm", ".", "--set", "inbox=ours"], 2, "swarm has no setting 'inbox'"),
        (["add", "swarm", ".", "--set", "x"], 2, "a name and a value"),
        (["add", "collab", ".", "--set", "inbox=mine"], 2, "none of theirs, ours"),
        (["add", "collab", ".", "--set", "a=../x"], 2, "must start with"),
        (["add", "collab", ".", "--set", "agents=bob,../x"], 2, "cannot use 'agents': '../x'"),
        (["add", "collab", ".", "--set", "others=../x"], 2, "cannot use 'others': '../x'"),
        (["add", "collab", ".", "--set", "timezone=../x"], 2, "'../x' is not an offset from UTC"),
        (["add", "runbus", ".", "--set", f"file={'x' * 300}"], 2, "not too long"),
        (["add", "runbus", ".", "--set", "path=/etc"], 2, "cannot set path: it is an argument of its own"),
        (["add", "runbus", ".", "--set", "dialect=office"], 2, "cannot set dialect"),
        (["add", "swarm", ".", "--team", "a/b"], 2, "cannot call a team a/b: it has a '/'"),
        (["remove", "nothing"], 3, "the mounts are: none"),
        (["remove"], 2, "use list, add"),
        (["paint"], 2, "use list, add"),
    ],
)
def test_a_wrong_request_changes_nothing(place: Place, words: list[str], code: int, why: str) -> None:
    before = read(place.folder / ".palaver/config.toml")

    answer = place.shell.run("mount", *words)

    assert answer.code == code, answer
    assert why in answer.err
    assert read(place.folder / ".palaver/config.toml") == before


def test_the_same_folder_is_not_mounted_twice(place: Place) -> None:
    team = place.mount("swarm", "t1")

    answer = place.shell.run("mount", "add", "swarm", str(team / "channel.jsonl"), "--name", "again")

    assert answer.code == 5
    assert "it is mounted as t1; palaver mount remove t1" in answer.err


# --- names ---


def test_a_second_team_has_its_name_before_its_names(place: Place) -> None:
    one = place.mount("swarm", "t1")
    answer = place.shell.run("mount", "add", "swarm", str(_made(place.folder / "t2")), "--name", "t2")
    assert "they are called t2/NAME here" in answer.out

    append(place.folder / "t2/channel.jsonl", swarm_line("from the second", sender="programmer"))
    place.do("send", "t2/qa", "-m", "to the second", "--as", "ada")
    place.do("send", "qa", "-m", "to the first", "--as", "ada")
    place.do("sync")

    actors = {str(event.data["body"]): event.actor for event in place.events("mail.sent")}
    assert actors["from the second"] == "t2/programmer"
    assert "to the second" in read(place.folder / "t2/channel.jsonl")
    assert "to the second" not in read(one / "channel.jsonl")
    assert "to the first" in read(one / "channel.jsonl")
    assert "to the first" not in read(place.folder / "t2/channel.jsonl")


def test_inside_the_second_team_a_name_means_its_own(place: Place) -> None:
    place.mount("swarm", "t1")
    place.mount("swarm", "t2")

    append(place.folder / "t2/channel.jsonl", swarm_line("for ours", sender="programmer", to="@qa"))
    place.do("sync")

    assert [each["body"] for each in _mail(place, "t2/qa")] == ["for ours"]
    assert _mail(place, "qa") == []


def _mail(place: Place, agent: str) -> list[dict[str, object]]:
    found = place.do("inbox", "--as", agent, "--json").fields["messages"]
    assert isinstance(found, list)
    return found


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


# --- the config, edited by people ---


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (['[mounts.x]', 'dialect = "esperanto"', 'path = "."'], r":{2}: .*none of office"),
        (['[mounts.x]', 'dialect = "swarm"'], r":{1}: .*no path"),
        (['[mounts.x]', 'dialect = "swarm"', 'path = ""'], r":{1}: .*no path"),
        (['[mounts.x]', 'path = "."'], r":{1}: .*none of office"),
        (['[mounts]', 'x = "swarm"'], r":{2}: .*a mount is a table"),
        (['[mounts.x]', 'dialect = "swarm"', 'path = 5'], r"no path"),
        (['[mounts.x]', 'dialect = "swarm"', 'path = "."', 'team = 5'], r":{4}: .*a text in quotes"),
        (['[mounts.x]', 'dialect = "collab"', 'path = "."', 'inbox = "mine"'], r":{4}: .*none of theirs"),
        (['[mounts.x]', 'dialect = "collab"', 'path = "."', 'a = "../b"'], r":{4}: .*must start with"),
        (['[mounts.x]', 'dialect = "swarm"', 'path = "."', 'agents = [5]'], r":{4}: .*name in quotes"),
        (['[mounts."a/b"]', 'dialect = "swarm"', 'path = "."'], r":{1}: .*no '/'"),
        (['[mounts."-x"]', 'dialect = "swarm"', 'path = "."'], r":{1}: .*must start with"),
        (['[mounts.x]', 'dialect = "swarm"', 'path = "."', '[mounts.X]'], r"twice"),
        (['[mounts.x]', 'dialect = "swarm"', 'path = "."', '[mounts.x]'], r"not TOML"),
        (['[mounts.x', 'dialect = "swarm"'], r":{1}: not TOML"),
    ],
)  # fmt: skip
def test_every_mistake_in_the_config_has_line_reason_and_way_out(
    place: Place, lines: list[str], why: str
) -> None:
    config = place.folder / ".palaver/config.toml"
    before = config.read_text()
    top = before.count("\n")
    config.write_text(before + "\n".join(lines) + "\n")
    expected = re.sub(r"\{(\d)\}", lambda found: str(top + int(found[1])), why)

    answer = place.shell.run("mount", "list", "--json")

    error = json.loads(answer.out)["error"]
    assert answer.code == error["exit"] == 2
    assert error["code"] == "bad-config"
    assert re.search(expected, f"{error['what']} {error['why']}"), error
    assert str(config) in error["what"]
    assert error["way_out"]


def test_while_the_config_is_broken_mail_is_read_and_files_are_followed(place: Place) -> None:
    team = place.mount("swarm")
    config = place.folder / ".palaver/config.toml"
    config.write_text(config.read_text() + "[mounts.ha")
    append(team / "channel.jsonl", swarm_line("all the same"))

    assert [each["body"] for each in _mail(place, "qa")] == ["all the same"]


def test_a_key_that_nobody_reads_is_noted(place: Place) -> None:
    config = place.folder / ".palaver/config.toml"
    config.write_text(config.read_text() + '[mounts.x]\ndialect = "swarm"\npath = "."\nteem = "t1"\n')

    answer = place.shell.run("doctor")

    assert "did you mean 'team'?" in answer.out + answer.err, answer


# --- init ---


def test_init_mounts_what_it_finds_and_asks_nothing_with_yes(crowded: Shell) -> None:
    answer = crowded.run("init", "--yes", "--person", "ada")

    assert answer.code == 0, answer
    found = listed(crowded)
    assert sorted(str(each["dialect"]) for each in found.values()) == [
        "collab", "office", "runbus", "swarm", "swarm", "vermas",
    ]  # fmt: skip
    assert {found["t1"]["prefix"], found["t2"]["prefix"]} == {"", "t2"}
    assert "Imported 2 messages" in answer.out


def test_init_a_second_time_mounts_nothing_twice(crowded: Shell) -> None:
    crowded.run("init", "--yes", "--person", "ada")
    before = listed(crowded)

    answer = crowded.run("init", "--yes", "--json")

    assert answer.fields["mounts"] == []
    assert listed(crowded) == before


def test_init_without_a_terminal_asks_nothing_mounts_nothing_and_says_how(crowded: Shell) -> None:
    answer = crowded.run("init", "--person", "ada")

    assert answer.code == 0
    assert "palaver mount add office ." in answer.out
    assert listed(crowded) == {}
    assert crowded.run("init", "--json").fields["mounts"] == []


def test_init_can_be_told_not_to_look(crowded: Shell) -> None:
    answer = crowded.run("init", "--yes", "--no-mounts", "--person", "ada")

    assert "Mount" not in answer.out
    assert listed(crowded) == {}


def test_what_init_says_how_to_mount_can_be_mounted_so(crowded: Shell) -> None:
    answer = crowded.run("init", "--person", "ada")

    for line in re.findall(r"palaver (mount add .*)", answer.out):
        assert crowded.run(*line.split()).code == 0, line
    assert len(listed(crowded)) == 6


def test_at_a_terminal_init_asks_for_each_and_mounts_what_is_wanted(crowded: Shell) -> None:
    code, shown = at_terminal(crowded, "init", "--person", "ada", answers="y\nn\n\nno\nY\nwhat\n")

    assert code == 0, shown
    assert not TRICKS.search(shown), shown
    assert shown.count("[Y/n]") == 6
    assert sorted(str(each["dialect"]) for each in listed(crowded).values()) == ["office", "runbus", "swarm"]


def test_at_a_terminal_the_end_of_the_answers_means_no(crowded: Shell) -> None:
    code, shown = at_terminal(crowded, "init", "--person", "ada", answers="n\n\x04\x04\x04\x04\x04\x04")

    assert code == 0, shown
    assert listed(crowded) == {}


# --- history ---


@pytest.mark.slow
def test_history_is_taken_in_once(place: Place) -> None:
    team = place.folder / "team"
    team.mkdir()
    append(team / "channel.jsonl", b"".join(swarm_line(f"line {each}") for each in range(HISTORY)))

    code, shown = at_terminal(place.shell, "mount", "add", "swarm", "team")
    place.do("mount", "remove", "team")
    second = place.do("mount", "add", "swarm", "team", "--json")

    assert code == 0
    # Only what takes long has a bar; then it is taken away in the end.
    assert "█" not in shown.splitlines()[-1]
    assert f"Imported {HISTORY} messages" in shown.splitlines()[-1]
    assert second.fields["taken"] == {}
    assert second.err == ""
    assert place.bodies() == [f"line {each}" for each in range(HISTORY)]


def test_no_bar_shows_elsewhere(place: Place) -> None:
    team = place.folder / "team"
    team.mkdir()
    append(team / "channel.jsonl", b"".join(swarm_line(f"line {each}") for each in range(5_000)))

    answer: Answer = place.do("mount", "add", "swarm", "team")

    assert "syncing" not in answer.out + answer.err
