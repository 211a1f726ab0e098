"""The language of claims: what words and flags assert, and what a profile contradicts of it."""

from dataclasses import replace

import pytest

from resolvers.engines.claims import (
    AsManyAs,
    Claim,
    InRange,
    MostCommon,
    NeverNull,
    OneOf,
    RefersTo,
    Unique,
    broken_share,
    claims_in,
    is_contradicted,
    without_claims,
)
from resolvers.engines.describing.known import DescribedTable, Surroundings
from resolvers.engines.describing.prompts import ModelAnswer, borne_out_by, column_data
from resolvers.engines.rules.claimed import is_borne_out
from resolvers.engines.rules.generate import draft_rules
from resolvers.talk2data.answering.catalog_answers import told_apart
from schema.data_readiness.profile import CandidateKey, ForeignKeyCandidate, TableProfile, ValueCount, ValueKind
from schema.data_readiness.source import Sample
from tests.engines.test_relations import related
from tests.engines.test_words import SCHEMA, figures, profile, said, subject


def counted(**values: int) -> list[ValueCount]:
    return [ValueCount(value=value, count=count) for value, count in values.items()]


def rentals() -> TableProfile:
    """16,044 rentals of 599 customers."""
    state = figures(
        "state", rows=16044, distinct_count=3, minimum="gone", maximum="open", top_values=counted(open=9000, gone=7043)
    )
    paid = figures("paid", rows=16044, kind=ValueKind.NUMBER, distinct_count=19, minimum="0.99", maximum="11.99")
    day = figures(
        "day", rows=16044, kind=ValueKind.TEMPORAL, distinct_count=9, null_count=3,
        minimum="2005-05-24T22:53:30", maximum="2006-02-14T15:16:03",
    )  # fmt: skip
    return profile(
        figures("id", rows=16044, distinct_count=16044), figures("customer_id", rows=16044, distinct_count=599),
        figures("copy", rows=16044, distinct_count=20, approximate=["distinct_count"]), state, paid, day, rows=16044,
        candidate_keys=[CandidateKey(columns=["id"], uniqueness=1.0, is_declared=True, is_exact=True)],
        foreign_keys=[ForeignKeyCandidate(columns=["copy"], target_fqn=f"{SCHEMA}.copies", target_columns=["id"],
                                          match_rate=0.4, is_declared=True, is_exact=True)],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "stands"),
    [
        (Unique(("id",)), True), (Unique(("customer_id",)), False), (Unique(("customer_id", "state")), False),
        (Unique(("customer_id", "paid")), False), (Unique(("customer_id", "paid", "state")), True),
        (Unique(("copy",)), True), (NeverNull("day"), False), (NeverNull("id"), True),
        (OneOf("state", ("open", "gone")), False), (OneOf("state", ("open", "gone", "lost")), True),
        (OneOf("state", ("open", "lost", "shut")), False), (InRange("paid", "0.99", "11.99"), True),
        (InRange("paid", "1", "12"), False), (InRange("paid", None, "10"), False),
        (InRange("day", "2005-05-24", "2006-02-14"), True), (InRange("day", "2005-05", "2006-01"), False),
        (InRange("day", "2005-05-25", None), False), (RefersTo(("copy",), "copies"), False),
        (RefersTo(("copy",), "films"), True), (AsManyAs(None, 16044), True), (AsManyAs(None, 599), False),
        (AsManyAs("customer_id", 599), True), (AsManyAs("customer_id", 600), False), (AsManyAs("copy", 3), True),
        (MostCommon("state", "open"), True), (MostCommon("state", "gone"), False), (NeverNull("unheard_of"), True),
    ],
)  # fmt: skip
def test_evidence_contradicts_what_is_not_so(claim: Claim, stands: bool) -> None:
    assert is_contradicted([claim], rentals()) is not stands
    assert 0 <= broken_share(claim, rentals()) <= 1
    assert not is_contradicted([claim], None)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Unique: no two rentals share it.", [Unique(("c",))]),
        ("Identifies the rental.", [Unique(("c",))]),
        ("Identifies the link, together with `film`.", [Unique(("c", "film"))]),
        ("Unique within a store.", []),
        ("No value occurs twice.", [Unique(("c",))]),
        ("It is not unique.", []),
        ("One of `a`, `b` or `c`.", [OneOf("c", ("a", "b", "c"))]),
        ("Either 0 or 1.", [OneOf("c", ("0", "1"))]),
        ("It held `x` in every row when it was measured.", [NeverNull("c"), OneOf("c", ("x",))]),
        ("Values run from -3.5 to 12.", [InRange("c", "-3.5", "12")]),
        ("Values run from 2005-05-24 to 2006-02-14.", [InRange("c", "2005-05-24", "2006-02-14")]),
        ("Values run from about 3 to about 9.", []),
        ("Refers to the copy (`copies.id`).", [RefersTo(("c",), "copies")]),
        ("Has 599 different values.", [AsManyAs("c", 599)]),
        ("The most common is `open`, and it is never empty.", [NeverNull("c"), MostCommon("c", "open")]),
        ("When the order was paid. Always filled.", [NeverNull("c")]),
    ],
)
def test_claims_are_read_out_of_words(text: str, claims: list[Claim]) -> None:
    assert claims_in(text, "c") == claims


