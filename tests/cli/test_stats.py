"""palaver stats: a table, JSON and a picture."""

from xml.etree import ElementTree

import pytest

from tests.cli.spoken import Shell


@pytest.fixture
def talked(ada: Shell) -> Shell:
    asked = ada.run("send", "bob", "-m", "well?").message_id
    ada.run("read", asked, "--as", "bob")
    ada.run("reply", asked, "-m", "yes", "--as", "bob")
    return ada


def test_a_table_has_a_row_for_each_thing_that_took_time(talked: Shell) -> None:
    head, *rows = talked.run("stats", "--by", "agent").lines

    assert head.split() == ["agent", "count", "p50", "p95", "max"]
    assert [row.split()[:3] for row in rows] == [["sent→read", "bob", "1"], ["read→answered", "bob", "1"]]


def test_programs_get_milliseconds(talked: Shell) -> None:
    rows = talked.run("stats", "--json").rows

    assert [row["name"] for row in rows] == ["sent→read", "read→answered"]
    assert all(set(row) == {"name", "who", "count", "p50_ms", "p95_ms", "max_ms"} for row in rows)


def test_the_picture_is_svg_without_a_script(talked: Shell) -> None:
    answer = talked.run("stats", "--svg", "odd näme.svg")

    tree = ElementTree.parse(talked.folder / "odd näme.svg")  # noqa: S314 - we have just drawn it
    tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert answer.code == 0
    assert "svg" in tags
    assert "script" not in tags
    assert "sent→read" in "".join(tree.getroot().itertext())


def test_a_bus_on_which_nothing_happened_has_an_empty_table_and_picture(ada: Shell) -> None:
    answer = ada.run("stats", "--svg", "x.svg")

    assert (answer.code, answer.out) == (0, "No data yet\n")
    assert (ada.folder / "x.svg").exists()


@pytest.mark.parametrize(
    "words", [("--by", "x"), ("--since", "yesterday"), ("--svg", "x.png"), ("--svg", "no/such/x.svg")]
)
def test_mistakes_are_named(ada: Shell, words: tuple[str, ...]) -> None:
    assert ada.run("stats", *words).code in (1, 2)
