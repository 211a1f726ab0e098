"""How far two figures lie apart: the number of the one less that of the other."""

import pytest

from resolvers.engines.nl2sql.language.differences import halves
from resolvers.engines.nl2sql.model import Knowledge, Unanswerable
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, profiled, table

FARM = table("farms", "farm_id*:INTEGER farm_name county founded_year:INTEGER")
ANIMAL = keyed(
    table("animals", "animal_id*:INTEGER farm_id:INTEGER animal_name species weight:INTEGER bought_on:DATE"),
    farm_id="farms.farm_id",
)
HELD = {
    "species": ["hen", "duck"], "weight": ["4"], "animal_name": ["Ada", "Otto"],
}  # fmt: skip
KNOWN = Knowledge(
    (FARM, ANIMAL),
    profiles={
        one.asset_fqn: one
        for one in (
            profiled(
                FARM, {"farm_name": ["Moss End", "High Barn"], "county": ["Kent", "Devon"], "founded_year": ["1901"]}
            ),
            profiled(ANIMAL, HELD),
        )
    },
)


def sql(text: str) -> str:
    """The statement for a question, without quotes."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("How many more animals were bought in 2021 than in 2020?", "How many animals were bought in 2021?",
         "How many animals were bought in 2020?"),
        ("How many fewer farms are there in Kent than in Devon?", "How many farms are there in Devon?",
         "How many farms are there in Kent?"),
        ("how many more hens than ducks live in Kent", "How many hens live in Kent?", "How many ducks live in Kent?"),
        ("How many more animals did Moss End buy than High Barn did?", "How many animals did Moss End buy?",
         "How many animals did High Barn buy?"),
        ("What is the difference between the highest and the lowest weight?", "What is the highest weight?",
         "What is the lowest weight?"),
        ("By how much did the average weight rise from 2019 to 2021 in Kent?",
         "What was the average weight in Kent in 2021?", "What was the average weight in Kent in 2019?"),
        ("How much did the total weight fall between 2019 and 2021?", "What was the total weight in 2019?",
         "What was the total weight in 2021?"),
        ("How much heavier is Ada than Otto?", "How heavy is Ada?", "How heavy is Otto?"),
    ],
)  # fmt: skip
def test_a_difference_is_asked_for_in_two_questions(text: str, first: str, second: str) -> None:
    assert (first, second) in list(halves(text))


@pytest.mark.parametrize(
    "text", ["Which farms have more animals than Moss End?", "How many animals are heavier than 3?", "List all farms."]
)
def test_other_questions_are_left_whole(text: str) -> None:
    assert list(halves(text)) == []


def test_counts_are_taken_from_each_other() -> None:
    text = sql("How many more farms are there in Kent than in Devon?")
    assert text.startswith("SELECT COUNT(*) - (SELECT COUNT(*)")
    assert text.endswith("county = 'Kent'")
    assert "county = 'Devon')" in text


def test_both_figures_are_told() -> None:
    draft = drafted("What is the difference in average weight between 2021 and 2020?", KNOWN)
    assert draft.reading == (
        "The average weight of animals where the bought on is in 2021, minus the average weight of animals where the"
        " bought on is in 2020."
    )


def test_numbers_of_several_rows_are_put_together_and_that_is_doubted() -> None:
    draft = drafted("What is the difference in weight between hens and ducks?", KNOWN)
    assert 'SELECT AVG("animals"."weight") - (SELECT AVG(' in draft.sql
    assert draft.confidence <= 0.75
    asked = drafted("What is the difference in average weight between hens and ducks?", KNOWN)
    assert asked.confidence > draft.confidence


def test_who_is_older_was_founded_earlier() -> None:
    text = sql("How much older is Moss End than High Barn?")
    assert text.index("High Barn") > text.index("Moss End")
    assert text.startswith("SELECT farms.founded_year - (SELECT farms_2.founded_year")
    assert text.endswith("farms.farm_name = 'High Barn'")


def test_a_half_that_is_not_clear_makes_no_difference() -> None:
    outcome = asked("How many more farms are there in Kent than in Atlantis?", KNOWN)
    assert isinstance(outcome, Unanswerable)
    assert outcome.missing == ("Atlantis",)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("By what percentage did the number of animals grow from 2020 to 2021?", "2020"),
        ("By how many percent did the number of animals drop between 2020 and 2021?", "2020"),
        ("What was the percentage growth in animals from 2020 to 2021?", "2020"),
    ],
)
def test_growth_in_percent_is_one_of_what_was_before(text: str, whole: str) -> None:
    draft = drafted(text, KNOWN)
    assert "percentage" in draft.sql
    assert draft.sql.startswith("SELECT 100 * ")
    assert draft.reading.endswith(f"in percent of the number of animals where the bought on is in {whole}.")


def test_a_difference_stays_a_number_where_no_percent_is_asked_for() -> None:
    assert "100 *" not in sql("By how much did the number of animals grow from 2020 to 2021?")
