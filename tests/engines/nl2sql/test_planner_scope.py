"""What a question says of how far it reaches, and of which of its times a row is dated by."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, table

BAKER = table("bakers", "baker_id*:INTEGER baker_name town")
LOAF = keyed(
    table("loaves", "loaf_id*:INTEGER baker_id:INTEGER kind weight:DOUBLE baked_on:DATE sale_date:DATE"),
    baker_id="bakers.baker_id",
)
BAKERY = knowledge(BAKER, LOAF)


def sql(question: str) -> str:
    return drafted(question, BAKERY).sql.replace('"', "")


@pytest.mark.parametrize(
    "question",
    [
        "How many loaves does each baker have, including those with none?",
        "How many loaves does each baker have? Include bakers with none.",
        "How many loaves did each baker have, even bakers with no loaves?",
        "Number of loaves per baker, zero included",
    ],
)
def test_groups_of_nothing_are_kept(question: str) -> None:
    assert "FROM bakers LEFT JOIN loaves" in sql(question)


def test_conditions_of_what_is_counted_leave_groups_of_nothing() -> None:
    found = sql("How many loaves whose weight is above 2 does each baker have, including those with none?")
    assert "LEFT JOIN loaves ON bakers.baker_id = loaves.baker_id AND loaves.weight > 2" in found
    assert "WHERE" not in found


def test_groups_that_cannot_be_kept_are_doubted() -> None:
    assert drafted("How many loaves are there per kind, including those with none?", BAKERY).confidence < 0.8


@pytest.mark.parametrize(
    "question",
    [
        "Show all bakers, whatever their town",
        "Show all bakers regardless of their town.",
        "List bakers, no matter which town",
    ],
)
def test_what_chooses_nothing_says_nothing(question: str) -> None:
    assert sql(question) == "SELECT baker_name FROM bakers"


def test_none_later_is_denied() -> None:
    found = sql("Which bakers had loaves in 2021 but none in 2022?")
    assert "NOT EXISTS" in found
    assert "2022" in found


@pytest.mark.parametrize(
    "question",
    [
        "Which bakers never had a loaf of any kind?",
        "Which bakers have no loaves of any kind?",
        "Which bakers have not had any loaves in any year?",
    ],
)
def test_none_of_any_kind_is_none(question: str) -> None:
    assert "WHERE NOT EXISTS(SELECT 1 FROM loaves WHERE bakers.baker_id = loaves.baker_id)" in sql(question)


def test_both_times_are_groups() -> None:
    found = sql("Did we have more loaves in 2022 than in 2021? Show the number of loaves for both years.")
    assert "GROUP BY" in found
    assert "2021" in found
    assert "2022" in found


@pytest.mark.parametrize(
    "question",
    [
        "How many loaves were there in each month of 2022, going by sale date?",
        "How many loaves were there in each month of the sale date in 2022?",
        "Number of loaves per month with a sale date in 2022",
    ],
)
def test_months_are_those_of_the_time_that_is_named(question: str) -> None:
    found = sql(question)
    assert "baked_on" not in found
    assert "sale_date" in found.split("GROUP BY")[1]


def test_kinds_of_one_year_are_those_but_for_another() -> None:
    found = sql("Which kinds had loaves in 2021 but none in 2022?")
    assert "EXCEPT" in found


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("Who is the highest paid cook?", "hourly_wage DESC"),
        ("Who is the best paid cook?", "hourly_wage DESC"),
        ("Who are the three lowest paid cooks?", "hourly_wage LIMIT 3"),
        ("lowest-paid cooks", "hourly_wage LIMIT 1"),
        ("top paid cook", "hourly_wage DESC"),
    ],
)
def test_the_highest_paid_earn_the_most(question: str, order: str) -> None:
    cooks = knowledge(table("cooks", "cook_id*:INTEGER cook_name height:DOUBLE hourly_wage:DOUBLE"))
    found = drafted(question, cooks)
    assert order in found.sql.replace('"', "").replace(" ASC", "").replace(" NULLS LAST", "")
    assert found.confidence >= 0.8


def test_from_the_highest_paid_to_the_lowest_is_an_order_of_all() -> None:
    cooks = knowledge(table("cooks", "cook_id*:INTEGER cook_name salary:DOUBLE"))
    found = drafted("Show name and salary of all cooks, from the highest paid to the lowest paid.", cooks).sql
    assert "DESC" in found
    assert "LIMIT" not in found
