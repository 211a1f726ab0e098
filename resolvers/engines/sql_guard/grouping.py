"""Tables and columns that are shown only in groups: what such a query may look like, and the condition it gets.

A SELECT that reads a protected table answers with groups: counts, sums, averages and deviations, and what it groups by.
Every group has so many different rows of the table behind it, whatever the table was joined with. An aggregate of a
protected column is of that column alone, so that no arithmetic inside of it can single out a row, and rows that a join
repeats are left out of it altogether, for one row repeated often would be as good as shown.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NoReturn

from sqlglot import exp

from resolvers.engines.sql_guard.error_disclosure import may_fail
from resolvers.engines.sql_guard.lineage import Bound, ColumnReference, FromItem, SelectBlock
from resolvers.engines.sql_guard.naming import quoted
from resolvers.engines.sql_guard.refusing import QueryRefused, plain

_AGGREGATES: Final = (
    exp.Count, exp.Sum, exp.Avg, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop,
)  # fmt: skip
"""The aggregates that show no single value, as the least and the greatest do."""
_LINEAR: Final = (exp.Add, exp.Sub, exp.Mul)
_SHOWN: Final = frozenset({"output", "having", "order"})


@dataclass(slots=True)
class Protected:
    """A use of a table that is shown only in groups."""

    source: FromItem
    minimum: int
    """Rows behind each group; 0 when only some columns are protected."""
    columns: Mapping[str, int]
    """The protected columns that are used, with the rows behind each aggregate of them."""
    policy: str
    """The name of the policy that refuses."""
    keyed: bool = field(default=True)


def keep_to_groups(bound: Bound, protected: Mapping[int, Protected], row: str, dialect: str) -> None:
    """Refuse what shows single rows of protected tables, and keep the rest to groups. Raises Refused."""
    if not protected:
        return
    keepers: dict[int, _Keeper] = {}
    for block in bound.blocks:
        within = [protected[id(source)] for source in block.sources if id(source) in protected]
        if within:
            keeper = _Keeper(block, within)
            keeper.judge()
            keepers[id(block.select)] = keeper
    _refuse_failures(bound, keepers, dialect)
    for keeper in keepers.values():
        keeper.keep(row)


def _refuse_failures(bound: Bound, keepers: "Mapping[int, _Keeper]", dialect: str) -> None:
    """Refuse what may fail for a single row before groups are made.

    That is what the SELECT over the table filters, joins, groups and aggregates by, and the queries that it reads from.
    What it makes of its groups is safe, for small ones are left out before.
    """
    kinds = {id(one.node): _kind(one) for block in bound.blocks for one in block.references}

    def kind_of(column: exp.Column) -> str | None:
        return kinds.get(id(column))

    for keeper in keepers.values():
        if any(may_fail(root, dialect, kind_of) for root in keeper.before_groups()):
            keeper.refuse("is not read with anything that may fail for a single row, such as a cast or a division")
        for common in _commons(keeper.select):
            if may_fail(common, dialect, kind_of):
                keeper.refuse("is not read beside a WITH that may fail for a single row, by a cast or a division")


def _kind(reference: ColumnReference) -> str | None:
    table = reference.source.table
    return table.type_of(reference.column) if table is not None else None


def _commons(select: exp.Select) -> Iterator[exp.Expr]:
    """The queries of WITH clauses that a SELECT reads from, also through one another. Each has a name of its own."""
    named = {one.alias: one.this for one in select.root().find_all(exp.CTE)}
    if not named:
        return
    seen: set[str] = set()
    waiting: list[exp.Expr] = [select]
    while waiting:
        for table in waiting.pop().find_all(exp.Table):
            name = table.name
            if not table.args.get("catalog") and name in named and name not in seen:
                seen.add(name)
                waiting.append(named[name])
                yield named[name]


class _Keeper:
    """One SELECT over protected tables."""

    def __init__(self, block: SelectBlock, within: list[Protected]) -> None:
        self.block, self.select = block, block.select
        self.within = {id(one.source): one for one in within}
        self.first = within[0]
        self.keys = [_bare(one) for one in block.keys]

    def judge(self) -> None:
        """Refuse what shows single rows."""
        for reference in self.block.references:
            self._guarded(reference)
        self._shape()
        for node in self._own(self.select):
            if isinstance(node, exp.Window):
                self.refuse("has no windows over it")
        for reference in self.block.references:
            self._reference(reference)
        for aggregate in self._aggregates():
            self._aggregate(aggregate)

    def before_groups(self) -> Iterator[exp.Expr]:
        """Yield what is computed of single rows."""
        for part in ("from_", "where", "group"):
            clause = self.select.args.get(part)
            if clause is not None:
                yield clause
        yield from self.select.args.get("joins") or ()
        yield from (_bare(key) for key in self.keys)
        for aggregate in self._aggregates():
            yield from aggregate.iter_expressions()

    def keep(self, row: str) -> None:
        """Add the condition on its groups."""
        conditions: dict[str, exp.Expr] = {}
        for one in self.within.values():
            if one.minimum:
                _put(conditions, exp.GTE(this=_rows(one.source, row), expression=exp.Literal.number(one.minimum)))
        for reference in self.block.references:
            self._condition(reference, conditions, row)
        condition: exp.Expr = exp.and_(*conditions.values(), copy=False)
        having = self.select.args.get("having")
        if having is not None:
            # In this order for certain: the query's own condition might fail for a group that is too small.
            condition = exp.Case(ifs=[exp.If(this=condition, true=having.this)], default=exp.false())
        self.select.set("having", exp.Having(this=condition))

    def _shape(self) -> None:
        """It is grouped, plainly."""
        select = self.select
        group = select.args.get("group")
        distinct = select.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            self.refuse("is not made distinct")
        if select.args.get("qualify") or select.args.get("windows"):
            self.refuse("has no windows over it")
        if group is not None and any(
            group.args.get(part) or any(isinstance(one, kind) for one in group.expressions)
            for part, kind in (("rollup", exp.Rollup), ("cube", exp.Cube), ("grouping_sets", exp.GroupingSets))
        ):
            self.refuse("is grouped without subtotals")
        if not self.keys and not any(True for _ in self._aggregates()):
            self.refuse("is shown only in groups: count, sum or average it")

    def _own(self, root: exp.Expr) -> Iterator[exp.Expr]:
        """The nodes of this SELECT that stand in what it shows, without the queries inside."""
        waiting: list[exp.Expr] = [*self.select.expressions]
        for part in ("having", "order"):
            clause = root.args.get(part)
            if clause is not None:
                waiting.append(clause)
        while waiting:
            node = waiting.pop()
            yield node
            if not isinstance(node, exp.Query):
                waiting += node.iter_expressions()

    def _aggregates(self) -> Iterator[exp.AggFunc]:
        return (node for node in self._own(self.select) if isinstance(node, exp.AggFunc))

    def _guarded(self, reference: ColumnReference) -> None:
        """A protected column stands in an aggregate of this SELECT, and nowhere else."""
        one = self.within.get(id(reference.source))
        if one is not None and reference.column in one.columns:
            inside, stopped = self._aggregate_of(reference.node)
            clause = reference.clause
            if inside is None or stopped or reference.block is not self.block or clause not in _SHOWN:
                told = plain(reference.column)
                raise QueryRefused(
                    "policy_aggregate_only",
                    f"The policy {plain(one.policy)!r} lets {told} only be counted, summed and averaged, never shown, "
                    "filtered, grouped or sorted by.",
                )

    def _reference(self, reference: ColumnReference) -> None:
        """A column of what this SELECT reads stands in an aggregate of its own, or in what it groups by."""
        clause = reference.clause
        inside, _ = self._aggregate_of(reference.node)
        if reference.block is not self.block:
            if inside is not None or (clause in _SHOWN and not self._is_key(reference.node)):
                self.refuse("is not reached into from a query inside")
            return
        if clause in _SHOWN and inside is None and not self._is_key(reference.node):
            self.refuse("is shown only in groups: group by what is shown, and aggregate the rest")

    def _aggregate_of(self, node: exp.Expr) -> tuple[exp.Expr | None, bool]:
        """The aggregate that a column stands in, and whether a query lies between the column and this SELECT."""
        stopped = False
        found: exp.Expr | None = None
        around = node.parent
        while around is not None and around is not self.select:
            if isinstance(around, exp.AggFunc) and found is None:
                found = around
            stopped = stopped or isinstance(around, exp.Query)
            around = around.parent
        return found, stopped

    def _is_key(self, node: exp.Expr) -> bool:
        """Return whether a column is, or is a part of, something that the SELECT groups by."""
        around: exp.Expr | None = node
        while around is not None and around is not self.select and not isinstance(around, exp.AggFunc):
            if any(around == key for key in self.keys):
                return True
            around = around.parent
        return False

    def _aggregate(self, node: exp.AggFunc) -> None:
        """An aggregate over rows of a protected table shows no single one of them."""
        if not isinstance(node, _AGGREGATES):
            self.refuse("is only counted, summed and averaged")
        if isinstance(node.parent, exp.Filter | exp.WithinGroup | exp.Window):
            self.refuse("is aggregated whole: filter in WHERE")
        columns = 0
        guarded, bare = False, True
        for inner in node.walk():
            if inner is node or isinstance(inner, exp.Identifier | exp.Star):
                continue
            bare = bare and isinstance(inner, exp.Column | exp.Distinct | exp.Paren)
            if isinstance(inner, exp.Column):
                columns += 1
                guarded = guarded or any(
                    one.source.alias == inner.table and inner.name in one.columns for one in self.within.values()
                )
            else:
                self._computed(inner)
        if guarded and not bare:
            self.refuse("is aggregated column by column: compute with the totals instead")
        if columns > 2:
            self.refuse("is aggregated without long products")

    def _computed(self, inner: exp.Expr) -> None:
        """Return what an aggregate computes of columns is linear in them."""
        if isinstance(inner, exp.Distinct | exp.Paren | exp.Neg | exp.Coalesce | exp.Literal | exp.Null):
            return
        if isinstance(inner, exp.Div):
            if any(inner.expression.find_all(exp.Column)):
                self.refuse("is aggregated without dividing by its columns")
        elif isinstance(inner, exp.Cast):
            if inner.to.this not in (exp.DType.DOUBLE, exp.DType.FLOAT):
                self.refuse("is aggregated without casts")
        elif not isinstance(inner, (*_LINEAR, exp.DataType)):
            self.refuse("is aggregated without conditions and functions inside")

    def _condition(self, reference: ColumnReference, conditions: dict[str, exp.Expr], row: str) -> None:
        """Enough rows behind an aggregate of a column, none of them repeated."""
        one = self.within.get(id(reference.source))
        if one is None or reference.clause not in _SHOWN or reference.block is not self.block:
            return
        inside, _ = self._aggregate_of(reference.node)
        if inside is None:
            return
        least = one.columns.get(reference.column)
        if least is not None:
            _put(
                conditions,
                exp.GTE(this=_rows(one.source, row, reference.column), expression=exp.Literal.number(least)),
            )
        if isinstance(inside, exp.Count) or isinstance(inside.this, exp.Distinct):
            return
        column = exp.Column(this=quoted(reference.column), table=quoted(one.source.alias))
        whole = exp.Count(this=column)
        _put(conditions, exp.EQ(this=whole, expression=_rows(one.source, row, reference.column)))

    def refuse(self, words: str) -> NoReturn:
        """Refuse by the rule that protects the table."""
        table = self.first.source.table
        told = plain(table.name) if table is not None else ""
        rule = "policy_group_size" if self.first.minimum else "policy_aggregate_only"
        raise QueryRefused(rule, f"By the policy {plain(self.first.policy)!r}, {told} {words}.")


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _rows(source: FromItem, row: str, column: str | None = None) -> exp.Expr:
    """Return how many different rows of a table there are, or of those that have a value in a column."""
    key: exp.Expr = exp.Column(this=quoted(row), table=quoted(source.alias))
    if column is not None:
        value = exp.Column(this=quoted(column), table=quoted(source.alias))
        known = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
        key = exp.Case(ifs=[exp.If(this=known, true=key)])
    return exp.Count(this=exp.Distinct(expressions=[key]))


def _put(conditions: dict[str, exp.Expr], condition: exp.Expr) -> None:
    conditions.setdefault(condition.sql(), condition)
