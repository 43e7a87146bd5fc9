"""Our own bytes among others': told apart by equality alone, whatever lies between, before and behind."""

from collections import Counter

from hypothesis import given, note, settings
from hypothesis import strategies as st

from palaver.sync.intake.echoes import FOREIGN, TORN, UNFINISHED, Rendering, Renderings, Span

# Long enough that a beginning counts as ours, and so alike that one is often the beginning of another.
STEM = b"2026-02-11 10:00:00 BUS -> ADA: "
TEXTS = st.text(alphabet="ab\n", max_size=6).map(str.encode)
CONTENTS = TEXTS.map(lambda text: STEM + text + b"\n")
FOREIGN_LINES = st.one_of(
    st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"") + b"\n"),
    st.just(b"\n"),
    TEXTS.map(lambda text: b"2026-02-11 10:00:00 ADA -> BUS: " + text.replace(b"\n", b"") + b"\n"),
)


def covered(content: bytes, found: list[Span]) -> None:
    """Check that the spans cover every byte once, in order."""
    end = 0
    for span in found:
        assert span.start == end
        assert span.end > span.start
        end = span.end
    assert end == len(content)


@st.composite
def owings(draw: st.DrawFn) -> list[Rendering]:
    contents = draw(st.lists(CONTENTS, min_size=1, max_size=5))
    return [Rendering(seq, content) for seq, content in enumerate(contents, start=1)]


@settings(deadline=None, max_examples=500)
@given(content=st.binary(max_size=300), owed=owings())
def test_any_bytes_are_covered_once_and_no_rendering_is_met_twice(
    content: bytes, owed: list[Rendering]
) -> None:
    found = list(Renderings(owed).spans(content))

    covered(content, found)
    met = Counter(span.seq for span in found if span.seq > 0)
    assert not [seq for seq, count in met.items() if count > 1]


@settings(deadline=None, max_examples=500)
@given(owed=owings(), choices=st.data())
def test_echoes_among_foreign_lines_are_found_whatever_their_order(
    owed: list[Rendering], choices: st.DataObject
) -> None:
    # A rendering that another one begins with may be taken for it: this law is about those that differ.
    distinct = [
        each
        for each in owed
        if not any(
            other is not each and other.content.startswith(each.content.rstrip(b"\n")) for other in owed
        )
    ]
    order = choices.draw(st.permutations(distinct))
    content = b""
    places: dict[int, int] = {}
    for each in order:
        content += b"".join(choices.draw(st.lists(FOREIGN_LINES, max_size=2)))
        places[each.seq] = len(content)
        content += each.content
    content += b"".join(choices.draw(st.lists(FOREIGN_LINES, max_size=2)))

    found = list(Renderings(distinct).spans(content))

    covered(content, found)
    assert {span.seq: span.start for span in found if span.seq > 0} == places
    assert all(span.seq > 0 or span.seq == FOREIGN for span in found)


@settings(deadline=None)
@given(content=CONTENTS, count=st.integers(2, 6), between=st.lists(FOREIGN_LINES, max_size=2))
def test_equal_renderings_are_met_oldest_first(content: bytes, count: int, between: list[bytes]) -> None:
    owed = [Rendering(seq, content) for seq in range(count, 0, -1)]
    standing = (content + b"".join(between)) * (count - 1)

    found = [span.seq for span in Renderings(owed).spans(standing) if span.seq > 0]

    assert found == list(range(1, count))


@settings(deadline=None)
@given(content=CONTENTS, behind=st.sampled_from([b"a", b"b", b"ab"]))
def test_the_longest_rendering_that_fits_is_met(content: bytes, behind: bytes) -> None:
    longer = content + behind + b"\n"
    owed = [Rendering(1, content), Rendering(2, longer)]

    assert [span.seq for span in Renderings(owed).spans(longer)] == [2]
    assert [span.seq for span in Renderings(owed).spans(longer + content)] == [2, 1]


@settings(deadline=None, max_examples=300)
@given(content=CONTENTS, cut=st.integers(24, 60), behind=st.lists(FOREIGN_LINES, max_size=3))
def test_a_beginning_that_breaks_off_at_the_end_is_unfinished_and_before_a_newline_torn(
    content: bytes, cut: int, behind: list[bytes]
) -> None:
    beginning = content[: min(cut, len(content) - 1)]
    note(repr(beginning))
    owed = [Rendering(7, content)]

    [last] = Renderings(owed).spans(beginning)
    found = list(Renderings(owed).spans(beginning + b"\n" + content + b"".join(behind)))

    assert last.seq == UNFINISHED
    covered(beginning + b"\n" + content + b"".join(behind), found)
    if not content.startswith(beginning + b"\n"):
        assert found[0] == Span(0, len(beginning) + 1, TORN)
        assert found[1] == Span(len(beginning) + 1, len(beginning) + 1 + len(content), 7)


@settings(deadline=None)
@given(content=CONTENTS, glue=st.binary(min_size=1, max_size=8).filter(lambda raw: b"\n" not in raw))
def test_a_rendering_that_is_glued_to_anothers_bytes_does_not_count(content: bytes, glue: bytes) -> None:
    found = list(Renderings([Rendering(1, content)]).spans(glue + content))

    assert 1 not in [span.seq for span in found]


def test_a_short_beginning_could_be_anybodys() -> None:
    owed = [Rendering(1, STEM + b"hello\n")]

    [span] = Renderings(owed).spans(b"2026-02-11 10:00\n")

    assert span.seq == FOREIGN
