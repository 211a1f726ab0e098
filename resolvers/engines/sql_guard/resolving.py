"""Resolving: what the columns in an expression mean, where it stands in a query."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Final

from sqlglot import exp

from resolvers.engines.sql_guard.lineage import (
    Bound,
    ColumnReference,
    FromItem,
    Key,
    Lineage,
    OutputColumns,
    SelectBlock,
)
from resolvers.engines.sql_guard.naming import NameRules, quoted
from resolvers.engines.sql_guard.refusing import QueryRefused, plain

_BY_ALIAS: Final = frozenset({"group", "having", "order", "window"})
"""The clauses that may name what the query answers with."""

_TERMS: Final = (exp.Group, exp.Ordered, exp.Rollup, exp.Cube, exp.GroupingSets)
"""What holds whole terms of GROUP BY and ORDER BY."""


class NameScope:
    """Describes what is known where a query stands: the queries of the WITH clauses around it."""

    __slots__ = ("common", "outer", "top")

    def __init__(
        self, outer: SelectBlock | None, common: Mapping[str, tuple[str, OutputColumns]], *, top: bool
    ) -> None:
        self.outer, self.common, self.top = outer, common, top

    def inside(self, outer: SelectBlock | None) -> "NameScope":
        """The scope of a query inside."""
        return NameScope(outer, self.common, top=False)


class NameResolver(ABC):
    """Resolves the names in expressions."""

    def __init__(self, names: NameRules) -> None:
        self._names = names
        self._scopes: dict[SelectBlock, NameScope] = {}
        self.bound = Bound()

    @abstractmethod
    def _query(self, node: exp.Expr, scope: NameScope) -> OutputColumns:
        """Bind a query that stands in an expression."""

    def _expression(self, root: exp.Expr, block: SelectBlock) -> Lineage:
        columns: set[Key] = set()
        told: set[Key] = set()
        aggregated = False
        waiting = [(root, False, False)]
        while waiting:
            node, windowed, counted = waiting.pop()
            if isinstance(node, exp.Column):
                origin = self._column(node, block)
                columns |= origin.columns
                told |= frozenset() if counted else origin.told
                aggregated = aggregated or origin.aggregated
                if windowed:
                    self._mark(origin, "window", self._scopes[block])
            elif isinstance(node, exp.Query):
                answer = self._query(node, self._scopes[block].inside(block))
                for origin in answer.origins:
                    self._mark(origin, block.clause, self._scopes[block])
                    columns |= origin.columns
                    told |= frozenset() if counted else origin.told
                    aggregated = aggregated or origin.aggregated
            elif isinstance(node, exp.Star):
                if not isinstance(node.parent, exp.Count):
                    raise QueryRefused("columns", "`*` stands alone in a SELECT or in COUNT. Name the columns.")
            else:
                if isinstance(node, exp.Exists):
                    _shorten(node)
                aggregated = aggregated or isinstance(node, exp.AggFunc)
                windowed = windowed or isinstance(node, exp.Window)
                counted = counted or _is_counted(node)
                waiting += [(child, windowed, counted) for child in node.iter_expressions()]
        return Lineage(frozenset(columns), aggregated, frozenset(told))

    def _column(self, node: exp.Column, block: SelectBlock) -> Lineage:
        if not isinstance(node.this, exp.Identifier):
            raise QueryRefused("columns", "`*` stands alone in a SELECT or in COUNT. Name the columns.")
        around: SelectBlock | None = block
        while around is not None:
            found = self._within(node, around)
            if len(found) > 1:
                raise QueryRefused("columns", f"{plain(node.name)} may be a column of several tables. Name its table.")
            if found:
                return self._use(*found[0], block, around, node)[1]
            if not node.args.get("table"):
                value = self._other(node, around, block)
                if value is not None:
                    node.replace(value)
                    return self._expression(value, block)
            around = around.outer
        if not node.args.get("table") and self._is_table(node, block):
            raise QueryRefused("columns", f"{plain(node.name)} is a table, not a column. Name its columns.")
        told = ".".join(part.name for part in node.parts)
        raise QueryRefused("columns", f"{plain(told)} is not a column of the tables that the query reads.")

    def _within(self, node: exp.Column, around: SelectBlock) -> list[tuple[FromItem, int]]:
        table = node.args.get("table")
        if table is None:
            if node.name.casefold() in around.merged:
                return []
            return [(source, at) for source in around.sources for at in self._names.among(node.this, source.names)]
        sources = self._called(node, table, around)
        found = [(source, at) for source in sources for at in self._names.among(node.this, source.names)]
        if sources and not found:
            raise QueryRefused("columns", f"{plain(node.name)} is not a column of {plain(table.name)}.")
        return found

    def _other(self, node: exp.Column, around: SelectBlock, block: SelectBlock) -> exp.Expr | None:
        """Return what a name means that is no column of a table: what USING made one, or a column of the answer."""
        merged = around.merged.get(node.name.casefold())
        if merged is not None:
            return merged.copy()
        if around is not block or block.clause not in _BY_ALIAS or block.answer is None:
            return None
        found = self._names.among(node.this, block.answer.names)
        if len(found) != 1:
            return None
        value: exp.Expr = block.select.expressions[found[0]].this.copy()
        if _is_term(node) and value.find(exp.Column, exp.Query) is None:
            return exp.Literal.number(found[0] + 1)  # a constant, negative too, would be taken for a column's number
        return exp.Paren(this=value) if isinstance(value, exp.Binary | exp.Unary) else value

    def _called(self, node: exp.Expr, table: exp.Expr, around: SelectBlock) -> list[FromItem]:
        """The sources that a column means by the table that it names, also by its schema."""
        if not around.sources:
            return []
        name = self._names.alias(table)
        return [one for one in around.sources if name in (one.called, one.alias) and self._is_within(node, one)]

    def _is_within(self, node: exp.Expr, source: FromItem) -> bool:
        """Return whether the schema that a column names, if any, is the one that a source stands in."""
        schema = node.args.get("db")
        if schema is None:
            return True
        catalog = node.args.get("catalog")
        if not source.written or self._names.alias(schema) != source.written[0]:
            return False
        return catalog is None or catalog.name.casefold() == source.written[1].casefold()

    def _is_table(self, node: exp.Column, block: SelectBlock) -> bool:
        around: SelectBlock | None = block
        while around is not None:
            if any(self._names.alias(node.this) == source.called for source in around.sources):
                return True
            around = around.outer
        return False

    def _use(
        self, source: FromItem, at: int, block: SelectBlock, home: SelectBlock, node: exp.Column | None = None
    ) -> tuple[exp.Expr, Lineage]:
        """Write down one use of a column, and write the column out."""
        name = source.names[at]
        node = node or exp.Column()
        node.set("this", quoted(name))
        node.set("table", quoted(source.alias))
        for part in ("db", "catalog"):
            if part in node.args:
                node.set(part, None)
        source.used.add(name)
        home.references.append(ColumnReference(node, source, name, home, block, home.clause))
        origin = source.origins[at]
        self._mark(origin, block.clause, self._scopes[block])
        return node, origin

    def _copied(self, value: exp.Expr, block: SelectBlock) -> tuple[exp.Expr, Lineage]:
        holder = exp.Paren(this=value.copy())
        origin = self._expression(holder, block)
        return holder.this, origin

    def _mark(self, origin: Lineage, clause: str, scope: NameScope) -> None:
        for key in origin.columns:
            clauses = self.bound.reads.setdefault(key, set())
            if clause != "output" or scope.top:
                clauses.add(clause)

    @staticmethod
    def _unused(name: str, taken: Collection[str], folded: Collection[str] = ()) -> str:
        """A name like this one that is not taken, nor among names that are known without their case."""
        told, count = name, 1
        while told in taken or told.casefold() in folded:
            count += 1
            told = f"{name}_{count}"
        return told


def _shorten(node: exp.Exists) -> None:
    """EXISTS (SELECT * ...) asks for rows, not for what is in them."""
    query = node.this
    if isinstance(query, exp.Select) and len(query.expressions) == 1:
        star = query.expressions[0]
        if isinstance(star, exp.Star) and not star.args.get("except_"):
            query.set("expressions", [exp.Literal.number(1)])


def _is_counted(node: exp.Expr) -> bool:
    """Return whether it tells of what is in it only how many there are, or whether there is any."""
    if isinstance(node, exp.Filter):
        return _is_counted(node.this)
    if isinstance(node, exp.Is):
        return isinstance(node.expression, exp.Null)
    return isinstance(node, exp.Count | exp.CountIf | exp.ApproxDistinct | exp.Exists)


def _is_term(node: exp.Expr) -> bool:
    """Return whether it stands alone as what is grouped or ordered by."""
    around = node.parent
    while isinstance(around, exp.Paren | exp.Tuple):
        around = around.parent
    return isinstance(around, _TERMS)
