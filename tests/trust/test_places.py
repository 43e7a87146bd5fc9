"""Where a bus is, who owns it, and where it is recorded that the user trusts it."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

from tests.cli.spoken import PALAVER, obey_modes
from tests.patience import PATIENCE
from tests.trust.scene import Project, user_at

ROOT: Final = os.geteuid() == 0


def as_nobody(project: Project, *words: str) -> tuple[int, str]:
    """Run a command as the user nobody, who need not be able to enter the folder of our program."""
    script = (
        "import os, sys\n"
        "import palaver.cli.command_table, palaver.cli.hot, palaver.wiring, encodings.idna\n"
        "from palaver.cli.command_table import COMMANDS\n"
        "[COMMANDS[name].load() for name in ('inbox', 'trust', 'init')]\n"
        "os.setgid(65534)\n"
        "os.setuid(65534)\n"
        "palaver.cli.hot.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=project.folder,
        env=dict(project.shell.env),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout + done.stderr


# --- moved and copied folders ---


def test_a_moved_folder_is_asked_about_once(own: Project, tmp_path: Path) -> None:
    own.folder.rename(tmp_path / "moved")
    moved = own.at(tmp_path / "moved")

    refused = moved.run("inbox", "--as", "bob")
    moved.must("trust", "--yes")

    assert refused.code == 4
    assert f"you accepted this bus at {own.bus}" in refused.err
    assert moved.run("inbox", "--as", "bob").code == 0
    assert "Already trusted" in moved.run("trust").out


def test_a_copy_is_asked_about_and_the_original_is_not(own: Project, tmp_path: Path) -> None:
    shutil.copytree(own.folder, tmp_path / "copy")
    copy = own.at(tmp_path / "copy")

    assert copy.run("inbox", "--as", "bob").code == 4
    copy.must("trust", "--yes")
    assert copy.run("inbox", "--as", "bob").code == 0
    assert own.run("inbox", "--as", "bob").code == 0


def test_a_copy_gets_an_id_of_its_own_and_keeps_its_mounts(own: Project, tmp_path: Path, home: Path) -> None:
    (home / "team").mkdir()
    own.must("mount", "add", "swarm", str(home / "team"), "--name", "t1")
    before = (own.bus / "id").read_text()
    shutil.copytree(own.folder, tmp_path / "copy")
    copy = own.at(tmp_path / "copy")

    copy.must("trust", "--yes")

    assert (copy.bus / "id").read_text() != before == (own.bus / "id").read_text()
    assert "not in use" not in copy.must("mount", "list").out
    assert "not in use" not in own.must("mount", "list").out


def test_accepting_a_moved_bus_keeps_everything_in_it(own: Project, tmp_path: Path) -> None:
    own.must("snapshot")
    own.must("send", "bob", "-m", "hello", "--as", "ada")
    own.folder.rename(tmp_path / "moved")
    moved = own.at(tmp_path / "moved")

    moved.must("trust", "--yes")

    assert (moved.bus / ".git/HEAD").exists()
    assert moved.run("inbox", "--as", "bob", "--json").fields["open"] == 1


@pytest.mark.parametrize("name", ["with space", "new\nline", "größe", "back\\slash", "-rf"])
def test_any_folder_name_can_be_recorded(tmp_path: Path, home: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    project = user_at(tmp_path / name, home)

    project.must("init", "--person", "ada")

    assert project.run("inbox", "--as", "ada").code == 0


def test_a_symbolic_link_to_a_trusted_bus_is_that_bus(own: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(own.folder)

    assert own.at(tmp_path / "link").run("inbox", "--as", "bob").code == 0


def test_all_worktrees_of_a_repository_share_one_trusted_bus(own: Project, tmp_path: Path) -> None:
    own.shell.git("init", "-q")
    own.shell.git("commit", "-q", "--allow-empty", "-m", "first")
    own.shell.git("worktree", "add", "-q", str(tmp_path / "linked"))

    assert own.at(tmp_path / "linked").run("send", "bob", "-m", "x", "--as", "ada").code == 0


# --- owners and modes ---


@pytest.mark.skipif(not ROOT, reason="only root can become another user")
def test_a_bus_of_another_user_is_refused_for_everyone(home: Path) -> None:
    with tempfile.TemporaryDirectory() as shared:
        # Pytest's own folders are closed to others.
        Path(shared).chmod(0o777)
        own = user_at(Path(shared), home)
        own.must("init", "--person", "ada")
        own.bus.chmod(0o755)
        own.config.chmod(0o644)
        nobody = own.with_env(HOME=f"{shared}/home", PALAVER_TRUST=shared)
        answers = [as_nobody(nobody, *words) for words in (["inbox", "--as", "bob"], ["trust"], ["init"])]

    for code, shown in answers:
        assert code == 4, shown
        assert "belongs to another user (uid 0)" in shown
        assert "[not-yours]" in shown


@pytest.mark.parametrize(
    ("folder", "config"), [(0o777, 0o600), (0o770, 0o600), (0o720, 0o600), (0o755, 0o666)]
)
def test_a_bus_that_others_may_write_is_refused_with_the_way_out(
    own: Project, folder: int, config: int
) -> None:
    own.bus.chmod(folder)
    own.config.chmod(config)

    refused = own.run("inbox", "--as", "bob")
    own.bus.chmod(0o700)

    assert refused.code == 4
    assert f"chmod 700 {own.bus} [unsafe-root]" in refused.err
    assert own.run("inbox", "--as", "bob").code == 0


def test_a_umask_of_002_makes_a_bus_that_works(tmp_path: Path, home: Path) -> None:
    (tmp_path / "p").mkdir()
    shell = user_at(tmp_path / "p", home).shell
    script = """
