"""A number of nothing behind counts that are told for each group: it is that which is counted."""

from dataclasses import replace

import pytest

from tests.engines.nl2sql.catalogs import drafted, knowledge, profiled, table

VISITS = table("visits", "visit_id*:INTEGER city minutes:INTEGER")
KNOWN = replace(knowledge(VISITS), profiles={VISITS.fqn: profiled(VISITS, {"city": ["Rome", "Oslo"]})})


@pytest.mark.parametrize(
    "question",
    [
        "How many visits per city, only those with at least 5?",
        "Number of visits in each city, only cities with five or more.",
        "Count visits per city having at least 5",
        "number of visits for each city with at least five",
    ],
)
def test_groups_are_chosen_by_how_many_they_have(question: str) -> None:
    found = drafted(question, KNOWN)
    assert "HAVING COUNT(*) >= 5" in found.sql
    assert "minutes" not in found.sql, "the only number of a row is not meant"


def test_a_number_of_something_that_is_named_is_that() -> None:
    found = drafted("How many visits per city with more than 30 minutes?", KNOWN)
    assert '"minutes" > 30' in found.sql
