"""Policies compiled into a bound query: tables wrapped, aggregates kept to groups of a size, the rest refused."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import sqlglot
from sqlglot import exp

from resolvers.engines.sql_guard.binding import Binder
from resolvers.engines.sql_guard.error_disclosure import may_fail
from resolvers.engines.sql_guard.group_sizes import GroupedTable
from resolvers.engines.sql_guard.grouping import Protected, keep_to_groups
from resolvers.engines.sql_guard.judging import UNREADABLE, parsed
from resolvers.engines.sql_guard.lineage import Bound, FromItem, Key
from resolvers.engines.sql_guard.masking import masked
from resolvers.engines.sql_guard.naming import TableIndex, quoted
from resolvers.engines.sql_guard.policies import Broken, Policy, Ruling, ruling_of
from resolvers.engines.sql_guard.refusing import QueryRefused, plain
from resolvers.engines.sql_guard.tables import Table

ROW: Final = "stoa_row"
"""What tells the rows of a protected table apart, inside of the query that is sent."""
_NO_LIMIT: Final = 9_223_372_036_854_775_807


@dataclass(slots=True)
class Compiled:
    """Holds what the policies did."""

    applied: list[str] = field(default_factory=list)
    masked: set[Key] = field(default_factory=set)
    filtered: set[str] = field(default_factory=set)
    """The FQNs of the tables of which some rows only are seen."""
    least_rows: int = 0
    grouped: list[GroupedTable] = field(default_factory=list)
    """The uses of tables that are shown only in groups."""
    wraps: dict[int, exp.Select] = field(default_factory=dict)
    """What stands in the place of a table, by the id of its source; its own FROM is still to be filled in."""

    def note(self, *policies: Policy) -> None:
        """Note that policies judged or changed the query."""
        for one in policies:
            if one.id not in self.applied:
                self.applied.append(one.id)


def readable(policies: Sequence[Policy | Broken]) -> list[Policy]:
    """The policies, when all of them can be read. Raises Refused."""
    for one in policies:
        if isinstance(one, Broken):
            raise QueryRefused(
                "policy_unreadable",
                f"The policy {plain(one.name)!r} cannot be read, so nothing is answered. "
                "Ask those who keep it to mend it.",
            )
    return [one for one in policies if isinstance(one, Policy)]


def refuse_forbidden(bound: Bound, forbidden: Collection[Key]) -> None:
    """Refuse a query that uses a column that the caller may not read, wherever it does."""
    for key in bound.reads:
        if key in forbidden:
            raise QueryRefused("columns", f"{plain(key[1])} is a column that you may not read. Ask without it.")


def compiled(query: exp.Query, bound: Bound, policies: Sequence[Policy], dialect: str) -> Compiled:
    """Compile policies into a bound query, in place. Raises Refused."""
    done = Compiled()
    rulings: dict[str, Ruling] = {}
    for source in bound.tables:
        table = source.table
        if table is not None and table.fqn not in rulings:
            rulings[table.fqn] = ruling_of(table, policies)
    for source in bound.tables:
        if source.table is not None:
            _forbid(source, rulings[source.table.fqn])
    protected = _protected(bound, rulings, done)
    keep_to_groups(bound, protected, ROW, dialect)
    done.grouped = [
        GroupedTable(block, protected[id(source)], tuple(rulings[source.table.fqn].forbidden))
        for block in bound.blocks
        for source in block.sources
        if source.table is not None and id(source) in protected
    ]
    fences = any(one.filters for one in rulings.values()) and _may_fail(query, dialect)
    for source in bound.tables:
        table = source.table
        if table is None:
            continue
        ruling, keyed = rulings[table.fqn], id(source) in protected and protected[id(source)].keyed
        if ruling.filters or keyed or any(name in ruling.masks for name in source.used):
            done.wraps[id(source)] = _wrap(source, table, ruling, dialect, done, keyed=keyed, fenced=fences)
    return done


def _forbid(source: FromItem, ruling: Ruling) -> None:
    if ruling.table_forbidden is not None and source.table is not None:
        told, name = plain(source.table.name), plain(ruling.table_forbidden.name)
        raise QueryRefused("policy_forbid", f"The policy {name!r} forbids to read {told}. Ask without it.")
    for column in source.used:
        policy = ruling.forbidden.get(column)
        if policy is not None:
            raise QueryRefused(
                "policy_forbid",
                f"The policy {plain(policy.name)!r} forbids to use {plain(column)}, also to filter or to sort by it. "
                "Ask without it.",
            )


def _protected(bound: Bound, rulings: Mapping[str, Ruling], done: Compiled) -> dict[int, Protected]:
    """The uses of tables that may only be read in groups."""
    found: dict[int, Protected] = {}
    for source in bound.tables:
        if source.table is None:
            continue
        ruling = rulings[source.table.fqn]
        columns = {name: ruling.guarded[name] for name in source.used if name in ruling.guarded}
        if ruling.minimum or columns:
            sizes = {name: max(least, ruling.minimum) for name, (least, _) in columns.items()}
            by = [*ruling.minimum_by, *(policy for _, policies in columns.values() for policy in policies)]
            done.note(*by)
            done.least_rows = max(done.least_rows, ruling.minimum, *sizes.values())
            found[id(source)] = Protected(source, ruling.minimum, sizes, by[0].name)
    return found


def _wrap(
    source: FromItem, table: Table, ruling: Ruling, dialect: str, done: Compiled, *, keyed: bool, fenced: bool
) -> exp.Select:
    """The query that stands in the place of a table: the rows that may be seen, and what may be seen of them."""
    made: list[exp.Expr] = []
    inner = source.alias
    for name in table.columns:
        if name not in source.used:
            continue
        value: exp.Expr = exp.Column(this=quoted(name), table=quoted(inner))
        if name in ruling.masks:
            style, salt, by = ruling.masks[name]
            value = masked(value, style, salt, table.type_of(name), dialect)
            done.note(*by)
            done.masked.add((table.fqn, name))
        made.append(exp.Alias(this=value, alias=quoted(name)))
    if keyed:
        made.append(exp.Alias(this=_key(table, inner), alias=quoted(ROW)))
    if not made:
        made.append(exp.Alias(this=exp.Literal.number(1), alias=quoted(ROW)))
    select = exp.Select(expressions=made)
    conditions = [_condition(policy, table, inner, dialect) for policy in ruling.filters]
    if conditions:
        select.set("where", exp.Where(this=exp.and_(*conditions, copy=False)))
        done.note(*ruling.filters)
        done.filtered.add(table.fqn)
        if fenced:
            # Rows that are filtered out could be told from an error of the query's own conditions, were they tried
            # first: a limit keeps every database from trying them inside.
            select.set("limit", exp.Limit(expression=exp.Literal.number(_NO_LIMIT)))
    return select


def _key(table: Table, inner: str) -> exp.Expr:
    if table.key is not None:
        return exp.Column(this=quoted(table.key), table=quoted(inner))
    return exp.Window(this=exp.RowNumber(), over="OVER")


def _condition(policy: Policy, table: Table, inner: str, dialect: str) -> exp.Expr:
    """The condition of a row filter over one table. Raises Refused when it is none."""
    try:
        condition = _parsed_condition(policy.condition, table, dialect).copy()
    except QueryRefused:
        raise QueryRefused(
            "policy_unreadable",
            f"The policy {plain(policy.name)!r} filters by what is no condition over {plain(table.name)}, so nothing "
            "is answered from it. Ask those who keep it to mend it.",
        ) from None
    for column in condition.find_all(exp.Column):
        column.set("table", quoted(inner))
    return condition


@lru_cache(maxsize=512)
def _parsed_condition(text: str, table: Table, dialect: str) -> exp.Expr:
    try:
        (statement,) = sqlglot.parse("\n".join(("SELECT 1 FROM x WHERE (", text, ")")), dialect=dialect)
    except UNREADABLE:
        raise QueryRefused("policy_unreadable", "no condition") from None
    where = statement.args.get("where") if isinstance(statement, exp.Select) else None
    if where is None or not isinstance(where.this, exp.Paren) or statement is None:
        raise QueryRefused("policy_unreadable", "no condition")
    if {part for part, value in statement.args.items() if value} != {"expressions", "from_", "where"}:
        raise QueryRefused("policy_unreadable", "no condition")
    if any(isinstance(node, exp.Query | exp.AggFunc | exp.Window) for node in where.walk()):
        raise QueryRefused("policy_unreadable", "no condition over one row")
    # The whole text is judged like any query, with the table that it is about in the place of x.
    whole = parsed(statement.sql(dialect=dialect), dialect)
    start = whole.find(exp.Table)
    assert start is not None
    for part, name in (("this", table.name), ("db", table.schema), ("catalog", table.database)):
        start.set(part, quoted(name))
    Binder(TableIndex([table], None, dialect), dialect).bind(whole)
    found: exp.Expr = whole.args["where"].this
    found.pop()
    return found


def _may_fail(query: exp.Query, dialect: str) -> bool:
    """Return whether something in the query may fail. Other databases cast what is compared, whatever its type is
    here.
    """
    return dialect != "postgres" or may_fail(query, dialect, lambda column: None)
