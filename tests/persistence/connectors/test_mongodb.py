"""MongoDB through its driver, against a stand-in that speaks the wire protocol."""

import datetime
import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from persistence.connectors.core.base import Connector, ConnectorError, KeyInfo
from tests.support.http_stub import http_stub, self_signed
from tests.support.mongo_wire import MongoStandIn, mongo_stand_in
from tests.support.sources import SECRET, columns, everything, failure, opened

bson = pytest.importorskip("bson")

PASSWORD = "right-pass-phrase"

ORDERS: list[dict[str, Any]] = [
    {
        "_id": bson.ObjectId(),
        "total": 3,
        "customer": {"name": "Ann", "address": {"city": "Rome"}},
        "tags": ["a", 1],
        "paid": True,
    },
    {
        "_id": bson.ObjectId(),
        "total": 2.5,
        "customer": None,
        "when": datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
        "price": bson.Decimal128("1.10"),
        "mixed": "x",
        "big": bson.Int64(1 << 40),
    },
    {"_id": bson.ObjectId(), "total": bson.Int64(7), "mixed": 1, "big": 5, "raw": b"\x00", "nothing": None},
]


@pytest.fixture
def server() -> Iterator[MongoStandIn]:
    """A stand-in with a shop in it."""
    databases = {
        "shop": {
            "orders": {
                "documents": ORDERS,
                "indexes": [
                    {"name": "total_1", "key": {"total": 1}},
                    {"name": "number", "key": {"shop": 1, "number": -1}, "unique": True},
                    {"name": "some", "key": {"x": 1}, "unique": True, "partialFilterExpression": {"x": 1}},
                ],
            },
            "empty": {"documents": []},
            "big_orders": {
                "documents": ORDERS[:1],
                "view": {"viewOn": "orders", "pipeline": [{"$match": {"total": {"$gt": 2}}}]},
            },
            "system.views": {"documents": []},
        },
        "other": {"things": {"documents": [{"_id": "k", "a": 1}]}},
    }
    with mongo_stand_in(databases, "ann", PASSWORD) as running:
        yield running


def at(server: MongoStandIn, password: str = PASSWORD, *, statement: float = 20, **config: Any) -> Connector:
    """A connector of the stand-in."""
    return opened(
        "mongodb",
        {"host": "mongo.example", "port": server.port} | config,
        {"username": "ann", "password": password},
        connect=2,
        statement=statement,
    )


def test_collections_become_tables_with_the_union_of_their_documents(server: MongoStandIn) -> None:
    with at(server, database="shop") as connector:
        discovery = connector.verify()
        found = everything(connector)["default"]
    assert discovery.message == "Connected to MongoDB 7.0.99: 3 collections in 1 database."
    orders = found["orders"]
    assert columns(orders) == {
        "_id": "VARCHAR",
        "big": "BIGINT",
        "customer.address.city": "VARCHAR",
        "customer.name": "VARCHAR",
        "mixed": "VARIANT",
        "nothing": "UNKNOWN",
        "paid": "BOOLEAN",
        "price": "NUMERIC",
        "raw": "BINARY",
        "tags": "ARRAY",
        "total": "DOUBLE",
        "when": "TIMESTAMP",
    }
    shown = {column.name: (column.data_type_display, column.nullable) for column in orders.columns}
    assert shown["_id"] == ("objectId", False)
    assert shown["total"] == ("double | int | long", False)
    assert shown["tags"] == ("array<int | string>", True)
    assert orders.row_count == 3
    assert orders.keys == (
        KeyInfo("PRIMARY_KEY", "_id_", ("_id",)),
        KeyInfo("UNIQUE", "number", ("shop", "number")),
    )
    assert (found["empty"].columns, found["empty"].comment, found["empty"].row_count) == ((), "It is empty.", 0)
    view = found["big_orders"]
    assert (view.table_type, view.keys, view.row_count) == ("VIEW", (), None)
    assert view.definition is not None
    assert '"$match"' in view.definition


def test_reading_twice_says_the_same(server: MongoStandIn) -> None:
    with at(server, database="shop") as connector:
        once = everything(connector)
    server.databases["shop"]["orders"]["documents"] = ORDERS[::-1]
    with at(server, database="shop") as connector:
        assert everything(connector) == once


