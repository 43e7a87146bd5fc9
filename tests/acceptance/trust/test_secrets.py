"""A secret is refused where it is sent and masked where it is taken in, whole, and people are told where."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import Project
from tests.acceptance.teams import mount_team
from tests.acceptance.trust.agent_run import AgentRun
from tests.acceptance.trust.secret_corpus import CORPUS, Planted
from tests.acceptance.trust.service import Service

RUNBUS: Final = """---
messageId: MSG-20260126-101500-claude-5f2
type: FACT
agent: claude
timestamp: 2026-01-26T10:15:00Z
runId: run_001
taskId: TASK-1
---

TEXT

---"""
VERMAS: Final = (
    '{"id":"msg-1","from":"vera","to":"ceo","subject":"s","body":"TEXT","timestamp":"2026-01-26T10:15:00Z"}'
)
LINES: Final = {
    "office": ("messages/employee-w1.log", "[2026-01-25T10:00:00Z] [INFO] by: w1 | TEXT"),
    "vermas": (".work/messages.jsonl", VERMAS),
    "runbus": ("MESSAGE-BUS.md", RUNBUS),
    "collab": ("chat.log", "2026-01-25 10:00:00 JIM -> CLAWDY: [TASK:login] TEXT"),
}
KEY, KEY_BLOCK = CORPUS[0], next(each for each in CORPUS if each.family == "RSA private key")


def rows() -> list[object]:
    """Return the corpus, each family under its name."""
    return [pytest.param(each, id=each.family) for each in CORPUS]


def line(text: str) -> str:
    """Return a line as an agent of a swarm appends it."""
    fields = {"from": "qa", "to": ["@programmer"], "type": "message", "reasoning": "r", "content": text}
    return json.dumps({"ts": "2026-01-25T23:45:00.000Z", **fields})


def kept_bytes(project: Project) -> bytes:
    """Return every byte that the bus keeps."""
    return b"\n".join(path.read_bytes() for path in project.root.rglob("*") if path.is_file())


def logged(project: Project) -> bytes:
    """Return every byte of the log."""
    return b"".join(path.read_bytes() for path in (project.root / "log").iterdir())


def bodies(project: Project) -> list[str]:
    """Return the texts of what agents sent. The bus tells them of their secrets, which is mail too."""
    found = [event["data"] for event in project.events("mail.sent") if event["actor"] != "palaver"]
    return [str(each["body"]) for each in found if isinstance(each, dict)]


@pytest.fixture(scope="module")
def sent(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project to which the tests send."""
    return Project.copy(template, tmp_path_factory.mktemp("sent"))


