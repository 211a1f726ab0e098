"""What a SELECT answers with, looked up by what is written there and by what settles it."""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Final

from sqlglot import exp

from resolvers.engines.lineage.facts import Facts
from resolvers.engines.lineage.holding import Place

BY_ROW: Final = (
    *(exp.Rand, exp.Randn, exp.Uuid, exp.Anonymous, exp.AnonymousAggFunc),
    *(exp.UDTF, exp.GenerateSeries),
)
"""What may have another value in each row though it names no column: what is drawn, unknown, or makes rows."""


class Outputs:
    """The expressions of one SELECT. Each is looked into once, however often it is asked about."""

    def __init__(self, expressions: Sequence[exp.Expr], facts: Facts) -> None:
        self._expressions, self.facts = expressions, facts

    def places(self, by: exp.Expr) -> frozenset[int]:
        """Places of the columns that are this expression."""
        return self._shown.get(self.facts.shown(by), frozenset())

    def settled_by(self, places: Collection[Place]) -> frozenset[int]:
        """Places of the columns that have one value where the values of these are given."""
        given = frozenset(places)
        return frozenset(at for at, named in self._named.items() if named <= given)

    @cached_property
    def _shown(self) -> dict[str, frozenset[int]]:
        found: dict[str, set[int]] = {}
        for at, one in enumerate(self._expressions):
            found.setdefault(self.facts.shown(one.unalias()), set()).add(at)
        return {text: frozenset(places) for text, places in found.items()}

    @cached_property
    def _named(self) -> dict[int, frozenset[Place]]:
        """Of each column that follows from those that it names, which they are."""
        found: dict[int, frozenset[Place]] = {}
        for at, one in enumerate(self._expressions):
            if one.find(exp.Query, exp.AggFunc, exp.Window, *BY_ROW) is None:
                stand_for = self.facts.stands_for
                if named := frozenset(stand_for((each.table, each.name)) for each in one.find_all(exp.Column)):
                    found[at] = named
        return found
