"""How old people are of whom only a day of birth is known, and how long took what begins and ends in columns."""

import sqlite3
from contextlib import closing

import duckdb
import pytest
import sqlglot

from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.model import Knowledge, QueryDraft
from resolvers.engines.nl2sql.paraphrase import said
from resolvers.engines.nl2sql.plan import Column, Elapsed, Literal, Output, Plan, Unit
from resolvers.engines.nl2sql.sql_writing.query import written
from tests.engines.nl2sql.catalogs import asked, drafted, fqn, keyed, knowledge, profiled, table

DIVERS = table("divers", "diver_id*:INTEGER diver_name born_on:DATE licence_grade")
DIVES = keyed(
    table("dives", "dive_id*:INTEGER diver_id:INTEGER site entered_at:TIMESTAMP surfaced_at:TIMESTAMP"),
    diver_id="divers.diver_id",
)
VOYAGES = keyed(
    table("voyages", "voyage_id*:INTEGER diver_id:INTEGER ship sailed_on:DATE due_on:DATE returned_on:DATE"),
    diver_id="divers.diver_id",
)
PROFILES = {
    DIVERS.fqn: profiled(DIVERS, {"licence_grade": ["basic", "master"], "diver_name": ["Pia Holm", "Lin Wei"]}),
    DIVES.fqn: profiled(DIVES, {"site": ["Blue Cave", "Old Wreck"]}),
}
KNOWN = knowledge(DIVERS, DIVES, VOYAGES, profiles=PROFILES, dialect="duckdb")
"""The questions are asked on 21 November 2026."""


