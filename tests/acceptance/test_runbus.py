"""runbus: the bus file, the blocks that we write into it, and the files that are really out there."""

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from textwrap import dedent, indent

import pytest

from tests.acceptance.daemon import run_daemon, wait_until
from tests.acceptance.files import read
from tests.acceptance.project import PALAVER, Project

MARK = "<!-- All messages below this line. Append only. Do not modify above messages. -->"
AGENT = "claude-research-1"


def head(number: int, kind: str = "FACT") -> str:
    """Return the front matter of a block, without the line that ends it."""
    return (
        f"---\nmessageId: MSG-20260126-10150{number}-claude-5f{number}\ntype: {kind}\nagent: {AGENT}\n"
        f"timestamp: 2026-01-26T10:15:0{number}Z\nrunId: run_001\ntaskId: TASK-parser\n"
    )


def block(number: int, body: str, kind: str = "FACT") -> str:
    """Return a block of the seed's format."""
    return f"{head(number, kind)}---\n\n{body}\n\n---\n"


HEAD = head(0)


class Bus:
    """A mounted runbus folder."""

    def __init__(self, folder: Path, text: str = "", name: str = "runbus") -> None:
        self.project = Project.create(folder, "pat")
        self.file = self.project.folder / name / "MESSAGE-BUS.md"
        if text:
            self.append(text)
        self.project.mount("runbus", f"agents={AGENT},orchestrator", name=name)

    def append(self, text: str) -> None:
        """Append a text that need not end with a line."""
        self.project.append(self.file, text, end="")

    def settle(self) -> None:
        """Let the last write be long ago, so that no end of the file counts as unfinished; then sync."""
        os.utime(self.file, (1_700_000_000, 1_700_000_000))
        self.project.sync()

    def send(self, body: str) -> None:
        self.project.do("send", "runbus", "-m", body, agent="orchestrator")

    def bodies(self, word: str) -> list[str]:
        """Return the texts of the agents on the bus that have a word in them, the oldest first."""
        found = [each for each in self.project.messages(word) if each["from"] != "palaver"]
        return [str(message["body"]) for message in reversed(found)]

    def written(self, body: str) -> dict[str, str]:
        """Return the front matter of the block in the file that has this text."""
        found = re.search(rf"\n?---\n((?:[\w-]+: .*\n)+)---\n\n{re.escape(body)}\n\n---\n", read(self.file))
        if not found:
            raise RuntimeError(f"no block with the text {body!r} in {read(self.file)!r}")
        return dict(line.split(": ", 1) for line in found[1].splitlines())


# --- the file ---


