"""All figures of all columns in one pass of DuckDB, in constant memory: for the tier `full`.

What a pass cannot tell by itself a sample tells it before: between which values to count, and which values to count.
Both counts are then exact. Distinct values and quantiles are sketches.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp, parse_one

from resolvers.engines.profiling import distribution
from resolvers.engines.profiling.basics import Basics
from resolvers.engines.profiling.kinds import is_integer, is_plain_text, kind_of, type_of
from resolvers.engines.profiling.values import (
    BLANKS,
    LONGEST_VALUE,
    hashable,
    moment_text,
    number_of,
    number_text,
    seconds_of,
    text_of,
)
from schema.data_readiness.profile import HistogramBin, Quantile, ValueCount, ValueKind
from schema.data_readiness.source import ColumnFacts

COLUMNS_AT_ONCE: Final = 100
"""Columns that one pass takes; a wider table takes several."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Where values are counted: `count` bins of one width, and what lies below and above."""

    lowest: float
    width: float
    count: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """A column, and what its sample says is worth counting."""

    of: ColumnFacts
    kind: ValueKind
    bins: Bins | None
    values: tuple[str, ...]
    """The likely most frequent ones, as DuckDB reads them."""
    like: Any
    """A value of the sample, for how moments are written."""
    staged: str | None = None
    """The type that the texts are read as that stand in for the values; None when these are there."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a pass tells of a column: the basics, and the figures beyond them."""

    basics: Basics
    distinct_count: int | None
    quantiles: list[Quantile]
    histogram: list[HistogramBin]
    top_values: list[ValueCount]


def wanted(of: ColumnFacts, values: Sequence[Any], *, staged: str | None = None) -> Wanted:
    """What to ask of a column whose sample has these values."""
    kind = kind_of(of)
    if kind in (ValueKind.OTHER, ValueKind.BOOLEAN):
        return Wanted(of, kind, None, (), None, staged)
    counts = distribution.counts_of(values)
    like = next((value for value in values if value is not None and not isinstance(value, str)), None)
    frequent = [(value, count) for value, count in counts.items() if count > 1]
    if len(counts) <= distribution.MOST_VALUES:
        frequent = list(counts.items())
    frequent.sort(key=lambda one: -one[1])
    written = [_written(value) for value, _ in frequent[: distribution.MOST_VALUES]]
    # A value that is cut off to be shown is none that could be found.
    common = tuple(text for text in written if len(text) <= LONGEST_VALUE and "\x00" not in text)
    return Wanted(of, kind, _bins_of(of, kind, distribution.ranked(counts, kind)), common, like, staged)


def _bins_of(of: ColumnFacts, kind: ValueKind, ordered: Sequence[tuple[float, Any, int]]) -> Bins | None:
    if not ordered or ordered[0][0] >= ordered[-1][0]:
        return None
    unit = 86400 if type_of(of) == "DATE" else 1
    whole = is_integer(of) or type_of(of) == "DATE"
    edges = distribution.edges(ordered[0][0] / unit, ordered[-1][0] / unit, whole=whole)
    if len(edges) < 3:
        return None
    return Bins(edges[0] * unit, (edges[1] - edges[0]) * unit, len(edges) - 1)


def _written(value: Any) -> str:
    return text_of(value) if not isinstance(value, str) else value


def battery(relation: exp.Table, columns: Sequence[Wanted]) -> exp.Select:
    """The one query for all figures of some columns, after the number of rows."""
    asked = ["count(*)"]
    for column in columns:
        asked += [sql for _, sql in _asked(column)]
    chosen = ", ".join(f'{sql} as "f{position}"' for position, sql in enumerate(asked))
    query = parse_one(f"select {chosen}", read="duckdb", into=exp.Select)
    return query.from_(relation.copy(), copy=False)


def _asked(column: Wanted) -> Iterator[tuple[str, str]]:
    """The figures of a column by name, in DuckDB's words."""
    kind, name = column.kind, '"' + column.of.name.replace('"', '""') + '"'
    yield "filled", f"count({name})"
    if kind is ValueKind.BOOLEAN:
        yield "trues", f"count(*) filter (where {name})"
    if kind in (ValueKind.OTHER, ValueKind.BOOLEAN):
        return
    value = name if column.staged is None else f"try_cast({name} as {column.staged})"
    if kind is ValueKind.TEXT:
        value = value if is_plain_text(column.of) or column.staged else f"cast({name} as varchar)"
        yield from _of_texts(value)
    else:
        yield from _of_places(value, column)
    yield "distinct", f"approx_count_distinct({value})"
    if column.values:
        listed = ", ".join(_literal(text) for text in column.values)
        yield "common", f"histogram({value}) filter (where {value} in ({listed}))"


