"""Parse, judge, bind and compile one query. What is sent is written anew from what was understood, never the text.

So a comment that a database would execute, or a spelling that two parsers read differently, cannot get past: what the
parser here has not seen is not in what is sent. The rules, each with a name that the refusal bears: length, syntax,
one_query, no_writes, no_definitions, no_commands, no_locks, no_parameters, no_table_functions, no_hints,
no_row_generators, no_lambdas, no_recursion, natural_join, size, functions, types, constructs, tables, columns,
policy_unreadable, policy_forbid, policy_aggregate_only, policy_group_size.

What remains for those who run the query: what a source says of a failure may quote values of rows, also of rows that a
policy leaves out of the answer, so its words are not passed on when `Guarded.applied` or a forbidden column is about
the tables. Totals that differ by one row tell about that row: a minimum group size bounds every single answer, and
`Guarded.behind` tells the rows behind it, for whoever compares it with the answers before.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from resolvers.engines.sql_guard.binding import Binder
from resolvers.engines.sql_guard.compiling import ROW, Compiled, compiled, readable, refuse_forbidden
from resolvers.engines.sql_guard.group_sizes import Behind, rows_behind
from resolvers.engines.sql_guard.judging import parsed
from resolvers.engines.sql_guard.lineage import Bound, Key
from resolvers.engines.sql_guard.masking import HIDDEN, UNSHOWN
from resolvers.engines.sql_guard.naming import TableIndex, quoted
from resolvers.engines.sql_guard.policies import Broken, Policy
from resolvers.engines.sql_guard.refusing import QueryRefused
from resolvers.engines.sql_guard.tables import Table

Relation = Callable[[Table], exp.Table]


class NamedColumn(Protocol):
    """A column of the catalog, as drafters name it."""

    @property
    def table(self) -> str:
        """The FQN of its table."""

    @property
    def column(self) -> str:
        """Its name."""


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One column of the answer."""

    name: str
    columns: frozenset[Key]
    """The columns that its values derive from: the FQN of the table, and the name. Empty for a count of rows."""
    aggregated: bool
    """Whether it is computed over many rows."""
    masked: bool = False
    """Whether a policy masks something that it derives from."""
    told: frozenset[Key] = frozenset()
    """Those of the columns whose values it may show: not those that are only counted."""


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that may be sent."""

    query: exp.Query
    """Bound, with every identifier quoted and no `*`, policies compiled in; tables stand as the relation given."""
    tables: tuple[Table, ...]
    """What it reads, each once."""
    columns: frozenset[Key]
    """The FQN of the table and the name of every column that it names anywhere."""
    counts: bool
    """Whether it answers with a single figure: one aggregate, without groups."""
    applied: tuple[str, ...] = ()
    """The ids of the policies that changed it or judged it."""
    masked: frozenset[Key] = frozenset()
    """The columns that it sees masked, wherever it uses them."""
    filtered: frozenset[str] = frozenset()
    """The FQNs of the tables of which policies let it see some rows only."""
    least_rows: int = 0
    """How many rows the policies want behind each figure; smaller groups are left out of the answer. 0: any number."""
    behind: tuple[Behind, ...] = ()
    """Where policies want so many rows behind each figure: what tells which rows those are."""
    outputs: tuple[OutputColumn, ...] = ()
    """The columns of the answer, in their order."""
    reads: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    """In which clauses each column is used, through whatever queries inside: output, filter, join, group, order,
    having, window. None of them for a column that a query inside names in vain."""

    def shown(self, dialect: str, *, pretty: bool = False) -> str:
        """Return what is sent, as people may read it: without the salt of a mask."""
        query = self.query.copy()
        for node in query.find_all(exp.Literal):
            if node.meta_get(UNSHOWN):
                node.set("this", HIDDEN)
        return query.sql(dialect=dialect, identify=True, comments=False, pretty=pretty, copy=False)


def guard_sql(
    text: str,
    *,
    dialect: str,
    tables: Sequence[Table],
    near: Table | None = None,
    most_rows: int | None = None,
    relation: Relation | None = None,
    policies: Sequence[Policy | Broken] = (),
    forbidden: Collection[Key | NamedColumn] = (),
) -> GuardedQuery:
    """The query that a text holds. Raises Refused.

    `near` is the table whose schema a bare name is looked for in first; `most_rows` bounds the answer; `relation` says
    what stands in FROM for a table, three quoted names by default. `policies` are those that hold for the caller, also
    those that cannot be read (`policies_for`); `forbidden` are columns that the caller may not read, by the FQN of
    their table and their name.
    """
    holding = readable(policies)
    query = parsed(text, dialect)
    try:
        meaning = Binder(TableIndex(tables, near, dialect), dialect).bind(query)
    except RecursionError:
        raise QueryRefused("size", "The query is nested too deeply.") from None
    if not meaning.tables:
        raise QueryRefused("tables", "The query reads no table of the catalog.")
    if forbidden:
        refuse_forbidden(meaning, frozenset(map(_key, forbidden)))
    counts = _counts(query)
    done = compiled(query, meaning, holding, dialect) if holding else Compiled()
    if most_rows is not None:
        bound(query, most_rows)
    _relate(meaning, done, relation)
    if dialect == "mysql":
        _match_as_mariadb(query)
    behind = rows_behind(query, done.grouped, ROW, frozenset(map(_key, forbidden)))
    read = {source.table.fqn: source.table for source in meaning.tables if source.table is not None}
    return GuardedQuery(
        query=query,
        tables=tuple(read.values()),
        columns=frozenset(meaning.reads),
        counts=counts,
        applied=tuple(done.applied),
        masked=frozenset(done.masked),
        filtered=frozenset(done.filtered),
        least_rows=done.least_rows,
        behind=behind,
        outputs=tuple(
            OutputColumn(name, origin.columns, origin.aggregated, bool(origin.columns & done.masked), origin.told)
            for name, origin in zip(meaning.answer.names, meaning.answer.origins, strict=True)
        ),
        reads={key: frozenset(clauses) for key, clauses in meaning.reads.items()},
    )


def _match_as_mariadb(query: exp.Query) -> None:
    """MariaDB has no REGEXP_LIKE, which RLIKE would be written as; MySQL has both."""
    for node in list(query.find_all(exp.RegexpLike)):
        if not node.args.get("flag"):
            found = exp.RegexpInstr(this=node.this, expression=node.expression)
            node.replace(exp.Paren(this=exp.GT(this=found, expression=exp.Literal.number(0))))


def _key(column: Key | NamedColumn) -> Key:
    return column if isinstance(column, tuple) else (column.table, column.column)


def _counts(query: exp.Query) -> bool:
    """Return whether the query answers with one figure."""
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


def _relate(meaning: Bound, done: Compiled, relation: Relation | None) -> None:
    """Put what the source calls a table in its place, within what the policies wrap it in."""
    for source in meaning.tables:
        node, table = source.node, source.table
        if node is None or table is None:
            continue
        wrap = done.wraps.get(id(source))
        if relation is None and wrap is None:
            continue
        joins = node.args.get("joins")
        alias = exp.TableAlias(this=quoted(source.alias))
        made: exp.Expr
        if relation is None:
            made = exp.Table(**{part: node.args.get(part) for part in ("this", "db", "catalog")})
        else:
            made = relation(table).copy()
        made.set("alias", alias)
        if wrap is not None:
            wrap.set("from_", exp.From(this=made))
            made = exp.Subquery(this=wrap, alias=alias.copy())
        if joins:
            made.set("joins", joins)
        node.replace(made)
