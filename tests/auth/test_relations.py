"""One suite for every engine: the same cases, asked of SQLite, of PostgreSQL and of a real OpenFGA server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from auth.model import Model, platform_model
from auth.relations import (
    AlreadyStands,
    CheckRequest,
    DoesNotStand,
    NotInModel,
    Relations,
    RelationTuple,
    Undecided,
)
from tests.auth.cases.engines import ENGINES, fresh_store, relations, tuple_of, tuples
from tests.support.openfga import openfga_url  # noqa: F401
from tests.support.postgres import postgres_server, postgres_url  # noqa: F401

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("engine", ENGINES)]

CASES = [
    case
    for file in ("operators.yaml", "conditions.yaml")
    for case in yaml.safe_load((Path(__file__).parent / "cases" / file).read_text(encoding="utf-8"))
]


def stated(entry: str | dict[str, Any]) -> RelationTuple:
    """A tuple of a case, with its condition when it has one."""
    if isinstance(entry, str):
        return tuple_of(entry)
    plain = tuple_of(entry["tuple"])
    return RelationTuple(plain.user, plain.relation, plain.object, entry["condition"], entry.get("context"))


def asked(line: str) -> CheckRequest:
    """The question whether a tuple follows."""
    item = tuple_of(line)
    return CheckRequest(item.user, item.relation, item.object)


async def answers(engine: Relations, store: str, part: dict[str, Any]) -> dict[str, str]:
    """Ask all checks of a part of a case, one by one and as a batch, which must agree."""
    contextual = [stated(entry) for entry in part.get("tuples", ())] if "model" not in part else []
    context = part.get("context")
    lines = [line for kind in ("yes", "no", "undecided") for line in part.get(kind, ())]
    found = {}
    for line in lines:
        try:
            held = await engine.check(store, asked(line), contextual=contextual, context=context)
            found[line] = "yes" if held else "no"
        except Undecided:
            found[line] = "undecided"
    batch = await engine.batch_check(store, [asked(line) for line in lines], contextual=contextual, context=context)
    assert batch == [found[line] == "yes" for line in lines]
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
async def test_a_case_has_the_same_answers_everywhere(
    engine: str, case: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    async with relations(engine, Model.parse(case["model"]), request) as under_test:
        store = fresh_store()
        await under_test.write(store, [stated(entry) for entry in case["tuples"]])
        for part in (case, *case.get("contextual", ())):
            expected = {line: kind for kind in ("yes", "no", "undecided") for line in part.get(kind, ())}
            assert await answers(under_test, store, part) == expected
        for line, objects in case.get("objects", {}).items():
            user, relation, type_ = line.split(" ")
            assert await under_test.list_objects(store, user, relation, type_) == objects, line
        for line, users in case.get("users", {}).items():
            object_, relation, wanted = line.split(" ")
            assert await under_test.list_users(store, object_, relation, wanted) == users, line


async def test_a_user_is_allowed_through_any_of_his_groups(engine: str, request: pytest.FixtureRequest) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        store = fresh_store()
        await under_test.write(store, tuples("project:shop#viewer@group:readers#member"))
        groups = [f"group:other-{number}#member" for number in range(70)]
        assert not await under_test.allowed(store, ["user:ann", *groups], "can_read", "project:shop")
        assert await under_test.allowed(
            store, ["user:ann", *groups, "group:readers#member"], "can_read", "project:shop"
        )
        assert not await under_test.allowed(store, ["user:ann", "group:readers#member"], "can_write", "project:shop")
        assert not await under_test.allowed(store, [], "can_read", "project:shop")


async def test_the_tuples_of_two_organizations_never_meet(engine: str, request: pytest.FixtureRequest) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        ours, theirs = fresh_store(), fresh_store()
        await under_test.write(ours, tuples("project:shop#owner@user:ann"))
        question = CheckRequest("user:ann", "can_read", "project:shop")
        assert await under_test.check(ours, question)
        assert not await under_test.check(theirs, question)
        assert await under_test.list_objects(theirs, "user:ann", "can_read", "project") == []
        assert await under_test.list_users(theirs, "project:shop", "can_read", "user") == []
        assert await under_test.read(theirs) == []
        assert await under_test.delete_object(theirs, "project:shop") == 0
        assert await under_test.check(ours, question)


async def test_a_write_is_all_or_nothing(engine: str, request: pytest.FixtureRequest) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        store = fresh_store()
        [standing, fresh, absent] = tuples(
            "project:shop#viewer@user:ann", "project:shop#viewer@user:bob", "project:shop#viewer@user:cho"
        )
        await under_test.write(store, [standing])
        with pytest.raises(AlreadyStands):
            await under_test.write(store, [fresh, standing])
        with pytest.raises(DoesNotStand):
            await under_test.write(store, [fresh], [absent])
        with pytest.raises(DoesNotStand):
            await under_test.write(store, [], [standing, absent])
        assert await under_test.read(store) == [standing]
        await under_test.write(store, [fresh, standing], [absent], lenient=True)
        await under_test.write(store, [fresh, standing], [absent], lenient=True)
        assert set(await under_test.read(store)) == {fresh, standing}
        await under_test.write(store, [absent], [standing, fresh])
        assert await under_test.read(store) == [absent]


@pytest.mark.parametrize(
    "line",
    [
        "project:shop#can_read@user:ann",
        "project:shop#member@user:ann",
        "project:shop#viewer@robot:r",
        "project:shop#viewer@user:*",
        "project:shop#organization@user:ann",
        "project:shop#viewer@project:shop#viewer",
        "warehouse:w#viewer@user:ann",
        "project:#viewer@user:ann",
        "project:*#viewer@user:ann",
        "project:a b#viewer@user:ann",
        "group:g#member@group:g#member",
    ],
)
async def test_a_tuple_that_the_model_refuses_is_not_written(
    engine: str, line: str, request: pytest.FixtureRequest
) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        store = fresh_store()
        good = tuple_of("project:shop#viewer@user:good")
        with pytest.raises(NotInModel):
            await under_test.write(store, [good, tuple_of(line)])
        assert await under_test.read(store) == []


@pytest.mark.parametrize(
    "question",
    [
        CheckRequest("user:ann", "can_fly", "project:shop"),
        CheckRequest("user:ann", "can_read", "warehouse:w"),
        CheckRequest("robot:r", "can_read", "project:shop"),
        CheckRequest("group:g#friend", "can_read", "project:shop"),
        CheckRequest("ann", "can_read", "project:shop"),
        CheckRequest("user:ann", "can_read", "project"),
    ],
)
async def test_a_question_outside_the_model_is_an_error_and_never_a_yes(
    engine: str, question: CheckRequest, request: pytest.FixtureRequest
) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        for ask in (
            lambda store: under_test.check(store, question),
            lambda store: under_test.batch_check(store, [question]),
            lambda store: under_test.allowed(store, [question.user], question.relation, question.object),
        ):
            with pytest.raises(NotInModel):
                await ask(fresh_store())


async def test_tuples_are_read_by_what_is_known_of_them_and_in_pages(
    engine: str, request: pytest.FixtureRequest
) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        store = fresh_store()
        grants = [f"project:shop#{relation}@user:u{n}" for relation in ("viewer", "owner") for n in range(5)]
        written = tuples(
            *grants, "file:f#viewer@user:u1", "file:f#project@project:shop", "project:b#viewer@group:g#member"
        )
        await under_test.write(store, written)
        chosen: list[tuple[dict[str, str], Callable[[RelationTuple], bool]]] = [
            ({}, lambda item: True),
            ({"object": "project:shop"}, lambda item: item.object == "project:shop"),
            (
                {"object": "project:shop", "relation": "owner"},
                lambda item: item.object == "project:shop" and item.relation == "owner",
            ),
            ({"user": "user:u1"}, lambda item: item.user == "user:u1"),
            ({"user": "group:g#member"}, lambda item: item.user == "group:g#member"),
            ({"relation": "viewer"}, lambda item: item.relation == "viewer"),
            (
                {"object": "project:shop", "user": "user:u1"},
                lambda item: item.object == "project:shop" and item.user == "user:u1",
            ),
            ({"object": "file:", "user": "user:u1"}, lambda item: str(item) == "file:f#viewer@user:u1"),
        ]
        for filters, fits in chosen:
            pages: list[RelationTuple] = []
            while page := await under_test.read(store, **filters, limit=3, after=pages[-1] if pages else None):
                assert len(page) <= 3
                pages += page
            assert sorted(map(str, pages)) == sorted(str(item) for item in written if fits(item)), filters


async def test_what_stands_on_some_objects_is_read_at_once(engine: str, request: pytest.FixtureRequest) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        store = fresh_store()
        on_shop = [f"project:shop#viewer@user:u{number:03}" for number in range(130)]
        written = tuples("file:f#project@project:shop", "project:b#viewer@group:g#member", *on_shop)
        other = tuples("project:shop#organization@organization:acme", "organization:acme#owner@user:ann")
        for start in range(0, len(written), 100):
            await under_test.write(store, written[start : start + 100])
        await under_test.write(store, other)
        found = await under_test.standing(store, ["project:b", "project:shop", "project:shop", "project:none"])
        assert found == sorted([*written[1:], other[0]], key=lambda item: item.key)
        assert await under_test.standing(store, ["file:f"]) == written[:1]
        assert await under_test.standing(store, []) == []
        assert await under_test.standing(fresh_store(), ["project:b"]) == []


async def test_deleting_an_object_takes_every_tuple_that_names_it(engine: str, request: pytest.FixtureRequest) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        store = fresh_store()
        kept = tuple_of("project:other#viewer@user:ann")
        await under_test.write(
            store,
            [
                kept,
                *tuples(
                    "project:shop#organization@organization:acme",
                    "project:shop#viewer@user:ann",
                    "project:shop#owner@group:g#member",
                    "file:f#project@project:shop",
                    "data_connection:d#project@project:shop",
                ),
            ],
        )
        assert await under_test.delete_object(store, "project:shop") == 5
        assert await under_test.read(store) == [kept]
        assert await under_test.delete_object(store, "project:shop") == 0
        assert await under_test.delete_object(store, "project:other") == 1


async def test_deleting_a_group_takes_the_grants_to_its_members(engine: str, request: pytest.FixtureRequest) -> None:
    async with relations(engine, platform_model(), request) as under_test:
        store = fresh_store()
        await under_test.write(store, tuples("group:g#member@user:ann", "project:shop#owner@group:g#member"))
        assert await under_test.check(store, CheckRequest("user:ann", "can_delete", "project:shop"))
        assert await under_test.delete_object(store, "group:g") == 2
        assert not await under_test.check(store, CheckRequest("user:ann", "can_delete", "project:shop"))


async def test_a_chain_that_is_too_long_is_never_a_yes(engine: str, request: pytest.FixtureRequest) -> None:
    model = Model.parse(
        "model\n schema 1.1\ntype user\ntype folder\n relations\n define parent: [folder]\n"
        " define owner: [user]\n define viewer: owner or viewer from parent"
    )
    async with relations(engine, model, request) as under_test:
        store = fresh_store()
        links = [f"folder:{number}#parent@folder:{number + 1}" for number in range(40)]
        await under_test.write(store, tuples(*links, "folder:40#owner@user:ann"))
        assert await under_test.check(store, CheckRequest("user:ann", "viewer", "folder:30"))
        question = CheckRequest("user:ann", "viewer", "folder:0")
        with pytest.raises(Undecided):
            await under_test.check(store, question)
        assert await under_test.batch_check(store, [question]) == [False]
        assert not await under_test.allowed(store, ["user:ann"], "viewer", "folder:0")
