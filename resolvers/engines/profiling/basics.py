"""The exact basics of every column out of one scan in the source: counts, extremes, averages, lengths."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.profiling.distribution import unit_of
from resolvers.engines.profiling.kinds import is_integer, kind_of
from resolvers.engines.profiling.sql import Terms, blank, column, counted_if, extreme, number, sorts_by_code_point
from resolvers.engines.profiling.values import hashable, number_of
from schema.data_readiness.profile import ValueKind
from schema.data_readiness.source import ColumnFacts, Source

MOST_FIGURES: Final = 600
"""Figures that one statement asks for; a table with more columns is scanned several times."""


@dataclass(frozen=True, slots=True)
class Basics:
    """Holds what one scan tells of a column. None is what cannot be told of it."""

    filled: int
    """Rows whose value is not null."""
    minimum: Any = None
    maximum: Any = None
    mean: float | None = None
    stddev: float | None = None
    blanks: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    mean_length: float | None = None
    trues: int | None = None


@dataclass(frozen=True, slots=True)
class Scanned:
    """Holds what one scan tells of a table. A column that cannot be read at all is left out."""

    row_count: int
    columns: dict[str, Basics]


@dataclass(frozen=True, slots=True)
class _Figure:
    """One figure: its name, whether it is more than a count, and how it is asked for."""

    name: str
    is_optional: bool
    make: Callable[[Terms, str], exp.Expr]


def _length(terms: Terms, function: type[exp.AggFunc]) -> exp.Expr:
    return function(this=terms.length)


def _figures(kind: ValueKind) -> Iterator[_Figure]:
    yield _Figure("filled", False, lambda of, dialect: exp.Count(this=of.value))
    if kind in (ValueKind.NUMBER, ValueKind.TEXT, ValueKind.TEMPORAL):
        yield _Figure("minimum", True, lambda of, dialect: extreme(of, kind, exp.Min, dialect))
        yield _Figure("maximum", True, lambda of, dialect: extreme(of, kind, exp.Max, dialect))
    if kind is ValueKind.NUMBER:
        yield _Figure("mean", True, lambda of, dialect: exp.Avg(this=number(of.value, dialect)))
        yield _Figure("stddev", True, lambda of, dialect: exp.StddevSamp(this=number(of.value, dialect)))
    elif kind is ValueKind.TEXT:
        yield _BLANKS
        yield _Figure("min_length", True, lambda of, dialect: _length(of, exp.Min))
        yield _Figure("max_length", True, lambda of, dialect: _length(of, exp.Max))
        # To add up whole numbers is cheaper than to average them.
        yield _Figure("total_length", True, lambda of, dialect: _length(of, exp.Sum))
    elif kind is ValueKind.BOOLEAN:
        yield _Figure("trues", True, lambda of, dialect: counted_if(of.value))


_BLANKS: Final = _Figure("blanks", True, lambda of, dialect: counted_if(blank(of.text, dialect)))
_FILLED: Final = _Figure("filled", False, lambda of, dialect: exp.Count(this=of.value))
_FIGURES: Final = {kind: tuple(_figures(kind)) for kind in ValueKind}


def figures_of(kind: ValueKind, dialect: str) -> tuple[_Figure, ...]:
    """Return what is asked of the columns of a kind. Where the least text tells it, blanks are only counted if there
    are.
    """
    found = _FIGURES[kind]
    return tuple(one for one in found if one is not _BLANKS) if sorts_by_code_point(dialect) else found


_Asked = tuple[ColumnFacts, tuple[_Figure, ...]]


def basics_query(relation: exp.Table, asked: Sequence[_Asked], dialect: str) -> exp.Select:
    """The one statement that asks for figures of columns, after the number of rows."""
    if dialect == "postgres":
        return _once(relation, asked, dialect)
    terms = [(Terms.plain(of, dialect), figures) for of, figures in asked]
    return exp.select(*_named(terms, dialect), copy=False).from_(relation.copy(), copy=False)


def _named(terms: Sequence[tuple[Terms, tuple[_Figure, ...]]], dialect: str) -> list[exp.Expr]:
    wanted: list[exp.Expr] = [exp.Count(this=exp.Star())]
    wanted += [figure.make(of, dialect) for of, figures in terms for figure in figures]
    return [exp.alias_(one.copy(), f"f{position}", quoted=True) for position, one in enumerate(wanted)]


def _once(relation: exp.Table, asked: Sequence[_Asked], dialect: str) -> exp.Select:
    """The statement with every length worked out once per row, where three aggregates would each do it again.

    PostgreSQL would put the expression back into each aggregate, but for the second, empty part of the union; unlike
    with OFFSET 0 it still scans in parallel.
    """
    inner: list[exp.Expr] = []
    terms: list[tuple[Terms, tuple[_Figure, ...]]] = []
    for at, (of, figures) in enumerate(asked):
        plain = Terms.plain(of, dialect)
        inner.append(exp.alias_(plain.value, f"c{at}", quoted=True))
        text = column(f"c{at}")
        if kind_of(of) is ValueKind.TEXT:
            inner.append(exp.alias_(plain.length, f"l{at}", quoted=True))
            if not isinstance(plain.text, exp.Column):
                inner.append(exp.alias_(plain.text, f"t{at}", quoted=True))
                text = column(f"t{at}")
        terms.append((Terms(column(f"c{at}"), text, column(f"l{at}")), figures))
    rows = exp.select(*(inner or [exp.Literal.number(1)])).from_(relation.copy())
    nothing = rows.copy().where(exp.false())
    both = exp.union(rows, nothing, distinct=False).subquery(exp.to_identifier("x", quoted=True))
    return exp.select(*_named(terms, dialect), copy=False).from_(both, copy=False)


def parts(columns: Sequence[ColumnFacts], dialect: str) -> Iterator[list[_Asked]]:
    """Columns in groups whose figures one statement can ask for."""
    group: list[_Asked] = []
    figures = 0
    for of in columns:
        wanted = figures_of(kind_of(of), dialect)
        if group and figures + len(wanted) > MOST_FIGURES:
            yield group
            group, figures = [], 0
        group.append((of, wanted))
        figures += len(wanted)
    yield group


def scan(source: Source, relation: exp.Table, columns: Sequence[ColumnFacts]) -> Scanned:
    """Ask a source for the basics of all columns. Raises ConnectorError when not even rows can be counted.

    What a source refuses to work out, an average that overflows say, is left out and everything else is still told.
    """
    row_count = 0
    found: dict[str, Basics] = {}
    failure: Exception | None = None
    for group in parts(columns, source.dialect):
        pending = [group]
        while pending:
            asked = pending.pop()
            try:
                [row] = source.ask(basics_query(relation, asked, source.dialect))
            except Exception as error:
                if not is_refused(error):
                    raise
                failure = error
                pending += _smaller(asked)
                continue
            row_count = int(row[0])
            for name, basics in _read(asked, row[1:]).items():
                found[name] = joined(found[name], basics) if name in found else basics
    if columns and not found and failure is not None:
        raise failure
    found |= with_blanks(source, relation, columns, found)
    found |= with_extreme_numbers(source, relation, columns, found)
    return Scanned(row_count, {of.name: found[of.name] for of in columns if of.name in found})


def with_blanks(
    source: Source, relation: exp.Table, columns: Sequence[ColumnFacts], found: dict[str, Basics]
) -> dict[str, Basics]:
    """The basics with their blanks: counted where the least text shows that there may be some, and none elsewhere."""
    if not sorts_by_code_point(source.dialect):
        return {}
    known: dict[str, Basics] = {}
    asked: list[_Asked] = []
    for of in columns:
        basics = found.get(of.name)
        if basics is None or kind_of(of) is not ValueKind.TEXT:
            continue
        if basics.minimum is not None and str(basics.minimum) < "!":
            asked.append((of, (_FILLED, _BLANKS)))
        elif basics.minimum is not None or basics.filled == 0:
            known[of.name] = replace(basics, blanks=0)
    for start in range(0, len(asked), MOST_FIGURES // 2):
        some = asked[start : start + MOST_FIGURES // 2]
        try:
            [row] = source.ask(basics_query(relation, some, source.dialect))
        except Exception as error:
            if not is_refused(error):
                raise
            continue
        known |= {name: replace(found[name], blanks=basics.blanks) for name, basics in _read(some, row[1:]).items()}
    return known


def with_extreme_numbers(
    source: Source, relation: exp.Table, columns: Sequence[ColumnFacts], found: Mapping[str, Basics]
) -> dict[str, Basics]:
    """The basics of columns whose numbers are so large, or so small, that the sum of their squares was none.

    They are divided by a power of two first, which loses no digit.
    """
    known: dict[str, Basics] = {}
    for of in columns:
        basics = found.get(of.name)
        if basics is None or kind_of(of) is not ValueKind.NUMBER or is_integer(of):
            continue
        ends = [number_of(basics.minimum), number_of(basics.maximum)]
        if None in ends or not (basics.mean is None or basics.stddev is None or basics.stddev == 0.0):
            continue
        unit = unit_of(end for end in ends if end is not None)
        if unit == 1.0 or basics.filled < 2:
            continue
        value = exp.Div(this=exp.cast(column(of.name), "double"), expression=exp.cast(_number(unit), "double"))
        asked = exp.select(exp.Avg(this=value), exp.StddevSamp(this=value.copy())).from_(relation.copy())
        try:
            [(mean, stddev)] = source.ask(asked)
        except Exception as error:
            if not is_refused(error):
                raise
            continue
        known[of.name] = replace(basics, mean=_times(mean, unit), stddev=_times(stddev, unit))
    return known


def _number(value: float) -> exp.Expr:
    return exp.Literal.string(repr(value))


def _times(value: Any, unit: float) -> float | None:
    number = number_of(value)
    return None if number is None else number_of(number * unit)


def is_refused(error: Exception) -> bool:
    """Return whether a source refused one statement, so that another may do."""
    return getattr(error, "kind", None) == "failed"


def _smaller(asked: list[_Asked]) -> list[list[_Asked]]:
    """Return what to ask instead of what was refused: half of the columns, then half of one column's figures, then
    counts.
    """
    if len(asked) > 1:
        middle = len(asked) // 2
        return [asked[middle:], asked[:middle]]
    [(of, figures)] = asked
    optional = [figure for figure in figures if figure.is_optional]
    if not optional:
        return []
    kept = tuple(figure for figure in figures if not figure.is_optional)
    if len(optional) == 1:
        return [[(of, kept)]]
    middle = len(optional) // 2
    # The counts stand in both, so that each half can be read by itself.
    return [[(of, (*kept, *optional[middle:]))], [(of, (*kept, *optional[:middle]))]]


def _read(asked: Sequence[_Asked], row: Sequence[Any]) -> dict[str, Basics]:
    found: dict[str, Basics] = {}
    at = 0
    for of, figures in asked:
        values = dict(zip((figure.name for figure in figures), row[at : at + len(figures)], strict=True))
        at += len(figures)
        found[of.name] = _basics(values)
    return found


def _basics(values: dict[str, Any]) -> Basics:
    whole = {
        name: None if (value := values.get(name)) is None else int(value)
        for name in ("blanks", "min_length", "max_length", "trues")
    }
    return Basics(
        filled=int(values["filled"]),
        minimum=_kept(values.get("minimum")),
        maximum=_kept(values.get("maximum")),
        mean=number_of(values.get("mean")),
        stddev=number_of(values.get("stddev")),
        mean_length=mean_length(values.get("total_length"), int(values["filled"])),
        **whole,
    )


def mean_length(total: Any, of: int) -> float | None:
    """The average out of the sum."""
    return None if total is None or not of else float(total) / of


def _kept(value: Any) -> Any:
    return hashable(value) if isinstance(value, float | Decimal) else value


def joined(one: Basics, other: Basics) -> Basics:
    """The figures of two statements about one column."""
    names = ("minimum", "maximum", "mean", "stddev", "blanks", "min_length", "max_length", "mean_length", "trues")
    return replace(one, **{name: getattr(other, name) for name in names if getattr(one, name) is None})
