"""Figures of all rows of one: compared with a number that none reaches alone, and with another's."""

from dataclasses import replace

import pytest

from resolvers.engines.nl2sql.joining.keys import KeyFinder
from resolvers.engines.nl2sql.model import Knowledge
from schema.data_readiness.source import TableFacts
from tests.engines.nl2sql.catalogs import drafted, fqn, keyed, profiled, table

RIDER = table("riders", "rider_id*:INTEGER rider_name birth_month:INTEGER birth_day:INTEGER birth_year:INTEGER")
SEASON = keyed(
    table("seasons", "season_id*:INTEGER rider_id:INTEGER year:INTEGER points:INTEGER wins:INTEGER races:INTEGER"),
    rider_id="riders.rider_id",
)
BIKE = keyed(table("bikes", "bike_id*:INTEGER rider_id:INTEGER label"), rider_id="riders.rider_id")
NUMBERS = {"points": "412", "wins": "11", "races": "23", "birth_month": "12", "birth_day": "31", "birth_year": "2004"}


def known(*approximate: str) -> Knowledge:
    """Riders with a season for each year, of which none has more points than 412, or none of a sample."""
    seasons = profiled(SEASON, {"points": ["310"], "wins": ["3"], "races": ["20"]})
    riders = profiled(
        RIDER,
        {
            "rider_name": ["Ida Frost", "Paul Krug"],
            "birth_month": ["4"],
            "birth_day": ["9"],
            "birth_year": ["1994"],
        },
    )

    def ends(of: str) -> dict[str, str]:
        return {"minimum": "1990" if of == "birth_year" else "0", "maximum": NUMBERS.get(of, "9")}

    made = {
        one.asset_fqn: one.model_copy(
            update={
                "columns": [
                    each.model_copy(update=ends(each.name) | {"approximate": list(approximate)}) for each in one.columns
                ]
            }
        )
        for one in (seasons, riders)
    }
    return Knowledge((RIDER, SEASON, BIKE), profiles=made)


def sql(text: str) -> str:
    """The statement for a question, without quotes."""
    return drafted(text, known()).sql.replace('"', "")


def total(column: str, end: str) -> str:
    """Return what riders are chosen by whose seasons come to something."""
    return f"GROUP BY seasons.rider_id HAVING SUM(seasons.{column}) {end}"


@pytest.mark.parametrize("said", ["at least 500 points", "500 points or more"])
def test_what_no_row_reaches_alone_is_added_up(said: str) -> None:
    assert total("points", ">= 500") in sql(f"Which riders have {said}?")


def test_what_a_row_may_reach_is_said_of_one() -> None:
    written = sql("Which riders have at least 400 points?")
    assert "seasons.points >= 400" in written
    assert "SUM" not in written


def test_a_sample_does_not_tell_what_a_row_may_reach() -> None:
    written = drafted("Which riders have at least 500 points?", known("maximum")).sql
    assert "SUM" not in written


def test_a_total_takes_what_is_said_of_its_rows() -> None:
    written = sql("Which riders have at least 500 points since 2019?")
    assert total("points", ">= 500") in written
    assert "seasons.year >= 2019" in written.split("GROUP BY", maxsplit=1)[0]


def test_as_many_rows_as_another_has() -> None:
    written = sql("Which riders own more bikes than Ida Frost?")
    assert "GROUP BY bikes.rider_id HAVING COUNT(*) > (SELECT COUNT(*)" in written
    assert "rider_name = 'Ida Frost'" in written


@pytest.mark.parametrize("said", ["more", "more career", "more total", "fewer"])
def test_as_much_as_the_rows_of_another_come_to(said: str) -> None:
    written = sql(f"Which riders have {said} points than Ida Frost?")
    sign = "<" if said == "fewer" else ">"
    assert total("points", f"{sign} (SELECT SUM(seasons_2.points)") in written
    assert "rider_name = 'Ida Frost'" in written


@pytest.mark.parametrize("contest", ["races", "games", "matches"])
def test_what_is_won_is_counted_by_the_column_of_wins(contest: str) -> None:
    written = sql(f"Which riders won more than 5 {contest}?")
    assert "seasons.wins > 5" in written
    assert "races" not in written


@pytest.mark.parametrize("question", ["Which riders won more than 5 games?", "riders who have won more than 5 games"])
def test_what_is_won_is_counted_by_a_column_that_is_only_described_so(question: str) -> None:
    described = replace(SEASON.columns[4], name="w", description="Wins.")
    seasons = replace(SEASON, columns=(*SEASON.columns[:4], described, replace(SEASON.columns[5], name="games")))
    measured = profiled(SEASON, {"points": ["310"]})
    asked = replace(known(), tables=(RIDER, seasons), profiles={SEASON.fqn: measured})
    assert '"w" > 5' in drafted(question, asked).sql


