"""Rules do not bless the dirt that they were learned from."""

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from benchmarks.quality.twins import drafts_for, loaded, outcomes
from persistence.connectors.files.formats import century_option
from resolvers.engines.rules.draft import RuleDraft
from resolvers.engines.rules.patterns import cleaner
from schema.data_readiness.rule import RuleOutcome

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def learned(values: Sequence[Any]) -> tuple[dict[str, RuleDraft], dict[str, RuleOutcome]]:
    """The rules of a column `v` beside a key, and what they come to on the same rows."""
    with loaded(("no", "v"), [[f"K-{at:05d}", value] for at, value in enumerate(values)]) as table:
        drafts = drafts_for(table, NOW)
        found = outcomes(table, drafts, NOW)
        return {one.name: one for one in drafts}, {one.name: found[one.key] for one in drafts}


@pytest.mark.parametrize(
    ("clean", "dirty", "marred"),
    [
        ("{:.2f}", "{:.2f}%", True), ("{:.2f}%", "{:.2f}", True), ("{:03.0f}", "N/A", True),
        ("{:04.0f}-11-05", "{:04.0f}/11/05", True), ("${:.0f}", "{:.0f}", True), ("{:.0f}", "{:.2f}", False),
        ("USA", "P.R.", False),
        ("AB{:.0f} 2CD", "A{:.0f}B 2CD", False), ("{:.0f} oz", "{:.0f} oz.", True), ("{:.0f}", "-{:.0f}", False),
    ],
)  # fmt: skip
def test_a_cleaner_form_of_nine_in_ten_takes_the_rest_for_suspects(clean: str, dirty: str, marred: bool) -> None:
    chance = random.Random(3)
    values = [(dirty if at % 12 == 0 else clean).format(chance.uniform(1, 9)) for at in range(480)]
    assert bool(cleaner(values)) is marred
    half = [(dirty if at % 2 else clean).format(chance.uniform(1, 9)) for at in range(480)]
    assert cleaner(half) == set(), "two ways of writing it"


@pytest.mark.parametrize("odd", ["{:.3f}%", "N/A"])
def test_rules_are_broken_by_the_dirt_beside_which_they_were_learned(odd: str) -> None:
    chance = random.Random(4)
    values = [(odd if at % 14 == 0 else "{:.3f}").format(chance.uniform(0, 1)) for at in range(600)]
    rules, came_to = learned(values)
    assert rules["v.pattern"].arguments == {"pattern": r"^[0-9]\.[0-9]{3}$"}
    assert rules["v.pattern"].evidence["left_out_as_suspect"] == 43
    assert came_to["v.pattern"] is RuleOutcome.FAILED


def test_what_stands_for_nothing_in_many_rows_is_neither_valid_nor_invalid() -> None:
    values = ["n/a" if at % 3 == 0 else f"T-{at % 7}{at % 9}{at % 5}" for at in range(600)]
    rules, came_to = learned(values)
    assert rules["v.pattern"].arguments == {"pattern": "^T-[0-9]{3}$", "missingValues": ["n/a"]}
    assert came_to["v.pattern"] is RuleOutcome.PASSED


@pytest.mark.parametrize(
    ("ahead", "arguments", "outcome"),
    [(0, "now", "passed"), (3, "now", "failed"), (200, None, "passed")],
)
def test_a_rule_allows_no_dates_behind_the_load(ahead: int, arguments: str | None, outcome: str) -> None:
    chance = random.Random(5)
    days = [date(2020, 1, 1) + timedelta(days=chance.randrange(2000)) for _ in range(600)]
    days[:ahead] = [date(2026, 5, 1) + timedelta(days=chance.randrange(200)) for _ in range(ahead)]
    rules, came_to = learned(days)
    rule = rules["v.plausible_range"]
    assert rule.arguments.get("maximum") == arguments
    assert came_to["v.plausible_range"] == outcome
    assert ("to the moment of the load" in (rule.description or "")) is (arguments == "now")


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("id,born\n1,03/14/62\n", ", dateformat = '%Y-%m-%d'"), ("id,born\n1,1962-03-14\n", ""),
        ("id,born\n1,03/14/1962\n", ""), ("id,version\n1,10.2.33.4\n", ""),
        ("id,at\n1,3-4-62 10:30:00\n", ", dateformat = '%Y-%m-%d', timestampformat = '%Y-%m-%d %H:%M:%S'"),
    ],
)  # fmt: skip
def test_a_century_that_is_not_told_is_not_made_up(text: str, option: str) -> None:
    assert century_option(text) == option


def test_a_code_that_spells_a_stand_in_is_one_of_the_codes() -> None:
    codes = ["NYA", "BOS", "CHN", "TBA", "SEA"]
    rules, came_to = learned([codes[at % 5] if at % 40 else "TBA" for at in range(600)])
    assert rules["v.known_values"].arguments == {"validValues": sorted(codes)}
    assert came_to["v.known_values"] is RuleOutcome.PASSED
