"""Charts of classes, drawn by Vega-Lite as pictures that need no script and follow the colours of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lossguard.audit.trouble import needs
from lossguard.reports.lines import plain

#: With more classes than this, bars have no names and stand in the order of their size.
_NAMED: Final = 60
#: Where the largest class has so many times more labels than the smallest, the scale is logarithmic.
_LOGARITHMIC: Final = 50
#: No more bars than this are drawn; what lies between is left out evenly.
_BARS: Final = 400
#: The widths of the two pictures that a page chooses from.
WIDTHS: Final = {"wide": 820, "narrow": 310}
_CONFIG: Final[dict[str, Any]] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        **dict.fromkeys(("labelColor", "titleColor", "domainColor", "tickColor"), "currentColor"),
        "gridColor": "#8884",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 12,  # fonts are wider here than where the picture is drawn
    },
    "bar": {"color": "#4c78a8"},
}


def histogram(
    counts: Mapping[Any, int], names: tuple[str, ...], unit: str, width: int, classes: int | None = None
) -> str:
    """How often each label occurs, as SVG; what is none of the classes in another colour."""
    many = len(counts) > _NAMED
    pairs = sorted(counts.items(), key=lambda pair: -pair[1]) if many else list(counts.items())
    step = max(1, -(-len(pairs) // _BARS))
    kept = [
        (place, label, times) for place, (label, times) in enumerate(pairs, start=1) if place % step == 1 or step == 1
    ]
    rows = [
        {"place": place, "label": _shown(label, names), "count": times, "mark": _is_outside(label, classes)}
        for place, label, times in kept
    ]
    logarithmic = max(counts.values()) >= _LOGARITHMIC * min(counts.values())
    scale: dict[str, Any] = {"type": "symlog", "constant": 1} if logarithmic else {"zero": True}
    x: dict[str, Any] = {"field": "label", "type": "nominal", "sort": None, "title": None if _long(rows) else "label"}
    x["axis"] = {"labelAngle": -40 if len(rows) > 12 or _long(rows) else 0, "labelLimit": 120, "labelOverlap": True}
    if many:
        x = {"field": "place", "type": "quantitative", "title": f"{len(counts):,} labels, the most frequent first"}
        x["axis"] = {"tickCount": 6, "format": ",d"}
        x["scale"] = {"domain": [0, len(counts) + 1], "nice": False}
    ticks = [10**power for power in range(len(str(max(counts.values()))))]
    y_axis: dict[str, Any] = {"format": ",d", **({"values": ticks} if logarithmic else {})}
    title = f"{unit}s" + (" (logarithmic)" if logarithmic else "")
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "width": width,
        "height": 220,
        "mark": {"type": "bar", "width": max(1, width // max(len(rows), 1) - 1)} if many else "bar",
        "encoding": {
            "x": x,
            "y": {"field": "count", "type": "quantitative", "title": title, "scale": scale, "axis": y_axis},
            "color": {"condition": {"test": "datum.mark", "value": "#e45756"}, "value": "#4c78a8"},
        },
        "config": _CONFIG,
    }
    return _svg(spec)


def shares(rows: list[dict[str, Any]], width: int) -> str:
    """The share of each class in each split, side by side, as SVG."""
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "width": width,
        "height": 200,
        "mark": "bar",
        "encoding": {
            "x": {"field": "label", "type": "nominal", "sort": None, "axis": {"labelAngle": -40, "labelLimit": 120}},
            "xOffset": {"field": "split", "sort": None},
            "y": {"field": "share", "type": "quantitative", "axis": {"format": ".0%"}},
            "color": {
                "field": "split",
                "sort": None,
                "legend": {"labelColor": "currentColor", "titleColor": "currentColor"},
            },
        },
        "config": _CONFIG,
    }
    return _svg(spec)


def _svg(spec: dict[str, Any]) -> str:
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise needs("vl-convert-python", "html", "--html") from None
    return str(vl_convert.vegalite_to_svg(spec, vl_version="5.21"))


def _shown(label: Any, names: tuple[str, ...]) -> str:
    if isinstance(label, int) and 0 <= label < len(names):
        return plain(f"{label} {names[label]}")[:40]
    return plain(str(label))[:40]


def _long(rows: list[dict[str, Any]]) -> bool:
    return sum(len(row["label"]) for row in rows) > 60


def _is_outside(label: Any, classes: int | None) -> bool:
    return isinstance(label, int) and (label < 0 or (classes is not None and label >= classes))
