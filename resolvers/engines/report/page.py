"""The page: a template filled with figures and drawings, without a script, a font or an address of anybody else's."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from resolvers.engines.drawing import NoCharts
from resolvers.engines.report import charts
from resolvers.engines.report.values import ReportData, RuleResult
from schema.data_readiness.classification import ClassificationState
from schema.data_readiness.rule import RuleOutcome

MOST_DISTRIBUTIONS: Final = 48
"""Columns whose distribution is drawn; the table of figures has them all."""
MOST_COLUMNS: Final = 500
MOST_TABLES: Final = 200
MOST_LISTED: Final = 30
NOTHING: Final = "\N{EN DASH}"
"""What stands where there is no figure."""


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("resolvers.engines.report", "."),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "count": count, "figure": figure}
    return made


def percent(value: str | float | None) -> str:
    """A share of one as a percentage with one place; a dash when nothing was measured."""
    return NOTHING if value is None else f"{float(value):.1%}"


def count(value: int | None) -> str:
    """A whole number with its thousands apart."""
    return NOTHING if value is None else f"{value:,}"


def figure(value: float | str | None) -> str:
    """A figure of a profile, short."""
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:.3e}"
    return charts.short(value, 32)


def rendered(data: ReportData) -> str:
    """The report as one HTML page. Without the charting library it has its tables and says what is missing."""
    missing: list[str] = []

    def draw(make: Callable[..., charts.Spec | None], *given: Any) -> Markup | None:
        spec = make(*given)
        if spec is None or missing:
            return None
        try:
            # What vl-convert draws has its texts escaped; nothing else of it comes from the data.
            return Markup(charts.drawn(spec))  # noqa: S704
        except NoCharts as reason:
            missing.append(str(reason))
            return None

    single = data.tables[0] if data.level == "table" and data.tables else None
    columns = list(single.profile.columns[:MOST_COLUMNS]) if single and single.profile else []
    distributions = [(column, draw(charts.distribution, column)) for column in columns[:MOST_DISTRIBUTIONS]]
    return (
        _environment()
        .get_template("page.html")
        .render(
            data=data,
            card=data.scorecard,
            single=single,
            columns=columns,
            approximate=_approximate(columns),
            dimensions=draw(charts.dimensions, data.scorecard),
            trend=draw(charts.trend, data.trend),
            null_map=draw(charts.null_map, data.tables),
            pii_map=draw(charts.pii_map, data.classifications),
            rule_results=draw(charts.rule_results, data.rules),
            relationships=draw(charts.relationships, data.relations),
            distributions=[(column, drawing) for column, drawing in distributions if drawing or column.masked],
            failing=_failing(data.rules),
            tags=_tags(data),
            tables=data.tables[:MOST_TABLES],
            troubles=data.troubles[:MOST_LISTED],
            relations=data.relations[:MOST_LISTED],
            change=_change(data),
            notes=[*data.notes, *missing],
        )
    )


def _failing(rules: Sequence[RuleResult]) -> list[RuleResult]:
    """What failed, the worst first, then what could not be evaluated."""

    def badness(rule: RuleResult) -> tuple[int, float]:
        share = (rule.numerator or 0) / rule.denominator if rule.denominator else 1.0
        return (0 if rule.outcome is RuleOutcome.FAILED else 1, share)

    return sorted((rule for rule in rules if rule.outcome is not RuleOutcome.PASSED), key=badness)[:MOST_LISTED]


def _tags(data: ReportData) -> list[Any]:
    standing = [one for one in data.classifications if one.state is not ClassificationState.REJECTED]
    return sorted(standing, key=lambda one: (-one.confidence, one.asset_fqn))[:MOST_LISTED]


def _approximate(columns: Sequence[Any]) -> list[str]:
    return sorted({name for column in columns for name in column.approximate})


def _change(data: ReportData) -> str | None:
    """How the overall score moved since the run before, in points."""
    now, before = data.scorecard.overall_score, data.previous_score
    if now is None or before is None or now == before:
        return None
    points = (float(now) - float(before)) * 100
    return f"{points:+.1f} points since the run before"
