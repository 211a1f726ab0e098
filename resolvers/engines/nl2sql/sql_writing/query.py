"""A plan as a query.

Rows are never multiplied by what they are only chosen by: a condition on a table beside, of which a row may meet
several, becomes EXISTS. Figures stay right beside joined tables: rows are counted by their key, and sums are taken of
rows that are told apart first; where neither holds, `Unwritable` says so rather than a wrong number.

Orders with a limit belong to their own part of a combined plan; orders without one to the whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import sqlglot
from sqlglot import exp

from resolvers.engines.nl2sql.joining.joins import Joins, JoinStep, NotConnected, Tree, Use
from resolvers.engines.nl2sql.model import Knowledge
from resolvers.engines.nl2sql.plan import (
    OF_NUMBERS,
    Aggregate,
    Both,
    Column,
    Condition,
    Elapsed,
    Expression,
    Figure,
    Nested,
    Output,
    Plan,
    Related,
    Running,
    Share,
    Span,
    Term,
)
from resolvers.engines.nl2sql.sql_writing.comparing import Unwritable, as_number, number, without_failing_casts
from resolvers.engines.nl2sql.sql_writing.grouping import completed, figures_of, in_time, is_grouped
from resolvers.engines.nl2sql.sql_writing.iso_texts import is_day
from resolvers.engines.nl2sql.sql_writing.terms import AGGREGATES, SelectScope
from resolvers.engines.nl2sql.sql_writing.unjoined import without_needless_joins
from resolvers.engines.nl2sql.sql_writing.uses import (
    columns_in,
    nodes_of,
    on_figures,
    parts_of,
    percentage_of,
    share_within,
    uses_of,
    uses_of_plan,
)

DEEPEST: Final = 8
"""How many plans stand in one another at most."""

__all__ = ["NotConnected", "Unwritable", "Writer", "written"]


def written(plan: Plan, known: Knowledge, joins: Joins) -> exp.Query:
    """The query of a plan, to be written in the dialect of the knowledge. Raises Unwritable and Unjoinable."""
    return Writer(known, joins).query(plan)


@dataclass(slots=True)
class Writer:
    """Writes one plan with all that stands in it."""

    known: Knowledge
    joins: Joins
    noted: set[str] = field(default_factory=set)
    """The memories that tables were joined by, once the query is written."""
    _taken: set[str] = field(default_factory=set)
    _depth: int = 0

    def query(self, plan: Plan) -> exp.Query:
        """The whole query."""
        found = self._whole(plan)
        without_needless_joins(found, self.joins)
        without_failing_casts(found, self.known.dialect)
        nodes = nodes_of(found)
        tables = sum(isinstance(node, exp.Table) for node in nodes)
        if tables <= 1 and not any(isinstance(node, exp.Subquery) for node in nodes):
            for node in nodes:
                if isinstance(node, exp.Column):
                    node.set("table", None)
        return found

    def _whole(self, plan: Plan) -> exp.Query:
        self._depth += 1
        try:
            if self._depth > DEEPEST:
                raise Unwritable("The question nests too deep. Ask for a part of it first.")
            return self._combined(plan) if plan.combined is not None else self.select(plan)
        finally:
            self._depth -= 1

    def _combined(self, plan: Plan) -> exp.Query:
        assert plan.combined is not None
        other = plan.combined.plan
        if len(other.outputs) != len(plan.outputs):
            raise Unwritable("Only answers with as many columns can be put together.")
        own_orders = plan.limit is not None
        first = self._part(replace(plan, combined=None, orders=plan.orders if own_orders else ()))
        second = self._part(other)
        how = {"union": exp.union, "intersect": exp.intersect, "except": exp.except_}[plan.combined.how]
        found: exp.Query = how(first, second, copy=False)
        if not own_orders and plan.orders:
            names = first.named_selects
            terms = [one.term for one in plan.outputs]
            for order in plan.orders:
                if order.term in terms:
                    name = exp.column(exp.to_identifier(names[terms.index(order.term)], quoted=True))
                    by = _ordered(name, order.descending)
                    if self.known.dialect == "mysql":  # orders what is put together by bare names only
                        by.set("nulls_first", not order.descending)
                    found = found.order_by(by, copy=False)
        return found

    def _part(self, plan: Plan) -> exp.Query:
        query = self._whole(plan)
        if not (query.args.get("limit") or query.args.get("order")) or isinstance(query, exp.SetOperation):
            return query
        part = exp.to_identifier(self._alias("part"), quoted=True)
        values = [exp.column(exp.to_identifier(name, quoted=True), table=part.copy()) for name in query.named_selects]
        return exp.select(*values).from_(exp.Subquery(this=query, alias=exp.TableAlias(this=part)), copy=False)

    # One SELECT.

    def select(self, plan: Plan) -> exp.Select:
        """A plan without what is combined with it."""
        plan = completed(plan, self.joins)
        if self._depth == 1:
            plan = in_time(plan, self.known, self.joins)
        rows = [one for one in parts_of(plan.where) if not on_figures(one)]
        having = [one for one in (*parts_of(plan.where), *parts_of(plan.having)) if on_figures(one)]
        rows += [one for one in parts_of(plan.having) if not on_figures(one)]
        grouped = is_grouped(plan, having)
        core = uses_of_plan(plan, having)
        if not core and not rows and not grouped:
            return self._named(exp.Select(), plan, self._scope(plan, None, {}))
        if len(plan.keep) > 1:
            raise Unwritable("Only one table can keep all of its rows.")
        root = Use(plan.keep[0]) if plan.keep else Use(plan.main)
        wanted = [root, Use(plan.main), *core, *sorted({use for one in rows for use in uses_of(one, plan.main)})]
        whole = self.joins.connect(wanted, plan.via, root=root)
        tree, branches = self._pruned(whole, {root, Use(plan.main), *core}, rows, bool(plan.keep))
        scope = self._scope(plan, tree, {use: self._alias(self._name(use)) for use in tree.uses})
        if having and any(isinstance(one.term, Share) for one in plan.outputs):
            scope.total = lambda figure: self._total(figure, plan)
        conditions = [({*uses_of(one, plan.main)}, scope.condition(one)) for one in rows if one not in _all(branches)]
        conditions += [({links[0].near}, self._exists(links, chosen, scope)) for links, chosen in branches]
        if plan.limit is not None and not grouped and plan.orders:
            first = plan.orders[0].term
            if isinstance(first, Column) and self._may_lack(first, scope):
                value = scope.term(first)
                there = is_day(value) if scope.kind(first).strays else _filled(value)
                conditions.append(({Use(first.table, first.instance)}, there))
        query = self._from(tree, scope.aliases, scope.nullable, conditions)
        sensitive = [one for one in figures_of(plan, having) if scope.sensitive(one)]
        if sensitive:
            query = self._apart(query, plan, having, scope, sensitive)
        return self._finished(query, plan, having, scope, grouped)

    def _finished(
        self, query: exp.Select, plan: Plan, having: Sequence[Condition], scope: SelectScope, grouped: bool
    ) -> exp.Select:
        query = self._named(query, plan, scope)
        for group in plan.groups:
            query = query.group_by(scope.term(group), copy=False)
        for one in having:
            query = query.having(scope.condition(one), copy=False)
        limit = plan.limit
        if plan.ties and limit is not None and plan.orders:
            tie = self._tied(plan, having, scope, grouped)
            query = query.having(tie, copy=False) if grouped else query.where(tie, copy=False)
            limit = None
        loose = plan.distinct and any(order.term not in [one.term for one in plan.outputs] for order in plan.orders)
        if loose and not grouped:
            for output in plan.outputs:
                query = query.group_by(scope.term(output.term), copy=False)
        elif plan.distinct:
            query = query.distinct(copy=False)
        for order in plan.orders:
            this = scope.ordered(order.term)
            if loose and not grouped and order.term not in [one.term for one in plan.outputs]:
                this = exp.Max(this=this) if order.descending else exp.Min(this=this)
            query = query.order_by(_ordered(this, order.descending), copy=False)
        if limit is not None and plan.each and plan.orders:
            return self._first_of_each(query, plan, limit, scope)
        if limit is not None and plan.offset:
            query = query.offset(plan.offset, copy=False)
        return query.limit(limit, copy=False) if limit is not None else query

    def _first_of_each(self, query: exp.Select, plan: Plan, limit: int, scope: SelectScope) -> exp.Select:
        """The first rows of each group, by a place that is counted within it."""
        names = query.named_selects
        order = query.args.pop("order")
        place = exp.Window(this=exp.Rank(), partition_by=[scope.term(one) for one in plan.each], order=order)
        query = query.select(exp.alias_(place, "place", quoted=True, copy=False), copy=False)
        ranked = exp.to_identifier(self._alias("ranked"), quoted=True)
        values = [exp.column(exp.to_identifier(name, quoted=True), table=ranked.copy()) for name in names]
        first = exp.column(exp.to_identifier("place", quoted=True), table=ranked.copy())
        found = exp.select(*values).from_(exp.Subquery(this=query, alias=exp.TableAlias(this=ranked)), copy=False)
        found = found.where(exp.LTE(this=first.copy(), expression=number(limit + plan.offset)), copy=False)
        if plan.offset:
            found = found.where(exp.GT(this=first.copy(), expression=number(plan.offset)), copy=False)
        told = [value for value, one in zip(values, plan.outputs, strict=True) if one.term in plan.each]
        return found.order_by(*(_ordered(one.copy(), False) for one in told), copy=False) if told else found

    def _scope(self, plan: Plan, tree: Tree | None, aliases: Mapping[Use, str]) -> SelectScope:
        nullable = frozenset(link.far for link in tree.links) if tree is not None and plan.keep else frozenset()
        return SelectScope(self.known, self.joins, plan.main, tree, dict(aliases), self._whole, self._related, nullable)

    def _name(self, use: Use) -> str:
        return self.joins.finder.tables[use.table].name

    def _alias(self, name: str) -> str:
        alias, at = name, 1
        while alias.lower() in self._taken:
            at += 1
            alias = f"{name}_{at}"
        self._taken.add(alias.lower())
        return alias

    def _table(self, use: Use, alias: str) -> exp.Table:
        facts = self.joins.finder.tables[use.table]
        same = self.joins.finder.called(facts.name)
        inside = [one for one in same if one.schema == facts.schema]
        table = exp.to_identifier(facts.name, quoted=True)
        schema = exp.to_identifier(facts.schema, quoted=True) if len(same) > 1 else None
        database = exp.to_identifier(facts.database, quoted=True) if len(inside) > 1 else None
        named = exp.Table(this=table, db=schema, catalog=database)
        if alias != facts.name:
            named.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        return named

    def _from(
        self,
        tree: Tree,
        aliases: Mapping[Use, str],
        nullable: frozenset[Use],
        conditions: Sequence[tuple[set[Use], exp.Expr]],
    ) -> exp.Select:
        """FROM and WHERE; beside kept rows what only others must meet stands where they are joined."""
        query = exp.Select().from_(self._table(tree.root, aliases[tree.root]), copy=False)
        left = list(conditions)
        for at, link in enumerate(tree.links):
            on = self._on(link, aliases)
            if nullable:
                later = {step.far for step in tree.links[at + 1 :]}
                for one in [one for one in left if link.far in one[0] and not one[0] & later]:
                    if one[0] <= nullable:
                        on = exp.and_(on, one[1], copy=False)
                        left.remove(one)
            table = self._table(link.far, aliases[link.far])
            query = query.join(table, on=on, join_type="LEFT" if nullable else "", copy=False)
        for _, condition in left:
            query = query.where(condition, copy=False)
        return query

    def _on(self, link: JoinStep, aliases: Mapping[Use, str]) -> exp.Expr:
        """Return how two tables are joined; a number and a text are compared as texts."""
        scope = SelectScope(self.known, self.joins, link.near.table, None, aliases, self._whole, self._related)
        if link.key.memory is not None:
            self.noted.add(link.key.memory)
        if link.key.condition is not None:
            return scope.placed(sqlglot.parse_one(link.key.condition, dialect="duckdb"), (link.near, link.far))
        equal: list[exp.Expr] = []
        for near, far in link.pairs:
            left, right = Column(*link.near[:1], near), Column(*link.far[:1], far)
            sides = [scope.named(link.near, near), scope.named(link.far, far)]
            kinds = [scope.kind(left), scope.kind(right)]
            if {kind.family for kind in kinds} == {"text", "number"}:
                whole = any("INT" in kind.name or "SERIAL" in kind.name for kind in kinds)
                sides = [
                    exp.cast(side, "TEXT") if whole else as_number(side, kind)
                    for side, kind in zip(sides, kinds, strict=True)
                ]
            equal.append(exp.EQ(this=sides[0], expression=sides[1]))
        return exp.and_(*equal, copy=False)

    # Rows of other tables that fit.

    def _pruned(
        self, tree: Tree, core: set[Use], rows: Sequence[Condition], keeps: bool
    ) -> tuple[Tree, list[tuple[list[JoinStep], list[Condition]]]]:
        """The tree without the branches that rows are only chosen by, where joining them would multiply rows."""
        below = {link.far: {link.far} for link in tree.links}
        for link in reversed(tree.links):
            if link.near in below:
                below[link.near] |= below[link.far]
        touched = {id(one): uses_of(one, tree.root.table) for one in rows}
        branches: list[tuple[list[JoinStep], list[Condition]]] = []
        gone: set[Use] = set()
        for link in tree.links:
            inside = below[link.far]
            if link.near in gone or inside & core:
                continue
            links = [one for one in tree.links if one.far in inside]
            chosen = [one for one in rows if touched[id(one)] & inside]
            elsewhere = set(below) - inside - core
            if not chosen or any(touched[id(one)] & elsewhere & set(below) for one in chosen):
                continue
            if keeps or any(self.joins.multiplies(one) for one in links):
                branches.append((links, chosen))
                gone |= inside
        return Tree(tree.root, tuple(one for one in tree.links if one.far not in gone)), branches

    def _exists(self, links: Sequence[JoinStep], chosen: Sequence[Condition], scope: SelectScope) -> exp.Expr:
        """Return whether rows beyond the first link meet conditions."""
        aliases = {link.far: self._alias(self._name(link.far)) for link in links}
        tree = Tree(links[0].far, tuple(links[1:]))
        inner = replace(scope, tree=tree, aliases={**scope.aliases, **aliases}, nullable=frozenset(), mapped={})
        query = self._from(tree, inner.aliases, frozenset(), [])
        query = query.where(self._on(links[0], inner.aliases), *map(inner.condition, chosen), copy=False)
        return exp.Exists(this=query.select(number(1), copy=False))

    def _related(self, scope: SelectScope, related: Related) -> exp.Expr:
        """Return whether a row of the outer query has rows that fit, tied along the keys."""
        plan = related.plan
        if plan.limit is not None or plan.combined is not None or plan.keep:
            raise Unwritable("What another table's rows must be like cannot be the first few of them.")
        rows = [one for one in parts_of(plan.where) if not on_figures(one)]
        having = [one for one in (*parts_of(plan.where), *parts_of(plan.having)) if on_figures(one)]
        rows += [one for one in parts_of(plan.having) if not on_figures(one)]
        core = [use for one in having for use in uses_of(one, plan.main)]
        core += [Use(table) for table in plan.also]
        wanted = list(
            dict.fromkeys([Use(plan.main), *core, *(use for one in rows for use in sorted(uses_of(one, plan.main)))])
        )
        outer = Use(related.to) if Use(related.to) not in wanted else Use(related.to, 1)
        whole = self.joins.connect([outer, *wanted], plan.via, root=outer)
        first, *others = whole.links
        if any(link.near == outer for link in others):
            raise Unwritable("The question ties two tables together in more than one way.")
        tree = Tree(first.far, tuple(others))
        branches: list[tuple[list[JoinStep], list[Condition]]] = []
        if having or plan.groups:
            tree, branches = self._pruned(tree, {first.far, Use(plan.main), *core}, rows, False)
        aliases = {use: self._alias(self._name(use)) for use in tree.uses}
        inner = self._scope(plan, tree, {**aliases, outer: scope.aliases[Use(related.to)]})
        query = self._from(tree, inner.aliases, frozenset(), [])
        query = query.where(self._on(first, inner.aliases), copy=False)
        for one in rows:
            if one not in _all(branches):
                query = query.where(inner.condition(one), copy=False)
        for links, chosen in branches:
            query = query.where(self._exists(links, chosen, inner), copy=False)
        for group in plan.groups:
            query = query.group_by(inner.term(group), copy=False)
        for one in having:
            query = query.having(inner.condition(one), copy=False)
        if related.negated and related.fewer > 1:
            if plan.groups or having:
                raise Unwritable("Only rows can be counted that stand for themselves.")
            count = query.select(exp.Count(this=exp.Star()), copy=False)
            return exp.LT(this=count.subquery(copy=False), expression=number(related.fewer))
        found = exp.Exists(this=query.select(number(1), copy=False))
        return exp.Not(this=found) if related.negated else found

    # Groups and figures.

    def _apart(
        self,
        query: exp.Select,
        plan: Plan,
        having: Sequence[Condition],
        scope: SelectScope,
        sensitive: Sequence[Figure],
    ) -> exp.Select:
        """Rows told apart before they are summed: each row of the table that figures are of stands once per group."""
        figures = figures_of(plan, having)
        use = scope.counted(sensitive[0])
        key = self.joins.key(use.table)
        if not key or any(scope.counted(one) != use or one.when is not None for one in figures):
            raise Unwritable(
                f"Rows of {self._name(use)} would be counted more than once beside the other tables. "
                "Ask for one figure at a time."
            )
        apart = exp.to_identifier(self._alias("apart"), quoted=True)
        values: dict[str, exp.Expr] = {f"key_{at}": scope.named(use, name) for at, name in enumerate(key, 1)}
        mapped: dict[Term, exp.Expr] = {}
        for at, group in enumerate(plan.groups, 1):
            values[f"group_{at}"] = scope.term(group)
            mapped[group] = exp.column(exp.to_identifier(f"group_{at}", quoted=True), table=apart.copy())
        for at, figure in enumerate(figures, 1):
            if figure.of is None:
                mapped[figure] = exp.Count(this=exp.Star())
                continue
            this = scope.term(figure.of)
            if figure.aggregate in OF_NUMBERS:
                this = as_number(this, scope.kind(figure.of))
            values[f"value_{at}"] = this
            value: exp.Expr = exp.column(exp.to_identifier(f"value_{at}", quoted=True), table=apart.copy())
            value = exp.Distinct(expressions=[value]) if figure.distinct else value
            mapped[figure] = AGGREGATES[figure.aggregate](this=value)
        aliased = [exp.alias_(this, name, quoted=True, copy=False) for name, this in values.items()]
        query = query.select(*aliased, copy=False).distinct(copy=False)
        scope.mapped = mapped
        return exp.Select().from_(exp.Subquery(this=query, alias=exp.TableAlias(this=apart)), copy=False)

    def _total(self, figure: Figure, plan: Plan) -> exp.Expr:
        rows = tuple(one for one in (*parts_of(plan.where), *parts_of(plan.having)) if not on_figures(one))
        where = Both(rows) if rows else None
        return exp.Subquery(this=self._whole(Plan(plan.main, (Output(figure),), where, also=plan.also, via=plan.via)))

    def _tied(self, plan: Plan, having: Sequence[Condition], scope: SelectScope, grouped: bool) -> exp.Expr:
        """Return whether a row is as good as the last one of the limit."""
        order = plan.orders[0]
        this = scope.ordered(order.term)
        bare = replace(plan, outputs=(Output(order.term),), ties=False, combined=None, distinct=False)
        if not grouped and plan.limit == 1 and isinstance(order.term, Column):
            best = Figure(Aggregate.MAX if order.descending else Aggregate.MIN, order.term)
            single = replace(bare, outputs=(Output(best),), orders=(), limit=None)
            return exp.EQ(this=this, expression=exp.Subquery(this=self._whole(single)))
        inner = self._whole(replace(bare, outputs=(Output(order.term, "value"),), orders=(order,)))
        place = exp.to_identifier(self._alias("first"), quoted=True)
        value = exp.column(exp.to_identifier("value", quoted=True), table=place.copy())
        last = exp.Min(this=value) if order.descending else exp.Max(this=value)
        ends = exp.Select().select(last).from_(exp.Subquery(this=inner, alias=exp.TableAlias(this=place)), copy=False)
        sign = exp.GTE if order.descending else exp.LTE
        return sign(this=this, expression=exp.Subquery(this=ends))

    def _may_lack(self, column: Column, scope: SelectScope) -> bool:
        """Return whether rows without a value must be left out of the first few."""
        facts = self.joins.finder.columns[column.table][column.column]
        kind = scope.kind(column)
        if facts.nullable is False or column.column in self.joins.key(column.table):
            return False
        return kind.family != "text" or kind.numeric or kind.iso

    # Names.

    def _named(self, query: exp.Select, plan: Plan, scope: SelectScope) -> exp.Select:
        """The outputs, each under a name of its own."""
        names: set[str] = set()
        for output in plan.outputs:
            this = scope.term(output.term)
            name = output.name or self._called(output.term)
            if name.lower() in names and isinstance(output.term, Column):
                name = f"{self._name(Use(output.term.table))}_{name}"
            base, at = name, 1
            while name.lower() in names:
                at += 1
                name = f"{base}_{at}"
            names.add(name.lower())
            plain = isinstance(this, exp.Column) and this.name == name
            query = query.select(this if plain else exp.alias_(this, name, quoted=True, copy=False), copy=False)
        return query

    def _called(self, term: Term) -> str:
        match term:
            case Column():
                return term.column
            case Span():
                return term.unit.value
            case Elapsed():
                return f"{term.unit.value}s"
            case Figure(of=Elapsed(unit=unit)):
                return f"{CALLED[term.aggregate]}_{unit.value}s"
            case Share():
                return f"{self._called(term.of)}_percent"
            case Running():
                return f"running_{self._called(term.of)}"
            case Expression() if term.name:
                return term.name
            case Figure(of=Expression(name=name)) if name:
                return f"{CALLED[term.aggregate]}_{name}"
            case Figure():
                column = next(columns_in(term.of), None) if term.of is not None else None
                if column is not None:
                    called = f"{CALLED[term.aggregate]}_"
                    return column.column if column.column.lower().startswith(called) else called + column.column
                return f"{CALLED[term.aggregate]}_{self._name(Use(term.rows_of))}" if term.rows_of else "count"
            case Nested():
                return self._called(term.plan.outputs[0].term)
        return "percentage" if (percentage_of(term) or share_within(term)) is not None else "value"


CALLED: Final = {
    Aggregate.COUNT: "count",
    Aggregate.SUM: "total",
    Aggregate.AVG: "average",
    Aggregate.MEDIAN: "median",
    Aggregate.MIN: "minimum",
    Aggregate.MAX: "maximum",
}


def _all(branches: Sequence[tuple[list[JoinStep], list[Condition]]]) -> list[Condition]:
    return [one for _, chosen in branches for one in chosen]


def _filled(this: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=this, expression=exp.Null()))


def _ordered(this: exp.Expr, descending: bool) -> exp.Ordered:
    return exp.Ordered(this=this, desc=descending, nulls_first=False)
