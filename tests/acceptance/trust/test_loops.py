"""Agents that answer each other by themselves stop; people and programs that send are never stopped."""

from typing import Final

import pytest

from tests.acceptance.project import PALAVER, Answer, Project

MOST_HOPS: Final = 20
NEXT: Final = {"bob": "boss", "boss": "carol", "carol": "bob"}
WORDS_OF_A_LIMIT: Final = ("hop", "loop", "limit", "rate")
CODE: Final = "[loop-limit]"


def answering(project: Project, agent: str, *program: str) -> Answer:
    """Let a program answer the mail of an agent, each message once; every call is a new runner."""
    return project.run("run", "--as", agent, "--on-message", "--once", "--", *program)


def ping_pong(project: Project, one: str, other: str) -> int:
    """Let two agents answer each other by a script; return how many programs were started."""
    pair = {"bob": ("carol", one), "carol": ("bob", other)}
    agent = "bob"
    for programs in range(MOST_HOPS + 1):
        to, script = pair[agent]
        answered = answering(project, agent, "sh", "-c", script.format(palaver=PALAVER, to=to))
        if CODE in answered.err:
            return programs
        agent = to
    return MOST_HOPS + 1


def unread(project: Project, agent: str) -> list[dict[str, object]]:
    """Return the unread mail of an agent."""
    found = project.do("inbox", "--unread", "--json", agent=agent).fields["messages"]
    assert isinstance(found, list)
    return found


def test_three_agents_that_answer_each_message_end_within_twenty_hops(project: Project) -> None:
    project.do("send", "bob", "-m", "Who has seen the parser?", agent="ada")
    agent, hops = "bob", 0
    answered = project.run("inbox", agent=agent)

    while hops <= MOST_HOPS:
        send = [PALAVER, "send", NEXT[agent], "-m", "Ask the next one."]
        answered = project.run("run", "--as", agent, "--on-message", "--once", "--", *send)
        if "Sent:" not in answered.out:
            break
        agent, hops = NEXT[agent], hops + 1

    assert hops <= MOST_HOPS
    # Choice: the refusal is visible where the program runs.
    assert [word for word in WORDS_OF_A_LIMIT if word in answered.text.lower()], answered


def test_plain_sends_are_never_limited(project: Project) -> None:
    answers = [
        project.run("send", to, "-m", f"number {number}", agent=sender)
        for number in range(15)
        for sender, to in (("bob", "carol"), ("carol", "bob"))
    ]

    assert [answer for answer in answers if answer.code != 0] == []


ANSWERS: Final = {
    "send": "{palaver} send {to} -m more",
    "reply": '{palaver} reply "$PALAVER_MESSAGE" -m more',
    "claimed name": "{palaver} send {to} -m more --as mallory",
    "no token": "env -u PALAVER_TOKEN {palaver} send {to} -m more",
    "after the end": "(sleep 0.3; env -u PALAVER_TOKEN {palaver} send {to} -m more) & wait; exit 0",
}


@pytest.mark.parametrize("how", ANSWERS)
def test_no_way_to_answer_resets_the_count(project: Project, how: str) -> None:
    project.do("agents", "add", "mallory")
    project.do("send", "bob", "-m", "Who has seen the parser?", "--as", "carol")

    assert ping_pong(project, ANSWERS[how], ANSWERS["send"]) <= MOST_HOPS


def test_lines_in_files_count_too(project: Project) -> None:
    chat = project.folder / "collab/chat.log"
    (project.folder / "collab/inbox").mkdir(parents=True)
    project.do("mount", "add", "collab", "collab", "--set", "a=jim", "--set", "b=clawdy")
    line = "echo \"$(date -u '+%Y-%m-%d %H:%M:%S') {} -> {}: more\" >> " + str(chat)
    project.do("send", "jim", "-m", "Hello", agent="boss")

    programs, pair = 0, ["jim", "clawdy"]
    answering(project, "jim", "sh", "-c", line.format("JIM", "CLAWDY"))
    while programs <= MOST_HOPS:
        pair.reverse()
        answered = answering(project, pair[0], "sh", "-c", line.format(*[each.upper() for each in pair]))
        if CODE in answered.err:
            break
        programs += 1

    assert programs <= MOST_HOPS
    said = [each for each in project.events("mail.sent") if each["actor"] in pair]
    assert {each["auth"] for each in said} & {"token"} == set(), "a line of a file proves nothing"