def _of_texts(value: str) -> Iterator[tuple[str, str]]:
    yield "minimum", f"substring(min({value}), 1, {LONGEST_VALUE + 1})"
    yield "maximum", f"substring(max({value}), 1, {LONGEST_VALUE + 1})"
    # Every blank sorts before the exclamation mark, and to compare is far cheaper than to trim.
    yield "blanks", f"count(*) filter (where {value} < '!' and trim({value}, {_literal(BLANKS)}) = '')"
    yield "min_length", f"min(length({value}))"
    yield "max_length", f"max(length({value}))"
    yield "mean_length", f"avg(length({value}))"


def _of_places(value: str, column: Wanted) -> Iterator[tuple[str, str]]:
    if column.kind is ValueKind.NUMBER:
        place = f"cast({value} as double)"
        finite = place if is_integer(column.of) else f"case when isfinite({place}) then {place} end"
        yield "minimum", f"min({value})"
        yield "maximum", f"max({value})"
        yield "mean", f"avg({finite})"
        yield "stddev", f"stddev_samp({finite})"
    else:
        place = f"epoch({value})"  # null for infinity
        if type_of(column.of) in ("TIMESTAMP", "TIMESTAMPTZ", "DATETIME"):
            place = f"epoch(case when isfinite({value}) then {value} end)"
        finite = place
        yield "minimum", f"cast(min({value}) as varchar)"
        yield "maximum", f"cast(max({value}) as varchar)"
    yield "quantiles", f"approx_quantile({finite}, [{', '.join(map(str, distribution.FRACTIONS))}])"
    if column.bins is not None:
        bins = column.bins
        at = f"floor(({finite} - {_number(bins.lowest)}) / {_number(bins.width)})"
        yield "bins", f"histogram(cast(greatest(-1, least({bins.count}, {at})) as integer))"


def _number(value: float) -> str:
    return f"cast('{value!r}' as double)"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def read(columns: Sequence[Wanted], row: Sequence[Any]) -> tuple[int, dict[str, Told]]:
    """The number of rows, and what one pass tells of each column by name."""
    at = 1
    found: dict[str, Told] = {}
    for column in columns:
        names = [name for name, _ in _asked(column)]
        found[column.of.name] = _told(column, dict(zip(names, row[at : at + len(names)], strict=True)))
        at += len(names)
    return int(row[0]), found


def _told(column: Wanted, values: Mapping[str, Any]) -> Told:
    basics = Basics(
        filled=int(values["filled"]),
        minimum=hashable(values.get("minimum")),
        maximum=hashable(values.get("maximum")),
        mean=number_of(values.get("mean")),
        stddev=number_of(values.get("stddev")),
        blanks=values.get("blanks"),
        min_length=values.get("min_length"),
        max_length=values.get("max_length"),
        mean_length=number_of(values.get("mean_length")),
        trues=values.get("trues"),
    )
    places = [number_of(one) for one in values.get("quantiles") or []]
    quantiles = [
        Quantile(fraction=fraction, value=_place_text(column, place))
        for fraction, place in zip(distribution.FRACTIONS, places, strict=False)
        if place is not None
    ]
    common: dict[Any, int] = values.get("common") or {}
    top = sorted(((text_of(value), count) for value, count in common.items()), key=lambda one: (-one[1], one[0]))
    distinct = values.get("distinct")
    return Told(
        basics,
        None if distinct is None else min(int(distinct), basics.filled),
        quantiles,
        _histogram(column, basics, values.get("bins") or {}),
        [ValueCount(value=value, count=count) for value, count in top],
    )


def _place_text(column: Wanted, place: float) -> str:
    if column.kind is ValueKind.NUMBER:
        whole = is_integer(column.of)
        return number_text(float(round(place)) if whole else place)
    return moment_text(place, column.like)


def _histogram(column: Wanted, basics: Basics, counted: Mapping[Any, int]) -> list[HistogramBin]:
    if column.bins is None or not counted:
        return []
    bins = column.bins
    place = number_of if column.kind is ValueKind.NUMBER else seconds_of
    least, greatest = place(basics.minimum), place(basics.maximum)
    counts = [counted.get(position, 0) for position in range(-1, bins.count + 1)]
    bounds = [bins.lowest + bins.width * position for position in range(bins.count + 1)]
    bounds = [min(bounds[0], bounds[0] if least is None else least), *bounds]
    bounds.append(max(bounds[-1], bounds[-1] if greatest is None else greatest))
    # What lies outside of the sample has bins of its own, when there is any and they have a width.
    if counts[-1] == 0 or bounds[-1] <= bounds[-2]:
        counts[-2:] = [counts[-2] + counts[-1]]
        last = bounds.pop()
        bounds[-1] = max(bounds[-2], min(bounds[-1], last)) if greatest is not None else bounds[-1]
    if counts[0] == 0 or bounds[0] >= bounds[1]:
        counts[:2] = [counts[0] + counts[1]]
        del bounds[0]
    if greatest is not None and bounds[-1] > greatest > bounds[-2]:
        bounds[-1] = greatest
    return distribution.bins_of(bounds, counts, column.kind, column.like)
