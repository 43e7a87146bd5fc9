"""The generator of docs/reference/ says what the code says, and no more."""

from pathlib import Path

import pytest

from tools import docs


class Refused(Exception):
    """The root of a family that only these tests know."""


class NoSuchTask(Refused):
    """The task is not on the board.

    Look at `palaver board`, or open it first.
    """

    code = "no-such-task"
    exit = 3


class LostRace(Refused):
    """Somebody was faster | or luckier.

    Ask the holder.
    """

    code = "lost-race"
    exit = 5


SEND = docs.Command(name="send", summary="Say something.", help="usage: palaver send TO TEXT\n")
INBOX = docs.Command(name="inbox", summary="What waits for you.", help="usage: palaver inbox\n\n```\n")


def test_commands_keep_the_order_of_the_table() -> None:
    written = docs.commands_page([SEND, INBOX])

    assert written.index("## send") < written.index("## inbox")
    assert "- [`send`](#send): Say something.\n- [`inbox`](#inbox): What waits for you.\n" in written
    assert "```text\nusage: palaver send TO TEXT\n```\n" in written


def test_help_with_a_fence_in_it_gets_a_longer_one() -> None:
    assert "````text\nusage: palaver inbox\n\n```\n````\n" in docs.commands_page([INBOX])


def test_codes_are_sorted_and_stay_inside_their_cells() -> None:
    written = docs.errors_page(docs.codes_under(Refused))

    assert written.index("## lost-race") < written.index("## no-such-task")
    assert "| [`lost-race`](#lost-race) | 5 | Somebody was faster \\| or luckier. |" in written


def test_the_section_of_a_code_says_when_and_the_way_out() -> None:
    written = docs.errors_page([docs.code_of(NoSuchTask)])

    assert "## no-such-task\n\nExit 3. The task is not on the board.\n\n" in written
    assert written.endswith("\n\nLook at `palaver board`, or open it first.\n")


def test_a_refusal_without_a_way_out_is_undocumented() -> None:
    class Bare(Exception):
        """It did not work."""

        code = "bare"
        exit = 1

    with pytest.raises(docs.UndocumentedError, match="Bare: the docstring needs"):
        docs.code_of(Bare)


def test_two_refusals_may_not_share_a_code() -> None:
    class Family(Exception):
        """A root of its own."""

    first = type("First", (Family,), {"__doc__": "A.\n\nB.", "code": "same", "exit": 1})
    second = type("Second", (Family,), {"__doc__": "A.\n\nB.", "code": "same", "exit": 1})

    with pytest.raises(docs.UndocumentedError, match="the code same is"):
        docs.codes_under(Family)
    assert (first, second) == tuple(Family.__subclasses__())


def test_a_page_is_stale_if_it_is_missing_or_differs_by_a_byte(tmp_path: Path) -> None:
    pages = {Path("a.md"): "a\n", Path("b.md"): "b\n", Path("c.md"): "c\n"}
    (tmp_path / "a.md").write_bytes(b"a\n")
    (tmp_path / "b.md").write_bytes(b"b\r\n")

    assert docs.stale(tmp_path, pages) == [Path("b.md"), Path("c.md")]
