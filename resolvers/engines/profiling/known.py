"""The tier `statistics`: what the database knows of a table already, without a row being read."""

from typing import Any, Final

from resolvers.engines.profiling.columns import Extent
from resolvers.engines.profiling.kinds import kind_of
from resolvers.engines.profiling.tables import ENFORCED, Header, Structure, table_profile
from resolvers.engines.profiling.values import is_blank, shown
from schema.data_readiness.profile import (
    CandidateKey,
    ColumnProfile,
    ProfileTier,
    Quantile,
    TableProfile,
    ValueCount,
    ValueKind,
)
from schema.data_readiness.source import ColumnFacts, KnownColumn, KnownStatistics, Source, TableFacts

MOST_VALUES: Final = 20


class NoStatistics(ValueError):
    """The source knows nothing of a table without reading it."""


def by_statistics(source: Source, facts: TableFacts, header: Header) -> TableProfile:
    """Profile a table by what its source knows. Raises NoStatistics."""
    known = source.statistics(facts.database, facts.schema, facts.name)
    rows = facts.row_count if known is None or known.row_count is None else known.row_count
    if known is None or rows is None:
        raise NoStatistics(
            "The source keeps no statistics of this table. Use the tier sample, or let the source gather statistics "
            "(ANALYZE) first."
        )
    columns = [_column(of, known.column(of.name), known, rows) for of in facts.columns]
    keys = [
        CandidateKey(columns=list(names), uniqueness=1.0, is_declared=True, is_exact=source.dialect in ENFORCED)
        for names in facts.key_sets
    ]
    extent = Extent(rows, 0, is_whole=False, is_scanned=known.is_exact)
    approximate = [] if known.is_exact else ["row_count"]
    return table_profile(
        header,
        facts,
        ProfileTier.STATISTICS,
        extent,
        columns,
        Structure(keys, []),
        sample_size=None,
        approximate=approximate,
    )


def _column(of: ColumnFacts, told: KnownColumn | None, known: KnownStatistics, rows: int) -> ColumnProfile:
    kind = kind_of(of)
    figures: dict[str, Any] = {}
    exact: set[str] = set()
    if told is not None:
        if told.null_fraction is not None:
            figures["null_count"] = min(rows, round(told.null_fraction * rows))
        if kind is not ValueKind.OTHER:
            figures |= _values(told, kind, rows)
        if known.is_exact:
            exact |= {"null_count", "minimum", "maximum"}
    return ColumnProfile(
        column_fqn=of.fqn,
        name=of.name,
        ordinal_position=of.ordinal_position,
        data_type=of.data_type,
        kind=kind,
        row_count=rows,
        approximate=sorted(name for name, value in figures.items() if value not in (None, []) and name not in exact),
        sample_size=None,
        masked=False,
        **(_NOTHING | figures),
    )


_NOTHING: Final[dict[str, Any]] = {
    "null_count": None,
    "blank_count": None,
    "distinct_count": None,
    "minimum": None,
    "maximum": None,
    "mean": None,
    "stddev": None,
    "quantiles": [],
    "histogram": [],
    "top_values": [],
    "min_length": None,
    "max_length": None,
    "mean_length": None,
    "patterns": [],
}


def _values(told: KnownColumn, kind: ValueKind, rows: int) -> dict[str, Any]:
    bounds = told.histogram_bounds
    least, greatest = told.minimum, told.maximum
    if bounds and not told.common_values:
        # The bounds leave out the common values, so they are the extremes only where there are none.
        least, greatest = least or bounds[0], greatest or bounds[-1]
    top = [
        ValueCount(value=shown(value), count=max(1, round(share * rows)))
        for value, share in told.common_values[:MOST_VALUES]
    ]
    figures: dict[str, Any] = {
        "distinct_count": told.distinct_count,
        "minimum": None if least is None else shown(least),
        "maximum": None if greatest is None else shown(greatest),
        "top_values": top,
    }
    if kind in (ValueKind.NUMBER, ValueKind.TEMPORAL) and len(bounds) > 4 and not told.common_values:
        last = len(bounds) - 1
        figures["quantiles"] = [
            Quantile(fraction=fraction, value=shown(bounds[round(fraction * last)]))
            for fraction in (0.05, 0.25, 0.5, 0.75, 0.95)
        ]
    if kind is ValueKind.TEXT and told.common_values:
        blank = sum(share for value, share in told.common_values if is_blank(value))
        figures["blank_count"] = round(blank * rows)
    return figures
