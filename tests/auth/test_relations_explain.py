"""An explanation can be trusted: its chain carries the yes, and its grants turn the no."""

import itertools

import pytest

from auth.evaluator import Evaluator
from auth.explain import explain
from auth.model import Model, platform_model
from auth.permissions import permissions_of
from auth.relations import RelationTuple
from schema.governance.permission import Permission, ResourceType
from tests.auth.cases.engines import ENGINES, fresh_store, relations, tuple_of, tuples
from tests.support.openfga import openfga_url  # noqa: F401
from tests.support.postgres import postgres_server, postgres_url  # noqa: F401

MODEL = platform_model()
HIERARCHY = tuples(
    "data_connection:d#project@project:shop",
    "project:shop#organization@organization:acme",
    "project:shop#viewer@group:readers#member",
)
ASKED = sorted(permissions_of(MODEL, ResourceType.DATA_CONNECTION))

BOTH = Model.parse(
    """
model
  schema 1.1
type user
type group
  relations
    define member: [user]
type document
  relations
    define blocked: [user]
    define licensed: [user, group#member]
    define granted: [user]
    define viewer: (granted and licensed) but not blocked
"""
)


def written(chain: object) -> list[RelationTuple]:
    """The tuples in a chain."""
    return [link.tuple for link in chain if link.tuple is not None]  # type: ignore[attr-defined]


@pytest.mark.anyio
@pytest.mark.parametrize("engine", ENGINES)
async def test_every_engine_explains_alike(engine: str, request: pytest.FixtureRequest) -> None:
    async with relations(engine, MODEL, request) as under_test:
        store = fresh_store()
        await under_test.write(store, HIERARCHY)
        subjects = ["user:ann", "group:other#member", "group:readers#member"]
        yes = await under_test.explain(store, subjects, "can_read", "data_connection:d")
        assert (yes.allowed, yes.subject, yes.model_version) == (True, "group:readers#member", MODEL.version)
        assert [(link.object, link.relation, link.rule) for link in yes.chain] == [
            ("data_connection:d", "can_read", "can_read from project"),
            ("project:shop", "can_read", "viewer"),
            ("project:shop", "viewer", "a direct grant"),
        ]
        assert written(yes.chain) == tuples(
            "data_connection:d#project@project:shop", "project:shop#viewer@group:readers#member"
        )
        assert yes.grants == ()
        no = await under_test.explain(store, subjects, "can_delete", "data_connection:d")
        assert (no.allowed, no.subject, no.chain) == (False, None, ())
        assert [[str(item) for item in each] for each in no.grants] == [
            ["data_connection:d#owner@user:ann"],
            ["project:shop#admin@user:ann"],
            ["project:shop#owner@user:ann"],
            ["organization:acme#admin@user:ann"],
            ["organization:acme#owner@user:ann"],
        ]
        for suggestion in no.grants:
            assert not await under_test.allowed(store, subjects, "can_delete", "data_connection:d")
            await under_test.write(store, suggestion)
            assert await under_test.allowed(store, subjects, "can_delete", "data_connection:d")
            await under_test.write(store, [], suggestion)


@pytest.mark.parametrize("permission", ASKED)
def test_every_suggested_grant_turns_the_no_and_none_is_wider_than_needed(permission: Permission) -> None:
    evaluator = Evaluator(MODEL, HIERARCHY)
    answer = explain(evaluator, ["user:ann"], permission, "data_connection:d")
    assert not answer.allowed
    assert answer.grants
    for suggestion in answer.grants:
        assert len(suggestion) == 1
        assert evaluator.with_tuples(suggestion).holds("user:ann", permission, "data_connection:d")
    assert str(answer.grants[0][0]).startswith("data_connection:d#")


def test_the_narrowest_grant_comes_first() -> None:
    answer = explain(Evaluator(MODEL, HIERARCHY), ["user:ann"], "can_read", "data_connection:d")
    assert [str(each[0]) for each in answer.grants[:5]] == [
        "data_connection:d#viewer@user:ann",
        "data_connection:d#operator@user:ann",
        "data_connection:d#developer@user:ann",
        "data_connection:d#owner@user:ann",
        "project:shop#viewer@user:ann",
    ]


@pytest.mark.parametrize("permission", ASKED)
@pytest.mark.parametrize(
    "grant",
    ["data_connection:d#owner@user:ann", "project:shop#admin@user:ann", "organization:acme#owner@group:g#member"],
)
def test_a_chain_falls_with_any_of_its_tuples_when_it_is_the_only_way(permission: Permission, grant: str) -> None:
    items = [*HIERARCHY[:2], tuple_of(grant), tuple_of("group:g#member@user:ann")]
    answer = explain(Evaluator(MODEL, items), ["user:ann"], permission, "data_connection:d")
    assert answer.allowed
    proof = written(answer.chain)
    assert tuple_of(grant) in proof
    for missing in proof:
        rest = [item for item in items if item != missing]
        assert not Evaluator(MODEL, rest).holds("user:ann", permission, "data_connection:d")
    assert Evaluator(MODEL, proof).holds("user:ann", permission, "data_connection:d")


def test_both_sides_of_an_and_are_explained_and_suggested() -> None:
    no = explain(Evaluator(BOTH, tuples("group:g#member@user:eve")), ["user:ann"], "viewer", "document:1")
    assert [{str(item) for item in each} for each in no.grants] == [
        {"document:1#granted@user:ann", "document:1#licensed@user:ann"}
    ]
    half = Evaluator(BOTH, tuples("document:1#granted@user:ann", "document:1#licensed@group:g#member"))
    answer = explain(half, ["user:ann"], "viewer", "document:1")
    assert {str(item) for each in answer.grants for item in each} == {
        "document:1#licensed@user:ann",
        "group:g#member@user:ann",
    }
    yes = explain(half.with_tuples(answer.grants[0]), ["user:ann"], "viewer", "document:1")
    assert yes.allowed
    assert tuple_of("document:1#granted@user:ann") in written(yes.chain)
    assert any(link.rule == "(granted and licensed) but not blocked" for link in yes.chain)


def test_what_is_taken_away_cannot_be_granted() -> None:
    answer = explain(Evaluator(BOTH, tuples("document:1#blocked@user:ann")), ["user:ann"], "viewer", "document:1")
    assert not answer.allowed
    assert answer.grants == ()


def test_a_chain_through_a_cycle_of_groups_ends() -> None:
    model = Model.parse("model\n schema 1.1\ntype user\ntype group\n relations\n define member: [user, group#member]\n")
    names = ["a", "b", "c"]
    cycle = tuples(*(f"group:{one}#member@group:{other}#member" for one, other in itertools.permutations(names, 2)))
    answer = explain(Evaluator(model, [*cycle, tuple_of("group:c#member@user:ann")]), ["user:ann"], "member", "group:a")
    assert [str(item) for item in written(answer.chain)] == [
        "group:a#member@group:c#member",
        "group:c#member@user:ann",
    ]
    assert [str(link) for link in answer.chain] == [
        "member on group:a because group:c#member is its member",
        "member on group:c because user:ann is its member",
    ]
