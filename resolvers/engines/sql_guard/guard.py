"""Parse, judge and qualify one query. What is sent is written anew from what was understood, never the text itself.

So a comment that a database would execute, or a spelling that two parsers read differently, cannot get past: what the
parser here has not seen is not in what is sent. The rules, in their order, each with a name that the refusal bears:
length, syntax, one_query, no_writes, no_definitions, no_commands, no_locks, no_parameters, no_table_functions,
no_hints, no_row_generators, no_lambdas, no_recursion, size, functions, types, tables, columns.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from resolvers.engines.sql_guard.allowed import ANONYMOUS, FUNCTIONS, REFUSED, TYPES
from schema.data_readiness.source import TableFacts

LONGEST: Final = 20_000
MOST_NODES: Final = 5_000
DEEPEST: Final = 100
UPPER_CASE: Final = frozenset({"snowflake", "oracle"})
"""The dialects that fold bare names to capitals."""


class Refused(Exception):
    """A query that may not be sent: the rule that refused it, and a sentence that says what to do."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(f"{reason} (rule: {rule})")
        self.rule, self.reason = rule, reason


@dataclass(frozen=True, slots=True)
class Table:
    """A table that a query may read, with the columns of it that it may name."""

    fqn: str
    database: str
    schema: str
    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guarded:
    """A query that may be sent."""

    query: exp.Query
    """Qualified, with every identifier quoted and no `*`; tables stand as the relation that was given."""
    tables: tuple[Table, ...]
    """What it reads, each once."""
    columns: frozenset[tuple[str, str]]
    """The FQN of the table and the name of every column that it names anywhere."""
    counts: bool
    """Whether it answers with a single figure: one aggregate, without groups."""


Relation = Callable[[Table], exp.Table]


def tables_of_catalog(facts: Iterable[TableFacts]) -> list[Table]:
    """The tables of the catalog, as the guard takes them."""
    return [
        Table(one.fqn, one.database, one.schema, one.name, tuple(column.name for column in one.columns))
        for one in facts
    ]


def guard_sql(
    text: str,
    *,
    dialect: str,
    tables: Sequence[Table],
    near: Table | None = None,
    most_rows: int | None = None,
    relation: Relation | None = None,
) -> Guarded:
    """The query that a text holds. Raises Refused.

    `near` is the table whose schema a bare name is looked for in first; `most_rows` bounds the answer; `relation` says
    what stands in FROM for a table, three quoted names by default.
    """
    query = _parsed(text, dialect)
    _judge(query)
    used = _resolve(query, tables, near)
    query = _qualified(query, dialect, used)
    columns = frozenset(_columns(query, used))
    counts = _counts(query)
    if most_rows is not None:
        bound(query, most_rows)
    if relation is not None:
        _replace(query, used, relation)
    return Guarded(query, tuple({table.fqn: table for table in used.values()}.values()), columns, counts)


def _parsed(text: str, dialect: str) -> exp.Query:
    if not text.strip() or len(text) > LONGEST or "\x00" in text:
        raise Refused("length", f"Send one query of 1 to {LONGEST} characters.")
    try:
        statements = [one for one in sqlglot.parse(text, dialect=dialect) if one is not None]
    except (SqlglotError, RecursionError, ValueError) as error:
        words = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise Refused("syntax", f"This is no {dialect} SQL that can be read: {_plain(words)}") from None
    if len(statements) != 1:
        raise Refused("one_query", f"Send exactly one query, not {len(statements)} statements.")
    (statement,) = statements
    while isinstance(statement, exp.Subquery) and not statement.alias:
        statement = statement.this
    for count, node in enumerate(_walk(statement)):
        if count > MOST_NODES:
            raise Refused("size", "The query is too long. Ask for less at once.")
        for rule, words, kinds in REFUSED:
            if isinstance(node, kinds):
                raise Refused(rule, f"The query is refused because {words}. Send one SELECT that only reads.")
    if not isinstance(statement, exp.Select | exp.SetOperation):
        raise Refused("one_query", "Only a SELECT, or a union of SELECTs, can be sent.")
    return statement


