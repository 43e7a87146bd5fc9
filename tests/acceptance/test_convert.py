"""palaver convert: what it could not read or say is named, and ids and relations survive the way back."""

import json
from pathlib import Path

import pytest

from tests.acceptance.project import Answer, Project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.create(tmp_path_factory.mktemp("convert"), "pat")


def convert(project: Project, path: Path, source: str, target: str) -> Answer:
    return project.run("convert", "--from", source, "--to", target, str(path))


# --- what cannot be read, or said ---

GOOD = {
    "office": "[2026-01-01T10:00:00Z] [INFO] by: emp-a1 | Hello.\n",
    "vermas": (
        '{"id":"msg-1","from":"ceo","to":"qa","subject":"S","body":"B","timestamp":"2026-01-01T10:00:00Z"}\n'
    ),
    "swarm": (
        '{"ts":"2026-01-01T10:00:00Z","from":"td","to":["@qa"],"type":"message",'
        '"reasoning":"r","content":"c"}\n'
    ),
    "runbus": (
        "---\nmessageId: MSG-20260101-100000-claude-5f2\ntype: FACT\nagent: claude-a-1\n"
        "timestamp: 2026-01-01T10:00:00Z\nrunId: run_001\ntaskId: TASK-1\n---\n\nHello.\n\n---\n"
    ),
    "collab": "2026-01-01 10:00:00 JIM -> CLAWDY: Hello.\n",
}
BAD = {
    "office": "# A note in Markdown\n",
    "vermas": "not JSON\n",
    "swarm": "not JSON\n",
    "runbus": "Text outside of every message.\n",
    "collab": "2026-01-01 10:00:01 no sender here\n",
}
NAMES = {
    "office": "employee-emp-a1.log",
    "vermas": "messages.jsonl",
    "swarm": "channel.jsonl",
    "runbus": "MESSAGE-BUS.md",
    "collab": "chat.log",
}


@pytest.mark.parametrize("source", GOOD)
def test_a_file_that_is_converted_whole_exits_with_0(project: Project, tmp_path: Path, source: str) -> None:
    file = tmp_path / NAMES[source]
    file.write_text(GOOD[source])

    answer = convert(project, file, source, "vermas" if source != "vermas" else "swarm")

    assert answer.code == 0
    assert len(answer.out.splitlines()) == 1


@pytest.mark.parametrize("source", BAD)
def test_a_line_that_cannot_be_read_is_named(project: Project, tmp_path: Path, source: str) -> None:
    file = tmp_path / NAMES[source]
    file.write_text(GOOD[source] + BAD[source] + GOOD[source])

    answer = convert(project, file, source, "vermas" if source != "vermas" else "swarm")

    number = GOOD[source].count("\n") + 1
    assert f"{NAMES[source]}:{number}:" in answer.text


@pytest.mark.parametrize("source", BAD)
def test_a_line_that_cannot_be_read_makes_the_exit_code_non_zero(
    project: Project, tmp_path: Path, source: str
) -> None:
    file = tmp_path / NAMES[source]
    file.write_text(GOOD[source] + BAD[source] + GOOD[source])

    assert convert(project, file, source, "vermas" if source != "vermas" else "swarm").code != 0


@pytest.mark.parametrize(
    ("name", "line", "word"),
    [
        ("work_orders.jsonl", '{"id":"wo-abc12","title":"X","status":"open","created_by":"ceo"}', "wo-abc12"),
        (
            "events.jsonl",
            '{"event_id":"evt-1","event_type":"mail.read","timestamp":"2026-01-01T10:00:00Z","actor":"ceo","data":{}}',
            "evt-1",
        ),
        (".assignment-project-a-workers-slot0", "work_order:wo-abc12", "wo-abc12"),
    ],
)
def test_what_cannot_be_said_is_named(
    project: Project, tmp_path: Path, name: str, line: str, word: str
) -> None:
    file = tmp_path / ".work" / name
    file.parent.mkdir()
    file.write_text(line + "\n")

    answer = convert(project, file, "vermas", "swarm")

    # It is either said in the other dialect, or named as what could not be said.
    assert answer.code != 0 or word in answer.out
    assert word in answer.text or name in answer.text


# --- there and back ---

MAIL = [
    {
        "id": "msg-1",
        "from": "project-a/workers/slot0",
        "to": "project-a/supervisor",
        "subject": "Which one?",
        "body": "See the log.",
        "timestamp": "2026-01-01T10:00:00Z",
        "type": "HELP",
        "priority": "urgent",
        "metadata": {"work_order_id": "wo-123"},
    },
    {
        "id": "msg-2",
        "from": "project-a/supervisor",
        "to": "project-a/workers/slot0",
        "subject": "[ANSWER] This one",
        "body": "Line one.\nLine two | with \\ signs.",
        "timestamp": "2026-01-01T10:01:00Z",
        "metadata": {"work_order_id": "wo-123", "palaver": {"re": "msg-1"}},
    },
]
QUESTION = (
    "---\nmessageId: MSG-20260126-101500-claude-5f2\ntype: QUESTION\nagent: claude-research-1\n"
    "timestamp: 2026-01-26T10:15:00Z\nrunId: run_001\ntaskId: TASK-parser\n---\n\nWhich grammar?\n\n---\n"
)
ANSWER = (
    "---\nmessageId: MSG-20260126-101600-root-a07\ntype: ANSWER\nagent: orchestrator\n"
    "timestamp: 2026-01-26T10:16:00Z\nrunId: run_001\ntaskId: TASK-parser\n"
    "relatesTo: MSG-20260126-101500-claude-5f2\nfiles: src/a.py, src/b.py\n---\n\nThe second.\n\n---\n"
)


