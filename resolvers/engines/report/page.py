"""The page: a template filled with figures and drawings, without a script, a font or an address of anybody else's."""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from resolvers.engines.chart_library import NoCharts
from resolvers.engines.report import charts, maps
from resolvers.engines.report.measures import is_measure, tells_when
from resolvers.engines.report.values import ReportData, RuleResult, TableLine
from resolvers.engines.report.wording import (
    below,
    breakable,
    common_parent,
    count,
    figure,
    grounds,
    likely,
    percent,
    prose,
    row_key,
    weight,
)
from schema.data_readiness.classification import ClassificationState
from schema.data_readiness.profile import ColumnProfile, ValueKind
from schema.data_readiness.rule import RuleOutcome

MOST_DISTRIBUTIONS: Final = 48
"""Columns whose distribution is drawn; the table of figures has them all."""
MOST_COLUMNS: Final = 500
ROOM: Final = 1012.0
"""How wide the page's column is, in pixels."""
MOST_HOLDING: Final = 100
"""Rules that hold which are told."""
MOST_TABLES: Final = 200
MOST_LISTED: Final = 30
MOST_GAPS: Final = 12
"""Columns that are named for their missing values."""


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("resolvers.engines.report", "."),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "count": count, "figure": figure, "weight": weight}
    made.filters |= {"breakable": breakable, "prose": prose, "row_key": row_key, "likely": likely, "grounds": grounds}
    return made


def rendered(data: ReportData) -> str:
    """The report as one HTML page. Without the charting library it has its tables and says what is missing."""
    missing: list[str] = []
    parts = itertools.count()

    def draw(make: Callable[..., charts.Spec | None], *given: Any) -> Markup | None:
        spec = make(*given)
        if spec is None or missing:
            return None
        try:
            drawing = charts.drawn(spec)
        except NoCharts as reason:
            missing.append(str(reason))
            return None
        # The library numbers what it refers to through all that a process draws; a page is to be the same each time.
        for name in dict.fromkeys(re.findall(r' id="(\w+)"', drawing)):
            drawing = re.sub(rf'( id="|url\(#){name}(?=["\)])', rf"\g<1>part{next(parts)}", drawing)
        # What vl-convert draws has its texts escaped; nothing else of it comes from the data.
        return Markup(drawing)  # noqa: S704

    single = data.tables[0] if data.level == "table" and data.tables else None
    parent = data.asset_fqn if single else common_parent([one.fqn for one in data.tables], data.asset_fqn)
    gaps = maps.emptiest(data.tables)
    columns = list(single.profile.columns[:MOST_COLUMNS]) if single and single.profile else []
    measures = {one.name for one in columns if is_measure(one, single.profile if single else None)}
    drawable = [one for one in columns if one.name in measures or not _tells_apart(one)][:MOST_DISTRIBUTIONS]
    distributions = [(column, draw(charts.distribution, column), charts.outlying(column)[1]) for column in drawable]
    return (
        _environment()
        .get_template("page.html")
        .render(
            data=data,
            card=data.scorecard,
            single=single,
            parent=parent,
            near=lambda name: breakable(below(name, parent)),
            weighted=len({one.weight for one in data.scorecard.dimensions if one.score is not None}) > 1,
            looks_wrong=_looks_wrong(data),
            missed=sum(one.count for one in data.unmeasured if not one.is_old),
            columns=columns,
            approximate=_approximate(columns),
            dimensions=draw(charts.dimensions, data.scorecard),
            trend=draw(charts.trend, data.trend),
            metadata_trend=draw(charts.trend, data.metadata_trend),
            null_map=draw(maps.null_map, data.tables, gaps, parent),
            pii_map=draw(maps.pii_map, data.classifications),
            rule_results=draw(charts.rule_results, data.rules),
            relationships=_within(ROOM, (draw(maps.relationships, data.relations, pull) for pull in maps.PULLS)),
            distributions=[one for one in distributions if one[1] or one[0].masked],
            measures=measures,
            profiled=sum(one.profile is not None for one in data.tables),
            profiled_at=_profiled_at(data.tables),
            gaps=_gaps(gaps),
            gaps_total=sum(len(some) for _, some in gaps),
            tables_with_gaps=len(gaps),
            failing=_failing(data.rules),
            holding_total=sum(one.outcome is RuleOutcome.PASSED for one in data.rules),
            holding=[one for one in data.rules if one.outcome is RuleOutcome.PASSED and one.expects][:MOST_HOLDING],
            tags=_tags(data),
            tables=data.tables[:MOST_TABLES],
            relations=data.relations[:MOST_LISTED],
            lineage=[
                ("Made of", "reads", data.lineage.made_of[:MOST_LISTED], len(data.lineage.made_of)),
                ("Goes into", "is read by", data.lineage.goes_into[:MOST_LISTED], len(data.lineage.goes_into)),
            ],
            most_listed=MOST_LISTED,
            most_mapped=maps.MOST_TABLES,
            most_nodes=maps.MOST_NODES,
            related=len({name for one in data.relations for name in (one.source, one.target)}),
            most_bars=maps.MOST_BARS,
            change=_change(data.scorecard.data_quality.score, data.previous_score),
            metadata_change=_change(data.scorecard.metadata.score, data.previous_metadata),
            notes=[*data.notes, *missing],
        )
    )