def _walk(statement: exp.Expr) -> Iterator[exp.Expr]:
    """Every node, without recursion; raises Refused for a query that is nested too deeply."""
    waiting: list[tuple[exp.Expr, int]] = [(statement, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST and not isinstance(node, exp.Connector | exp.Binary | exp.SetOperation):
            raise Refused("size", "The query is nested too deeply.")
        yield node
        waiting += [(child, depth + 1) for child in node.iter_expressions()]


def _judge(query: exp.Query) -> None:
    """Refuse what is not on the lists of what may be called and cast to."""
    for node in _walk(query):
        if isinstance(node, exp.With) and node.args.get("recursive"):
            raise Refused("no_recursion", "A query that calls itself is refused. Write it without RECURSIVE.")
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
            raise Refused(
                "no_table_functions", "A function or a file cannot stand in FROM. Name tables of the catalog."
            )
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            name = str(node.this).upper()
            if name not in ANONYMOUS:
                raise Refused("functions", f"The function {_plain(str(node.this))} is not one that may be called.")
        elif isinstance(node, exp.Func) and not isinstance(node, FUNCTIONS):
            raise Refused("functions", f"The function {node.sql_name()} is not one that may be called.")
        if isinstance(node, exp.Dot):
            raise Refused("functions", "Functions are called by their bare names, and fields by JSON operators.")
        if isinstance(node, exp.DataType) and (node.this not in TYPES or node.args.get("nested")):
            raise Refused("types", f"Values may not be cast to {_plain(node.sql())}.")


def _resolve(query: exp.Query, tables: Sequence[Table], near: Table | None) -> dict[str, Table]:
    """Give every table of the query its whole name; the tables by that name. Raises Refused."""
    used: dict[str, Table] = {}
    try:
        scopes = list(traverse_scope(query))
    except (SqlglotError, RecursionError) as error:
        raise Refused("syntax", f"The query cannot be understood: {_plain(str(error)[:200])}") from None
    derived = _derived(query, scopes)
    for node in [node for node in _walk(query) if isinstance(node, exp.Table)]:
        if id(node) in derived:
            continue
        table = _found(node, tables, near)
        used[_spelled(table)] = table
        node.set("this", exp.to_identifier(table.name, quoted=True))
        node.set("db", exp.to_identifier(table.schema, quoted=True))
        node.set("catalog", exp.to_identifier(table.database, quoted=True))
        if not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
    if not used:
        raise Refused("tables", "The query reads no table of the catalog.")
    return used


def _derived(query: exp.Query, scopes: Sequence[Scope]) -> set[int]:
    """The names in FROM that stand for a query of the WITH clause, by the id of the node. Raises Refused."""
    named = {node.alias for node in _walk(query) if isinstance(node, exp.CTE)}
    found: set[int] = set()
    for scope in scopes:
        seen: set[str] = set()
        for table in scope.tables:
            name = table.alias_or_name
            if name.casefold() in seen:
                raise Refused("tables", f"{_plain(name)} stands twice in one FROM. Give each its own name.")
            seen.add(name.casefold())
            if table.name in named and not table.args.get("db") and isinstance(scope.sources.get(name), Scope):
                found.add(id(table))
    return found


def _found(node: exp.Table, tables: Sequence[Table], near: Table | None) -> Table:
    given = (node.args.get("catalog"), node.args.get("db"), node.this)
    fits = [
        table
        for table in tables
        if all(
            part is None or _same(part, name)
            for part, name in zip(given, (table.database, table.schema, table.name), strict=True)
        )
    ]
    if near is not None and len(fits) > 1:
        fits = [table for table in fits if (table.database, table.schema) == (near.database, near.schema)] or fits
    told = _plain(".".join(part.name for part in given if part is not None))
    if not fits:
        raise Refused("tables", f"{told} is not a table that this query may read. Name tables of the catalog.")
    if len(fits) > 1:
        exact = [table for table in fits if table.name == node.name]
        if len(exact) != 1:
            raise Refused("tables", f"{told} may mean several tables. Name it with its schema.")
        fits = exact
    return fits[0]


def _same(part: exp.Expr, name: str) -> bool:
    if isinstance(part, exp.Identifier) and part.quoted:
        return part.name == name
    return part.name.casefold() == name.casefold()


def _qualified(query: exp.Query, dialect: str, used: Mapping[str, Table]) -> exp.Query:
    """Name the table of every column, and put columns in the place of `*`. Raises Refused."""
    known: dict[str, Any] = {}
    spelled: dict[str, set[str]] = {}
    for table in used.values():
        columns = {name: "UNKNOWN" for name in table.columns}
        known.setdefault(table.database, {}).setdefault(table.schema, {})[table.name] = columns
        for name in table.columns:
            spelled.setdefault(name.casefold(), set()).add(name)
    for node in list(_walk(query)):
        # Databases differ in how they fold names; a bare one means the only column that is spelled like it.
        if isinstance(node, exp.Column):
            _fold(node, "this", spelled)
        elif isinstance(node, exp.Alias):
            _fold(node, "alias", spelled)
    folding = dialect if dialect in UPPER_CASE else f"{dialect}, normalization_strategy=lowercase"
    try:
        qualified = qualify(
            query,
            dialect=folding,
            schema=MappingSchema(known, dialect=folding, normalize=False),
            quote_identifiers=True,
            identify=True,
            expand_stars=True,
            validate_qualify_columns=True,
        )
    except (SqlglotError, RecursionError, KeyError, ValueError) as error:
        words = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise Refused("columns", f"A column of the query is not in the catalog: {_plain(words)}") from None
    if not isinstance(qualified, exp.Query):
        raise Refused("one_query", "Only a SELECT, or a union of SELECTs, can be sent.")
    derived = _derived(qualified, list(traverse_scope(qualified)))
    for node in _walk(qualified):
        node.comments = None
        if isinstance(node, exp.TableColumn):
            raise Refused("columns", f"{_plain(node.name)} is a table, not a column. Name its columns.")
        if isinstance(node, exp.Table) and _node_name(node) not in used and id(node) not in derived:
            raise Refused("tables", f"{_plain(node.name)} is not a table that this query may read.")
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            raise Refused("columns", "`*` could not be expanded. Name the columns.")
    return qualified


def _fold(node: exp.Expr, part: str, spelled: Mapping[str, set[str]]) -> None:
    name = node.args.get(part)
    if isinstance(name, exp.Identifier) and not name.quoted:
        names = spelled.get(name.name.casefold(), set())
        if len(names) == 1:
            node.set(part, exp.to_identifier(next(iter(names)), quoted=True))


def _columns(query: exp.Query, used: Mapping[str, Table]) -> Iterator[tuple[str, str]]:
    for scope in traverse_scope(query):
        sources = {name: source for name, source in scope.sources.items() if isinstance(source, exp.Table)}
        for column in scope.columns:
            node = sources.get(column.table)
            if node is not None:
                yield used[_node_name(node)].fqn, column.name


def _counts(query: exp.Query) -> bool:
    """Whether the query answers with one figure."""
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return False
    if any(query.args.get(name) for name in ("group", "having", "distinct", "windows", "qualify")):
        return False
    projection = query.expressions[0].unalias()
    aggregates = [node for node in projection.find_all(exp.AggFunc) if not node.find_ancestor(exp.Subquery)]
    return bool(aggregates) and not any(node.find_ancestor(exp.Window) for node in aggregates)


def bound(query: exp.Query, most_rows: int) -> None:
    """Let a query answer with so many rows at most."""
    standing = query.args.get("limit")
    number = standing.args.get("expression") if isinstance(standing, exp.Limit) else None
    if standing is not None and isinstance(standing, exp.Fetch):
        number = standing.args.get("count")
    asked = int(number.name) if isinstance(number, exp.Literal) and number.name.isdigit() else most_rows
    query.set("limit", exp.Limit(expression=exp.Literal.number(min(asked, most_rows))))


def _replace(query: exp.Query, used: Mapping[str, Table], relation: Relation) -> None:
    for node in list(query.find_all(exp.Table)):
        if not node.args.get("catalog"):
            continue
        made = relation(used[_node_name(node)]).copy()
        made.set("alias", exp.TableAlias(this=exp.to_identifier(node.alias_or_name, quoted=True)))
        if node.args.get("joins"):
            made.set("joins", node.args["joins"])
        node.replace(made)


def _spelled(table: Table) -> str:
    return "\x1f".join((table.database, table.schema, table.name))


def _node_name(node: exp.Table) -> str:
    return "\x1f".join((node.catalog, node.db, node.name))


def _plain(text: str) -> str:
    """A text from the query as a message shows it: short, on one line, without control characters."""
    return "".join(islice((sign if sign.isprintable() else " " for sign in text), 200))