def test_a_new_bus_file_begins_with_header_and_placeholder_of_the_seed(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.send("The first message")

    text = read(bus.file)
    placeholder = "---\nmessageId: MSG-00000000-000000-000\ntype: FACT\nagent: template\n"
    assert text.startswith("# Message Bus\n")
    assert -1 < text.find(MARK) < text.find(placeholder) < text.find("The first message")


def test_a_new_bus_file_begins_with_its_header_also_if_an_agent_writes_first(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append("\n" + block(1, "The first message"))
    bus.settle()

    text = read(bus.file)
    assert text.startswith("# Message Bus\n")
    assert -1 < text.find(MARK) < text.find("MSG-00000000-000000-000") < text.find("The first message")
    assert bus.bodies("message") == ["The first message"]
    assert bus.project.run("lint", str(bus.file)).code == 0


def test_mail_is_written_to_the_bus_file_that_the_folder_has(tmp_path: Path) -> None:
    project = Project.create(tmp_path, "pat")
    file = project.folder / "runbus" / "TASK-MESSAGE-BUS.md"
    project.append(file, block(1, "There are two."))
    folder = project.mount("runbus")
    project.do("send", "runbus", "-m", "Use the second.", agent="pat")

    assert "Use the second." in read(file)
    assert [each.name for each in folder.iterdir()] == ["TASK-MESSAGE-BUS.md"]


def test_a_header_and_its_placeholder_say_nothing(tmp_path: Path) -> None:
    header = f"# Message Bus\n\n```markdown\n{block(1, 'An example')}```\n\n## Messages\n\n{MARK}\n\n"
    placeholder = HEAD.replace("MSG-20260126-101500-claude-5f0", "MSG-00000000-000000-000")
    bus = Bus(tmp_path, f"{header}{placeholder}---\n\nTemplate initialized.\n\n---\n{block(2, 'A message')}")
    bus.settle()

    assert bus.bodies("example") == bus.bodies("initialized") == []
    assert bus.bodies("message") == ["A message"]


def test_a_question_of_the_seed_is_answered_with_what_it_relates_to(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "@pat Which grammar?", "QUESTION"))
    bus.settle()

    bus.project.do("reply", "MSG-20260126-101501-claude-5f1", "-m", "The second.", agent="pat")

    answer = bus.written("The second.")
    assert (answer["type"], answer["agent"]) == ("ANSWER", "pat")
    assert answer["relatesTo"] == "MSG-20260126-101501-claude-5f1"
    assert answer["taskId"] == "TASK-parser"


def test_a_reply_carries_the_run_of_what_it_answers(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "@pat Which grammar?", "QUESTION"))
    bus.settle()

    bus.project.do("reply", "MSG-20260126-101501-claude-5f1", "-m", "The second.", agent="pat")

    assert bus.written("The second.")["runId"] == "run_001"


