"""The charts of a report: Vega-Lite and Vega specifications, drawn as SVG by vl-convert.

Colours are CSS variables of the page, so that one drawing is readable in light and in dark.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any, Final

from resolvers.engines.drawing import renderer
from resolvers.engines.report.values import Relation, RuleResult, TableLine, TrendPoint
from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
from schema.data_readiness.profile import ColumnProfile, ValueKind
from schema.data_readiness.rule import RuleOutcome
from schema.data_readiness.scorecard import Scorecard

Spec = dict[str, Any]

LITE: Final = "https://vega.github.io/schema/vega-lite/v5.json"
FULL: Final = "https://vega.github.io/schema/vega/v5.json"
MOST_ROWS: Final = 60
"""Tables or columns that one chart has room for."""
MOST_NODES: Final = 60
MOST_LABEL: Final = 28

_FONT: Final = "system-ui, sans-serif"
_CONFIG: Final[Spec] = {
    "background": "transparent",
    "font": _FONT,
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
    "text": {"color": "var(--ink)", "font": _FONT},
}


def drawn(spec: Spec) -> str:
    """A specification as SVG. Raises NoCharts."""
    vl_convert = renderer()
    lite = spec["$schema"] == LITE
    # Nothing may be fetched while a report is made: its data stands in the specification.
    svg: str = (
        vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
        if lite
        else vl_convert.vega_to_svg(spec, allowed_base_urls=[])
    )
    return svg


def _lite(values: Sequence[Mapping[str, Any]], **rest: Any) -> Spec:
    return {"$schema": LITE, "config": _CONFIG, "data": {"values": list(values)}, **rest}


def short(text: str, most: int = MOST_LABEL) -> str:
    """A label that fits; the middle of a long one is left out."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[-(most - 1 - head) :]}"


