"""Charts, drawn as SVG by pygal: the dashboard's, in the colours of its theme, and that of `palaver stats`.

A page shows them as images, in which no script runs and which fetch nothing.
"""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from types import ModuleType
from typing import Any, Final
from xml.etree.ElementTree import Element, tostring

from palaver.bus.stats.durations import DurationRow
from palaver.model.errors import NotFound

# Distinct in both themes, also for most people with colour blindness.
_LIGHT: Final = ("#4f5bd5", "#0f8a6c", "#c2571a", "#8a3ffc", "#b3246b", "#2f7fb8", "#7a6a00", "#8b8d98")
_DARK: Final = ("#8b93ff", "#3fc9a0", "#f0935b", "#c59bff", "#f078b0", "#6cb8ee", "#d6c24a", "#9a9ca8")
_LABELS: Final = 7
_FEW: Final = 5
_WIDTH, _HEIGHT = 620, 230

Figures = Mapping[str, object]
_Row = Mapping[str, object]


def chart(name: str, figures: Figures, *, dark: bool) -> bytes:
    """Return a chart of the dashboard as SVG, or refuse."""
    if name not in CHARTS:
        raise NotFound(
            f"unknown chart {name[:40]}", "no chart has that name", f"use one of {', '.join(CHARTS)}"
        )
    return CHARTS[name](figures, dark)


def duration_chart(rows: list[DurationRow], spell: Callable[[float], str]) -> bytes:
    """Return a chart of durations as a file: three bars a row, on a logarithmic scale."""
    style = _library().style.Style(
        colors=(_LIGHT[0], _LIGHT[2], _LIGHT[4]),
        background="white",
        plot_background="white",
        font_family="sans-serif",
    )
    drawing = _library().HorizontalBar(
        style=style,
        title="How long things took",
        js=(),
        logarithmic=True,
        height=140 + 60 * max(1, len(rows)),
        truncate_label=-1,
        no_data_text="Nothing yet",
        value_formatter=lambda value: spell(float(value)),
    )
    # The first row is on top.
    shown = rows[::-1]
    drawing.x_labels = [" ".join(word for word in (row.name, row.who) if word) for row in shown]
    for name, values in (
        ("p50", [row.p50 for row in shown]),
        ("p95", [row.p95 for row in shown]),
        ("max", [row.max for row in shown]),
    ):
        # A logarithmic scale has no place for 0.
        drawing.add(name, [max(0.001, value) for value in values])
    return b"<?xml version='1.0' encoding='utf-8'?>\n" + _without_scripts(drawing.render_tree())


def _over_time(rows: str) -> Callable[[Figures, bool], bytes]:
    """Return a chart of messages over time, one colour for each name."""

    def draw(figures: Figures, dark: bool) -> bytes:  # noqa: FBT001 - as the table calls it
        pygal = _library()
        columns = _list(figures["columns"])
        drawing = pygal.StackedBar(**_settings(dark))
        drawing.x_labels = _times(columns)
        for row in _list(figures[rows]):
            drawing.add(str(row["name"]), _list(row["counts"]))
        return _without_scripts(drawing.render_tree())

    return draw


def _wait(spread: str) -> Callable[[Figures, bool], bytes]:
    """Return a histogram of durations."""

    def draw(figures: Figures, dark: bool) -> bytes:  # noqa: FBT001 - as the table calls it
        pygal = _library()
        drawing = pygal.Bar(**_settings(dark), show_legend=False)
        drawing.x_labels = [str(label) for label in _list(figures["waits"])]
        found = figures[spread]
        assert isinstance(found, dict)
        drawing.add("messages", list(found["counts"]))
        _whole(drawing, max(found["counts"], default=0))
        return _without_scripts(drawing.render_tree())

    return draw


def _library() -> ModuleType:
    """Import pygal, without the finder that it leaves behind, which warns at every import that fails."""
    import pygal  # type: ignore[import-untyped]  # it has no types
    import pygal.style  # type: ignore[import-untyped]  # it has no types

    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "pygal"]
    assert isinstance(pygal, ModuleType)
    return pygal


def _in_state(figures: Figures, dark: bool) -> bytes:  # noqa: FBT001 - as the table calls it
    """Return a chart of how long tasks stay in each state, in hours."""
    drawing = _library().Bar(**{**_settings(dark), "value_formatter": lambda value: f"{value:g} h"})
    rows = [row for row in _list(figures["in_state"]) if row["count"]]
    drawing.x_labels = [str(row["state"]) for row in rows]
    for name, key in (("p50", "median"), ("p90", "p90")):
        drawing.add(name, [round(_seconds(row[key]) / 3600, 2) for row in rows])
    return _without_scripts(drawing.render_tree())


