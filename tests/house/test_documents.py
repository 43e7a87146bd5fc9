"""What the code has, the documents name; what they promise, is there."""

import re
import tomllib
from typing import Any, Final

from tests.house.repository import ROOT, kept_files, place, text
from tools.docs import codes_under

ADR: Final = ROOT / "docs" / "adr"
ADR_LINES_MAX: Final = 70

# Paths that are right on one machine only. A path inside a longer name, as `.work/`, is not one.
PRIVATE_PATH: Final = re.compile(rb"(?<![\w.~-])/(?:home|Users|root|work)/[\w.-]")


def project() -> dict[str, Any]:
    return tomllib.loads(text("pyproject.toml"))


def requirement_name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match, requirement
    return match[0]


def headings(page: str) -> set[str]:
    return set(re.findall(r"(?m)^#{1,6} (.+)$", page))


def test_every_decision_is_in_the_index_once_and_in_order() -> None:
    pages = sorted(path.name for path in ADR.glob("[0-9]*.md"))
    index = re.findall(r"\]\(([0-9][^)]+\.md)\)", text("docs/adr/README.md"))

    assert index == pages


def test_the_numbers_of_decisions_have_no_gap() -> None:
    numbers = sorted(int(path.name[:4]) for path in ADR.glob("[0-9]*.md"))

    assert numbers == list(range(1, len(numbers) + 1))


def test_every_decision_is_one_page_of_context_choice_and_price() -> None:
    wrong = [
        place(path)
        for path in sorted(ADR.glob("[0-9]*.md"))
        if not {"Context", "Choice", "Price"} <= headings(path.read_text(encoding="utf-8"))
        or path.read_bytes().count(b"\n") > ADR_LINES_MAX
    ]

    assert wrong == []


def test_every_dependency_has_its_sentence() -> None:
    config = project()
    requirements = [
        *config["build-system"]["requires"],
        *config["project"]["dependencies"],
        *config["project"]["optional-dependencies"]["dev"],
    ]
    sentences = set(re.findall(r"(?m)^- \*\*([^*]+)\*\*: \S", text("docs/dependencies.md")))

    assert {requirement_name(requirement) for requirement in requirements} == sentences


def test_the_dev_extra_and_the_dev_group_are_the_same_list() -> None:
    config = project()

    assert config["project"]["optional-dependencies"]["dev"] == config["dependency-groups"]["dev"]


def test_every_refusal_has_a_heading_in_the_reference() -> None:
    from palaver.model import errors

    codes = {code.code for code in codes_under(errors.Refusal)}

    assert codes
    assert codes - headings(text("docs/reference/errors.md")) == set()


def test_every_command_has_a_heading_in_the_reference() -> None:
    from palaver.cli.command_table import COMMANDS

    assert COMMANDS
    assert set(COMMANDS) - headings(text("docs/reference/commands.md")) == set()


def test_every_command_of_the_table_can_be_loaded() -> None:
    from palaver.cli.command_table import COMMANDS

    assert [name for name, entry in COMMANDS.items() if not entry.load().spec.help().strip()] == []


def test_the_readme_shows_the_two_doors() -> None:
    readme = text("README.md")

    assert "make demo" in readme
    assert "make test" in readme


def test_no_file_names_a_path_of_one_machine() -> None:
    naming = [place(path) for path in kept_files() if PRIVATE_PATH.search(path.read_bytes())]

    assert naming == []


def test_a_private_path_is_told_from_a_path_inside_a_name() -> None:
    private = [b"see /" + b"home/ada/bus", b"cd '/" + b"root/x'", b'"file:///' + b'Users/ada"']
    public = [b".work/messages.jsonl", b"~/home/x", b"factory/home/x", b"/etc/passwd", b"/home/"]

    assert [line for line in private if not PRIVATE_PATH.search(line)] == []
    assert [line for line in public if PRIVATE_PATH.search(line)] == []
