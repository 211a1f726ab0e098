"""One statement: which table it fills, and on what each of its columns and its rows depend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from resolvers.engines.lineage.bounds import NotFollowed
from resolvers.engines.lineage.flows import Flow, Kind, Relation
from resolvers.engines.lineage.names import LineageBinder
from resolvers.engines.lineage.queries import Queries
from resolvers.engines.sql_guard.judging import UNREADABLE
from resolvers.engines.sql_guard.naming import NameRules, TableIndex
from resolvers.engines.sql_guard.nesting import judge_tokens
from resolvers.engines.sql_guard.refusing import QueryRefused, parser_words, plain
from resolvers.engines.sql_guard.tables import Table

LONGEST: Final = 200_000
"""Characters of one statement."""
MOST_NODES: Final = 50_000
"""Parts of one statement, as the parser counts them."""
MOST_TABLES: Final = 1000
"""Places of one statement where a table is named. What is known of each is looked up from the others."""
MOST_EDGES: Final = 50_000
"""Edges of one statement."""

_NOT_FOLLOWED: Final = (
    *(exp.Pivot, exp.MatchRecognize, exp.Connect, exp.Lambda, exp.Command, exp.Prior, exp.ModelAttribute),
)
"""What changes which columns there are, or what names mean, in ways that are not followed."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that was not understood: its name, and a sentence about it."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """One column depends on another."""

    from_table: str
    """The FQN of a table or view."""
    from_column: str
    """Empty for its rows as a whole."""
    to_column: str
    """A column of what the statement makes; empty for its rows as a whole, so for each of its columns."""
    subtype: Kind


@dataclass(frozen=True, slots=True)
class StatementLineage:
    """What a statement says."""

    target: tuple[str, ...] = ()
    """The name of the table or view that it fills, as it is written, the table's own name last. Empty for a query."""
    columns: tuple[str, ...] = ()
    """The columns that it fills, or answers with."""
    reads: tuple[str, ...] = ()
    """The FQNs of the tables that it reads, sorted."""
    edges: tuple[Edge, ...] = ()
    gaps: tuple[Gap, ...] = ()
    """What was not understood. A statement that has any has no edges."""


def lineage_of(
    text: str,
    *,
    dialect: str,
    tables: Sequence[Table],
    near: Table | None = None,
    target_columns: Sequence[str] = (),
) -> StatementLineage:
    """The lineage of one statement: a SELECT, CREATE VIEW, CREATE TABLE AS or INSERT ... SELECT.

    `tables` is what it may read, with their columns; `near` is the table whose schema bare names are looked for in
    first; `target_columns` are the columns of what it fills, in their order, where that is known and the statement does
    not name them. Never raises for a text: what cannot be understood is a gap.
    """
    target: tuple[str, ...] = ()
    try:
        statement = _parsed(text, dialect)
        target, named, query = _parts(statement, NameRules(dialect))
        binder = LineageBinder(TableIndex(tables, near, dialect), dialect)
        binder.bind_in(query, dialect)
        reads = sorted({source.table.fqn for source in binder.bound.tables if source.table is not None})
        queries = Queries(dialect)
        answer = queries.answer(query)
        queries.work.spend_on((*answer.flows, *answer.order))
        edges, columns = _edges_of(answer, named or list(target_columns), isinstance(statement, exp.Insert))
        return StatementLineage(target, columns, tuple(reads), edges)
    except QueryRefused as refused:
        return StatementLineage(gaps=(Gap(refused.rule, refused.reason),))
    except NotFollowed as error:
        return StatementLineage(target, gaps=(Gap(error.gap, error.reason),))
    except RecursionError:
        return StatementLineage(gaps=(Gap("size", "The statement is nested too deeply."),))
    except UNREADABLE as error:
        return StatementLineage(gaps=(Gap("constructs", f"The statement is not understood: {type(error).__name__}."),))