umask 002
"$P" init --person ada && "$P" agents add bob --as ada
cp .palaver/config.toml copy && cat copy > .palaver/config.toml
"$P" send bob -m hello --as ada && "$P" inbox --as bob
"""

    answer = shell.sh(script)

    assert answer.code == 0, answer
    assert (tmp_path / "p/.palaver").stat().st_mode & 0o777 == 0o700


def test_the_folders_above_are_not_our_business(own: Project) -> None:
    own.folder.chmod(0o777)

    assert own.run("inbox", "--as", "bob").code == 0


# --- the record ---


def test_where_nothing_can_be_recorded_init_refuses_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    home = tmp_path / "closed"
    home.mkdir(mode=0o500)
    shell = user_at(tmp_path / "p", home).shell

    refused = shell.run("init", before=obey_modes)
    named = shell.with_env(PALAVER_TRUST=str(tmp_path / "p")).run("init", before=obey_modes)
    moved = shell.with_env(XDG_STATE_HOME=str(tmp_path / "state"))

    assert refused.code == 1
    assert f"PALAVER_TRUST={tmp_path}/p [storage]" in refused.err
    assert named.code == 0
    assert shell.run("inbox", "--as", "x", before=obey_modes).code == 4
    assert moved.run("trust", "--yes", before=obey_modes).code == 0
    assert moved.run("agents", before=obey_modes).code == 0


def test_a_refused_init_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    home = tmp_path / "closed"
    home.mkdir(mode=0o500)

    user_at(tmp_path / "p", home).shell.run("init", before=obey_modes)

    assert user_at(tmp_path / "p", tmp_path / "home").run("init").code == 0


def test_a_sandbox_with_a_read_only_home_uses_the_bus(own: Project, home: Path) -> None:
    for place, _, files in os.walk(home):
        for name in files:
            Path(place, name).chmod(0o400)
        Path(place).chmod(0o500)

    sent = own.shell.run("send", "bob", "-m", "hello", "--as", "ada", before=obey_modes)

    assert sent.code == 0
    assert own.shell.run("inbox", "--as", "bob", before=obey_modes).code == 0


def test_an_agent_whose_sandbox_hides_the_home_uses_the_bus(own: Project, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    script = f'HOME={tmp_path}/empty "$P" send ada -m "from the sandbox"'

    own.with_env(P=PALAVER).run("run", "--as", "bob", "--", "sh", "-c", script)

    [mail] = own.run("read", "--as", "ada", "--json").rows
    assert mail["body"] == "from the sandbox"


def test_a_container_with_another_home_names_the_folder(own: Project, tmp_path: Path) -> None:
    (tmp_path / "container").mkdir()
    inside = own.with_env(HOME=str(tmp_path / "container"))

    assert inside.run("inbox", "--as", "bob").code == 4
    for named in (own.folder, own.bus, own.folder.parent):
        assert inside.with_env(PALAVER_TRUST=f"/nowhere:{named}").run("inbox", "--as", "bob").code == 0
    for wrong in (f"{own.folder}x", "own", "", "*", str(own.folder / "sub")):
        assert inside.with_env(PALAVER_TRUST=wrong).run("inbox", "--as", "bob").code == 4


def test_a_record_that_others_may_write_does_not_count(own: Project, home: Path) -> None:
    [record] = [path for path in (home / ".local/state/palaver/bus").iterdir() if path.name != ".lock"]
    record.chmod(0o666)

    assert own.run("inbox", "--as", "bob").code == 4


def test_many_inits_at_once_make_one_bus(tmp_path: Path, home: Path) -> None:
    (tmp_path / "p").mkdir()
    shell = user_at(tmp_path / "p", home).shell
    children = [
        subprocess.Popen([PALAVER, "init"], cwd=shell.folder, env=dict(shell.env), stdout=subprocess.DEVNULL)
        for _ in range(8)
    ]

    assert [child.wait() for child in children] == [0] * 8
    assert shell.run("verify").code == 0


def test_a_moved_bus_keeps_its_mounts_outside_the_project(own: Project, tmp_path: Path, home: Path) -> None:
    (home / "team").mkdir()
    own.must("mount", "add", "swarm", str(home / "team"), "--name", "t1")
    own.folder.rename(tmp_path / "moved")
    moved = own.at(tmp_path / "moved")

    shown = moved.must("trust", "--yes").out

    assert f"swarm at {home}/team: Palaver reads and writes files there" in shown
    assert "not in use" not in moved.must("mount", "list").out
