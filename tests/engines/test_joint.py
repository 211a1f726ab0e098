"""What a steward is asked about as one thing."""

import pytest

from resolvers.engines.joint import DECLARED, joint
from schema.data_readiness.proposal import ProposalKind as Kind
from schema.identifiers import common_fqn


def key(fqn: str, kind: Kind, value: object = None, **evidence: object) -> str:
    return joint(fqn, kind, value, evidence).key


def test_the_words_about_a_table_and_its_columns_are_one() -> None:
    table = key("s.d.p.orders", Kind.DESCRIPTION, "Each row is an order.")
    assert table == key("s.d.p.orders.city", Kind.DESCRIPTION, "Where it goes.")
    assert table != key("s.d.p.customers.city", Kind.DESCRIPTION, "Where they live.")
    assert table != key("s.d.p.orders", Kind.DISPLAY_NAME, "Orders")
    assert key("s.d", Kind.DESCRIPTION, "A database.") == key("s.d.p", Kind.DESCRIPTION, "A schema.") != table


def test_a_tag_over_tables_is_one_and_two_tags_are_two() -> None:
    email, city = {"tag_fqn": "PII.Email"}, {"tag_fqn": "PII.City"}
    assert key("s.d.p.a.x", Kind.PII_TAG, email) == key("s.d.p.b.y", Kind.PII_TAG, email)
    assert key("s.d.p.a.x", Kind.PII_TAG, email) != key("s.d.p.a.x", Kind.PII_TAG, city)


def test_what_is_declared_is_one_and_what_was_learned_is_by_metric() -> None:
    filled, unique = {"metric": "nullValues"}, {"metric": "duplicateValues"}
    declared = joint("s.d.p.a.x", Kind.RULE, filled, {"is_declared": True})
    assert declared.says == DECLARED
    assert declared.key == key("s.d.p.b", Kind.RULE, unique, is_declared=True)
    assert key("s.d.p.a.x", Kind.RULE, filled) == key("s.d.p.b.y", Kind.RULE, filled)
    assert len({declared.key, key("s.d.p.a.x", Kind.RULE, filled), key("s.d.p.a.x", Kind.RULE, unique)}) == 3


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
