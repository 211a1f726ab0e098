"""Impossible values need no sample: eight rows are enough to know that a 31 February is none."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from benchmarks.quality.twins import loaded
from resolvers.engines.checks.builtin import builtin_checks, uncovered
from resolvers.engines.checks.evaluate import evaluate
from resolvers.engines.checks.examples import ExampleStyle
from resolvers.engines.checks.model import Check
from schema.data_readiness.rule import RuleOutcome

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def broken(name: str, values: Sequence[Any], *rules: Check) -> int:
    """How many values of a column are found to be impossible."""
    with loaded(("id", name), [[at, value] for at, value in enumerate(values)]) as table:
        relation = table.source.relation("db", "main", "data")
        sample = table.source.sample(relation, [one.name for one in table.facts.columns], 1000)
        checks = [
            one.check
            for one in uncovered(builtin_checks(table.facts, None, sample), rules)
            if one.check.metric == "invalidValues" and one.finds and one.check.column == name
        ]
        found = evaluate(table.source, table.facts, checks, now=NOW, how=ExampleStyle()).results
    wrong = [one for one in found.values() if one.outcome is not RuleOutcome.PASSED]
    assert all(one.outcome is RuleOutcome.FAILED for one in wrong), wrong
    return sum((one.denominator or 0) - (one.numerator or 0) for one in wrong)


DAYS = ["2021-02-28", "2020-02-29", "2021-04-30", "2021-12-31", "2021-01-01", "2021-06-15", "2021-07-04"]
PAID = [52000, 48000, 61000, 39000, 45000, 0, 70000]


@pytest.mark.parametrize(
    ("name", "values", "wrong"),
    [
        ("hired", [*DAYS, "2021-02-31"], 1), ("hired", [*DAYS, "2021-02-29"], 1), ("hired", DAYS, 0),
        ("hired", [*(f"{one[8:]}/{one[5:7]}/{one[:4]}" for one in DAYS), "31/02/2021"], 1),
        ("hired", [*(f"{one[5:7]}/{one[8:]}/{one[:4]}" for one in DAYS), "02/31/2021"], 1),
        ("hired", ["01/02/2021", "03/04/2021", "05/06/2021", "31/31/2021"], 0),
        ("salary", [*PAID, -45000], 1), ("salary_usd", [*PAID, -1], 1), ("base_salary", PAID, 0),
        ("salary", ["52,000", "48,000", "61,000", "-45,000", "39,000", "44,000"], 1),
        ("salary_change", [*PAID, -45000], 0), ("weight", [-1, -2, 3, 4, -5, 6], 0), ("balance", [*PAID, -45000], 0),
        ("age", [31, 42, 27, 55, 61, 203, 19, 44], 1), ("latitude", [12.5, 48.1, -33.9, 52.5, 120.0, 1.0], 1),
        ("latitude", [5400123.0, 5400200.5, 5400300.0], 0), ("birth_date", [*DAYS, "2062-03-14"], 1),
        ("due_date", [*DAYS, "2062-03-14"], 0), ("version", ["1.2.2021", "x", "y", "z"], 0),
    ],
)  # fmt: skip
def test_what_cannot_be_is_found_in_a_few_rows(name: str, values: list[Any], wrong: int) -> None:
    assert broken(name, values) == wrong


def test_a_rule_that_learned_to_allow_it_does_not_hide_it() -> None:
    rule = Check("r", "invalidValues", "shop.db.main.data.hired", "x", {"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"})
    assert broken("hired", [*DAYS, "2021-02-31"], rule) == 1
