"""Kinds in the plural stand for the rows of that kind."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

GENRES = table("genres", "genre_id*:INTEGER genre_name")
FILMS = keyed(
    table("films", "film_id*:INTEGER title genre_id:INTEGER shown_on:DATE rating:DOUBLE"), genre_id="genres.genre_id"
)
STAFF = table("members", "member_id*:INTEGER member_name")
SEATS = keyed(table("seats", "seat_id*:INTEGER member_id:INTEGER place"), member_id="members.member_id")
PROFILES = {
    GENRES.fqn: profiled(GENRES, {"genre_name": ["Drama", "Comedy", "Western"]}),
    STAFF.fqn: profiled(STAFF, {"member_name": ["Baker", "Fisher"]}),
}
CINEMA = knowledge(GENRES, FILMS, STAFF, SEATS, profiles=PROFILES)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("How many dramas were shown in 2004?", "SELECT COUNT(*) AS count_films FROM films"),
        ("List all comedies with a rating above 8.5.", "SELECT films.title"),
        ("Which westerns were shown in 2004?", "SELECT films.title"),
    ],
)
def test_rows_of_a_kind_are_asked_for(text: str, part: str) -> None:
    found = drafted(text, CINEMA)
    assert part in found.sql.replace('"', "")
    assert found.sql.count("genre_name") == 1
    assert found.confidence >= 0.8


def test_a_kind_beside_its_rows_is_no_other_row() -> None:
    assert drafted("How many drama films are there?", CINEMA).sql.count("genre_name") == 1


def test_people_are_no_kinds() -> None:
    assert "seats" not in drafted("How many members are there?", CINEMA).sql


def test_a_kind_that_several_tables_refer_to_stands_for_none_of_them() -> None:
    plays = keyed(table("plays", "play_id*:INTEGER title genre_id:INTEGER"), genre_id="genres.genre_id")
    known = knowledge(GENRES, FILMS, plays, profiles=PROFILES)
    found = drafted("How many dramas are there?", known).sql
    assert "films" not in found
    assert "plays" not in found
