"""How many rows of a table somebody has, and which rows are counted."""

import duckdb
import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

CHEFS = table("chefs", "chef_id*:INTEGER chef_name town")
KINDS = table("kinds", "kind_id*:INTEGER kind_name")
DISHES = keyed(
    table("dishes", "dish_id*:INTEGER title chef_id:INTEGER kind_id:INTEGER cooked_on:DATE cost:DOUBLE"),
    chef_id="chefs.chef_id",
    kind_id="kinds.kind_id",
)
PROFILES = {
    CHEFS.fqn: profiled(CHEFS, {"chef_name": ["Ann", "Bob", "Cid"], "town": ["Rome", "Bonn"]}),
    KINDS.fqn: profiled(KINDS, {"kind_name": ["Soup", "Salad"]}),
}
KITCHEN = knowledge(CHEFS, KINDS, DISHES, profiles=PROFILES, dialect="duckdb")
ROWS = """
create table chefs as select * from (values (1, 'Ann', 'Rome'), (2, 'Bob', 'Rome'), (3, 'Cid', 'Bonn'))
    t(chef_id, chef_name, town);
create table kinds as select * from (values (1, 'Soup'), (2, 'Salad')) t(kind_id, kind_name);
create table dishes as select * from (values
    (1, 'a', 1, 1, date '2020-01-01', 5.0), (2, 'b', 1, 1, date '2020-02-01', 9.0),
    (3, 'c', 1, 2, date '2021-01-01', 9.0), (4, 'd', 1, 2, date '2021-02-01', 9.0),
    (5, 'e', 2, 1, date '2020-01-01', 5.0), (6, 'f', 2, 2, date '2021-01-01', 5.0),
    (7, 'g', 3, 2, date '2020-01-01', 9.0), (8, 'h', 3, 2, date '2020-03-01', 9.0),
    (9, 'i', 3, 2, date '2021-01-01', 5.0)
) t(dish_id, title, chef_id, kind_id, cooked_on, cost);
"""


def names_of(found: QueryDraft) -> list[object]:
    with duckdb.connect() as connection:
        connection.execute(ROWS)
        return sorted(row[0] for row in connection.execute(found.sql).fetchall())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Which chefs have between 2 and 3 dishes?", ["Bob", "Cid"]),
        ("Which chefs cooked between 2 and 3 dishes?", ["Bob", "Cid"]),
        ("chefs with 3 to 4 dishes", ["Ann", "Cid"]),
        ("Which chefs have more than 1 dish in 2020?", ["Ann", "Cid"]),
        ("Which chefs cooked at least 2 dishes in 2021?", ["Ann"]),
        ("In 2021, which chefs cooked at least 2 dishes?", ["Ann"]),
        ("Which chefs have at least 2 dishes with a cost above 6?", ["Ann", "Cid"]),
        ("Which chefs from Rome have at least 2 dishes in 2020?", ["Ann"]),
        ("Which chefs have exactly 2 dishes of the kind Soup?", ["Ann"]),
        ("Which chefs cooked at least 2 salads?", ["Ann", "Cid"]),
        ("Which chefs have more than 1 soup?", ["Ann"]),
        ("Which chefs cooked between 2 and 3 salads?", ["Ann", "Cid"]),
        ("Which chefs cooked more than 1 Salad dish in 2020?", ["Cid"]),
    ],
)
def test_rows_are_counted_as_far_as_they_are_meant(text: str, names: list[object]) -> None:
    found = drafted(text, KITCHEN)
    assert names_of(found) == names
    assert found.confidence > 0.6


def test_what_is_said_before_a_number_is_of_the_one_who_has_the_rows() -> None:
    assert names_of(drafted("Which chefs who cooked in 2020 have at least 3 dishes?", KITCHEN)) == ["Ann", "Cid"]


def test_a_range_of_a_column_stays_one() -> None:
    assert "cost BETWEEN 5 AND 8" in drafted("Which dishes cost between 5 and 8?", KITCHEN).sql.replace('"', "")
