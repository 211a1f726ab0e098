"""What verbs of money come to: how much was invoiced, who was billed the most."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

CLUB = table("clubs", "club_id*:INTEGER club_name city")
STAY = keyed(table("stays", "stay_id*:INTEGER club_id:INTEGER begun_on:DATE"), club_id="clubs.club_id")
INVOICE = keyed(
    table("invoices", "invoice_id*:INTEGER stay_id:INTEGER amount:DOUBLE issued_on:DATE status"),
    stay_id="stays.stay_id",
)
GIFT = keyed(
    table("gifts", "gift_id*:INTEGER club_id:INTEGER quantity:INTEGER refund_amount:DOUBLE way"),
    club_id="clubs.club_id",
)
MONEY = knowledge(
    CLUB,
    STAY,
    INVOICE,
    GIFT,
    profiles={GIFT.fqn: profiled(GIFT, {"way": ["bank transfer", "cash"]})},
)


def sql(text: str) -> str:
    """The statement for a question, without quotes."""
    return drafted(text, MONEY).sql.replace('"', "")


@pytest.mark.parametrize(
    "text", ["How much was invoiced in 2023?", "How much did we invoice in 2023?", "Total invoiced in 2023"]
)
def test_what_was_invoiced_is_added_up(text: str) -> None:
    assert "SELECT SUM(amount)" in sql(text)


def test_the_number_that_a_verb_names_is_added_up() -> None:
    assert sql("How much was refunded per way?").startswith("SELECT SUM(refund_amount)")


def test_each_of_what_rows_belong_to_over_other_tables_has_its_own() -> None:
    found = sql("How much has each club invoiced in total?")
    assert "SUM(invoices.amount)" in found
    assert "GROUP BY clubs.club_id" in found


def test_invoiced_the_most_is_an_amount_and_no_number_of_rows() -> None:
    assert "ORDER BY SUM(invoices.amount) DESC" in sql("Which club invoiced the most?")
