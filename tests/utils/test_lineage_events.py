"""Lineage of jobs through both doors: an event of OpenLineage is kept, told anew, and refused."""

from typing import Any

import pytest

from resolvers.assets.data_connections import get_data_connection
from resolvers.utils.lineage import list_lineage_statements
from resolvers.utils.lineage_events import import_openlineage_event, namespace_of
from schema.utils.lineage import LineageSource
from schema.utils.lineage_import import OpenLineageEvent
from tests.doors import Refused
from tests.support.ingestion import Bench, Source, bench, setting_overrides, source
from tests.utils.test_lineage import UP, Shop

__all__ = ["bench", "setting_overrides", "source"]

pytestmark = pytest.mark.anyio

STORE = "postgres://db.internal:5432"


@pytest.fixture
async def shop(bench: Bench, source: Source) -> Shop:
    source.run("create table sales.totals (who text, total numeric)")
    source.may_read("sales")
    await bench.ingest()
    return Shop(bench, source.database)


def named(shop: Shop, table: str, **more: Any) -> dict[str, Any]:
    """A table of the shop, as OpenLineage names it."""
    return {"namespace": STORE, "name": f"{shop.database}.sales.{table}"} | more


def totals(shop: Shop, fields: dict[str, list[dict[str, Any]]], dataset: Any = ()) -> dict[str, Any]:
    """The table that the job writes, and what it says of its columns."""
    told = {column: {"inputFields": list(of)} for column, of in fields.items()}
    return named(shop, "totals", facets={"columnLineage": {"fields": told, "dataset": list(dataset)}})


async def handed_in(
    shop: Shop,
    *outputs: Any,
    sql: str | None = None,
    kind: str | None = "COMPLETE",
    namespace: str | None = STORE,
    job: str = "nightly",
    at: str | None = None,
) -> Any:
    """Hand in an event of a job."""
    told: dict[str, Any] = {"namespace": "cron", "name": job}
    if sql is not None:
        told["facets"] = {"sql": {"query": sql}}
    event = OpenLineageEvent(
        eventType=kind, job=told, outputs=list(outputs), inputs=[named(shop, "orders")], eventTime=at
    )
    named_so = {} if namespace is None else {"namespace": namespace}
    return await shop.ask(import_openlineage_event, event=event, **named_so)


def summed(shop: Shop) -> dict[str, Any]:
    """Return what the job says of its totals."""
    return totals(
        shop,
        {
            "who": [named(shop, "customers", field="email")],
            "TOTAL": [
                named(shop, "orders", field="Number", transformations=[{"type": "DIRECT", "subtype": "AGGREGATION"}])
            ],
        },
        [named(shop, "orders", field="customer_id", transformations=[{"type": "INDIRECT", "subtype": "GROUP_BY"}])],
    )


async def test_an_event_tells_of_columns_and_of_rows(shop: Shop) -> None:
    done = await handed_in(shop, summed(shop))
    assert not isinstance(done, Refused), done
    assert (done["source"].lower(), done["family"], done["gaps"]) == ("openlineage", "cron/nightly", [])
    assert [done[name] for name in ("statements", "new", "unchanged", "ended")] == [1, 1, 0, 0]
    assert await shop.told(UP, "totals", "total") == {"orders.number": (1, True), "orders.customer_id": (1, False)}
    again = await handed_in(shop, summed(shop))
    assert [again[name] for name in ("new", "unchanged", "ended")] == [0, 1, 0]
    changed = await handed_in(shop, totals(shop, {"who": [named(shop, "customers", field="id")]}))
    assert [changed[name] for name in ("new", "unchanged", "ended")] == [1, 0, 1]
    assert await shop.told(UP, "totals", "total") == {}


@pytest.mark.parametrize("kind", ["START", "FAIL", "abort", "something else"])
async def test_what_did_not_happen_changes_nothing(shop: Shop, kind: str) -> None:
    await handed_in(shop, summed(shop))
    done = await handed_in(shop, totals(shop, {}), kind=kind)
    assert [done[name] for name in ("statements", "ended")] == [0, 0]
    assert "orders.number" in await shop.told(UP, "totals", "total")


