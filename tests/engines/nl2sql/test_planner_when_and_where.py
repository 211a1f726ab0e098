"""Question words ask for what they say: a time, a place. Lists share their last word."""

import re

import pytest

from resolvers.engines.nl2sql.model import Clarification
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

KNOWN = knowledge(
    table(
        "keepers",
        "keeper_id*:INTEGER first_name:VARCHAR middle_name:VARCHAR last_name:VARCHAR birth_date:DATE hire_date:DATE "
        "birth_city:VARCHAR city:VARCHAR phone:VARCHAR",
    ),
    keyed(
        table("shipments", "shipment_id*:INTEGER keeper_id:INTEGER ordered_on:DATE shipped_on:DATE line_1 line_2"),
        keeper_id="keepers.keeper_id",
    ),
    table("tools", "tool_id*:INTEGER tool_name:VARCHAR price:DOUBLE"),
)


@pytest.mark.parametrize(
    ("question", "shown", "ordered"),
    [
        ("When was the last shipment shipped?", "SELECT shipped_on FROM", "ORDER BY shipped_on DESC"),
        ("When was the first keeper hired?", "SELECT hire_date FROM", "ORDER BY hire_date ASC"),
        ("Which keeper was hired first?", "SELECT first_name, last_name", "ORDER BY hire_date ASC"),
        ("Where does the oldest keeper live?", "SELECT city FROM", "ORDER BY birth_date ASC"),
        ("Where was the oldest keeper born?", "SELECT birth_city FROM", "ORDER BY birth_date ASC"),
    ],
)
def test_a_time_and_a_place_are_what_is_asked_for(question: str, shown: str, ordered: str) -> None:
    sql = drafted(question, KNOWN).sql.replace('"', "")
    assert shown in sql
    assert ordered in sql


@pytest.mark.parametrize("question", ["Where is the most expensive tool?", "When was the cheapest tool?"])
def test_what_no_column_tells_is_no_sure_answer(question: str) -> None:
    found = asked(question, KNOWN)
    assert isinstance(found, Clarification) or getattr(found, "confidence", 0) < UNSURE


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("List the first, middle and last names of all keepers.", "SELECT first_name, middle_name, last_name FROM"),
        ("the first and last name of every keeper", "SELECT first_name, last_name FROM"),
        ("the hire and birth date of each keeper", "SELECT hire_date, birth_date FROM"),
        ("Show the line 1 and line 2 of shipments.", "SELECT line_1, line_2 FROM"),
    ],
)
def test_a_list_shares_its_last_word(question: str, columns: str) -> None:
    assert columns in drafted(question, KNOWN).sql.replace('"', "")


LIVES = knowledge(
    table(
        "sailors",
        "sailor_id*:INTEGER full_name:VARCHAR birthYear:INTEGER birthMonth:INTEGER birthDay:INTEGER "
        "deathYear:INTEGER deathMonth:INTEGER deathDay:INTEGER birthPort:VARCHAR deathPort:VARCHAR debut:DATE",
    ),
    table("ships", "ship_id*:INTEGER ship_name:VARCHAR launched:DATE"),
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When was the sailor named 'Ann Bly' born?", "SELECT birthYear, birthMonth, birthDay FROM"),
        ("When did the sailor named 'Ann Bly' die?", "SELECT deathYear, deathMonth, deathDay FROM"),
        ("How many sailors died in each port?", "GROUP BY deathPort"),
        ("How many sailors were born in each port?", "GROUP BY birthPort"),
    ],
)
def test_what_is_done_tells_the_date_and_the_place_that_are_asked_for(question: str, said: str) -> None:
    """A date may be told by three columns; a first day at work is nobody's birthday."""
    assert said in drafted(question, LIVES).sql.replace('"', "")


