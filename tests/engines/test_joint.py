"""What a steward is asked about as one thing."""

import pytest

from resolvers.engines.joint import DECLARED, joint
from schema.data_readiness.proposal import ProposalKind as Kind
from schema.identifiers import common_fqn


def says(fqn: str, kind: Kind, value: object = None, **evidence: object) -> str:
    return joint(fqn, kind, value, evidence).says


def test_the_words_about_a_table_and_its_columns_are_one() -> None:
    table = says("s.d.p.orders", Kind.DESCRIPTION, "Each row is an order.")
    assert table == says("s.d.p.orders.city", Kind.DESCRIPTION, "Where it goes.")
    assert table == says("s.d.p.orders", Kind.DISPLAY_NAME, "Orders")
    assert table != says("s.d.p.customers.city", Kind.DESCRIPTION, "Where they live.")
    assert says("s.d", Kind.DESCRIPTION, "A database.") == says("s.d.p", Kind.DESCRIPTION, "A schema.") != table
    assert says("s.d", Kind.DESCRIPTION, "One table.", only_table="s.d.p.orders") == table


def test_personal_data_of_a_table_is_one_with_how_sensitive_that_makes_it() -> None:
    email, city, level = ({"tag_fqn": name} for name in ("PII.Email", "PII.City", "Sensitivity.Internal"))
    table = says("s.d.p.a.x", Kind.PII_TAG, email)
    assert table == says("s.d.p.a.y", Kind.PII_TAG, city) == says("s.d.p.a", Kind.PII_TAG, {"tag_fqn": "PII.Any"})
    assert table == says("s.d.p.a.z", Kind.SENSITIVITY_TAG, level, beside_personal_data=True)
    assert table != says("s.d.p.b.x", Kind.PII_TAG, email)


def test_a_level_of_which_nothing_was_found_is_one_over_tables() -> None:
    level = {"tag_fqn": "Sensitivity.Internal"}
    found = {says(fqn, Kind.SENSITIVITY_TAG, level) for fqn in ("s.d.p.a.x", "s.d.p.b")}
    assert found == {"Sensitivity.Internal"}


def test_what_is_declared_is_one_and_what_was_learned_is_by_its_nature() -> None:
    def rule(metric: str, **evidence: object) -> str:
        return says("s.d.p.a.x", Kind.RULE, {"metric": metric}, **evidence)

    assert rule("nullValues", is_declared=True) == rule("duplicateValues", is_declared=True) == DECLARED
    assert rule("nullValues") == rule("missingValues") == rule("rowCount")
    assert rule("invalidValues") == rule("suspectValues") == rule("outlierValues")
    assert rule("duplicateValues") == rule("inconsistentRows") == rule("brokenReferences") == rule("brokenFormulas")
    assert len({rule(one) for one in ("nullValues", "invalidValues", "duplicateValues", "staleData", "sql")}) == 5
    assert rule("invalidValues") == says("s.d.p.b", Kind.DQ_TAG, {"tag_name": "Validity"}), "the mark goes with them"


def test_runs_and_connections_are_apart() -> None:
    one = joint("s.d.p.a.x", Kind.PII_TAG, {"tag_fqn": "PII.Email"}, {})
    assert one.id("run", "uri") == one.id("run", "uri")
    assert len({one.id("run", "uri"), one.id("other", "uri"), one.id("run", "other")}) == 3


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("s.d.p.t.a", "s.d.p.t.z", "s.d.p.t"),
        ("s.d.p.t", "s.d.p.t.z", "s.d.p.t"),
        ("s.d.p.t.a", "s.d.p.u.a", "s.d.p"),
        ('s.d."p.q".t', 's.d."p.q".u', 's.d."p.q"'),
        ("s.d", "s.d", "s.d"),
    ],
)
def test_what_all_are_in(first: str, last: str, expected: str) -> None:
    assert common_fqn(first, last) == expected