def dimensions(card: Scorecard) -> Spec | None:
    """A bar for each dimension that was measured."""
    rows = [
        {"name": one.display_name or one.name, "score": float(one.score), "told": f"{float(one.score):.1%}"}
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
    return _lite(
        rows,
        width=360,
        height={"step": 24},
        layer=[
            {
                "mark": {"type": "bar", "cornerRadiusEnd": 3, "height": 14},
                "encoding": {"x": x, "y": y, "color": colour},
            },
            {
                "mark": {"type": "text", "align": "right", "dx": -4, "fontSize": 10, "fill": "var(--on)"},
                "encoding": {"x": x, "y": y, "text": {"field": "told"}},
            },
        ],
    )


def trend(points: Sequence[TrendPoint]) -> Spec | None:
    """The overall score over time; one point makes no trend."""
    if len(points) < 2:
        return None
    rows = [{"at": point.at.astimezone(UTC).isoformat(), "score": point.score} for point in points]
    lowest = min(point.score for point in points)
    return _lite(
        rows,
        width=360,
        height=140,
        mark={"type": "line", "point": {"filled": True, "size": 40, "fill": "var(--accent)"}, "color": "var(--accent)"},
        encoding={
            "x": {"field": "at", "type": "temporal", "axis": {"title": None, "labelOverlap": True, "grid": False}},
            "y": {
                "field": "score",
                "type": "quantitative",
                "scale": {"domain": [max(0.0, math.floor(lowest * 10 - 1) / 10), 1]},
                "axis": {"title": None, "format": ".0%", "tickCount": 4},
            },
        },
    )


def null_map(tables: Sequence[TableLine]) -> Spec | None:
    """Where values are missing: a cell for each column, the darker the more nulls; bars when there is one table."""
    profiled = [table for table in tables if table.profile is not None and table.profile.columns]
    if len(profiled) == 1:
        return _null_bars(profiled[0])
    rows: list[dict[str, Any]] = [
        {"table": short(table.name), "at": place, "nulls": _share(column.null_count, column.row_count)}
        for table in profiled[:MOST_ROWS]
        for place, column in enumerate(table.profile.columns[:100] if table.profile else (), 1)
    ]
    if not rows:
        return None
    widest = max(row["at"] for row in rows)
    return _lite(
        rows,
        width={"step": 14 if widest <= 50 else 7},
        height={"step": 16},
        layer=[
            {"mark": {"type": "rect", "fill": "var(--cell)", "stroke": "var(--paper)"}},
            {
                "mark": {"type": "rect", "fill": "var(--bad)", "stroke": "var(--paper)"},
                "encoding": {"opacity": {"field": "nulls", "type": "quantitative", "legend": None, "scale": None}},
            },
        ],
        encoding={
            "x": {
                "field": "at",
                "type": "ordinal",
                "axis": {"title": "column, by position", "labelAngle": 0, "labelOverlap": True, "grid": False},
            },
            "y": {"field": "table", "type": "nominal", "sort": None, "axis": {"title": None}},
        },
    )


def _null_bars(table: TableLine) -> Spec:
    columns = table.profile.columns if table.profile else []
    rows = [
        {"column": short(column.name), "share": _share(column.null_count, column.row_count), "what": "null"}
        for column in columns[:MOST_ROWS]
    ] + [
        {"column": short(column.name), "share": _share(column.blank_count, column.row_count), "what": "blank"}
        for column in columns[:MOST_ROWS]
        if column.blank_count
    ]
    return _lite(
        rows,
        width=420,
        height={"step": 18},
        mark={"type": "bar", "height": 10},
        encoding={
            "x": {
                "field": "share",
                "type": "quantitative",
                "stack": True,
                "scale": {"domain": [0, 1]},
                "axis": {"title": "share of rows without a value", "format": ".0%"},
            },
            "y": {"field": "column", "type": "nominal", "sort": None, "axis": {"title": None}},
            "color": {
                "field": "what",
                "type": "nominal",
                "scale": {"domain": ["null", "blank"], "range": ["var(--bad)", "var(--warn)"]},
                "legend": {"title": None, "orient": "top"},
            },
        },
    )


def pii_map(found: Sequence[Classification]) -> Spec | None:
    """Which kinds of personal data are where: a disc for each table and tag, the larger the more columns."""
    cells: dict[tuple[str, str], list[Classification]] = {}
    for one in found:
        if one.kind is ClassificationKind.PII and one.state is not ClassificationState.REJECTED:
            table = one.asset_fqn.rpartition(".")[0]
            cells.setdefault((table, one.tag_fqn), []).append(one)
    if not cells:
        return None
    names = {table for table, _ in cells}
    one_table = len(names) == 1
    if one_table:  # then by column
        cells = {(one.asset_fqn, one.tag_fqn): [one] for held in cells.values() for one in held}
    rows = [
        {
            "where": short(where.rpartition(".")[2] if one_table else _last_two(where), 36),
            "tag": tag.partition(".")[2] or tag,
            "columns": len(held),
            "sure": max(one.confidence for one in held),
            "state": "confirmed" if any(one.state is ClassificationState.CONFIRMED for one in held) else "suggested",
        }
        for (where, tag), held in sorted(cells.items())[:500]
    ]
    return _lite(
        rows,
        width={"step": 30},
        height={"step": 20},
        mark={"type": "circle", "stroke": "var(--accent)"},
        encoding={
            "x": {"field": "tag", "type": "nominal", "axis": {"title": None, "labelAngle": -40, "orient": "top"}},
            "y": {"field": "where", "type": "nominal", "axis": {"title": None, "grid": True}},
            "size": {
                "field": "columns",
                "type": "quantitative",
                "scale": {"range": [50, 260], "domain": [1, max(2, *(row["columns"] for row in rows))]},
                "legend": None,
            },
            "opacity": {
                "field": "sure",
                "type": "quantitative",
                "scale": {"range": [0.35, 1], "domain": [0, 1]},
                "legend": None,
            },
            "color": {
                "field": "state",
                "type": "nominal",
                "scale": {"domain": ["suggested", "confirmed"], "range": ["var(--warn)", "var(--accent)"]},
                "legend": {"title": None, "orient": "bottom"},
            },
        },
    )


def rule_results(rules: Sequence[RuleResult]) -> Spec | None:
    """How many rules passed, failed, or could not be evaluated, by dimension."""
    if not rules:
        return None
    words = {RuleOutcome.PASSED: "passed", RuleOutcome.FAILED: "failed", RuleOutcome.NOT_EVALUATED: "not evaluated"}
    counts: dict[tuple[str, str], int] = {}
    for rule in rules:
        key = (rule.dimension, words[rule.outcome])
        counts[key] = counts.get(key, 0) + 1
    rows = [{"dimension": one, "outcome": outcome, "rules": number} for (one, outcome), number in counts.items()]
    return _lite(
        rows,
        width=360,
        height={"step": 24},
        mark={"type": "bar", "height": 14},
        encoding={
            "x": {
                "field": "rules",
                "type": "quantitative",
                "axis": {"title": "rules", "tickMinStep": 1, "format": "d"},
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


def distribution(column: ColumnProfile) -> Spec | None:
    """The histogram of a column of numbers or moments, the most frequent values of another."""
    if column.masked:
        return None
    if column.histogram and column.kind in (ValueKind.NUMBER, ValueKind.TEMPORAL):
        rows = [{"at": place, "count": each.count} for place, each in enumerate(column.histogram)]
        first, last = column.histogram[0].lower, column.histogram[-1].upper
        return _lite(
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
                        "title": f"{short(first, 20)} to {short(last, 20)}",
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
    return _lite(
        [{"value": short(one.value.strip() or "(blank)", 18), "count": one.count} for one in top],
        width=160,
        height={"step": 13},
        mark={"type": "bar", "color": "var(--accent)"},
        encoding={
            "x": {"field": "count", "type": "quantitative", "axis": {"title": None, "tickCount": 3, "format": "~s"}},
            "y": {"field": "value", "type": "nominal", "sort": None, "axis": {"title": None, "labelLimit": 110}},
        },
    )


def relationships(relations: Sequence[Relation]) -> Spec | None:
    """Which tables refer to which, laid out by forces; what the source declares is solid, what was found dashed."""
    names = sorted({name for one in relations for name in (one.source, one.target)})[:MOST_NODES]
    if not names:
        return None
    place = {name: at for at, name in enumerate(names)}
    links = [
        {"source": place[one.source], "target": place[one.target], "dash": [1, 0] if one.is_declared else [4, 3]}
        for one in relations
        if one.source in place and one.target in place and one.source != one.target
    ]
    if not links:
        return None
    width, height = 720, min(600, 120 + 20 * len(names))
    return {
        "$schema": FULL,
        "width": width,
        "height": height,
        "padding": 40,
        "background": "transparent",
        "autosize": "none",
        "data": [
            {"name": "links", "values": links},
            {"name": "nodes", "values": [{"name": short(name, 24)} for name in names]},
        ],
        "marks": [
            {
                "name": "tables",
                "type": "symbol",
                "zindex": 1,
                "from": {"data": "nodes"},
                "encode": {
                    "enter": {
                        "fill": {"value": "var(--accent)"},
                        "size": {"value": 90},
                        "middle": {"value": width / 2},
                        "centre": {"value": height / 2},
                    }
                },
                "transform": [
                    {
                        "type": "force",
                        "signal": "force",
                        "iterations": 300,
                        "static": True,
                        "forces": [
                            {"force": "center", "x": width / 2, "y": height / 2},
                            {"force": "collide", "radius": 34},
                            {"force": "nbody", "strength": -420},
                            {"force": "link", "links": "links", "distance": 110},
                            {"force": "x", "x": "middle", "strength": 0.03},
                            {"force": "y", "y": "centre", "strength": 0.09},
                        ],
                    }
                ],
            },
            {
                "type": "path",
                "from": {"data": "links"},
                "interactive": False,
                "encode": {
                    "update": {
                        "stroke": {"value": "var(--muted)"},
                        "strokeWidth": {"value": 1.2},
                        "strokeDash": {"field": "dash"},
                    }
                },
                "transform": [
                    {
                        "type": "linkpath",
                        "require": {"signal": "force"},
                        "shape": "line",
                        "sourceX": "datum.source.x",
                        "sourceY": "datum.source.y",
                        "targetX": "datum.target.x",
                        "targetY": "datum.target.y",
                    }
                ],
            },
            {
                "type": "text",
                "zindex": 2,
                "from": {"data": "tables"},
                "encode": {
                    "update": {
                        "x": {"field": "x"},
                        "y": {"field": "y", "offset": -12},
                        "text": {"field": "datum.name"},
                        "align": {"value": "center"},
                        "fontSize": {"value": 11},
                        "fill": {"value": "var(--ink)"},
                        "font": {"value": _FONT},
                    }
                },
            },
        ],
    }


def _share(part: int | None, whole: int) -> float:
    return round((part or 0) / whole, 4) if whole else 0.0


def _last_two(fqn: str) -> str:
    return ".".join(fqn.split(".")[-2:])
