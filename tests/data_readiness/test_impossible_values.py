"""A small table with impossible values has violations, and a score that shows them."""

import pytest

from resolvers.data_readiness.violations import list_violations
from schema.data_readiness.workflow import WorkflowType
from tests.data_readiness.test_same_facts import carried_out
from tests.support.ingestion import Bench, Source, bench, setting_overrides, shop, source

__all__ = ["bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio

STAFF = """
    create table sales.staff (id bigint primary key, name text, hired text, salary numeric(10, 2), born date);
    insert into sales.staff
        select i, 'Person ' || i, '2021-0' || i || '-15', 40000 + i * 1000, date '1980-01-01' + i
        from generate_series(1, 8) i;
    update sales.staff set hired = '2021-02-31' where id = 2;
    update sales.staff set salary = -45000 where id = 3;
    update sales.staff set born = '2068-01-05' where id = 4;
"""


async def test_eight_rows_are_enough(bench: Bench, source: Source) -> None:
    source.run(STAFF)
    await bench.ingest()
    staff = f"shop.{source.database}.sales.staff"
    await carried_out(bench, WorkflowType.DQ_ASSESSMENT, asset_fqn=staff)
    listed = await bench.call(list_violations, asset_fqn=staff, limit=100)
    found = {one["asset_fqn"].rpartition(".")[2]: one for one in listed["items"] if one["name"] == "invalid_values"}
    assert set(found) == {"hired", "salary", "born"}
    assert {one["severity"] for one in found.values()} == {"medium"}
    assert {one["details"]["denominator"] - one["details"]["numerator"] for one in found.values()} == {1}
    assert found["salary"]["details"]["examples"] == [{"key": {"id": "3"}, "values": {"salary": "-45000.00"}}]
