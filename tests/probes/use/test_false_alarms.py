"""What is neither a loss nor a fault is not reported as one by `palaver verify` and `palaver doctor`."""

import os
import shutil
import subprocess
from collections.abc import Callable
from typing import Final

import pytest

from tests.acceptance.project import Project
from tests.probes.use.other_user import OTHER, under
from tests.processes.faults import root_only


def remove(*names: str) -> Callable[[Project], None]:
    """Return what removes entries of the bus."""

    def act(project: Project) -> None:
        for name in names:
            path = project.root / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    return act


def redact_twice(project: Project) -> None:
    project.do("send", "bob", "-m", "second", agent="ada")
    project.do("snapshot")
    for number in ("5", "6"):
        project.do("redact", number, agent="ada")


def hard_link_backup(project: Project) -> None:
    subprocess.run(["cp", "-al", str(project.root), str(project.home / "backup")], check=True)


def restore_snapshot(project: Project) -> None:
    """Put back what a snapshot holds, as git hands it out."""
    kept = project.home / "kept"
    project.do("snapshot")
    project.root.rename(kept)
    subprocess.run(["git", "clone", "-q", str(kept / ".git"), str(project.root)], check=True)
    shutil.copy2(kept / "id", project.root / "id")
    project.root.chmod(0o700)
    (project.root / "log").chmod(0o700)


def end_in_the_future(project: Project) -> None:
    for path in project.root.rglob("*"):
        os.utime(path, (4_000_000_000, 4_000_000_000), follow_symlinks=False)


HARMLESS: Final = {
    "nothing": lambda _: None,
    "the view was removed": remove("view"),
    "all that is derived was removed": remove("view", "bell", "roster", "pulse"),
    "the locks were removed": remove("log.lock", "view.lock"),
    "two redactions after a snapshot": redact_twice,
    "a backup with hard links": hard_link_backup,
    "a restored snapshot": restore_snapshot,
    "times in the future": end_in_the_future,
}


@pytest.mark.parametrize("harmless", HARMLESS)
def test_what_harms_nothing_is_no_alarm(project: Project, harmless: str) -> None:
    HARMLESS[harmless](project)

    examined, verified = project.run("doctor"), project.run("verify")

    assert (examined.code, verified.code) == (0, 0), (examined, verified)


def test_a_log_that_is_gone_is_an_alarm(project: Project) -> None:
    shutil.rmtree(project.root / "log")

    assert project.run("doctor").code == 1


def test_a_bus_on_a_read_only_disk_is_no_alarm(project: Project) -> None:
    root_only("a read-only disk")
    script = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; cd "$1/.."; shift; exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", script, "sh", str(project.root)]

    examined, verified = (project.run(each, under=words) for each in ("doctor", "verify"))

    assert (examined.code, verified.code) == (0, 0), (examined, verified)
    assert "can be read, and not written to" in examined.out


@pytest.mark.parametrize("command", ["inbox --as ada", "status", "quarantine", "agents"])
def test_a_bus_with_mounts_is_read_on_a_read_only_disk(project: Project, command: str) -> None:
    root_only("a read-only disk")
    (project.folder / "swarm").mkdir()
    project.do("mount", "add", "swarm", "swarm")
    script = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; cd "$1/.."; shift; exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", script, "sh", str(project.root)]

    answer = project.run(*command.split(), under=words)

    assert answer.code == 0, answer
    assert "the mounted files are not synced: Read-only file system" in answer.err


@pytest.mark.parametrize("closed", ["project", "home"])
def test_a_bus_or_a_home_that_its_owner_may_not_write_is_no_alarm(project: Project, closed: str) -> None:
    words = under(OTHER)
    base = project.folder.parent
    for path in (base, *base.rglob("*")):
        os.chown(path, OTHER, OTHER, follow_symlinks=False)
    for path in (base / closed, *(base / closed).rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)

    examined, verified = (project.run(each, under=words) for each in ("doctor", "verify"))

    assert (examined.code, verified.code) == (0, 0), (examined, verified)
