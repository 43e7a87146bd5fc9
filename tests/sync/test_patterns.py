"""Which files are read: by patterns of names, as shells have them."""

from fnmatch import fnmatchcase

import pytest

from palaver.sync.mounts import matches

NAMES = (
    *("channel.jsonl", "employee-1.log", "employee-.log", "employee.log", "a*b", "ab", "axb", "[x]", "x"),
    "",
)
PATTERNS = (
    *("channel.jsonl", "employee-*.log", "*.log", "employee-*", "*", "**", "a*b", "a*b*", "?", "[x]", "a?b"),
    *("", "e*e*g", "employee-*-.log"),
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_means_what_it_means_elsewhere(pattern: str) -> None:
    found = [name for name in NAMES if matches(name, pattern)]

    assert found == [name for name in NAMES if fnmatchcase(name, pattern)]
