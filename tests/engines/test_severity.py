"""Severity is earned: high only for what is declared and broken, or was concluded twice."""

from dataclasses import replace
from typing import Any

import pytest

from resolvers.engines.checks.builtin import builtin_checks
from resolvers.engines.rules.draft import RuleDraft
from resolvers.engines.rules.generate import draft_rules
from resolvers.engines.rules.severity import earned, of_suspects
from schema.data_readiness.profile import CandidateKey, ForeignKeyCandidate
from schema.data_readiness.source import Sample
from schema.data_readiness.violation import Severity, guessed_severity
from tests.engines.test_words import SCHEMA, figures, profile, subject


def drafts(**given: Any) -> dict[str, RuleDraft]:
    """The rules of a table with a declared key and reference, and with guessed ones."""
    measured = profile(
        *(figures(name) for name in ("id", "code_no", "shop_id", "ward_id")),
        candidate_keys=[CandidateKey(columns=["code_no"], uniqueness=1.0, is_declared=False, is_exact=True)],
        foreign_keys=[ForeignKeyCandidate(columns=["ward_id"], target_fqn=f"{SCHEMA}.wards", target_columns=["id"],
                                          match_rate=1.0, is_declared=False, is_exact=True)],
        **given,
    )  # fmt: skip
    of = subject("stays", "id:BIGINT:pk", "code_no:BIGINT", "shop_id:BIGINT:>shops.id", "ward_id:BIGINT")
    return {one.name: one for one in draft_rules(of.facts, measured, Sample((), (), is_whole=True))}


def test_only_what_is_declared_is_grave_at_once() -> None:
    found = drafts()
    grave = {name for name, one in found.items() if one.severity is Severity.HIGH}
    assert grave == {"not_empty", "unique.id", "refers.shop_id", "id.no_nulls"}
    assert {"unique.code_no", "refers.ward_id"} <= set(found)


def test_what_was_guessed_is_grave_when_it_held_in_two_profiles() -> None:
    guessed = drafts()["unique.code_no"]
    first = earned(guessed, None)
    assert (first.severity, first.evidence["held_in"]) == (Severity.MEDIUM, 1)
    same = earned(guessed, first.evidence)
    assert (same.severity, same.evidence["held_in"]) == (Severity.MEDIUM, 1), "the same profile, read again"
    later = replace(guessed, evidence={**guessed.evidence, "measured_at": "2027-01-01T00:00:00+00:00"})
    again = earned(later, first.evidence)
    assert (again.severity, again.evidence["held_in"]) == (Severity.HIGH, 2)
    assert earned(drafts()["code_no.no_nulls"], first.evidence).severity is Severity.MEDIUM
    assert "held_in" not in earned(drafts()["unique.id"], first.evidence).evidence


@pytest.mark.parametrize(("usual", "told"), [("low", "low"), ("medium", "medium"), ("high", "medium")])
def test_the_breach_of_a_guess_is_at_most_medium(usual: str, told: str) -> None:
    assert guessed_severity(Severity(usual)) is Severity(told)


def test_checks_that_nobody_wrote_say_which_of_them_are_guesses() -> None:
    measured = profile(
        figures("id"), figures("code_no"),
        candidate_keys=[CandidateKey(columns=["code_no"], uniqueness=0.97, is_declared=False, is_exact=False)],
        foreign_keys=[ForeignKeyCandidate(columns=["ward_id"], target_fqn=f"{SCHEMA}.wards", target_columns=["id"],
                                          match_rate=0.96, is_declared=False, is_exact=False)],
    )  # fmt: skip
    of = subject("stays", "id:BIGINT:pk", "code_no:BIGINT", "shop_id:BIGINT:>shops.id", "ward_id:BIGINT")
    found = {
        (one.check.metric, *one.check.columns): one.is_guess
        for one in builtin_checks(of.facts, measured, None)
        if one.finds
    }
    assert found == {
        ("duplicateValues", "id"): False, ("duplicateValues", "code_no"): True,
        ("brokenReferences", "shop_id"): False, ("brokenReferences", "ward_id"): True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "sure", "stood_before", "told"),
    [
        (9.0, 9, True, "low"),
        (10.0, 0, False, "medium"),
        (275.0, 250, False, "medium"),
        (275.0, 250, True, "high"),
        (275.0, 40, True, "medium"),
    ],
)
def test_suspect_cells_are_as_bad_as_their_share_of_a_table(
    expected: float, sure: int, stood_before: bool, told: str
) -> None:
    assert of_suspects(1000, expected, sure, stood_before=stood_before) is Severity(told)