def test_a_message_that_is_sent_inside_a_run_carries_run_and_task(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.project.do("task", "open", "Parser", "--id", "parser", agent="orchestrator")
    send = (PALAVER, "send", "runbus", "-m", "From inside")
    bus.project.do("run", "--as", AGENT, "--task", "parser", "--", *send)
    (run,) = (bus.project.folder / "runs").glob("run_*")

    written = bus.written("From inside")
    assert (written["runId"], written["taskId"]) == (run.name, "TASK-parser")


def test_a_notice_carries_the_run_of_what_it_is_about(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Finished.", "COMPLETE") + block(2, "Again.", "TASK"))
    bus.settle()

    notices = [part for part in read(bus.file).split("messageId: ") if "agent: palaver" in part]
    if not notices:
        raise RuntimeError("the bus has nothing to say about a finished task that is assigned again")
    assert [part for part in notices if "runId: run_001" not in part] == []


@pytest.mark.parametrize("is_file", [True, False], ids=["a line of a chat", "a command"])
def test_a_result_carries_the_run_in_which_the_task_was_given(tmp_path: Path, *, is_file: bool) -> None:
    bus = Bus(tmp_path)
    pair = bus.project.mount("collab", "a=jim", "b=clawdy")
    bus.append(block(1, "@clawdy write the parser", "TASK"))
    bus.settle()

    if is_file:
        bus.project.say(pair / "chat.log", "2026-02-22 03:15:44 CLAWDY -> JIM: [DONE:parser] 40 tests green")
    else:
        bus.project.do("task", "deliver", "parser", "-m", "40 tests green", agent="clawdy")

    written = bus.written("40 tests green")
    assert (written["type"], written["runId"], written["taskId"]) == ("COMPLETE", "run_001", "TASK-parser")


# --- the only way to name somebody ---


def test_a_task_is_given_to_the_agent_that_it_mentions(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(
        block(1, f"@{AGENT} write the parser", "TASK").replace(f"agent: {AGENT}", "agent: orchestrator")
    )
    bus.settle()

    task = bus.project.task("parser")
    assert (task["state"], task["holder"], task["owner"]) == ("assigned", AGENT, "orchestrator")


def test_a_task_that_mentions_nobody_is_open_to_all(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Write the parser", "TASK"))
    bus.settle()

    assert bus.project.task("parser")["state"] == "open"


def test_the_author_of_a_task_for_nobody_is_told(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "@orchestrater write the parser", "TASK"))
    bus.settle()

    assert "nobody is called @orchestrater" in read(bus.file)
    assert "did you mean @orchestrator?" in read(bus.file)
    assert bus.project.task("parser")["state"] == "open"


def test_a_question_waits_only_for_the_agent_that_it_mentions(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two.").replace(f"agent: {AGENT}", "agent: codex-impl-1"))
    bus.append(block(2, "@orchestrator Which grammar?", "QUESTION"))
    bus.settle()

    assert [wait["movers"] for wait in bus.project.questions()] == [["orchestrator"]]


# --- where we write ---


@contextmanager
def busy(path: Path) -> Iterator[None]:
    """Touch a file all the time, so that its writer counts as busy however slow the machine is."""
    done = threading.Event()

    def touch() -> None:
        while not done.wait(0.1):
            os.utime(path, (time.time() + 1, time.time() + 1))

    thread = threading.Thread(target=touch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize(
    ("half", "rest"),
    [
        pytest.param(f"{HEAD}---\n\nHalf of a te", "xt.\n\n---\n", id="in a line"),
        pytest.param(
            f"{HEAD}---\n\nHalf of a text.\n",
            "The other half.\n\n---\n",
            id="between lines",
        ),
        pytest.param(
            HEAD,
            "---\n\nThe text.\n\n---\n",
            id="in the front matter",
        ),
    ],
)
def test_we_wait_for_the_end_of_a_block_that_somebody_is_writing(
    tmp_path: Path, half: str, rest: str
) -> None:
    bus = Bus(tmp_path)
    begun = read(bus.file) + half
    bus.append(half)
    with busy(bus.file):
        bus.send("Ours")
    meanwhile = read(bus.file)
    bus.append(rest)
    bus.settle()

    assert meanwhile == begun
    assert read(bus.file).startswith(begun + rest)
    assert bus.written("Ours")["agent"] == "orchestrator"


def test_we_complete_a_block_that_was_torn_long_ago(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(f"{HEAD}---\n\nHalf of a te")
    os.utime(bus.file, (1_700_000_000, 1_700_000_000))
    bus.send("Ours")
    bus.settle()

    between = read(bus.file).split("Half of a te")[1].split("messageId:")[0]
    # One --- ends what was torn, the other one begins ours.
    assert between.split() == ["---", "---"]


def test_a_blank_line_stands_between_two_blocks(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append("\n" + block(1, "Theirs"))
    bus.settle()
    bus.send("Ours")
    bus.send("Ours again")

    assert "---\n---\n" not in read(bus.file)
    # That of theirs follows the placeholder.
    assert read(bus.file).count("---\n\n---\nmessageId:") == 3


# --- real files ---

REAL = """\
[2026-01-31T20:59:30Z] type=question project=swarm task=planning
Message: Which of the two shall we take?

[2026-01-31T21:00:30Z] type=answer project=swarm task=planning
Message: The first one.
  It is shorter.

[2026-02-05 12:51:54] FACT: Task docs-user started (PID: 87913)
  with a second line
- REVIEW 2026-07-18 19:06 CEST (Final quorum): PASS/NO BLOCKERS
"""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Bus:
    bus = Bus(tmp_path_factory.mktemp("real"))
    bus.append(REAL + block(1, "First with this id") + block(1, "Second with this id"))
    bus.settle()
    return bus


@pytest.mark.parametrize(
    ("word", "words"),
    [
        pytest.param("shall", ["Which of the two shall we take?"]),
        pytest.param("shorter", ["The first one.", "It is shorter."]),
        pytest.param(
            "87913",
            ["Task docs-user started (PID: 87913)", "with a second line"],
        ),
        ("BLOCKERS", ["PASS/NO BLOCKERS"]),
    ],
)
def test_a_line_of_an_older_form_is_read_with_all_its_words(real: Bus, word: str, words: list[str]) -> None:
    text = "\n".join(real.bodies(word))

    assert [each for each in words if each not in text] == []


def test_two_messages_with_one_id_are_both_read(real: Bus) -> None:
    assert real.bodies("this") == ["First with this id", "Second with this id"]


def test_nothing_of_a_real_bus_is_quarantined(real: Bus) -> None:
    assert real.project.do("quarantine", "--json").rows == []


# --- runs and edits ---


def test_palaver_runs_finds_the_runs_of_the_original_script(tmp_path: Path) -> None:
    # The original script keeps its bus in the folder of the runs.
    bus = Bus(tmp_path, name="runs")
    run = bus.file.parent / "run_20260203-080850-4228"
    run.mkdir()
    (run / "prompt.md").write_text("Write the parser.\n")
    (run / "agent-stdout.txt").write_text("Done.\n")
    (run / "agent-stderr.txt").write_text("")
    settings = {"RUN_ID": run.name, "CWD": "/srv/x", "AGENT": "codex", "PID": "4228", "EXIT_CODE": "0"}
    (run / "cwd.txt").write_text("".join(f"{key}={value}\n" for key, value in settings.items()))

    runs = bus.project.do("runs").out

    assert [line for line in runs.splitlines() if run.name in line and "codex" in line]


def test_the_team_is_told_which_message_of_an_append_only_file_was_edited(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Text one") + "\n" + block(2, "Text two") + "\n" + block(3, "Text three"))
    bus.settle()
    edited = read(bus.file).replace("Text two", "Text 2")
    bus.file.write_text(edited)
    bus.settle()

    assert read(bus.file).startswith(edited)
    assert "MSG-20260126-101502-claude-5f2" in read(bus.file).removeprefix(edited)


def test_a_bus_file_that_was_put_away_for_a_new_one_is_no_edit(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Text one"))
    bus.settle()
    bus.file.rename(bus.file.with_name("MESSAGE-BUS.md.20260126.archived"))
    bus.append(block(2, "Text two"))
    bus.settle()

    assert "agent: palaver" not in read(bus.file)
    assert bus.bodies("Text") == ["Text one", "Text two"]


@pytest.mark.parametrize("has_daemon", [False, True], ids=["with palaver sync", "with palaver up"])
def test_an_edit_that_keeps_the_size_of_the_file_is_noticed_too(tmp_path: Path, *, has_daemon: bool) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Text one") + "\n" + block(2, "Text two"))
    bus.settle()
    with run_daemon(bus.project) if has_daemon else nullcontext():
        bus.file.write_text(read(bus.file).replace("Text one", "Text uno"))
        if not has_daemon:
            bus.settle()
        is_told = wait_until(lambda: "palaver read MSG-20260126-101501-claude-5f1" in read(bus.file))

    assert is_told


@pytest.mark.parametrize("has_daemon", [False, True], ids=["with palaver sync", "with palaver up"])
def test_an_edit_is_noticed_in_a_file_that_grew_at_the_same_time(tmp_path: Path, *, has_daemon: bool) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Text one") + "\n" + block(2, "Text two"))
    bus.settle()
    with run_daemon(bus.project) if has_daemon else nullcontext():
        edited = read(bus.file).replace("Text one", "Text uno")
        with bus.file.open("r+", encoding="utf-8") as file:
            file.write(f"{edited}\n{block(3, 'Text three')}")
        if not has_daemon:
            bus.settle()
        is_told = wait_until(lambda: "palaver read MSG-20260126-101501-claude-5f1" in read(bus.file))

    assert is_told
    assert bus.bodies("Text") == ["Text one", "Text two", "Text uno", "Text three"]


@pytest.mark.parametrize("has_daemon", [False, True], ids=["with palaver sync", "with palaver up"])
def test_an_edit_moves_no_work_however_late_it_is_read(tmp_path: Path, *, has_daemon: bool) -> None:
    """A pass reads a part of a long file, so the edited block is read by another pass than the first."""
    bus = Bus(tmp_path)
    bus.project.do("task", "open", "Parser", "--id", "parser", "--no-check", agent=AGENT)
    long = "".join(f"{block(n, 'x' * 200_000)}\n" for n in range(7))
    bus.append(long + block(8, "Wrote it", "FACT") + "\n" + block(9, "The end"))
    bus.settle()
    with run_daemon(bus.project) if has_daemon else nullcontext():
        text = read(bus.file).replace(
            head(8, "FACT"), head(8, "COMPLETE").replace("taskId", "files: x\ntaskId")
        )
        bus.file.write_text(text)
        if not has_daemon:
            bus.settle()
        assert wait_until(lambda: "messages in it were edited" in read(bus.file))
    bus.project.do("rebuild")
    bus.project.sync()

    assert bus.project.task("parser")["state"] == "open"


def test_an_edited_question_is_not_asked_again(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "@orchestrator Which grammar?", "QUESTION"))
    bus.settle()
    bus.file.write_text(read(bus.file).replace("Which grammar?", "Which of the grammars?"))
    bus.settle()

    assert len(bus.project.questions()) == 1


def test_the_block_that_is_offered_instead_of_a_wrong_one_has_its_effect(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "@orchestrator Which grammar?", "QUESTION"))
    bus.settle()
    bus.append(block(2, "The second.", "ANSWER").replace(f"agent: {AGENT}", "agent: orchestrator"))
    bus.settle()
    [offered] = re.findall(r"~~~\n(.*?)~~~", read(bus.file), re.S)

    bus.append(dedent(offered))
    bus.settle()

    assert bus.project.questions() == []
    assert read(bus.file).count("~~~") == 2
    [notice] = [part for part in read(bus.file).split("messageId: ") if "agent: palaver" in part]
    assert "runId: run_001\ntaskId: TASK-parser\n" in notice


def test_an_unclosed_block_is_not_to_be_written_again(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(f"{head(1, 'PROGRESS')}---\nAgent status: running=1\n")
    bus.settle()

    assert "RUN026 in MESSAGE-BUS.md: it has no closing ---" in read(bus.file)
    assert read(bus.file).count("Agent status: running=1") == 1


def test_a_block_without_an_agent_is_corrected_with_the_form_of_its_name(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two.").replace(f"agent: {AGENT}\n", ""))
    bus.settle()

    assert "    type: FACT\n    agent: <type>-<role>-<N>\n    timestamp: " in read(bus.file)


@pytest.mark.parametrize("more", ["", block(2, "What is new")], ids=["alone", "with-news"])
def test_nobody_is_told_singly_of_the_last_entry_before_the_mount(tmp_path: Path, more: str) -> None:
    old = (
        f"Not a message\n{block(1, 'Read the code')}[2026-01-26 10:16:00] type=fact A line of an older form\n"
    )
    bus = Bus(tmp_path, f"{MARK}\n{old}")
    bus.project.sync()

    bus.append(more)
    bus.settle()

    [told] = [each["data"] for each in bus.project.events("mail.sent") if each["actor"] == "palaver"]
    assert isinstance(told, dict)
    assert str(told["body"]).startswith("The files of runbus were read for the first time")
    assert "older form" in str(bus.bodies("older"))


# --- tasks and names that nobody knows ---


def offered(bus: Bus) -> list[str]:
    """Return the blocks that the bus offers instead of wrong ones."""
    return [dedent(each) for each in re.findall(r"~~~\n(.*?)~~~", read(bus.file), re.S)]


def test_a_complete_of_an_unknown_task_makes_no_task_and_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(
        block(1, f"@{AGENT} write the parser", "TASK").replace(f"agent: {AGENT}", "agent: orchestrator")
    )
    bus.append(block(2, "Wrote it.", "COMPLETE").replace("TASK-parser\n", "TASK-parsr\nfiles: parser.py\n"))
    bus.settle()

    assert bus.project.task("parsr") == {}
    assert "What you said about parsr had no effect: there is no such task." in read(bus.file)
    [instead] = offered(bus)
    assert "type: COMPLETE" in instead
    assert "taskId: TASK-parser\nfiles: parser.py\n---\n\nWrote it.\n" in instead


def test_the_offered_complete_of_the_nearest_task_has_its_effect(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(
        block(1, f"@{AGENT} write the parser", "TASK").replace(f"agent: {AGENT}", "agent: orchestrator")
    )
    bus.append(block(2, "Wrote it.", "COMPLETE").replace("TASK-parser\n", "TASK-parsr\nfiles: parser.py\n"))
    bus.settle()
    told = read(bus.file).count("agent: palaver")
    bus.append("\n" + offered(bus)[0])
    bus.settle()

    assert bus.project.task("parser")["state"] in ("delivered", "done")
    assert read(bus.file).count("agent: palaver") == told


def test_a_complete_of_a_task_that_nobody_opened_is_told_with_the_block_that_opens_it(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Wrote it.", "COMPLETE").replace("TASK-parser\n", "TASK-parser\nfiles: parser.py\n"))
    bus.settle()
    [instead] = offered(bus)
    told = read(bus.file).count("agent: palaver")
    bus.append("\n" + instead)
    bus.settle()

    assert instead.index("type: TASK") < instead.index("type: COMPLETE")
    assert bus.project.task("parser")["state"] in ("delivered", "done")
    assert read(bus.file).count("agent: palaver") == told


@pytest.mark.parametrize("kind", ["FACT", "PROGRESS", "DECISION", "QUESTION"])
def test_a_misspelt_name_is_told_with_the_block_for_the_right_one(tmp_path: Path, kind: str) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two, @orchestrater: which one?", kind))
    bus.settle()

    assert "nobody is called @orchestrater, so it is for everyone; did you mean @orchestrator?" in read(
        bus.file
    )
    [instead] = offered(bus)
    assert f"type: {kind}\n" in instead
    assert "There are two, @orchestrator: which one?" in instead


def test_the_beginning_of_a_name_is_not_the_name(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "@claude: there are two.").replace(f"agent: {AGENT}", "agent: orchestrator"))
    bus.settle()

    assert f"did you mean @{AGENT}?" in read(bus.file)


@pytest.mark.parametrize(
    "text",
    [
        "Use @dataclass here.",
        "Write to ann@example.org.",
        "Add @types/node and @property.",
        "See @nobody-else.",
    ],
)
def test_an_at_sign_that_names_no_agent_is_no_mistake(tmp_path: Path, text: str) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, text))
    bus.settle()

    assert "agent: palaver" not in read(bus.file)


def test_an_answer_to_no_question_is_told_only_if_the_log_has_no_such_question(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "@orchestrator Which grammar?", "QUESTION"))
    bus.settle()
    answer = block(2, "The second.", "ANSWER").replace(f"agent: {AGENT}", "agent: orchestrator")
    bus.append(
        "\n" + answer.replace("TASK-parser\n", "TASK-parser\nrelatesTo: MSG-20260126-101501-claude-5f1\n")
    )
    bus.settle()

    assert "agent: palaver" not in read(bus.file)


@pytest.mark.parametrize("are_apart", [True, False], ids=["in two passes", "in one pass"])
def test_an_answer_without_relatesto_is_told_the_question_that_it_closed(
    tmp_path: Path, *, are_apart: bool
) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "@orchestrator Which grammar?", "QUESTION") + "\n")
    if are_apart:
        bus.settle()
    bus.append(block(2, "The second.", "ANSWER").replace(f"agent: {AGENT}", "agent: orchestrator"))
    bus.settle()

    [instead] = offered(bus)
    assert bus.project.questions() == []
    assert "type: ANSWER\n" in instead
    assert "relatesTo: MSG-20260126-101501-claude-5f1\n" in instead


def test_a_block_in_the_name_of_the_bus_is_told_in_the_file(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "I am the bus.").replace(f"agent: {AGENT}", "agent: palaver"))
    bus.settle()

    [instead] = offered(bus)
    assert bus.bodies("bus") == []
    assert "agent: <type>-<role>-<N>\n" in instead


def test_an_answer_to_the_wrong_message_does_not_count_and_the_offered_one_does(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    answer = block(2, "The second.", "ANSWER").replace(f"agent: {AGENT}", "agent: orchestrator")
    bus.append(block(1, "@orchestrator Which grammar?", "QUESTION") + "\n")
    bus.append(answer.replace("TASK-parser\n", "TASK-parser\nrelatesTo: MSG-20260126-101000-claude-5f9\n"))
    bus.settle()

    [instead] = offered(bus)
    assert len(bus.project.questions()) == 1
    assert "It counted" not in read(bus.file)

    bus.append("\n" + instead)
    bus.settle()
    assert bus.project.questions() == []


def test_a_time_that_goes_back_is_told_when_it_is_written(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(5, "The first."))
    bus.settle()
    bus.append("\n" + block(3, "Two seconds are nothing."))
    bus.settle()
    quiet = read(bus.file)
    bus.append("\n" + block(4, "The third.").replace("T10:15:04Z", "T09:15:04Z"))
    bus.settle()

    assert "agent: palaver" not in quiet
    assert "RUN039 in MESSAGE-BUS.md: 2026-01-26T09:15:04Z follows 2026-01-26T10:15:03Z" in read(bus.file)


@pytest.mark.parametrize(("kind", "more"), [("TASK", ""), ("COMPLETE", "files: parser.py\n")])
def test_a_task_or_a_complete_without_a_task_is_told(tmp_path: Path, kind: str, more: str) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "The parser is written.", kind).replace("TASK-parser\n", f"TASK-000\n{more}"))
    bus.settle()

    assert f"RUN035 in MESSAGE-BUS.md: a {kind} names no task, and does nothing" in read(bus.file)
    assert len(offered(bus)) == 1


def test_a_complete_that_lacks_its_files_may_be_said_again_with_them(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Write the parser", "TASK") + "\n" + block(2, "All done", "COMPLETE"))
    bus.settle()
    told = read(bus.file).count("agent: palaver")
    bus.append("\n" + offered(bus)[0])
    bus.settle()

    assert told == 1
    assert read(bus.file).count("agent: palaver") == told
    assert bus.project.task("parser")["state"] == "done"


def test_a_task_that_has_ended_is_told_with_the_block_of_another_one(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    done = block(2, "Written.", "COMPLETE").replace("TASK-parser\n", "TASK-parser\nfiles: parser.py\n")
    bus.append(block(1, "Write the parser", "TASK") + "\n" + done + "\n" + block(3, "Make it fast", "TASK"))
    bus.settle()

    [instead] = offered(bus)
    assert "it is done. Open another task.\n\nWrite:\n" in read(bus.file)
    bus.append("\n" + instead)
    bus.settle()
    assert bus.project.task("parser-2")["title"] == "Make it fast"
    assert len(offered(bus)) == 1


def test_the_same_block_once_more_is_the_same_message(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two.") + "\n" + block(1, "There are two."))
    bus.settle()

    assert bus.bodies("two") == ["There are two."]
    assert bus.project.run("lint", str(bus.file)).code == 0
    assert "agent: palaver" not in read(bus.file)


def test_a_torn_front_matter_is_told_with_the_block(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(HEAD)
    bus.settle()

    [instead] = offered(bus)
    assert "taskId: TASK-parser\n---\n\n<message content>\n" in instead


def test_a_key_without_its_colon_keeps_its_value(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two.").replace("taskId: ", "taskId "))
    bus.settle()

    [instead] = offered(bus)
    assert "taskId: TASK-parser\n" in instead


def test_a_name_of_two_words_is_corrected_as_one(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two.").replace(f"agent: {AGENT}", "agent: Claude Research"))
    bus.settle()

    [instead] = offered(bus)
    assert "agent: claude-research-1\n" in instead


# --- text that no block holds ---


def test_text_outside_of_every_block_is_told_in_the_file_with_the_block_to_write(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two.") + "\nThe second one is faster.\nUse it.\n")
    bus.settle()

    [instead] = offered(bus)
    assert "RUN004 in MESSAGE-BUS.md: 'The second one is faster.' is outside of every message" in read(
        bus.file
    )
    assert "agent: <type>-<role>-<N>\n" in instead
    assert instead.endswith("---\n\nThe second one is faster.\nUse it.\n\n---\n")
    told = [each["to"] for each in bus.project.messages("RUN004") if each["from"] == "palaver"]
    assert ["pat"] in told, "the person learns of it, too"

    bus.append("\n" + instead.replace("<type>-<role>-<N>", AGENT))
    bus.settle()
    assert bus.bodies("faster") == ["The second one is faster.\nUse it."]
    assert read(bus.file).count("agent: palaver") == 1


def test_front_matter_without_its_first_rule_is_told_to_its_author_with_the_block(tmp_path: Path) -> None:
    bus = Bus(tmp_path, block(1, "There are two."))
    bus.append("\n" + block(2, "The second one is faster.").removeprefix("---\n"))
    bus.settle()

    [instead] = offered(bus)
    assert f"type: FACT\nagent: {AGENT}\n" in instead
    assert instead.endswith("taskId: TASK-parser\n---\n\nThe second one is faster.\n\n---\n")
    assert f'palaver-to: ["{AGENT}"]\n' in read(bus.file)


def test_a_block_that_is_indented_as_in_a_notice_is_told_with_its_text(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append("\n" + indent(block(1, "There are two.\n\nThe second is faster."), "    "))
    bus.settle()

    [instead] = offered(bus)
    assert instead.endswith("taskId: TASK-parser\n---\n\nThere are two.\n\nThe second is faster.\n\n---\n")
    bus.append("\n" + instead)
    bus.settle()
    assert bus.bodies("faster") == ["There are two.\n\nThe second is faster."]


def test_an_agent_whose_name_cannot_be_used_is_told_in_the_file(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two.").replace(f"agent: {AGENT}", "agent: ../../etc"))
    bus.settle()

    [instead] = offered(bus)
    assert "RUN010 in MESSAGE-BUS.md: cannot use the name '../../etc'" in read(bus.file)
    assert "agent: <type>-<role>-<N>\n" in instead


def test_a_notice_of_an_unreadable_block_carries_its_run_and_task(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There are two.").replace("type: FACT\n", "type: FACT\ntype: TASK\n"))
    bus.settle()

    notice = read(bus.file).partition("agent: palaver\n")[2]
    assert "\nrunId: run_001\ntaskId: TASK-parser\n" in notice.partition("RUN008")[0]


def test_a_nul_byte_is_not_repeated_in_the_notice_about_it(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "There\0are two."))
    bus.settle()

    assert "RUN002" in read(bus.file)
    assert "palaver-body" not in read(bus.file)


def test_a_whole_block_behind_a_torn_one_is_not_closed_again(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(head(1).removesuffix("parser\n") + block(2, "There are two."))
    bus.settle()

    assert "There are two.\n\n---\n\n---\nmessageId: " in read(bus.file)


def test_nobody_waits_for_the_unknown_author_of_an_older_line(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append("[2026-01-26 10:16:00] FACT: Task docs started\n" + block(1, "Which grammar?", "QUESTION"))
    bus.settle()

    assert [each["movers"] for each in bus.project.questions()] == [["orchestrator"]]


def test_the_task_of_another_agent_is_not_told_to_name_its_receiver(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.append(block(1, "Write the parser", "TASK") + "\n")
    bus.append(block(2, "Write another parser", "TASK").replace(f"agent: {AGENT}", "agent: orchestrator"))
    bus.settle()

    assert f"only its owner ({AGENT}) may assign it. Ask {AGENT} to do it" in read(bus.file)
