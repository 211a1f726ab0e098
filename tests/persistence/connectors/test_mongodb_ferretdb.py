"""MongoDB's protocol as an independent server speaks it: FerretDB, which also lacks some of what MongoDB has."""

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp

from persistence.connectors.core.base import Connector, KeyInfo
from tests.support.ferretdb import DATABASE, PASSWORD, USER, ferretdb_server
from tests.support.sources import columns, everything, failure, opened

bson = pytest.importorskip("bson")
pymongo = pytest.importorskip("pymongo")

pytestmark = pytest.mark.long  # needs a server of its own; the stand-in of the wire protocol is quick

MANY = 4000
MOMENT = datetime.datetime(2024, 1, 1, 12, 30, tzinfo=datetime.UTC)
ORDERS: list[dict[str, Any]] = [
    {"_id": bson.ObjectId(), "number": 1, "total": 3, "customer": {"name": "Ann"}, "tags": ["a", 1], "paid": True},
    {"_id": bson.ObjectId(), "number": 2, "total": 2.5, "customer": None, "when": MOMENT, "big": bson.Int64(1 << 40)},
    {"_id": bson.ObjectId(), "number": 3, "total": bson.Int64(7), "raw": b"\x00\xff", "nothing": None},
]


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server with a shop in it."""
    folder: Path = tmp_path_factory.mktemp("ferretdb")
    login = {"username": USER, "password": PASSWORD, "authSource": DATABASE}
    with ferretdb_server(folder) as port, pymongo.MongoClient("127.0.0.1", port, **login) as client:
        shop = client[DATABASE]
        shop.orders.insert_many(ORDERS)
        shop.orders.create_index([("number", 1)], unique=True, name="number")
        shop.many.insert_many([{"_id": number, "n": number % 10} for number in range(MANY)])
        shop.create_collection("empty")
        yield port


def at(port: int, password: str = PASSWORD, **config: Any) -> Connector:
    """A connector of the server."""
    place = {"host": "mongo.example", "port": port, "options": {"auth_source": DATABASE}}
    return opened("mongodb", place | config, {"username": USER, "password": password}, connect=10, statement=60)


def test_its_collections_are_tables_with_columns_keys_and_counts(port: int) -> None:
    with at(port, database=DATABASE) as connector:
        discovery = connector.verify()
        found = everything(connector)["default"]
    assert discovery.details["tables"] == 3
    orders = found["orders"]
    assert columns(orders) == {
        "_id": "VARCHAR", "big": "BIGINT", "customer.name": "VARCHAR", "nothing": "UNKNOWN", "number": "INTEGER",
        "paid": "BOOLEAN", "raw": "BINARY", "tags": "ARRAY", "total": "DOUBLE", "when": "TIMESTAMP",
    }  # fmt: skip
    assert orders.row_count == 3
    assert orders.keys == (KeyInfo("PRIMARY_KEY", "_id_", ("_id",)), KeyInfo("UNIQUE", "number", ("number",)))
    assert (found["empty"].columns, found["empty"].comment) == ((), "It is empty.")


def test_a_server_that_draws_no_samples_shows_its_first_documents_and_says_so(port: int) -> None:
    options = {"auth_source": DATABASE, "sample_size": 2}
    with at(port, database=DATABASE, options=options) as connector:
        (table,) = connector.tables(DATABASE, "default", ["orders"])
    assert table.comment == "Columns are inferred from the first 2 documents."
    assert "raw" not in columns(table)


def test_its_documents_are_read_whole_and_in_a_sample(port: int) -> None:
    with at(port, database=DATABASE) as connector, connector.source() as reading:
        relation = reading.relation(DATABASE, "default", "many")
        assert reading.ask(exp.select("count(*)", "sum(n)").from_(relation)) == [(MANY, MANY // 10 * 45)]
        orders = reading.relation(DATABASE, "default", "orders")
        rows = reading.ask(exp.select("number", '"when"', '"customer.name"').from_(orders).order_by("number"))
        assert rows == [(1, None, "Ann"), (2, MOMENT.replace(tzinfo=None), None), (3, None, None)]
    with at(port, database=DATABASE) as connector:
        drawn = [document["_id"] for document in connector.documents(DATABASE, "default", "many", 0.1, MANY)]
        few = list(connector.documents(DATABASE, "default", "many", 1.0, 5))
    assert MANY * 0.05 < len(drawn) < MANY * 0.15
    assert max(drawn) > MANY * 0.9
    assert len(few) == 5


def test_its_refusals_have_their_sentences(port: int) -> None:
    with at(port, "wrong", database=DATABASE) as connector:
        refused = failure(connector.verify)
    assert (refused.kind, f"refused the user '{USER}'" in refused.reason) == ("authentication", True), refused.reason
    with at(port, database="none") as connector:
        assert failure(connector.verify).kind == "not_found"
    with at(port, database=DATABASE, ssl_mode="require") as connector:
        assert failure(connector.verify).kind == "tls"
