"""Ways to go on that turn the earlier answer itself: another order, a filter dropped, one row of it, who it was."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.followup.fragments import Fragment
from resolvers.engines.nl2sql.followup.revising import (
    added,
    both,
    conditions_of,
    is_single,
    leaves,
    replaced,
    shown,
    widened,
)
from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.language.followup_patterns import (
    BEST,
    DROP,
    EVERY,
    FIGURE,
    FIRST,
    INCLUDE,
    MANY,
    PART,
    PERCENT,
    ROW,
    TELLS,
    THAT,
    TOLD,
    WIDEN,
    WORDS,
)
from resolvers.engines.nl2sql.language.words import ORDINALS
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Column,
    Comparison,
    Condition,
    Figure,
    Nested,
    Operator,
    Order,
    Output,
    Plan,
    Share,
)
from resolvers.engines.nl2sql.sql_writing.uses import aggregates

_ADDED: Final = (Aggregate.COUNT, Aggregate.SUM)


class RefinementReader(Fragment):
    """Reads what turns the earlier answer."""

    def turns(self) -> bool:
        """Return whether it does nothing but that."""
        if THAT.match(self.text) and is_single(self.plan):
            return True
        if MANY.match(self.text) and any(aggregates(one.term) for one in self.plan.outputs):
            return True
        return (
            any(one.match(self.text) for one in (FIRST, DROP, EVERY, PERCENT, BEST))
            or ROW.search(self.text) is not None
        )

    def _sized(self) -> Plan | None:
        """`Which of them have more than 10?`: of groups with one figure, those whose figure is so large."""
        conditions = self._figures_of(self.text)
        return added(self.plan, conditions, joins_of(self.known)) if conditions else None

    def _best(self) -> Plan | None:
        """`Only the cheapest one`: the first of the rows before, in the order that the adjective asks for."""
        match = BEST.match(self.text)
        if match is None or is_single(self.plan) or self.plan.limit is not None:
            return None
        found = self.parse(f"show the {match['how']} {self.things}")
        own = found is not None and len(found.orders) == 1 and found.limit == 1 and found.where is None
        if found is None or not own or found.main != self.plan.main or found.groups or self.plan.groups:
            return None
        many = match["many"] or match["many2"]
        limit = 1 if many is None else count_of(many)
        return replace(self.plan, orders=found.orders, limit=limit) if limit else None

    def _percent(self) -> Plan | None:
        """`As a percentage`: what is counted or added up, as parts of the sum of all groups."""
        figures = [one.term for one in self.plan.outputs if aggregates(one.term)]
        additive = [one for one in figures if isinstance(one, Figure) and one.aggregate in _ADDED and not one.distinct]
        if PERCENT.match(self.text) is None or not self.plan.groups or len(additive) != 1 or len(figures) != 1:
            return None
        outputs = (
            replace(one, term=Share(additive[0]), name=None) if one.term in additive else one
            for one in self.plan.outputs
        )
        return replace(self.plan, outputs=tuple(outputs))

    def earlier_plans(self) -> list[Plan]:
        """The plans before the last one, the latest first."""
        return [one.plan for one in reversed(self.asked.earlier[:-1]) if one.plan is not None]

    def _first_in_order(self) -> Plan | None:
        """`heaviest first`, `in alphabetical order`: the rows of before in another order."""
        match = FIRST.match(self.text)
        if match is None or is_single(self.plan) or self.plan.limit is not None:
            return None
        if match["alpha"]:
            first = self.plan.outputs[0].term
            return replace(self.plan, orders=(Order(first, descending=False),))
        computed = [one.term for one in self.plan.outputs if aggregates(one.term)]
        word = match["word"].lower()
        if word in ("highest", "largest", "most", "lowest", "smallest", "fewest") and len(computed) == 1:
            return replace(self.plan, orders=(Order(computed[0], word in ("highest", "largest", "most")),))
        found = self.parse(f"show the {self.things}, {word} first")
        orders = found.orders if found is not None else ()
        if not orders or computed or self.plan.groups:
            return None
        return replace(self.plan, orders=orders)

    def _dropped(self) -> Plan | None:
        """`drop the filter`: without what was added last; `show all of them`: without any."""
        every = EVERY.match(self.text) is not None
        if not every and DROP.match(self.text) is None:
            return None
        own = conditions_of(self.plan)
        for plan in () if every else self.earlier_plans():
            before = conditions_of(plan)
            if plan.main == self.plan.main and len(before) < len(own) and all(one in own for one in before):
                return replace(self.plan, where=plan.where, having=plan.having)
        if not own or (len(own) > 1 and not every):
            return None
        return replace(self.plan, where=None, having=None, limit=None)

    def _who_is_that(self) -> Plan | None:
        """`who earns that?` of a greatest or least value: the rows that have it."""
        match = THAT.match(self.text)
        term = self.plan.outputs[0].term if len(self.plan.outputs) == 1 else None
        if match is None or not is_single(self.plan) or not isinstance(term, Figure):
            return None
        if term.aggregate not in (Aggregate.MAX, Aggregate.MIN) or not isinstance(term.of, Column):
            return None
        found = self.parse(f"show the {self.things}")
        if found is None or term.of.table != self.plan.main or found.main != self.plan.main:
            return None
        has = Comparison(term.of, Operator.EQUAL, (Nested(self.plan),))
        return Plan(
            found.main, found.outputs, both([*conditions_of(self.plan), has]), also=self.plan.also, via=self.plan.via
        )

    def _of_one_row(self) -> None:
        """`who owns the first one?`: it, of the answer that is only this row."""
        match = ROW.search(self.text)
        if match is None or is_single(self.plan) or not self.plan.orders:
            return
        last = match["which"].lower() == "last"
        at = 1 if last else ORDINALS[match["which"].lower()]
        if self.plan.limit is not None and (last or at > self.plan.limit):
            return
        orders = tuple(replace(one, descending=one.descending != last) for one in self.plan.orders)
        self.plan = replace(self.plan, orders=orders, limit=1, offset=self.plan.offset + at - 1, ties=False)
        self.text = ROW.sub("it", self.text)

    def _one_row(self) -> Plan | None:
        """`which is the first one?`: that row of the answer."""
        before = self.plan
        self._of_one_row()
        if self.plan is before:
            return None
        if re.match(r"^(?:(?:which|who|what|show|and|me|is|was|are|only|just)\s+)*it$", self.text, re.IGNORECASE):
            return self.plan
        return None

    def _told_of(self) -> Plan | None:
        """`when were they founded?`, `since when?`, `what about their weight?`: columns that were not shown yet."""
        match = TOLD.match(self.text)
        if match is None or is_single(self.plan) or self.plan.groups:
            return None
        what = match["owned"] or match["verb"] or match["bare"] or ""
        when = (match["wh"] or match["bare"] or "").lower()
        columns = self._columns_called(what)
        if len(columns) != 1 or (when.endswith("when") and not self._tells_time(columns[0])):
            return None
        return shown(self.plan, [Output(columns[0])], joins_of(self.known), instead=False)

    def _columns_called(self, words: str) -> list[Column]:
        """The columns of the rows that were asked about which words name exactly."""
        linked = self._linked(words.strip())
        best: dict[Column, float] = {}
        for one in linked.over(0, len(linked.tokens), MentionKind.COLUMN):
            if one.column is not None and one.column.table == self.plan.main:
                column = Column(one.column.table, one.column.column)
                best[column] = max(best.get(column, 0.0), one.score)
        top = max(best.values(), default=0.0)
        return [column for column, score in best.items() if score == top and score >= 0.75]

    def _tells_time(self, column: Column) -> bool:
        return self._is_moment(column) or self._is_number(column)

    def _included(self) -> Plan | None:
        """`include Hull as well`: the rows that were asked for and these."""
        match = INCLUDE.match(self.text)
        widens = match is not None or (WIDEN.search(self.text) is not None and not is_single(self.plan))
        if not widens or self.plan.limit is not None or self.plan.where is None:
            return None
        what = match["what"] if match is not None else self.text
        what = re.sub(r"^(?:all )?(?:the )?(?:ones|those|them)\s+", "", what, flags=re.IGNORECASE)
        conditions = self._conditions(what)
        return widened(self.plan, conditions) if conditions else None

    def may_stand(self) -> bool:
        """`what is the average fee?`: of those that were asked about before, or of all: nothing tells."""
        if FIGURE.match(self.text) is None or self.marked or self._names_table(self.text) or self._names_value():
            return False
        last = self.asked.earlier[-1].plan
        return last is not None and bool(conditions_of(last)) and last.limit is None

    def _part(self) -> Plan | None:
        """`how much of it was sold?`: the figure of before, of those rows only."""
        match = PART.match(self.text)
        if match is None or not is_single(self.plan):
            return None
        conditions = self._conditions(f"that {match['what']}")
        return added(self.plan, conditions, joins_of(self.known)) if conditions else None

    def _is_computed(self) -> bool:
        return bool(self.plan.groups) or any(aggregates(one.term) for one in self.plan.outputs)

    def _says_nothing(self, found: Plan) -> bool:
        """Return whether when, where or how much is asked, and the answer would be nothing but what the things are
        called.
        """
        if TELLS.match(self.text) is None or found.main != self.plan.main:
            return False
        plain = self.parse(f"show the {self.things}")
        return plain is not None and found.outputs == plain.outputs

    def _fits(self, conditions: Sequence[Condition]) -> Plan | None:
        """The plan with another value where a further one would leave no row: `and those in Wick?`."""
        own = [leaf for one in conditions_of(self.plan) for leaf in leaves(one)]
        new = [leaf for one in conditions for leaf in leaves(one)]
        for one in new:
            for old in own:
                if _excludes(old, one):
                    return replaced(self.plan, list(conditions))
        return None


def _excludes(old: Comparison, new: Comparison) -> bool:
    """Return whether a column would have to have two values at once."""
    named = (Operator.EQUAL, Operator.IN)
    if old.negated or new.negated or old.left != new.left or {old.operator, new.operator} - set(named):
        return False
    return not set(old.right) & set(new.right)


def count_of(said: str) -> int:
    """Return how many are said, in digits or in a word."""
    return int(said) if said.isdigit() else WORDS[said.lower()]
