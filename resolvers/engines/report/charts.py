"""The bars, lines and histograms of a report: Vega-Lite specifications, drawn as SVG by vl-convert.

Colours are CSS variables of the page, so that one drawing is readable in light and in dark.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, timedelta
from statistics import median
from typing import Any, Final

from resolvers.engines.chart_library import renderer
from resolvers.engines.profiling.values import seconds_of
from resolvers.engines.report.values import RuleResult, TrendPoint
from resolvers.engines.report.wording import figure, percent, short
from schema.data_readiness.profile import ColumnProfile, HistogramBin, ValueKind
from schema.data_readiness.rule import RuleOutcome
from schema.data_readiness.scorecard import Scorecard

Spec = dict[str, Any]

LITE: Final = "https://vega.github.io/schema/vega-lite/v5.json"
CHART: Final = 280
"""The width of a chart without its labels, in pixels: with them it fits on a phone."""

FONT: Final = "system-ui, sans-serif"
_CONFIG: Final[Spec] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": "transparent"},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--muted)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 220,
    },
    "legend": {"labelColor": "var(--muted)", "titleColor": "var(--muted)", "labelFontSize": 11},
    "text": {"color": "var(--ink)", "font": FONT},
}


def drawn(spec: Spec) -> str:
    """A specification as SVG. Raises NoCharts."""
    vl_convert = renderer()
    is_lite = spec["$schema"] == LITE
    # Nothing may be fetched while a report is made: its data stands in the specification.
    svg: str = (
        vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
        if is_lite
        else vl_convert.vega_to_svg(spec, allowed_base_urls=[])
    )
    return svg


def lite(values: Sequence[Mapping[str, Any]], **rest: Any) -> Spec:
    """A Vega-Lite specification with its rows."""
    return {"$schema": LITE, "config": _CONFIG, "data": {"values": list(values)}, **rest}


def dimensions(card: Scorecard) -> Spec | None:
    """A bar for each dimension that was measured."""
    rows = [
        {"name": one.display_name or one.name, "score": float(one.score), "told": percent(one.score)}
        for one in card.dimensions
        if one.score is not None
    ]
    if not rows:
        return None
    y = {"field": "name", "type": "nominal", "sort": None, "axis": {"title": None, "domain": False, "ticks": False}}
    x = {
        "field": "score",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"title": None, "format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]},
    }
    colour = {
        "condition": [
            {"test": "datum.score < 0.8", "value": "var(--bad)"},
            {"test": "datum.score < 0.95", "value": "var(--warn)"},
        ],
        "value": "var(--good)",
    }
    return lite(
        rows,
        width=CHART,
        height={"step": 24},
        layer=[
            {
                "mark": {"type": "bar", "cornerRadiusEnd": 3, "height": 14},
                "encoding": {"x": x, "y": y, "color": colour},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11, "fill": "var(--ink)"},
                "encoding": {"x": x, "y": y, "text": {"field": "told"}},
            },
        ],
    )


def trend(points: Sequence[TrendPoint]) -> Spec | None:
    """The score of the data over time; one point makes no trend."""
    if len(points) < 2:
        return None
    rows = [{"at": point.at.astimezone(UTC).isoformat(), "score": point.score} for point in points]
    lowest = min(point.score for point in points)
    return lite(
        rows,
        width=CHART,
        height=140,
        mark={"type": "line", "point": {"filled": True, "size": 40, "fill": "var(--accent)"}, "color": "var(--accent)"},
        encoding={
            "x": {
                "field": "at",
                "type": "temporal",
                "scale": {"type": "utc"},
                "axis": {
                    "title": None,
                    "labelOverlap": True,
                    "grid": False,
                    # By itself the axis marks fractions of seconds between runs that came close upon one another.
                    "values": [int(point.at.timestamp() * 1000) for point in points],
                    "format": _moments_apart(points[-1].at - points[0].at),
                },
            },
            "y": {
                "field": "score",
                "type": "quantitative",
                "scale": {"domain": [max(0.0, math.floor(lowest * 10 - 1) / 10), 1]},
                "axis": {"title": None, "format": ".0%", "tickCount": 4},
            },
        },
    )


def _moments_apart(span: timedelta) -> str:
    """Return how moments are written that lie so far apart, in UTC."""
    if span < timedelta(minutes=10):
        return "%H:%M:%S"
    return "%H:%M" if span < timedelta(days=1) else "%d %b %Y"


def rule_results(rules: Sequence[RuleResult]) -> Spec | None:
    """Return how many rules passed, failed, or could not be evaluated, by dimension."""
    if not rules:
        return None
    words = {RuleOutcome.PASSED: "passed", RuleOutcome.FAILED: "failed", RuleOutcome.NOT_EVALUATED: "not evaluated"}
    counts: dict[tuple[str, str], int] = {}
    for rule in rules:
        key = (rule.dimension, words[rule.outcome])
        counts[key] = counts.get(key, 0) + 1
    rows = [{"dimension": one, "outcome": outcome, "rules": number} for (one, outcome), number in counts.items()]
    most = max(Counter(rule.dimension for rule in rules).values())
    return lite(
        rows,
        width=CHART,
        height={"step": 24},
        mark={"type": "bar", "height": 14},
        encoding={
            "x": {
                "field": "rules",
                "type": "quantitative",
                "axis": {"title": "rules", "tickCount": min(5, most), "format": "d"},
            },
            "y": {"field": "dimension", "type": "nominal", "axis": {"title": None}},
            "color": {
                "field": "outcome",
                "type": "nominal",
                "scale": {
                    "domain": ["passed", "failed", "not evaluated"],
                    "range": ["var(--good)", "var(--bad)", "var(--idle)"],
                },
                "legend": {"title": None, "orient": "top"},
            },
            "order": {"field": "outcome", "sort": "descending"},
        },
    )


def outlying(column: ColumnProfile) -> tuple[Sequence[HistogramBin], str | None]:
    """The bins of a histogram without those that hold what lies far off, and how many lie there, in words."""
    bins = column.histogram
    places = [_place(one.lower, column.kind) for one in bins]
    ends = [_place(one.upper, column.kind) for one in bins]
    widths = [end - place for place, end in zip(places, ends, strict=True) if place is not None and end is not None]
    if len(bins) < FEWEST_BINS or len(widths) < len(bins):
        return bins, None
    usual = median(widths)
    first, last = widths[0] > WIDE * usual, widths[-1] > WIDE * usual
    told = []
    if first and bins[0].count:
        told.append(f"{bins[0].count:,} below {_bound(bins[0].upper, column)}, from {_bound(bins[0].lower, column)}")
    if last and bins[-1].count:
        told.append(f"{bins[-1].count:,} from {_bound(bins[-1].lower, column)} up to {_bound(bins[-1].upper, column)}")
    return bins[int(first) : len(bins) - int(last)], f"Not drawn: {' and '.join(told)}." if told else None


FEWEST_BINS: Final = 5
WIDE: Final = 1.9
"""How many times as wide as the others the first or last bin is that holds what lies far off."""


def _place(text: str, kind: ValueKind) -> float | None:
    if kind is ValueKind.TEMPORAL:
        return seconds_of(text)
    try:
        return float(text)
    except ValueError:
        return None


def _bound(text: str, column: ColumnProfile) -> str:
    return short(figure(text, column.kind), 20)


def distribution(column: ColumnProfile) -> Spec | None:
    """The histogram of a column of numbers or moments, the most frequent values of another."""
    if column.masked:
        return None
    if column.histogram and column.kind in (ValueKind.NUMBER, ValueKind.TEMPORAL):
        bins, _ = outlying(column)
        rows = [{"at": place, "count": each.count} for place, each in enumerate(bins)]
        first, last = (_bound(one, column) for one in (bins[0].lower, bins[-1].upper))
        return lite(
            rows,
            width=220,
            height=70,
            mark={"type": "bar", "color": "var(--accent)"},
            encoding={
                "x": {
                    "field": "at",
                    "type": "ordinal",
                    "scale": {"paddingInner": 0.06},
                    "axis": {
                        "title": f"{first} to {last}",
                        "labels": False,
                        "ticks": False,
                        "grid": False,
                    },
                },
                "y": {
                    "field": "count",
                    "type": "quantitative",
                    "axis": {"title": None, "tickCount": 3, "format": "~s"},
                },
            },
        )
    top = [one for one in column.top_values if one.count > 1 or len(column.top_values) <= 5][:8]
    if not top:
        return None
    return lite(
        [{"value": short(one.value.strip() or "(blank)", 16), "count": one.count} for one in top],
        width=160,
        height={"step": 13},
        mark={"type": "bar", "color": "var(--accent)"},
        encoding={
            "x": {"field": "count", "type": "quantitative", "axis": {"title": None, "tickCount": 3, "format": "~s"}},
            "y": {"field": "value", "type": "nominal", "sort": None, "axis": {"title": None, "labelLimit": 110}},
        },
    )
