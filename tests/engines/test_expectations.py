"""What a rule expects is told in words, with its threshold and with what was found."""

from dataclasses import replace
from typing import Any

import pytest

from resolvers.engines.report.expectations import Measure, breach_in_words, form_in_words, in_words
from resolvers.engines.rules.draft import RuleDraft
from schema.data_readiness.rule import RuleOperator, RuleType, RuleUnit
from schema.data_readiness.violation import Severity

AT_MOST = RuleOperator.MUST_BE_LESS_OR_EQUAL_TO


def rule(
    metric: str, *, operator: RuleOperator = RuleOperator.MUST_BE, percent: float = 0.0, **arguments: Any
) -> RuleDraft:
    """A rule about the column zip of customers: no exceptions, or at most some percent."""
    return RuleDraft(
        name="r",
        description="net <= gross, but for at most 2 %.",
        asset_fqn="shop.db.sales.customers.zip",
        resource_uri="data:acme:lab:shop",
        type=RuleType.LIBRARY,
        metric=metric,
        operator=AT_MOST if percent else operator,
        threshold=(percent,),
        unit=RuleUnit.PERCENT if percent else RuleUnit.ROWS,
        dimension_id="d",
        metric_definition_id="m",
        severity=Severity.LOW,
        arguments=arguments,
    )


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (rule("nullValues", percent=2), "At most 2 of 100 rows may be empty; 7 are (70 of 1,000)."),
        (rule("nullValues"), "No row may be empty; 70 of 1,000 are."),
        (rule("nullValues", percent=0.5), "At most 5 of 1,000 rows may be empty; 70 are."),
        (rule("missingValues", missingValues=["", "N/A", "?"]),
         "No row may be empty, blank, `N/A` or `?`; 70 of 1,000 are."),
        (rule("missingValues", missingValues=[""]), "No row may be empty or blank; 70 of 1,000 are."),
        (rule("invalidValues", pattern="^[A-Z]{2}-[0-9]+$"),
         "No row may have another form than 2 capital letters, `-`, digits; 70 of 1,000 do."),
        (rule("invalidValues", pattern="^(?=x)y$"),
         "No row may have another form than most (`^(?=x)y$`); 70 of 1,000 do."),
        (rule("invalidValues", validValues=["a", "b"]),
         "No row may have another value than the 2 known ones (`a` and `b`); 70 of 1,000 do."),
        (rule("invalidValues", format="email"), "No row may be anything but an e-mail address; 70 of 1,000 are."),
        (rule("invalidValues", minimum="0"), "No row may be negative; 70 of 1,000 are."),
        (rule("outlierValues", minimum="1", maximum="5"), "No row may have a value outside 1 to 5; 70 of 1,000 do."),
        (rule("duplicateValues", properties=["a", "b"]),
         "No row may have the same `a` and `b` as another; 70 of 1,000 do."),
        (rule("brokenReferences", columns=["c"], targetFqn="shop.db.sales.towns", targetColumns=["id"]),
         "No row may refer by `c` to nothing in `towns`; 70 of 1,000 do."),
        (rule("inconsistentRows", determinant=["zip"], dependent="city"),
         "No row may have another `city` than most with the same `zip`; 70 of 1,000 do."),
        (rule("suspectValues", percent=1),
         "At most 1 of 100 cells may look wrong beside all others; 7 do (70 of 1,000)."),
        (rule("brokenFormulas"), "No row may be at odds with this: net <= gross; 70 of 1,000 are."),
        (rule("staleData", column="at", maxAgeSeconds=345_600),
         "The newest `at` must be no older than 4 days; it is older."),
        (rule("rowCount", operator=RuleOperator.MUST_BE_GREATER_THAN), "The table must have rows."),
        (replace(rule("nullValues"), operator=AT_MOST, threshold=(20.0,)),
         "At most 20 rows may be empty; 70 of 1,000 are."),
        (replace(rule("nullValues"), metric=None), "No row may break it; 70 of 1,000 do."),
    ],
)  # fmt: skip
def test_a_rule_is_told_in_words_with_what_was_found(one: RuleDraft, said: str) -> None:
    assert in_words(one, 930, 1000) == said


def test_what_was_found_agrees_in_number_and_is_never_rounded_to_what_is_allowed() -> None:
    assert in_words(rule("nullValues"), 999, 1000) == "No row may be empty; 1 of 1,000 is."
    assert in_words(rule("nullValues"), 1000, 1000) == "No row may be empty; none of 1,000 is."
    assert in_words(rule("nullValues"), None, None) == "No row may be empty."
    hardly = in_words(rule("nullValues", percent=2), 97_999, 100_000)
    assert hardly == "At most 2 of 100 rows may be empty; hardly more are (2,001 of 100,000)."


def test_no_value_is_named_of_a_rule_about_personal_data() -> None:
    for one in (
        rule("invalidValues", validValues=["Ada", "Grace"]),
        rule("invalidValues", pattern="^Ada[0-9]$"),
        rule("outlierValues", minimum="31", maximum="47"),
        rule("missingValues", missingValues=["Ada"]),
    ):
        said = in_words(one, 930, 1000, hides_values=True)
        assert not any(value in said for value in ("Ada", "Grace", "31", "47")), said


@pytest.mark.parametrize(
    ("metric", "arguments", "bad", "said"),
    [
        ("duplicateValues", {"properties": ["number"]}, 20, "20 of 1,000 rows have the same `number` as another."),
        ("duplicateValues", {}, 1, "1 of 1,000 rows has the same `c` as another."),
        (
            "brokenReferences", {"columns": ["c"], "targetFqn": "s.d.x.far"}, 9,
            "9 of 1,000 rows refer by `c` to nothing in `far`.",
        ),
        ("brokenReferences", {"columns": ["c"]}, 1, "1 of 1,000 rows refers by `c` to nothing in `another table`."),
        ("invalidValues", {"format": "date"}, 2, "2 of 1,000 rows are anything but a date."),
        ("invalidValues", {"format": "number"}, 2, "2 of 1,000 rows are anything but a number."),
        ("invalidValues", {"validValues": ["Ada"]}, 2, "2 of 1,000 rows have another value than the one known."),
        ("suspectValues", {}, 46, "46 of 1,000 cells look wrong beside all others."),
        ("neverHeardOf", {}, 3, "3 of 1,000 rows break it."),
    ],
)  # fmt: skip
def test_what_was_counted_without_a_rule_is_told_in_words(
    metric: str, arguments: dict[str, Any], bad: int, said: str
) -> None:
    assert breach_in_words(Measure(metric, "s.d.x.t.c", arguments), bad, 1000) == said


def test_forms_are_told_as_they_are_drawn_up() -> None:
    assert form_in_words(r"^[0-9]+:[0-9]{2} [a-z]\.m\.$") == "digits, `:`, 2 digits, a space, 1 small letter, `.m.`"
    assert form_in_words("^([A-Z]{3}|[0-9])$") == "3 capital letters or 1 digit"
    assert form_in_words("[0-9]+") is None
    assert form_in_words("^.*$") is None
