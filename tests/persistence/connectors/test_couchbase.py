"""Couchbase through its query service's REST interface, against a stand-in."""

import base64
import json
import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from persistence.connectors.core.base import Connector, ConnectorError
from tests.support.http_stub import Asked, HttpStub, Reply, http_stub, self_signed
from tests.support.sources import SECRET, columns, everything, failure, opened

PASSWORD = "right-pass-phrase"

KEYSPACES = [
    {"n": "travel"},
    {"b": "travel", "s": "inventory", "n": "airline"},
    {"b": "travel", "s": "inventory", "n": "odd`name"},
    {"b": "travel", "s": "_system", "n": "_query"},
    {"b": "beer", "s": "_default", "n": "brewery"},
]

FLAVOURS = [
    {
        "#docs": 6,
        "properties": {
            "name": {"type": "string", "#docs": 6},
            "geo": {
                "type": "object",
                "#docs": 6,
                "properties": {
                    "lat": {"type": "number", "#docs": 6},
                    "note": {"type": ["null", "string"], "#docs": [1, 5]},
                },
            },
        },
    },
    {
        "#docs": 4,
        "properties": {
            "name": {"type": "string", "#docs": 4},
            "id": {"type": ["number", "string"], "#docs": [2, 2]},
            "stops": {"type": "array", "#docs": 4},
            "open": {"type": "boolean", "#docs": 3},
        },
    },
]


