"""Clients of the last release find in the graph all that they rely on."""

from pathlib import Path

import pytest

from schema.released import PLACE, breaking, undescribed

SDL = (Path(PLACE).parent / "schema.graphql").read_text()
BEFORE = "type Query { table(id: ID!): Table names(kind: Kind): [String!]! } type Table { id: ID! } enum Kind { A B }"


def test_nothing_breaks_a_client_of_the_last_release() -> None:
    assert breaking(PLACE.read_text(), SDL) == []


def test_the_graph_of_a_release_is_kept_without_its_descriptions() -> None:
    kept = undescribed(SDL)
    assert len(kept) < len(SDL) / 2
    assert '"""' not in kept
    assert breaking(kept, SDL) == breaking(SDL, kept) == []


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (BEFORE.replace("table(id: ID!): Table", ""), "FIELD_REMOVED"),
        (BEFORE.replace("id: ID! }", "id: ID }"), "FIELD_CHANGED_KIND"),
        (BEFORE.replace("table(id: ID!)", "table(id: ID!, at: Int!)"), "REQUIRED_ARG_ADDED"),
        (BEFORE.replace("kind: Kind", ""). replace("names()", "names"), "ARG_REMOVED"),
        (BEFORE.replace("{ A B }", "{ A }"), "VALUE_REMOVED_FROM_ENUM"),
        (BEFORE.replace("table(id: ID!): Table", "table(id: ID!): Table!"), None),
        (BEFORE.replace("{ A B }", "{ A B C }"), None),
        (BEFORE.replace("table(id: ID!)", "table(id: ID!, at: Int)"), None),
        (BEFORE.replace("{ id: ID! }", '{ id: ID! @deprecated(reason: "Since 2026-11-27.") }'), None),
    ],
)  # fmt: skip
def test_a_change_is_told_breaking_or_not(now: str, told: str | None) -> None:
    found = breaking(BEFORE, now)
    assert [one.partition(":")[0] for one in found] == ([] if told is None else [told])
