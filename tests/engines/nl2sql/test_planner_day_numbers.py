"""Days that are kept as numbers, 20240131, and years that are compared with what holds none."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, knowledge, profiled, table

CHECKS = table("checks", "check_no*:INTEGER check_dt_int:INTEGER verdict faults:INTEGER")
VALUES = {"check_dt_int": ["20230115", "20230302", "20240229", "20241130"], "verdict": ["Good", "Poor"]}
KNOWN = knowledge(CHECKS, profiles={CHECKS.fqn: profiled(CHECKS, VALUES)}, dialect="duckdb")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many checks were there in 2024?", "WHERE check_dt_int BETWEEN 20240101 AND 20241231"),
        ("How many checks in June 2023?", "WHERE check_dt_int BETWEEN 20230601 AND 20230630"),
        ("Show the checks after 1 March 2024", "WHERE check_dt_int > 20240301"),
        ("How many checks each year?", "GROUP BY CAST((check_dt_int - check_dt_int % 10000) / 10000 AS INT)"),
        ("How many checks per month?", "GROUP BY CAST((check_dt_int - check_dt_int % 100) / 100 AS INT)"),
    ],
)
def test_days_that_are_numbers_are_days(text: str, expected: str) -> None:
    assert expected in drafted(text, KNOWN).sql.replace('"', "")


def test_numbers_that_are_no_days_are_none() -> None:
    known = knowledge(
        CHECKS, profiles={CHECKS.fqn: profiled(CHECKS, VALUES | {"check_dt_int": ["20230115", "20239901"]})}
    )
    outcome = asked("How many checks were there in 2024?", known)
    assert not isinstance(outcome, QueryDraft) or "20240101" not in outcome.sql


def test_a_year_that_is_compared_with_words_is_doubted() -> None:
    outcome = asked("How many checks have the verdict 2024?", KNOWN)
    assert not isinstance(outcome, QueryDraft) or outcome.confidence < UNSURE
