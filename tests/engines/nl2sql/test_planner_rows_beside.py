"""Rows that are shown beside others, counted beside them, or told by nothing: each has one, each is one of a kind."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

SHEDS = table("sheds", "shed_id*:INTEGER shed_name built_year:INTEGER")
CRATES = keyed(
    table(
        "crates", "crate_id*:INTEGER shed_id:INTEGER fruit packer quantity:INTEGER is_bruised:BOOLEAN ordered_on:DATE"
    ),
    shed_id="sheds.shed_id",
)
FRUITS = {"fruit": ["apple", "pear", "plum", "quince"], "packer": ["Ann", "Bo"], "shed_id": ["1", "2"]}
PACKED = profiled(CRATES, FRUITS)
PACKED = PACKED.model_copy(
    update={
        "columns": [one.model_copy(update={"null_count": 2}) if one.name == "packer" else one for one in PACKED.columns]
    }
)
FARM = knowledge(SHEDS, CRATES, profiles={CRATES.fqn: PACKED, SHEDS.fqn: profiled(SHEDS, {"shed_name": ["North"]})})


def draft(text: str) -> QueryDraft:
    found = drafted(text, FARM)
    assert isinstance(found, QueryDraft), found
    return found


def sql(text: str) -> str:
    return draft(text).sql.replace('"', "")


@pytest.mark.parametrize("text", ["crates with shed name", "List the crates of pears with their shed"])
def test_what_every_row_has_one_of_is_shown_beside_it(text: str) -> None:
    written = sql(text)
    assert "sheds.shed_name" in written.partition("FROM")[0]
    assert "EXISTS" not in written


@pytest.mark.parametrize(
    "text", ["Which sheds have pears, and how many?", "Which sheds have pears, and how many each?"]
)
def test_how_many_behind_what_rows_have_counts_what_they_have(text: str) -> None:
    written = sql(text)
    assert "COUNT(*) AS count_crates" in written
    assert "GROUP BY sheds.shed_id" in written


def test_rows_and_their_own_number_are_no_sure_answer() -> None:
    assert draft("Which sheds were built after 2000, and how many?").confidence < 0.8


def test_so_many_of_one_and_so_many_of_another_are_two_numbers() -> None:
    assert "GROUP BY fruit" in sql("How many pears and how many plums were ordered in 2020?")


def test_nobody_is_none_of_those_who_did_so_much() -> None:
    assert "NOT packer IS NULL" in sql("Which packers have more than 3 crates?")


@pytest.mark.parametrize(
    "text", ["What is the total quantity ordered for each fruit?", "total quantity ordered by fruit"]
)
def test_what_was_ordered_is_put_in_no_order(text: str) -> None:
    written = sql(text)
    assert "GROUP BY fruit" in written
    assert "ORDER BY" not in written


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("sheds from the oldest to the youngest", "built_year ASC"),
        ("crates from the largest quantity to the smallest quantity", "quantity DESC"),
        ("sheds sorted by year built, from old to new", "built_year ASC"),
    ],
)
def test_both_ends_of_an_order_say_which_way(text: str, order: str) -> None:
    assert f"ORDER BY {order}" in sql(text)


def test_a_column_of_rows_that_something_was_done_with_is_shown() -> None:
    written = sql("Show the fruit and quantity of the crates ordered before 2020")
    assert written.startswith("SELECT fruit, quantity FROM")


def test_which_of_ours_are_rows_and_no_condition() -> None:
    assert "fruit <> 'pear'" in sql("Which of our crates are not pears?")


def test_the_start_of_a_year_is_where_it_begins() -> None:
    assert "ordered_on >= " in sql("How many crates were ordered since the start of 2020?")


def test_the_first_per_kind_are_rows_and_no_number_of_them() -> None:
    written = sql("oldest crate per fruit")
    assert "COUNT" not in written
    assert "crates_2.ordered_on < crates.ordered_on" in written


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("List crate ids from the oldest to the newest crate.", "ORDER BY ordered_on ASC"),
        ("number of crates for each fruit, sorted by the number from most to fewest", "ORDER BY COUNT(*) DESC"),
    ],
)
def test_an_order_is_told_once(text: str, order: str) -> None:
    assert sql(text).removesuffix(" NULLS LAST").endswith(order)
