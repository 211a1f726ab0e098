"""Which of several keys between two tables is taken."""

from typing import Any

import pytest

from resolvers.engines.nl2sql.joining.joins import Use
from resolvers.engines.nl2sql.joining.ties import KeyOrigin
from tests.engines.nl2sql.shop import fqn, table
from tests.engines.nl2sql.test_joining import TWO, candidate, joins, memory, profile


def test_declared_keys_go_before_guessed_ones() -> None:
    declared = table("visit", "id INTEGER, person_id INTEGER, host INTEGER", key=["id"], refers={"host": "person.id"})
    tree = joins(TWO[0], declared).connect([Use(fqn("person")), Use(fqn("visit"))])
    assert tree.links[0].pairs == (("id", "host"),)
    assert tree.links[0].key.origin is not KeyOrigin.GUESSED
    guessed = joins(*TWO).connect([Use(fqn("person")), Use(fqn("visit"))])
    assert guessed.links[0].pairs == (("id", "person_id"),)
    assert guessed.links[0].key.origin is KeyOrigin.GUESSED


def test_keys_that_a_profile_found_go_before_guessed_ones_and_bad_matches_are_left_out() -> None:
    profiles = {fqn("visit"): profile("visit", candidate("host", "person.id", 0.98))}
    tree = joins(*TWO, profiles=profiles).connect([Use(fqn("person")), Use(fqn("visit"))])
    assert tree.links[0].pairs == (("id", "host"),)
    assert tree.links[0].key.origin == KeyOrigin.PROFILED
    poor = {fqn("visit"): profile("visit", candidate("host", "person.id", 0.4))}
    tree = joins(*TWO, profiles=poor).connect([Use(fqn("person")), Use(fqn("visit"))])
    assert tree.links[0].pairs == (("id", "person_id"),)


@pytest.mark.parametrize(
    "content",
    [
        {"left": "visit.host", "right": "person.id"},
        {"left": "main.person.ID", "right": "main.visit.Host"},
        {"left": ["svc.db.main.visit.host"], "right": ["svc.db.main.person.id"]},
        {"condition": "visit.host = person.id"},
        {"condition": '"person"."id" = "visit"."host"'},
    ],
)
def test_join_memories_go_before_all_others(content: dict[str, Any]) -> None:
    declared = table(
        "visit", "id INTEGER, person_id INTEGER, host INTEGER", refers={"person_id": "person.id"}, key=["id"]
    )
    tree = joins(TWO[0], declared, memories=[memory(content)]).connect([Use(fqn("person")), Use(fqn("visit"))])
    assert tree.links[0].pairs == (("id", "host"),)
    assert tree.links[0].key.memory == "m1"
    assert tree.links[0].key.condition is None
    assert tree.links[0].key.to == fqn("person")


def test_a_join_memory_may_say_more_than_that_columns_are_equal() -> None:
    content = {"condition": "visit.host = person.id AND visit.id > 5"}
    tree = joins(*TWO, memories=[memory(content)]).connect([Use(fqn("person")), Use(fqn("visit"))])
    assert tree.links[0].key.origin == KeyOrigin.MEMORY
    assert tree.links[0].key.condition == "visit.host = person.id AND visit.id > 5"
    assert tree.links[0].pairs == (("id", "host"),)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"left": "visit.host"},
        {"left": "visit.nothing", "right": "person.id"},
        {"left": ["visit.host", "visit.id"], "right": ["person.id"]},
        {"condition": "visit.host ="},
        {"condition": "visit.host = (SELECT 1)"},
        {"condition": "visit.host = visit.id"},
        {"condition": "x" * 3000},
        {"condition": 5},
    ],
)
def test_join_memories_that_do_not_resolve_are_left_out(content: dict[str, Any]) -> None:
    assert all(key.origin == KeyOrigin.GUESSED for key in joins(*TWO, memories=[memory(content)]).finder.all())


def test_a_bare_name_that_two_schemas_have_resolves_to_neither() -> None:
    other = table("person", "id INTEGER, name VARCHAR", schema="other")
    of = joins(*TWO, other, memories=[memory({"left": "visit.host", "right": "person.id"})])
    assert all(key.memory is None for key in of.finder.all())
    of = joins(*TWO, other, memories=[memory({"left": "visit.host", "right": "other.person.id"})])
    assert [key.to for key in of.finder.all() if key.memory] == ["svc.db.other.person"]


def test_keys_of_several_columns_stay_whole() -> None:
    keys = [
        {
            "type": "FOREIGN_KEY",
            "columns": ["region", "code"],
            "target_schema": "main",
            "target_table": "shop",
            "target_columns": ["region", "number"],
        }
    ]
    of = joins(
        table("shop", "region VARCHAR, number INTEGER", key=["region", "number"]),
        table(
            "sale", "id INTEGER, region VARCHAR, code INTEGER", key=["id"], keys=keys, refers={"region": "shop.region"}
        ),
    )
    tree = of.connect([Use(fqn("sale")), Use(fqn("shop"))])
    assert tree.links[0].pairs == (("region", "region"), ("code", "number"))
    assert not of.multiplies(tree.links[0])
