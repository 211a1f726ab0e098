"""Admission without a statement of its own: what a read tells is right, whoever takes a right away and when."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote

import pytest

from auth.model import platform_model
from auth.relations import Relations, RelationTuple, object_name, user_subject
from persistence.engine import Database
from persistence.queries import standing
from tests.auth.cases.engines import remembering
from tests.conftest import Statements
from tests.test_kept_answers import WAYS, Asked, described, refused
from tests.utils.test_metadata import uri
from tests.world import ORG, World

__all__ = ["uri"]

pytestmark = pytest.mark.anyio


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Every answer is made anew."""
    return {"answer_cache_bytes": 0}


@pytest.fixture
async def beside(world: World, with_openfga: bool) -> AsyncIterator[Relations]:
    """Another process that changes relations."""
    if with_openfga:
        yield world.app.parts.services.relations
        return
    opened = Database(world.app.parts.settings.resolved_database_url)
    yield remembering(platform_model(), opened)
    await opened.close()


def seat(world: World) -> RelationTuple:
    return RelationTuple(user_subject("ray"), "viewer", object_name("project", world.shop))


@pytest.mark.parametrize("how", WAYS)
async def test_what_another_process_takes_away_is_refused_at_the_next_request(
    world: World, uri: str, beside: Relations, how: str
) -> None:
    ask, late = Asked(world, uri, how), 0
    tokens = [world.token("ray", project=project) for project in (world.shop, world.lab)]  # selected, and chosen anew
    for _ in range(8):
        await beside.write(ORG, [seat(world)])
        late += sum([refused(await ask(token)) for token in tokens * 2])
        await beside.write(ORG, [], [seat(world)])
        late += sum([not refused(await ask(token)) for token in tokens])
    assert late == 0


async def test_who_may_no_longer_is_told_that_and_nothing_of_what_was_read(
    world: World, uri: str, beside: Relations
) -> None:
    token = world.token("ray", project=world.lab)
    path = f"/utils/data_connection/{quote(uri, safe='')}/metadata"
    query = '{ metadata(resourceType: "data_connection", resourceUri: "%s", fqn: "%s") { name } }'
    known, wrong = "main.db.public.orders", ("main.db.public.none", ".")

    async def answers(name: str) -> list[tuple[int, str]]:
        rest = await world.request("GET", path, token=token, headers=shop, params={"fqn": name})
        body = {"query": query % (uri, name)}
        graph = await world.request("POST", "/graphql", token=token, headers=shop, json=body)
        return [(one.status_code, one.text) for one in (rest, graph)]

    shop = {"X-Project-ID": world.shop}
    for name in wrong:
        await beside.write(ORG, [seat(world)])
        assert [status for status, _ in await answers(known) + await answers(known)] == [200] * 4
        may = await answers(name)
        assert all("PROJECT_ACCESS_DENIED" not in text for _, text in may)
        assert may[0][0] in (400, 404)
        await answers(known)  # remembered
        await beside.write(ORG, [], [seat(world)])
        for status, text in await answers(name):
            assert status == 403
            assert "PROJECT_ACCESS_DENIED" in text
            assert "none" not in text


async def test_a_change_of_rights_costs_one_reading_more_where_they_may_be_the_callers(
    world: World, uri: str, beside: Relations, with_openfga: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if with_openfga:
        pytest.skip("its server is asked each time")
    ask = Asked(world, uri, "asset")
    told: list[int] = []

    def counted(by: standing.Told | None, rows: Sequence[Sequence[Any]]) -> None:
        told.append(len(rows))
        standing.tell(by, rows)

    monkeypatch.setattr("persistence.queries.catalog.tell", counted)
    for _ in range(2):
        assert not refused(await ask())
    for readings in (1, 2, 1):  # after another's grant, after one of a group, and while nothing changes
        if readings == 2:
            group = RelationTuple("group:writers#member", "viewer", object_name("project", world.shop))
            await beside.write(ORG, [group])
        elif seat(world) not in await beside.read(ORG, object=seat(world).object):
            await beside.write(ORG, [seat(world)])
        told.clear()
        assert not refused(await ask())
        assert told == [1] * readings


@pytest.mark.parametrize("how", ["asset", "search"])
async def test_a_read_costs_a_single_statement_where_all_of_it_is_known(
    world: World, uri: str, how: str, with_openfga: bool, statements: Statements
) -> None:
    if with_openfga:
        pytest.skip("its server is asked each time")
    ask = Asked(world, uri, how)
    for _ in range(3):
        assert not refused(await ask())
        await world.app.parts.services.documents.settled()
    await statements.anew()
    assert not refused(await ask())
    assert len([one for one in statements if one != "BEGIN"]) == 1  # which only a listener has begun


async def test_a_page_of_documents_says_what_the_columns_say_and_is_never_late(world: World, uri: str) -> None:
    ask, documents = Asked(world, uri, "search"), world.app.parts.services.documents
    for turn in range(4):
        await described(world, f"the text of turn {turn}")
        of_columns = await ask()
        await documents.settled()
        of_documents = await ask()
        assert f"the text of turn {turn}" in of_documents.text
        assert (of_documents.content, of_documents.headers["content-type"]) == (
            of_columns.content,
            of_columns.headers["content-type"],
        )
