"""Where a mount is, as people write it into the config."""

from pathlib import Path

import pytest

from tests.cli.spoken import Shell, surroundings, with_user_config


@pytest.mark.parametrize("path", ["~/collab", "../home/collab", "/ABSOLUTE/collab"])
def test_the_path_of_a_mount_may_start_at_home_at_the_bus_or_at_the_root(tmp_path: Path, path: str) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    (home / "collab").mkdir(parents=True)
    (home / "collab" / "chat.log").write_text("2026-02-22 03:15:44 JIM -> CLAWDY: hello\n")
    shell = Shell(folder=project, env=surroundings(HOME=str(home)))
    shell = with_user_config(shell, '[mounts]\nfolders = ["~"]\n')
    assert shell.run("init", "--person", "ada", "--no-mounts").code == 0
    written = path.replace("/ABSOLUTE", str(home))
    with (project / ".palaver" / "config.toml").open("a") as config:
        config.write(f'\n[mounts.collab]\ndialect = "collab"\npath = "{written}"\na = "jim"\nb = "clawdy"\n')

    answer = shell.run("inbox", "--as", "clawdy", "--json")

    messages = answer.fields["messages"]
    assert isinstance(messages, list)
    assert [each["body"] for each in messages] == ["hello"]


def test_a_config_that_cannot_be_read_leaves_the_mounts_as_they_were(tmp_path: Path) -> None:
    collab = tmp_path / "collab"
    collab.mkdir()
    shell = Shell(folder=tmp_path, env=surroundings())
    assert shell.run("init", "--person", "ada", "--no-mounts").code == 0
    assert shell.run("mount", "add", "collab", "collab", "--set", "a=jim", "--set", "b=clawdy").code == 0
    with (tmp_path / ".palaver" / "config.toml").open("a") as config:
        config.write("\n[mounts.\n")
    (collab / "chat.log").write_text("2026-02-22 03:15:44 JIM -> CLAWDY: hello\n")

    read = shell.run("inbox", "--as", "clawdy")
    synced = shell.run("sync")

    assert "hello" in read.out
    assert synced.code == 1
    assert "config.toml:" in synced.err
