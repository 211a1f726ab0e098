"""The maps of a report: where values are missing, where personal data is, and which table refers to which."""

import json
from collections.abc import Sequence
from typing import Any, Final

from resolvers.engines.report.charts import FONT, Spec, lite
from resolvers.engines.report.values import ReportReference, TableLine
from resolvers.engines.report.wording import below, percent, short
from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
from schema.data_readiness.profile import ColumnProfile

FULL: Final = "https://vega.github.io/schema/vega/v5.json"
MOST_TABLES: Final = 40
"""Tables that the map of missing values has room for."""
MOST_CELLS: Final = 16
"""Columns of one table in that map: the emptiest."""
MOST_BARS: Final = 30
"""Columns, where the map is about one table."""
MOST_NODES: Final = 60
"""Tables that the map of relationships has room for."""


def missing_share(column: ColumnProfile) -> float:
    """The share of a column's values that are null or blank, 0 to 1."""
    missing = (column.null_count or 0) + (column.blank_count or 0)
    return min(1.0, missing / column.row_count) if column.row_count else 0.0


def with_gaps(table: TableLine) -> list[ColumnProfile]:
    """The columns of a table that miss values, the emptiest first."""
    columns = table.profile.columns if table.profile else []
    return sorted((one for one in columns if missing_share(one)), key=lambda one: -missing_share(one))


def emptiest(tables: Sequence[TableLine]) -> list[tuple[TableLine, list[ColumnProfile]]]:
    """The tables that miss values with the columns that do, the table with the emptiest column first."""
    found = [(table, gaps) for table in tables if (gaps := with_gaps(table))]
    return sorted(found, key=lambda one: -missing_share(one[1][0]))


def null_map(
    tables: Sequence[TableLine], gaps: Sequence[tuple[TableLine, list[ColumnProfile]]], parent: str
) -> Spec | None:
    """Return where values are missing: a cell for each column that misses some, the stronger the more; bars for one
    table.

    Every table has the same room, however many columns it has. What is left out is counted at the end of its line.
    """
    found = gaps[:MOST_TABLES]
    if not found:
        return None
    if sum(table.profile is not None for table in tables) == 1:
        return _null_bars(found[0][1])
    rows: list[dict[str, Any]] = []
    more: list[dict[str, Any]] = []
    for place, (_, columns) in enumerate(found):
        for at, column in enumerate(columns[:MOST_CELLS], 1):
            rows.append({"place": place, "at": at, "depth": round(0.12 + 0.88 * missing_share(column), 4)})
        told = percent(missing_share(columns[0]))
        if len(columns) > MOST_CELLS:
            told = f"{told}, +{len(columns) - MOST_CELLS}"
        more.append({"place": place, "at": min(len(columns), MOST_CELLS), "told": told})
    names = {str(place): short(below(table.fqn, parent), 20) for place, (table, _) in enumerate(found)}
    widest = max(row["at"] for row in rows)
    x = {
        "field": "at",
        "type": "ordinal",
        "scale": {"domain": list(range(1, widest + 1))},
        "axis": None,
    }
    # Two tables may have the same name, so a line is found by its place and only labelled with the name.
    y = {
        "field": "place",
        "type": "ordinal",
        "axis": {
            "title": None,
            "domain": False,
            "ticks": False,
            "labelExpr": f"{json.dumps(names)}[datum.value]",
        },
    }
    cell = {"type": "rect", "stroke": "var(--paper)"}
    return lite(
        rows,
        width={"step": 11},
        height={"step": 18},
        layer=[
            {"mark": {**cell, "fill": "var(--cell)"}, "encoding": {"x": x, "y": y}},
            {
                "mark": {**cell, "fill": "var(--bad)"},
                "encoding": {
                    "x": x,
                    "y": y,
                    "opacity": {"field": "depth", "type": "quantitative", "legend": None, "scale": None},
                },
            },
            {
                "data": {"values": more},
                "mark": {"type": "text", "align": "left", "dx": 11, "fontSize": 11, "fill": "var(--muted)"},
                "encoding": {"x": x, "y": y, "text": {"field": "told"}},
            },
        ],
    )


