"""co worker: programs in the slots of a factory, from dispatch to done."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.spoken import Answer, Shell, with_user_config
from tests.runs.programs import Runner, alive, until, with_no_one_left

BIN = Path(sys.executable).parent


class Ceo:
    """Somebody who types co and wo, and whose workers all end with the test."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell.with_env(AGENT_ID="ceo", PATH=f"{BIN}:{shell.env['PATH']}")
        self.runner = Runner(shell=shell)

    def __call__(self, *words: str) -> Answer:
        return self.shell.type(*words)

    def order(self, title: str = "Feature X") -> str:
        return self("wo", "create", "--title", title).out.split()[-1]

    def workers(self) -> dict[str, dict[str, str]]:
        return {row["worker"]: row for row in json.loads(self("co", "worker", "list", "--json").out)}


@pytest.fixture
def ceo(bus: Shell) -> Iterator[Ceo]:
    bus.run("agents", "add", "ceo", "project-a/supervisor")
    found = Ceo(bus)
    yield found
    for each in found.runner.listed(going=True):
        with_no_one_left(int(str(each["pid"])))


def test_a_dispatched_order_is_picked_up_by_a_program_and_handed_in(ceo: Ceo) -> None:
    order = ceo.order()

    said = ceo(
        "co", "dispatch", order, "project-a", "--", "sh", "-c", "cat > told; co worker done -m 'branch x'"
    )

    assert said.out.startswith(f"Dispatched: {order} to project-a/workers/slot0 (run_001, process ")
    until(lambda: ceo.runner.last()["state"] == "ended")
    told = (ceo.shell.folder / "told").read_text()
    assert told.startswith(f"ASSIGNED: {order}\nExecute it now")
    assert ceo.runner.last()["exit"] == 0
    assert ceo.workers()["project-a/workers/slot0"]["status"] == "idle"
    assert ceo("wo", "show", order, "--json").rows[0]["status"] == "in_progress"
    [checked] = [each for each in ceo.runner.events("assignment.checked") if each["found"]]
    assert 0 <= int(str(checked["response_ms"])) < 30_000


def test_the_config_names_the_program_and_the_number_of_slots(ceo: Ceo) -> None:
    ceo.runner.configure("\n[runs]\nslots = 2\n")
    ceo = Ceo(shell=with_user_config(ceo.shell, '[runs]\nworker = ["sleep", "300"]\n'))

    codes = [ceo("co", "dispatch", ceo.order(str(n)), "project-a").code for n in range(3)]

    assert codes == [0, 0, 5]
    assert [row["process"] for row in ceo.workers().values()] == ["running", "running"]


def test_a_worker_in_a_worktree_of_its_own_finds_the_one_bus(ceo: Ceo) -> None:
    ceo.shell.git("init", "-q")
    ceo.shell.git("commit", "-q", "--allow-empty", "-m", "first")
    order = ceo.order()
    script = "pwd; git branch --show-current; co assignment"

    ceo("co", "dispatch", order, "project-a", "--worktree", "--", "sh", "-c", script)

    until(lambda: ceo.runner.last()["state"] == "ended")
    folder = ceo.shell.folder / ".palaver/worktrees/project-a/slot0"
    said = ceo.runner.trace("run_001/agent-logs/project-a+workers+slot0.txt").decode()
    assert said == f"{folder}\nslot0-{order}\nASSIGNED: {order}\n"

    (folder / "unsaved").write_text("x")
    refused = ceo("co", "worker", "spawn", "project-a", "0", "--worktree", "--", "true")
    assert (refused.code, "[in-the-way]" in refused.err) == (5, True)
    (folder / "unsaved").unlink()
    assert ceo("co", "worker", "spawn", "project-a", "0", "--worktree", "--", "true").code == 0


def in_a_worktree(ceo: Ceo, script: str) -> tuple[str, Path]:
    """Let a worker run a script in a worktree of its own, to its end; return its order and its folder."""
    order = ceo.order()
    ceo("co", "dispatch", order, "project-a", "--worktree", "--", "sh", "-c", script)
    until(lambda: ceo.runner.last()["state"] == "ended")
    return order, ceo.shell.folder / ".palaver/worktrees/project-a/slot0"


@pytest.fixture
def repository(ceo: Ceo) -> Shell:
    ceo.shell.git("init", "-q", "-b", "main")
    ceo.shell.git("commit", "-q", "--allow-empty", "-m", "first")
    return ceo.shell


