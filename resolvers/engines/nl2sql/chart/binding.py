"""Resolves open pieces where they are attached to a table: which column is meant, and what condition that makes.

Every binding tells its features: how well the words fit, how far away the column lies, and what was assumed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from resolvers.engines.nl2sql.chart.pieces import (
    Attribute,
    Compares,
    Denied,
    Happens,
    Has,
    Holds,
    Joint,
    Lacks,
    Matches,
    Measured,
    Open,
    Outdoes,
    Quantity,
    Rows,
    Surpasses,
)
from resolvers.engines.nl2sql.chart.rules import Features
from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Figure,
    Literal,
    Member,
    Nested,
    Operator,
    Output,
    Plan,
    Related,
    Span,
    Term,
)
from resolvers.engines.nl2sql.planner.catalog import FAR, Catalog

FARTHEST: Final = 3
"""Keys that an attachment goes along at most."""
AWAY: Final = 0.12
"""How much worse a column fits for every key that it lies away from the rows that it is said of."""
NAMELY: Final = 0.55
"""How well a column must be called by words for it to be meant though other columns were found for them."""

Bound = tuple[Condition, Features]


def column_of(key: ColumnKey) -> Column:
    """A column as a term of a plan."""
    return Column(key.table, key.column)


def plus(*many: Features) -> dict[str, float]:
    """Features added up."""
    found: dict[str, float] = {}
    for one in many:
        for name, value in one.items():
            found[name] = found.get(name, 0.0) + value
    return found


class Ground:
    """The catalog that a question is about, as rules ask it."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._resolved: dict[tuple[Attribute, str], list[tuple[ColumnKey, float, int]]] = {}
        self._bound: dict[tuple[Open, str], list[Bound]] = {}

    # --- columns

    def columns(self, attribute: Attribute, table: str) -> list[tuple[ColumnKey, float, int]]:
        """The columns that a property of rows of a table may be: with what is missing to fit, and keys away."""
        key = (attribute, table)
        if key not in self._resolved:
            found: dict[ColumnKey, float] = {}
            for column, score in attribute.options:
                found[column] = max(found.get(column, 0.0), score)
            words = attribute.words
            if words:
                for column, match in self.catalog.vocabulary.found_columns(words, [table], 4):
                    if match.score >= NAMELY:
                        found[column] = max(found.get(column, 0.0), match.score)
            if words in (("name",), ("full", "name")):
                found.update(dict.fromkeys(self.catalog.names(table)[:1], 1.0))
            if words == ("id",) and (own := self.catalog.key(table)) is not None:
                found[own] = 1.0
            best = max((score for _, score in attribute.options), default=1.0)
            away = {column: self.catalog.distance(table, column.table) for column in found}
            allowed = self.catalog.known.forbidden
            ranked = [
                (column, max(0.0, best - score), away[column])
                for column, score in found.items()
                if away[column] <= FARTHEST and column not in allowed
            ]
            ranked.sort(key=lambda one: one[1] + AWAY * one[2])
            self._resolved[key] = ranked
        return self._resolved[key]

    def near(self, attribute: Attribute, table: str, most: int = 2) -> list[tuple[ColumnKey, Features]]:
        """The likeliest columns with their features; those of other tables only where none is of this one's."""
        found = self.columns(attribute, table)
        here = [one for one in found if one[2] == 0 and one[1] <= 0.3]
        return [(column, {"unfit": lost, "far": float(away)}) for column, lost, away in (here or found)[:most]]

    def term(self, attribute: Attribute, column: ColumnKey) -> Term:
        """What an answer shows of a column."""
        return Span(column_of(column), attribute.unit) if attribute.unit is not None else column_of(column)

    def measured(self, by: Measured, table: str) -> Iterator[tuple[ColumnKey, Features]]:
        """The columns of numbers or times that are compared."""
        catalog = self.catalog
        if isinstance(by, Attribute):
            yield from self.near(by, table)
        elif isinstance(by, Degree):
            for key, score in catalog.vocabulary.measured(by, [table])[:2]:
                yield key, {"unfit": 1 - score}
        else:
            found = [key for key in catalog.of(table) if catalog.is_measure(key) and not catalog.is_year(key)]
            found = [key for key in found if catalog.vocabulary.flag(key) is None]
            for key in found[:2]:
                yield key, {"assumed_columns": float(len(found))}

    def dated(self, by: Attribute | None, table: str) -> Iterator[tuple[ColumnKey, Features]]:
        """The columns that tell when."""
        catalog = self.catalog
        if by is not None:
            yield from (one for one in self.near(by, table) if catalog.is_moment_like(one[0]))
            return
        found = [key for key in catalog.of(table) if catalog.kind(key).is_temporal or catalog.is_dated(key)]
        for key in found[:2]:
            yield key, {"assumed_columns": float(len(found))}

    def reaches(self, one: str, other: str) -> int | None:
        """How many keys lie between two tables; None where that is too far."""
        away = self.catalog.distance(one, other)
        return away if away < FAR and away <= FARTHEST else None

    def entity(self, table: str) -> tuple[Column, ...]:
        """What is shown of a row when nothing is said."""
        return tuple(map(column_of, self.catalog.entity(table)))

    def key(self, table: str) -> ColumnKey | None:
        """The column that tells rows of a table apart, or that names them."""
        return self.catalog.key(table) or next(iter(self.catalog.entity(table)), None)

    def descends(self, degree: Degree, key: ColumnKey) -> bool:
        """Whether the greatest come first by a superlative."""
        return degree.descending != self.catalog.vocabulary.is_reversed(degree, key)

    # --- conditions

    def bound(self, cond: Open, table: str) -> list[Bound]:
        """The conditions that an open one may make on rows of a table, the likeliest first."""
        key = (cond, table)
        if key not in self._bound:
            self._bound[key] = list(self._binding(cond, table))[:3]
        return self._bound[key]

    def _binding(self, cond: Open, table: str) -> Iterator[Bound]:
        ways: Mapping[type, Callable[[Any, str], Iterator[Bound]]] = {
            Holds: self._holds,
            Compares: self._compares,
            Happens: self._happens,
            Matches: self._matches,
            Lacks: self._lacks,
            Surpasses: self._surpasses,
            Outdoes: self._outdoes,
            Has: self._has,
            Denied: self._denies,
            Joint: self._joint,
        }
        return ways[type(cond)](cond, table)

    def _compares(self, cond: Compares, table: str) -> Iterator[Bound]:
        for key, features in self.measured(cond.by, table):
            if condition := self._compared(key, cond.quantity):
                yield condition, features

    def _happens(self, cond: Happens, table: str) -> Iterator[Bound]:
        ends = cond.time.first, cond.time.last
        for key, features in self.dated(cond.by, table):
            yield _in_time(self.catalog, key, cond.operator, ends), features

    def _lacks(self, cond: Lacks, table: str) -> Iterator[Bound]:
        for key, features in self.near(cond.attribute, table):
            profile = self.catalog.profile(key)
            filled = profile is not None and bool(profile.row_count) and not profile.null_count
            yield Comparison(column_of(key), Operator.IS_NULL), plus(features, {"never_so": float(filled)})

    def _denies(self, cond: Denied, table: str) -> Iterator[Bound]:
        for condition, features in self.bound(cond.part, table):
            yield self._denied(condition, table), plus(features, {"denied": 1.0})

    def _holds(self, cond: Holds, table: str) -> Iterator[Bound]:
        best = max((score for _, _, score in cond.value.options), default=1.0)
        named = {key for key, lost, _ in self.columns(cond.attribute, table) if lost <= 0.3} if cond.attribute else None
        found = []
        for key, literals, score in cond.value.options:
            away = self.catalog.distance(table, key.table)
            if away > FARTHEST or (named is not None and key not in named):
                continue
            found.append((best - score + AWAY * away, key, literals, {"unfit": best - score, "far": float(away)}))
        for _, key, literals, features in sorted(found, key=lambda one: one[0])[:2]:
            operator = Operator.EQUAL if len(literals) == 1 else Operator.IN
            yield Comparison(column_of(key), operator, literals), features

    def _compared(self, key: ColumnKey, quantity: Quantity) -> Condition | None:
        catalog = self.catalog
        if catalog.is_number(key) or catalog.is_year(key) or catalog.vocabulary.is_numeric_text(key):
            return _comparison(key, quantity)
        numbers = [one.value for one in quantity.numbers if isinstance(one.value, Decimal)]
        is_year = catalog.is_moment_like(key) and all(1000 <= one <= 2999 for one in numbers)
        return _comparison(key, quantity) if is_year else None

    def _matches(self, cond: Matches, table: str) -> Iterator[Bound]:
        for key, features in self.near(cond.attribute, table):
            if not self.catalog.is_text(key):
                continue
            pattern = {"starts": "{}%", "ends": "%{}", "contains": "%{}%", "is": "{}"}[cond.how]
            escaped = cond.text.replace("%", r"\%").replace("_", r"\_") if cond.how != "is" else cond.text
            operator = Operator.EQUAL if cond.how == "is" else Operator.LIKE
            yield Comparison(column_of(key), operator, (Literal("text", pattern.format(escaped)),)), features

    def _surpasses(self, cond: Surpasses, table: str) -> Iterator[Bound]:
        for key, features in self.measured(cond.by, table):
            if not self.catalog.is_measure(key):
                continue
            of = next((one for one, _ in self.near(cond.of, table)), key) if cond.of is not None else key
            if cond.rows is not None and (cond.rows.table != of.table or cond.rows.orders):
                continue
            chosen_by = both(cond.rows.where) if cond.rows is not None else None
            figure = Plan(of.table, (Output(Figure(cond.aggregate, column_of(of))),), chosen_by)
            yield Comparison(column_of(key), cond.operator, (Nested(figure),)), features

    def _outdoes(self, cond: Outdoes, table: str) -> Iterator[Bound]:
        rows = cond.rows
        if rows.table != table or not (rows.where or rows.limit):
            return
        timed = cond.by if isinstance(cond.by, Attribute) else None
        for key, features in self.dated(timed, table) if cond.timed else self.measured(cond.by, table):
            operator, term = cond.operator, column_of(key)
            if isinstance(cond.by, Degree) and self.descends(cond.by, key) != cond.by.descending:
                operator = Operator.LESS if operator is Operator.MORE else Operator.MORE
            extreme = Aggregate.MAX if operator in (Operator.MORE, Operator.AT_LEAST) else Aggregate.MIN
            output = Output(Figure(extreme, term) if cond.every else term)
            other = Plan(table, (output,), both(rows.where), orders=rows.orders, limit=rows.limit, offset=rows.offset)
            yield Comparison(term, operator, (Nested(other),)), {**features, "nested": 1.0}

    def _has(self, cond: Has, table: str) -> Iterator[Bound]:
        rows = cond.rows
        away = self.reaches(table, rows.table)
        if away is None or table == rows.table:
            return
        features = {"far": float(away - 1), "existing": 1.0}
        if cond.quantity is not None and not self._is_any(cond.quantity):
            if (counted := self._counted(cond, table)) is not None:
                yield counted, {**features, "counted": 1.0}
            return
        if rows.limit is not None or rows.orders:
            key = self.key(rows.table)
            if key is None:
                return
            inner = Plan(rows.table, (Output(column_of(key)),), both(rows.where), orders=rows.orders, limit=rows.limit,
                         offset=rows.offset)  # fmt: skip
            yield Member(column_of(key), inner, cond.negated), features
            return
        upward = self.catalog.refers(table, rows.table)
        if rows.where and upward and not cond.negated:
            yield rows.where[0] if len(rows.where) == 1 else Both(rows.where), features
            return
        yield Related(table, Plan(rows.table, (), both(rows.where)), cond.negated), features

    @staticmethod
    def _is_any(quantity: Quantity) -> bool:
        return quantity.operator is Operator.AT_LEAST and quantity.numbers[0].value == 1

    def _counted(self, cond: Has, table: str) -> Condition | None:
        key = self.key(table)
        if key is None or cond.quantity is None or cond.rows.orders:
            return None
        count = Figure(Aggregate.COUNT, rows_of=cond.rows.table)
        having = Comparison(count, cond.quantity.operator, cond.quantity.numbers)
        counting = Plan(
            cond.rows.table, (Output(column_of(key)),), both(cond.rows.where), groups=(column_of(key),), having=having
        )
        return Member(column_of(key), counting, cond.negated)

    def _denied(self, condition: Condition, table: str) -> Condition:
        """That a condition does not hold: of rows beside, of which there may be several, that none is so."""
        match condition:
            case Comparison(Column() as column) if not self.catalog.refers(table, column.table):
                return Related(table, Plan(column.table, (), condition), True)
            case Comparison() | Member() | Related():
                return replace(condition, negated=not condition.negated)
            case Both(parts):
                return Either(tuple(self._denied(one, table) for one in parts))
            case Either(parts):
                return Both(tuple(self._denied(one, table) for one in parts))

    def _joint(self, cond: Joint, table: str) -> Iterator[Bound]:
        bound = [self.bound(one, table) for one in cond.parts]
        if not all(bound):
            return
        parts = [one[0][0] for one in bound]
        features = plus(*(one[0][1] for one in bound))
        columns = [one.left for one in parts if isinstance(one, Comparison) and one.operator is Operator.EQUAL]
        alike = len(columns) == len(parts) and len(set(columns)) == 1
        if alike and isinstance(columns[0], Column):
            values = tuple(right for one in parts if isinstance(one, Comparison) for right in one.right)
            several = not self.catalog.refers(table, columns[0].table)
            if several and not cond.either:
                apart = tuple(Related(table, Plan(columns[0].table, (), one)) for one in parts)
                yield Both(apart), {**features, "rows_apart": 1.0}
            if not cond.both:  # cats and dogs are those that are either
                yield Comparison(columns[0], Operator.IN, values), {**features, "said_as_or": float(not cond.either)}
            return
        yield (Either if cond.either else Both)(tuple(parts)), features


