"""Where a mount is, as people write it into the config."""

from pathlib import Path

import pytest

from tests.cli.spoken import Shell, surroundings


@pytest.mark.parametrize("path", ["~/collab", "../home/collab", "/ABSOLUTE/collab"])
def test_the_path_of_a_mount_may_start_at_home_at_the_bus_or_at_the_root(tmp_path: Path, path: str) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    (home / "collab").mkdir(parents=True)
    (home / "collab" / "chat.log").write_text("2026-02-22 03:15:44 JIM -> CLAWDY: hello\n")
    shell = Shell(folder=project, env=surroundings(HOME=str(home)))
    assert shell.run("init", "--person", "ada", "--no-mounts").code == 0
    written = path.replace("/ABSOLUTE", str(home))
    with (project / ".palaver" / "config.toml").open("a") as config:
        config.write(f'\n[mounts.collab]\ndialect = "collab"\npath = "{written}"\na = "jim"\nb = "clawdy"\n')

    answer = shell.run("inbox", "--as", "clawdy", "--json")

    messages = answer.fields["messages"]
    assert isinstance(messages, list)
    assert [each["body"] for each in messages] == ["hello"]
