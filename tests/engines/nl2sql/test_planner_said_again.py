"""Turns of speech that say again, or at length, what other words of a question say plainly."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

SHED = table("sheds", "shed_id*:INTEGER shed_name row_1 row_2 row_3 description height:DOUBLE width:DOUBLE")
PLANT = table("plants", "plant_id*:INTEGER plant_name level_of_care:INTEGER shed_id:INTEGER")
GROWER = table("growers", "grower_id*:INTEGER grower_name other_grower_notes")
STINT = table("stints", "grower_id:INTEGER shed_id:INTEGER other_notes")
GARDEN = knowledge(
    SHED,
    keyed(PLANT, shed_id="sheds.shed_id"),
    GROWER,
    keyed(STINT, grower_id="growers.grower_id", shed_id="sheds.shed_id"),
    profiles={SHED.fqn: profiled(SHED, {"shed_name": ["North", "Old Barn"]})},
)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("What is the second row of each shed?", "SELECT row_2 FROM sheds"),
        ("What are the first and third row of the sheds?", "SELECT row_1, row_3 FROM sheds"),
        ("Show all rows of the shed Old Barn", "SELECT row_1, row_2, row_3 FROM sheds"),
        (
            "What are the id, name and level of care of plants in all sheds?",
            "SELECT plants.plant_id, plants.plant_name",
        ),
        ("Which growers stayed in 2 sheds?", "HAVING COUNT(DISTINCT stints.shed_id) = 2"),
        ("What is the name of each shed and how many plants are there in each one?", "GROUP BY sheds.shed_id"),
        ("Describe the shed North", "SELECT description FROM sheds WHERE shed_name = 'North'"),
        ("How is the shed North described?", "SELECT description FROM sheds WHERE shed_name = 'North'"),
        ("What other notes can you tell me about growers?", "other_grower_notes FROM growers"),
        (
            "Which sheds are higher than the shed with the greatest width?",
            "ORDER BY sheds_2.width DESC NULLS LAST LIMIT 1)",
        ),
        (
            "How many sheds have a greater height than the one with the smallest width?",
            "ORDER BY sheds_2.width ASC LIMIT 1)",
        ),
    ],
)
def test_what_is_said_again_or_at_length_is_read_plainly(question: str, part: str) -> None:
    assert part in drafted(question, GARDEN).sql.replace('"', "")


@pytest.mark.parametrize(
    "question",
    [
        "sheds with a height above 3, how many?",
        "sheds with a height above 3: how many are there",
        "which sheds have a height above 3? just how many",
        "all sheds with a height above 3 - count",
        "sheds with a height above 3 - only the number",
    ],
)
def test_that_a_count_is_wanted_may_be_said_last(question: str) -> None:
    found = drafted(question, GARDEN).sql.replace('"', "")
    assert "COUNT(*)" in found
    assert "height > 3" in found


@pytest.mark.parametrize(
    "question", ["Which sheds have not a single plant?", "sheds that never had a single plant, thx"]
)
def test_not_a_single_one_is_none(question: str) -> None:
    assert "NOT EXISTS" in drafted(question, GARDEN).sql


def test_politeness_adds_nothing() -> None:
    assert "GROUP BY" in drafted("number of plants per shed (names pls)", GARDEN).sql
