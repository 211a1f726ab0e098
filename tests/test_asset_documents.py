"""Assets that are kept as they are answered: always what their columns say, and gone with the first change."""

import asyncio
import random
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
import orjson
import pytest
import sqlalchemy as sa

from persistence.documents import Documents
from persistence.engine import Database
from persistence.queries import asset_documents as stored
from persistence.queries.asset_view import RENDERED_BY, AssetView, answer_columns
from persistence.tables.catalog import asset_documents, metadata_assets
from schema.errors import DatabaseError
from tests.support.catalog import source
from tests.utils.test_metadata import take, uri
from tests.world import World

__all__ = ["uri"]

pytestmark = pytest.mark.anyio

COLUMNS = 30
PATH = "/utils/data_connection/{}/metadata?fqn=main.db.public.wide&include_children=true"
TEXTS = (
    "",
    "plain",
    'quoted "so"',
    "back\\slash",
    "line\nand tab\t",
    "\x01\x1f\x7f",
    "Grüße, 東京 🏛",
    "</script>\u2028",
    "null",
)
JSON: tuple[Any, ...] = ({}, {"a": [1, 2.5, None, True]}, {"ключ": 'зна"чение'}, {"deep": {"er": [[], {}]}})


@pytest.fixture
async def wide(world: World, uri: str) -> str:
    """The address of a table with thirty columns."""
    await take(world, uri, source({"wide": {f"c{at:02}": "INTEGER" for at in range(COLUMNS)}}))
    return PATH.format(quote(uri, safe=""))


async def asked(world: World, path: str, **headers: str) -> httpx.Response:
    named = {"X-Project-ID": world.shop, **{name.replace("_", "-"): value for name, value in headers.items()}}
    answer = await world.request("GET", path, token=world.owner, headers=named)
    assert answer.status_code in (200, 304), answer.text
    return answer


async def kept(world: World) -> dict[int, tuple[str, bytes]]:
    """The documents that the store has."""
    await world.app.parts.services.documents.settled()
    columns = (asset_documents.c.row_number, asset_documents.c.rendered_by, asset_documents.c.document)
    rows = await world.app.parts.database.read(lambda connection: connection.execute(sa.select(*columns)).all())
    return {row[0]: (row[1], row[2]) for row in rows}


async def rendered(world: World) -> dict[int, bytes]:
    """Return what the columns say of every asset that has a document."""
    query = sa.select(*answer_columns, metadata_assets.c.row_number).join(
        asset_documents, asset_documents.c.row_number == metadata_assets.c.row_number
    )
    rows = await world.app.parts.database.read(lambda connection: connection.execute(query).all())
    return {row[-1]: AssetView(tuple(row[:-1])).json_bytes() for row in rows}


def changed(**values: Any) -> Callable[[sa.Connection], None]:
    """Change one column from beside the platform."""
    statement = metadata_assets.update().where(metadata_assets.c.name == "c07").values(**values)
    return lambda connection: connection.execute(statement).close()


def forget_answers(world: World) -> None:
    """So that the next one is made anew."""
    world.app.parts.services.answers._kept.clear()
    world.app.parts.services.answers._asked.clear()


async def test_an_answer_of_documents_is_that_of_columns(world: World, wide: str) -> None:
    assert await kept(world) == {}
    first = await asked(world, wide)
    assert len(await kept(world)) == COLUMNS
    forget_answers(world)
    statements: list[str] = []
    for engine in world.app.parts.database.sync_engines:
        sa.event.listen(engine, "before_cursor_execute", lambda *heard: statements.append(heard[2]))
    second = await asked(world, wide)
    assert [said for said in statements if "business_rules" in said and "parent_fqn =" in said] == []
    assert any("asset_documents" in said for said in statements)
    assert second.content == first.content
    assert second.headers["etag"] == first.headers["etag"]
    children = orjson.loads(second.content)["children"]
    assert [child["name"] for child in children] == [f"c{at:02}" for at in range(COLUMNS)]
    assert (await asked(world, wide, if_none_match=first.headers["etag"])).status_code == 304


