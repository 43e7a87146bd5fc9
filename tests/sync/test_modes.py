"""Files that we make in somebody's folder can be read by whom that folder is for."""

from pathlib import Path

import pytest

from tests.cli.spoken import Shell, surroundings


@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o755, 0o644), (0o775, 0o664), (0o700, 0o600)])
def test_a_file_of_ours_is_as_open_as_its_folder(tmp_path: Path, folder_mode: int, file_mode: int) -> None:
    collab = tmp_path / "collab"
    (collab / "inbox").mkdir(parents=True)
    for folder in (collab, collab / "inbox"):
        folder.chmod(folder_mode)
    shell = Shell(folder=tmp_path, env=surroundings(PALAVER_AGENT="ada"))
    assert shell.run("init", "--person", "ada").code == 0
    assert shell.run("mount", "add", "collab", "collab", "--set", "b=clawdy").code == 0

    assert shell.run("send", "clawdy", "-m", "hello").code == 0

    [dropped] = (collab / "inbox").glob("msg_*.txt")
    assert (collab / "chat.log").stat().st_mode & 0o777 == file_mode
    assert dropped.stat().st_mode & 0o777 == file_mode