def _parsed(text: str, dialect: str) -> exp.Expr:
    if not text.strip() or len(text) > LONGEST or "\x00" in text:
        raise QueryRefused("length", f"A statement has 1 to {LONGEST} characters.")
    reading = Dialect.get_or_raise(dialect)
    try:
        tokens = reading.tokenize(text)
        judge_tokens(tokens)
        statements = [one for one in reading.parser().parse(tokens, text) if one is not None]
    except UNREADABLE as error:
        words = parser_words(str(error).splitlines()[0]) if str(error) else type(error).__name__
        raise QueryRefused("syntax", f"This is no {dialect} SQL that can be read: {plain(words)}") from None
    if len(statements) != 1:
        raise QueryRefused("one_query", f"Give exactly one statement, not {len(statements)}.")
    tables = 0
    for count, node in enumerate(statements[0].walk()):
        tables += isinstance(node, exp.Table)
        if count > MOST_NODES or tables > MOST_TABLES:
            raise QueryRefused("size", "The statement is too long.")
        _judge(node)
    return statements[0]


def _judge(node: exp.Expr) -> None:
    """Raises QueryRefused for what is not followed."""
    if isinstance(node, _NOT_FOLLOWED):
        raise QueryRefused("constructs", f"{type(node).__name__} is not followed.")
    if isinstance(node, exp.Star) and (node.args.get("replace") or node.args.get("rename")):
        raise QueryRefused("constructs", "A star that replaces or renames columns is not followed.")
    if isinstance(node, exp.Select) and (node.args.get("kind") or node.args.get("match")):
        raise QueryRefused("constructs", "A query that answers with structures is not followed.")
    if isinstance(node, exp.CTE) and not isinstance(node.this, exp.Query | exp.Values):
        raise QueryRefused("statement", "A WITH that writes is not followed.")


def _parts(statement: exp.Expr, names: NameRules) -> tuple[tuple[str, ...], list[str], exp.Query]:
    """The target's name, the columns that the statement names for it, and its query."""
    if isinstance(statement, exp.Create | exp.Insert):
        if isinstance(statement, exp.Create) and str(statement.args.get("kind")).upper() not in ("VIEW", "TABLE"):
            raise QueryRefused("statement", "Only views, tables and inserts have lineage.")
        conflict = statement.args.get("conflict")
        if conflict is not None and conflict.expressions:
            raise QueryRefused("statement", "An insert that updates is not followed.")
        query = statement.expression
        place = statement.this
        named = []
        if isinstance(place, exp.Schema):
            named = [one.name for one in place.expressions]
            place = place.this
        if not isinstance(place, exp.Table) or not isinstance(place.this, exp.Identifier):
            raise QueryRefused("statement", "The table that the statement fills has no plain name.")
        target = tuple(names.alias(part) for part in place.parts)
        clause = statement.args.get("with_")
    else:
        query, target, named, clause = statement, (), [], None
    while isinstance(query, exp.Subquery) and not any(query.args.get(p) for p in ("order", "limit", "offset", "with_")):
        query = query.this
    if not isinstance(query, exp.Select | exp.SetOperation | exp.Subquery):
        raise QueryRefused("statement", "Only SELECT, CREATE VIEW, CREATE TABLE AS and INSERT ... SELECT have lineage.")
    if clause is not None:
        if query.args.get("with_") is not None:
            raise QueryRefused("constructs", "Two WITH clauses in one statement are not followed.")
        statement.set("with_", None)
        query.set("with_", clause)
    query.parent = None
    return target, named, query


def _edges_of(answer: Relation, named: Sequence[str], fills: bool) -> tuple[tuple[Edge, ...], tuple[str, ...]]:
    """The answer's flows as edges, and the columns that they lead to."""
    columns = list(answer.names)
    if fills:
        if len(named) < len(columns):
            raise NotFollowed("target", "The columns of the table that is filled are not known, so names are missing.")
        columns = list(named[: len(columns)])
    elif named:
        columns[: len(named)] = named[: len(columns)]
    edges: set[Edge] = set()
    flows = [a | b for a, b in zip(answer.flows, answer.order, strict=True)] if answer.order else answer.flows
    for column, flow in zip((*columns, ""), (*flows, answer.rows | answer.copies), strict=True):
        edges |= _edges(flow, column)
    if len(edges) > MOST_EDGES:
        raise NotFollowed("size", f"The statement has more than {MOST_EDGES} edges.")
    return tuple(sorted(edges)), tuple(columns)


def _edges(flow: Flow, column: str) -> set[Edge]:
    return {Edge(table, source or "", column, kind) for table, source, kind in flow}