async def test_an_output_without_columns_is_read_from_the_sql_of_its_job(shop: Shop) -> None:
    spelled = f'insert into "{shop.database}".sales.totals (total, who) '
    query = "select sum(number), email from sales.orders join sales.customers on id = customer_id group by 2"
    for sql in (
        spelled + query,
        query.replace("sum(number)", "sum(number) as total").replace("email", "email as who", 1),
    ):
        done = await handed_in(shop, named(shop, "totals"), sql=sql, kind=None)
        assert done["gaps"] == [], sql
        assert (await shop.told(UP, "totals", "who", direct_only=True)) == {"customers.email": (1, True)}
    done = await handed_in(shop, named(shop, "totals"), sql="insert into sales.orders select * from sales.orders")
    assert [gap["name"] for gap in done["gaps"]] == ["target"]
    assert await shop.told(UP, "totals", "who") == {}


async def test_what_is_not_understood_is_said_and_the_rest_is_kept(shop: Shop) -> None:
    known, far = named(shop, "customers", field="email"), {"namespace": "s3://lake", "name": "x", "field": "y"}
    who = [known, far, named(shop, "gone", field="a"), named(shop, "orders", field="never_seen")]
    done = await handed_in(shop, totals(shop, {"who": who}))
    assert {gap["name"] for gap in done["gaps"]} == {"namespace", "tables", "columns"}
    assert "s3://lake/x" in next(gap["reason"] for gap in done["gaps"] if gap["name"] == "namespace")
    assert await shop.told(UP, "totals", "who") == {"customers.email": (1, True)}
    listed = await shop.ask(list_lineage_statements, source=LineageSource.OPENLINEAGE, with_gaps=True)
    assert [(one["target_fqn"], one["edge_count"]) for one in listed["items"]] == [(shop.name("totals"), 1)]

    done = await handed_in(shop, named(shop, "totals"))
    assert [gap["name"] for gap in done["gaps"]] == ["columns"]
    assert f"{STORE}/{shop.database}.sales.orders" in done["gaps"][0]["reason"]
    done = await handed_in(shop, named(shop, "never_built"))
    assert [(gap["name"], gap["target_fqn"]) for gap in done["gaps"]] == [("target", None)]


async def test_tables_of_another_store_are_not_taken_for_those_of_the_connection(shop: Shop) -> None:
    done = await handed_in(shop, summed(shop), namespace=None)
    assert (done["statements"], [gap["name"] for gap in done["gaps"]]) == (0, ["namespace"])
    assert "say so with `namespace`" in done["gaps"][0]["reason"]
    found = await shop.bench.call(get_data_connection, resource_uri=shop.bench.uri)
    config = found["database_config"]
    assert f"postgres://{config['host']}:{config['port']}" in done["gaps"][0]["reason"]
    assert namespace_of(None) is None


async def test_what_is_no_event_is_refused_and_says_where(shop: Shop) -> None:
    refused = await shop.ask(import_openlineage_event, event=OpenLineageEvent(job={"namespace": "cron"}))
    assert isinstance(refused, Refused)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "job.name")


async def test_a_client_posts_its_events_as_they_are(shop: Shop) -> None:
    world = shop.bench.world
    event = {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-28T10:00:00.000Z",
        "run": {"runId": "0190f5a4-7a1c-7e0e-9b1c-0d3b6f1c2a3d", "facets": {}},
        "job": {"namespace": "cron", "name": "nightly", "facets": {}},
        "inputs": [named(shop, "orders")],
        "outputs": [summed(shop)],
        "producer": "https://example.com/a-scheduler",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    }
    headers = {"X-Project-ID": world.shop}
    path = f"/utils/data_connection/{shop.bench.uri}/lineage/openlineage?namespace={STORE}"
    answer = await world.request("POST", path, token=world.owner, headers=headers, json=event)
    assert (answer.status_code, answer.json()["new"]) == (200, 1), answer.text
    answer = await world.request("POST", path, token=world.owner, headers=headers, json=event | {"eventType": "FAIL"})
    assert answer.json()["statements"] == 0