def test_handing_in_commits_what_is_left_in_the_worktree(ceo: Ceo, repository: Shell) -> None:
    order, _ = in_a_worktree(ceo, "echo x > made.txt; co worker done -m 'It is made.'")

    branch = f"slot0-{order}"
    assert repository.git("log", "-1", "--format=%s", branch).strip() == f"{order}: It is made."
    assert repository.git("show", f"{branch}:made.txt") == "x\n"
    commit = repository.git("rev-parse", "--short", branch).strip()
    [done] = [each for each in ceo.runner.events("mail.sent") if each.get("act") == "deliver"]
    assert done["body"] == f"It is made.\n\nBranch: {branch}\nCommit: {commit}"


def test_handing_in_what_is_committed_makes_no_commit(ceo: Ceo, repository: Shell) -> None:
    before = repository.git("rev-parse", "main")

    order, _ = in_a_worktree(ceo, "co worker done -m 'Nothing to change.'")

    assert repository.git("rev-parse", f"slot0-{order}") == before


def test_the_branch_goes_to_a_remote_if_there_is_one_unless_it_is_to_stay(
    ceo: Ceo, repository: Shell
) -> None:
    repository.git("init", "-q", "--bare", "remote.git")
    repository.git("remote", "add", "origin", str(repository.folder / "remote.git"))

    pushed, _ = in_a_worktree(ceo, "echo x > made.txt; co worker done -m one")
    stayed, _ = in_a_worktree(ceo, "echo y > made.txt; co worker done -m two --no-push")

    heads = repository.git("ls-remote", "--heads", "origin")
    assert (f"slot0-{pushed}" in heads, f"slot0-{stayed}" in heads) == (True, False)


def test_a_push_that_fails_is_said_and_the_work_is_handed_in(ceo: Ceo, repository: Shell) -> None:
    repository.git("remote", "add", "origin", str(repository.folder / "nowhere.git"))

    in_a_worktree(ceo, "echo x > made.txt; co worker done -m one")

    said = ceo.runner.trace("run_001/agent-logs/project-a+workers+slot0.txt").decode()
    assert "is committed, but not pushed" in said
    assert ceo.workers()["project-a/workers/slot0"]["status"] == "idle"


def test_a_commit_that_git_refuses_hands_nothing_in(ceo: Ceo, repository: Shell) -> None:
    hook = repository.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not like this >&2\nexit 1\n")
    hook.chmod(0o755)

    _, folder = in_a_worktree(ceo, "echo x > made.txt; co worker done -m one")

    said = ceo.runner.trace("run_001/agent-logs/project-a+workers+slot0.txt").decode()
    assert "not like this" in said
    assert ceo.runner.last()["exit"] == 1
    assert ceo.workers()["project-a/workers/slot0"]["status"] == "assigned"
    assert (folder / "made.txt").read_text() == "x\n"


def test_killing_a_worker_ends_its_program_and_gives_its_order_back(ceo: Ceo) -> None:
    order = ceo.order()
    ceo("co", "dispatch", order, "project-a", "--", "sleep", "300")
    pid = int(str(ceo.runner.last()["pid"]))

    said = ceo("co", "worker", "kill", "project-a", "slot0", "--reason", "it is stuck")

    assert said.out == f"Killed: project-a/workers/slot0 (killed); released: work_order:{order}\n"
    assert not alive(pid)
    assert ceo("wo", "show", order, "--json").rows[0]["status"] == "open"
    assert ceo("co", "worker", "kill", "project-a", "0").code == 3


def test_a_slot_has_one_program_and_the_next_free_one_is_taken(ceo: Ceo) -> None:
    for _ in range(2):
        assert ceo("co", "worker", "spawn", "project-a", "--", "sleep", "300").code == 0

    assert sorted(ceo.workers()) == ["project-a/workers/slot0", "project-a/workers/slot1"]
    assert ceo("co", "worker", "spawn", "project-a", "slot1", "--", "true").code == 5
    status = ceo("co", "worker", "status", "project-a", "1", "--json").rows[0]
    assert (status["process"], status["run"]) == ("running", "run_002")


def test_a_repeated_key_starts_one_program(ceo: Ceo) -> None:
    said = [
        ceo("co", "worker", "spawn", "project-a", "--key", "k", "--", "sleep", "300").out for _ in range(2)
    ]

    assert said[0] == said[1]
    assert list(ceo.workers()) == ["project-a/workers/slot0"]


def test_mistakes_are_named(ceo: Ceo) -> None:
    assert ceo("co", "worker", "spawn", "project-a").code == 2
    assert ceo("co", "worker", "spawn", "project-a", "--", "no-such-program").code == 1
    assert ceo("co", "worker", "status", "project-a", "0").code == 3
    assert ceo("co", "worker", "spawn", "project-a", "--wo", "wo-none", "--", "true").code == 3
