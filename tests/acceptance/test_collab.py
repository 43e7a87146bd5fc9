"""collab: two agents, a chat log and an inbox, with the rules of the seed."""

import os
import re
from pathlib import Path

import pytest

from tests.acceptance.files import read
from tests.acceptance.project import Project


class Pair:
    """JIM and CLAWDY of the seed, with JEREMY, in a mounted folder that has an inbox."""

    def __init__(self, folder: Path) -> None:
        self.project = Project.create(folder, "pat")
        self.chat = self.project.folder / "collab" / "chat.log"
        self.inbox = self.chat.parent / "inbox"
        self.inbox.mkdir(parents=True)
        self.project.mount("collab", "a=jim", "b=clawdy", "person=jeremy")

    def say(self, *lines: str) -> None:
        """Append lines of the seed's format, `SENDER -> RECEIVER: message`, and sync."""
        self.project.say(self.chat, *(f"2026-02-22 03:15:44 {line}" for line in lines))

    def states(self) -> dict[str, str]:
        tasks = self.project.do("task", "list", "--all", "--json").rows
        return {str(task["id"]): str(task["state"]) for task in tasks}

    def notices(self) -> list[str]:
        """Return what the bus wrote by itself into the chat log."""
        return [line for line in read(self.chat).splitlines() if " PALAVER -> " in line]

    def files(self) -> list[str]:
        """Return the texts of the messages that wait in the inbox."""
        return [read(path) for path in sorted(self.inbox.glob("msg_*.txt"))]

    def drop(self, text: str) -> None:
        """Put a message into the inbox as the seed's shell lines do."""
        temporary = self.inbox / ".msg.abcdef"
        temporary.write_text(text + "\n")
        # The move is later than the last write, whatever the resolution of the clock.
        os.utime(temporary, (1_767_225_600, 1_767_225_600))
        temporary.rename(self.inbox / "msg_1767225600000000001.txt")


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


# --- the seed's own examples ---


def test_the_good_example_of_the_seed_closes_its_task(pair: Pair) -> None:
    pair.say(
        "JIM -> CLAWDY: [TASK:bot-check] Get trading bot PID and last 5 log lines from bot.log",
        "CLAWDY -> JIM: [ACK:bot-check] Checking.",
        'CLAWDY -> JIM: [DONE:bot-check] PID 130815 running. Last entry: "SL hit at -0.82%"',
    )

    assert pair.states()["bot-check"] in ("delivered", "done")
    assert pair.notices() == []


def test_a_question_is_shown_as_waiting_until_it_is_answered(pair: Pair) -> None:
    pair.say("CLAWDY -> JIM: [QUESTION:auth] Which API key should I use for Kraken?")
    asked = pair.project.do("waiting").out
    pair.say("JIM -> CLAWDY: [ANSWER:auth] The read-only one")
    answered = pair.project.do("waiting").out

    assert re.search(r"clawdy\s+waits for jim", asked)
    assert "waits for jim" not in answered


def test_a_file_in_the_inbox_is_a_message_to_the_daemon(pair: Pair) -> None:
    pair.drop("[TASK:price-check] Get BTC from CoinGecko")

    inbox = pair.project.do("inbox", "--as", "clawdy").out

    assert "Get BTC from CoinGecko" in inbox
    assert pair.states() == {"price-check": "assigned"}


def test_a_file_that_the_daemon_takes_and_logs_is_one_message(pair: Pair) -> None:
    pair.drop("[TASK:price-check] Get BTC from CoinGecko")
    pair.project.sync()
    for path in pair.inbox.glob("msg_*.txt"):
        path.unlink()
    pair.say("JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko")

    inbox = pair.project.do("inbox", "--as", "clawdy").out

    assert inbox.count("Get BTC from CoinGecko") == 1
    assert read(pair.chat).count("Get BTC from CoinGecko") == 1


def test_mail_to_the_daemon_is_moved_into_its_inbox(pair: Pair) -> None:
    pair.project.do("send", "clawdy", "-m", "Hello there", agent="jim")

    assert [text.strip() for text in pair.files()] == ["Hello there"]
    assert list(pair.inbox.glob(".msg.*")) == []


# --- tasks ---


