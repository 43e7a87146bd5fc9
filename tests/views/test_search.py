"""Search: newest first, and no text that a person may type is an error."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palaver import Bus
from palaver.views.mail import search
from tests.bus.scene import bus_in, refused

HOSTILE = (
    '"', '""', '"""', "'", "''; drop table words; --", "NEAR(", "NEAR(a b, 2)", "a NEAR b", "AND", "OR",
    "NOT", "a AND", "NOT a", "a OR", "(", ")", "((a)", "*", "a*", "*a", "**", "a**", "-a", "+a", "^a",
    "subject:a", "subject : a", "{subject body}: a", "a\0b", "\0", "\ud800", "a\ud800", "\u202e", "\u2028",
    "a\x1fb", "継続*", "²", "a;b", "%", "_", "\\", "a" * 10_000, " ".join(f"w{n}" for n in range(2_000)),
    '"' + " ".join(f"w{n}" for n in range(2_000)) + '"', "🎉", "a🎉b", "\u0301", "e\u0301", "ﬁ", "İ", "ß",
    "\ufeff", "a" + "\u0301" * 1_000, "NULL", "$(x)", "{{7*7}}", "rowid", "words",
)  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Bus:
    bus = bus_in(tmp_path_factory.mktemp("library"), "bob")
    for number in range(30):
        bus.send("bob", f"The parser is ready, build {number}.", subject=f"Parser {number}")
    bus.send("bob", "null pointer in the lexer")
    bus.send("bob", "the pointer is null")
    bus.send("bob", "请继续，不要停下来，我们继续努力")
    bus.send("bob", "続けてください。テストです")
    bus.send("bob", "Größe: 10 µm; naïve café", subject="Übersicht")
    return bus


def found(bus: Bus, wanted: str, limit: int = 100) -> list[str]:
    return [message.body for message in bus.search(wanted, limit=limit)]


def test_the_newest_come_first(library: Bus) -> None:
    assert found(library, "parser", 3) == [f"The parser is ready, build {number}." for number in (29, 28, 27)]
    assert len(found(library, "parser")) == 30


def test_all_words_must_be_there_in_any_order_and_case(library: Bus) -> None:
    assert found(library, "POINTER null") == ["the pointer is null", "null pointer in the lexer"]
    assert found(library, "pointer null parser") == []


def test_words_in_quotes_stand_together(library: Bus) -> None:
    assert found(library, '"null pointer"') == ["null pointer in the lexer"]
    assert found(library, 'the "null pointer" in') == ["null pointer in the lexer"]


def test_a_star_finds_what_starts_so(library: Bus) -> None:
    assert found(library, "lex*") == ["null pointer in the lexer"]
    assert found(library, "lex") == []


def test_words_of_a_language_without_spaces_are_found_inside_a_text(library: Bus) -> None:
    assert found(library, "继续") == ["请继续，不要停下来，我们继续努力"]
    assert found(library, "努力") == ["请继续，不要停下来，我们继续努力"]
    assert found(library, "续继") == []
    assert found(library, "テスト") == ["続けてください。テストです"]


def test_subjects_and_senders_are_searched_too(library: Bus) -> None:
    assert len(found(library, "ada")) == 35
    assert found(library, "Übersicht") == found(library, "ubersicht") == ["Größe: 10 µm; naïve café"]


@pytest.mark.parametrize("wanted", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_that_is_typed_is_an_error(library: Bus, wanted: str) -> None:
    if not search.query(wanted):
        with refused(library, "bad-arguments"):
            library.search(wanted)
    else:
        assert isinstance(found(library, wanted), list)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.sampled_from('ab "*()-+^:{}[],.;\0\n\t\u2028继Éß²🎉NEARANDORNOT'), max_size=25)
    | st.text(max_size=25)
)
def test_no_text_is_an_error(library: Bus, wanted: str) -> None:
    if search.query(wanted):
        library.search(wanted)
    else:
        with refused(library, "bad-arguments"):
            library.search(wanted)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(
        st.text(st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x17F), min_size=1, max_size=8),
        min_size=1,
        max_size=4,
    )
)
def test_what_was_said_is_found_by_its_words(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    bus = bus_in(tmp_path_factory.mktemp("said"), "bob")
    said = " ".join(words)
    bus.send("bob", said)

    assert found(bus, said) == [said]
    assert found(bus, f'"{said}"') == [said]


def test_new_mail_is_found_at_once_and_by_every_process(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "first find")
    assert found(bus, "find") == ["first find"]

    Bus(str(tmp_path), agent="bob").send("ada", "second find")

    assert found(bus, "find") == ["second find", "first find"]
    assert found(Bus(str(tmp_path), agent="bob"), "find") == ["second find", "first find"]


@pytest.mark.parametrize("harm", ["gone", "noise", "cut", "empty", "folder gone"])
def test_a_damaged_index_is_made_again(tmp_path: Path, harm: str) -> None:
    bus = bus_in(tmp_path, "bob")
    for number in range(50):
        bus.send("bob", f"needle {number}")
    wanted = found(bus, "needle")
    path = Path(search.path_of(bus.root.view))
    content = path.read_bytes()

    if harm in ("gone", "folder gone"):
        for each in path.parent.glob("*" if harm == "folder gone" else "search*"):
            each.unlink()
        if harm == "folder gone":
            path.parent.rmdir()
    else:
        path.write_bytes(
            {"noise": b"\x55" * len(content), "cut": content[: len(content) // 2], "empty": b""}[harm]
        )

    assert found(Bus(str(tmp_path), agent="ada"), "needle") == wanted


@pytest.mark.parametrize("limit", [0, -1, 10_001, 10**30])
def test_a_search_has_bounds(library: Bus, limit: int) -> None:
    with refused(library, "bad-arguments"):
        library.search("parser", limit=limit)
