"""Conditions along the key that words speak for: landed at Oslo, is supervised by Ann."""

from typing import Final

from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Column, Comparison
from resolvers.engines.nl2sql.planner.above import ABOVE, said_above
from resolvers.engines.nl2sql.planner.atoms import ROLE
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.planner.roles import part_key, role_of, tied
from resolvers.engines.nl2sql.planner.ways import chosen, keys_between

_OWN: Final = 0.1
"""How much better its own column must fit what a row has not than a table beside it."""
_ALIKE: Final = 0.03
_SEVERAL: Final = 0.3
"""How near another of its columns may fit as well, and what is doubted then."""


class Along:
    """What conditions know of the keys that they go along."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.catalog = resolver.catalog
        self.via: list[tuple[Column, Column]] = []
        self._named: tuple[int, str, int] | None = None
        """Where the last value of a row along a key ends, its table, and which use of the table that row is."""

    def part_of(self, cond: Cond) -> ColumnKey | None:
        """The key of the part that a noun is called by: `without a referee`."""
        ref = cond.noun.ref if cond.noun is not None else None
        if ref is None or not any(one.how == ROLE for one in ref.columns):
            return None
        key = part_key(self.resolver.cut.linked, self.catalog, ref.first, ref.last)
        return ColumnKey(key.table, key.columns[0]) if key is not None else None

    def _own_column(self, cond: Cond, table: str | None, main: str) -> ColumnKey | None:
        """A column that is empty where something is not had: `customers without a company`."""
        if cond.noun is None or cond.count is not None or cond.inner or not cond.negated or cond.how:
            return None
        if (part := self.part_of(cond)) is not None and part.table == main:
            return part
        if table == main and cond.noun.ref is not None:
            table = None  # no row is without itself: trainings without a trainer
        options = self.resolver.column_options(cond.noun)
        own = {one.columns[0] for one in self.catalog.joins.keys_of(main) if one.table == one.to == main}
        held = [
            key
            for key, score in options.items()
            if key.table == main and score >= (0.85 if key.column not in own else 0.7)
        ]
        held = [key for key in held if table is None or self.catalog.reference(key) is None]
        if not held:
            return None
        columns = cond.noun.ref.columns if cond.noun.ref is not None else ()
        fits = max((one.score for one in columns if one.column in held), default=0.0)
        named = cond.noun.ref.best(MentionKind.TABLE) if cond.noun.ref is not None else 1.0
        if table is not None and self.catalog.distance(main, table) <= 1 and named > fits - _OWN:
            return None
        best = max(options[key] for key in held)
        if sum(options[key] > best - _ALIKE for key in held) > 1:
            self.resolver.doubt("several columns may be meant of which none is had", _SEVERAL)
        return max(held, key=lambda key: options[key])

    def by_way(self, comparison: Comparison, cond: Cond, column: ColumnKey, main: str) -> Comparison:
        """The comparison along the key that the words before it speak for, where there are several."""
        first = min((ref.first for ref in cond.values), default=0)
        last = max((ref.last for ref in cond.values), default=0)
        if self._named is not None and (first, column.table) == self._named[:2]:  # first and last name of one person
            return self._of(self._named[2], comparison, column, last)
        if (pair := said_above(self.resolver, column, main, first)) is not None:
            self.via.append(pair)
            return self._of(ABOVE, comparison, column, last)
        keys = keys_between(self.catalog, main, column.table)
        if not keys:
            return comparison
        if cond.noun is not None and cond.noun.ref is not None:
            first = min(first, cond.noun.ref.first)
        words = self.resolver.cut.linked.words
        ref = cond.noun.ref if cond.noun is not None else None
        key = (
            role_of(self.resolver, ref, column.table)
            or chosen(self.catalog, keys, words(max(0, first - 4), first))
            or chosen(self.catalog, keys, words(last, last + 4))
        )
        if key is None:
            return comparison
        instance, pair = tied(self.resolver, key)
        if pair not in self.via:
            self.via.append(pair)
        return self._of(instance, comparison, column, last)

    def _of(self, instance: int, comparison: Comparison, column: ColumnKey, last: int) -> Comparison:
        """The comparison of one use of the column's table, and that a value which goes on there is of the same row."""
        self._named = (last, column.table, instance)
        return Comparison(as_column(column, instance), comparison.operator, comparison.right, comparison.negated)