BOUGHT = knowledge(
    keyed(
        table("patrons", "patron_id*:INTEGER name:VARCHAR country:VARCHAR guide_id:INTEGER"), guide_id="guides.guide_id"
    ),
    table("guides", "guide_id*:INTEGER name:VARCHAR hired_on:DATE"),
    keyed(
        table("receipts", "receipt_id*:INTEGER patron_id:INTEGER issued_on:DATE total:DOUBLE"),
        patron_id="patrons.patron_id",
    ),
    table("members", "member_id*:INTEGER name:VARCHAR"),
    keyed(
        table("rentals", "rental_id*:INTEGER member_id:INTEGER rented_on:DATE"),
        member_id="members.member_id",
    ),
    table("sculptors", "sculptor_id*:INTEGER name:VARCHAR hired_on:DATE"),
    keyed(
        table("awards", "award_id*:INTEGER sculptor_id:INTEGER given_on:DATE"),
        sculptor_id="sculptors.sculptor_id",
    ),
)


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("Which five patrons spent the most in 2021?", "issued_on"),
        ("Which patron spent the most in 2021?", "issued_on"),
        ("Which sculptor received the most awards in 2021?", "given_on"),
        ("Which sculptors hired in 2021 received the most awards?", "hired_on"),
    ],
)
def test_a_year_behind_an_amount_is_that_of_the_rows_it_is_made_of(question: str, column: str) -> None:
    sql = drafted(question, BOUGHT).sql.replace('"', "")
    assert f"{column} BETWEEN" in sql, sql


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("Which members rented the most?", "ORDER BY COUNT(*) DESC"),
        ("Which member rented the least in 2021?", "ORDER BY COUNT(*) ASC"),
        ("Which five members have rented the most?", "LIMIT 5"),
        ("Which patrons spent the most?", "ORDER BY SUM(receipts.total) DESC"),
    ],
)
def test_who_did_the_most_of_what_a_table_holds_has_the_most_rows_of_it(question: str, order: str) -> None:
    assert order in drafted(question, BOUGHT).sql.replace('"', "")


PARCELS = table("parcels", "parcel_id*:INTEGER label:VARCHAR ordered_on:DATE sent_date:DATE crates_in_stock:INTEGER")
SENT = knowledge(PARCELS, profiles={PARCELS.fqn: profiled(PARCELS, {"crates_in_stock": ["0", "5"]})})


def test_a_day_does_not_last_and_the_days_between_two_do() -> None:
    letters = table("letters", "letter_id*:INTEGER label:VARCHAR sent_date:DATE due_date:DATE")
    found = asked("Which letters took the longest to send?", knowledge(letters, profiles={}))
    assert isinstance(found, Clarification) or getattr(found, "confidence", 0) < UNSURE
    written = drafted("Which parcels took the longest to send?", SENT).sql.replace('"', "")
    assert re.search(r"ORDER BY .*sent_date AS TIMESTAMP\) - CAST\(ordered_on .* DESC", written)


def test_out_of_stock_is_a_stock_of_0_and_no_doubt() -> None:
    found = drafted("Which parcels are out of stock?", SENT)
    assert "crates_in_stock = 0" in found.sql.replace('"', "")
    assert "denied" not in str(found.evidence)


def test_numbers_of_things_for_each_are_counts_and_others_may_be_names() -> None:
    each = drafted("Show the names of members and the numbers of rentals for each.", BOUGHT).sql.replace('"', "")
    assert "members.name, COUNT(*)" in each
    numbered = knowledge(table("crates", "crate_no*:INTEGER crate_name:VARCHAR weight:DOUBLE"), profiles={})
    assert drafted("Show the numbers of crates.", numbered).sql.replace('"', "").startswith("SELECT crate_no ")


def test_rows_are_counted_where_only_a_key_is_called_as_what_there_are_so_many_of() -> None:
    pals = knowledge(
        table("junior", "ID*:INTEGER name:VARCHAR form:INTEGER"),
        keyed(table("pal", "cadet_id*:INTEGER pal_id*:INTEGER"), cadet_id="junior.ID", pal_id="junior.ID"),
        profiles={},
    )
    sql = drafted("Show all forms that have at least 4 cadets.", pals).sql.replace('"', "")
    assert sql.startswith("SELECT form FROM junior GROUP BY form HAVING COUNT(*) >= 4"), sql


def test_what_came_about_is_the_time_of_rows_rather_than_what_was_planned() -> None:
    visits = table("visits", "visit_id*:INTEGER eta:TIMESTAMP arrived_at:TIMESTAMP berth")
    assert '"arrived_at" >= ' in drafted("how many visits in 2024?", knowledge(visits, profiles={})).sql
    assert '"eta" >= ' in drafted("how many visits with an eta in 2024?", knowledge(visits, profiles={})).sql
