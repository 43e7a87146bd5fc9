"""A secret in the place of a name: refused where it is given, kept out of the log where a file has it."""

import json
from typing import Final

import pytest

from tests.acceptance.project import Project
from tests.acceptance.teams import mount_team
from tests.acceptance.trust.secret_corpus import BASE32, drawn
from tests.acceptance.trust.service import Service
from tests.acceptance.trust.test_secrets import MAIL, SWARM, kept_bytes, logged

# In small letters, as names are.
SECRET: Final = "gh" + "p_" + drawn("secret name", 36, BASE32)
COMMANDS: Final = {
    "the key": ("send", "bob", "-m", "x", "--key", SECRET),
    "the recipient": ("send", SECRET, "-m", "x", "--allow-unknown"),
    "the task": ("task", "open", "x", "--id", SECRET),
    "the title": ("task", "open", SECRET),
    "the name": ("agents", "add", SECRET),
    "the handle": ("agents", "add", "cy", "--handle", SECRET),
    "the role": ("agents", "add", "cy", "--role", SECRET),
    "the description": ("agents", "add", "cy", "--about", SECRET),
    "the members": ("lists", "set", "team", SECRET),
    "the list": ("lists", "set", SECRET, "bob"),
    "the message": ("snapshot", "-m", SECRET),
}
CALLS: Final = {
    "the task": ("/api/tasks", {"title": "x", "task": SECRET}),
    "the handle": ("/api/agents", {"agent": "cy", "handle": SECRET}),
    "the message": ("/api/operations/snapshot", {"message": SECRET}),
    "the recipient": ("/api/messages", {"to": [SECRET], "body": "x", "allow_unknown": True}),
}


@pytest.mark.parametrize("field", COMMANDS)
def test_a_command_refuses_a_secret_and_names_the_field(project: Project, field: str) -> None:
    refused = project.run(*COMMANDS[field], agent="ada")

    assert refused.code == 2, refused
    assert f"{field} seem" in refused.err
    assert SECRET.encode() not in kept_bytes(project)


def test_no_program_speaks_in_the_name_of_a_secret(project: Project) -> None:
    assert project.run("task", "open", "x", agent=SECRET).code == 2
    assert SECRET.encode() not in kept_bytes(project)


def test_a_refusal_names_no_option_that_the_command_lacks(project: Project) -> None:
    for words in (
        ("task", "open", SECRET),
        ("report-error", "bob", "--task", "t", "--impact", SECRET, "--action", "y", "-m", "z"),
    ):
        refused = project.run(*words, agent="ada")
        assert "[secret]" in refused.err, refused
        assert "--allow-secret" not in refused.err
    assert "--allow-secret" in project.run("send", "bob", "-m", SECRET, agent="ada").err


def test_a_request_refuses_a_secret_and_names_the_field(project: Project) -> None:
    service = Service(project)
    try:
        for field, (path, fields) in CALLS.items():
            status, answer = service.request(path, fields)
            assert status == 400, (field, answer)
            assert f"{field} seem" in json.dumps(answer)
    finally:
        service.stop()
    assert SECRET.encode() not in kept_bytes(project)


RUNBUS: Final = (
    "---\nmessageId: {id}\ntype: FACT\nagent: {agent}\ntimestamp: 2026-01-26T10:15:00Z\n{more}---\n\nx\n\n---"
)
MESSAGE: Final = "MSG-20260126-101500-claude-5f2"
LINES: Final = {
    "swarm from": ("swarm", "channel.jsonl", json.dumps(SWARM | {"from": SECRET})),
    "swarm to": ("swarm", "channel.jsonl", json.dumps(SWARM | {"to": [f"@{SECRET}"]})),
    "vermas id": ("vermas", ".work/messages.jsonl", json.dumps(MAIL | {"id": f"msg-{SECRET}"})),
    "vermas from": ("vermas", ".work/messages.jsonl", json.dumps(MAIL | {"from": SECRET})),
    "vermas to": ("vermas", ".work/messages.jsonl", json.dumps(MAIL | {"to": SECRET})),
    "runbus id": ("runbus", "MESSAGE-BUS.md", RUNBUS.format(id=SECRET, agent="claude", more="")),
    "runbus agent": ("runbus", "MESSAGE-BUS.md", RUNBUS.format(id=MESSAGE, agent=SECRET, more="")),
    "runbus relatesTo": (
        "runbus", "MESSAGE-BUS.md", RUNBUS.format(id=MESSAGE, agent="claude", more=f"relatesTo: {SECRET}\n"),
    ),
    "office to": ("office", "messages/manager-inbox.log", f"[2026-01-25T10:00:00Z] [REPLY] To {SECRET}: x"),
    "collab from": ("collab", "chat.log", f"2026-01-25 10:00:00 {SECRET} -> CLAWDY: [TASK:login] x"),
    "collab to": ("collab", "chat.log", f"2026-01-25 10:00:00 JIM -> {SECRET}: [TASK:login] x"),
}  # fmt: skip


@pytest.mark.parametrize("where", LINES)
def test_a_secret_as_a_name_in_a_file_is_not_in_the_log(project: Project, where: str) -> None:
    dialect, file, text = LINES[where]
    folder = mount_team(project, dialect).folder
    project.append(folder / file, text)
    for _ in range(2):
        project.sync()

    assert SECRET.encode() not in logged(project)
    kept = project.root / "quarantine" / "000001.bin"
    is_kept = kept.exists() and SECRET.encode() in kept.read_bytes()
    # Either the line counts, and the field is masked, or the bytes are kept to be tried again.
    counted = [each for each in project.events("mail.sent") if each["actor"] != "palaver"]
    assert bool(counted) != is_kept
    assert b" masked]" in logged(project)


@pytest.mark.parametrize(
    ("dialect", "file"),
    [("office", f"messages/employee-{SECRET}.log"), ("collab", f"inbox/msg_{SECRET}.txt")],
)
def test_a_file_with_a_secret_as_its_name_is_named_and_not_read(
    project: Project, dialect: str, file: str
) -> None:
    path = mount_team(project, dialect).folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("[2026-01-25T10:00:00Z] [INFO] by: w1 | x\n")

    told = project.run("sync")

    assert "its name seems to hold a secret" in told.text, told
    assert SECRET.encode() not in kept_bytes(project)
