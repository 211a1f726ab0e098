"""The data of collections of documents, against the stand-ins of their servers."""

import datetime
import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs

import pytest
from sqlglot import exp

from persistence.connectors.core.base import Connector, ConnectorError
from tests.support.http_stub import Asked, Reply, http_stub
from tests.support.mongo_wire import MongoStandIn, mongo_stand_in
from tests.support.sources import opened

bson = pytest.importorskip("bson")

PASSWORD = "right-pass-phrase"
KEY = bson.ObjectId("65a000000000000000000001")
MOMENT = datetime.datetime.fromisoformat("2024-01-01 12:30:00.123")

ORDERS: list[dict[str, Any]] = [
    {
        "_id": KEY,
        "total": 3,
        "customer": {"name": "Ann", "address": {"city": "Rome"}},
        "tags": ["a", 1, {"b": MOMENT}],
        "paid": True,
        "when": MOMENT.replace(tzinfo=datetime.UTC),
        "price": bson.Decimal128("1.10"),
        "mixed": "x",
        "big": bson.Int64(1 << 40),
        "odd": float("nan"),
        'it\'s "so"': 1,
    },
    {"_id": 2, "total": 2.5, "customer": None, "mixed": 1, "big": 5, "raw": b"\x00\xff", "nothing": None, "Total": 9},
    {"_id": "three", "mixed": {}, "when": None, "odd": 1.5, "name": "e\u0301 \U0001f600\n"},
]


@pytest.fixture
def server() -> Iterator[MongoStandIn]:
    """A stand-in with a shop in it."""
    many = [{"_id": number, "n": number} for number in range(5000)]
    shop = {
        "orders": {"documents": ORDERS},
        "empty": {"documents": []},
        "many": {"documents": many},
        "seen": {"documents": many[:3], "view": {"viewOn": "many", "pipeline": []}},
        "system.views": {"documents": [{"_id": 1}]},
    }
    with mongo_stand_in({"shop": shop, "other": {"t": {"documents": many[:1]}}}, "ann", PASSWORD) as running:
        yield running


@contextmanager
def source(server: MongoStandIn, config: dict[str, Any] | None = None, **limits: Any) -> Iterator[tuple[Any, Any]]:
    place = {"host": "mongo.example", "port": server.port, **(config or {})}
    login = {"username": "ann", "password": PASSWORD}
    with opened("mongodb", place, login, **limits) as connector, connector.source() as reading:
        yield connector, reading


def test_the_fields_of_documents_are_typed_columns_named_as_in_the_catalog(server: MongoStandIn) -> None:
    with source(server) as (connector, reading):
        (listed,) = connector.tables("shop", "default", ["orders"])
        relation = reading.relation("shop", "default", "orders")
        rows = reading.ask(exp.select("*").from_(relation))
        with reading.session(10) as session:
            types = {row[0]: row[1] for row in session.execute(f"describe {relation.name}").fetchall()}
    assert types == {
        "_id": "VARCHAR",
        "Total_1": "BIGINT",
        "big": "BIGINT",
        "customer.address.city": "VARCHAR",
        "customer.name": "VARCHAR",
        'it\'s "so"': "BIGINT",
        "mixed": "VARCHAR",
        "name": "VARCHAR",
        "nothing": "VARCHAR",
        "odd": "DOUBLE",
        "paid": "BOOLEAN",
        "price": "DOUBLE",
        "raw": "VARCHAR",
        "tags": "VARCHAR",
        "total": "DOUBLE",
        "when": "TIMESTAMP",
    }
    assert set(types) - {"Total_1"} == {column.name for column in listed.columns} - {"Total"}
    first, second, third = (dict(zip(types, row, strict=True)) for row in rows)
    assert first["_id"] == str(KEY)
    assert first["when"] == MOMENT
    assert first["customer.address.city"] == "Rome"
    assert json.loads(first["tags"]) == ["a", 1, {"b": MOMENT.isoformat()}]
    assert (first["total"], first["paid"], first["price"], first["mixed"], first["big"]) == (
        3.0,
        True,
        1.1,
        "x",
        1 << 40,
    )
    assert first["odd"] != first["odd"]
    assert first['it\'s "so"'] == 1
    assert (second["_id"], second["total"], second["mixed"], second["raw"]) == ("2", 2.5, "1", "00ff")
    assert second["customer.name"] is None
    assert (third["_id"], third["mixed"], third["odd"], third["name"]) == ("three", "{}", 1.5, ORDERS[2]["name"])


def test_a_collection_is_counted_streamed_and_sampled(server: MongoStandIn) -> None:
    with source(server) as (_, reading):
        many = reading.relation("shop", "default", "many")
        counted = exp.select(exp.func("count", exp.Star()), exp.Sum(this=exp.column("n", quoted=True))).from_(many)
        assert reading.ask(counted) == [(5000, Decimal(sum(range(5000))))]
        sample = reading.sample(many, ["n"], 100)
        assert sample == reading.sample(many, ["n"], 100)
        assert (len(sample.rows), sample.is_whole) == (100, False)
        assert reading.sample(many, ["n"], 5000).is_whole
        assert sum(len(batch) for batch in reading.stream(exp.select("*").from_(many), size=999)) == 5000
        assert reading.statistics("shop", "default", "many").row_count == 5000
        assert reading.statistics("shop", "default", "seen") is None
        assert reading.ask(exp.select("*").from_(reading.relation("shop", "default", "empty"))) == []
        assert len(reading.ask(exp.select("*").from_(reading.relation("shop", "default", "seen")))) == 3
    assert server.asked.count("getMore") >= 4


