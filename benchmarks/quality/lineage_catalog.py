"""The views that a PostgreSQL server brings with it, judged by what the server itself writes down of them.

Their tables are those of its catalog, in which nothing can be changed to see what moves. So the tables are made anew in
a schema of their own, empty, and the views over them; and what lineage reads from a view is held against the columns on
which the server says that it depends. That tells whether a view reads a column, and not which of its columns do. The
server counts every column that is named anywhere, also one that a query inside names in vain.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import psycopg

from resolvers.engines.lineage import lineage_of
from resolvers.engines.sql_guard.tables import Table

_SCHEMAS: Final = "('pg_catalog', 'information_schema')"
_VIEWS: Final = f"""
    select v.relname, pg_get_viewdef(v.oid) from pg_class v join pg_namespace n on n.oid = v.relnamespace
    where v.relkind = 'v' and n.nspname in {_SCHEMAS} order by v.oid
"""
_TABLES: Final = f"""
    select t.relname, string_agg(format('%I %s', a.attname, case
        when a.atttypid in ('anyarray'::regtype, 'pg_statistic[]'::regtype) then 'text[]'  -- of which no table is made
        else format_type(a.atttypid, a.atttypmod) end), ', ' order by a.attnum)
    from pg_class t join pg_namespace n on n.oid = t.relnamespace join pg_attribute a on a.attrelid = t.oid
    where t.relkind = 'r' and n.nspname in {_SCHEMAS} and a.attnum > 0 and not a.attisdropped group by t.relname
"""
_COLUMNS: Final = """
    select c.relname, array_agg(a.attname::text order by a.attnum)
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'copied'::regnamespace and c.relkind in ('r', 'v') and a.attnum > 0 group by c.relname
"""
_DEPENDS: Final = """
    select distinct v.relname, t.relname, a.attname
    from pg_depend d join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
    join pg_class v on v.oid = r.ev_class
    join pg_class t on d.refclassid = 'pg_class'::regclass and t.oid = d.refobjid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where v.relnamespace = 'copied'::regnamespace and t.oid <> v.oid and d.refobjsubid > 0
"""

Pair = tuple[str, str]
"""A table or view that is read, and a column of it."""


@dataclass(frozen=True, slots=True)
class SystemView:
    """What is said of one view, and what the server says."""

    name: str
    text: str
    said: frozenset[Pair]
    known: frozenset[Pair]
    gaps: tuple[str, ...] = ()

    @property
    def wrong(self) -> frozenset[Pair]:
        """What is said to be read, and is not."""
        return self.said - self.known

    @property
    def unsaid(self) -> frozenset[Pair]:
        """What is named in the view, and of which nothing is said."""
        return self.known - self.said


def system_views(url: str) -> Iterator[SystemView]:
    """Judge the views of a server, those that can be made over copies of its tables; in a database of nobody else."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("set search_path to pg_catalog, information_schema")  # so that names stand there without one
        views = [(str(name), str(text).rstrip().rstrip(";")) for name, text in connection.execute(_VIEWS)]
        connection.execute("drop schema if exists copied cascade; create schema copied")
        for name, columns in connection.execute(_TABLES).fetchall():
            connection.execute(f'create table copied."{name}" ({columns})'.encode())
        # Names without a schema mean the copies first, and what is no copy is of the catalog: its functions and types.
        connection.execute("set search_path to copied, pg_catalog, information_schema")
        made = {name: text for name, text in views if _is_made(connection, name, text)}
        connection.execute("reset search_path")
        columns = dict(connection.execute(_COLUMNS).fetchall())
        known: dict[str, set[Pair]] = {}
        for view, table, column in connection.execute(_DEPENDS):
            known.setdefault(view, set()).add((table, column))
        connection.execute("drop schema copied cascade")
    tables = [Table(name, "d", "copied", name, tuple(some)) for name, some in columns.items()]
    for name, text in made.items():
        lineage = lineage_of(text, dialect="postgres", tables=tables)
        said = frozenset((edge.from_table, edge.from_column) for edge in lineage.edges if edge.from_column)
        gaps = tuple(f"{gap.name}: {gap.reason}" for gap in lineage.gaps)
        yield SystemView(name, text, said, frozenset(known.get(name, ())), gaps)


def _is_made(connection: psycopg.Connection[tuple[object, ...]], name: str, text: str) -> bool:
    try:
        connection.execute(f'create view copied."{name}" as {text}'.encode())
    except psycopg.Error:
        return False
    return True
