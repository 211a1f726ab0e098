"""Terms and conditions of a plan as expressions over tables that stand in FROM under their aliases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from resolvers.engines.nl2sql.joining.joins import Joins, JoinStep, Tree, Use
from resolvers.engines.nl2sql.model import Knowledge
from resolvers.engines.nl2sql.plan import (
    OF_NUMBERS,
    Aggregate,
    Arithmetic,
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Elapsed,
    Expression,
    Figure,
    Literal,
    Member,
    Nested,
    Operator,
    Plan,
    Related,
    Running,
    Share,
    Span,
    Term,
)
from resolvers.engines.nl2sql.sql_writing.comparing import (
    NUMBER,
    UNKNOWN,
    TypedKind,
    Unwritable,
    as_number,
    compared,
    kind_of,
    literal,
    number,
    relation,
    span,
    span_value,
)
from resolvers.engines.nl2sql.sql_writing.elapsing import elapsed
from resolvers.engines.nl2sql.sql_writing.uses import columns_in


@dataclass(slots=True)
class SelectScope:
    """One SELECT that is being written."""

    known: Knowledge
    joins: Joins
    main: str
    tree: Tree | None
    aliases: Mapping[Use, str]
    """Of the tables in FROM, and of those around it that a tie reaches."""
    write: Callable[[Plan], exp.Query]
    """Writes a plan that stands in this one."""
    relate: Callable[["SelectScope", Related], exp.Expr]
    """Writes whether rows of another table fit."""
    nullable: frozenset[Use] = frozenset()
    """Tables whose rows may be missing beside kept ones."""
    mapped: Mapping[Term, exp.Expr] = field(default_factory=dict)
    """Terms that are computed already, in a query within."""
    total: Callable[[Figure], exp.Expr] | None = None
    """The total over all groups, when conditions leave groups out."""

    # What is multiplied.

    def multiplied(self, use: Use) -> bool:
        """Return whether a row of this table may stand in several rows of the join."""
        if self.tree is None:
            return False
        reached, waiting = {use}, [use]
        while waiting:
            here = waiting.pop()
            for link in self.tree.links:
                for step in (link, JoinStep(link.far, link.near, link.key, not link.forward)):
                    if step.near == here and step.far not in reached:
                        if self.joins.multiplies(step):
                            return True
                        reached.add(step.far)
                        waiting.append(step.far)
        return False

    def counted(self, figure: Figure) -> Use:
        """The table of whose rows a figure is made: of several the one that has most rows."""
        if figure.of is None:
            return Use(figure.rows_of or self.main)
        columns = list(columns_in(figure.of))
        if figure.rows_of is not None:
            return Use(figure.rows_of)
        if not columns:
            return Use(self.main)
        uses = list(dict.fromkeys(Use(one.table, one.instance) for one in columns))
        if len(uses) == 1 or self.tree is None:
            return uses[0]
        return next((use for use in uses if not self.multiplied(use)), uses[0])

    def sensitive(self, figure: Figure) -> bool:
        """Return whether a figure would be wrong over multiplied rows, and no count of keys can right it."""
        if figure in self.mapped or figure.distinct or figure.aggregate in (Aggregate.MIN, Aggregate.MAX):
            return False
        use = self.counted(figure)
        if not self.multiplied(use):
            return False
        return figure.aggregate != Aggregate.COUNT or (figure.of is not None and len(self.joins.key(use.table)) != 1)

    # Terms.

    def column(self, column: Column) -> exp.Expr:
        """A column under the alias of its table."""
        facts = self.joins.finder.columns.get(column.table, {})
        if column.column not in facts:
            raise Unwritable(f"There is no column {column.column} in {column.table}.")
        return self.named(Use(column.table, column.instance), column.column)

    def named(self, use: Use, name: str) -> exp.Expr:
        """A column by the use of its table."""
        if use not in self.aliases:
            raise Unwritable(f"The table {use.table} does not stand in the query.")
        alias = exp.to_identifier(self.aliases[use], quoted=True)
        return exp.column(exp.to_identifier(name, quoted=True), table=alias, copy=False)

    def kind(self, term: Term) -> TypedKind:
        """Return what the values of a term are."""
        match term:
            case Column():
                facts = self.joins.finder.columns[term.table][term.column]
                profile = self.known.profiles.get(term.table)
                figures = next((one for one in profile.columns if one.name == term.column), None) if profile else None
                return kind_of(facts, figures, self.known.dialect)
            case Figure(Aggregate.MIN | Aggregate.MAX, of) if of is not None:
                return self.kind(of)
            case Figure() | Share() | Running() | Arithmetic() | Elapsed():
                return NUMBER
        return UNKNOWN

    def term(self, term: Term) -> exp.Expr:
        """A term as an expression."""
        if term in self.mapped:
            return self.mapped[term].copy()
        match term:
            case Column():
                return self.column(term)
            case Figure():
                return self._figure(term)
            case Span():
                return span(self.column(term.of), self.kind(term.of), term.unit, term.part, self.known.dialect)
            case Elapsed():
                since = self.kind(term.since)
                # A day that is said is written with dashes, however the column is.
                until = self.kind(term.until) if isinstance(term.until, Column) else replace(since, compact=False)
                ends = (self.column(term.since), since), (self.term(term.until), until)
                return elapsed(*ends, term.unit, self.known.dialect)
            case Arithmetic():
                return self._arithmetic(term)
            case Share():
                return self._share(term)
            case Running():
                order = exp.Order(expressions=[exp.Ordered(this=self.term(term.along))])
                within = [self.term(one) for one in term.within]
                return exp.Window(this=exp.Sum(this=self.term(term.of)), partition_by=within, order=order)
            case Expression():
                return self._expression(term)
            case Literal():
                return literal(term)
            case Nested():
                return exp.Subquery(this=self._beside_rows(term) if term.within else self.write(term.plan))

    def _beside_rows(self, term: Nested) -> exp.Query:
        """Return what another plan answers with of those rows that are like each row beside it."""
        query = self.write(term.plan)
        name = self.joins.finder.tables[term.plan.main].name
        tables = [one for one in query.find_all(exp.Table) if one.name == name and one.parent_select is query]
        if not isinstance(query, exp.Select) or len(tables) != 1:
            raise Unwritable("It cannot be told of which rows a figure is.")
        inner = exp.to_identifier(tables[0].alias_or_name, quoted=True)
        alike = [
            exp.EQ(
                this=exp.column(exp.to_identifier(one.column, quoted=True), table=inner), expression=self.column(one)
            )
            for one in term.within
        ]
        return query.where(*alike, copy=False)

    def ordered(self, term: Term) -> exp.Expr:
        """A term as rows are ordered by it: text that holds numbers counts as numbers."""
        kind = self.kind(term)
        this = self.term(term)
        return as_number(this, kind) if kind.numeric and isinstance(term, Column) else this

    def _figure(self, figure: Figure) -> exp.Expr:
        use = self.counted(figure)
        if figure.when is not None:
            return self._chosen(figure, use)
        if figure.of is None:
            return self._count(use)
        this = self.term(figure.of)
        kind = self.kind(figure.of)
        if figure.aggregate is Aggregate.MEDIAN and self.known.dialect not in WITH_MEDIAN:
            raise Unwritable("This source computes no median. Ask for the average instead.")
        if figure.aggregate in OF_NUMBERS:
            if kind.family in ("moment", "boolean"):
                raise Unwritable("Only numbers have a sum, an average or a median.")
            this = as_number(this, kind)
            if figure.aggregate == Aggregate.AVG and self.known.dialect == "tsql":
                this = exp.cast(this, "DOUBLE")
        elif figure.aggregate in (Aggregate.MIN, Aggregate.MAX) and kind.numeric:
            this = as_number(this, kind)
        if self.sensitive(figure):
            raise self._unclear(use)
        if figure.aggregate == Aggregate.COUNT and not figure.distinct and self.multiplied(use):
            key = self.named(use, self.joins.key(use.table)[0])
            given = exp.Not(this=exp.Is(this=this, expression=exp.Null()))
            this = exp.Distinct(expressions=[exp.Case(ifs=[exp.If(this=given, true=key)])])
        elif figure.distinct:
            this = exp.Distinct(expressions=[this])
        return AGGREGATES[figure.aggregate](this=this)

    def _chosen(self, figure: Figure, use: Use) -> exp.Expr:
        """A figure of those rows alone that meet a condition: of the others, nothing is counted or added."""
        assert figure.when is not None
        if self.sensitive(figure):
            raise self._unclear(use)
        key, several = self.joins.key(use.table), figure.distinct or figure.aggregate is Aggregate.COUNT
        if figure.of is not None:
            this = self.term(figure.of)
            this = as_number(this, self.kind(figure.of)) if figure.aggregate in OF_NUMBERS else this
        elif self.multiplied(use) and len(key) != 1:
            raise self._unclear(use)
        else:
            this = self.named(use, key[0]) if self.multiplied(use) else number(1)
        this = exp.Case(ifs=[exp.If(this=self.condition(figure.when), true=this)])
        if several and (figure.distinct or self.multiplied(use)):
            this = exp.Distinct(expressions=[this])
        return AGGREGATES[figure.aggregate](this=this)

    def _count(self, use: Use) -> exp.Expr:
        key = self.joins.key(use.table)
        if self.multiplied(use):
            if not key:
                raise self._unclear(use)
            parts = [self.named(use, name) for name in key]
            if len(parts) > 1 and self.known.dialect not in ("duckdb", "postgres", "mysql", "snowflake"):
                dash = exp.Literal.string("|")
                texts = [exp.cast(part, "TEXT") for part in parts]
                whole: exp.Expr = texts[0]
                for text in texts[1:]:
                    whole = exp.DPipe(this=exp.DPipe(this=whole, expression=dash.copy()), expression=text)
                parts = [whole]
            return exp.Count(this=exp.Distinct(expressions=parts))
        if use in self.nullable and self.tree is not None:
            link = next(link for link in self.tree.links if link.far == use)
            return exp.Count(this=self.named(use, key[0] if key else link.pairs[0][1]))
        return exp.Count(this=exp.Star())

    def _unclear(self, use: Use) -> Unwritable:
        name = self.joins.finder.tables[use.table].name
        return Unwritable(
            f"Rows of {name} would be counted more than once beside the other tables. Ask for one figure at a time."
        )

    def _arithmetic(self, term: Arithmetic) -> exp.Expr:
        left, right = (
            exp.paren(as_number(self.term(side), self.kind(side)), copy=False)
            if isinstance(side, Arithmetic)
            else as_number(self.term(side), self.kind(side))
            for side in (term.left, term.right)
        )
        if term.operator == "/":
            if not isinstance(term.right, Literal):
                right = exp.Nullif(this=right, expression=number(0))
            elif term.right.value == 0:
                raise Unwritable("Nothing can be divided by zero.")
            return exp.Div(this=left, expression=right, typed=False, safe=False)
        return {"+": exp.Add, "-": exp.Sub, "*": exp.Mul}[term.operator](this=left, expression=right)

    def _share(self, share: Share) -> exp.Expr:
        this = self.term(share.of)
        whole = self.total(share.of) if self.total is not None else exp.Window(this=exp.Sum(this=this.copy()))
        hundred = exp.Mul(this=number(Decimal("100.0")), expression=this)
        over = exp.Nullif(this=whole, expression=number(0))
        return exp.Div(this=hundred, expression=over, typed=False, safe=False)

    def _expression(self, term: Expression) -> exp.Expr:
        try:
            tree = sqlglot.parse_one(term.sql, dialect="duckdb")
        except (SqlglotError, RecursionError):
            raise Unwritable("The definition of the KPI is no SQL that can be read.") from None
        tree = tree.unalias()
        if not isinstance(tree, exp.Condition) or tree.find(exp.Query) is not None:
            raise Unwritable("The definition of the KPI must be an expression over columns, not a query.")
        tree = self.placed(tree, [Use(table) for table in term.tables])
        for figure in tree.find_all(exp.AggFunc):
            if isinstance(figure, exp.Min | exp.Max) or figure.find(exp.Distinct) is not None:
                continue
            for use in term.tables:
                if self.multiplied(Use(use)):
                    raise self._unclear(Use(use))
        for division in tree.find_all(exp.Div):
            if not isinstance(division.expression, exp.Literal | exp.Nullif):
                division.set("expression", exp.Nullif(this=division.expression, expression=number(0)))
        return exp.paren(tree, copy=False) if isinstance(tree, exp.Binary | exp.Connector) else tree

    def placed(self, tree: exp.Expr, uses: Sequence[Use]) -> exp.Expr:
        """An expression of people with its columns under the aliases of these tables."""
        holder = exp.Paren(this=tree)
        for one in list(holder.find_all(exp.Column)):
            one.replace(self._found(one, uses))
        placed: exp.Expr = holder.this
        return placed

    def _found(self, column: exp.Column, uses: Sequence[Use]) -> exp.Expr:
        for use in uses:
            facts = self.joins.finder.tables.get(use.table)
            if facts is None or (column.table and column.table.lower() != facts.name.lower()):
                continue
            for one in facts.columns:
                if one.name.lower() == column.name.lower():
                    return self.named(use, one.name)
        raise Unwritable(f"There is no column {column.sql(dialect='duckdb')} for what people defined.")

    # Conditions.

    def condition(self, condition: Condition) -> exp.Expr:
        """A condition as an expression."""
        match condition:
            case Comparison():
                return self._comparison(condition)
            case Member():
                return self._member(condition)
            case Related():
                return self.relate(self, condition)
            case Both():
                return exp.paren(exp.and_(*map(self.condition, condition.parts), copy=False), copy=False)
            case Either():
                return exp.paren(exp.or_(*map(self.condition, condition.parts), copy=False), copy=False)

    def _comparison(self, one: Comparison) -> exp.Expr:
        this = self.term(one.left)
        if one.operator == Operator.IS_NULL:
            found: exp.Expr = exp.Is(this=this, expression=exp.Null())
            return exp.Not(this=found) if one.negated else found
        kind = self.kind(one.left)
        literals = tuple(term for term in one.right if isinstance(term, Literal))
        if isinstance(one.left, Span):
            of = self.kind(one.left.of)
            right = [
                span_value(term, of, one.left.unit, one.left.part) if isinstance(term, Literal) else self.term(term)
                for term in one.right
            ]
            found = relation(this, one.operator, right)
        elif len(literals) == len(one.right):
            found = compared(this, kind, one.operator, literals)
        else:
            kinds = [self.kind(term) for term in one.right]
            if any(other.family == "number" for other in (kind, *kinds)) or kind.numeric:
                this = as_number(this, kind)
                right = [as_number(self.term(term), other) for term, other in zip(one.right, kinds, strict=True)]
            else:
                right = [self.term(term) for term in one.right]
            found = relation(this, one.operator, right)
        return _not(found) if one.negated else found

    def _member(self, one: Member) -> exp.Expr:
        query = self.write(one.plan)
        names = [str(name) for name in query.named_selects]
        if one.plan.limit is not None or one.negated:
            inner = exp.to_identifier("listed", quoted=True)
            value = exp.column(exp.to_identifier(names[0], quoted=True), table=inner.copy())
            query = exp.select(value).from_(exp.Subquery(this=query, alias=exp.TableAlias(this=inner)), copy=False)
            if one.negated:
                query = query.where(exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())), copy=False)
        found = exp.In(this=self.column(one.column), query=exp.Subquery(this=query))
        return exp.Not(this=found) if one.negated else found


def _not(condition: exp.Expr) -> exp.Expr:
    if isinstance(condition, exp.EQ):
        return exp.NEQ(this=condition.this, expression=condition.expression)
    if isinstance(condition, exp.Connector):
        condition = exp.paren(condition, copy=False)
    return exp.Not(this=condition)


WITH_MEDIAN: Final = ("duckdb", "postgres", "snowflake", "redshift", "oracle", "databricks", "clickhouse")
"""The dialects that have a median as an aggregate, by whichever name."""
AGGREGATES: dict[Aggregate, type[exp.AggFunc]] = {
    Aggregate.COUNT: exp.Count,
    Aggregate.SUM: exp.Sum,
    Aggregate.AVG: exp.Avg,
    Aggregate.MEDIAN: exp.Median,
    Aggregate.MIN: exp.Min,
    Aggregate.MAX: exp.Max,
}
