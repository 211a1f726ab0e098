"""A table's columns over the graph are read of fewer columns of the store: the answer is that of the long way."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.queries.asset_view import NAMES, AssetView, answer_columns, narrow_view
from persistence.tables.catalog import metadata_assets
from resolvers import chosen
from resolvers.utils.metadata import get_metadata
from schema.plan import PlanExecutor
from tests.support.catalog import source
from tests.utils.test_metadata import take, uri
from tests.world import World

__all__ = ["uri"]

pytestmark = pytest.mark.anyio

COLUMNS = 12
PLAIN = (
    *("id", "name", "fullyQualifiedName", "resourceUri", "organizationId", "type", "version", "versionMajor"),
    *("createdAt", "updatedAt", "deletedAt", "createdBy", "displayName", "description", "isDqTagged", "isPiiTagged"),
    *(
        "nullable",
        "ordinalPosition",
        "rowCount",
        "precision",
        "extension",
        "constraint",
        "changeDescription { previousVersion }",
    ),
    *("owners { name id }", "tags { tagFqn }", "changedBy", "changeSummary", "columnRelationships", "__typename"),
    *("again: name", "first: createdAt", "name @skip(if: $no)", "type @include(if: $no)", "...more", "childrenTotal"),
    *("... on MetadataAsset { dataType scale }", "children { name }", "children { ...more }"),
)
EDGES = ("members { total }", "columnProfile { columnFqn }", "classifications { id }")
QUERY = """query($uri: String!, $no: Boolean! = false) { metadata(resourceType: "data_connection", resourceUri: $uri,
    fqn: "main.db.public.wide", includeChildren: true) { %s children { %s } } }
    fragment more on MetadataAsset { updatedBy serviceName }"""
USED = "... @include(if: $no) { ...more }"


@pytest.fixture
async def wide(world: World, uri: str) -> str:
    """The address of a connection with a table whose columns differ in much."""
    await take(world, uri, source({"wide": {f"c{at:02}": "INTEGER" for at in range(COLUMNS)}}))
    chance = random.Random(3)
    for at in range(COLUMNS):
        values = {
            "display_name": chance.choice((None, "", "Grüße", "line\nbreak")),
            "owners": chance.choice((None, [], [{"name": "Vera", "type": "user", "id": "vera"}])),
            "extension": chance.choice(({}, {"a": [1, None, {"b": 2.5}]})),
            "nullable": chance.choice((None, True, False)),
            "is_pii_tagged": chance.choice((True, False)),
            "precision": chance.choice((None, 0, 2**31 - 1)),
            "row_count": chance.choice((None, 2**53 - 1)),
            "updated_at": world.clock().replace(microsecond=chance.choice((0, 120, 999_999))),
        }
        change = metadata_assets.update().where(metadata_assets.c.name == f"c{at:02}").values(**values)
        await world.app.parts.database.write(lambda connection, change=change: connection.execute(change).close())  # type: ignore[misc]
    return uri


@contextmanager
def the_long_way(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whole rows, and every field resolved by the library."""
    with patch.context() as during:
        during.setattr(PlanExecutor, "_projection", lambda *_: None)
        during.setattr("resolvers.utils.metadata.chosen_in", lambda *_: None)
        yield


async def asked(world: World, uri: str, query: str) -> bytes:
    world.app.parts.services.answers._kept.clear()
    world.app.parts.services.answers._asked.clear()
    answer = await world.request(
        "POST",
        "/graphql",
        token=world.owner,
        json={"query": query, "variables": {"uri": uri}},
        headers={"X-Project-ID": world.shop},
    )
    assert answer.status_code == 200, answer.text
    return answer.content.partition(b',"extensions":')[0]  # behind it the graph says which request it was


async def test_both_ways_answer_the_same_bytes(world: World, wide: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(11)
    for number in range(60):
        outer = [USED, "name", *chance.sample(PLAIN, chance.randint(0, 3))]
        inner = ["name", *chance.sample(PLAIN, chance.randint(1, 12))]
        if number % 10 == 9:
            inner.append(chance.choice(EDGES))
        query = QUERY % (" ".join(outer), " ".join(inner))
        with the_long_way(monkeypatch):
            whole = await asked(world, wide, query)
        assert b'"errors"' not in whole, whole
        for _ in range(3):  # at last with a projection of the rows themselves
            assert await asked(world, wide, query) == whole, query


async def test_what_is_not_chosen_is_not_read(world: World, wide: str) -> None:
    heard: list[str] = []
    for engine in world.app.parts.database.sync_engines:
        sa.event.listen(engine, "before_cursor_execute", lambda *given: heard.append(given[2]))
    await asked(world, wide, QUERY % (USED, "name dataType"))
    (children,) = [said for said in heard if "parent_fqn" in said.partition("WHERE")[2]]
    columns = children.partition("FROM")[0]
    assert "data_type" in columns
    assert [name for name in ("business_rules", "extension", "created_at", "owners") if name in columns] == []


async def test_a_field_that_was_not_read_is_never_null_by_that(world: World, wide: str) -> None:
    kind, columns = narrow_view(frozenset({"name", "created_at"}))
    assert len(columns) == len(answer_columns)
    query = sa.select(*columns).where(metadata_assets.c.name == "c03")
    row = await world.app.parts.database.read(lambda connection: connection.execute(query).one())
    view: Any = kind(tuple(row))
    assert isinstance(view, AssetView)
    assert (view.name, view.created_at.tzinfo is not None) == ("c03", True)
    for name in set(NAMES) - {"name", "created_at", "children"}:
        with pytest.raises(AttributeError, match=name):
            getattr(view, name)


async def test_an_operation_that_calls_another_is_not_told_what_is_read_of_its_own() -> None:
    forget = chosen.choose(object(), lambda _: frozenset({"name"}))
    assert chosen.chosen_in(get_metadata, "children") is None
    forget()
    forget = chosen.choose(get_metadata, lambda field: frozenset({field}))
    assert chosen.chosen_in(get_metadata, "children") == {"children"}
    forget()
    assert chosen.chosen_in(get_metadata, "children") is None
