"""Who does what how often, what verbs and adjectives measure, and rows called by what they are."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import drafted, knowledge, profiled, table

LANDS = table("lands", "land_code*:VARCHAR land_name:VARCHAR")
DESIGNERS = table("designers", "designer_id*:INTEGER designer_name:VARCHAR birth_year:INTEGER pay:INTEGER")
BOATS = table(
    "boats", "boat_id*:INTEGER ttl:VARCHAR flag_code:VARCHAR crosses:VARCHAR built_year:INTEGER designer_id:INTEGER"
)
REPAIRS = table(
    "repairs", "repair_id*:INTEGER boat_id:INTEGER repaired_on:VARCHAR price:INTEGER kind:VARCHAR weekday:VARCHAR"
)
KNOWN = knowledge(
    LANDS,
    DESIGNERS,
    BOATS,
    REPAIRS,
    table("crew", "crew_id*:INTEGER crew_name:VARCHAR boss_id:INTEGER"),
    profiles={
        LANDS.fqn: profiled(LANDS, {"land_code": ["NO", "SE", "FI"], "land_name": ["Norway", "Sweden", "Finland"]}),
        DESIGNERS.fqn: profiled(DESIGNERS, {"designer_name": ["Una Holm", "Jon Berg"]}),
        BOATS.fqn: profiled(
            BOATS,
            {"ttl": ["Gull", "Swan", "Tern"], "flag_code": ["NO", "FI"], "crosses": ["Black Sound", "Long Sound"]},
        ),
        REPAIRS.fqn: profiled(
            REPAIRS,
            {"kind": ["hull", "mast"], "repaired_on": ["2020-05-01", "2021-06-02"], "weekday": ["Mon", "Sat"]},
        ),
    },
)


def draft(text: str) -> QueryDraft:
    """Return what the planner answers a question with."""
    return drafted(text, KNOWN)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Who designed the Gull?", "SELECT designers.designer_name"),
        ("Which designer is paid the least?", "ORDER BY pay ASC"),
        ("Which designer earns the most?", "ORDER BY pay DESC"),
        ("Which boats were repaired at least three times?", "HAVING COUNT(*) >= 3"),
        ("Which boats were repaired 3 times or more?", "HAVING COUNT(*) >= 3"),
        ("Which boats were never repaired?", "NOT EXISTS(SELECT 1 FROM repairs"),
        ("How many boats come from each land? Show the land name.", "boats.flag_code = lands.land_code"),
        ("How many boats cross the Long Sound?", "SELECT COUNT(*)"),
        ("What is the oldest boat?", "SELECT ttl FROM boats"),
        ("Which designer was born last?", "ORDER BY birth_year DESC"),
        ("Who is the boss of crew 4?", "SELECT crew_2.crew_name"),
        ("Which boat has the highest number of repairs? Show the title.", "ORDER BY COUNT("),
        ("What is the most popular boat by number of repairs?", "SELECT boats.ttl FROM"),
        ("Which designers were born after 1950? Birth years.", "SELECT birth_year FROM designers"),
        ("How many repairs were made on Saturday?", "weekday = 'Sat'"),
        ("What did the repairs cost altogether?", "SELECT SUM(price)"),
        ("What is the average price, the highest price and the cheapest price of the repairs?", "MIN(price)"),
        ("How many repairs were made after June 2021?", ">= '2021-07-01'"),
        ("Which repairs were patched (kind hull)?", "kind = 'hull'"),
        ("Which kinds cost more than 40 on average?", "HAVING AVG(price) > 40"),
    ],
)
def test_it_is_told_by_plain_words(question: str, part: str) -> None:
    found = draft(question)
    assert part in found.sql.replace('"', ""), found.sql


@pytest.mark.parametrize("question", ["Who designed the Gull?", "How many boats cross the Long Sound?"])
def test_such_answers_need_no_warning(question: str) -> None:
    assert draft(question).confidence >= UNSURE