def test_a_collection_larger_than_what_is_read_is_sampled_and_says_so(server: MongoStandIn) -> None:
    with source(server, source_documents=1000) as (_, reading):
        many = reading.relation("shop", "default", "many")
        sample = reading.sample(many, ["n"], 2000)
        assert not sample.is_whole
        assert len(sample.rows) == 1000
        assert max(row[0] for row in sample.rows) > 4900
    with source(server, source_documents=5000) as (_, reading):
        assert reading.sample(reading.relation("shop", "default", "many"), ["n"], 5000).is_whole
    with source(server, source_documents=2) as (_, reading):
        # A view tells no size, so its beginning is read.
        seen = reading.sample(reading.relation("shop", "default", "seen"), ["n"], 10)
        assert (seen.rows, seen.is_whole) == (((0,), (1,)), False)


def test_only_selected_collections_can_be_read(server: MongoStandIn) -> None:
    selected = [{"database_name": "shop", "schemas": [{"schema_name": "default", "tables": ["orders"]}]}]
    with source(server, {"selected_tables": selected}) as (_, reading):
        reading.relation("shop", "default", "orders")
        for names in (
            ("shop", "default", "many"),
            ("shop", "other", "orders"),
            ("other", "default", "t"),
            ("admin", "default", "t"),
        ):
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.relation(*names)
    with source(server, {"database": "shop"}) as (_, reading):
        for names in (("other", "default", "t"), ("shop", "default", "system.views"), ("shop", "default", "gone")):
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.relation(*names)
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.statistics(*names)


def test_reading_documents_is_stopped_by_cancelling(server: MongoStandIn) -> None:
    with source(server) as (connector, reading):
        server.stop_after_first = connector.cancel
        with pytest.raises(ConnectorError) as stopped:
            reading.relation("shop", "default", "many")
        assert stopped.value.kind == "cancelled"
        with pytest.raises(ConnectorError) as stopped:
            reading.relation("shop", "default", "orders")
        assert stopped.value.kind == "cancelled"


def test_a_collection_that_may_not_be_read_says_so(server: MongoStandIn) -> None:
    server.databases["shop"]["orders"]["refused"] = True
    with source(server) as (_, reading), pytest.raises(ConnectorError) as refused:
        reading.relation("shop", "default", "orders")
    assert refused.value.kind == "permission"


class Couchbase:
    """The query service with one collection of numbered documents."""

    def __init__(self, count: int) -> None:
        self.documents = [
            (f"k{number:05}", {"n": number, "geo": {"lat": 1.5}, "tags": [number]}) for number in range(count)
        ]
        self.statements: list[str] = []
        self.padding = 0
        self.connector: Connector | None = None

    def __call__(self, asked: Asked) -> Reply:
        form = {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
        statement = form["statement"]
        assert form["readonly"] == "true"
        self.statements.append(statement)
        results: list[Any] = []
        if "system:keyspaces" in statement:
            results = [
                {"b": "travel", "s": "inventory", "n": "airline"},
                {"b": "travel", "s": "_system", "n": "_query"},
            ]
        elif "COUNT(*)" in statement:
            results = [len(self.documents)]
        elif "META(d).id AS k" in statement:
            last, most = json.loads(form["$last"]), int(statement.rpartition("LIMIT ")[2])
            found = [(key, value) for key, value in self.documents if key > last]
            if "RANDOM() <" in statement:
                found = found[::5]
            results = [{"k": key, "v": {**value, "pad": "x" * self.padding}} for key, value in found[:most]]
            if self.connector is not None and last:
                self.connector.cancel()
        return 200, {}, json.dumps({"results": results, "status": "success"}).encode()


@contextmanager
def couch(answers: Couchbase, **limits: Any) -> Iterator[tuple[Any, Any]]:
    with http_stub(answers) as stub:
        place = {"host": "couch.example", "port": stub.port, "database": "travel"}
        login = {"username": "ann", "password": PASSWORD}
        with opened("couchbase", place, login, **limits) as connector, connector.source() as reading:
            yield connector, reading


def test_a_couchbase_collection_is_read_by_pages_of_its_keys() -> None:
    answers = Couchbase(2500)
    with couch(answers) as (_, reading):
        airline = reading.relation("travel", "inventory", "airline")
        rows = reading.ask(exp.select("*").from_(airline).limit(2))
        total = reading.ask(exp.select(exp.func("count", exp.Star()), exp.func("max", exp.column("n"))).from_(airline))
        known = reading.statistics("travel", "inventory", "airline")
        for names in (
            ("travel", "_system", "_query"),
            ("travel", "inventory", "gone"),
            ("beer", "inventory", "airline"),
        ):
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.relation(*names)
    assert rows == [(1.5, 0, "", "[0]"), (1.5, 1, "", "[1]")]
    assert total == [(2500, 2499)]
    assert known is not None
    assert known.row_count == 2500
    assert len([statement for statement in answers.statements if "META(d).id AS k" in statement]) == 3


def test_pages_become_smaller_where_documents_are_long() -> None:
    answers = Couchbase(150)
    answers.padding = 300_000
    with couch(answers) as (_, reading):
        airline = reading.relation("travel", "inventory", "airline")
        assert reading.ask(exp.select(exp.func("count", exp.Star())).from_(airline)) == [(150,)]


def test_a_large_couchbase_collection_is_sampled() -> None:
    answers = Couchbase(2500)
    with couch(answers, source_documents=500) as (_, reading):
        sample = reading.sample(reading.relation("travel", "inventory", "airline"), ["n"], 1000)
    assert (len(sample.rows), sample.is_whole) == (500, False)


def test_reading_couchbase_is_stopped_by_cancelling() -> None:
    answers = Couchbase(2500)
    with couch(answers) as (connector, reading):
        answers.connector = connector
        with pytest.raises(ConnectorError) as stopped:
            reading.relation("travel", "inventory", "airline")
    assert stopped.value.kind == "cancelled"
