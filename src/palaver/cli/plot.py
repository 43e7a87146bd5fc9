"""A picture of how long things took: three bars a thing, on a scale of powers of ten."""

from xml.etree.ElementTree import Element, tostring

from palaver.bus.durations import Row

_UNITS = ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (0.0, "ms"))
_COLOURS = ("#4f5bd5", "#c2571a", "#b3246b")


def spelt(seconds: float) -> str:
    """Return a length of time as people say it."""
    for unit, word in _UNITS:
        if seconds >= unit:
            shown = seconds / unit if unit else seconds * 1000
            return f"{shown:.0f} {word}" if shown >= 10 or not unit else f"{shown:.1f} {word}"
    return "0 ms"


def picture(rows: list[Row]) -> bytes:
    """Return the picture as SVG; without the script that the library gives to every one."""
    import pygal  # type: ignore[import-untyped]  # it has no types
    from pygal.style import Style  # type: ignore[import-untyped]  # it has no types

    chart = pygal.HorizontalBar(
        style=Style(colors=_COLOURS, background="white", plot_background="white", font_family="sans-serif"),
        title="How long things took",
        js=(),
        logarithmic=True,
        height=140 + 60 * max(1, len(rows)),
        truncate_label=-1,
        no_data_text="Nothing yet",
        value_formatter=lambda value: spelt(float(value)),
    )
    # The first stands on top.
    shown = rows[::-1]
    chart.x_labels = [" ".join(word for word in (row.name, row.who) if word) for row in shown]
    # A scale of powers has no place for nothing at all.
    for name in ("p50", "p95", "max"):
        chart.add(name, [max(0.001, float(getattr(row, name))) for row in shown])
    return _plain(chart.render_tree())


def _plain(tree: Element) -> bytes:
    for parent in list(tree.iter()):
        for child in list(parent):
            if str(child.tag).rpartition("}")[2] == "script":
                parent.remove(child)
    drawn: bytes = tostring(tree, encoding="utf-8")
    return b"<?xml version='1.0' encoding='utf-8'?>\n" + drawn
