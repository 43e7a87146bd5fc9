"""Agents that answer each other by themselves stop; people and programs that send are never stopped."""

from typing import Final

from tests.acceptance.marks import unmet
from tests.acceptance.project import PALAVER, Project

MOST_HOPS: Final = 20
NEXT: Final = {"bob": "boss", "boss": "carol", "carol": "bob"}
WORDS_OF_A_LIMIT: Final = ("hop", "loop", "limit", "rate")


@unmet("all 21 programs are started and send on: nothing ends it")
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
