"""All figures of all columns in one pass of DuckDB, in constant memory: for the tier `full`.

Counts, extremes, averages and lengths are exact, and so are the values of columns that have few. Distinct values of
other columns are a sketch. Rows that each meet by chance are collected in the same pass, and tell the rest as the rows
of a sample do; when that are all rows, everything is exact.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from sqlglot import exp, parse_one

from resolvers.engines.profiling import distribution
from resolvers.engines.profiling.basics import Basics, mean_length
from resolvers.engines.profiling.kinds import is_exact_fraction, is_integer, is_plain_text, kind_of, type_of
from resolvers.engines.profiling.values import BLANKS, LONGEST_VALUE, hashable, moment_of, number_of
from schema.data_readiness.profile import ValueCount, ValueKind
from schema.data_readiness.source import LATEST_DAY, ColumnFacts, Row

COLUMNS_AT_ONCE: Final = 100
"""Columns that one pass takes; a wider table takes several."""

FEW_VALUES: Final = 200
"""Of a column with so many distinct values each one is counted."""

_EARLIEST: Final = "4713-01-01 (BC)"
"""`EARLIEST_DAY` as DuckDB writes it."""

_ZONED: Final = frozenset({"TIMESTAMPTZ", "TIMETZ"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """A column, and how its values come to DuckDB."""

    of: ColumnFacts
    staged: str | None = None
    """The type that the texts are read as that stand in for the values; None when these are there."""
    counts_blanks: bool = True
    """Whether blanks are counted in the pass; else the least text tells whether there can be any."""
    is_tallied: bool = False
    """Whether counts, averages, lengths and blanks come from elsewhere; the pass then tells the others alone."""

    @property
    def kind(self) -> ValueKind:
        """Return which figures it can have."""
        return kind_of(self.of)


@dataclass(frozen=True, slots=True)
class ColumnFigures:
    """Holds what a pass tells of a column."""

    basics: Basics
    distinct_count: int | None
    values: Mapping[Any, int] | None = None
    """Every value and how often it occurs, of a column that has few."""


@dataclass(frozen=True, slots=True)
class Passed:
    """Holds what a pass tells of a table."""

    row_count: int
    columns: dict[str, ColumnFigures]
    rows: list[Row]
    """Rows that were met by chance; all of them when that was asked for."""


def battery(
    relation: exp.Table, columns: Sequence[Wanted], share: float, *, rows_of: Sequence[Wanted] | None = None
) -> exp.Select:
    """The one query for all figures of some columns, with a share (0 to 1) of the rows of these or of `rows_of`."""
    asked = ["count(*)", _rows(columns if rows_of is None else rows_of, share)]
    for column in columns:
        asked += [sql for _, sql in _asked(column)]
    chosen = ", ".join(f'{sql} as "f{position}"' for position, sql in enumerate(asked))
    query = parse_one(f"select {chosen}", read="duckdb", into=exp.Select)
    return query.from_(relation.copy(), copy=False)


def sampled(columns: Sequence[Wanted]) -> list[Wanted]:
    """The columns that the rows hold."""
    return [column for column in columns if column.kind is not ValueKind.OTHER]


def _rows(columns: Sequence[Wanted], share: float) -> str:
    names = ", ".join(in_row(column.of) for column in sampled(columns))
    if not names or share <= 0:
        return "null"
    chance = "" if share >= 1 else f" filter (where random() < {share:.12f})"
    return f"list(row({names})){chance}"


def in_row(of: ColumnFacts) -> str:
    """A column as it is kept in a row."""
    # A moment with a zone would come as a value of a package that is not there.
    return f"cast({_name(of)} as varchar)" if type_of(of) in _ZONED else _name(of)


def _name(of: ColumnFacts) -> str:
    return '"' + of.name.replace('"', '""') + '"'


def _asked(column: Wanted) -> Iterator[tuple[str, str]]:
    """The figures of a column by name, in DuckDB's words."""
    kind, name = column.kind, _name(column.of)
    if not column.is_tallied:
        yield "filled", f"count({name})"
    if kind is ValueKind.BOOLEAN:
        yield "trues", f"count(*) filter (where {name})"
    if kind in (ValueKind.OTHER, ValueKind.BOOLEAN):
        return
    value = name if column.staged is None else f"try_cast({name} as {column.staged})"
    if kind is ValueKind.TEXT:
        value = value if is_plain_text(column.of) or column.staged else f"cast({name} as varchar)"
        yield from _of_texts(value, column)
    elif kind is ValueKind.NUMBER:
        yield "minimum", f"min({value})"
        yield "maximum", f"max({value})"
        if not column.is_tallied:
            place = f"cast({value} as double)"
            finite = place if is_integer(column.of) else f"case when isfinite({place}) then {place} end"
            yield "mean", f"avg({finite})"
            yield "stddev", f"stddev_samp({finite})"
    else:
        yield "minimum", f"cast(min({value}) as varchar)"
        yield "maximum", f"cast(max({value}) as varchar)"
    yield "distinct", f"approx_count_distinct({value})"


