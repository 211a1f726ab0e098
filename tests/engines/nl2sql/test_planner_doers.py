"""Those who did something, where the rows of a table are what they did, and another table holds the people."""

from dataclasses import replace

import pytest

from resolvers.engines.nl2sql.model import Knowledge
from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

DEEDS = [
    ("pitchings", "pitchers"),
    ("climbings", "climbers"),
    ("readings", "readers"),
    ("jumpings", "jumpers"),
    ("drivings", "drivers"),
]
"""Tables of what was done, and what those are called who did it."""


def _known(rows: str) -> Knowledge:
    people = table("people", "id*:INTEGER first_name last_name height:INTEGER birth_country")
    done = keyed(table(rows, f"{rows}_id*:INTEGER person_id:INTEGER season:INTEGER"), person_id="people.id")
    countries = profiled(people, {"birth_country": ["Cuba", "Chile"]})
    return replace(knowledge(people, done), profiles={people.fqn: countries})


@pytest.mark.parametrize(("rows", "people"), DEEDS)
def test_a_figure_of_people_is_told_of_those_who_did_it(rows: str, people: str) -> None:
    found = drafted(f"average height of {people}", _known(rows))
    assert f'JOIN "{rows}"' in found.sql
    assert "SELECT DISTINCT" in found.sql, "each of them once"
    assert f"that have some {rows}" in found.reading


@pytest.mark.parametrize(("rows", "people"), DEEDS[:2])
def test_counting_what_they_did_is_no_sure_answer_to_how_many_they_are(rows: str, people: str) -> None:
    found = drafted(f"How many {people} are from Cuba?", _known(rows))
    assert found.confidence <= 0.6, found.sql
