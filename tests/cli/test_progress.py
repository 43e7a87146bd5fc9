"""A bar for what takes long: on a terminal, after a moment, and gone in the end."""

from io import StringIO

import pytest

from palaver.cli.progress import ProgressBar


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def a_bar(errors: StringIO, *, began: float) -> ProgressBar:
    bar = ProgressBar("taking in", 200, errors)
    bar._since -= began
    return bar


def test_what_takes_long_has_a_bar_that_goes_away() -> None:
    terminal = Terminal()
    bar = a_bar(terminal, began=1.0)

    bar.at(100)
    drawn = terminal.getvalue()
    bar.end()

    assert drawn == f"\rtaking in {'█' * 15:<30}  50%"
    assert terminal.getvalue().removeprefix(drawn).strip(" \r") == ""


@pytest.mark.parametrize(
    ("errors", "began"), [(StringIO(), 1.0), (Terminal(), 0.0)], ids=["no terminal", "not long"]
)
def test_nothing_is_drawn_elsewhere(errors: StringIO, began: float) -> None:
    bar = a_bar(errors, began=began)

    bar.at(100)
    bar.end()

    assert errors.getvalue() == ""
