"""Every rule of runbus and collab, live: lint and the bus say the same of a line.

A bad example is written into a mounted folder. The bus tells its author, and what it advises can be copied:
nobody is told anything of that, and it has its effect.
"""

import os
import re
import subprocess
import textwrap
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from palaver.dialects import spec
from palaver.model.mounted_files import LintRule
from tests.acceptance.files import read
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team

RULES: Final = [(dialect, rule) for dialect in ("runbus", "collab") for rule in spec(dialect).rules]
#: Rules that no line breaks when it is written, and why.
NOT_LIVE: Final = {
    "RUN041": "a question is open until it is answered: `palaver waiting` lists it",
    "COL103": "a task is open until it is closed: `palaver waiting` lists it, and the patrol asks for it",
}
#: Rules whose notice has no line to copy, and why.
NO_LINE: Final = {"COL117": "the line is there already, once too often"}
#: Findings about something else in good examples: no question is shown, or no time.
IN_GOOD_EXAMPLES: Final = {"RUN030": {"RUN031"}, "COL106": {"COL021"}, "COL107": {"COL021"}}
#: How many lines of a bad example come to the last bad one, if others follow that settle the matter.
LAST_BAD_LINES: Final = {"COL101": 3, "COL102": 2, "COL115": 2}
#: What the bus calls the mistake that a rule finds, if it has another word for it than its name.
CALLED: Final = {"there is no such task": "unknown-task"}
#: What only the author knows, and what stands for it in a line that is offered.
UNKNOWN: Final = {"<type>-<role>-<N>": "codex-impl-7"}


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("template")
    Project.create(base, "boss")
    return base


@pytest.fixture
def project(template: Path, memory: Path) -> Project:
    return Project.copy(template, memory)


class Example(NamedTuple):
    """A part of the manual page of a rule."""

    file: str
    text: str


def example(rule: LintRule, kind: str) -> Example:
    match = re.search(rf"^{kind} \((.*?)\):\n\n((?:    .*\n|\n)+)", f"{rule.manual}\n", re.MULTILINE)
    if match is None:
        raise RuntimeError(f"{rule.code} has no {kind} example")
    return Example(match[1], textwrap.dedent(match[2]).strip("\n") + "\n")


def mount(project: Project, dialect: str, text: str) -> Team:
    """Mount the team of an example: JIM and CLAWDY, or A and B."""
    is_unnamed = dialect == "collab" and re.search(r"\bA (?:->|→) B\b", text)
    return mount_team(project, dialect, *(("person=jeremy",) if is_unnamed else ()))


def write(team: Team, file: str, text: str) -> None:
    """Append a text that is complete, and let the bus take it in and say what it thinks of it."""
    path = team.folder / file
    team.project.append(path, text, end="")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    team.project.sync()


def linted(team: Team) -> set[tuple[str, str]]:
    """Return what lint finds: the line, and the code."""
    found = re.findall(
        r"^(?:.*/)?([^/:]+:\d+): ([A-Z]{3}\d+) ", team.project.run("lint", str(team.folder)).out, re.M
    )
    return {(place, code) for place, code in found if code not in NOT_LIVE}


def live(team: Team) -> set[tuple[str, str]]:
    """Return what the bus has found in lines as they were written: the line, and the code."""
    codes = {rule.name: rule.code for rule in spec(team.dialect).rules}
    found: set[tuple[str, str]] = set()
    for finding in team.project.findings():
        name, code = Path(str(finding["file"])).name, str(finding["code"])
        found.add((f"{name}:{finding['line']}", codes.get(code, code)))
    sent = {event["event_id"]: event for event in team.project.events("mail.sent")}
    for event in team.project.events("rule.broken"):
        data, src = fields(event, "data"), fields(sent[event["caused_by"]], "src")
        path = team.folder / str(src["file"])
        line = path.read_bytes()[: int(str(src["off"]))].count(b"\n") + 1
        mistake = CALLED.get(str(data["why"]), str(data["rule"]))
        if mistake in codes:
            found.add((f"{path.name}:{line}", codes[mistake]))
    return found


