"""palaver init: a bus in a folder, ready for a first message, nobody else's business."""

import os
import pwd
import stat
import subprocess
from pathlib import Path

import pytest

from tests.cli.spoken import PALAVER, Shell, obey_modes
from tests.patience import PATIENCE


def test_init_says_where_the_bus_is_who_you_are_and_what_comes_next(nowhere: Shell) -> None:
    answer = nowhere.run("init", "--person", "ada")

    assert answer.code == 0
    assert answer.lines == [
        f"Created a bus: {nowhere.folder}/.palaver",
        "Your name on the bus is ada. Every program of your user can read the messages.",
        "Next:",
        "  palaver agents add bob",
        '  palaver send bob -m "Hello"',
        "  palaver inbox --as bob",
    ]
    assert answer.err == ""


def test_what_init_proposes_works_as_it_stands(nowhere: Shell) -> None:
    proposed = [line.strip() for line in nowhere.run("init", "--person", "ada").lines if line[:2] == "  "]

    done = nowhere.with_env(PALAVER_AGENT="ada").sh(
        "set -e\n" + "\n".join(line.replace("palaver", '"$P"', 1) for line in proposed)
    )

    assert done.code == 0
    assert "Hello" in done.out


def test_init_answers_a_program_with_one_object(nowhere: Shell) -> None:
    answer = nowhere.run("init", "--person", "ada", "--json")

    assert answer.fields == {
        "root": f"{nowhere.folder}/.palaver",
        "fresh": True,
        "person": "ada",
        "snapshots": True,
        "ignored_by_outer_repository": False,
        "mounts": [],
    }


def test_init_twice_leaves_the_bus_as_it_is(nowhere: Shell) -> None:
    nowhere.run("init", "--person", "ada")
    before = nowhere.log()

    again = nowhere.run("init", "--person", "somebody-else")

    assert again.code == 0
    assert again.lines[0] == f"A bus already exists: {nowhere.folder}/.palaver"
    assert again.lines[1].startswith("Your name on the bus is ada.")
    assert nowhere.log() == before


def test_the_person_is_an_agent_so_that_a_first_answer_reaches_them(nowhere: Shell) -> None:
    nowhere.run("init", "--person", "ada")

    [person] = nowhere.run("agents", "--json").rows

    assert (person["id"], person["about"]) == ("ada", "the person at the terminal")
    assert nowhere.run("send", "ada", "-m", "hi", "--as", "bob").code == 0


def test_without_a_name_the_person_is_the_user(nowhere: Shell) -> None:
    answer = nowhere.run("init", "--json")

    assert answer.fields["person"] == pwd.getpwuid(os.getuid()).pw_name


def test_a_person_whose_name_cannot_be_one_is_refused_and_nothing_is_made(nowhere: Shell) -> None:
    answer = nowhere.run("init", "--person", "../ada")

    assert answer.code == 2
    assert "[bad-name]" in answer.err
    assert list(nowhere.folder.iterdir()) == []


def test_eight_inits_at_once_make_one_bus(nowhere: Shell) -> None:
    started = [nowhere.start("init", "--person", "ada") for _ in range(8)]
    answers = [process.communicate(timeout=PATIENCE) for process in started]

    assert [(process.returncode, said[1]) for process, said in zip(started, answers, strict=True)] == [
        (0, b"")
    ] * 8
    assert nowhere.run("verify").code == 0
    assert [agent["id"] for agent in nowhere.run("agents", "--json").rows] == ["ada"]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_whatever_the_umask_everything_is_private(nowhere: Shell, umask: int) -> None:
    def masked() -> None:
        os.umask(umask)
        obey_modes()

    assert nowhere.run("init", "--person", "ada", before=masked).code == 0
    for words in (
        ["agents", "add", "bob"],
        ["send", "bob", "-m", "hi", "--as", "ada"],
        ["inbox", "--as", "bob"],
        ["search", "hi"],
        ["wait", "--as", "bob"],
        ["lists", "set", "crew", "bob"],
        ["doctor"],
        ["snapshot"],
        ["redact", "4", "--as", "ada"],
    ):
        assert nowhere.run(*words, before=masked).code == 0, words

    modes = {
        path.relative_to(nowhere.folder).as_posix(): stat.S_IMODE(path.lstat().st_mode)
        for path in [nowhere.folder / ".palaver", *(nowhere.folder / ".palaver").rglob("*")]
        if path.is_dir() or path.is_file()
    }
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    ours = {name: mode for name, mode in modes.items() if "/.git/" not in name}
    assert {mode for name, mode in ours.items() if (nowhere.folder / name).is_dir()} == {0o700}
    assert {mode for name, mode in ours.items() if (nowhere.folder / name).is_file()} == {0o600}