def test_a_message_that_is_held_is_told_once_and_stays_unread(project: Project) -> None:
    project.do("send", "bob", "-m", "Who has seen the parser?", agent="ada")
    ping_pong(project, ANSWERS["send"], ANSWERS["send"])
    for agent in ("bob", "carol"):
        answering(project, agent, "true")

    mail = {agent: unread(project, agent) for agent in ("bob", "carol", "ada")}
    told = {name: [each for each in found if each["from"] == "palaver"] for name, found in mail.items()}
    held = [each for each in [*mail["bob"], *mail["carol"]] if each["body"] == "more"]

    assert {agent: len(each) for agent, each in told.items()} == {"bob": 1, "carol": 1, "ada": 1}
    assert all(CODE in str(each["body"]) for found in told.values() for each in found)
    assert len(held) == 1
    [delivery] = [held[0]["delivery"]]
    assert isinstance(delivery, dict)
    assert project.do("read", str(held[0]["id"]), agent=str(delivery["recipient"])).code == 0


def hold(project: Project, to: str) -> str:
    """Send a message that no program takes, as a program of another bus would; return its id."""
    inside = {"PALAVER_TOKEN": "of another bus", "PALAVER_ROOT": "/elsewhere/.palaver", "PALAVER_HOPS": "16"}
    words = ("send", to, "-m", "more", "--as", "carol", "--root", str(project.folder), "--json")
    sent = project.run(*words, env=inside)
    return str(sent.fields["id"])


def test_mail_that_is_held_is_shown_until_it_is_closed(project: Project) -> None:
    held = hold(project, "bob")
    assert CODE in answering(project, "bob", "true").err

    assert f"no program takes 1 message (loop-limit), last {held}" in project.run("doctor").out
    assert f"Held (loop-limit): 1 message; palaver thread {held}" in project.run("status").out
    assert "  bob: stored, held (loop-limit)" in project.run("thread", held).out.splitlines()

    project.do("ack", held, agent="bob")
    shown = [project.run(*words).out for words in (("doctor",), ("status",), ("thread", held))]
    assert [out for out in shown if "loop-limit" in out and "Automatic mail" not in out] == []


def test_a_message_that_is_held_is_not_fed_into_a_running_program(project: Project) -> None:
    project.do("send", "bob", "-m", "Who has seen the parser?", agent="ada")
    ping_pong(project, ANSWERS["send"], ANSWERS["send"])
    bodies = {agent: [each["body"] for each in unread(project, agent)] for agent in ("bob", "carol")}
    [holder] = [agent for agent, found in bodies.items() if "more" in found]
    project.do("send", holder, "-m", "the last line", agent="ada")

    script = 'while read -r line; do echo "$line"; [ "$line" != "the last line" ] || exit 0; done'
    fed = project.run("run", "--as", holder, "--feed", "--", "sh", "-c", script)

    assert "the last line" in fed.out
    assert "more" not in fed.out.splitlines()
    assert CODE in fed.err


def test_a_new_message_of_a_person_starts_programs_again(project: Project) -> None:
    project.do("send", "bob", "-m", "Who has seen the parser?", agent="ada")
    ping_pong(project, ANSWERS["send"], ANSWERS["send"])

    project.do("send", "bob", "-m", "Go on.", agent="ada")
    answered = answering(project, "bob", "sh", "-c", "echo started")

    assert "started" in answered.out


def test_a_long_conversation_by_hand_is_not_limited(project: Project) -> None:
    agents = ["bob", "carol"]
    last = str(project.do("send", "carol", "-m", "0", "--json", agent="bob").fields["id"])
    for number in range(24):
        agents.reverse()
        replied = project.do("reply", last, "-m", str(number), "--json", agent=agents[0])
        last = str(replied.fields["id"])

    answered = answering(project, agents[1], "sh", "-c", "echo started")

    assert "started" in answered.out
    assert CODE not in answered.err
