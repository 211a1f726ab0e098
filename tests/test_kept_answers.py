"""Answers about the catalog that are given again: the same bytes, never late, never to whoever may not have them."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import sqlalchemy as sa

from persistence.engine import Database
from persistence.repository import Scope
from persistence.revisions import Revisions
from persistence.tables.catalog import metadata_assets
from resolvers.answer_cache import AnswerCache, KeptAnswer, Key
from tests.utils.test_metadata import uri
from tests.world import ORG, OTHER_ORG, World, running_world, settings_for

__all__ = ["uri"]

pytestmark = pytest.mark.anyio

PLAIN = (
    'query($uri: String!) { metadata(resourceType: "data_connection", resourceUri: $uri, '
    'fqn: "main.db.public.orders", includeChildren: true) { __typename name description children { name dataType } } }'
)
LISTED = '{ searchMetadataConnection(q: "orders", first: 5) { totalCount edges { cursor node { name } } } }'


class Asked:
    """The same request again and again, as somebody."""

    def __init__(self, world: World, uri: str, how: str) -> None:
        self._world, self.how = world, how
        by_name = f"/utils/data_connection/{quote(uri, safe='')}/metadata?fqn=main.db.public.orders"
        self._path = {
            "asset": by_name,
            "children": f"{by_name}&include_children=true",
            "search": "/utils/search/metadata?q=orders&limit=10",
        }.get(how, "/graphql")
        self._json = {"query": PLAIN, "variables": {"uri": uri}} if how == "graph" else {"query": LISTED}
        self._uri = uri

    async def __call__(self, token: str | None = None, **headers: str) -> httpx.Response:
        token = self._world.owner if token is None else token
        named = {"X-Project-ID": self._world.shop}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        if self._path == "/graphql":
            return await self._world.request("POST", self._path, token=token, json=self._json, headers=named)
        return await self._world.request("GET", self._path, token=token, headers=named)


WAYS = ("asset", "children", "search", "graph", "listed")


@contextmanager
def reads(world: World) -> Iterator[list[str]]:
    """The statements that read assets."""
    found: list[str] = []

    def heard(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if "metadata_assets" in statement:
            found.append(statement)

    engines = world.app.parts.database.sync_engines
    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", heard)
    yield found
    for engine in engines:
        sa.event.remove(engine, "before_cursor_execute", heard)


async def forget(world: World, uri: str) -> None:
    """Delete the table."""
    path = f"/utils/data_connection/{quote(uri, safe='')}/metadata?fqn=main.db.public.orders"
    gone = await world.request("DELETE", path, token=world.owner, headers={"X-Project-ID": world.shop})
    assert gone.status_code == 200, gone.text


async def described(world: World, text: str) -> None:
    """Change the table from beside the platform, as another process does."""
    statement = metadata_assets.update().where(metadata_assets.c.name == "orders").values(description=text)
    await world.app.parts.database.write(lambda connection: connection.execute(statement).close())


def said(answer: httpx.Response) -> Any:
    """Return what an answer says, whichever request it is of."""
    body = answer.json()
    told = body.get("extensions", {}).pop("requestId", None)
    assert told in (None, answer.headers["X-Request-ID"])
    return body


@pytest.mark.parametrize("how", WAYS)
async def test_an_answer_is_given_again_without_a_look_at_the_catalog(world: World, uri: str, how: str) -> None:
    ask = Asked(world, uri, how)
    first = await ask()
    assert first.status_code == 200, first.text
    await world.app.parts.services.documents.settled()  # which reads what it stores
    with reads(world) as read:
        again = await ask()
    assert read == []
    assert said(again) == said(first)
    assert dict(again.headers) | _OWN == dict(first.headers) | _OWN
    fresh = await world.request("GET", "/healthz")
    assert fresh.status_code == 200


_OWN = dict.fromkeys(("x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"), "")


@pytest.mark.parametrize("how", WAYS)
async def test_no_answer_is_late(world: World, uri: str, how: str) -> None:
    ask = Asked(world, uri, how)
    before = await ask()
    late = 0
    for turn in range(20):
        await described(world, f"the text of turn {turn}")
        asked = await asyncio.gather(*(ask() for _ in range(4)))
        if how != "listed":
            late += sum(f"the text of turn {turn}" not in answer.text for answer in asked)
    assert late == 0
    await forget(world, uri)
    assert said(await ask()) != said(before)


@pytest.mark.parametrize("how", WAYS)
async def test_a_right_that_is_taken_away_counts_at_the_next_request(world: World, uri: str, how: str) -> None:
    ask, relation = Asked(world, uri, how), ("ray", "viewer", "project", world.shop)
    token = world.token("ray", project=world.shop)
    relations = world.app.parts.services.relations
    late = 0
    await ask()
    for _ in range(10):
        await world.grant(*relation)
        late += refused(await ask(token))
        late += refused(await ask(token))
        standing = [one for one in await relations.read(ORG, limit=10_000) if one.user == "user:ray"]
        await relations.write(ORG, deletes=standing)
        late += not refused(await ask(token))
    assert late == 0


def refused(answer: httpx.Response) -> bool:
    return answer.status_code != 200 or "errors" in answer.json()


@pytest.mark.parametrize("how", WAYS)
async def test_nobody_else_gets_it(world: World, uri: str, how: str) -> None:
    ask = Asked(world, uri, how)
    first = await ask()
    assert refused(await ask(""))
    assert refused(await ask("nonsense"))
    assert refused(await ask(world.token("nobody", project=world.shop)))
    theirs = await ask(world.token("otto", org=OTHER_ORG, project=world.theirs))
    assert said(theirs) != said(first)
    assert "what was bought" not in theirs.text
    lab = await ask(world.owner, X_Project_ID=world.lab)
    assert "what was bought" not in lab.text
    assert said(await ask()) == said(first)


async def test_it_is_charged_as_ever(uri: str, world: World) -> None:
    both = '{ a: searchMetadata(q: "orders") { total } b: searchMetadata(q: "id") { total } }'
    left = []
    for _ in range(3):
        answer = await world.request("POST", "/graphql", token=world.owner, json={"query": both})
        assert answer.json()["data"] == {"a": {"total": 1}, "b": {"total": 4}}
        left.append(int(answer.headers["x-ratelimit-remaining"]))
    assert left == [left[0], left[0] - 2, left[0] - 4]
    ask = Asked(world, uri, "asset")
    left = [int((await ask()).headers["x-ratelimit-remaining"]) for _ in range(3)]
    assert left == [left[0], left[0] - 1, left[0] - 2]


async def test_a_full_window_refuses_what_is_kept_too(tmp_path: Path) -> None:
    async with running_world(settings_for(tmp_path, rate_limit_reads=3)) as world:
        ask = Asked(world, "none", "search")
        answers = [await ask(world.token("olga", project=world.shop)) for _ in range(5)]
    assert [answer.status_code for answer in answers][-1] == 429
    assert answers[-1].json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"


async def test_who_has_it_is_told_that_it_stands(world: World, uri: str) -> None:
    ask = Asked(world, uri, "asset")
    tag = (await ask()).headers["etag"]
    for _ in range(2):
        answer = await ask(If_None_Match=tag)
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    await described(world, "another")
    assert (await ask(If_None_Match=tag)).status_code == 200


async def test_a_query_by_get_has_a_tag_too(world: World, uri: str) -> None:
    path = f"/graphql?query={quote(LISTED)}"
    tags = []
    for _ in range(2):
        answer = await world.request("GET", path, token=world.owner)
        tags.append(answer.headers["etag"])
    assert tags[0] == tags[1]
    told = await world.request("GET", path, token=world.owner, headers={"If-None-Match": tags[0]})
    assert told.status_code == 304
    await forget(world, uri)
    told = await world.request("GET", path, token=world.owner, headers={"If-None-Match": tags[0]})
    assert told.status_code == 200


MIXED = (
    '{ searchMetadata(q: "orders") { total } viewer { userId } }',
    '{ searchMetadata(q: "orders") { items { scorecard { score } } } }',
    '{ searchMetadata(q: "orders") { total } projects { total } }',
    '{ a: metadata(resourceType: "data_connection", resourceUri: "u", fqn: "main.none") { name } '
    'searchMetadata(q: "orders") { total } }',
)


@pytest.mark.parametrize("query", MIXED)
async def test_what_is_made_of_more_or_failed_is_not_kept(world: World, uri: str, query: str) -> None:
    for _ in range(2):
        await world.request("POST", "/graphql", token=world.owner, json={"query": query})
    assert world.app.parts.services.answers.bytes == 0


async def test_nothing_is_kept_where_there_is_no_room(tmp_path: Path) -> None:
    async with running_world(settings_for(tmp_path, answer_cache_bytes=0)) as world:
        ask = Asked(world, "none", "search")
        for _ in range(2):
            assert (await ask(world.token("olga", project=world.shop))).status_code == 200
        assert world.app.parts.services.answers.bytes == 0


def test_the_room_is_bounded_and_the_least_given_goes_first() -> None:
    cache = AnswerCache(None, 100_000)  # type: ignore[arg-type]
    scope = Scope("acme", "shop")

    def answer(size: int) -> KeptAnswer:
        return KeptAnswer(b"x" * size, (), ())

    cache.keep(Key(scope, ("large",)), "r", answer(20_000))
    assert cache.bytes == 0  # it would push out too many others
    cache.keep(Key(scope, ("silent",)), "", answer(10))
    assert cache.bytes == 0  # nothing would tell that it is old
    for at in range(60):
        cache.keep(Key(scope, (f"asked {at}",)), "r", answer(3000))
        assert cache.at(Key(scope, ("asked 0",)), "r") is not None
        assert cache.bytes <= 100_000
    kept = [at for at in range(60) if cache.calls_of(Key(scope, (f"asked {at}",))) is not None]
    assert kept[0] == 0
    assert kept[1:] == list(range(60 - len(kept) + 1, 60))
    for at in kept:
        assert cache.at(Key(scope, (f"asked {at}",)), "s") is None
    assert cache.bytes == 0
    assert not any(cache.was_asked((f"asked {at}",)) for at in range(60))


async def test_what_was_never_answered_costs_no_look_at_who_asks(
    world: World, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str | None] = []
    verifier = world.app.parts.context_factory.verifier
    verify = verifier.verify

    async def counted(header: str | None) -> Any:
        looked.append(header)
        return await verify(header)

    monkeypatch.setattr(verifier, "verify", counted)
    ask = Asked(world, uri, "asset")
    assert (await ask("nonsense")).status_code == 401
    assert len(looked) == 1
    for _ in range(2):
        assert (await ask()).status_code == 200
    assert len(looked) == 3


async def test_every_change_of_an_asset_makes_its_catalog_s_revision_new(world: World, uri: str) -> None:
    database: Database = world.app.parts.database
    revisions, mine, other = Revisions(database), Scope(ORG, world.shop), Scope(ORG, world.lab)
    seen = [await revisions.look_at_catalog(mine)()]
    assert seen[0]
    assert await revisions.look_at_catalog(other)() == ""

    async def renewed(work: Callable[[sa.Connection], Any]) -> bool:
        await database.write(work)
        seen.append(await revisions.look_at_catalog(mine)())
        return seen[-1] not in seen[:-1]

    def raw(text: str) -> Callable[[sa.Connection], Any]:
        return lambda connection: connection.exec_driver_sql(text).close()

    assert await renewed(raw("update metadata_assets set description = 'x' where name = 'orders'"))
    columns = ", ".join(
        f'"{column.name}"' for column in metadata_assets.columns if column.name not in ("row_number", "id")
    )
    chosen = columns.replace('"fully_qualified_name"', "'main.db.public.copy'", 1)
    copied = (
        f"insert into metadata_assets(id, {columns}) select 'new', {chosen} from metadata_assets where name = 'orders'"
    )
    assert await renewed(raw(copied))
    assert await renewed(raw("update metadata_assets set project_id = 'elsewhere' where id = 'new'"))
    assert await revisions.look_at_catalog(Scope(ORG, "elsewhere"))()
    assert not await renewed(raw("delete from metadata_assets where project_id = 'elsewhere'"))
    assert await renewed(raw("delete from metadata_assets where name = 'id'"))
    last = "delete from metadata_assets" if database.dialect == "sqlite" else "truncate metadata_assets"
    assert await renewed(raw(last))