def test_words_about_a_table() -> None:
    assert claims_in("Each row is a rental, identified by `a` and `b`. It has 16,044 rows.", None) == [
        Unique(("a", "b")), AsManyAs(None, 16044),
    ]  # fmt: skip


def test_what_is_said_of_a_neighbours_values_is_not_borrowed() -> None:
    comment = "The person who rents. No value occurs twice. Values run from 1 to 599. It is missing in about 3 %."
    assert without_claims(comment) == "The person who rents."
    around = Surroundings(comments={f"{SCHEMA}.customers.id": comment})
    of = subject("rental", "id:BIGINT:pk", "payer_id:BIGINT:>customers.id", around=around)
    assert (said(of, "payer_id") or "").startswith("The person who rents. Refers to the customer")


def test_descriptions_leave_out_what_the_profile_contradicts() -> None:
    of = subject("rental", "id:BIGINT:pk", "copy:BIGINT:unique:>copies.id", "customer_id:BIGINT:unique",
                 profile=rentals())  # fmt: skip
    assert said(of, "id") == "Identifies the rental."
    assert "nique" not in (said(of, "customer_id") or "")
    assert "Refers" not in (said(of, "copy") or "")
    assert "identified by `id`" in (said(of) or "")
    wrong = subject("rental", "customer_id:BIGINT:pk", profile=rentals())
    assert "dentifie" not in f"{said(wrong)} {said(wrong, 'customer_id')}"


def test_a_flag_that_is_contradicted_is_not_proposed() -> None:
    of = subject("rental", "id:BIGINT:pk", "customer_id:BIGINT:unique:>customers.id", profile=rentals())
    assert related(of)["rental.customer_id JOIN"]["cardinality"] == "many_to_one"


def test_a_models_words_are_checked_as_well() -> None:
    of = subject("rental", "id:BIGINT:pk", "customer_id:BIGINT", "state:TEXT", profile=rentals())
    answer = ModelAnswer(
        {"description": "Who rented what."},
        {"customer_id": {"description": "Unique number of the customer.", "display_name": "Unique Customer"},
         "state": {"description": "How it stands, most often `open`."}},
    )  # fmt: skip
    kept = borne_out_by(of, answer)
    assert kept.table == answer.table
    assert kept.columns == {"customer_id": {"display_name": "Unique Customer"}, "state": answer.columns["state"]}
    assert list(kept.refused) == ["customer_id.description"]


def test_learned_rules_are_measured_by_the_profile_and_declared_ones_stand() -> None:
    measured = rentals()
    of = subject("rental", "id:BIGINT:pk", "customer_id:BIGINT:unique", profile=measured)
    declared = draft_rules(of.facts, measured, Sample((), (), is_whole=True))
    assert {"unique.id", "unique.customer_id"} <= {one.name for one in declared}
    [rule] = [one for one in declared if one.name == "unique.customer_id"]
    learned = replace(rule, evidence={"rows": 16044, "is_declared": False})
    assert not is_borne_out(learned, measured)
    assert is_borne_out(replace(learned, threshold=(97.0,)), measured)


def test_a_key_is_told_to_tell_rows_apart_only_as_far_as_it_does() -> None:
    alone = subject("stays", "stay_no:BIGINT:pk", "ward:VARCHAR")
    pair = subject("beds", "ward:VARCHAR:pk", "bed:BIGINT:pk", "cover:VARCHAR")
    good, twice = figures("stay_no"), figures("stay_no", distinct_count=97)

    def told(of: DescribedTable, place: int, measured: TableProfile | None, *shown: str) -> str | None:
        return told_apart(of.facts, of.facts.columns[place], measured, shown)

    assert told(alone, 0, None) == told(alone, 0, profile(good)) == "It tells the rows apart."
    assert told(alone, 0, profile(twice)) is None, "declared, and not so"
    assert told(alone, 1, None) is None
    assert told(pair, 0, None, "ward", "bed") == "Together with bed it tells the rows apart."
    assert told(pair, 0, None, "ward") == "Together with other columns it tells the rows apart."

    def prompted(of: DescribedTable, measured: TableProfile) -> object:
        return column_data(DescribedTable(of.facts, measured), of.facts.columns[0]).get("key")

    assert prompted(alone, profile(good)) == "primary"
    assert prompted(alone, profile(twice)) is None
