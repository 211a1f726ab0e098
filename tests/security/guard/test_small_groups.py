"""No draft sees a single row of a table that is shown only in groups, nor what a group smaller than the least holds.

Two states tell, which differ in what a policy protects alone: the answers must be the same, and bear no mark of it.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, Final

import pytest
from sqlglot import exp

from resolvers.engines.sql_guard import QueryRefused, Table, grouping, guard_sql
from tests.security.guard.engines import Outcome
from tests.security.guard.groups import DRAFTS, SMALL, TABLES, Ground, Wards, drafts, grounds
from tests.support.needs import missing
from tests.support.postgres import NoPostgres, shared_postgres

GROUNDS: Final = grounds()
ANSWERED: Final = 50
"""How many drafts are let through and answered at least, so that something is tried."""


@pytest.fixture
def duck() -> Iterator[Wards]:
    """DuckDB with the visits on it."""
    with closing(Wards("duckdb")) as made:
        yield made


@pytest.fixture
def postgres() -> Iterator[Wards]:
    """PostgreSQL with the visits on it."""
    try:
        server = shared_postgres()
    except NoPostgres as error:
        missing(f"PostgreSQL ({error})", "see tests/support/postgres.py")
    url = server.create_database()
    try:
        with closing(Wards("postgres", url)) as made:
            yield made
    finally:
        server.drop_database(url)


def _relation(table: Table) -> exp.Table:
    return exp.table_(table.name, quoted=True)


def _sent(text: str, ground: Ground, dialect: str) -> str | None:
    """Return what the guard lets through of a draft; None when it refuses."""
    how: dict[str, Any] = {"dialect": dialect, "tables": TABLES, "most_rows": 1000, "relation": _relation}
    try:
        return guard_sql(text, policies=(ground.policy,), **how).query.sql(dialect=dialect, identify=True)
    except QueryRefused:
        return None


def _leaks(ground: Ground, texts: list[str], wards: Wards) -> tuple[list[str], int]:
    """The drafts that show what the policy protects, and how many were answered."""
    sent = {text: made for text in texts if (made := _sent(text, ground, wards.dialect)) is not None}
    answers: list[list[Outcome]] = []
    for state in ground.states:
        wards.load(state)
        answers.append([wards.run(one) for one in sent.values()])
    found = []
    for (text, made), first, second in zip(sent.items(), *answers, strict=True):
        shown = {value for row in (*first.rows, *second.rows) for value in row.split("|")}
        # Totals of groups that the table of wards makes are known by its own names, which are no secret.
        marked = (shown & ground.marks) - (set(SMALL) if "wards" in text else set())
        unlike = sorted(first.rows) != sorted(second.rows) or (first.error is None) != (second.error is None)
        if marked or unlike:
            found.append(f"{sorted(marked) or 'the answers differ'}\n  draft: {text}\n  sent:  {made}")
    return found, sum(one.error is None for one in answers[0])


@pytest.mark.parametrize("policy", GROUNDS)
@pytest.mark.parametrize("engine", ["duck", "postgres"])
def test_no_draft_sees_a_small_group_or_a_single_row(
    policy: str, engine: str, request: pytest.FixtureRequest, measured: Callable[[str, object], None]
) -> None:
    wards: Wards = request.getfixturevalue(engine)
    texts = drafts(policy)
    found, answered = _leaks(GROUNDS[policy], texts, wards)
    assert not found, "\n\n".join(found[:10])
    assert answered >= ANSWERED
    measured("figures", f"{policy}, {wards.dialect}: {DRAFTS} drafts, {answered} answered, none leaked")


def _keep_nothing(patch: pytest.MonkeyPatch) -> None:
    """Small groups are not left out."""
    patch.setattr(grouping._Keeper, "keep", lambda self, row: None)


def _take_any_aggregate(patch: pytest.MonkeyPatch) -> None:
    """The least and the greatest, which show a single row, are taken for totals."""
    patch.setattr(grouping, "_AGGREGATES", (*grouping._AGGREGATES, exp.Max, exp.Min))


@pytest.mark.parametrize(
    ("policy", "cut"), [("minimum group size", _keep_nothing), ("aggregate only", _take_any_aggregate)]
)
def test_a_hole_in_the_guard_of_groups_is_found(
    policy: str,
    cut: Callable[[pytest.MonkeyPatch], None],
    duck: Wards,
    monkeypatch: pytest.MonkeyPatch,
    measured: Callable[[str, object], None],
) -> None:
    cut(monkeypatch)
    found, _ = _leaks(GROUNDS[policy], drafts(policy), duck)
    assert found
    measured("figures", f"seeded hole, {cut.__doc__} (duckdb): {len(found)} drafts found it, such as\n{found[0]}")
