"""Rows with which something was not done: that is denied of them alone, and of nothing that stands behind."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

TENANT = table("tenants", "tenant_id*:INTEGER tenant_name town")
BILL = keyed(
    table("bills", "bill_id*:INTEGER tenant_id:INTEGER amount:DOUBLE issued_on:DATE paid_on:DATE"),
    tenant_id="tenants.tenant_id",
)
HOUSE = knowledge(
    TENANT,
    BILL,
    profiles={
        TENANT.fqn: profiled(TENANT, {"town": ["Kiel", "Bonn"]}),
        BILL.fqn: profiled(BILL, {"paid_on": ["2021-02-03"]}),
    },
)
LACKING = HOUSE.profiles[BILL.fqn].model_copy(
    update={"columns": [one.model_copy(update={"null_count": 40}) for one in HOUSE.profiles[BILL.fqn].columns]}
)
HOUSE = knowledge(TENANT, BILL, profiles={**HOUSE.profiles, BILL.fqn: LACKING})


def sql(question: str) -> str:
    return drafted(question, HOUSE).sql.replace('"', "")


@pytest.mark.parametrize(
    "question",
    [
        "Unpaid bills of tenants from Kiel",
        "How many unpaid bills does each tenant have?",
        "Which tenants have the most unpaid bills?",
        "total amount of unpaid bills per town",
        "List outstanding bills with an amount above 50",
    ],
)
def test_what_was_not_done_is_missing(question: str) -> None:
    found = sql(question)
    assert "paid_on IS NULL" in found
    assert "<>" not in found
    assert "NOT EXISTS" not in found


@pytest.mark.parametrize(
    "question", ["unpaid bills of 2021", "Unpaid bills 2021", "How many outstanding bills are there in 2021?"]
)
def test_a_time_behind_is_that_of_the_rows(question: str) -> None:
    found = sql(question)
    assert "paid_on IS NULL" in found
    assert "NOT" not in found
    assert "issued_on" in found


def test_the_most_counts_those_rows_alone() -> None:
    assert "EXISTS" not in sql("Which tenants have the most unpaid bills?")