async def test_a_document_says_what_its_columns_say_whoever_writes(world: World, wide: str, uri: str) -> None:
    chance, database = random.Random(7), world.app.parts.database
    await asked(world, wide)
    seen: set[bytes] = set()
    for _ in range(25):
        flags = [chance.choice((True, False)) for _ in range(3)]
        values = {
            **{name: chance.choice((None, *TEXTS)) for name in ("description", "display_name", "business_rules")},
            **dict(zip(("is_pii_tagged", "is_dq_tagged", "nullable"), flags, strict=True)),
            **{name: chance.choice(JSON) for name in ("extension", "constraint", "change_summary")},
            "column_relationships": chance.choice((None, [], list(JSON))),
            "row_count": chance.choice((None, 0, -1, 2**62)),
            "updated_at": world.clock(),
        }
        before = await kept(world)
        await database.write(changed(**values))
        forget_answers(world)
        assert len(await kept(world)) == len(before) - 1
        answer = await asked(world, wide)
        now, columns = await kept(world), await rendered(world)
        assert {number: content for number, (_, content) in now.items()} == columns
        assert len(now) == COLUMNS
        assert sorted(columns.values()) == sorted(map(orjson.dumps, map(_as_kept(columns), _children(answer))))
        seen.add(answer.content)
    assert len(seen) > 20


def _children(answer: httpx.Response) -> list[dict[str, Any]]:
    children: list[dict[str, Any]] = orjson.loads(answer.content)["children"]
    return children


def _as_kept(columns: dict[int, bytes]) -> Callable[[dict[str, Any]], Any]:
    """Each child of an answer as the very bytes that were kept of it."""
    by_id = {orjson.loads(content)["id"]: content for content in columns.values()}

    def same(child: dict[str, Any]) -> Any:
        assert orjson.loads(by_id[child["id"]]) == child
        return orjson.Fragment(by_id[child["id"]])

    return same


async def test_one_asset_alone_is_its_document(world: World, wide: str) -> None:
    alone = wide.replace("public.wide&include_children=true", "public.wide.c07")
    first = await asked(world, alone)
    assert len(await kept(world)) == 1
    forget_answers(world)
    mark = asset_documents.update().values(document=first.content.replace(b'"c07"', b'"kept"'))
    await world.app.parts.database.write(lambda connection: connection.execute(mark).close())
    assert b'"kept"' in (await asked(world, alone)).content
    await world.app.parts.database.write(changed(description="new words"))
    forget_answers(world)
    fresh = await asked(world, alone)  # of the columns, as it has no document yet
    assert orjson.loads(fresh.content) == orjson.loads(first.content) | {"description": "new words"}
    assert [content for _, content in (await kept(world)).values()] == [fresh.content]
    forget_answers(world)
    again = await asked(world, alone)
    assert (again.content, again.headers["etag"]) == (fresh.content, fresh.headers["etag"])
    assert again.headers["etag"] != first.headers["etag"]
    assert (await asked(world, alone, if_none_match=again.headers["etag"])).status_code == 304


async def test_one_asset_alone_is_refused_alike_with_a_document_and_without(world: World, wide: str) -> None:
    alone = wide.replace("public.wide&include_children=true", "public.wide.c03")
    headers = {"X-Project-ID": world.shop}

    async def refused(path: str) -> tuple[int, Any]:
        forget_answers(world)
        answer = await world.request("GET", path, token=world.owner, headers=headers)
        error = answer.json()["error"]
        return answer.status_code, (error["code"], error["message"], error["details"])

    without = await refused(f"{alone}&asset_type=table")
    assert len(await kept(world)) == 1
    assert await refused(f"{alone}&asset_type=table") == without
    assert without[0] == 400
    assert (await world.request("DELETE", alone, token=world.owner, headers=headers)).status_code == 200
    assert await kept(world) == {}
    assert (await refused(alone))[0] == (await refused(f"{alone}x"))[0] == 404
    assert await kept(world) == {}


async def test_edits_removals_and_ingestion_end_documents(world: World, wide: str, uri: str) -> None:
    await asked(world, wide)
    assert len(await kept(world)) == COLUMNS
    child = wide.replace("public.wide&include_children=true", "public.wide.c03")
    headers = {"X-Project-ID": world.shop}
    edited = await world.request("PUT", child, token=world.owner, headers=headers, json={"description": "new words"})
    assert edited.status_code == 200, edited.text
    assert len(await kept(world)) == COLUMNS - 1
    assert _children(await asked(world, wide))[3]["description"] == "new words"
    gone = await world.request("DELETE", child, token=world.owner, headers=headers)
    assert gone.status_code == 200
    assert "c03" not in [one["name"] for one in _children(await asked(world, wide))]
    assert len(await kept(world)) == COLUMNS - 1
    fresh = {f"c{at:02}": "TEXT" for at in range(COLUMNS)}
    await take(world, uri, source({"wide": fresh}))
    assert {one["data_type"] for one in _children(await asked(world, wide))} == {"TEXT"}
    everything = (
        "delete from metadata_assets" if world.app.parts.database.dialect == "sqlite" else "truncate metadata_assets"
    )
    await world.app.parts.database.write(lambda connection: connection.exec_driver_sql(everything).close())
    assert await kept(world) == {}


