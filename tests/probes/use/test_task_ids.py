"""The id of a task is a plain name on every surface: one that could be a path names no file, and no task."""

import json
import os
import re
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import Project
from tests.acceptance.trust.service import Service
from tests.processes.faults import strace

EVIL: Final = (
    "../../x", "..", ".", "./x", "/etc/x", "//x", "~", "~/x", "a/b", "a/../b", "x/", "-rf", "--help",
    ".hidden",    "..x", "a\\b", "\\\\host\\x", "a\nb", "a\x01b", "a\x1bb", "a\u202eb", "x" * 300,
)  # fmt: skip
TIME: Final = "2026-11-18T10:00:00Z"
OPENING: Final = (
    "open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,symlink,unlink,unlinkat,mkdir,mkdirat"
)


def touched_outside(trace: Path, *allowed: str) -> list[str]:
    """Return the calls that change or open for writing what is in none of the allowed folders."""
    calls = []
    for call in trace.read_text(errors="replace").splitlines():
        paths = re.findall(r'"([^"]*)"', call)
        writes = "O_WRONLY" in call or "O_RDWR" in call or not re.search(r"\bopen", call)
        is_inside = all(each.startswith((*allowed, "/dev/null")) or "/" not in each for each in paths)
        climbs = any(".." in each.split("/") for each in paths)
        if " = -1 " not in call and ((writes and not is_inside) or climbs):
            calls.append(call)
    return calls


def tasks(project: Project) -> set[str]:
    """Return the ids of all tasks."""
    return {str(row["id"]) for row in project.do("task", "list", "--all", "--json").rows}


@pytest.mark.parametrize("words", ["task open T --id=@", "task claim -- @", "send bob -m x --task=@"])
def test_a_command_refuses_it_with_a_code(project: Project, words: str) -> None:
    head = project.do("verify", "--json").fields["head"]
    answers = {}
    for evil in ("../../x", "/etc/x", "a/b", "..", "~/x", "-rf", "a\\b", "x" * 300):
        given = [each.replace("@", evil) for each in words.split()]
        at = given.index("--") if "--" in given else len(given)
        answers[evil] = project.run(*given[:at], "--as", "ada", "--json", *given[at:])

    for evil, answer in answers.items():
        error = answer.fields["error"]
        assert isinstance(error, dict)
        assert (error["code"], error["exit"]) in (("bad-name", 2), ("bad-arguments", 2)), (evil, answer)
    assert project.run("verify", "--json").fields["head"] == head


def test_python_refuses_each_of_them(project: Project) -> None:
    given = json.dumps([*EVIL, "a\0b"])
    script = f"""
import json, palaver
bus, codes = palaver.Bus(agent="ada"), []
for evil in json.loads({given!r}):
    for ask in (lambda: bus.open_task("T", task=evil), lambda: bus.claim(evil),
                lambda: bus.send("bob", "x", task=evil)):
        try:
            ask()
            codes.append("accepted")
        except Exception as no:
            codes.append(getattr(no, "code", repr(no)))
print(json.dumps(codes))
"""
    (project.folder / "ask.py").write_text(script)

    answer = project.run("ask.py", program="python")

    assert answer.code == 0, answer
    assert set(json.loads(answer.out)) <= {"bad-name", "bad-arguments"}, answer


def test_http_refuses_each_of_them(project: Project) -> None:
    with_service = Service(project)
    try:
        answers = [with_service.request("/api/tasks", {"title": "T", "task": each}) for each in EVIL]
        answers += [
            with_service.request("/api/messages", {"to": ["bob"], "body": "x", "task": each}) for each in EVIL
        ]
    finally:
        with_service.stop()

    assert {status for status, _ in answers} == {400}, answers


def lines_of(dialect: str, evil: str) -> tuple[str, str]:
    """Return a file of a dialect, and what an agent writes into it about a task."""
    record = json.dumps({"ts": TIME, "from": "bob", "to": ["@ada"], "type": "task", "reasoning": "r",
                         "content": f"[TASK:{evil}] x", "task": evil})  # fmt: skip
    head = f"messageId: MSG-20261118-100000-{len(evil)}\ntimestamp: {TIME}\ntype: QUESTION\nagent: bob\n"
    block = f"---\n{head}taskId: {evil}\nrunId: ../../run\n---\nhello\n\n"
    order = {"id": evil, "title": "T", "status": "open", "priority": 2, "created_at": TIME, "type": "task"}
    return {
        "office": ("messages/employee-emp-a1.log", f"[{TIME}] [CLAIM] task: {evil} | by: emp-a1\n"),
        "vermas": (".work/work_orders.jsonl", json.dumps(order) + "\n"),
        "swarm": ("channel.jsonl", record + "\n"),
        "runbus": (
            "MESSAGE-BUS.md",
            block,
        ),
        "collab": ("chat.log", f"2026-11-18 10:00:00 A -> B: [TASK:{evil}] do it\n"),
    }[dialect]


@pytest.mark.parametrize("dialect", ["office", "vermas", "swarm", "runbus", "collab"])
def test_a_line_with_it_makes_no_task_and_no_file(project: Project, dialect: str) -> None:
    settings = ["board=ours"] if dialect == "office" else []
    folder = project.mount(dialect, *settings)
    path = folder / lines_of(dialect, "")[0]
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        for evil in EVIL:
            if evil.isprintable() or dialect in ("vermas", "swarm"):
                file.write(lines_of(dialect, evil)[1])
    for name in ("..", "-rf") if dialect == "vermas" else ():
        (folder / f".work/.assignment-{name}").write_text("wo:../../x\n")
    if dialect == "office":
        (folder / "tasks").mkdir()
        (folder / "tasks/task-9.json").write_text('{"id": "../../y", "title": "T"}')
        (folder / "board.json").write_text('{"cards": [{"taskId": "../../z", "title": "T"}]}')
    for each in folder.rglob("*"):
        os.utime(each, (1, 1))
    trace = project.home / "trace"
    watch = [*strace(output=trace), "-e", f"trace={OPENING}"]

    project.run("sync", program="palaver-py", under=watch)

    assert touched_outside(trace, str(project.folder), str(project.home)) == []
    assert [each for each in tasks(project) if each in EVIL or "/" in each or each[:1] in ".-~"] == []
    assert project.run("verify").code == 0
    cards = [each.name for each in folder.rglob("*.json") if each.parent.name == "tasks"]
    assert set(cards) <= {"task-9.json"}
