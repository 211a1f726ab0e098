"""Conditions that no row can meet at once: different rows meet them, and what those have in common is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Both,
    Column,
    Combined,
    Comparison,
    Condition,
    Figure,
    Literal,
    Member,
    Operator,
    Output,
    Plan,
    Related,
    Term,
)
from resolvers.engines.nl2sql.planner.parts import Part, conjoined
from resolvers.engines.nl2sql.planner.ranking import Ranking
from resolvers.engines.nl2sql.planner.resolving import as_column
from resolvers.engines.nl2sql.sql_writing.uses import parts_of

_EACH: Final = frozenset(("each", "respectively", "compare", "compared", "versus", "vs"))
"""Words that ask for a figure of each of several."""
_TOGETHER: Final = frozenset(("together", "combined", "altogether", "jointly", "or"))
_ONE_OR_EACH: Final = 0.15
"""What is doubted of a figure of several, where nothing says whether it is one of all or one of each."""


@dataclass(slots=True)
class Clashes(Ranking):
    """Set operations of a plan in the making."""

    def with_sets(self, plan: Plan, parts: list[Part], extra: list[Condition]) -> Plan:
        """Conditions that no row can meet at once are met by different rows: what they have in common is asked for."""
        frame = self.resolver.frame
        if self.first is not None:
            extra = [*extra, self.first]
        if (without := self._without(plan, parts, extra)) is not None:
            return without
        if (apart := self._apart(plan, parts, extra)) is not None:
            return apart
        both = frame.both or self._shares()
        if not both and self._asks_numbers() and (several := self._named_together(parts, plan.main)):
            plan, parts = self._of_several(plan, several), [part for part in parts if part not in several[1:]]
        clash = self._clash(parts, both)
        if clash is None:
            return replace(plan, where=everything([*parts_of(conjoined(parts)), *extra]))
        one, other = clash
        common = [part for part in parts if part not in (one, other)]
        column = one.column
        catalog = self.resolver.catalog
        if column is not None and column.table != plan.main and not catalog.refers(plan.main, column.table):
            beside = [Related(plan.main, Plan(column.table, (), where=part.condition)) for part in (one, other)]
            also = tuple(table for table in plan.also if catalog.refers(plan.main, table))
            return replace(plan, also=also, where=everything([*parts_of(conjoined(common)), *beside, *extra]))
        entity = self.items[0].entity
        counts = self.items[0].figures and _is_span(one) and _is_span(other)
        if not both and (counts or (entity == plan.main and _tells_rows(one) and _tells_rows(other))):
            other.cond.joined = "or"
            if self._from_to(one, other):
                self.resolver.doubt("from one to the other is said, and either is looked for", 0.6)
            return replace(plan, where=everything([*parts_of(conjoined(parts)), *extra]))
        if self.items[0].noun.wh == "when":
            self.resolver.doubt("a time is asked for, and one that several have is looked for", 0.6)
        if self.items[0].figures:
            self.resolver.doubt("figures of different rows are not what they have in common", 0.8)
        base = parts_of(conjoined(common))
        first = everything([*base, *parts_of(one.condition), *extra])
        second = everything([*base, *parts_of(other.condition), *extra])
        return replace(
            plan, where=first, combined=Combined("intersect", replace(plan, where=second, orders=(), limit=None))
        )

    def _asks_numbers(self) -> bool:
        """Return whether nothing but numbers is asked for: of several rows they are never meant to be the same."""
        catalog = self.resolver.catalog
        return all(
            item.figures or (bool(item.columns) and all(catalog.is_measure(key) for key in item.columns))
            for item in self.items
        )

    def _named_together(self, parts: list[Part], main: str) -> list[Part]:
        """The conditions that one column is equal to this and to that: the figures of `France and Italy`."""
        clash = self._clash(parts, both=False)
        column = clash[0].column if clash is not None else None
        if clash is None or column is None or not all(map(_is_equal, clash)):
            return []
        if column.table != main and not self.resolver.catalog.refers(main, column.table):
            return []  # how many people speak French and German
        alike = [part for part in parts if part.column == column and _is_equal(part)]
        left = clash[0].condition.left if isinstance(clash[0].condition, Comparison) else None
        return [one for one in alike if isinstance(one.condition, Comparison) and one.condition.left == left]

    def _of_several(self, plan: Plan, several: list[Part]) -> Plan:
        """The plan with the values of several conditions in the first of them, and with what tells their rows apart."""
        found = [one.condition for one in several if isinstance(one.condition, Comparison)]
        values = tuple(dict.fromkeys(value for one in found for value in one.right))
        several[0].condition = replace(found[0], operator=Operator.IN, right=values)
        column = found[0].left
        if not isinstance(column, Column) or any(one.term == column for one in plan.outputs):
            return plan
        if not any(item.figures for item in self.items):
            return replace(plan, outputs=(Output(column), *plan.outputs))
        words = {token.text.lower() for token in self.resolver.cut.linked.tokens}
        counts = sum(atom.is_(Cue.COUNT) for atom in self.resolver.cut.atoms)
        each = counts > 1 or words & _EACH  # how many of these and how many of those
        if each or (not words & _TOGETHER and (self._are_all(column, values) or self._are_of_one())):
            return replace(plan, outputs=(Output(column), *plan.outputs), groups=(*plan.groups, column))
        if not words & _TOGETHER:
            self.resolver.doubt("one figure of several together or one of each may be meant", _ONE_OR_EACH)
        return plan

    def _are_all(self, column: Column, values: Sequence[Term]) -> bool:
        """Return whether a column has no other values, so that those of one and all together are the same as all."""
        profile = self.resolver.catalog.profile(ColumnKey(column.table, column.column))
        return profile is not None and profile.distinct_count is not None and profile.distinct_count <= len(values)

    def _are_of_one(self) -> bool:
        """Return whether the figures are averages and the like, which are taken of each, and not of all together."""
        terms = [term for item in self.items for term in item.terms]
        return any(isinstance(one, Figure) and one.aggregate not in (Aggregate.COUNT, Aggregate.SUM) for one in terms)

    def _from_to(self, one: Part, other: Part) -> bool:
        """Return whether `from` and `to` stand before two values: of one key, neither end is told apart."""
        firsts = [part.cond.values[0].first for part in (one, other) if part.cond.values]
        words = self.resolver.cut.linked.words
        return [list(words(max(0, first - 1), first)) for first in firsts] == [["from"], ["to"]]

    def _shares(self) -> bool:
        """`shared by a man and a woman`: what both have."""
        said = [token.text.lower() for token in self.resolver.cut.linked.tokens]
        pairs = set(pairwise(said))
        return bool(pairs & {("shared", "by"), ("in", "common"), ("common", "to"), ("borne", "by")})

    def _apart(self, plan: Plan, parts: list[Part], extra: list[Condition]) -> Plan | None:
        """`zones with a savanna but no aviary`: of kinds, those with the one but without the other."""
        if self.items[0].entity is not None or any(item.figures for item in self.items):
            return None
        for part in parts:
            denied = part.condition
            if not isinstance(denied, Related) or not denied.negated or part.cond.joined != "but":
                continue
            if denied.to == plan.main and self.resolver.catalog.refers(plan.main, denied.plan.main):
                left = [one for one in parts if one is not part]
                whole = replace(plan, where=everything([*parts_of(conjoined(left)), *extra]))
                taken = replace(plan, where=replace(denied, negated=False), orders=(), limit=None)
                return replace(whole, combined=Combined("except", taken))
        for part in parts:
            if part.cond.those and isinstance(part.condition, Comparison) and part.condition.negated:
                beside = parts_of(conjoined([one for one in parts if one is not part]))
                whole = replace(plan, where=everything([*beside, *extra]))
                other_rows = everything([*beside, replace(part.condition, negated=False), *extra])
                return replace(
                    whole, combined=Combined("except", replace(plan, where=other_rows, orders=(), limit=None))
                )
        for one in parts:
            for other in parts:
                ours, theirs = one.condition, other.condition
                if one is other or not isinstance(ours, Comparison) or not isinstance(theirs, Comparison):
                    continue
                if ours.negated or not theirs.negated or ours.left != theirs.left or not _tells_rows(other):
                    continue
                common = [part for part in parts if part is not other]
                if ours.right == theirs.right and ours.operator == theirs.operator:
                    rest = [part for part in common if part is not one]
                    sides = [everything([*parts_of(conjoined(rest)), side, *extra]) for side in (ours, theirs)]
                    also = replace(plan, where=sides[1], orders=(), limit=None)
                    return replace(plan, where=sides[0], combined=Combined("intersect", also))
                whole = replace(plan, where=everything([*parts_of(conjoined(common)), *extra]))
                taken = replace(plan, where=replace(theirs, negated=False), orders=(), limit=None)
                return replace(whole, combined=Combined("except", taken))
        return None

    def _without(self, plan: Plan, parts: list[Part], extra: list[Condition]) -> Plan | None:
        """`cities that have no employees who ...`: the cities but those of such employees."""
        item = self.items[0]
        for part in parts:
            if not isinstance(part.condition, Related) or part.condition.to == plan.main:
                continue
            if part.condition.plan.main != plan.main or item.entity is not None:
                continue
            others = [one for one in parts if one is not part]
            key = self.resolver.catalog.key(plan.main)
            if item.figures and key is not None:  # the average freight, excluding orders from Germany
                denied = Plan(
                    plan.main, (Output(as_column(key)),), part.condition.plan.where, also=part.condition.plan.also
                )
                left = [*parts_of(conjoined(others)), Member(as_column(key), denied, True), *extra]
                return replace(plan, where=everything(left))
            if item.figures:
                self.resolver.doubt("a figure without a figure is not the figure of what is left", 0.8)
            taken = replace(plan, where=part.condition.plan.where, also=part.condition.plan.also, orders=(), limit=None)
            whole = replace(plan, where=everything([*parts_of(conjoined(others)), *extra]))
            return replace(whole, combined=Combined("except", taken))
        return None

    def _clash(self, parts: list[Part], both: bool) -> tuple[Part, Part] | None:
        for at, one in enumerate(parts):
            for other in parts[at + 1 :]:
                if one.column is None or one.column != other.column or other.cond.joined == "or":
                    continue
                if _contradict(one.condition, other.condition):
                    return one, other
        return None


def _is_equal(part: Part) -> bool:
    return isinstance(part.condition, Comparison) and part.condition.operator in (Operator.EQUAL, Operator.IN)


def _is_span(part: Part) -> bool:
    return isinstance(part.condition, Comparison) and part.condition.operator is Operator.BETWEEN


def _tells_rows(part: Part) -> bool:
    return _is_equal(part) or _is_span(part)


def _contradict(one: Condition | None, other: Condition | None) -> bool:
    if not isinstance(one, Comparison) or not isinstance(other, Comparison) or one.negated or other.negated:
        return False
    if one.left != other.left:
        return False
    equal = (Operator.EQUAL, Operator.IN)
    if one.operator in equal and other.operator in equal:
        return not set(one.right) & set(other.right)
    if one.operator is other.operator is Operator.BETWEEN:
        (start, end), (first, last) = _ends(one), _ends(other)
        return end < first or last < start
    up, down = (Operator.MORE, Operator.AT_LEAST), (Operator.LESS, Operator.AT_MOST)
    low, high = (one, other) if one.operator in up else (other, one)
    if low.operator in up and high.operator in down:
        left, right = low.right[0], high.right[0]
        if isinstance(left, Literal) and isinstance(right, Literal):
            return type(left.value) is type(right.value) and left.value >= right.value  # type: ignore[operator]
    return False


def _ends(span: Comparison) -> tuple[str, str]:
    """The first and the last day of a span, as ISO text; of numbers and terms such as never contradict."""
    ends = [one.value for one in span.right if isinstance(one, Literal) and one.kind in ("date", "moment")]
    return (str(ends[0]), str(ends[1])) if len(ends) == 2 else ("", "~")


def everything(conditions: list[Condition]) -> Condition | None:
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else Both(tuple(conditions))