def test_a_folder_that_cannot_be_written_is_named_with_the_cause(nowhere: Shell) -> None:
    nowhere.folder.chmod(0o500)

    answer = nowhere.run("init", before=obey_modes)

    nowhere.folder.chmod(0o700)
    assert answer.code == 1
    assert f"cannot make {nowhere.folder}/.palaver: Permission denied" in answer.err
    assert "[storage]" in answer.err


def test_a_folder_that_is_not_there_is_not_made(nowhere: Shell) -> None:
    answer = nowhere.run("init", "--root", "absent/deeper")

    assert answer.code == 2
    assert "there is no such folder; make it first" in answer.err
    assert list(nowhere.folder.iterdir()) == []


def test_a_file_is_no_place_for_a_bus(nowhere: Shell) -> None:
    (nowhere.folder / "file").write_text("x")

    answer = nowhere.run("init", "--root", "file")

    assert answer.code == 2
    assert "it is not a folder" in answer.err


def test_a_loop_of_links_is_no_place_for_a_bus(nowhere: Shell) -> None:
    (nowhere.folder / "loop").symlink_to("loop")

    answer = nowhere.run("init", "--root", "loop")

    assert answer.code == 1
    assert "symbolic links" in answer.err


def test_a_file_in_the_place_of_the_bus_is_left_alone(nowhere: Shell) -> None:
    (nowhere.folder / ".palaver").write_text("precious")

    answer = nowhere.run("init")

    assert answer.code == 1
    assert (nowhere.folder / ".palaver").read_text() == "precious"


def test_init_makes_the_bus_where_the_environment_says(nowhere: Shell, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    shell = nowhere.with_env(PALAVER_ROOT=str(tmp_path / "elsewhere"))

    assert shell.run("init").code == 0
    assert (tmp_path / "elsewhere/.palaver/config.toml").is_file()
    assert list(nowhere.folder.iterdir()) == []


def test_a_git_that_refuses_keeps_nobody_from_talking(nowhere: Shell, tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text("this is no config\n")
    shell = nowhere.with_env(HOME=str(tmp_path))

    begun = shell.run("init", "--person", "ada")

    assert begun.code == 0
    assert "git is missing or does not work here" in begun.err
    assert shell.run("send", "ada", "-m", "hi", "--as", "bob").code == 0
    assert shell.run("snapshot").code == 1


def test_without_git_the_bus_works_and_says_what_does_not(nowhere: Shell) -> None:
    shell = nowhere.with_env(PATH="/nonexistent")

    begun = shell.run("init", "--person", "ada")

    assert begun.code == 0
    assert "palaver snapshot will not" in begun.err
    assert "[tool-missing]" in shell.run("snapshot").err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can meet another user's bus")
def test_root_does_not_make_another_users_bus_its_own(bus: Shell) -> None:
    subprocess.run(["chown", "-R", "12345:12345", str(bus.folder / ".palaver")], check=True)

    refused = bus.run("init")

    assert refused.code == 4
    assert "it belongs to another user (uid 12345)" in refused.err


def test_the_command_under_test_is_the_installed_one() -> None:
    assert Path(PALAVER).is_file()