async def test_what_other_code_wrote_is_not_given_and_made_anew(world: World, wide: str) -> None:
    first = await asked(world, wide)
    assert {by for by, _ in (await kept(world)).values()} == {RENDERED_BY}
    lie = asset_documents.update().values(rendered_by="0" * 16, document=b'{"older": "form"}')
    await world.app.parts.database.write(lambda connection: connection.execute(lie).close())
    forget_answers(world)
    again = await asked(world, wide)
    assert (again.content, again.headers["etag"]) == (first.content, first.headers["etag"])
    now = await kept(world)
    assert {by for by, _ in now.values()} == {RENDERED_BY}
    assert {number: content for number, (_, content) in now.items()} == await rendered(world)


async def test_no_document_is_late_while_others_write(world: World, wide: str) -> None:
    database, documents = world.app.parts.database, world.app.parts.services.documents
    rows = await database.read(
        lambda connection: connection.execute(sa.select(metadata_assets.c.row_number)).scalars().all()
    )
    ended = asyncio.Event()

    async def store_again_and_again() -> None:
        while not ended.is_set():
            await database.write(lambda connection: stored.store_documents(connection, rows))
            await asyncio.sleep(0)

    storing = asyncio.create_task(store_again_and_again())
    late = 0
    try:
        for number in range(40):
            await database.write(changed(description=f"word {number}"))
            forget_answers(world)
            late += _children(await asked(world, wide))[7]["description"] != f"word {number}"
    finally:
        ended.set()
        await storing
    assert late == 0
    await documents.settled()
    assert {number: content for number, (_, content) in (await kept(world)).items()} == await rendered(world)


async def test_an_asset_that_is_being_changed_is_passed_over(world: World, wide: str) -> None:
    database = world.app.parts.database
    if database.dialect == "sqlite":
        pytest.skip("SQLite has one writer")
    row = sa.select(metadata_assets.c.row_number).where(metadata_assets.c.name == "c07")
    number = await database.read(lambda connection: connection.execute(row).scalar_one())
    engine = database._side._engine  # type: ignore[union-attr]
    async with engine.connect() as writer:
        await writer.execute(metadata_assets.update().where(metadata_assets.c.name == "c07").values(description="soon"))
        assert await database.write(lambda connection: stored.store_documents(connection, [number])) == 0
        await writer.commit()
    assert await database.write(lambda connection: stored.store_documents(connection, [number])) == 1
    assert orjson.loads((await kept(world))[number][1])["description"] == "soon"


async def test_documents_are_given_to_nobody_who_may_not_read_the_asset(world: World, wide: str) -> None:
    await asked(world, wide)
    assert len(await kept(world)) == COLUMNS
    asking = ((world.token("nobody"), world.shop), (world.foreign_owner, world.theirs), (world.owner, world.lab))
    for token, project in asking:
        refused = await world.request("GET", wide, token=token, headers={"X-Project-ID": project})
        assert refused.status_code in (403, 404), refused.text
        assert not re.search(rb"\bc07\b", refused.content)  # within an id these letters may well stand


class _Refusing(Database):
    """A store that can only be read."""

    def __init__(self) -> None:
        self.asked = 0

    async def write(self, *_: Any, **__: Any) -> Any:
        self.asked += 1
        raise DatabaseError("read-only")


async def test_a_store_that_refuses_is_left_alone_for_a_while() -> None:
    store = _Refusing()
    documents = Documents(store)
    for _ in range(3):
        documents.want(range(1000))
        await documents.settled()
    assert store.asked == 1
    await documents.close()


async def test_what_waits_is_bounded_and_left_at_the_end() -> None:
    waits = asyncio.Event()

    class Slow(_Refusing):
        async def write(self, *_: Any, **__: Any) -> Any:
            await waits.wait()

    documents = Documents(Slow())
    documents.want(range(100_000))
    assert len(documents._waiting) == 20_000
    await asyncio.sleep(0)
    await documents.close()
    assert documents._storing is None