def _seconds(value: object) -> float:
    return value if isinstance(value, float) else 0.0


def _again(figures: Figures, dark: bool) -> bytes:  # noqa: FBT001 - as the table calls it
    """Return a chart of reworks and nudges by agent."""
    drawing = _library().StackedBar(**_settings(dark))
    rows = _list(figures["again"])
    drawing.x_labels = [_short(row) for row in rows]
    for name in ("reworks", "nudges"):
        drawing.add(name, [row[name] for row in rows])
    _whole(drawing, max((_count(row["reworks"]) + _count(row["nudges"]) for row in rows), default=0))
    return _without_scripts(drawing.render_tree())


def _given(figures: Figures, dark: bool) -> bytes:  # noqa: FBT001 - as the table calls it
    """Return a chart of the characters that agents were given to read."""
    drawing = _library().StackedBar(**_settings(dark))
    found = figures["given"]
    assert isinstance(found, dict)
    rows = _list(found["agents"])
    drawing.x_labels = [_short(row) for row in rows]
    for name, key in (("mail", "mail"), ("prompts", "prompt")):
        drawing.add(name, [row[key] for row in rows])
    return _without_scripts(drawing.render_tree())


def _short(row: _Row) -> str:
    """Return the last part of an agent's name, cut to the room there is."""
    return str(row["agent"]).rpartition("/")[2][:14]


def _whole(drawing: Any, most: int) -> None:
    """Give the scale of small counts whole steps."""
    if 0 < most <= _FEW:
        drawing.y_labels = list(range(most + 1))


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _without_scripts(tree: Element) -> bytes:
    """Return the chart without the script that pygal adds to every one."""
    for parent in list(tree.iter()):
        for child in list(parent):
            if str(child.tag).rpartition("}")[2] == "script":
                parent.remove(child)
    drawn: bytes = tostring(tree, encoding="utf-8", xml_declaration=False)
    return drawn


def _list(value: object) -> list[_Row]:
    assert isinstance(value, list | tuple)
    return list(value)


def _times(columns: list[_Row]) -> list[str]:
    """Return the labels of the columns: a few times, none of them twice."""
    every = max(1, -(-len(columns) // _LABELS))
    labels, before = [], ""
    for place, column in enumerate(columns):
        label = _time(str(column), columns)
        labels.append(label if place % every == 0 and label != before else "")
        before = labels[-1] or before
    return labels


def _time(at: str, columns: list[_Row]) -> str:
    """Return a time as short as the range of the chart allows."""
    first, last = (datetime.fromisoformat(str(columns[place])) for place in (0, -1))
    own = datetime.fromisoformat(at)
    if first.date() == last.date():
        return own.strftime("%H:%M")
    return own.strftime("%d %b" if (last - first).days > 3 else "%d %b %H:%M")


def _settings(dark: bool) -> dict[str, object]:  # noqa: FBT001 - a value that is passed through
    ink, faint = ("#e6e7ea", "#9a9ca8") if dark else ("#1c1d21", "#62646e")
    style = _library().style.Style(
        background="transparent",
        plot_background="transparent",
        foreground=faint,
        foreground_strong=ink,
        foreground_subtle="#3a3c45" if dark else "#dcdde3",
        guide_stroke_color="#2c2e36" if dark else "#e8e9ee",
        major_guide_stroke_color="#2c2e36" if dark else "#e8e9ee",
        guide_stroke_dasharray="",
        major_guide_stroke_dasharray="",
        colors=_DARK if dark else _LIGHT,
        opacity="1",
        opacity_hover="1",
        transition="0",
        font_family="system-ui, sans-serif",
        label_font_size=12,
        major_label_font_size=12,
        legend_font_size=13,
        no_data_font_size=16,
    )
    return {
        "style": style,
        "js": (),
        "width": _WIDTH,
        "height": _HEIGHT,
        "margin": 4,
        "spacing": 10,
        "show_y_guides": True,
        "legend_box_size": 10,
        "truncate_legend": 18,
        "truncate_label": -1,
        "rounded_bars": 2,
        "print_values": False,
        "no_data_text": "Nothing yet",
        "disable_xml_declaration": True,
        "value_formatter": lambda value: f"{value:,.0f}",
        "min_scale": 2,
        "max_scale": 5,
    }


CHARTS: Final[Mapping[str, Callable[[Figures, bool], bytes]]] = {
    "messages-by-agent": _over_time("by_agent"),
    "messages-by-act": _over_time("by_act"),
    "sent-to-read": _wait("sent_to_read"),
    "read-to-answered": _wait("read_to_answered"),
    "time-in-state": _in_state,
    "claim-to-approval": _wait("claim_to_approval"),
    "reworks-and-nudges": _again,
    "given-text": _given,
}
