"""Rows that are tied to others of their own table: by a value they share, or by a key from one to the other."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, table

HALL = table("halls", "hall_id*:INTEGER hall_name")
CHOIR = keyed(
    table("choirs", "choir_id*:INTEGER choir_name town rehearsal_hall_id:INTEGER founded_by:INTEGER"),
    rehearsal_hall_id="halls.hall_id",
)
SINGER = keyed(
    table("singers", "singer_id*:INTEGER singer_name town voice invited_by:INTEGER"), invited_by="singers.singer_id"
)
SONGS = knowledge(HALL, CHOIR, SINGER)


@pytest.mark.parametrize(
    ("question", "column", "many"),
    [
        ("Which choirs are in the same town as another choir?", "town", ">= 2"),
        ("Which choirs are in the same town as at least one other choir?", "town", ">= 2"),
        ("List singers that have the same voice as more than three other singers", "voice", "> 4"),
        ("Which choirs share their town with at least two other choirs?", "town", ">= 3"),
        ("Which choirs share their rehearsal hall with another choir?", "rehearsal_hall_id", ">= 2"),
    ],
)
def test_rows_are_alike_in_a_column_or_a_key(question: str, column: str, many: str) -> None:
    sql = drafted(question, SONGS).sql.replace('"', "")
    assert f".{column} IN (SELECT " in sql
    assert f"HAVING COUNT(*) {many}" in sql


@pytest.mark.parametrize(
    ("question", "many"),
    [
        ("Which singers invited three or more other singers?", "IN (SELECT singers_2.invited_by"),
        ("Which singers invited at least two other singers?", "HAVING COUNT(*) >= 2"),
        ("Which singers have not invited any other singers?", "NOT singers.singer_id IN"),
    ],
)
def test_a_verb_leads_from_one_row_to_others(question: str, many: str) -> None:
    found = drafted(question, SONGS)
    assert many in found.sql.replace('"', "")


def test_a_verb_that_no_key_is_called_by_is_doubted() -> None:
    assert drafted("Which singers teach at least two other singers?", SONGS).confidence < 0.8
