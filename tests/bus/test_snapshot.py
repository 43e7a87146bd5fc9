"""Snapshots: the log in a small history of its own, whatever git the user has."""

import subprocess
from pathlib import Path

import pytest

from palaver import Bus
from tests.bus.scene import bus_in, environment

pytestmark = pytest.mark.on_disk("git commits the files of the log")


def git(folder: Path | str, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, env=environment(), check=True
    )
    return done.stdout.strip()


def commits(bus: Bus) -> list[str]:
    return git(bus.root.path, "log", "--format=%h").split()


def test_a_snapshot_holds_the_log_and_the_config_and_nothing_that_can_be_made_again(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "Hello")
    bus.inbox("bob")

    commit = bus.snapshot("first").commit

    assert commits(bus) == [commit]
    assert git(bus.root.path, "ls-files").split("\n") == [
        ".gitignore",
        "config.toml",
        "log/000000000001.jsonl",
    ]
    assert git(bus.root.path, "log", "-1", "--format=%s %an") == "first palaver"


def test_where_nothing_changed_there_is_no_snapshot(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    first = bus.snapshot().commit

    assert bus.snapshot().commit == ""
    bus.inbox("bob")
    assert bus.snapshot().commit == ""
    bus.send("bob", "Hello")
    second = bus.snapshot().commit

    assert commits(bus) == [second, first]


def test_it_works_for_who_has_no_identity_and_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = bus_in(tmp_path, "bob")
    for name in ("HOME", "EMAIL", "USER", "LOGNAME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    assert bus.snapshot().commit


def test_it_works_for_who_signs_everything_has_hooks_and_ignores_json_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "hooks").mkdir(parents=True)
    hook = home / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hook-ran\nexit 1\n")
    hook.chmod(0o755)
    (home / "ignore").write_text("*.jsonl\nlog\n")
    (home / ".gitconfig").write_text(
        f"[commit]\ngpgsign = true\n[core]\nhooksPath = {home}/hooks\nexcludesFile = {home}/ignore\n"
    )
    monkeypatch.setenv("HOME", str(home))
    bus = bus_in(tmp_path, "bob")

    assert bus.snapshot().commit

    assert "log/000000000001.jsonl" in git(bus.root.path, "ls-files")
    assert not (tmp_path / "hook-ran").exists()


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"])
def test_inside_a_hook_of_another_repository_it_goes_into_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    subprocess.run(["git", "init", "--quiet", str(elsewhere)], check=True, env=environment())
    (tmp_path / "here").mkdir()
    monkeypatch.setenv(variable, str(elsewhere / ".git"))
    bus = bus_in(tmp_path / "here", "bob")

    commit = bus.snapshot().commit
    monkeypatch.delenv(variable)

    assert commits(bus) == [commit]
    assert git(elsewhere, "rev-list", "--all") == ""


def test_a_broken_repository_of_its_own_never_makes_it_use_the_one_around_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True, env=environment())
    (tmp_path / "work").write_text("mine")
    git(tmp_path, "add", "work")
    bus = bus_in(tmp_path, "bob")
    (Path(bus.root.path) / ".git" / "HEAD").unlink()

    commit = bus.snapshot().commit

    assert commits(bus) == [commit]
    assert git(tmp_path, "rev-list", "--all") == ""
    assert git(tmp_path, "status", "--porcelain") == "A  work"


@pytest.mark.parametrize(
    "message", ["", "a\0b", "\ud800", "x" * 500_000, "-m", "--amend", "#", "\n\n", "日本"]
)
def test_any_text_can_be_the_message_of_a_snapshot(tmp_path: Path, message: str) -> None:
    bus = bus_in(tmp_path, "bob")

    assert bus.snapshot(message).commit


def test_a_snapshot_taken_back_is_the_log_of_that_time(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "kept")
    bus.snapshot()
    kept = git(bus.root.path, "show", "HEAD:log/000000000001.jsonl")

    assert Path(bus.root.log, "000000000001.jsonl").read_text().strip() == kept