def fields(value: dict[str, object], name: str) -> dict[str, object]:
    found = value[name]
    if not isinstance(found, dict):
        raise TypeError(f"{name} of {value}")
    return found


@pytest.mark.parametrize(("dialect", "rule"), RULES, ids=[rule.code for _, rule in RULES])
def test_lint_and_the_live_bus_find_the_same_in_the_same_lines(
    project: Project, dialect: str, rule: LintRule
) -> None:
    file, text = example(rule, "Bad")
    team = mount(project, dialect, text)
    write(team, file, text)

    expected = {found for found in linted(team) if found[1].startswith(rule.code[:3])}
    assert live(team) == expected
    assert (rule.code in {code for _, code in expected}) != (rule.code in NOT_LIVE)


@pytest.mark.parametrize(("dialect", "rule"), RULES, ids=[rule.code for _, rule in RULES])
def test_nobody_is_told_anything_of_a_good_example(project: Project, dialect: str, rule: LintRule) -> None:
    file, text = example(rule, "Good")
    team = mount(project, dialect, text)
    if "type: COMPLETE" in text:
        project.do("task", "open", "Parser", "--id", "parser", agent="boss")
    write(team, file, text)

    assert {code for _, code in live(team)} <= IN_GOOD_EXAMPLES.get(rule.code, set())


# --- what is advised ---


def notices(team: Team) -> list[str]:
    """Return what the bus has said about lines, in the file that all read."""
    if team.dialect == "collab":
        return re.findall(r"^\S+ \S+ PALAVER -> .*$", read(team.read), re.MULTILINE)
    blocks = re.split(r"^---\n(?=messageId:)", read(team.read), flags=re.MULTILINE)
    return [block.strip() for block in blocks if "\nagent: palaver\n" in block]


def advised(notice: str) -> str:
    """Return the line or the block that a notice offers, empty if it offers none."""
    if block := re.search(r"^~~~\n(.*?)^~~~$", notice, re.MULTILINE | re.DOTALL):
        return textwrap.dedent(block[1])
    line = re.search(r"(?:W|w)rite: (.+)$", notice)
    return f"{line[1]}\n" if line else ""


def paste(team: Team, text: str) -> range:
    """Append what was advised, or run it if it is a command; return the numbers of its lines."""
    for unknown, known in UNKNOWN.items():
        text = text.replace(unknown, known)
    if text.startswith("TMPFILE="):
        subprocess.run(["sh", "-c", text], cwd=team.folder, check=True)
        team.project.sync()
        return range(0)
    first = read(team.read).count("\n") + 1
    separator = "\n" if team.dialect == "runbus" else ""
    write(team, team.read.name, separator + text)
    return range(first, first + len((separator + text).split("\n")))


@pytest.mark.parametrize(("dialect", "rule"), RULES, ids=[rule.code for _, rule in RULES])
def test_what_is_advised_can_be_copied_and_breaks_no_rule(
    project: Project, dialect: str, rule: LintRule
) -> None:
    file, text = example(rule, "Bad")
    team = mount(project, dialect, text)
    if "type: COMPLETE" in text:
        project.do("agents", "add", "claude-research-1")
        project.do("task", "open", "Parser", "--id", "parser", agent="boss")
    lines = text.splitlines(keepends=True)
    text = "".join(lines[: LAST_BAD_LINES.get(rule.code, len(lines))])
    write(team, file, text)
    told = notices(team)
    offered = [advised(notice) for notice in told]

    pasted = [number for each in dict.fromkeys(offered) if each for number in paste(team, each)]

    assert bool(told) != (rule.code in NOT_LIVE)
    assert bool([each for each in offered if each]) != (rule.code in NOT_LIVE or rule.code in NO_LINE)
    assert notices(team) == told
    assert not {found for found in linted(team) if int(found[0].rpartition(":")[2]) in pasted}
    assert project.do("quarantine", "--json").rows == []