def sql(text: str) -> str:
    """Return what the planner writes for a question."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    ("text", "born"),
    [
        ("Which divers are older than 40?", "born_on < CAST('1986-11-21' AS DATE)"),
        ("Which divers are older than forty years?", "born_on < CAST('1986-11-21' AS DATE)"),
        ("Which divers are younger than 30?", "born_on > CAST('1996-11-21' AS DATE)"),
        ("How many divers are at least 65 years old?", "born_on <= CAST('1961-11-21' AS DATE)"),
        ("How many divers are under 18?", "born_on > CAST('2008-11-21' AS DATE)"),
        ("How many master divers are over 50?", "born_on < CAST('1976-11-21' AS DATE)"),
        ("Which divers have an age of at most 20?", "born_on > CAST('2005-11-21' AS DATE)"),
        (
            "Which divers are between 18 and 25 years old?",
            "born_on BETWEEN CAST('2000-11-22' AS DATE) AND CAST('2008-11-21' AS DATE)",
        ),
        ("Which divers are 30 years old?", "born_on BETWEEN CAST('1995-11-22' AS DATE) AND CAST('1996-11-21' AS DATE)"),
    ],
)
def test_years_of_age_are_days_of_birth(text: str, born: str) -> None:
    draft = drafted(text, KNOWN)
    assert born in draft.sql.replace('"', "")
    assert draft.confidence > 0.8


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("What is the average age of the divers?", [(30.5,)]),
        ("What is the average age of master divers?", [(20.0,)]),
        ("How old are the divers on average?", [(30.5,)]),
        ("How old is Pia Holm?", [(41.0,)]),
        ("What is the highest age of a diver?", [(41.0,)]),
    ],
)
def test_an_age_is_the_completed_years_since_a_birth(text: str, ages: list[tuple[float]]) -> None:
    with duckdb.connect() as connection:
        connection.execute("create table divers(diver_id int, diver_name text, born_on date, licence_grade text)")
        connection.execute("insert into divers values (1, 'Pia Holm', '1985-11-21', 'basic')")
        connection.execute("insert into divers values (2, 'Lin Wei', '2005-11-22', 'master')")
        assert connection.execute(drafted(text, KNOWN).sql).fetchall() == ages


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "Which dive lasted the longest?",
            "ORDER BY DATE_DIFF('SECOND', entered_at, surfaced_at) / 3600.0 DESC LIMIT 1",
        ),
        ("What was the shortest dive?", "ORDER BY DATE_DIFF('SECOND', entered_at, surfaced_at) / 3600.0 ASC LIMIT 1"),
        ("How long do dives last on average?", "AVG(DATE_DIFF('SECOND', entered_at, surfaced_at) / 3600.0)"),
        ("How long did the voyages take on average?", "AVG(DATE_DIFF('DAY', sailed_on, returned_on))"),
        ("Which voyages lasted more than two weeks?", "DATE_DIFF('DAY', sailed_on, returned_on) > 14"),
        (
            "How many dives took longer than half an hour?",
            "DATE_DIFF('SECOND', entered_at, surfaced_at) / 3600.0 > 0.5",
        ),
        ("How many dives took less than 45 minutes?", "DATE_DIFF('SECOND', entered_at, surfaced_at) / 3600.0 < 0.75"),
    ],
)
def test_what_begins_and_ends_lasts_from_one_to_the_other(text: str, part: str) -> None:
    assert part in sql(text)


def test_people_who_have_two_dates_do_not_last() -> None:
    people = table("wardens", "warden_id*:INTEGER warden_name hired_on:DATE left_on:DATE")
    outcome = asked("Which warden is the longest?", knowledge(people, profiles={}))
    assert not isinstance(outcome, QueryDraft) or "left_on" not in outcome.sql.split("ORDER BY")[-1]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "sqlite", "mysql", "snowflake", "tsql", "bigquery"])
@pytest.mark.parametrize("unit", [Unit.YEAR, Unit.DAY, Unit.HOUR])
def test_the_time_between_is_written_in_every_dialect(dialect: str, unit: Unit) -> None:
    entered, surfaced = Column(fqn("dives"), "entered_at"), Column(fqn("dives"), "surfaced_at")
    until = Literal("date", "2026-11-21") if unit is Unit.YEAR else surfaced
    plan = Plan(fqn("dives"), (Output(Elapsed(entered, until, unit)),))
    known = Knowledge((DIVERS, DIVES, VOYAGES), dialect=dialect)
    query = written(plan, known, joins_of(known))
    assert sqlglot.parse_one(query.sql(dialect), dialect=dialect)
    told = said(plan, KNOWN)
    assert ("years since" if unit is Unit.YEAR else f"{unit.value}s from the entered at") in told


@pytest.mark.parametrize(
    ("dialect", "says"),
    [
        ("mysql", "TIMESTAMPDIFF(SECOND, "),
        ("bigquery", "DATETIME_DIFF("),
        ("oracle", "ROUND((CAST("),
        ("sqlite", "ROUND((JULIANDAY("),
    ],
)
def test_hours_are_told_by_what_counts_minutes(dialect: str, says: str) -> None:
    entered, surfaced = Column(fqn("dives"), "entered_at"), Column(fqn("dives"), "surfaced_at")
    known = Knowledge((DIVERS, DIVES, VOYAGES), dialect=dialect)
    query = written(Plan(fqn("dives"), (Output(Elapsed(entered, surfaced, Unit.HOUR)),)), known, joins_of(known))
    assert says in query.sql(dialect)
    if dialect == "sqlite":
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("attach ':memory:' as public")
            connection.execute("create table public.dives(dive_id, diver_id, site, entered_at, surfaced_at)")
            connection.execute("insert into dives values (1, 1, 'x', '2026-01-01 10:00:00', '2026-01-02 11:30:00')")
            assert connection.execute(query.sql(dialect)).fetchall() == [(25.5,)]


def test_days_and_hours_between_have_their_parts() -> None:
    with duckdb.connect() as connection:
        connection.execute("create table dives(dive_id int, diver_id int, site text, entered_at timestamp)")
        connection.execute("alter table dives add column surfaced_at timestamp")
        connection.execute("insert into dives values (1, 1, 'x', '2026-01-01 10:00', '2026-01-01 11:30')")
        assert connection.execute(drafted("How long do dives last on average?", KNOWN).sql).fetchall() == [(1.5,)]


def test_years_behind_that_is_are_of_what_was_named_last() -> None:
    keepers = table("keepers", "keeper_id*:INTEGER keeper_name age:INTEGER")
    birds = keyed(
        table("birds", "bird_id*:INTEGER keeper_id:INTEGER kind bird_age:INTEGER"), keeper_id="keepers.keeper_id"
    )
    known = knowledge(keepers, birds, profiles={birds.fqn: profiled(birds, {"kind": ["owl", "gull"]})})
    written = drafted("Which keeper has an owl that is 3 years old?", known).sql.replace('"', "")
    assert "birds.bird_age = 3" in written
    assert "keepers.age" not in written


def test_no_age_is_made_of_the_birth_of_others() -> None:
    boats = table("boats", "boat_id*:INTEGER boat_name")
    outcome = asked("Show the ages of our boats.", knowledge(boats, DIVERS, profiles={}))
    assert not isinstance(outcome, QueryDraft)
