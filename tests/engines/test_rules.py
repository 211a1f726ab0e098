"""Rules that are drawn up: what is concluded from which data, how sure it is, and that it holds without the errors."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.quality.tables import MAKERS, orders
from benchmarks.quality.twins import drafts_for, judge, loaded, outcomes
from resolvers.engines.error_detection.near_duplicates import near_repeats
from resolvers.engines.profiling import Header, profile_table
from resolvers.engines.profiling.columns import Extent, column_profile
from resolvers.engines.profiling.tables import table_profile
from resolvers.engines.rules.draft import MEASURES, RuleDraft, measured_by, rule_key, rule_name
from resolvers.engines.rules.figures import MEANT, confidence, tolerated, upper_bound
from resolvers.engines.rules.generate import draft_rules
from resolvers.engines.rules.patterns import format_of, pattern_of
from resolvers.engines.rules.tags import dimension_tags
from schema.data_readiness.profile import ProfileTier
from schema.data_readiness.quality_builtin import METRICS
from schema.data_readiness.rule import CUSTOM_METRICS, LIBRARY_METRICS, RuleOutcome, RuleType
from schema.data_readiness.source import ColumnFacts, Sample, TableFacts
from tests.support.tiers import a_fourth_is_quick

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
T = "shop.db.main.data"


def drawn(names: Sequence[str], rows: Sequence[Sequence[Any]], **facts: Any) -> dict[str, RuleDraft]:
    """The rules of a table, by name."""
    with loaded(names, rows) as table:
        known = replace(table, facts=replace(table.facts, **facts))
        return {draft.name: draft for draft in drafts_for(known, NOW)}


def column(columns: Sequence[str], name: str, **given: Any) -> tuple[ColumnFacts, ...]:
    """Facts of which one column has more."""
    made = [
        ColumnFacts(f"{T}.{one}", one, at, "BIGINT" if one == "paid" else "VARCHAR")
        for at, one in enumerate(columns, 1)
    ]
    return tuple(replace(one, **given) if one.name == name else one for one in made)


def cases(rows: int = 400) -> list[list[Any]]:
    chance = random.Random(1)
    kinds = ["open", "closed", "waiting"]
    return [
        [f"K-{at:05d}", kinds[at % 3], chance.randint(5, 90), chance.choice([None, "said so", "did not"])]
        for at in range(rows)
    ]


COLUMNS = ("code", "state", "paid", "note")


def test_each_kind_of_rule_comes_with_what_it_was_concluded_from() -> None:
    rules = drawn(COLUMNS, cases())
    known = rules["state.known_values"]
    assert known.arguments == {"validValues": ["closed", "open", "waiting"]}
    assert known.evidence["rows"] == 400
    assert known.evidence["held_out"] == {"rows": 200, "exceptions": 0}
    assert known.expected_false_positive_rate == pytest.approx(3 / 200)
    assert known.confidence == pytest.approx(0.9 * (1 - 3 / 200), abs=1e-4)
    assert rules["code.pattern"].arguments == {"pattern": "^K-[0-9]{5}$"}
    assert rules["unique.code"].asset_fqn == f"{T}.code"
    assert rules["unique.code"].arguments == {"properties": ["code"]}
    assert rules["paid.not_negative"].arguments == {"minimum": "0"}
    assert rules["paid.plausible_range"].arguments == {"minimum": "0", "maximum": "175"}
    assert rules["code.no_nulls"].threshold == (0.0,)
    assert rules["not_empty"].metric == "rowCount"
    assert "note.no_nulls" not in rules
    assert rules["unique.code"].description == "No two rows have the same code."
    for rule in rules.values():
        assert rule.evidence["kind"] in MEANT
        assert rule.evidence["measured_at"]
        assert rule.metric is not None
        assert (rule.type is RuleType.LIBRARY) == (rule.metric in LIBRARY_METRICS)
        assert (rule.dimension_id, rule.metric_definition_id) == measured_by(rule.metric)
        assert rule.resource_uri == "data:o:p:shop"
        assert rule.confidence is not None
        assert 0 < rule.confidence <= 1
        assert rule.expected_false_positive_rate is not None
        assert 0 <= rule.expected_false_positive_rate <= 0.1


def test_the_same_table_gives_the_same_rules_and_keys() -> None:
    first, second = drawn(COLUMNS, cases()), drawn(COLUMNS, cases())
    assert first == second
    assert len({rule.key for rule in first.values()}) == len(first)


def test_other_figures_leave_the_key() -> None:
    more = [[*row[:2], row[2] + 500, *row[3:]] for row in cases()]
    first, second = drawn(COLUMNS, cases()), drawn(COLUMNS, more)
    assert first["paid.plausible_range"].arguments != second["paid.plausible_range"].arguments
    assert first["paid.plausible_range"].key == second["paid.plausible_range"].key


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (("duplicateValues", {"properties": ["a", "b"]}), ("duplicateValues", {"properties": ["b", "a"]}), True),
        (("duplicateValues", {"properties": ["a"]}), ("duplicateValues", {"properties": ["b"]}), False),
        (("invalidValues", {"pattern": "a"}), ("invalidValues", {"pattern": "b"}), True),
        (("invalidValues", {"pattern": "a"}), ("invalidValues", {"validValues": ["a"]}), False),
        (("invalidValues", {"minimum": "1"}), ("invalidValues", {"maximum": "2"}), True),
        (("nullValues", {}), ("missingValues", {}), False),
        (
            ("inconsistentRows", {"determinant": ["a"], "dependent": "b"}),
            ("inconsistentRows", {"determinant": ["b"], "dependent": "a"}),
            False,
        ),
        (("staleData", {"column": "a", "maxAgeSeconds": 1}), ("staleData", {"column": "a", "maxAgeSeconds": 2}), True),
    ],
)
def test_keys_tell_conclusions_apart_and_not_their_figures(one: Any, other: Any, is_same: bool) -> None:
    keys = [
        rule_key(T, RuleType.LIBRARY if metric in LIBRARY_METRICS else RuleType.CUSTOM, metric, arguments)
        for metric, arguments in (one, other)
    ]
    assert (keys[0] == keys[1]) is is_same
    assert rule_key("other", RuleType.LIBRARY, one[0], one[1]) not in keys


def test_queries_are_told_apart_but_not_by_their_spaces() -> None:
    first = rule_key(T, RuleType.SQL, None, {}, "select  1")
    assert first == rule_key(T, RuleType.SQL, None, {}, "select 1\n")
    assert first != rule_key(T, RuleType.SQL, None, {}, "select 2")


def test_every_metric_counts_in_a_built_in_definition() -> None:
    assert set(MEASURES) == {*LIBRARY_METRICS, *CUSTOM_METRICS}
    assert set(MEASURES.values()) <= {metric.name for metric in METRICS}


def test_long_names_stay_different_and_short_enough() -> None:
    one, other = rule_name("depends", ["x" * 200, "y" * 100]), rule_name("depends", ["x" * 200, "y" * 99 + "z"])
    assert len(one) == 255 == len(other)
    assert one != other
    assert rule_name("a", ["b", "c"]) == "a.b.c"


def test_what_looks_wrong_is_not_learned() -> None:
    rows = cases()
    rows[10][1], rows[20][0], rows[30][2] = "opne", "K_00020", 99_000
    rules = drawn(COLUMNS, rows)
    assert rules["state.known_values"].arguments == {"validValues": ["closed", "open", "waiting"]}
    assert rules["code.pattern"].arguments == {"pattern": "^K-[0-9]{5}$"}
    assert float(rules["paid.plausible_range"].arguments["maximum"]) < 200


def test_a_pattern_has_numbers_of_any_length() -> None:
    rows = [[f"K-{at:05d}", f"note {at * 37 % 1000}"] for at in range(3000)]
    rules = drawn(("code", "note"), rows)
    assert rules["code.pattern"].arguments == {"pattern": "^K-[0-9]{5}$"}
    assert rules["note.pattern"].arguments == {"pattern": "^note [0-9]+$"}
    assert rules["note.pattern"].threshold == (0,)
    assert rules["no_suspect_values"].evidence["suspects"] == 0


def test_a_few_missing_values_are_tolerated_and_many_are_no_rule() -> None:
    rows = cases()
    for at in range(0, 400, 100):
        rows[at][1] = None
    rule = drawn(COLUMNS, rows)["state.no_nulls"]
    assert (rule.operator.value, rule.unit.value) == ("mustBeLessOrEqualTo", "percent")
    assert 1 < rule.threshold[0] < 5
    for at in range(0, 400, 5):
        rows[at][1] = None
    assert "state.no_nulls" not in drawn(COLUMNS, rows)


def test_a_rule_that_allows_exceptions_says_so() -> None:
    # Two rows have the code of another, as a pattern of the texts shows; the rule about them passes with two.
    rows = cases(1000)
    rows[10][0] = rows[20][0] = "none"
    rule = drawn(COLUMNS, rows)["unique.code"]
    assert rule.threshold[0] > 0
    assert rule.description == f"No two rows have the same code, but for at most {rule.threshold[0]:g} %."


def test_a_key_of_a_sample_is_as_sure_as_the_sample_is_large() -> None:
    with loaded(COLUMNS, cases()) as found:
        profile = profile_table(found.source, found.facts, Header("", "", NOW))
        sample = found.source.sample(found.source.relation("db", "main", "data"), COLUMNS, 400)
    [key] = [one for one in profile.candidate_keys if one.columns == ["code"]]

    def unique(rows: int) -> RuleDraft:
        of_sample = key.model_copy(update={"is_exact": rows == 400})
        told = profile.model_copy(update={"row_count": rows, "sample_size": 400, "candidate_keys": [of_sample]})
        return next(one for one in draft_rules(found.facts, told, sample) if one.name == "unique.code")

    assert unique(400).expected_false_positive_rate == pytest.approx(3 / 400)
    # A row meets its like among one in ten rows only: ten times as many may have one.
    assert unique(4_000).expected_false_positive_rate == pytest.approx(30 / 400)
    assert unique(4_000).confidence == pytest.approx(0.9 * (1 - 30 / 400), abs=1e-4)
    assert unique(4_000).evidence["rows"] == 400
    assert unique(4_000).evidence["of_rows"] == 4_000
    assert unique(4_000_000).confidence == 0.0


def test_stand_ins_for_missing_values_are_named() -> None:
    rows = cases()
    for at in range(0, 400, 50):
        rows[at][1] = "N/A"
    rules = drawn(COLUMNS, rows)
    assert rules["state.no_missing_values"].arguments == {"missingValues": ["", "N/A"]}
    assert rules["state.no_missing_values"].evidence["stand_ins"] == {"N/A": 8}
    assert "state.no_nulls" not in rules


def test_declared_keys_and_references_are_certain() -> None:
    columns = column(COLUMNS, "code", is_primary_key=True, nullable=False)
    columns = tuple(
        replace(one, references=("shop.db.main.kinds", "id")) if one.name == "state" else one for one in columns
    )
    rules = drawn(COLUMNS, cases(), columns=columns, keys=({"type": "PRIMARY_KEY", "columns": ["code"]},))
    assert (rules["unique.code"].confidence, rules["code.no_nulls"].confidence) == (1.0, 1.0)
    refers = rules["refers.state"]
    assert refers.arguments == {"columns": ["state"], "targetFqn": "shop.db.main.kinds", "targetColumns": ["id"]}
    assert (refers.confidence, refers.asset_fqn) == (1.0, T)


def test_personal_data_leaves_no_values_in_rules() -> None:
    rows = cases()
    rows[5][1] = "n/a"
    columns = tuple(replace(one, is_pii_tagged=True) for one in column(COLUMNS, "code"))
    for rule in drawn(COLUMNS, rows, columns=columns).values():
        assert "waiting" not in str(rule)
        assert "validValues" not in rule.arguments
        assert "maximum" not in rule.arguments


def test_columns_that_decide_one_another_are_told_once() -> None:
    chance = random.Random(9)
    places = [(f"id{at}", f"Name {at}", f"Street {at}", f"Zone {at % 4}") for at in range(20)]
    rows = [list(chance.choice(places)) for _ in range(500)]
    rules = {name for name in drawn(("id", "name", "street", "zone"), rows) if name.startswith("depends.")}
    assert {"depends.id.name", "depends.id.street", "depends.id.zone", "depends.name.id", "depends.street.id"} == rules


def test_freshness_is_expected_of_tables_that_are_filled() -> None:
    def filled(until: datetime) -> dict[str, RuleDraft]:
        return drawn(
            ("id", "made_at"),
            [[at, (until - timedelta(hours=7 * at)).replace(tzinfo=None).isoformat()] for at in range(200)],
        )

    rule = next(rule for name, rule in filled(NOW - timedelta(hours=3)).items() if name.startswith("fresh."))
    assert rule.arguments == {"column": "made_at", "maxAgeSeconds": 35 * 3600}
    assert not any(name.startswith("fresh.") for name in filled(NOW - timedelta(days=90)))


def test_near_duplicates_are_expected_of_nothing_that_has_many() -> None:
    chance = random.Random(3)
    letters = "abcdefghijklmnopqrstuvwxyz"
    named = [
        ["".join(chance.choice(letters) for _ in range(9)), "".join(chance.choice(letters) for _ in range(12))]
        for _ in range(200)
    ]
    assert "no_near_duplicates.name.street" in drawn(("name", "street"), named)
    twice = [row for one in named for row in (one, [one[0], one[1][:-1] + "x"])]
    assert "no_near_duplicates.name.street" not in drawn(("name", "street"), twice)


def test_people_that_are_entered_twice_are_found_by_names_and_addresses() -> None:
    # Streets have numbers, and who is entered again gets another key.
    chance = random.Random(3)

    def word() -> str:
        return "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(3)).title()

    people = [[f"C-{at:05d}", f"{word()} {word()}", f"{chance.randint(1, 99)} {word()} Street"] for at in range(400)]
    twice = [[f"C-{400 + at:05d}", name[:-2] + name[:-3:-1], way] for at, (_, name, way) in enumerate(people[:6])]
    names = ("client", "full_name", "street")
    columns = column(names, "client", is_primary_key=True, nullable=False)
    rule = drawn(names, [*people, *twice], columns=columns, keys=({"type": "PRIMARY_KEY", "columns": ["client"]},))[
        "no_near_duplicates.full_name.street"
    ]
    assert rule.evidence["repeated"] == 12
    assert rule.expected_false_positive_rate == pytest.approx(upper_bound(12, 406), abs=1e-6)


def test_near_repeats_are_found_wherever_they_stand() -> None:
    texts = [f"{chr(97 + at % 26) * 4}{chr(97 + at // 26) * 5} {at * 7919 % 1000:04d}" for at in range(100)]
    texts += ["Ellen Brant, 4 Harbour Lane", "ellen brandt, 4 harbour  lane", "", ""]
    assert near_repeats(texts, 0.93) == {100, 101}


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        (["12-345", "67-890"] * 40, "^[0-9]{2}-[0-9]{3}$"),
        (["AB1", "CD22", "EF333"] * 30, "^[A-Z]{2}[0-9]+$"),
        (["a.1", "b.2"] * 40, r"^[a-z]\.[0-9]$"),
        (["NK", "PD", "WB"] * 30, "^[A-Z]{2}$"),
        (["1 (2)", "3 (4)"] * 40, r"^[0-9] \([0-9]\)$"),
        ([f"x{at % 90 + 10}" for at in range(6000)] + ["x1"], "^x[0-9]+$"),
        (["x1"] * 60 + ["1x"] * 60, "^([0-9]x|x[0-9])$"),
        (["Karlow", "Brenthal"] * 40, None),
        (["some words here", "other words"] * 40, None),
        (["é1", "ü2"] * 40, None),
        (["a1b2c3d4e5f6g7"] * 80, None),
        ([], None),
    ],
)
def test_patterns_of_values(values: list[str], pattern: str | None) -> None:
    found = pattern_of(values, 0.995)
    assert (None if found is None else found.text) == pattern
    if found is not None:
        assert all(found.fits(value) for value in values)


def test_a_pattern_lets_named_texts_stand() -> None:
    found = pattern_of(["1%", "22%"] * 40, 0.995)
    assert found is not None
    assert found.besides({"n.a.", "-"}) == r"^([0-9]+%|-|n\.a\.)$"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("ann@example.org", "email"),
        ("https://example.org/a", "uri"),
        ("10.0.0.1", "ipv4"),
        ("2026-02-28", "date"),
        ("2026-02-28T10:00:00Z", "date-time"),
        ("123e4567-e89b-12d3-a456-426614174000", "uuid"),
        ("10.0.0.300", None),
        ("2026-13-01", None),
    ],
)
def test_named_formats(value: str, name: str | None) -> None:
    assert format_of([value] * 50, 0.995) == name


def test_bounds_on_the_share_of_exceptions() -> None:
    assert upper_bound(0, 300) == pytest.approx(0.01)
    assert upper_bound(0, 2) == 1.0
    assert upper_bound(0, 0) == 1.0
    assert upper_bound(5, 1000) == pytest.approx(0.010235, abs=1e-5)
    assert upper_bound(1000, 1000) == pytest.approx(1.0)
    assert upper_bound(1, 100) > upper_bound(10, 1000) > 0.01
    assert confidence("pattern", 0.01) == pytest.approx(0.92 * 0.99)
    assert confidence("pattern", 0.0, is_declared=True) == 1.0
    assert tolerated(0.0101) == 2.0
    assert tolerated(0.001) == 0.5


def test_dimensions_that_matter_follow_from_the_rules() -> None:
    with loaded(COLUMNS, cases()) as table:
        drafts = drafts_for(table, NOW)
        profile = profile_table(table.source, table.facts, Header(id="", workflow_run_id="", now=NOW))
    tags = {(one.asset_fqn, one.dimension): one for one in dimension_tags(table.facts, profile, drafts)}
    assert (f"{T}.code", "uniqueness") in tags
    assert (f"{T}.code", "completeness") in tags
    assert (f"{T}.state", "completeness") not in tags
    assert (f"{T}.paid", "accuracy") in tags
    assert (T, "validity") in tags
    assert {dimension for fqn, dimension in tags if fqn == f"{T}.note"} == {"validity"}
    for one in tags.values():
        assert one.confidence == max(sign["weight"] for sign in one.evidence)
        assert set(one.evidence[0]) == {"recognizer", "source", "share", "weight", "reason"}


@pytest.mark.parametrize("make", a_fourth_is_quick(MAKERS))
def test_rules_of_a_table_with_errors_hold_without_them(make: Any) -> None:
    made = make(800)
    twin = judge(made.columns, made.dirty, made.clean)
    assert len(twin.drafts) >= 10
    assert twin.holding >= 0.95 * len(twin.drafts)
    assert twin.catching >= 3


def test_rules_of_one_half_hold_on_the_other() -> None:
    made = orders(1600)
    with loaded(made.columns, made.clean[:800]) as table:
        drafts = drafts_for(table, NOW)
        types = [str(one.data_type) for one in table.facts.columns]
    with loaded(made.columns, made.clean[800:], types) as table:
        found = outcomes(table, drafts, NOW)
    assert sum(one is RuleOutcome.PASSED for one in found.values()) >= 0.95 * len(found)
    assert RuleOutcome.NOT_EVALUATED not in found.values()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)),
            st.one_of(st.none(), st.integers(), st.floats(min_value=-1e100, max_value=1e100)),
        ),
        max_size=20,
    ),
    st.integers(min_value=1, max_value=10),
)
def test_no_table_breaks_it(rows: list[tuple[Any, Any]], times: int) -> None:
    table = rows * times
    facts = TableFacts(T, "data:o:p:shop", "db", "main", "data", column(("a", "b"), "b", data_type="DOUBLE"))
    extent = Extent(len(table), True, len(table), True)
    profiles = [column_profile(one, None, [row[at] for row in table], extent) for at, one in enumerate(facts.columns)]
    header = Header(id="", workflow_run_id="", now=NOW)
    profile = table_profile(header, facts, ProfileTier.SAMPLE, extent, profiles, None, sample_size=None)
    for draft in draft_rules(facts, profile, Sample(("a", "b"), tuple(table), True)):
        assert draft.name
        assert draft.threshold[0] >= 0
        assert draft.key == replace(draft, evidence={}).key
