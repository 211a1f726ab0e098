"""Texts that nearly all are ISO dates: questions about times are answered without the few others, and say so."""

from typing import Any

import duckdb
import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.data_readiness.profile import PatternCount, TableProfile
from tests.engines.nl2sql.catalogs import asked, drafted, knowledge, profiled, table

CALL = table("call", "id*:INTEGER seen_at topic")
ROWS = [
    (1, "2023-12-31 09:00", "cough"),
    (2, "2024-01-05 10:30", "cough"),
    (3, "05/06/2024", "limp"),
    (4, "2024-03-02 08:15", "limp"),
    (5, "yesterday", "limp"),
    (6, "2025-02-02 17:45", "cough"),
]


def called(share: int) -> TableProfile:
    """A profile of calls of which so many in a hundred are ISO dates with a time."""
    plain = profiled(
        CALL, {"seen_at": ["2024-01-05 10:30", "2023-12-31 09:00", "05/06/2024"], "topic": ["cough", "limp"]}
    )
    forms = [
        PatternCount(pattern="9{4}-9{2}-9{2} 9{2}:9{2}", count=share),
        PatternCount(pattern="9{2}/9{2}/9{4}", count=100 - share),
    ]
    columns = [
        one.model_copy(update={"patterns": forms, "minimum": "05/06/2024", "maximum": "yesterday"})
        if one.name == "seen_at"
        else one
        for one in plain.columns
    ]
    return plain.model_copy(update={"columns": columns})


def answered(question: str, share: int = 95) -> tuple[QueryDraft, list[Any]]:
    """Return what is drafted, and what it gives on the rows."""
    draft = drafted(question, knowledge(CALL, profiles={CALL.fqn: called(share)}))
    with duckdb.connect() as connection:
        connection.execute('create table "call" (id integer, seen_at text, topic text)')
        connection.executemany('insert into "call" values (?, ?, ?)', ROWS)
        return draft, connection.execute(draft.sql).fetchall()


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many calls were there in 2024?", [(2,)]),
        ("How many calls were seen after 2024-01-31?", [(2,)]),
        ("How many calls were there in March 2024?", [(1,)]),
    ],
)
def test_the_few_other_texts_are_left_out_and_that_is_said(question: str, rows: list[Any]) -> None:
    draft, found = answered(question)
    assert found == rows, draft
    assert draft.confidence < 0.8, "it warns"


def test_groups_by_time_fail_on_no_text() -> None:
    draft, found = answered("How many calls were there per year?")
    assert {row for row in found if None not in row} in (
        {(2023, 1), (2024, 2), (2025, 1)},
        {(1, 2023), (2, 2024), (1, 2025)},
    ), draft


def test_the_latest_is_a_date() -> None:
    _, found = answered("What is the latest call?")
    assert found
    assert "yesterday" not in str(found)


def test_texts_of_many_forms_are_still_refused() -> None:
    found = asked("How many calls were there in 2024?", knowledge(CALL, profiles={CALL.fqn: called(60)}))
    assert not isinstance(found, QueryDraft)
