"""Spans of time that are asked for, or told for each: `per month`, `in each year`, the month of a date."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from resolvers.engines.nl2sql.language.words import UNITS
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import PARTS, Span, Term, Unit
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import Item
from resolvers.engines.nl2sql.planner.dated import of_the_calendar
from resolvers.engines.nl2sql.planner.defined import rows_of
from resolvers.engines.nl2sql.planner.figures import when_of_rows
from resolvers.engines.nl2sql.planner.frame import Noun
from resolvers.engines.nl2sql.planner.nouns import surely_table
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind


def is_rows(noun: Noun) -> bool:
    """Return whether a noun is surely what a table is called by."""
    return noun.ref is not None and surely_table(noun.ref)


@dataclass(slots=True)
class ItemSpans:
    """Makes items of spans of time."""

    resolver: Resolver
    catalog: Catalog = field(init=False)

    def __post_init__(self) -> None:
        self.catalog = self.resolver.catalog

    def _span(self, noun: Noun, unit: Unit) -> Item | None:
        """A span of time of the column that tells when."""
        resolver, by_year = self.resolver, unit in (Unit.YEAR, Unit.DECADE)
        near = [table for ref in noun.near if (table := resolver.table(ref)) is not None]
        figures = [*resolver.frame.items, *(one.noun for one in resolver.frame.sorts if one.noun is not None)]
        asked = [key.table for one in figures if one.aggregates and (key := resolver.column(one))]
        asked += [table for one in figures if one.count and (table := resolver.table(one.ref))]
        asked += [table for one in figures if (table := rows_of(resolver, one)) is not None]
        ranked = [one.noun for one in resolver.frame.sorts if one.noun is not None and not asked]
        asked += [table for one in ranked if is_rows(one) and (table := resolver.table(one.ref)) is not None]
        asked += [key.table for one in ranked if not is_rows(one) and (key := resolver.column(one)) is not None]
        rows = asked[0] if asked else None
        tells = (
            (lambda key: self.catalog.is_dated(key) or self.catalog.is_year(key)) if by_year else self.catalog.is_dated
        )
        asked = [one for one in asked if any(map(tells, self.catalog.of(one)))]
        tables = dict.fromkeys(
            [*asked[:1], *near, *(one for one in (resolver.subject(),) if one), *resolver.mentioned()]
        )
        tables = tables or dict.fromkeys(key.table for item in resolver.frame.items if (key := resolver.column(item)))
        column = resolver.time_column(tables, year=by_year, hint=self._deeds(tables))
        column = column or (when_of_rows(resolver, rows) if rows is not None else None)
        if column is None or not (self.catalog.is_dated(column) or by_year):
            return None
        if noun.ref is not None:
            resolver.used.add((noun.ref.first, noun.ref.last))
        part = unit in PARTS or (unit in (Unit.MONTH, Unit.QUARTER) and of_the_calendar(resolver, noun))
        is_span = self.catalog.is_dated(column) or unit is Unit.DECADE
        term: Term = Span(as_column(column), unit, part) if is_span else as_column(column)
        return Item([term], column.table, noun, None, (column,))

    def _deeds(self, tables: Iterable[str]) -> set[str]:
        """Return what the verbs of a question say that was done: of orders that were shipped, the months
        of shipping.
        """
        linked = self.resolver.cut.linked
        said = {word for atom in self.resolver.cut.atoms if atom.verbal for word in linked.words(atom.first, atom.last)}
        return said.difference(*map(self.catalog.table_words, tables))

    def _own_span(self, noun: Noun) -> Item | None:
        """`callouts in each year`: of their own time, rather than a column of another table that is called so."""
        resolver, ref = self.resolver, noun.ref
        words = resolver.cut.linked.words(ref.first, ref.last) if ref is not None else ()
        if noun.owner is not None or len(words) != 1 or words[0] not in UNITS:
            return None
        key, table = resolver.column(noun), resolver.table(noun.near[0]) if noun.near else self._of_figures(noun)
        if table is None or key is None or key.table == table:
            return None
        times = [one for one in self.catalog.of(table) if self.catalog.is_dated(one)]
        return self._span(noun, UNITS[words[0]]) if times else None

    def _of_figures(self, noun: Noun) -> str | None:
        """The table of what a figure is asked for of: `the average fare of each year`, of the trips."""
        resolver = self.resolver
        figures = [one for one in resolver.frame.items if one is not noun and one.aggregates]
        found = {key.table for one in figures if (key := resolver.column(one)) is not None}
        return found.pop() if len(found) == 1 else None

    def _unit(self, noun: Noun, key: ColumnKey) -> Unit | None:
        """The year, month ... of a date, when that is what is said."""
        if noun.ref is None or not self.catalog.is_dated(key):
            return None
        said = self.resolver.cut.linked.words(noun.ref.first, noun.ref.last)
        own = self.catalog.words(key)
        if "day" in said and "day" not in own and self.catalog.kind(key) is ColumnKind.MOMENT:
            return Unit.DAY
        return next(
            (UNITS[word] for word in said if word in UNITS and word not in own and word not in ("date", "day")), None
        )
