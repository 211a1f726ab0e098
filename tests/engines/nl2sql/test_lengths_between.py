"""The time between two days that are named."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, table

YARD = table("yards", "yard_id*:INTEGER yard_name")
REFIT = keyed(
    table(
        "ship_refits",
        "refit_id*:INTEGER yard_id:INTEGER ordered_on:DATE notif_dt:DATE completed_on:DATE labour_minutes:INTEGER",
    ),
    yard_id="yards.yard_id",
)
SHOWN = table("v_refit", "refit_id:INTEGER yard_name ordered_on:DATE completed_on:DATE", table_type="VIEW")
KNOWN = knowledge(YARD, REFIT, SHOWN, profiles={}, dialect="duckdb")
LENGTH = "DATE_DIFF('DAY', ordered_on, completed_on)"


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("average days from ordered to completed", f"AVG({LENGTH})"),
        ("average number of days between order and completion", f"AVG({LENGTH})"),
        ("average time between the order and completed dates", f"AVG({LENGTH})"),
        ("ship refits that took more than 30 days from order to completion", f"WHERE {LENGTH} > 30"),
        ("average days from ordered until notification", "AVG(DATE_DIFF('DAY', ordered_on, notif_dt))"),
    ],
)
def test_it_is_counted_from_one_day_to_the_other(question: str, part: str) -> None:
    assert part in drafted(question, KNOWN).sql.replace('"', "")


def test_it_is_told_for_each_group() -> None:
    sql = drafted("average days from ordered to completed, per yard", KNOWN).sql.replace('"', "")
    assert "AVG(DATE_DIFF('DAY', ship_refits.ordered_on, ship_refits.completed_on))" in sql
    assert "GROUP BY yards.yard_id" in sql


def test_days_of_two_tables_have_none_between_them() -> None:
    visits = table("visits", "visit_id*:INTEGER begun_on:DATE")
    known = knowledge(REFIT, visits, YARD, profiles={}, dialect="duckdb")
    found = asked("average days from begun to completed", known)
    assert not isinstance(found, QueryDraft) or "DATE_DIFF" not in found.sql


def test_rows_that_a_question_begins_with_are_no_command() -> None:
    order = table("repair_orders", "order_id*:INTEGER state received_on:DATE")
    known = knowledge(order, YARD, profiles={})
    assert "GROUP BY state" in drafted("orders by state", known).sql.replace('"', "")


@pytest.mark.parametrize(
    "question",
    [
        "How many days does it take on average from order to completion?",
        "How many days pass on average between order and completion?",
        "How long does it take on average from the order until the refit is completed, in days?",
        "What is the average time between order and completion, in days?",
    ],
)
def test_it_may_be_asked_how_long_it_takes(question: str) -> None:
    assert drafted(question, KNOWN).sql.replace('"', "") == f"SELECT AVG({LENGTH}) AS average_days FROM ship_refits"
