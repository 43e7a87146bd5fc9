"""Checks that several rules of swarm share."""

from collections.abc import Iterator

from palaver.dialects.shared.rule import CheckedFile, Violation
from palaver.dialects.swarm.handles import named_agents
from palaver.dialects.swarm.layout import director_of


def check_director_only(file: CheckedFile, *, act: str, doing: str) -> Iterator[Violation]:
    """Yield the messages with an act that only the director may use, if another agent sent them."""
    director = director_of(file.source.mount)
    for each in file.messages():
        if each.message.act == act and each.message.sender != director:
            yield each.violation(f"{each.message.sender} {doing}", f"ask @{director} to do it")


def check_names_agent(file: CheckedFile, *, act: str, problem: str, fix: str) -> Iterator[Violation]:
    """Yield the messages with an act that must name an agent, if they name none."""
    for each in file.messages():
        if each.message.act == act and not named_agents(each.message):
            yield each.violation(f"{each.message.sender} {problem}", fix)
