"""Tables that tie rows of one kind to one another: pen friends, and who praises whom."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

DWELLERS = table("dwellers", "id*:INTEGER name street")
PENFRIENDS = keyed(
    table("penfriend", "scout_id*:INTEGER penfriend_id*:INTEGER"), scout_id="dwellers.id", penfriend_id="dwellers.id"
)
PRAISES = keyed(
    table("praises", "scout_id*:INTEGER praised_id*:INTEGER"), scout_id="dwellers.id", praised_id="dwellers.id"
)
PROFILES = {DWELLERS.fqn: profiled(DWELLERS, {"name": ["Ola", "Runa"], "street": ["Quay", "Mill Lane"]})}
CAMP = knowledge(DWELLERS, PENFRIENDS, PRAISES, profiles=PROFILES, dialect="duckdb")

HAS_FRIENDS = "EXISTS(SELECT 1 FROM penfriend WHERE dwellers.id = penfriend.scout_id)"
IS_PRAISED = "EXISTS(SELECT 1 FROM praises WHERE dwellers.id = praises.praised_id)"


def read(text: str) -> str:
    return drafted(text, CAMP).sql.replace('"', "")


def test_what_the_keys_of_several_tables_call_rows_are_those_rows() -> None:
    assert read("What are the names of scouts who have no penfriends?") == (
        f"SELECT dwellers.name FROM dwellers WHERE NOT {HAS_FRIENDS}"
    )
    assert read("List the ids of the scouts who live in Mill Lane").startswith("SELECT id FROM dwellers WHERE street")


@pytest.mark.parametrize(
    "text",
    [
        "What are the names of dwellers who both have penfriends and are praised?",
        "Show the names of all scouts who have penfriends and are also praised by someone else.",
    ],
)
def test_two_things_said_of_rows_are_looked_for_apart(text: str) -> None:
    assert read(text) == f"SELECT dwellers.name FROM dwellers WHERE {HAS_FRIENDS} AND {IS_PRAISED}"


@pytest.mark.parametrize(
    "text", ["Who are Ola's penfriends?", "penfriends of Ola", "Show the names of Ola's penfriends."]
)
def test_whose_they_are_and_who_they_are_stand_at_two_ends(text: str) -> None:
    sql = read(text)
    assert sql.startswith("SELECT dwellers.name FROM penfriend JOIN dwellers ON penfriend.penfriend_id = dwellers.id")
    assert "penfriend.scout_id = dwellers_2.id WHERE dwellers_2.name = 'Ola'" in sql


def test_to_like_somebody_is_no_pattern_of_a_text() -> None:
    likes = keyed(table("likes", "scout_id*:INTEGER liked_id*:INTEGER"), scout_id="dwellers.id", liked_id="dwellers.id")
    sql = drafted("How many dwellers like someone?", knowledge(DWELLERS, likes, profiles=PROFILES)).sql
    assert "LIKE" not in sql
    assert "EXISTS" in sql