def _of_texts(value: str, column: Wanted) -> Iterator[tuple[str, str]]:
    yield "minimum", f"substring(min({value}), 1, {LONGEST_VALUE + 1})"
    yield "maximum", f"substring(max({value}), 1, {LONGEST_VALUE + 1})"
    if column.is_tallied:
        return
    # Every blank sorts before the exclamation mark, and to compare is far cheaper than to trim.
    trimmed = f"case when trim({value}, {_literal(BLANKS)}) = '' then 1 end"
    if column.counts_blanks:
        yield "blanks", f"count(case when {value} < '!' then {trimmed} end)"
    yield "min_length", f"min(length({value}))"
    yield "max_length", f"max(length({value}))"
    yield "total_length", f"sum(length({value}))"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def read(
    columns: Sequence[Wanted], row: Sequence[Any], more: Mapping[str, Mapping[str, float | None]] | None = None
) -> Passed:
    """Return what the one row of a pass tells; `more` are the figures of columns that come from elsewhere, by their
    names.
    """
    at = 2
    found: dict[str, ColumnFigures] = {}
    for column in columns:
        names = [name for name, _ in _asked(column)]
        values = dict(zip(names, row[at : at + len(names)], strict=True))
        values.update((more or {}).get(column.of.name, {}))
        found[column.of.name] = _told(values)
        at += len(names)
    return Passed(int(row[0]), found, [_tuple(one) for one in row[1] or ()])


def _tuple(one: Any) -> Row:
    return tuple(one.values()) if isinstance(one, dict) else tuple(one)


def _extreme(value: Any) -> Any:
    if isinstance(value, str) and value.startswith((LATEST_DAY, _EARLIEST)):
        return "infinity" if value.startswith(LATEST_DAY) else "-infinity"
    return hashable(value)


def _told(values: Mapping[str, Any]) -> ColumnFigures:
    basics = Basics(
        filled=int(values["filled"]),
        minimum=_extreme(values.get("minimum")),
        maximum=_extreme(values.get("maximum")),
        mean=number_of(values.get("mean")),
        stddev=number_of(values.get("stddev")),
        blanks=values.get("blanks"),
        min_length=values.get("min_length"),
        max_length=values.get("max_length"),
        mean_length=mean_length(values.get("total_length"), int(values["filled"])),
        trues=values.get("trues"),
    )
    if basics.stddev is not None and basics.minimum == basics.maximum:
        basics = replace(basics, stddev=0.0)  # what is added up in parts is hardly ever nothing
    distinct = values.get("distinct")
    return ColumnFigures(basics, None if distinct is None else min(int(distinct), basics.filled))


def with_values(
    ask: Callable[[exp.Query], list[Row]], relation: exp.Table, columns: Sequence[Wanted], passed: Passed
) -> Passed:
    """Return what a pass told, with every value of the columns that turned out to have few: one more look at those
    alone.
    """
    few = [one for one in columns if may_have_few(one.of, passed.columns[one.of.name].distinct_count)]
    query = _values_query(relation, few)
    if query is None:
        return passed
    values: dict[str, dict[Any, int]] = {one.of.name: {} for one in few}
    for position, text, count in ask(query):
        values[few[position].of.name][_value_of(few[position].of, text)] = count
    told = {name: replace(one, values=values.get(name)) for name, one in passed.columns.items()}
    return replace(passed, columns=told)


def _values_query(relation: exp.Table, columns: Sequence[Wanted]) -> exp.Query | None:
    """Every value of some columns and how often it occurs: the column's position, the value as text, the count."""
    parts: list[exp.Query] = []
    for position, one in enumerate(columns):
        value: exp.Expr = exp.column(one.of.name, quoted=True)
        if one.staged is not None:
            value = exp.TryCast(this=value, to=exp.DataType.build(one.staged, dialect="duckdb"))
        counted = exp.select(
            exp.alias_(exp.Literal.number(position), "c", quoted=True),
            exp.alias_(exp.cast(value, "text"), "v", quoted=True),
            exp.alias_(exp.Count(this=exp.Star()), "n", quoted=True),
        )
        there = exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))
        parts.append(counted.from_(relation.copy()).where(there).group_by(value.copy()))
    return exp.union(*parts, distinct=False) if len(parts) > 1 else next(iter(parts), None)


def _value_of(of: ColumnFacts, text: str) -> Any:
    """A value that DuckDB wrote as text, as the value that its driver would hand over."""
    kind = kind_of(of)
    if kind is ValueKind.NUMBER:
        number: Any = int(text) if is_integer(of) else Decimal(text) if is_exact_fraction(of) else float(text)
        return hashable(number)
    return (moment_of(text) or text) if kind is ValueKind.TEMPORAL else text


def top_values(values: Mapping[Any, int]) -> list[ValueCount]:
    """The most frequent of all values."""
    return distribution.top_values({hashable(value): count for value, count in values.items()}, sum(values.values()))


def may_have_few(of: ColumnFacts, distinct: int | None) -> bool:
    """Return whether each value of a column can be counted, by how many it seems to have."""
    return (
        distinct is not None
        and 0 < distinct <= FEW_VALUES
        and kind_of(of) in (ValueKind.TEXT, ValueKind.NUMBER, ValueKind.TEMPORAL)
        and type_of(of) not in _ZONED
    )