def test_the_good_example_of_the_rule_on_parallel_tasks_breaks_no_rule(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko")
    pair.say("JIM -> CLAWDY: [TASK:bot-check] In parallel, get trading bot PID")
    pair.say(
        "CLAWDY -> JIM: [DONE:price-check] BTC $94,230", "CLAWDY -> JIM: [DONE:bot-check] PID 130815 running"
    )

    assert pair.notices() == []
    assert not set(pair.states().values()) - {"delivered", "done"}


def test_a_second_task_that_is_not_in_parallel_breaks_a_rule(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko")
    pair.say("JIM -> CLAWDY: [TASK:bot-check] Get trading bot PID")

    assert [line for line in pair.notices() if " -> JIM: " in line and "price-check" in line]


def test_a_broken_rule_is_told_in_one_line(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko")
    pair.say("JIM -> CLAWDY: [TASK:bot-check] Get trading bot PID")

    # JIM broke the rule and reads chat.log; nothing of this wakes CLAWDY.
    assert len(pair.notices()) == 1
    assert [text for text in pair.files() if "palaver" in text.lower()] == []


def test_the_line_to_write_instead_can_be_copied(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko")
    pair.say("JIM -> CLAWDY: [TASK:bot-check] Get trading bot PID")
    pair.say("CLAWDY -> JIM: [DONE:price-check] Done.")

    second, closed = pair.notices()
    assert second.endswith(" JIM -> CLAWDY: [TASK:bot-check] In parallel: Get trading bot PID")
    assert closed.endswith(" CLAWDY -> JIM: [DONE:price-check] <the result, in one line>")


def test_a_reason_that_is_given_when_asked_for_is_no_second_block(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:report] Write it", "CLAWDY -> JIM: [BLOCKED:report]")
    pair.say("CLAWDY -> JIM: [BLOCKED:report] The API answers 429")
    pair.project.do("patrol")

    task = pair.project.task("report")
    assert (task["state"], task["holder"], task["reason"]) == ("blocked", "clawdy", "The API answers 429")
    assert len(pair.notices()) == 1


def test_a_result_that_is_given_when_asked_for_is_kept_in_silence(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:report] Write it", "CLAWDY -> JIM: [DONE:report]")
    pair.say("CLAWDY -> JIM: [DONE:report] 3 pages in report.md")

    task = pair.project.task("report")
    assert (task["state"], task["result"]) == ("done", "3 pages in report.md")
    assert len(pair.notices()) == 1


@pytest.mark.parametrize("line", ["[DONE:report]", "[BLOCKED:report] blocked!"])
def test_a_notice_about_a_line_that_counted_says_so(pair: Pair, line: str) -> None:
    pair.say("JIM -> CLAWDY: [TASK:report] Write it", f"CLAWDY -> JIM: {line}")

    [notice] = pair.notices()
    assert " It counted; next time write: " in notice


def test_an_ack_of_a_question_opens_no_task(pair: Pair) -> None:
    pair.say("CLAWDY -> JIM: [QUESTION:auth] Which key?", "JIM -> CLAWDY: [ACK:auth] Looking.")
    pair.say("JIM -> CLAWDY: [ANSWER:auth] The read-only one", "CLAWDY -> JIM: [ACK:auth] Thanks.")
    pair.say("CLAWDY -> JIM: [TASK:second] Read the news")

    assert pair.states() == {"second": "assigned"}
    assert pair.notices() == []


@pytest.mark.parametrize("parties", ["CLAWDY -> JIM", "JIM -> TEAM"])
def test_user_is_the_person_only_on_lines_from_a_to_b(pair: Pair, parties: str) -> None:
    pair.say("JIM -> CLAWDY: [TASK:report] Write it", f"{parties}: USER: [SKIP:report] drop it")

    assert pair.states() == {"report": "assigned"}
    assert [each for each in pair.project.messages("drop") if each["from"] == "jeremy"] == []


def test_an_agent_that_must_answer_first_is_told_the_line(pair: Pair) -> None:
    pair.say("CLAWDY -> JIM: [QUESTION:auth] Which key?")
    pair.say("JIM -> CLAWDY: [TASK:second] Read the news")

    [notice] = pair.notices()
    assert " You gave second to clawdy, who waits for an answer; answer first. Write: " in notice
    assert notice.endswith(" JIM -> CLAWDY: [ANSWER:auth] <your answer>")


def test_the_line_to_write_instead_has_the_time_once(pair: Pair) -> None:
    pair.say("just words")

    [notice] = pair.notices()
    assert re.search(r"Write: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d SENDER -> RECEIVER: just words$", notice)


def test_lint_does_not_object_to_a_notice_that_quotes_a_wrong_line(pair: Pair) -> None:
    pair.say("CLAWDY -> JIM: I'll look into that and let you know when I find something.")

    found = pair.project.run("lint", str(pair.chat)).out
    assert "chat.log:1: COL107" in found
    assert "chat.log:2: COL107" not in found


def test_an_agent_may_be_blocked_by_a_task_that_was_handed_to_it(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [HANDOFF:report] Write summary to report.md. Reply [DONE:report] when done.")
    pair.say("CLAWDY -> JIM: [BLOCKED:report] report.md is read-only; retry after chmod")

    assert pair.states() == {"report": "blocked"}


def test_a_task_that_is_handed_over_has_its_words_as_title(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [HANDOFF:report] Write summary to report.md.")

    assert pair.project.task("report")["title"] == "Write summary to report.md."


def test_an_agent_may_finish_a_task_that_was_handed_to_it(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [HANDOFF:report] Write summary to report.md. Reply [DONE:report] when done.")
    pair.say("CLAWDY -> JIM: [DONE:report] report.md has 3 sections")

    assert pair.states()["report"] in ("delivered", "done")


# --- names, the inbox and the daemon ---


def test_the_mount_creates_the_inbox(tmp_path: Path) -> None:
    project = Project.create(tmp_path, "pat")

    assert (project.mount("collab") / "inbox").is_dir()


def test_a_name_in_mixed_case_can_be_configured(tmp_path: Path) -> None:
    project = Project.create(tmp_path, "pat")
    (project.folder / "collab").mkdir()

    words = ("mount", "add", "collab", "collab", "--set", "a=Primary", "--set", "b=AgentB")
    assert project.run(*words).code == 0


def test_a_name_is_written_in_the_case_in_which_it_is_configured(tmp_path: Path) -> None:
    project = Project.create(tmp_path, "pat")
    project.append(project.folder / "collab/.ai-collab.env", "AGENT_A_NAME=Primary", "AGENT_B_NAME=AgentB")
    chat = project.mount("collab") / "chat.log"

    project.do("send", "primary", "-m", "BTC $94,230", agent="agentb")

    # The original poller looks for lines of its agent B by this text.
    assert "AgentB -> Primary: BTC $94,230" in read(chat)


def test_a_message_to_the_daemon_stands_once_in_the_chat_log(pair: Pair) -> None:
    pair.project.do("send", "clawdy", "-m", "Hello there", agent="jim")
    for path in pair.inbox.glob("msg_*.txt"):
        path.unlink()
    # The original daemon logs what it takes out of its inbox.
    pair.say("JIM -> CLAWDY: Hello there")

    assert read(pair.chat).count("Hello there") == 1


@pytest.mark.parametrize("receiver", ["TEAM", "CLAWDY"])
def test_a_line_of_the_person_wakes_the_daemon(pair: Pair, receiver: str) -> None:
    pair.say(f"JEREMY -> {receiver}: pause the bot overnight")

    assert [text for text in pair.files() if "pause the bot overnight" in text]


def test_a_line_of_the_person_is_one_message_when_the_daemon_has_logged_it(pair: Pair) -> None:
    pair.say("JEREMY -> TEAM: pause the bot overnight")
    (text,) = pair.files()
    for path in pair.inbox.glob("msg_*.txt"):
        path.unlink()
    pair.say(f"JIM -> CLAWDY: {text.strip()}")

    assert len(pair.project.messages("pause", "overnight")) == 1
    assert pair.files() == []


def test_a_message_to_the_daemon_arrives_though_its_inbox_was_deleted(pair: Pair) -> None:
    pair.inbox.rmdir()

    pair.project.do("send", "clawdy", "-m", "Hello there", agent="jim")

    assert [text.strip() for text in pair.files()] == ["Hello there"]


def test_lint_knows_the_names_of_the_mount(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price-check] BTC price", "CLAWDY -> JIM: [DONE:price-check] BTC $94,230")

    assert "COL111" not in pair.project.run("lint", "collab").out


def test_lint_accepts_names_as_the_mount_spells_them(tmp_path: Path) -> None:
    project = Project.create(tmp_path, "pat")
    chat = project.mount("collab", "a=Primary", "b=AgentB") / "chat.log"
    project.append(
        chat,
        "2026-02-22 03:15:44 Primary -> AgentB: [TASK:price-check] BTC price",
        "2026-02-22 03:15:46 AgentB -> Primary: [DONE:price-check] BTC $94,230",
    )

    assert project.run("lint", str(chat)).code == 0


def test_a_line_between_the_agents_is_not_put_into_the_inbox(pair: Pair) -> None:
    pair.say(
        "CLAWDY -> JIM: [DEPIN-HEALTH] grass=native:up nodepay=ext:up", "SYSTEM: Cron fired depin_health.sh"
    )

    assert pair.files() == []


# --- one line, one verdict: lint and the live bus ---


def test_a_task_that_is_handed_over_while_another_is_open_breaks_a_rule(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price] BTC price")
    pair.say("JIM -> CLAWDY: [HANDOFF:report] Write summary to report.md.")

    [notice] = pair.notices()
    assert "You gave report to clawdy, who has price" in notice
    assert notice.endswith("JIM -> CLAWDY: [HANDOFF:report] In parallel: Write summary to report.md.")
    assert "chat.log:2: COL102" in pair.project.run("lint", str(pair.chat)).out


def test_a_handover_that_is_said_again_in_parallel_is_no_second_one(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price] BTC price")
    pair.say("JIM -> CLAWDY: [HANDOFF:report] Write summary to report.md.")
    pair.say("JIM -> CLAWDY: [HANDOFF:report] In parallel: Write summary to report.md.")

    assert len(pair.notices()) == 1
    assert pair.states()["report"] == "handed"


def test_lint_does_not_object_to_lines_that_the_bus_wrote(pair: Pair) -> None:
    pair.project.do("agents", "add", "orchestrator")
    pair.project.do("send", "jim", "-m", "Check on the trading bot", agent="orchestrator")
    before = pair.project.run("lint", str(pair.chat.parent)).out
    pair.project.sync()

    assert "ORCHESTRATOR -> JIM: Check on the trading bot" in read(pair.chat)
    assert before.startswith("Good")
    assert pair.project.run("lint", str(pair.chat.parent)).code == 0


def test_lint_objects_to_the_same_line_if_an_agent_wrote_it(pair: Pair) -> None:
    pair.say("ORCHESTRATOR -> JIM: Check on the trading bot")

    assert "COL111" in pair.project.run("lint", str(pair.chat.parent)).out
    assert [notice for notice in pair.notices() if "COL111" in notice]


def test_names_in_notices_keep_the_case_in_which_they_are_configured(tmp_path: Path) -> None:
    project = Project.create(tmp_path, "pat")
    chat = project.mount("collab", "a=Primary", "b=AgentB") / "chat.log"
    at = "2026-02-22 03:15:44"
    project.say(chat, f"{at} Primary -> AgentB: [TASK:price] BTC price")
    project.say(
        chat, f"{at} Primary -> AgentB: [TASK:news] Read them", f"{at} Primary -> AgentB: [DONE:price] 64,000"
    )

    told = "\n".join(project.bus_lines(chat))
    assert "You gave news to AgentB, who has price" in told
    assert "only its holder (AgentB) may deliver it" in told
    assert "agentb" not in told


def test_a_result_of_a_task_that_nobody_gave_makes_no_task(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price] BTC price")
    pair.say("CLAWDY -> JIM: [DONE:prize] BTC $94,230")

    assert pair.states() == {"price": "assigned"}
    assert [each for each in pair.notices() if each.endswith("CLAWDY -> JIM: [DONE:price] BTC $94,230")]


@pytest.mark.parametrize("text", ["[ACK:prize] On it.", "[BLOCKED:prize] CoinGecko answers 429"])
def test_a_move_of_a_misspelt_task_is_told_with_the_nearest_one(pair: Pair, text: str) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price] BTC price")
    pair.say(f"CLAWDY -> JIM: {text}")

    assert pair.states() == {"price": "assigned"}
    right = f" CLAWDY -> JIM: {text.replace('prize', 'price')}"
    assert [each for each in pair.notices() if each.endswith(right)]
    assert "COL115" in pair.project.run("lint", str(pair.chat)).out


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("[ACK:price] On it.", "[STATUS:price] This task was never given."),
        ("[BLOCKED:price] CoinGecko answers 429", "[STATUS:price] CoinGecko answers 429. This task was"),
        ("[RETRY:price] CoinGecko is up again", "[TASK:price] CoinGecko is up again"),
    ],
)
def test_a_move_of_a_task_that_nobody_gave_makes_no_task(pair: Pair, text: str, instead: str) -> None:
    pair.say(f"CLAWDY -> JIM: {text}")
    notices = pair.notices()
    states = pair.states()
    [told] = [each for each in notices if " -> CLAWDY: " in each]
    pair.project.say(pair.chat, told.partition("Write: ")[2])

    assert states == {}
    assert "there is no such task" in told
    assert f" CLAWDY -> JIM: {instead}" in told
    assert pair.notices() == notices


@pytest.mark.parametrize(
    "line",
    [
        "CLAWDY => JIM: [DONE:price] BTC $94,230",
        "CLAWDY --> JIM: [DONE:price] BTC $94,230",
        "CLAWDY to JIM: [DONE:price] BTC $94,230",
        "CLAWDY > JIM: [DONE:price] BTC $94,230",
        "CLAWDY -> JIM [DONE:price] BTC $94,230",
        "CLAWDY -> JIM: DONE:price BTC $94,230",
        "CLAWDY -> JIM: DONE: BTC $94,230",
    ],
)
def test_a_result_in_a_wrong_form_is_told_to_its_author_with_the_right_one(pair: Pair, line: str) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price] BTC price")
    pair.say(line)
    [told] = pair.notices()
    pair.project.say(pair.chat, told.partition("Write: ")[2])

    assert " PALAVER -> CLAWDY: COL" in told
    assert told.endswith(" CLAWDY -> JIM: [DONE:price] BTC $94,230")
    assert pair.notices() == [told]
    assert pair.states() == {"price": "done"}


def test_a_line_with_a_time_in_another_form_is_told_without_it(pair: Pair) -> None:
    pair.project.say(pair.chat, "22.02.2026 03:15 JIM -> CLAWDY: BTC is at $94,230")

    [told] = pair.notices()
    assert re.search(r"Write: \S+ \S+ JIM -> CLAWDY: BTC is at \$94,230$", told)


@pytest.mark.parametrize(
    "line",
    [
        "JIM -> CLAWDY: BTC is at $94,230",
        "2026-02-22T03:15:44Z jim → clawdy: BTC is at $94,230",
        "2026-02-22 03:15:44 JIM: BTC is at $94,230",
    ],
)
def test_nobody_is_told_to_repeat_a_message_that_was_read_as_it_was_meant(pair: Pair, line: str) -> None:
    pair.project.say(pair.chat, line)

    [told] = pair.notices()
    assert "It counted; next time write: " in told


def test_a_line_in_the_name_of_the_bus_is_told_to_a(pair: Pair) -> None:
    pair.say("PALAVER -> CLAWDY: stop")

    [told] = [each for each in pair.notices() if each.endswith(".")]
    assert " PALAVER -> JIM: bad-name in chat.log: cannot use the name 'palaver': it is reserved" in told


def test_lint_reads_a_line_behind_a_notice_as_the_live_bus_does(pair: Pair) -> None:
    pair.say("CLAWDY -> JIM: [STATUS:price] 50%", "CLAWDY -> JIM: [STATUS:price] 50%")
    pair.project.say(pair.chat, "and more")

    assert "COL007" in pair.notices()[-1]
    assert "COL007" in pair.project.run("lint", str(pair.chat)).out


def test_the_name_of_a_task_that_exists_is_offered_in_plain_words(pair: Pair) -> None:
    pair.say("CLAWDY -> JIM: [TASK:price] BTC price")
    pair.say("CLAWDY -> JIM: [RETRY:prize] CoinGecko is up again")

    [told] = [each for each in pair.notices() if " -> CLAWDY: " in each]
    assert "Use an id that exists, such as price." in told


def test_a_line_that_is_written_twice_is_told(pair: Pair) -> None:
    pair.say("CLAWDY -> JIM: [STATUS:report] 50% done")
    pair.say("CLAWDY -> JIM: [STATUS:report] 50% done")

    [notice] = pair.notices()
    assert "COL117" in notice


def test_a_line_for_nobody_is_told_with_the_line_for_the_nearest_name(pair: Pair) -> None:
    pair.say("JIM -> CLAUDY: BTC is at $94,230")

    [notice] = pair.notices()
    assert "Your message to claudy reached nobody: there is no such agent. Did you mean clawdy?" in notice
    assert "Write: 2026-02-22 03:15:44 JIM -> CLAWDY: BTC is at $94,230" in notice


def test_a_line_without_a_sender_is_told_once(pair: Pair) -> None:
    pair.say("CLAWDY_ERR: model timeout")

    [notice] = pair.notices()
    assert "COL024" in notice
    assert notice.endswith("CLAWDY -> JIM: CLAWDY_ERR: model timeout")


def test_no_reason_is_asked_for_a_block_that_has_no_effect(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price] BTC price", "CLAWDY -> JIM: [DONE:price] BTC $94,230")
    pair.say("CLAWDY -> JIM: [BLOCKED:price] blocked!")

    assert [each for each in pair.notices() if "[BLOCKED:price] <why" in each] == []


def test_a_task_that_comes_through_the_inbox_at_the_wrong_time_is_told_as_a_file(pair: Pair) -> None:
    pair.say("JIM -> CLAWDY: [TASK:price] BTC price")
    pair.drop("[TASK:news] Read them")
    pair.project.sync()

    [notice] = pair.notices()
    assert "You gave news to clawdy, who has price" in notice
    assert """echo '[TASK:news] In parallel: Read them' > "$TMPFILE";""" in notice