def test_without_a_database_all_but_the_servers_own_are_read_and_selections_hold(server: MongoStandIn) -> None:
    with at(server) as connector:
        assert [(s.database, s.name, s.tables) for s in connector.schemas()] == [
            ("other", "default", ("things",)),
            ("shop", "default", ("big_orders", "empty", "orders")),
        ]
    selected = [{"database_name": "shop", "schemas": [{"schema_name": "default", "tables": ["orders"]}]}]
    with at(server, selected_tables=selected) as connector:
        assert [(s.database, s.tables) for s in connector.schemas()] == [("shop", ("orders",))]
        assert [t.name for t in connector.tables("shop", "default", ["orders", "empty", "vanished"])] == ["orders"]


def test_the_sample_is_bounded(server: MongoStandIn) -> None:
    with at(server, database="shop", options={"sample_size": 1}) as connector:
        (table,) = connector.tables("shop", "default", ["orders"])
    assert table.comment == "Columns are inferred from at most 1 documents."
    assert "when" not in columns(table)


def test_a_user_who_may_not_see_indexes_and_counts_still_gets_columns(server: MongoStandIn) -> None:
    server.forbidden = {"listIndexes", "count"}
    with at(server, database="shop") as connector:
        (table,) = connector.tables("shop", "default", ["orders"])
    assert (table.row_count, table.keys) == (None, (KeyInfo("PRIMARY_KEY", "_id_", ("_id",)),))
    assert len(table.columns) == 12


def test_a_collection_that_may_not_be_read_hides_no_other(server: MongoStandIn) -> None:
    server.databases["shop"]["secret"] = {"documents": [{"_id": 1, "pin": 2}], "refused": True}
    with at(server, database="shop") as connector:
        found = everything(connector)["default"]
    assert found["secret"].columns == ()
    assert found["secret"].comment is not None
    assert found["secret"].comment.startswith("The columns are not known. The user may not")
    assert len(found["orders"].columns) == 12


def test_each_refusal_has_its_own_sentence(server: MongoStandIn, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for connector, kind, words in (
        (at(server, SECRET), "authentication", "refused the user 'ann'"),
        (at(server, database="none"), "not_found", "no database 'none'"),
        (at(server, ssl_mode="require"), "tls", "does not offer TLS"),
        (at(server, ssl_mode="verify-ca", options={"ssl_ca": "no pem"}), "bad_config", "options.ssl_ca"),
    ):
        with connector:
            error = failure(connector.verify, caplog)
        assert (error.kind, words in error.reason) == (kind, True), error.reason
    server.forbidden = {"listCollections"}
    with at(server, database="shop") as connector:
        assert failure(connector.schemas).kind == "permission"
    with opened("mongodb", {"host": "mongo.example", "port": server.port, "database": "shop"}) as connector:
        assert "asks for a user name" in failure(connector.verify).reason


def test_a_certificate_that_nobody_trusts_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    certificate, _ = self_signed(tmp_path)
    with http_stub(lambda asked: (200, {}, b""), certificate=certificate) as stub:
        config = {"host": "localhost", "port": stub.port, "ssl_mode": "verify-full"}
        with opened("mongodb", config, {"username": "ann", "password": SECRET}, connect=1) as connector:
            error = failure(connector.verify, caplog)
    assert (error.kind, "was not accepted" in error.reason) == ("tls", True), error.reason


def test_each_failure_on_the_way_has_its_own_kind(server: MongoStandIn, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def error_at(host: str, port: int) -> ConnectorError:
        config = {"host": host, "port": port}
        with opened("mongodb", config, {"username": "ann", "password": SECRET}, connect=1, statement=1) as connector:
            return failure(connector.verify, caplog)

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert error_at("mongo.example", closed.getsockname()[1]).kind == "unreachable"
    assert error_at("unknown.invalid", 27017).kind == "unreachable"
    assert error_at("inside.invalid", 27017).kind == "refused_address"
    server.silent = True
    assert error_at("mongo.example", server.port).kind == "timeout"


def test_credentials_do_not_show_and_a_missing_driver_names_the_extra(
    server: MongoStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SECRET not in repr(at(server, SECRET))
    monkeypatch.setitem(__import__("sys").modules, "pymongo", None)
    with at(server) as connector:
        error = failure(connector.verify)
    assert error.kind == "missing_extra"
    assert "pip install 'stoa-platform[mongodb]'" in error.reason