def _null_bars(columns: Sequence[ColumnProfile]) -> Spec:
    rows = [
        {"place": place, "share": (number or 0) / column.row_count, "what": what}
        for place, column in enumerate(columns[:MOST_BARS])
        for what, number in (("null", column.null_count), ("blank", column.blank_count))
        if number
    ]
    names = {str(place): short(column.name) for place, column in enumerate(columns[:MOST_BARS])}
    return lite(
        rows,
        width=260,
        height={"step": 18},
        mark={"type": "bar", "height": 10},
        encoding={
            "x": {
                "field": "share",
                "type": "quantitative",
                "stack": True,
                "scale": {"domain": [0, 1]},
                "axis": {"title": "share of rows without a value", "format": ".0%", "tickCount": 5},
            },
            "y": {
                "field": "place",
                "type": "ordinal",
                "axis": {"title": None, "labelExpr": f"{json.dumps(names)}[datum.value]"},
            },
            "color": {
                "field": "what",
                "type": "nominal",
                "scale": {"domain": ["null", "blank"], "range": ["var(--bad)", "var(--warn)"]},
                "legend": {"title": None, "orient": "top"},
            },
        },
    )


def _state(held: Sequence[Classification]) -> str:
    """How far some tags have come: confirmed where a person has said so of any."""
    states = {one.state for one in held}
    ahead = (ClassificationState.CONFIRMED, ClassificationState.ACCEPTED)
    return next((state.value for state in ahead if state in states), ClassificationState.SUGGESTED.value)


def pii_map(found: Sequence[Classification]) -> Spec | None:
    """Return which kinds of personal data are where: a disc for each table and tag, the larger the more columns."""
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
    rows: list[dict[str, Any]] = [
        {
            "where": short(where.rpartition(".")[2] if one_table else _last_two(where), 36),
            "tag": tag.partition(".")[2] or tag,
            "columns": len(held),
            "sure": max(one.confidence for one in held),
            "state": _state(held),
        }
        for (where, tag), held in sorted(cells.items())[:500]
    ]
    return lite(
        rows,
        width={"step": 30},
        height={"step": 20},
        mark={"type": "circle"},
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
                "scale": {"range": [0.5, 1], "domain": [0, 1]},
                "legend": None,
            },
            "color": {
                "field": "state",
                "type": "nominal",
                "scale": {
                    "domain": ["suggested", "accepted", "confirmed"],
                    "range": ["var(--warn)", "var(--muted)", "var(--accent)"],
                },
                "legend": {"title": None, "orient": "bottom", "symbolOpacity": 1, "symbolStrokeWidth": 0},
            },
        },
    )


PULLS: Final = (0.03, 0.08, 0.2, 0.6)
"""How strongly tables are drawn to the middle of the map's width: the weakest with which it fits is taken."""


def relationships(relations: Sequence[ReportReference], pull: float = PULLS[0]) -> Spec | None:
    """Return which tables refer to which, laid out by forces; what the source declares is solid, what was found dashed.

    The drawing has no size of its own: it is as large as what stands in it, and the narrower the stronger the `pull`.
    """
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
    return {
        "$schema": FULL,
        "width": 1,
        "height": 1,
        "padding": 6,
        "background": "transparent",
        "autosize": "pad",
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
                        "middle": {"value": 0},
                    }
                },
                "transform": [
                    {
                        "type": "force",
                        "signal": "force",
                        "iterations": 300,
                        "static": True,
                        "forces": [
                            {"force": "center", "x": 0, "y": 0},
                            {"force": "collide", "radius": 44},
                            # Tables that are not linked would else drive one another out of the page.
                            {"force": "nbody", "strength": -420, "distanceMax": 420},
                            {"force": "link", "links": "links", "distance": 100},
                            {"force": "x", "x": "middle", "strength": pull},
                            {"force": "y", "y": "middle", "strength": 0.12},
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
            # The names twice: the first time as wide strokes of the paper's colour, so that no line runs through them.
            *(_names(**look) for look in _LOOKS),
        ],
    }


_LOOKS: Final[tuple[Spec, ...]] = (
    {"stroke": {"value": "var(--paper)"}, "strokeWidth": {"value": 4}, "strokeJoin": {"value": "round"}},
    {"fill": {"value": "var(--ink)"}},
)


def _names(**look: Any) -> Spec:
    return {
        "type": "text",
        "zindex": 2,
        "from": {"data": "tables"},
        "encode": {
            "update": {
                "x": {"field": "x"},
                "y": {"field": "y", "offset": -11},
                "text": {"field": "datum.name"},
                "align": {"value": "center"},
                "fontSize": {"value": 11},
                "font": {"value": FONT},
                **look,
            }
        },
    }


def _last_two(fqn: str) -> str:
    return ".".join(fqn.split(".")[-2:])
