"""Binding: the pass that gives every name of a query its meaning (`lineage.py` has what it finds)."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final

from sqlglot import exp

from resolvers.engines.sql_guard.lineage import NOTHING, Bound, FromItem, Lineage, OutputColumns, SelectBlock
from resolvers.engines.sql_guard.naming import NameRules, TableIndex, output_name, quoted
from resolvers.engines.sql_guard.refusing import QueryRefused, plain
from resolvers.engines.sql_guard.resolving import NameResolver, NameScope

MOST_FULL_USING: Final = 50
"""Full joins by USING in one FROM. Each names the columns of all before it anew."""
MOST_STARS: Final = 5_000
"""Columns that `*` may stand for in a whole query. Queries that double them would double the work each time."""


class Binder(NameResolver):
    """Binds one query. Raises Refused for a name that it cannot bind."""

    def __init__(self, index: TableIndex, dialect: str) -> None:
        super().__init__(NameRules(dialect))
        self._index = index
        self._commons: set[str] = set()
        self._stars = 0

    def bind(self, query: exp.Query) -> Bound:
        """Bind the whole query, in place."""
        self.bound.answer = self._query(query, NameScope(None, {}, top=True))
        return self.bound

    # Queries

    def _query(self, node: exp.Expr, scope: NameScope) -> OutputColumns:
        if isinstance(node, exp.Select):
            return self._select(node, scope)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, scope)
        if isinstance(node, exp.Subquery):
            scope = self._with(node, scope)
            answer = self._query(node.this, scope)
            self._order_by_name(node, answer, scope)
            return answer
        raise QueryRefused("one_query", "Only a SELECT, or a union of SELECTs, can be sent.")

    def _set_operation(self, node: exp.SetOperation, scope: NameScope) -> OutputColumns:
        spine: list[tuple[exp.SetOperation, NameScope]] = []
        first: exp.Expr = node
        while isinstance(first, exp.SetOperation):
            scope = self._with(first, scope)
            spine.append((first, scope))
            first = first.this
        answer = self._query(first, scope)
        for one, within in reversed(spine):
            right = self._query(one.expression, within)
            if len(right.names) != len(answer.names):
                raise QueryRefused("columns", "The parts of a union answer with different numbers of columns.")
            both = tuple(a | b for a, b in zip(answer.origins, right.origins, strict=True))
            answer = OutputColumns(answer.names, both)
            if one.args.get("distinct") is not False or not isinstance(one, exp.Union):
                for origin in both:  # equal rows are found by their values
                    self._mark(origin, "group", within)
            self._order_by_name(one, answer, within)
        return answer

    def _order_by_name(self, node: exp.Expr, answer: OutputColumns, scope: NameScope) -> None:
        self._bound_only(node)
        order = node.args.get("order")
        for one in order.expressions if order is not None else ():
            by = one.this
            if not self._by_output(by, answer, scope):
                raise QueryRefused("columns", "A union is ordered by the names or numbers of its columns.")

    def _by_output(self, by: exp.Expr, answer: OutputColumns, scope: NameScope) -> bool:
        """Return whether a term of ORDER BY is a column of the answer, by its number or its name."""
        if isinstance(by, exp.Literal):
            if by.is_string:
                return True
            at = int(by.name) - 1 if by.name.isdigit() else -1
            if not 0 <= at < len(answer.names):
                raise QueryRefused("columns", f"The answer has no column number {plain(by.name)}.")
            self._mark(answer.origins[at], "order", scope)
            return True
        if not isinstance(by, exp.Column) or by.args.get("table") or not isinstance(by.this, exp.Identifier):
            return False
        found = self._names.among(by.this, answer.names)
        if not found:
            return False
        if len(found) > 1:
            raise QueryRefused("columns", f"{plain(by.name)} names several columns of the answer. Order by its number.")
        by.set("this", quoted(answer.names[found[0]]))
        self._mark(answer.origins[found[0]], "order", scope)
        return True

    def _with(self, node: exp.Expr, scope: NameScope) -> NameScope:
        clause = node.args.get("with_")
        if clause is None:
            return scope
        common = dict(scope.common)
        seen: set[str] = set()
        for one in clause.expressions:
            name = self._names.alias(one.args["alias"].this)
            if name in seen:
                raise QueryRefused("tables", f"{plain(name)} stands twice in one WITH. Give each its own name.")
            seen.add(name)
            answer = self._query(one.this, NameScope(scope.outer, common, top=False))
            # Never a name of a table, so that no table can be taken for it, however a source calls its tables.
            told = self._unused(name, self._commons, self._index.names)
            self._commons.add(told)
            answer = self._renamed(one.args["alias"], answer)
            one.args["alias"].set("this", quoted(told))
            common[name] = (told, answer)
        return NameScope(scope.outer, common, top=scope.top)

    def _renamed(self, alias: exp.TableAlias, answer: OutputColumns) -> OutputColumns:
        """The answer under the names that an alias gives to its columns."""
        columns = alias.args.get("columns")
        if not columns:
            return answer
        if len(columns) > len(answer.names):
            raise QueryRefused("columns", f"{plain(alias.name)} names more columns than its query has.")
        names = [one.name for one in columns]
        alias.set("columns", [quoted(name) for name in names])
        return OutputColumns((*names, *answer.names[len(names) :]), answer.origins)

    # One SELECT

    def _select(self, node: exp.Select, scope: NameScope) -> OutputColumns:
        scope = self._with(node, scope)
        self._bound_only(node)
        block = SelectBlock(node, scope.outer)
        self._scopes[block] = scope
        self.bound.blocks.append(block)
        start = node.args.get("from_")
        if start is not None:
            self._relation(start.this, block, scope)
        self._joins(node.args.get("joins"), block, scope)
        self._conditions(node, block, scope)
        answer = self._projections(node, block, scope)
        block.answer = answer
        self._clause(node.args.get("where"), block, "filter")
        group = node.args.get("group")
        if group is not None:
            self._group(group, block, scope)
            if not any(group.args.values()):
                node.set("group", None)
        self._clause(node.args.get("having"), block, "having")
        for window in node.args.get("windows") or ():
            self._clause(window, block, "window")
        self._clause(node.args.get("qualify"), block, "window")
        distinct = node.args.get("distinct")
        if distinct is not None:
            self._clause(distinct.args.get("on"), block, "order")
            for origin in answer.origins:
                self._mark(origin, "group", scope)
        order = node.args.get("order")
        for one in order.expressions if order is not None else ():
            if not self._by_output(one.this, answer, scope):
                self._clause(one.this, block, "order")
        return answer

    def _conditions(self, node: exp.Expr, block: SelectBlock, scope: NameScope) -> None:
        """The ON of every join of the SELECT, also of those in brackets."""
        waiting = [node.args.get("from_"), *(node.args.get("joins") or ())]
        while waiting:
            one = waiting.pop()
            if isinstance(one, exp.Join):
                self._clause(one.args.get("on"), block, "join")
            inner = one.this if isinstance(one, exp.From | exp.Join) else one
            if isinstance(inner, exp.Table | exp.Subquery):
                waiting += inner.args.get("joins") or ()
                if isinstance(inner, exp.Subquery) and isinstance(inner.this, exp.Table | exp.Subquery):
                    waiting.append(inner.this)

    def _bound_only(self, node: exp.Expr) -> None:
        """LIMIT and OFFSET hold figures, for a query in them would be read too."""
        for part in ("limit", "offset"):
            clause = node.args.get(part)
            if clause is not None and any(isinstance(one, exp.Column | exp.Query) for one in clause.walk()):
                raise QueryRefused("constructs", "LIMIT and OFFSET take a number.")

    def _clause(self, node: exp.Expr | None, block: SelectBlock, clause: str) -> Lineage:
        if node is None:
            return NOTHING
        before, block.clause = block.clause, clause
        origin = self._expression(node, block)
        block.clause = before
        return origin

    def _projections(self, node: exp.Select, block: SelectBlock, scope: NameScope) -> OutputColumns:
        made: list[exp.Expr] = []
        names: list[str] = []
        origins: list[Lineage] = []
        block.clause = "output"
        for at, one in enumerate(node.expressions):
            star = one.this if isinstance(one, exp.Column) and isinstance(one.this, exp.Star) else one
            if isinstance(star, exp.Star):
                for name, value, origin in self._star(one, star, block):
                    made.append(exp.Alias(this=value, alias=quoted(name)))
                    names.append(name)
                    origins.append(origin)
                continue
            name = one.alias if isinstance(one, exp.Alias) else output_name(one, at)
            made.append(one if isinstance(one, exp.Alias) else exp.Alias(this=one, alias=quoted(name)))
            value = made[-1].this
            origins.append(self._expression(made[-1], block))
            if isinstance(one, exp.Column) and isinstance(value := made[-1].this, exp.Column):
                name = value.name
            made[-1].set("alias", quoted(name))
            names.append(name)
        if not made:
            raise QueryRefused("columns", "The query answers with no column.")
        node.set("expressions", made)
        return OutputColumns(tuple(names), tuple(origins))

    def _star(self, one: exp.Expr, star: exp.Star, block: SelectBlock) -> list[tuple[str, exp.Expr, Lineage]]:
        left_out = {column.name.casefold() for column in star.args.get("except_") or ()}
        table = one.args.get("table") if isinstance(one, exp.Column) else None
        sources = self._starred(one, table, block)
        found: list[tuple[str, exp.Expr, Lineage]] = []
        if table is None and not self._names.merges_in_place:
            for name in block.merged:
                self._merged_star(name, left_out, block, found)
        for source in sources:
            if table is None and source.hidden:
                continue
            for at, name in enumerate(source.names):
                folded = name.casefold()
                if folded in left_out:
                    continue
                if table is None and folded in block.merged:
                    if self._names.merges_in_place and not any(one.casefold() == folded for one, _, _ in found):
                        self._merged_star(folded, left_out, block, found)
                    continue
                if name in source.repeated:
                    raise QueryRefused(
                        "columns", f"{plain(name)} stands twice in {plain(source.alias)}. Name it apart."
                    )
                found.append((name, *self._use(source, at, block, block)))
        self._stars += len(found)
        if self._stars > MOST_STARS:
            raise QueryRefused("size", "`*` stands for too many columns. Name those that you need.")
        return found

    def _starred(self, one: exp.Expr, table: exp.Expr | None, block: SelectBlock) -> Sequence[FromItem]:
        """The sources that a `*` is about: all of FROM, or the one that it names."""
        if table is not None:
            sources = self._called(one, table, block)
            if len(sources) != 1:
                raise QueryRefused("columns", f"{plain(table.name)} is not in the FROM of this query.")
            return sources
        if not block.sources:
            raise QueryRefused("columns", "`*` needs a FROM.")
        return block.sources

    def _merged_star(
        self, name: str, left_out: Collection[str], block: SelectBlock, found: list[tuple[str, exp.Expr, Lineage]]
    ) -> None:
        """Add to what `*` stands for a column that USING made of two."""
        if name not in left_out:
            value, origin = self._copied(block.merged[name], block)
            column = value.find(exp.Column)
            found.append((column.name if column is not None else name, value, origin))

    def _group(self, group: exp.Group, block: SelectBlock, scope: NameScope) -> None:
        answer = block.answer or OutputColumns((), ())
        if group.args.get("all"):
            group.set("all", None)
            plain_ones = [at for at, one in enumerate(block.select.expressions) if not _aggregates(one)]
            group.set("expressions", [exp.Literal.number(at + 1) for at in plain_ones])
        for one in list(group.expressions):
            if isinstance(one, exp.Literal) and not one.is_string:
                at = int(one.name) - 1 if one.name.isdigit() else -1
                if not 0 <= at < len(answer.names):
                    raise QueryRefused("columns", f"The answer has no column number {plain(one.name)}.")
                self._mark(answer.origins[at], "group", scope)
                block.keys.append(block.select.expressions[at].this)
            else:
                self._clause(one, block, "group")
        for part in ("rollup", "cube", "grouping_sets"):
            for one in group.args.get(part) or ():
                if isinstance(one, exp.Expr):
                    self._clause(one, block, "group")
        block.keys += [one for one in group.expressions if not isinstance(one, exp.Literal)]

    # FROM

    def _joins(self, joins: Iterable[exp.Join] | None, block: SelectBlock, scope: NameScope) -> None:
        for join in joins or ():
            standing = len(block.sources)
            self._relation(join.this, block, scope)
            if str(join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
                for source in block.sources[standing:]:
                    source.hidden = True
            names = join.args.get("using")
            if names:
                self._using(join, names, block, standing)

    def _relation(self, node: exp.Expr, block: SelectBlock, scope: NameScope) -> None:
        if isinstance(node, exp.Table):
            self._table(node, block, scope)
        elif isinstance(node, exp.Subquery) and _in_brackets(node):
            if node.alias:
                raise QueryRefused("constructs", "Tables in brackets bear no name. Name each of them.")
            self._relation(node.this, block, scope)
        elif isinstance(node, exp.Subquery):
            inner = scope.inside(scope.outer)
            answer = self._query(node, inner)
            alias = node.args.get("alias")
            if alias is None:
                alias = exp.TableAlias(this=quoted(f"_q_{len(block.sources)}"))
                node.set("alias", alias)
            answer = self._renamed(alias, answer)
            source = FromItem(alias=self._names.alias(alias.this), names=answer.names, origins=answer.origins)
            self._add(source, node, alias, block)
        else:
            raise QueryRefused("no_table_functions", "Only tables and queries can stand in FROM.")
        self._joins(node.args.get("joins"), block, scope)

    def _table(self, node: exp.Table, block: SelectBlock, scope: NameScope) -> None:
        alias = node.args.get("alias")
        name = self._names.alias(node.this)
        plain_name = not node.args.get("db") and not node.args.get("catalog")
        if plain_name and name in scope.common:
            told, answer = scope.common[name]
            alias = alias or exp.TableAlias(this=quoted(name))
            node.set("this", quoted(told))
            answer = self._renamed(alias, answer)
            source = FromItem(self._names.alias(alias.this), answer.names, answer.origins)
        else:
            table = self._index.find(node)
            if alias is not None and alias.args.get("columns"):
                raise QueryRefused("constructs", "The columns of a table keep their names. Rename them in a query.")
            schema = self._names.alias(quoted(table.schema))
            alias = alias or exp.TableAlias(this=quoted(self._names.alias(node.this)))
            origins = _origins(table.fqn, table.columns)
            source = FromItem(self._names.alias(alias.this), table.columns, origins, table=table, node=node)
            source.written = (schema, table.database) if not node.alias else ()
            node.set("this", quoted(table.name))
            node.set("db", quoted(table.schema))
            node.set("catalog", quoted(table.database))
            self.bound.tables.append(source)
        self._add(source, node, alias, block)

    def _add(self, source: FromItem, node: exp.Expr, alias: exp.TableAlias, block: SelectBlock) -> None:
        """Put a source into a FROM, under a name that nothing around it bears."""
        source.called = source.alias
        if any(one.called == source.called for one in block.sources):
            raise QueryRefused("tables", f"{plain(source.alias)} stands twice in one FROM. Give each its own name.")
        taken = {one.alias for one in block.sources}
        around = block.outer
        while around is not None:
            taken.update(one.alias for one in around.sources)
            around = around.outer
        source.alias = self._unused(source.alias, taken)
        alias.set("this", quoted(source.alias))
        node.set("alias", alias)
        block.sources.append(source)

    def _using(self, join: exp.Join, names: Sequence[exp.Expr], block: SelectBlock, standing: int) -> None:
        conditions: list[exp.Expr] = []
        side = str(join.args.get("side") or "").upper()
        block.full_using += side == "FULL"
        if block.full_using > MOST_FULL_USING:
            raise QueryRefused("size", "Too many tables are joined in full by USING. Say ON what they are joined.")
        block.clause = "join"
        for one in names:
            identifier = one.this if isinstance(one, exp.Column) else one
            folded = identifier.name.casefold()
            if folded in block.merged:
                left, _ = self._copied(block.merged[folded], block)
            else:
                left = self._only(identifier, block.sources[:standing], block)
            right = self._only(identifier, block.sources[standing:], block)
            conditions.append(exp.EQ(this=left, expression=right))
            if side == "FULL":
                block.merged[folded] = exp.Coalesce(this=left.copy(), expressions=[right.copy()])
            else:
                block.merged[folded] = (right if side == "RIGHT" else left).copy()
        block.clause = "output"
        join.set("using", None)
        join.set("on", exp.and_(*conditions, copy=False))

    def _only(self, identifier: exp.Expr, sources: Sequence[FromItem], block: SelectBlock) -> exp.Expr:
        found = [(source, at) for source in sources for at in self._names.among(identifier, source.names)]
        if len(found) != 1:
            raise QueryRefused("columns", f"{plain(identifier.name)} in USING is not one column on either side.")
        return self._use(*found[0], block, block)[0]


@lru_cache(maxsize=1_000)
def _origins(table: str, columns: tuple[str, ...]) -> tuple[Lineage, ...]:
    """Return what the columns of a table come from: themselves."""
    each = (frozenset({(table, column)}) for column in columns)
    return tuple(Lineage(own, told=own) for own in each)


def _aggregates(node: exp.Expr) -> bool:
    """Return whether it aggregates the rows of its own SELECT."""
    if isinstance(node, exp.AggFunc):
        return not isinstance(node.parent, exp.Window)
    return not isinstance(node, exp.Query) and any(_aggregates(child) for child in node.iter_expressions())


def _in_brackets(node: exp.Subquery) -> bool:
    """Return whether it is `(a JOIN b)` rather than a query."""
    inner = node.this
    return isinstance(inner, exp.Table) or (isinstance(inner, exp.Subquery) and bool(inner.args.get("joins")))