@pytest.fixture(scope="module")
def taken_in(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project that has taken in a file with every secret and every near miss, one a line."""
    project = Project.copy(template, tmp_path_factory.mktemp("taken"))
    channel = project.mount("swarm") / "channel.jsonl"
    project.append(channel, *(line(text) for each in CORPUS for text in (each.text, each.near_miss)))
    project.sync()
    project.do("search", "use")
    if len(bodies(project)) != 2 * len(CORPUS):
        raise RuntimeError("setup failed: not every line was taken in")
    return project


@pytest.fixture(scope="module")
def taken_bodies(taken_in: Project) -> list[str]:
    return bodies(taken_in)


def test_the_corpus_has_more_than_forty_families() -> None:
    assert len({each.family for each in CORPUS}) == len(CORPUS) > 40


@pytest.mark.parametrize("planted", rows())
def test_a_secret_is_not_sent(sent: Project, planted: Planted) -> None:
    refused = sent.run("send", "bob", "-m", "-", agent="ada", stdin=planted.text.encode())

    assert refused.code == 2, refused
    assert "[secret]" in refused.err
    assert planted.secret not in refused.text
    assert planted.secret.encode() not in kept_bytes(sent)


def test_what_only_looks_like_a_secret_is_sent(sent: Project) -> None:
    text = "\n".join(each.near_miss for each in CORPUS)

    answer = sent.run("send", "bob", "-m", "-", agent="ada", stdin=text.encode())

    assert answer.code == 0, answer
    assert text in bodies(sent)


@pytest.mark.parametrize("planted", rows())
def test_a_secret_in_a_file_is_masked_when_it_is_taken_in(taken_in: Project, planted: Planted) -> None:
    assert planted.secret.encode() not in kept_bytes(taken_in)


@pytest.mark.parametrize("planted", rows())
def test_what_only_looks_like_a_secret_is_taken_in_as_it_is(
    taken_bodies: list[str], planted: Planted
) -> None:
    assert planted.near_miss in taken_bodies


def test_a_private_key_is_masked_whole_and_the_text_around_it_is_kept(project: Project, swarm: Path) -> None:
    planted = KEY_BLOCK
    project.append(swarm, line(planted.text))
    project.sync()

    [body] = bodies(project)
    armour = planted.text.removeprefix("the key:\n").removesuffix("\nthat is all").splitlines()
    assert [part for part in armour if part in body] == []
    assert body.startswith("the key:")
    assert body.endswith("that is all")


@pytest.fixture
def swarm(project: Project) -> Path:
    """Return the channel of a swarm that is mounted in the project."""
    return project.mount("swarm") / "channel.jsonl"


@pytest.mark.parametrize(
    ("dialect", "planted"),
    [
        *(pytest.param(dialect, KEY, id=dialect) for dialect in LINES),
        pytest.param("runbus", KEY_BLOCK, id="runbus-block"),
    ],
)
def test_a_secret_is_masked_whatever_the_protocol_of_the_file(
    project: Project, dialect: str, planted: Planted
) -> None:
    file, template = LINES[dialect]
    project.append(mount_team(project, dialect).folder / file, template.replace("TEXT", planted.text))

    project.sync()

    [body] = bodies(project)
    assert planted.text[:4] in body
    assert planted.secret.encode() not in kept_bytes(project)


SECRET: Final = CORPUS[0].secret
SWARM: Final = {"from": "qa", "to": ["@all"], "type": "message", "reasoning": "r", "content": "c"}
MAIL: Final = {"id": "msg-1", "from": "vera", "to": "ceo", "body": "b", "timestamp": "2026-01-26T10:15:00Z"}
ORDER: Final = {"id": "wo-abc12", "title": "t", "status": "open", "created_by": "ceo"}
# Lines that have the secret somewhere else than in the text of a message.
ELSEWHERE: Final[dict[str, tuple[str, str, Mapping[str, object]]]] = {
    "reasoning": ("swarm", "channel.jsonl", SWARM | {"reasoning": SECRET}),
    "another-field": ("swarm", "channel.jsonl", SWARM | {"env": {"deep": ["x", SECRET]}}),
    "a-field-by-its-name": ("swarm", "channel.jsonl", SWARM | {"password": "Xy12zzQQ"}),
    "name-of-a-field": ("swarm", "channel.jsonl", SWARM | {SECRET: "x"}),
    "not-a-message": ("swarm", "channel.jsonl", {"kind": "note", "text": SECRET}),
    "subject": ("vermas", ".work/messages.jsonl", MAIL | {"subject": SECRET}),
    "title-of-a-task": ("vermas", ".work/work_orders.jsonl", ORDER | {"title": SECRET}),
    "description-of-a-task": ("vermas", ".work/work_orders.jsonl", ORDER | {"description": SECRET}),
}
# Texts that cannot be read, or break a rule: what is wrong with them is told to their authors.
QUOTED: Final = {
    "office": ("messages/employee-w1.log", f"[2026-01-25T10:00:00Z] [INFO] by w1 | {SECRET}"),
    "swarm": ("channel.jsonl", f"not JSON {SECRET}"),
    "runbus": ("MESSAGE-BUS.md", f"outside {SECRET} of every message"),
    "collab": ("chat.log", f"2026-01-25 10:00:00 nobody {SECRET}"),
}


@pytest.mark.parametrize("where", ELSEWHERE)
def test_a_secret_is_masked_in_every_field_of_a_line(project: Project, where: str) -> None:
    dialect, file, fields = ELSEWHERE[where]
    folder = mount_team(project, dialect).folder
    project.append(folder / file, json.dumps(fields))
    project.sync()
    project.sync()

    hidden = "Xy12zzQQ" if "password" in fields else SECRET
    assert hidden.encode() not in logged(project)
    assert b" masked]" in logged(project)


@pytest.mark.parametrize("dialect", QUOTED)
def test_a_notice_about_a_line_does_not_quote_its_secret(project: Project, dialect: str) -> None:
    file, text = QUOTED[dialect]
    folder = mount_team(project, dialect).folder
    before, after = (LINES.get(dialect, ("", line(word)))[1].replace("TEXT", word) for word in ("one", "two"))
    project.append(folder / file, before, text, after.replace("-5f2", "-5f3"))
    for _ in range(3):
        project.sync()

    assert SECRET.encode() not in logged(project)
    assert b" masked]" in logged(project)
    others = (path for path in folder.rglob("*") if path.is_file() and path != folder / file)
    assert [path for path in others if SECRET in path.read_text()] == []


@pytest.fixture
def masked(project: Project, swarm: Path) -> Project:
    """Return a project that has masked a secret in the second line of a file."""
    project.append(swarm, line("hello"), line(CORPUS[0].text))
    project.sync()
    return project


def test_doctor_tells_which_file_held_a_secret(masked: Project) -> None:
    examined = masked.run("doctor")

    assert "channel.jsonl:2 (Anthropic key)" in examined.out, examined
    assert CORPUS[0].secret not in examined.text


@pytest.fixture
def served(masked: Project) -> Iterator[Service]:
    service = Service(masked)
    yield service
    service.stop()


def test_the_dashboard_tells_which_line_of_which_file_held_a_secret(served: Service) -> None:
    findings = served.rows("/api/status", "findings")

    places = [(each["file"], each["line"]) for each in findings if "secret" in json.dumps(each)]
    assert places == [("channel.jsonl", 2)]


def test_a_program_does_not_send_the_token_of_its_run(project: Project, tmp_path: Path) -> None:
    bob = AgentRun(project, "bob", tmp_path)
    try:
        refused = bob.run("send", "carol", "-m", f"my token is {bob.variable('PALAVER_TOKEN')}")
    finally:
        bob.stop()

    assert refused.code == 2, refused


def test_the_first_page_of_the_dashboard_tells_of_a_masked_secret(served: Service) -> None:
    [found] = served.rows("/api/now", "masked")

    assert (found["file"], found["line"]) == ("channel.jsonl", 2)
    assert "Anthropic key" in str(found["message"])


def test_a_secret_is_not_sent_over_http(served: Service) -> None:
    status, answer = served.request("/api/messages", {"to": ["bob"], "body": CORPUS[0].text})

    assert status == 400, answer
    assert "secret" in json.dumps(answer)
    assert "Anthropic key" in json.dumps(answer)
    assert CORPUS[0].secret not in json.dumps(answer)
    status, answer = served.request(
        "/api/messages", {"to": ["bob"], "body": CORPUS[0].text, "allow_secret": True}
    )
    assert status == 201, answer


def redacted(project: Project, channel: Path, *options: str) -> str:
    """Send a text that is rendered into a file, redact it, and return what redact has said."""
    project.do("send", "qa", "-m", "open sesame", agent="ada")
    project.sync()
    if "open sesame" not in channel.read_text():
        raise RuntimeError("setup failed: the message is not in the file")
    number = str(project.events("mail.sent")[-1]["seq"])
    return project.run("redact", number, *options, agent="ada").text


def test_redact_takes_a_text_out_of_the_log(project: Project, swarm: Path) -> None:
    redacted(project, swarm)

    assert b"open sesame" not in kept_bytes(project)


def test_redact_names_the_files_that_still_hold_the_text(project: Project, swarm: Path) -> None:
    told = redacted(project, swarm)

    assert "channel.jsonl" in told


# Choice: the request is an option of the command.
def test_redact_rewrites_the_files_that_hold_the_text_on_request(project: Project, swarm: Path) -> None:
    redacted(project, swarm, "--rewrite-files")

    assert "open sesame" not in swarm.read_text()


# Lines that are quoted in part by what is told about them: the cut must not come before the mask.
TOKEN: Final = next(each.secret for each in CORPUS if each.family == "GitHub token")
URL: Final = next(each for each in CORPUS if each.family == "database URL")
CUT: Final = {
    "url": ("office", "messages/employee-w1.log", f"zzzzzzzz {URL.text[4:]}", URL.secret),
    "token": (
        "office",
        "messages/employee-w1.log",
        f"[2026-01-25T10:00:00Z] [{TOKEN}] by: w1 | x",
        TOKEN[:14],
    ),
    "type": ("swarm", "channel.jsonl", json.dumps(SWARM | {"type": f"a long type {TOKEN}"}), TOKEN[:14]),
    "time": ("swarm", "channel.jsonl", json.dumps(SWARM | {"ts": f"the long time {TOKEN}"}), TOKEN[:14]),
    "priority": (
        "vermas",
        ".work/messages.jsonl",
        json.dumps(MAIL | {"priority": f"high {TOKEN}"}),
        TOKEN[:12],
    ),
    "key": ("runbus", "MESSAGE-BUS.md", f"outside of every message, which is long {TOKEN}", TOKEN[:12]),
}


@pytest.mark.parametrize("where", CUT)
def test_a_quote_is_masked_before_it_is_cut(project: Project, where: str) -> None:
    dialect, file, text, hidden = CUT[where]
    folder = mount_team(project, dialect).folder
    project.append(folder / file, text)
    for _ in range(2):
        project.sync()

    assert hidden.encode() not in logged(project)
    assert hidden not in project.run("quarantine").text + project.run("status").text
    others = (path for path in folder.rglob("*") if path.is_file() and path != folder / file)
    assert [path for path in others if hidden in path.read_text()] == []


def test_rewriting_the_event_file_of_a_team_puts_nothing_into_the_log(project: Project) -> None:
    mount_team(project, "vermas")
    for body in ("alpha words", "bravo words\nmore of it"):
        project.do("send", "bob", "-m", body, agent="ada")
    project.sync()
    for event in project.events("mail.sent"):
        project.do("redact", str(event["seq"]), "--rewrite-files", agent="ada")
        project.sync()

    assert project.events("file.recorded") == []
    assert b"bravo words" not in kept_bytes(project)


def test_redacting_a_quarantine_entry_takes_it_out_of_the_notices_and_the_files(project: Project) -> None:
    folder = mount_team(project, "office").folder
    project.append(folder / "messages/employee-w1.log", "the door opens with zanzibar")
    for _ in range(2):
        project.sync()
    [entry] = [event for event in project.events("file.quarantined") if "zanzibar" in json.dumps(event)]
    name = str(entry["data"]["id"])  # type: ignore[index]

    first = project.run("redact", name, agent="ada")
    assert "messages/employee-w1.log:1 still holds the text" in first.out, first
    assert "messages/manager-inbox.log:1 still holds the text" in first.out, first
    assert b"zanzibar" not in logged(project)
    assert "zanzibar" not in project.run("search", "zanzibar", agent="ada").out
    assert name in project.run("quarantine", "--all").out

    again = folder / "messages/employee-w1.log"
    project.append(again, "the gate opens with zanzibar")
    for _ in range(2):
        project.sync()
    entries = [str(each["data"]["id"]) for each in project.events("file.quarantined")]  # type: ignore[index]
    told = project.run("redact", entries[-1], "--rewrite-files", agent="ada")
    assert "was rewritten" in told.out, told
    assert "the gate opens" not in again.read_text()
    assert b"the gate opens" not in kept_bytes(project)


def test_redact_names_a_reply_with_the_subject(project: Project) -> None:
    project.do("send", "bob", "-s", "open sesame", "-m", "x", agent="ada")
    [sent] = project.events("mail.sent")
    project.do("reply", str(sent["data"]["message_id"]), "-m", "y", agent="bob")  # type: ignore[index]
    reply = project.events("mail.sent")[-1]["seq"]

    told = project.run("redact", str(sent["seq"]), agent="ada")

    assert f"event {reply} holds the text, too: palaver redact {reply}" in told.out, told


def test_redact_names_an_inbox_file_that_has_the_text_escaped(project: Project) -> None:
    folder = mount_team(project, "collab").folder
    project.append(folder / "chat.log", "2026-01-25 10:00:00 JIM -> CLAWDY: [TASK:login] start")
    project.sync()
    project.do("send", "clawdy", "-m", "first part\nsecond part", agent="ada")
    project.sync()
    files = [path for path in folder.glob("**/msg_*") if "first part" in path.read_text()]
    if not files:
        raise RuntimeError("setup failed: no inbox file")
    seq = project.events("mail.sent")[-1]["seq"]

    told = project.run("redact", str(seq), "--rewrite-files", agent="ada")

    assert [path for path in files if path.name not in told.out and "first part" in path.read_text()] == []


KEY_LINES: Final = KEY_BLOCK.text.removeprefix("the key:\n").removesuffix("\nthat is all").splitlines()
PARTS: Final[dict[str, Mapping[str, object]]] = {
    "a list": SWARM | {"lines": KEY_LINES},
    "two fields": SWARM | {"reasoning": "\n".join(KEY_LINES[:3]), "content": "\n".join(KEY_LINES[3:])},
}


@pytest.mark.parametrize("form", PARTS)
def test_a_private_key_in_parts_is_masked(project: Project, swarm: Path, form: str) -> None:
    project.append(swarm, json.dumps(PARTS[form]))
    project.sync()

    assert [part for part in KEY_LINES[1:-1] if part.encode() in kept_bytes(project)] == []


def test_a_private_key_that_is_written_line_by_line_is_not_quoted(project: Project) -> None:
    folder = mount_team(project, "office").folder
    for each in KEY_LINES[:3]:
        project.append(folder / "messages/employee-w1.log", each)
        project.sync()

    assert [part for part in KEY_LINES[1:3] if part[:20].encode() in logged(project)] == []
    assert KEY_LINES[1][:20] not in (folder / "messages/manager-inbox.log").read_text()


def test_the_output_of_a_run_is_masked_where_it_is_shown(project: Project) -> None:
    project.run("run", "--as", "bob", "--", "sh", "-c", f"echo first; echo {SECRET}; echo last")

    shown = project.run("runs", "tail", "run_001").out

    assert SECRET not in shown
    assert [word in shown for word in ("first", "[Anthropic key masked]", "last")] == [True] * 3
