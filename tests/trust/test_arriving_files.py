"""Files that arrive with a project neither run commands nor reach outside it, whenever they arrive."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from palaver.log import record
from palaver.model.plain import dumps
from tests.trust.scene import Project, user_at


def content_of(home: Path) -> dict[str, str]:
    """Return every file of the home folder with its digest, except Palaver's own records."""
    files = (path for path in home.rglob("*") if path.is_file())
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if ".local/state/palaver" not in str(path)
    }


def forge_events(project: Project, *events: tuple[str, dict[str, object]]) -> None:
    """Append events to the log with valid checksums and links, as an attacker can."""
    segment = sorted((project.bus / "log").iterdir())[-1]
    last = segment.read_bytes().splitlines()[-1]
    seq, prev = record.seq_of(last), record.hashed(last)
    bodies = [
        (
            f'"event_id":"evt-forged{number:06}","event_type":"{event_type}",'
            f'"timestamp":"2026-01-01T00:00:00.000Z","actor":"palaver","auth":"token","data":{dumps(data)}'
        ).encode()
        for number, (event_type, data) in enumerate(events)
    ]
    content = segment.read_bytes()
    for number, body in enumerate(bodies, start=seq + 1):
        line = record.line(number, body, prev)
        prev = record.hashed(line)
        content += line + b"\n"
    segment.write_bytes(content)


def plant_command(folder: Path) -> tuple[Path, Path]:
    """Return a program that leaves a mark, and its mark."""
    mark = folder / "command-was-run"
    program = folder / "planted.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    return program, mark


def set_fsmonitor(repository: Path, program: Path) -> None:
    """Name a program in the config of a git repository that `git status` and `git add` run."""
    with (repository / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {program}\n")


# --- links that arrive in a bus that is trusted already ---


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("log/000000000900.jsonl", ".bashrc"),
        ("pulse", ".bashrc"),
        ("token", ".ssh"),
        ("view", ".ssh"),
        ("run", ".ssh"),
        ("worktrees", ".ssh"),
    ],
)
def test_links_that_a_pull_brings_lead_nothing_out_of_the_bus(
    tmp_path: Path, home: Path, link: str, target: str
) -> None:
    (home / ".bashrc").write_text("# mine\n")
    (home / ".ssh/id_ed25519").write_text("my key\n")
    upstream = user_at(tmp_path / "upstream", home)
    upstream.folder.mkdir()
    upstream.shell.git("init", "-q", "-b", "main")
    upstream.shell.git("commit", "-q", "--allow-empty", "-m", "first")
    upstream.shell.git("clone", "-q", ".", str(tmp_path / "clone"))
    mine = user_at(tmp_path / "clone", home)
    mine.must("init", "--person", "ada")
    mine.must("agents", "add", "bob", "--as", "ada")
    shutil.rmtree(mine.bus / link, ignore_errors=True)
    (mine.bus / link).unlink(missing_ok=True)
    (upstream.bus / link).parent.mkdir(parents=True, exist_ok=True)
    (upstream.bus / link).symlink_to(home / target)
    upstream.shell.git("add", "-f", ".palaver")
    upstream.shell.git("commit", "-q", "-m", "second")
    before = content_of(home)

    mine.shell.git("pull", "-q")
    mine.run("send", "bob", "-m", "$(touch ran)", "--as", "ada")
    mine.run("run", "--as", "bob", "--", "/bin/true")
    mine.run("run", "--as", "bob", "--on-message", "--once", "--", "/bin/true")
    mine.run("task", "open", "T", "--id", "t1", "--as", "ada")
    mine.shell.sh('"$(dirname $P)/co" dispatch t1 fac --worktree --as ada -- /bin/true')

    assert content_of(home) == before


def test_a_linked_attic_receives_no_files(own: Project, home: Path) -> None:
    (own.folder / ".work").mkdir()
    own.must("mount", "add", "vermas", ".")
    own.must("task", "open", "T", "--id", "t1", "--as", "ada")
    shutil.rmtree(own.bus / "attic", ignore_errors=True)
    (own.bus / "attic").symlink_to(home / ".ssh")

    own.run("task", "claim", "t1", "--as", "bob")

    assert content_of(home) == {}


