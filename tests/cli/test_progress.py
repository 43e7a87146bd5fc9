"""A bar for what takes long: on a terminal, after a moment, and gone in the end."""

import pytest

from palaver.cli.progress import ProgressBar


def a_bar(*, shows: bool, began: float) -> ProgressBar:
    bar = ProgressBar("taking in", 200)
    bar._shows = shows
    bar._since -= began
    return bar


def test_what_takes_long_has_a_bar_that_goes_away(capsys: pytest.CaptureFixture[str]) -> None:
    bar = a_bar(shows=True, began=1.0)

    bar.at(100)
    drawn = capsys.readouterr().err
    bar.end()

    assert drawn == f"\rtaking in {'█' * 15:<30}  50%"
    assert capsys.readouterr().err.strip(" \r") == ""


@pytest.mark.parametrize(("shows", "began"), [(False, 1.0), (True, 0.0)], ids=["no terminal", "not long"])
def test_nothing_is_drawn_elsewhere(shows: bool, began: float, capsys: pytest.CaptureFixture[str]) -> None:
    bar = a_bar(shows=shows, began=began)

    bar.at(100)
    bar.end()

    assert capsys.readouterr().err == ""
