"""palaver rules: every code that lint can show has an answer."""

import re
from collections import Counter

import pytest

from palaver.dialects import DIALECTS, specs
from tests.cli.conftest import Inside
from tests.cli.spoken import Shell

KNOWN = specs()
RULES = {rule.code: rule for dialect in KNOWN.values() for rule in dialect.rules}
NAMES = Counter(rule.name for rule in RULES.values())
PARSERS = {
    code: line for dialect in KNOWN.values() for code, line in dialect.codes.items() if code not in RULES
}


def test_the_list_has_both_kinds_and_every_code_once(nowhere: Shell) -> None:
    answer = nowhere.run("rules")

    listed = [line.split(maxsplit=3) for line in answer.lines]
    assert answer.code == 0
    assert sorted(code for code, *_ in listed) == sorted([*RULES, *PARSERS])
    assert {code: name for code, _, kind, name in listed if kind == "rule"} == {
        code: rule.name for code, rule in RULES.items()
    }
    assert {code: line for code, _, kind, line in listed if kind == "parser"} == PARSERS
    assert list(dict.fromkeys(dialect for _, dialect, *_ in listed)) == list(DIALECTS)


def test_a_program_gets_the_list_as_fields(nowhere: Shell) -> None:
    rows = nowhere.run("rules", "--json").rows

    assert {str(row["code"]): row["kind"] for row in rows} == {
        **dict.fromkeys(RULES, "rule"),
        **dict.fromkeys(PARSERS, "parser"),
    }
    assert all({*row} == {"dialect", "code", "kind", "name"} and all(row.values()) for row in rows)


def test_every_rule_shows_its_manual_by_code_and_by_name(inside: Inside) -> None:
    for code, rule in RULES.items():
        answer = inside("rules", code)

        assert answer.code == 0
        assert {"Why:", "Bad", "Good"} <= set(re.findall(r"(?m)^(Why:|Bad|Good)", answer.out)), code
        assert answer.out == inside("rules", code.lower()).out
        if NAMES[rule.name] == 1:
            assert answer.out == inside("rules", rule.name).out
        assert inside("rules", code, "--json").fields["manual"] == rule.manual.strip()


def test_a_name_that_two_dialects_have_is_refused_with_both_codes(nowhere: Shell) -> None:
    answer = nowhere.run("rules", "id-twice")

    assert (answer.code, answer.out) == (2, "")
    assert "VER105 and RUN033 have this name; use the code" in answer.err


def test_every_code_of_a_parser_has_its_line(inside: Inside) -> None:
    assert {"VER001", "SWA001"} <= PARSERS.keys()
    for code, line in PARSERS.items():
        answer = inside("rules", code)

        assert answer.code == 0
        assert answer.out.startswith(f"{code}: {line}."), answer
        assert inside("rules", code, "--json").fields["kind"] == "parser"


@pytest.mark.parametrize("word", ["XXX999", "", "COL", "\x1b[2J", "x" * 5_000, "../etc", "-"])
def test_a_code_that_is_none_is_refused_with_the_way_to_the_list(nowhere: Shell, word: str) -> None:
    answer = nowhere.run("rules", word)

    assert (answer.code, answer.out) == (3, "")
    assert "palaver rules lists them" in answer.err
    assert len(answer.err) < 200


def test_two_codes_are_one_too_many(nowhere: Shell) -> None:
    assert nowhere.run("rules", "COL101", "COL102").code == 2
