"""The benchmark of claims sees the false ones: it holds each against the data, not against what an engine thinks."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from benchmarks.quality.false_claims import Data, Judged, judged
from tests.support.needs import missing
from tests.support.postgres import NoPostgres, shared_postgres

TABLE = "shop.db.public.orders"


@pytest.fixture(scope="module")
def data() -> Iterator[Data]:
    try:
        server = shared_postgres()
    except NoPostgres as reason:
        missing("PostgreSQL", str(reason))
    address = server.create_database()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create table customers (id int primary key)")
        connection.execute("insert into customers values (1), (2)")
        connection.execute("create table orders (id int, customer int, state text, city text, zip text)")
        connection.execute(
            "insert into orders values (1, 1, 'new', 'Bonn', '53111'), (2, 2, 'new', 'Bonn', '53111'), "
            "(3, 7, 'paid', 'Ulm', '89073'), (3, null, null, 'Bonn', '89073')"
        )
    held = Data(address)
    yield held
    held.close()
    server.drop_database(address)


def said(about: str, text: str) -> dict[str, Any]:
    return {"kind": "description", "asset_fqn": about, "proposed_value": text, "evidence": {}}


def rule(about: str, metric: str, threshold: float = 0.0, **arguments: Any) -> dict[str, Any]:
    value = {
        "metric": metric, "arguments": arguments, "description": metric, "threshold": [threshold], "unit": "percent",
    }  # fmt: skip
    return {"kind": "rule", "asset_fqn": about, "proposed_value": value, "evidence": {}}


@pytest.mark.parametrize(
    ("one", "is_false"),
    [
        (said(f"{TABLE}.id", "Number of the order. No value occurs twice."), True),
        (said(f"{TABLE}.city", "Always filled."), False),
        (said(f"{TABLE}.state", "Always filled."), True),
        (said(f"{TABLE}.state", "Either new or paid."), False),
        (said(f"{TABLE}.state", "Either new or sent."), True),
        (said(f"{TABLE}.id", "Runs from 1 to 3."), False),
        (said(f"{TABLE}.id", "Runs from 1 to 2."), True),
        (said(TABLE, "Each row is an order, identified by `id`."), True),
        (said(TABLE, "The table has 4 rows."), False),
        (rule(f"{TABLE}.id", "duplicateValues"), True),
        (rule(f"{TABLE}.id", "duplicateValues", 25.0), False),
        (rule(f"{TABLE}.state", "nullValues", 20.0), True),
        (rule(f"{TABLE}.state", "invalidValues", validValues=["new", "paid"]), False),
        (rule(f"{TABLE}.state", "invalidValues", validValues=["new"]), True),
        (rule(TABLE, "inconsistentRows", columns=["zip"], dependent="city"), True),
        (
            rule(
                TABLE, "brokenReferences", columns=["customer"], targetFqn="shop.db.public.customers",
                targetColumns=["id"],
            ),
            True,
        ),
    ],
)  # fmt: skip
def test_what_the_data_contradicts_is_false(data: Data, one: dict[str, Any], is_false: bool) -> None:
    found: list[Judged] = judged(data, [one], [])
    assert [claim.is_false for claim in found] == [is_false]
