"""What holds in every row of a SELECT, since its conditions let no other row through.

A column that a comparison is made with is not null in any row that passes, so COALESCE never goes beyond it; a LEFT
JOIN whose other side may not be null is an inner one; of two columns that are held equal each may stand for the other,
so CASE between them decides nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from resolvers.engines.lineage.holding import Comparison, Place, comparison

MOST_HELD: Final = 20
"""Comparisons that are reckoned with of one SELECT, and of one condition."""
_REJECTS_NULL: Final = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike)
_STRICT: Final = (exp.Paren, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Abs)
"""What is null where anything in it is null, in every dialect."""
_FOLDS: Final = frozenset({"mysql", "tsql"})
"""Dialects that take texts for equal which are not the same, so that one may not stand for the other."""


@dataclass(slots=True)
class Facts:
    """What is known of the columns of one SELECT."""

    filled: set[Place] = field(default_factory=set)
    """Never null."""
    met: set[str] = field(default_factory=set)
    """Aliases of which every row has one: what a LEFT JOIN adds to the others may be missing."""
    first: set[Place] = field(default_factory=set)
    """Of which only rows are taken where they are 1."""
    fixed: set[Place] = field(default_factory=set)
    """That have one value in all rows, since they are held equal to one that is written there."""
    held: list[Comparison] = field(default_factory=list)
    """What columns are, unless the row that they are of is missing and they are null."""
    _same: dict[Place, Place] = field(default_factory=dict)

    def stands_for(self, place: Place) -> Place:
        """One of the columns that are equal to this one, the same for all of them."""
        while place in self._same:
            place = self._same[place]
        return place

    def never(self, condition: exp.Expr) -> bool:
        """Return whether a condition holds in no row, since another one holds that it does not go with."""
        asked = [one for part in conjuncts(condition) if (one := comparison(part)) is not None]
        if not asked or len(asked) > MOST_HELD:
            return False
        held: dict[Place, list[Comparison]] = {}
        for one in (*self.held, *asked):
            held.setdefault(self.stands_for(one.place), []).append(one)
        return any(one.excludes(other) for one in asked for other in held[self.stands_for(one.place)])

    def shown(self, node: exp.Expr | None) -> str:
        """An expression as text, the same for all that have the same value in every row."""
        if node is None:
            return exp.Null().sql()
        return node.unnest().transform(self._standing).sql()

    def _standing(self, node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        table, name = self.stands_for((node.table, node.name))
        return exp.column(name, table, quoted=True)

    def hold(self, condition: exp.Expr, *, only_of: str | None = None) -> None:
        """Add what a condition says of a column that it compares with something written."""
        found = comparison(condition)
        if found is not None and only_of in (None, found.place[0]) and len(self.held) < MOST_HELD:
            self.held.append(found)

    def take(self, condition: exp.Expr, *, equal: bool) -> None:
        """Add what holds where a condition does."""
        not_null = _not_null(condition)
        if not_null is not None:
            self._fill(not_null)
        elif isinstance(condition, exp.Between) or (isinstance(condition, exp.In) and condition.this is not None):
            self._fill(condition.this)
        elif isinstance(condition, _REJECTS_NULL):
            left, right = condition.this.unnest(), condition.expression.unnest()
            if isinstance(right, exp.All):
                return  # it holds of an empty answer, whatever is on the left
            self._fill(left)
            self._fill(right)
            if equal and type(condition) is exp.EQ:
                self._fix(left, right)
            if equal and type(condition) is exp.EQ and isinstance(left, exp.Column) and isinstance(right, exp.Column):
                one, other = (self.stands_for((each.table, each.name)) for each in (left, right))
                if one != other:
                    self._same[max(one, other)] = min(one, other)

    def _fix(self, left: exp.Expr, right: exp.Expr) -> None:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, exp.Column) and isinstance(other, exp.Literal):
                self.fixed.add((one.table, one.name))

    def is_fixed(self, node: exp.Expr) -> bool:
        """Return whether an expression is a column that has one value in all rows."""
        one = node.unnest()
        return isinstance(one, exp.Column) and (one.table, one.name) in self.fixed

    def _fill(self, node: exp.Expr) -> None:
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if isinstance(one, exp.Column):
                self.filled.add((one.table, one.name))
            elif isinstance(one, _STRICT):
                waiting += list(one.iter_expressions())


def facts_of(node: exp.Select, dialect: str) -> Facts:
    """Return what holds in the rows of a SELECT by its WHERE and by the joins whose conditions every row has met."""
    facts = Facts()
    equal = dialect not in _FOLDS
    where = node.args.get("where")
    for one in conjuncts(where.this if where is not None else None):
        facts.take(one, equal=equal)
        facts.first |= first_only(one)
        facts.hold(one)
    waiting, is_all = _plain_joins(node)
    start = node.args.get("from_")
    facts.met = {_alias(start.this)} if start is not None and is_all else set()
    for join in waiting:
        alias = _alias(join.this)
        asked = (first_only(one) for one in conjuncts(join.args.get("on")))
        facts.first |= {place for some in asked for place in some if place[0] == alias}
        for one in conjuncts(join.args.get("on")):
            facts.hold(one, only_of=alias)
    while waiting:
        ready = [one for one in waiting if _is_met(one, facts)]
        if not ready:
            break
        for join in ready:
            facts.met.add(_alias(join.this))
            for one in conjuncts(join.args.get("on")):
                facts.take(one, equal=equal)
        waiting = [one for one in waiting if one not in ready]
    return facts


def _plain_joins(node: exp.Select) -> tuple[list[exp.Join], bool]:
    """The inner and the LEFT joins behind the last of another kind, and whether there is none; none of brackets."""
    joins: list[exp.Join] = node.args.get("joins") or []
    start = node.args.get("from_")
    for one in (*([start.this] if start is not None else []), *(join.this for join in joins)):
        if one.args.get("joins") or (isinstance(one, exp.Subquery) and isinstance(one.this, exp.Table)):
            return [], False
    after = next((at for at in range(len(joins), 0, -1) if not _is_plain(joins[at - 1])), 0)
    return joins[after:], after == 0


def _is_plain(join: exp.Join) -> bool:
    """Return whether a join leaves all rows of what stands before it as they are, or fewer of them."""
    side, kind = (str(join.args.get(part) or "").upper() for part in ("side", "kind"))
    return side in ("", "LEFT") and kind in ("", "INNER", "CROSS", "OUTER")


def _is_met(join: exp.Join, facts: Facts) -> bool:
    inner = str(join.args.get("side") or "").upper() != "LEFT"
    return inner or any(table == _alias(join.this) for table, _ in facts.filled)


def _alias(node: exp.Expr) -> str:
    alias = node.args.get("alias")
    return str(alias.this.name) if alias is not None and alias.this is not None else ""


def _not_null(condition: exp.Expr) -> exp.Expr | None:
    """Return what a condition says of that it is not null. Some dialects write it as one node, others as two."""
    denied = isinstance(condition, exp.Not)
    inner = condition.this.unnest() if denied else condition
    if (
        isinstance(inner, exp.Is)
        and isinstance(inner.expression, exp.Null)
        and bool(inner.args.get("negate")) != denied
    ):
        found: exp.Expr = inner.this
        return found
    return None


def conjuncts(node: exp.Expr | None) -> list[exp.Expr]:
    """The conditions that all hold where a condition does."""
    found: list[exp.Expr] = []
    waiting = [node] if node is not None else []
    while waiting:
        one = waiting.pop().unnest()
        if isinstance(one, exp.And):
            waiting += [one.this, one.expression]
        else:
            found.append(one)
    return found


def first_only(condition: exp.Expr) -> set[Place]:
    """The column of which a condition says that it is 1, as it is said of the number of a row; empty for others."""
    if type(condition) is not exp.EQ:
        return set()
    column, one = condition.this.unnest(), condition.expression.unnest()
    is_one = isinstance(one, exp.Literal) and not one.is_string and one.name == "1"
    return {(column.table, column.name)} if is_one and isinstance(column, exp.Column) else set()


def is_filled(node: exp.Expr, is_column_filled: Callable[[Place], bool]) -> bool:
    """Return whether an expression is never null."""
    node = node.unnest()
    if isinstance(node, exp.Column):
        return is_column_filled((node.table, node.name))
    if isinstance(node, exp.Coalesce):
        return any(is_filled(one, is_column_filled) for one in (node.this, *node.expressions))
    if isinstance(node, exp.Case):
        branches = taken(node)
        return all(one is not None and is_filled(one, is_column_filled) for one in branches)
    if isinstance(node, _STRICT):
        return all(is_filled(one, is_column_filled) for one in node.iter_expressions())
    return isinstance(node, exp.Literal | exp.Boolean | exp.Count | exp.Exists)


def _may_hold(_: exp.Expr) -> bool:
    return False


def taken(node: exp.Case | exp.If, never: Callable[[exp.Expr], bool] = _may_hold) -> Sequence[exp.Expr | None]:
    """The values that CASE may have; None is NULL."""
    branches, otherwise = reached(node, never)
    return (*(one.args.get("true") for one in branches), otherwise)


def reached(
    node: exp.Case | exp.If, never: Callable[[exp.Expr], bool] = _may_hold
) -> tuple[list[exp.Expr], exp.Expr | None]:
    """The branches of CASE that may be taken, by what stands in their conditions, and what is taken otherwise.

    `never` says of a condition that it holds in no row.
    """
    branches = [node] if isinstance(node, exp.If) else node.args.get("ifs") or ()
    found: list[exp.Expr] = []
    for one in branches:
        is_condition = isinstance(node, exp.If) or node.this is None
        holds = truth(one.this) if is_condition else None
        if holds is None and is_condition and never(one.this):
            holds = False
        if holds:
            return found, one.args.get("true")
        if holds is None:
            found.append(one)
    return found, node.args.get("false" if isinstance(node, exp.If) else "default")


def truth(condition: exp.Expr) -> bool | None:
    """Return whether a condition holds by what is written there alone, as 1 = 1 does; None where rows decide on it."""
    one = condition.unnest()
    if isinstance(one, exp.Boolean):
        return bool(one.this)
    if isinstance(one, exp.And | exp.Or):
        return decided(one)[0]
    left, right = one.args.get("this"), one.args.get("expression")
    if type(one) not in (exp.EQ, exp.NEQ) or not isinstance(left, exp.Literal) or not isinstance(right, exp.Literal):
        return None
    if left.is_string is not right.is_string:
        return None
    if left.name == right.name:
        return isinstance(one, exp.EQ)
    # Other texts may be equal by a collation, and other digits the same number.
    texts = [each.name.lower() for each in (left, right)]
    plain = all(each.isascii() and (each.isalnum() if left.is_string else each.isdigit()) for each in texts)
    values = texts if left.is_string else [each.lstrip("0") for each in texts]
    return isinstance(one, exp.NEQ) if plain and values[0] != values[1] else None


def decided(node: exp.And | exp.Or) -> tuple[bool | None, list[exp.Expr]]:
    """Return whether conditions that are joined by AND or by OR hold, as `truth` says; and those on which
    rows decide.
    """
    kind, decides = type(node), isinstance(node, exp.Or)
    parts: list[exp.Expr] = []
    waiting: list[exp.Expr] = [node]
    while waiting:
        one = waiting.pop().unnest()
        if type(one) is kind:
            waiting += [one.this, one.expression]
            continue
        holds = truth(one)
        if holds is decides:
            return decides, []
        if holds is None:
            parts.append(one)
    return (None if parts else not decides), parts


def fixed_by(term: exp.Expr | None) -> set[Place]:
    """The column that is equal in all rows which a term does not tell apart: the term is it, or it and a number."""
    one = term.unnest() if term is not None else None
    if isinstance(one, exp.Add | exp.Sub) and isinstance(one.expression, exp.Literal):
        one = one.this.unnest()
    return {(one.table, one.name)} if isinstance(one, exp.Column) else set()