def _comparison(key: ColumnKey, quantity: Quantity) -> Comparison:
    return Comparison(column_of(key), quantity.operator, quantity.numbers)


def _in_time(catalog: Catalog, key: ColumnKey, operator: Operator, ends: tuple[Literal, Literal]) -> Condition:
    """That a moment lies in, before or after a span of time; of columns of years, by their number."""
    first, last = ends
    if catalog.is_year(key):
        first, last = (Literal("number", Decimal(str(one.value)[:4])) for one in ends)
    column = column_of(key)
    if operator in (Operator.LESS, Operator.AT_LEAST):
        return Comparison(column, operator, (first,))
    if operator in (Operator.MORE, Operator.AT_MOST):
        return Comparison(column, operator, (last,))
    if first == last:
        return Comparison(column, Operator.EQUAL, (first,))
    return Comparison(column, Operator.BETWEEN, (first, last))


def both(conditions: Iterable[Condition | None]) -> Condition | None:
    """All conditions as one; None of none."""
    parts = tuple(one for one in conditions if one is not None)
    return parts[0] if len(parts) == 1 else Both(parts) if parts else None


def chosen(rows: Rows, condition: Condition) -> Rows:
    """Rows of which a condition holds too."""
    return replace(rows, where=(*rows.where, condition))