def there_and_back(project: Project, folder: Path, text: str, home: str, abroad: str) -> str:
    """Convert a text into another dialect and back, and return it."""
    for source, target in ((home, abroad), (abroad, home)):
        file = folder / NAMES[source]
        file.write_text(text)
        answer = convert(project, file, source, target)
        if answer.code:
            raise RuntimeError(answer.text)
        text = answer.out
    return text


@pytest.mark.parametrize("abroad", ["office", "swarm", "runbus", "collab"])
def test_mail_that_went_through_another_dialect_says_the_same(
    project: Project, tmp_path: Path, abroad: str
) -> None:
    mail = "".join(json.dumps(line) + "\n" for line in MAIL)

    back = [
        json.loads(line) for line in there_and_back(project, tmp_path, mail, "vermas", abroad).splitlines()
    ]

    said = [{key: line[key] for key in line if key != "id"} for line in MAIL]
    assert [{key: line[key] for key in line if key != "id"} for line in back] == said


@pytest.mark.parametrize("abroad", ["office", "swarm", "runbus", "collab"])
def test_mail_that_went_through_another_dialect_keeps_ids_and_relations(
    project: Project, tmp_path: Path, abroad: str
) -> None:
    mail = "".join(json.dumps(line) + "\n" for line in MAIL)

    back = [
        json.loads(line) for line in there_and_back(project, tmp_path, mail, "vermas", abroad).splitlines()
    ]

    assert [line["id"] for line in back] == ["msg-1", "msg-2"]
    assert back[1]["metadata"]["palaver"]["re"] == "msg-1"


@pytest.mark.parametrize(
    "abroad",
    [
        "office",
        "vermas",
        "swarm",
        "collab",
    ],
)
def test_blocks_that_went_through_another_dialect_keep_ids_and_relations(
    project: Project, tmp_path: Path, abroad: str
) -> None:
    back = there_and_back(project, tmp_path, f"{QUESTION}\n{ANSWER}", "runbus", abroad)

    ids = [line.split(": ")[1] for line in back.splitlines() if line.startswith("messageId: ")]
    assert ids == ["MSG-20260126-101500-claude-5f2", "MSG-20260126-101600-root-a07"]
    assert "\nrelatesTo: MSG-20260126-101500-claude-5f2\n" in back


EVERYONE = {
    "null": '"to":null,',
    "empty": '"to":[],',
    "absent": "",
    "all": '"to":["@all"],',
}


@pytest.mark.parametrize("abroad", ["office", "vermas", "runbus", "collab"])
@pytest.mark.parametrize("form", EVERYONE)
def test_a_message_to_everyone_comes_back_to_everyone(
    project: Project, tmp_path: Path, abroad: str, form: str
) -> None:
    line = f'{{"ts":"2026-01-01T10:00:00Z","from":"td",{EVERYONE[form]}"type":"message","reasoning":"r"'
    line += ',"content":"Hello."}\n'

    back = json.loads(there_and_back(project, tmp_path, line, "swarm", abroad))

    back.pop("palaver_id", "")
    assert back == json.loads(line)


@pytest.mark.parametrize("line", ["JEREMY -> TEAM: pause the bot", "SYSTEM: Cron fired depin_health.sh"])
def test_a_line_of_a_chat_to_the_team_comes_back_to_the_team(
    project: Project, tmp_path: Path, line: str
) -> None:
    text = f"2026-01-01 10:00:00 {line}\n"

    assert there_and_back(project, tmp_path, text, "collab", "office") == text


def test_a_message_to_b_becomes_a_line_of_the_chat_log(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "channel.jsonl"
    file.write_text(
        '{"ts":"2026-01-01T10:00:00Z","from":"td","to":["@b"],"type":"message","reasoning":"r","content":"Hello."}\n'
    )

    assert convert(project, file, "swarm", "collab").out.startswith("2026-01-01 10:00:00 TD -> B: Hello.")


# --- secrets ---


@pytest.mark.parametrize("source", GOOD)
def test_a_secret_is_masked_and_its_line_is_named(project: Project, tmp_path: Path, source: str) -> None:
    file, key = tmp_path / NAMES[source], "sk-" + "ant-api03-" + "a1B2" * 8
    word = '"c"' if source == "swarm" else '"B"' if source == "vermas" else "Hello."
    file.write_text(
        GOOD[source] + GOOD[source].replace(word, word.replace(word.strip('"'), f"use {key} now"))
    )

    answer = convert(project, file, source, "vermas" if source != "vermas" else "swarm")

    assert answer.code == 0
    assert key not in answer.text
    assert "use [Anthropic key masked] now" in answer.out
    [said] = [line for line in answer.err.splitlines() if "Anthropic key" in line]
    assert said.startswith(f"{file}:{GOOD[source].count(chr(10)) + 1}:")
