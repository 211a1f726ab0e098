"""Spans of time that are asked for, and lengths of which only two moments are known."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, table

SKIPPER = table("skippers", "skipper_id*:INTEGER skipper_name hourly_fee:DOUBLE monthly_pay:DOUBLE joined_on:DATE")
CRUISE = table("cruises", "cruise_id*:INTEGER skipper_id:INTEGER left_at:TIMESTAMP back_at:TIMESTAMP state")
REFIT = table("refits", "refit_id*:INTEGER begun_on:DATE ended_on:DATE planned_end:DATE")
HARBOUR = knowledge(SKIPPER, keyed(CRUISE, skipper_id="skippers.skipper_id"), REFIT, profiles={})


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which month had the most cruises?", "DATE_TRUNC('MONTH', CAST(left_at AS DATE))"),
        ("Which hour had the most cruises?", "SELECT EXTRACT(HOUR FROM left_at) AS hour FROM cruises GROUP BY"),
        ("cruises by hour", "EXTRACT(HOUR FROM left_at) AS hour"),
        ("In which year did the most skippers join?", "SELECT EXTRACT(YEAR FROM joined_on) AS year FROM skippers"),
        ("What is the hourly fee of each skipper?", "hourly_fee FROM skippers"),
    ],
)
def test_a_span_that_is_asked_for_is_no_rate(question: str, part: str) -> None:
    assert part in drafted(question, HARBOUR).sql.replace('"', "")


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("What is the average cruise length in minutes?", "AS average_minutes FROM cruises"),
        ("What is the average duration of a cruise?", "AS average_hours FROM cruises"),
        ("What is the average duration of refits in days?", "AS average_days FROM refits"),
    ],
)
def test_a_length_is_the_time_between_two_moments(question: str, part: str) -> None:
    assert part in drafted(question, HARBOUR).sql.replace('"', "")


ORDER = table("orders", "order_id*:INTEGER customer order_date:DATE required_date:DATE shipped_date:DATE")
LINE = table("order_lines", "line_id*:INTEGER order_id:INTEGER product_id:INTEGER quantity:INTEGER")
PRODUCT = table("products", "product_id*:INTEGER product_name units_on_order:INTEGER")
SHOP = knowledge(ORDER, keyed(LINE, order_id="orders.order_id", product_id="products.product_id"), PRODUCT, profiles={})


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("How many orders were shipped per month in 2023?", "shipped_date"),
        ("orders shipped per quarter", "shipped_date"),
        ("How many orders were placed per month in 2023?", "order_date"),
        ("How many orders per month in 2023?", "order_date"),
    ],
)
def test_spans_are_of_the_time_of_what_was_done(question: str, column: str) -> None:
    draft = drafted(question, SHOP)
    dates = {"order_date", "required_date", "shipped_date"}
    assert {one for one in dates if one in draft.sql} == {column}
    assert "EXISTS" not in draft.sql


def test_what_is_taken_for_the_time_is_doubted_once() -> None:
    once = drafted("How many orders were placed in 2023?", SHOP).confidence
    assert drafted("How many orders were placed per month in 2023?", SHOP).confidence > once - 0.1


@pytest.mark.parametrize("question", ["How many orders were placed per customer?", "orders placed per customer"])
def test_a_verb_that_names_the_rows_tells_no_column(question: str) -> None:
    assert "units_on_order" not in drafted(question, SHOP).sql
    assert "EXISTS" not in drafted(question, SHOP).sql