async def test_an_output_that_an_event_names_twice_is_told_once(shop: Shop) -> None:
    more = totals(shop, {"who": [named(shop, "orders", field="number")]})
    done = await handed_in(shop, summed(shop), more, summed(shop), named(shop, "totals"))
    assert [done[name] for name in ("statements", "new", "gaps")] == [1, 1, []]
    found = await shop.told(UP, "totals", "who", direct_only=True)
    assert found == {"customers.email": (1, True), "orders.number": (1, True)}
    done = await handed_in(shop, totals(shop, {}))
    assert (done["ended"], await shop.told(UP, "totals", "who")) == (1, {})


async def test_an_event_that_comes_late_undoes_nothing(shop: Shop) -> None:
    other = totals(shop, {"who": [named(shop, "customers", field="id")]})
    counts = ("new", "unchanged", "ended", "late")
    for told, at, expected in (
        (summed(shop), "2026-11-20T10:00:00Z", [1, 0, 0, 0]),
        (summed(shop), "2026-11-20T12:00:00+00:00", [0, 1, 0, 0]),
        (other, "2026-11-20T12:30:00+01:00", [0, 0, 0, 1]),
        (other, "2026-11-20T12:00:00", [1, 0, 1, 0]),
        (summed(shop), "9999-12-31T23:59:59Z", [1, 0, 1, 0]),
        (other, "nobody knows", [1, 0, 1, 0]),
        (other, "0001-01-01T00:00:00+23:00", [0, 1, 0, 0]),
        (summed(shop), None, [1, 0, 1, 0]),
    ):
        done = await handed_in(shop, told, at=at)
        assert not isinstance(done, Refused), done
        assert [done[name] for name in counts] == expected, at
    assert (await handed_in(shop, other, at="2026-11-20T10:00:00Z", job="another"))["new"] == 1
    listed = await shop.ask(list_lineage_statements, source=LineageSource.OPENLINEAGE)
    assert listed["total"] == 2


async def test_names_of_any_signs_and_length_are_kept_and_known_again(shop: Shop) -> None:
    odd = (
        "".join(chr(0x4E00 + at * 7919 % 20_000) for at in range(1000)),
        "' \" ; -- \u202e %s {} ../.. \\",
        "\U0001f648" * 1000,
    )
    for job in odd:
        for expected in ([1, 0], [0, 1]):
            done = await handed_in(shop, summed(shop), named(shop, job[:900]), job=job)
            assert not isinstance(done, Refused), done
            assert [done["new"], done["unchanged"]] == [2 * one for one in expected]
    assert (await shop.ask(list_lineage_statements, source=LineageSource.OPENLINEAGE))["total"] == 6
    for unstorable in ("", "x" * 1001):
        refused = await handed_in(shop, summed(shop), job=unstorable)
        assert isinstance(refused, Refused)
        assert refused.status == 422


async def test_an_event_of_ten_thousand_tables_is_bounded(shop: Shop) -> None:
    many = [named(shop, f"t{at}") for at in range(10_000)]
    refused = await handed_in(shop, *many)
    assert isinstance(refused, Refused)
    assert (refused.status, refused.details["field"]) == (422, "outputs")
    done = await handed_in(shop, *many[:1000])
    assert (done["statements"], done["not_understood"], len(done["gaps"])) == (1000, 1000, 100)
    again = await handed_in(shop, *many[:1000])
    assert (again["new"], again["unchanged"]) == (0, 1000)
    wide = totals(shop, {"who": [named(shop, "orders", field=f"f{at}") for at in range(50_001)]})
    refused = await handed_in(shop, wide)
    assert isinstance(refused, Refused)
    assert (refused.status, refused.details["field"]) == (422, "outputs")
