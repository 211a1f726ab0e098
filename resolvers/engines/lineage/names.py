"""Names: the guard's binder, which also takes what the guard refuses and lineage can follow.

The guard judges what may be sent; here nothing is sent, so queries that call themselves, natural joins, LATERAL,
VALUES, functions in FROM and new names for the columns of a table are bound as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from sqlglot import exp

from resolvers.engines.sql_guard.binding import Binder
from resolvers.engines.sql_guard.lineage import NOTHING, FromItem, OutputColumns, SelectBlock
from resolvers.engines.sql_guard.naming import quoted
from resolvers.engines.sql_guard.refusing import QueryRefused, plain
from resolvers.engines.sql_guard.resolving import NameScope

TABLE: Final = "stoa_table"
"""The note on a node in FROM that is a table of the catalog: which."""
CALLED: Final = "stoa_common"
"""The note on a node in FROM that is a query of a WITH: its name as the binder tells it."""

_VALUES: Final = {"duckdb": ("col", 0), "mysql": ("column_", 0)}
"""How the columns of VALUES are called that nobody named, and where they begin; `column1` otherwise."""


@dataclass(frozen=True, slots=True)
class TakenFunction:
    """A function in FROM: its arguments, and the columns that it answers with."""

    NAME: ClassVar[str] = "stoa_function"
    arguments: tuple[exp.Expr, ...]
    columns: tuple[str, ...]


class LineageBinder(Binder):
    """Binds one query for lineage. Raises QueryRefused for a name that it cannot bind."""

    _dialect: str = ""

    def bind_in(self, query: exp.Query, dialect: str) -> OutputColumns:
        """Bind the whole query, in place, and return its columns."""
        self._dialect = dialect
        return self.bind(query).answer

    # WITH

    def _with(self, node: exp.Expr, scope: NameScope) -> NameScope:
        clause = node.args.get("with_")
        if clause is None or not clause.args.get("recursive"):
            return super()._with(node, scope)
        common = dict(scope.common)
        for one in clause.expressions:
            if not isinstance(one.this, exp.Query):
                raise QueryRefused("one_query", "A WITH clause holds queries.")
            self._common_query(one, common, scope)
        return NameScope(scope.outer, common, top=scope.top)

    def _common_query(self, one: exp.CTE, common: dict[str, tuple[str, OutputColumns]], scope: NameScope) -> None:
        """Bind a query that may read itself: its first part says which columns it has."""
        alias: exp.TableAlias = one.args["alias"]
        name = self._names.alias(alias.this)
        told = self._unused(name, self._commons, self._index.names)
        self._commons.add(told)
        inner = one.this
        if isinstance(inner, exp.SetOperation):
            first: exp.Expr = inner
            while isinstance(first, exp.SetOperation):
                first = first.this
            shape = self._query(first.copy(), NameScope(scope.outer, dict(common), top=False))
            common[name] = (told, self._renamed(alias.copy(), shape))
        answer = self._renamed(alias, self._query(inner, NameScope(scope.outer, common, top=False)))
        alias.set("this", quoted(told))
        common[name] = (told, answer)

    def _query(self, node: exp.Expr, scope: NameScope) -> OutputColumns:
        if isinstance(node, exp.Values):
            return self._values(node)
        return super()._query(node, scope)

    # FROM

    def _joins(self, joins: "Sequence[exp.Join] | None", block: SelectBlock, scope: NameScope) -> None:  # type: ignore[override]
        for join in joins or ():
            method = str(join.args.get("method") or "").upper()
            if method not in ("", "NATURAL"):
                raise QueryRefused("constructs", f"{plain(method)} JOIN is not followed.")
            standing = len(block.sources)
            self._relation(join.this, block, scope)
            if str(join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
                for source in block.sources[standing:]:
                    source.hidden = True
            names = join.args.get("using") or (self._shared(block, standing) if method else None)
            if names:
                join.set("method", None)
                self._using(join, names, block, standing)

    @staticmethod
    def _shared(block: SelectBlock, standing: int) -> list[exp.Identifier]:
        """The columns that both sides of a natural join have."""
        right = {name.casefold() for source in block.sources[standing:] for name in source.names}
        found: dict[str, str] = {}
        for source in block.sources[:standing]:
            found |= {name.casefold(): name for name in source.names if name.casefold() in right}
        return [quoted(name) for name in found.values()]

    def _relation(self, node: exp.Expr, block: SelectBlock, scope: NameScope) -> None:
        if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery | exp.Query):
            inner = NameScope(scope.outer, scope.common, top=False).inside(block)
            self._scopes.setdefault(block, scope)
            self._derived(node, self._query(node.this, inner), block)
        elif isinstance(node, exp.Values):
            self._derived(node, self._values(node), block)
        elif isinstance(node, exp.Lateral | exp.Unnest) or (
            isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier)
        ):
            self._function(node, block)
        else:
            super()._relation(node, block, scope)
            return
        self._joins(node.args.get("joins"), block, scope)

    def _derived(self, node: exp.Expr, answer: OutputColumns, block: SelectBlock) -> None:
        alias = node.args.get("alias")
        if alias is None or not isinstance(alias.this, exp.Identifier):
            columns = alias.args.get("columns") if alias is not None else None
            alias = exp.TableAlias(this=quoted(f"_q_{len(block.sources)}"), columns=columns)
            node.set("alias", alias)
        answer = self._renamed(alias, answer)
        self._add(FromItem(self._names.alias(alias.this), answer.names, answer.origins), node, alias, block)

    def _values(self, node: exp.Values) -> OutputColumns:
        width = max(len(one.expressions) for one in node.expressions)
        name, first = _VALUES.get(self._dialect, ("column", 1))
        alias = node.args.get("alias")
        if alias is not None and not alias.args.get("columns"):
            alias.set("columns", [quoted(f"{name}{first + at}") for at in range(width)])
        return OutputColumns(tuple(f"{name}{first + at}" for at in range(width)), (NOTHING,) * width)

    def _function(self, node: exp.Expr, block: SelectBlock) -> None:
        """A function in FROM: it depends on its arguments, and its columns are those that the query names."""
        alias = node.args.get("alias")
        columns = [one.name for one in alias.args.get("columns") or ()] if alias is not None else []
        if alias is None or not (columns or isinstance(alias.this, exp.Identifier)):
            raise QueryRefused("no_table_functions", "Name the columns of a function in FROM, as in f(x) AS t (a, b).")
        if not columns:
            if self._dialect != "postgres":
                raise QueryRefused("no_table_functions", "Name the columns of a function in FROM, as in f(x) AS t (a).")
            columns = [alias.this.name]  # a function with one column gives it its own name
        if not isinstance(alias.this, exp.Identifier):
            alias.set("this", quoted(f"_q_{len(block.sources)}"))
        self._scopes.setdefault(block, NameScope(None, {}, top=False))
        for one in _arguments(node):
            block.clause = "join"
            self._expression(one, block)
            block.clause = "output"
        alias.set("columns", [quoted(name) for name in columns])
        node.meta[TakenFunction.NAME] = TakenFunction(_arguments(node), tuple(columns))
        origins = (NOTHING,) * len(columns)
        self._add(FromItem(self._names.alias(alias.this), tuple(columns), origins), node, alias, block)

    def _table(self, node: exp.Table, block: SelectBlock, scope: NameScope) -> None:
        alias = node.args.get("alias")
        columns = alias.args.get("columns") if alias is not None else None
        is_common = not node.args.get("db") and self._names.alias(node.this) in scope.common
        if alias is not None and columns and not is_common:
            alias.set("columns", None)
        standing = len(self.bound.tables)
        super()._table(node, block, scope)
        if len(self.bound.tables) == standing:
            node.meta[CALLED] = node.name
            return
        source = self.bound.tables[-1]
        node.meta[TABLE] = source.table
        if columns:
            names = tuple(one.name for one in columns)
            if len(names) > len(source.names):
                raise QueryRefused("columns", f"{plain(source.called)} names more columns than it has.")
            source.names = (*names, *source.names[len(names) :])
            node.args["alias"].set("columns", [quoted(name) for name in names])


def _arguments(node: exp.Expr) -> tuple[exp.Expr, ...]:
    """Return what a function in FROM is given; the whole call, where it is one."""
    return tuple(node.expressions) if isinstance(node, exp.Unnest) else (node.this,)