def test_rows_that_are_contests_are_counted_themselves() -> None:
    race = keyed(table("races", "race_id*:INTEGER winner_id:INTEGER label"), winner_id="riders.rider_id")
    written = drafted("Which riders won more than 5 races?", replace(known(), tables=(RIDER, race))).sql
    assert "COUNT(*) > 5" in written


@pytest.mark.parametrize(
    ("said", "month", "day"),
    [
        ("Christmas Day", 12, 25),
        ("Christmas Eve", 12, 24),
        ("New Year's Eve", 12, 31),
        ("New Year's Day", 1, 1),
        ("Halloween", 10, 31),
        ("leap day", 2, 29),
        ("December 25", 12, 25),
    ],
)
def test_a_day_of_the_year_has_a_name(said: str, month: int, day: int) -> None:
    written = sql(f"Which riders were born on {said}?")
    assert written.endswith(f"WHERE birth_month = {month} AND birth_day = {day}")


def test_tables_that_a_third_one_ties_are_not_joined_by_a_name_they_share() -> None:
    """Each row of the one would go with many of the other, whoever they are of."""
    shared = [table(name, "rider_id:INTEGER year:INTEGER award_id") for name in ("honours", "votes")]
    tied = [keyed(one, rider_id="riders.rider_id") for one in shared]

    def ties(*tables: TableFacts) -> set[tuple[str, str]]:
        return {(one.columns[0], one.to) for one in KeyFinder(Knowledge(tables)).all()}

    assert ("award_id", fqn("votes")) in ties(*shared)
    assert ("award_id", fqn("votes")) not in ties(RIDER, *tied)


def test_who_is_first_on_average() -> None:
    written = sql("Which rider has the most points on average?")
    assert "ORDER BY AVG(seasons.points) DESC" in written


FLIGHT = table("flights", "flight:INTEGER carrier flight_date:DATE dep_delay:INTEGER")


@pytest.mark.parametrize(("said", "order"), [("busiest", "DESC"), ("quietest", "ASC")])
def test_the_busiest_day_has_the_most_rows(said: str, order: str) -> None:
    """A flight is told by its number, which says nothing of how many there are."""
    written = drafted(f"What was the {said} day?", Knowledge((FLIGHT,))).sql.replace('"', "")
    assert f"GROUP BY flight_date ORDER BY COUNT(*) {order}" in written


def test_how_busy_it_was_is_told_by_numbers_where_there_are_any() -> None:
    ports = table("ports", "port_id*:INTEGER port_name passengers:INTEGER")
    written = drafted("What is the busiest port?", Knowledge((ports,))).sql.replace('"', "")
    assert "ORDER BY passengers DESC" in written


@pytest.mark.parametrize("said", ["came from", "come from", "were born in"])
def test_where_people_come_from_is_where_they_were_born(said: str) -> None:
    guests = table("guests", "guest_id*:INTEGER guest_name birth_country death_country")
    written = drafted(f"How many guests {said} each country?", Knowledge((guests,))).sql.replace('"', "")
    assert "GROUP BY birth_country" in written


STOP = table("stops", "stop_id*:INTEGER date:DATE gender personSearch")
PLACE = table("places", "place_id*:INTEGER place_name population:INTEGER")


@pytest.mark.parametrize("said", ["How many people were stopped?", "How many persons got stopped?"])
def test_people_are_the_rows_of_what_was_done_to_them(said: str) -> None:
    """Neither those that were searched, of a column `personSearch`, nor all that live somewhere."""
    profiles = {STOP.fqn: profiled(STOP, {"gender": ["Female", "Male"], "personSearch": ["NO", "YES"]})}
    written = drafted(said, Knowledge((STOP, PLACE), profiles=profiles)).sql.replace('"', "")
    assert written.endswith("FROM stops")
    assert "COUNT(*)" in written


@pytest.mark.parametrize(("missing", "doubts"), [(0, False), (20, True)])
def test_a_share_of_what_is_often_unknown_is_doubted(missing: int, doubts: bool) -> None:
    profile = profiled(STOP, {"gender": ["Female", "Male"]})
    columns = [one.model_copy(update={"null_count": missing}) for one in profile.columns]
    profiles = {STOP.fqn: profile.model_copy(update={"columns": columns})}
    found = drafted("What percentage of stops were of women?", Knowledge((STOP,), profiles=profiles))
    assert ("rows of which it is not known count as others in a share" in found.evidence["doubts"]) is doubts