def _looks_wrong(data: ReportData) -> float | None:
    """The share of all cells that look wrong; None where not all tables are known by their size."""
    sizes = [one.row_count * one.column_count for one in data.tables if one.row_count is not None]
    if len(sizes) < data.tables_total or not sum(sizes):
        return None
    return min(1.0, data.cells_total / sum(sizes))


def _profiled_at(tables: Sequence[TableLine]) -> list[str]:
    """To the minute, when the tables were profiled, the first time first."""
    moments = sorted(one.profile.measured_at for one in tables if one.profile is not None)
    return [f"{moment.astimezone(UTC):%Y-%m-%d %H:%M UTC}" for moment in moments]


def _failing(rules: Sequence[RuleResult]) -> list[RuleResult]:
    """Return what failed, the worst first, then what could not be evaluated."""

    def badness(rule: RuleResult) -> tuple[int, float]:
        share = (rule.numerator or 0) / rule.denominator if rule.denominator else 1.0
        return (0 if rule.outcome is RuleOutcome.FAILED else 1, share)

    return sorted((rule for rule in rules if rule.outcome is not RuleOutcome.PASSED), key=badness)[:MOST_LISTED]


def _tags(data: ReportData) -> list[Any]:
    standing = [one for one in data.classifications if one.state is not ClassificationState.REJECTED]
    return sorted(standing, key=lambda one: (-one.confidence, one.asset_fqn))[:MOST_LISTED]


def _gaps(tables: Sequence[tuple[TableLine, Sequence[ColumnProfile]]]) -> list[tuple[str, ColumnProfile, float]]:
    """The columns that miss the most values, each with its table and the share of its rows."""
    found = [(table.fqn, column, maps.missing_share(column)) for table, columns in tables for column in columns]
    return sorted(found, key=lambda one: -one[2])[:MOST_GAPS]


def _approximate(columns: Sequence[ColumnProfile]) -> list[str]:
    return sorted({name for column in columns for name in column.approximate})


def _change(now: str | None, before: str | None) -> str | None:
    """Return how a score moved since the run of its kind before, in points."""
    if now is None or before is None or now == before:
        return None
    told = f"{(float(now) - float(before)) * 100:+.1f}"
    # A change that rounds to none is none that a reader could see in the scores.
    return None if float(told) == 0 else f"{told} points since the run before"


def _tells_apart(column: ColumnProfile) -> bool:
    """Return whether a column of numbers holds keys or codes, whose distribution shows nothing."""
    return column.kind is ValueKind.NUMBER and not column.masked and not tells_when(column)


def _within(room: float, drawings: Iterable[Markup | None]) -> Markup | None:
    """The first drawing that is not wider than there is room for, else the last."""
    found: Markup | None = None
    for found in drawings:
        width = re.search(r'<svg[^>]* width="([0-9.]+)"', found or "")
        if width is None or float(width[1]) <= room:
            break
    return found