def test_a_link_to_a_trusted_bus_does_not_move_its_mounts(own: Project, tmp_path: Path) -> None:
    (own.folder / "s").mkdir()
    (own.folder / "s/channel.jsonl").touch()
    own.must("mount", "add", "swarm", "s", "--set", "agents=bob")
    hostile = own.at(tmp_path / "hostile")
    (hostile.folder / "s").mkdir(parents=True)
    channel = hostile.folder / "s/channel.jsonl"
    order = '{"ts":"2026-01-01T00:00:00.000Z","from":"ada","to":["@bob"],"type":"task","content":"planted"}\n'
    channel.write_text(order)
    hostile.bus.symlink_to(own.bus)

    hostile.run("send", "bob", "-m", "between us", "--as", "ada")

    assert channel.read_text() == order
    assert "planted" not in own.run("inbox", "--as", "bob").out


# --- commands ---


def test_a_bus_named_in_palaver_trust_runs_no_command(foreign: Project, tmp_path: Path) -> None:
    program, mark = plant_command(tmp_path)
    set_fsmonitor(foreign.bus / ".git", program)

    foreign.with_env(PALAVER_TRUST=str(foreign.folder)).run("snapshot")

    assert not mark.exists()


def test_a_bus_named_in_palaver_trust_may_not_contain_links(foreign: Project, home: Path) -> None:
    (home / ".ssh/id_ed25519").write_text("my key\n")
    (foreign.bus / "token").symlink_to(home / ".ssh")

    foreign.with_env(PALAVER_TRUST=str(foreign.folder)).run("run", "--as", "bob", "--", "/bin/true")

    assert (home / ".ssh/id_ed25519").exists()


def test_a_changed_copy_of_an_own_bus_runs_no_command(own: Project, tmp_path: Path) -> None:
    program, mark = plant_command(tmp_path)
    own.must("snapshot")
    returned = own.at(tmp_path / "returned")
    shutil.copytree(own.folder, returned.folder)
    set_fsmonitor(returned.bus / ".git", program)
    returned.must("trust", "--yes")

    returned.must("send", "bob", "-m", "x", "--as", "ada")
    returned.run("snapshot")

    assert not mark.exists()


def test_a_changed_copy_of_an_own_bus_with_links_cannot_be_accepted(own: Project, tmp_path: Path) -> None:
    returned = own.at(tmp_path / "returned")
    shutil.copytree(own.folder, returned.folder)
    (returned.bus / "token").symlink_to(tmp_path)

    assert returned.run("trust", "--yes").code == 4


def test_a_forged_log_ends_no_process_of_the_user(foreign: Project) -> None:
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_text()
        run: dict[str, object] = {
            "run": "run_001",
            "agent": "bob",
            "pid": process.pid,
            "pgid": process.pid,
            "ticks": int(stat.rpartition(")")[2].split()[19]),
            "host": os.uname().nodename,
            "boot": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
        }
        forge_events(foreign, ("run.started", run))
        foreign.must("trust", "--yes")

        foreign.run("runs", "kill", "run_001", "--as", "eve")

        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


# --- decisions, and what stays usable ---


def test_a_trust_command_that_fails_accepts_nothing(foreign: Project) -> None:
    foreign.config.write_text("person = \n")

    accepted = foreign.run("trust", "--yes")

    assert accepted.code == 2
    assert foreign.run("inbox", "--as", "bob").code == 4


def test_an_accepted_bus_is_kept_out_of_the_surrounding_repository(foreign: Project) -> None:
    shutil.rmtree(foreign.bus / ".git")
    foreign.shell.git("init", "-q")
    foreign.shell.git("add", "-f", ".palaver/config.toml", ".palaver/log")
    foreign.shell.git("commit", "-q", "-m", "first")
    foreign.must("trust", "--yes")

    foreign.must("send", "bob", "-m", "x", "--as", "ada")

    added = [line for line in foreign.shell.git("status", "--short").splitlines() if line.startswith("??")]
    assert added == []


def test_an_impossible_name_in_the_log_breaks_no_command(foreign: Project) -> None:
    (foreign.folder / ".work").mkdir()
    assigned: dict[str, object] = {"agent": "a\0b", "ref_type": "work_order", "ref_id": "t1"}
    forge_events(foreign, ("agent.registered", {"agent": "a\0b"}), ("assignment.set", assigned))
    foreign.configure('\n[mounts.v]\ndialect = "vermas"\npath = "."\n')
    foreign.must("trust", "--yes")

    assert foreign.run("inbox", "--as", "bob").code == 0


def test_a_root_with_two_slashes_is_the_same_root(own: Project) -> None:
    assert own.run("inbox", "--as", "bob", "--root", f"/{own.folder}").code == 0
