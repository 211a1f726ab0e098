"""What words of a question are taken for, seen by the query that it leads to."""

import pytest

from resolvers.engines.nl2sql.model import Knowledge, QueryDraft
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import drafted, knowledge, profiled, table

COUNTRY = table("country_ref", "ctry_code* ctry_name")
DEPOT = table("depot", "depot_id*:INTEGER depot_name city sq_feet:INTEGER")
VEHICLE = table("vehicle", "vin* make mdl plate_no origin_ctry_code depot_id:INTEGER price:DOUBLE")
KNOWN = knowledge(
    COUNTRY,
    DEPOT,
    VEHICLE,
    profiles={
        VEHICLE.fqn: profiled(VEHICLE, {"make": ["Ford", "Ram"], "mdl": ["Transit", "ProMaster"]}),
        DEPOT.fqn: profiled(DEPOT, {"depot_name": ["Saguaro", "Lone Star"], "city": ["Austin", "Tucson"]}),
    },
    dialect="duckdb",
)


def draft(text: str, known: Knowledge = KNOWN) -> QueryDraft:
    """Return what the planner drafts."""
    return drafted(text, known)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("How many Fords are there?", """SELECT COUNT(*) AS "count_vehicle" FROM "vehicle" WHERE "make" = 'Ford'"""),
        ("Where is the Saguaro depot?", """SELECT "city" FROM "depot" WHERE "depot_name" = 'Saguaro'"""),
        ("How much does the ProMaster cost?", """SELECT "price" FROM "vehicle" WHERE "mdl" = 'ProMaster'"""),
        ("What is the plate number of the Transit?", """SELECT "plate_no" FROM "vehicle" WHERE "mdl" = 'Transit'"""),
        (
            "Which countries have no vehicle?",
            'SELECT "country_ref"."ctry_name" FROM "country_ref" WHERE NOT EXISTS(SELECT 1 FROM "vehicle" '
            'WHERE "country_ref"."ctry_code" = "vehicle"."origin_ctry_code")',
        ),
    ],
)
def test_words_are_taken_for_what_they_mean(text: str, sql: str) -> None:
    assert draft(text).sql == sql


def test_a_code_is_told_by_what_it_stands_for_unless_it_is_asked_for() -> None:
    assert "ctry_name" in draft("What is the country of origin of the ProMaster?").sql
    assert "ctry_name" not in draft("What is the origin country code of the ProMaster?").sql


def test_a_key_of_a_table_that_nobody_names_is_doubted() -> None:
    """The league of a game is no league of the teams that play it."""
    tables = (table("team", "team_id*:INTEGER name"), table("game", "game_no*:INTEGER team_id:INTEGER league_key"))
    found = draft("How many teams are there in each league?", knowledge(*tables, dialect="duckdb"))
    assert found.confidence < UNSURE
    own = (table("team", "team_id*:INTEGER name league_key"), tables[1])
    of_teams = draft("How many teams are there in each league?", knowledge(*own, dialect="duckdb"))
    assert of_teams.sql.endswith('FROM "team" GROUP BY "league_key"')
    assert (found.evidence["doubts"], of_teams.evidence["doubts"]) == (["a key of a table that is not named"], [])