class Query:
    """The stand-in's answers by the beginning of a statement."""

    def __init__(self) -> None:
        self.failing: dict[str, tuple[int, dict[str, Any]]] = {}
        self.statements: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        """Answer one request."""
        form = {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
        statement = form["statement"]
        self.statements.append(statement)
        expected = "Basic " + base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
        if asked.headers.get("authorization") != expected:
            said: dict[str, Any] = {"errors": [{"code": 13014, "msg": f"no credentials: {asked.headers}"}]}
            return 401, {}, json.dumps(said | {"status": "fatal"}).encode()
        assert (asked.path, form["readonly"]) == ("/query/service", "true")
        for start, (status, held) in self.failing.items():
            if statement.startswith(start):
                return status, {}, json.dumps(held).encode()
        results: list[Any] = [[]]
        if "version()" in statement:
            results = ["7.6.1-N1QL"]
        elif "system:keyspaces" in statement:
            results = KEYSPACES
        elif statement.startswith("INFER") and "brewery" not in statement:
            results = [FLAVOURS]
        elif "COUNT(*)" in statement:
            results = [10]
        return 200, {}, json.dumps({"results": results, "status": "success"}).encode()


@pytest.fixture
def query() -> Query:
    """The answers."""
    return Query()


@pytest.fixture
def stub(query: Query) -> Iterator[HttpStub]:
    """The running stand-in."""
    with http_stub(query) as running:
        yield running


def at(stub: HttpStub, password: str = PASSWORD, *, statement: float = 20, **config: Any) -> Connector:
    """A connector of the stand-in."""
    place = {"host": "couch.example", "port": stub.port} | config
    return opened("couchbase", place, {"username": "ann", "password": password}, statement=statement)


def test_collections_become_tables_with_the_union_of_their_flavours(stub: HttpStub, query: Query) -> None:
    with at(stub, database="travel") as connector:
        discovery = connector.verify()
        found = everything(connector)
    assert discovery.details == {"server_version": "7.6.1-N1QL", "schemas": 2, "tables": 3}
    assert {schema: set(tables) for schema, tables in found.items()} == {
        "_default": {"_default"},
        "inventory": {"airline", "odd`name"},
    }
    airline = found["inventory"]["airline"]
    assert columns(airline) == {
        "geo.lat": "NUMERIC",
        "geo.note": "VARCHAR",
        "id": "VARIANT",
        "name": "VARCHAR",
        "open": "BOOLEAN",
        "stops": "ARRAY",
    }
    assert {column.name: column.nullable for column in airline.columns}["name"] is False
    assert {column.name: column.nullable for column in airline.columns}["open"] is True
    assert airline.row_count == 10
    assert any(said.startswith("INFER default:`travel`.`inventory`.`odd``name` WITH") for said in query.statements)


def test_all_buckets_or_the_selected_ones_are_read(stub: HttpStub) -> None:
    with at(stub) as connector:
        assert [(s.database, s.name) for s in connector.schemas()] == [
            ("beer", "_default"),
            ("travel", "_default"),
            ("travel", "inventory"),
        ]
        (empty,) = connector.tables("beer", "_default", ["brewery"])
        assert (empty.columns, empty.comment) == ((), "It is empty.")
    selected = [{"database_name": "beer"}]
    with at(stub, selected_tables=selected) as connector:
        assert [(s.database, s.tables) for s in connector.schemas()] == [("beer", ("brewery",))]


def test_a_vanished_collection_is_left_out_and_an_unreadable_one_says_why(stub: HttpStub, query: Query) -> None:
    query.failing = {
        "INFER default:`travel`.`inventory`.`airline`": (404, {"errors": [{"code": 12003, "msg": "gone"}]}),
        "INFER default:`beer`": (500, {"errors": [{"code": 7014, "msg": SECRET}]}),
        "SELECT RAW COUNT": (500, {"errors": [{"code": 4000}]}),
    }
    with at(stub) as connector:
        assert list(connector.tables("travel", "inventory", ["airline"])) == []
        (broken,) = connector.tables("beer", "_default", ["brewery"])
        (counted,) = connector.tables("travel", "_default", ["_default"])
    assert broken.columns == ()
    assert broken.comment == ("The columns are not known. The query service refused a statement with the code 7014.")
    assert counted.row_count is None
    assert len(counted.columns) == 6


def test_each_refusal_has_its_own_sentence(stub: HttpStub, query: Query, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with at(stub, SECRET) as connector:
        error = failure(connector.verify, caplog)
    assert (error.kind, "refused the user 'ann'" in error.reason) == ("authentication", True)
    with at(stub, database="none") as connector:
        assert failure(connector.verify).kind == "not_found"
    for status, held, kind in (
        (401, {"errors": [{"code": 13014}]}, "permission"),
        (200, {"errors": [{"code": 1080}], "status": "timeout"}, "timeout"),
        (503, {"errors": [{"code": 1000}]}, "failed"),
        (200, {"hello": "world"}, "failed"),
    ):
        query.failing = {"SELECT k.": (status, held)}
        with at(stub) as connector:
            assert failure(connector.schemas).kind == kind


def test_redirects_are_not_followed(stub: HttpStub) -> None:
    def away(asked: Asked) -> Reply:
        return 302, {"Location": f"http://inside.invalid:{stub.port}/"}, b""

    with http_stub(away) as outside, at(outside, SECRET) as connector:
        error = failure(connector.verify)
    assert "is not followed" in error.reason
    assert stub.asked == []


def test_each_failure_on_the_way_has_its_own_kind(
    stub: HttpStub, query: Query, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    def error_at(host: str, port: int, mode: str = "disable", **times: float) -> ConnectorError:
        config = {"host": host, "port": port, "ssl_mode": mode}
        with opened("couchbase", config, {"username": "ann", "password": SECRET}, **times) as connector:  # type: ignore[arg-type]
            return failure(connector.verify, caplog)

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert error_at("couch.example", closed.getsockname()[1]).kind == "unreachable"
    assert error_at("unknown.invalid", 8093).kind == "unreachable"
    assert error_at("inside.invalid", 8093).kind == "refused_address"
    assert error_at("couch.example", stub.port, "require").kind == "tls"
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert error_at("couch.example", silent.getsockname()[1], statement=0.5).kind == "timeout"
    certificate, authority = self_signed(tmp_path)
    with http_stub(query, certificate=certificate) as safe:
        assert error_at("localhost", safe.port, "verify-full").kind == "tls"
        assert error_at("localhost", safe.port, "require").kind == "authentication"
        trusted = {"ssl_mode": "verify-full", "options": {"ssl_ca": authority}}
        with at(safe, host="localhost", **trusted) as connector:
            assert connector.verify().details["tables"] == 4
        with at(safe, host="another.example", **trusted) as connector:
            assert failure(connector.verify).kind == "tls"


def test_credentials_do_not_show(stub: HttpStub) -> None:
    assert SECRET not in repr(at(stub, SECRET))
