"""Rows of which so great a part is something: `clinics where more than half of the patients are women`."""

from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Column,
    Comparison,
    Figure,
    Literal,
    Member,
    Operator,
    Output,
    Plan,
)
from resolvers.engines.nl2sql.planner.frame import Cond, Noun
from resolvers.engines.nl2sql.planner.like_others import LikeOthers
from resolvers.engines.nl2sql.planner.parts import Part, also_of, conjoined
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_PARTS: Final = {"half": Decimal("0.5"), "quarter": Decimal("0.25"), "third": Decimal(1) / Decimal(3)}
_PERCENT: Final = ("percent", "per cent", "%", "percent of")
_HUNDRED: Final = Decimal(100)


class Fractions(LikeOthers):
    """Reads which part of what rows have is meant."""

    def _fraction(self) -> bool:
        """`more than half of their orders`, `at least 20 % of the patients`, `most of their trips`."""
        start, atom = self.i, self.atoms[self.i]
        if atom.is_(Cue.MOST) and self.is_(Cue.OF, offset=1) and atom.said:
            operator, part = Operator.MORE, _PARTS["half"]
            self.i += 2
        elif atom.is_(Cue.COMPARE) and isinstance(atom.said, Operator) and (told := self._part_ahead()) is not None:
            operator, part = atom.said, told
        else:
            return False
        self.skip(Cue.ALL, Cue.OF)
        rows = self.atoms[self.i].ref if self.table_at() else None
        if rows is None:
            return self._back(start)
        self.i += 1  # what stands behind tells which of them are the part: half of their products discontinued
        cond = self._new("exists")
        cond.noun, cond.table, cond.operator, cond.part = Noun(rows), rows, operator, part
        self._add(cond)
        self.remember(rows)
        self.scope = cond.inner
        return True

    def _part_ahead(self) -> Decimal | None:
        """The part of something that is said behind a comparison, which is read; None where none is."""
        said, behind = self.at(1), self.at(2)
        if said is None:
            return None
        if (part := _PARTS.get(said.text.lower().removeprefix("a ").removeprefix("one "))) is not None:
            self.i += 2
            return part if self.is_(Cue.OF) else None
        numbers = [one.values[0].value for one in (said.ref.literals if said.ref is not None else ()) if one.values]
        number = next((one for one in numbers if isinstance(one, Decimal)), None)
        inside = said.text.lower().endswith(_PERCENT)
        if number is None or not (inside or (behind is not None and behind.text.lower() in _PERCENT)):
            return None
        self.i += 2 if inside else 3
        return number / _HUNDRED


def of_a_part(resolver: Resolver, cond: Cond, table: str | None, main: str, inner: list[Part]) -> Member | None:
    """The condition that such a part of the rows that each has is so; None where rows are not tied by one key."""
    own, when = resolver.catalog.key(main), conjoined(inner)
    keys = [one for one in resolver.catalog.joins.keys_of(main) if (one.table, one.to) == (table, main)]
    if own is None or when is None or table is None or len(keys) != 1 or len(keys[0].columns) != 1:
        return None
    assert cond.part is not None
    held = Column(table, keys[0].columns[0])
    of_all = Arithmetic("/", Figure(Aggregate.COUNT, when=when), Figure(Aggregate.COUNT))
    enough = Comparison(of_all, cond.operator, (Literal("number", cond.part),))
    known = Comparison(held, Operator.IS_NULL, (), True)
    plan = Plan(table, (Output(held),), where=known, groups=(held,), having=enough, also=also_of(inner, table))
    return Member(as_column(own), plan, cond.negated)
