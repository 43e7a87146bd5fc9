"""swarm: lint and the live bus say the same of the same lines, and the line that they advise is good."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.acceptance.project import Project
from tests.acceptance.swarm_rule_cases import CASES, Case
from tests.acceptance.swarm_team import SwarmTeam

Judged = set[tuple[int, str]]
TOLD = sorted(code for code in CASES if not CASES[code].wait)
ADVISED = [code for code in TOLD if not CASES[code].no_line]


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return all codes of swarm."""
    project = Project.create(tmp_path_factory.mktemp("codes"), "pat")
    return {str(row["code"]) for row in project.do("rules", "--json").rows if row["dialect"] == "swarm"}


def test_every_code_has_a_case(codes: set[str]) -> None:
    assert set(CASES) == codes


def bad_lines(team: SwarmTeam, code: str) -> bytes:
    """Return the bytes of a case: its own, or the bad example of the rule's page."""
    if CASES[code].bad:
        return CASES[code].bad
    page = team.project.do("rules", code).out
    found = re.search(r"^Bad \(channel\.jsonl\):\n\n((?:    .*\n)+)", page, re.M)
    assert found, page
    return re.sub(r"(?m)^    ", "", found[1]).encode()


def write(team: SwarmTeam, code: str) -> bytes:
    """Append the bad lines of a case as one write, let the bus take them in, and return them."""
    content = bad_lines(team, code)
    fd = os.open(team.channel, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(fd, content)
    finally:
        os.close(fd)
    team.sync()
    return content


def linted(team: SwarmTeam) -> Judged:
    rows = team.project.run("lint", str(team.channel), "--json").rows
    return {(int(str(row["line"])), str(row["code"])) for row in rows}


def judged_live(team: SwarmTeam, content: bytes) -> Judged:
    """Return the lines and codes of what the bus found or quarantined."""
    found = {(int(str(each["line"])), str(each["code"])) for each in team.project.findings()}
    for event in team.project.events("file.quarantined"):
        place, kept = event["src"], event["data"]
        assert isinstance(place, dict)
        assert isinstance(kept, dict)
        first = content.count(b"\n", 0, place["off"]) + 1
        found |= {(first + number, kept["reason"]) for number in range(kept["lines"])}
    return found


def notices(team: SwarmTeam) -> list[dict[str, object]]:
    lines = team.channel.read_text(errors="replace").splitlines()
    return [json.loads(line) for line in lines if '"from":"palaver"' in line]


@pytest.mark.parametrize("code", CASES)
def test_lint_and_the_live_bus_say_the_same_of_the_same_lines(tmp_path: Path, code: str) -> None:
    team, case = SwarmTeam(tmp_path), CASES[code]

    content = write(team, code)

    found, live = linted(team), judged_live(team, content)
    if case.notice or case.wait:
        # The bus judges by what the lines have led to.
        assert {each for _, each in found - live} == {code}
        assert found >= live
    else:
        assert live == found
        assert code in {each for _, each in live}


@pytest.mark.parametrize("code", TOLD)
def test_the_author_is_told_of_what_lint_finds(tmp_path: Path, code: str) -> None:
    team, case = SwarmTeam(tmp_path), CASES[code]

    write(team, code)

    told = [str(each["content"]) for each in notices(team) if each["to"] == [f"@{case.author}"]]
    assert [text for text in told if (case.notice or code) in text]


@pytest.mark.parametrize("code", sorted(set(CASES) - set(TOLD)))
def test_the_director_waits_for_what_may_still_come(tmp_path: Path, code: str) -> None:
    team = SwarmTeam(tmp_path)

    write(team, code)

    waits = [(wait["kind"], wait["movers"]) for wait in team.project.waits()]
    assert (CASES[code].wait, ["qa"]) in waits


def advised(team: SwarmTeam, case: Case, code: str) -> str:
    texts = [str(each["content"]) for each in notices(team) if each["to"] == [f"@{case.author}"]]
    [line] = [re.search(r"[Ww]rite: (\{.*\})", text) for text in texts if (case.notice or code) in text]
    assert line, texts
    return line[1]


@pytest.mark.parametrize("code", ADVISED)
def test_the_advised_line_is_accepted_as_it_is_and_has_its_effect(tmp_path: Path, code: str) -> None:
    team, case = SwarmTeam(tmp_path), CASES[code]
    write(team, code)
    line = advised(team, case, code)
    before = notices(team)

    team.project.append(team.channel, line)
    team.sync()

    assert notices(team) == before
    assert case.effect(team)
    number = team.channel.read_bytes().count(b"\n")
    assert not [each for each in linted(team) if each[0] == number]
