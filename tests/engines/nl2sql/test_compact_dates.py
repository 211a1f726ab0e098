"""Days that are kept as texts of eight digits, 20240131."""

import sqlite3
from contextlib import closing
from typing import Any

import duckdb
import pytest
from sqlglot import exp

from resolvers.engines.nl2sql.model import QueryDraft
from resolvers.engines.nl2sql.plan import Unit
from resolvers.engines.nl2sql.sql_writing.comparing import TypedKind
from resolvers.engines.nl2sql.sql_writing.elapsing import elapsed
from resolvers.engines.nl2sql.sql_writing.iso_texts import dashed
from tests.engines.nl2sql.catalogs import asked, drafted, knowledge, profiled, table

CHECKS = table("checks", "check_no*:INTEGER check_dt done_dt verdict")
DAYS = ["20221231", "20230115", "20230302", "20240229", "20241130"]
ROWS = [
    (1, "20221231", "20230101", "Good"),
    (2, "20230115", "20230120", "Poor"),
    (3, "20230302", None, "Good"),
    (4, "20240229", "20240301", "Poor"),
]
KNOWN = knowledge(
    CHECKS,
    profiles={CHECKS.fqn: profiled(CHECKS, {"check_dt": DAYS, "done_dt": DAYS, "verdict": ["Good", "Poor"]})},
    dialect="duckdb",
)


def answered(question: str) -> list[Any]:
    """Return what the drafted query gives on the rows."""
    with duckdb.connect() as connection:
        connection.execute("create table checks (check_no integer, check_dt text, done_dt text, verdict text)")
        connection.executemany("insert into checks values (?, ?, ?, ?)", ROWS)
        return connection.execute(drafted(question, KNOWN).sql).fetchall()


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many checks have a check date in 2023?", [(2,)]),
        ("How many checks have a check date after 1 March 2023?", [(2,)]),
        ("How many checks have a check date in February 2024?", [(1,)]),
        ("What is the latest check date?", [("20240229",)]),
    ],
)
def test_texts_of_eight_digits_are_days(question: str, rows: list[Any]) -> None:
    assert answered(question) == rows


def test_rows_are_grouped_by_their_years_and_months() -> None:
    years = answered("How many checks are there for each year of the check date?")
    assert sorted(map(sorted, years)) == [[1, 2022], [1, 2024], [2, 2023]]
    months = answered("How many checks are there for each month of the check date?")
    assert {str(one) for row in months for one in row} >= {"2022-12", "2023-01", "2023-03", "2024-02"}


def test_the_days_between_two_of_them_are_counted() -> None:
    kind = TypedKind("text", iso=True, compact=True, samples=tuple(DAYS))
    since, until = ((exp.Literal.string(day), kind) for day in ("20240228", "20240301"))
    with duckdb.connect() as connection:
        [(days,)] = connection.execute(f"select {elapsed(since, until, Unit.DAY, 'duckdb').sql('duckdb')}").fetchall()
    assert days == 2


def test_their_parts_are_joined_in_the_words_of_a_dialect() -> None:
    told = dashed(exp.Literal.string("20240131"))
    assert "CONCAT(" in told.sql("mysql")
    with closing(sqlite3.connect(":memory:")) as connection:
        assert connection.execute(f"select {told.sql('sqlite')}").fetchall() == [("2024-01-31",)]


def test_numbers_among_the_texts_that_are_no_days_are_none() -> None:
    values = {"check_dt": ["20230115", "20239901"], "done_dt": DAYS, "verdict": ["Good", "Poor"]}
    known = knowledge(CHECKS, profiles={CHECKS.fqn: profiled(CHECKS, values)})
    found = asked("How many checks have a check date in 2023?", known)
    assert not isinstance(found, QueryDraft) or "20230101" not in found.sql


def test_an_age_is_counted_from_a_day_of_eight_digits() -> None:
    guests = table("guests", "guest_no*:INTEGER guest_nm birth_dt")
    born = ["19800229", "19900101"]
    known = knowledge(
        guests,
        profiles={guests.fqn: profiled(guests, {"birth_dt": born, "guest_nm": ["Ada", "Bo"]})},
        dialect="duckdb",
    )
    with duckdb.connect() as connection:
        connection.execute("create table guests (guest_no integer, guest_nm text, birth_dt text)")
        connection.execute("insert into guests values (1, 'Ada', '19800229'), (2, 'Bo', '19900101')")
        [(average,)] = connection.execute(drafted("What is the average age of guests?", known).sql).fetchall()
    assert 40 <= average <= 60
