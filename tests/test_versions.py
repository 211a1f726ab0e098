"""A new version of a path stands beside the old one, which says when it goes."""

from datetime import date
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from resolvers.governance.projects import list_projects
from rest_compat.bodies import BodyBounds
from rest_compat.door import Door
from rest_compat.envelopes import OffsetResults, PageLimitList
from rest_compat.middleware import RequestMiddleware
from rest_compat.openapi.document import document_of
from rest_compat.route import Deprecation
from tests.world import World

pytestmark = pytest.mark.anyio

GOING = Deprecation(since=date(2026, 1, 1), sunset=date(2026, 7, 31), successor="/things/v2/projects")


def both() -> Door:
    """A service whose list has changed its shape."""
    door = Door("/things", tag="Things", also=("/api/things",))
    door.get("/projects", list_projects, envelope=PageLimitList, deprecated=GOING)
    door.get("/projects", list_projects, envelope=OffsetResults, version=2)
    return door


def served(world: World) -> httpx.AsyncClient:
    """That service on the world's own parts."""
    app = Starlette(routes=both().routes)
    app.state.context_factory = world.app.parts.context_factory

    async def none(_scope: Any) -> None:
        return None

    front = RequestMiddleware(
        app, ready=lambda: True, peek=none, bodies=BodyBounds(10_000, 30, 500), max_upload_bytes=10_000
    )
    return httpx.AsyncClient(transport=httpx.ASGITransport(front), base_url="http://stoa.test")


async def test_both_versions_are_served_and_only_the_old_one_says_goodbye(world: World) -> None:
    headers = {"Authorization": f"Bearer {world.owner}"}
    async with served(world) as client:
        for prefix in ("/things", "/api/things"):
            old = await client.get(f"{prefix}/projects", headers=headers)
            new = await client.get(f"{prefix}/v2/projects", headers=headers)
            assert (old.status_code, new.status_code) == (200, 200)
            assert [p["name"] for p in old.json()["data"]] == [p["name"] for p in new.json()["results"]]
            assert old.headers["Deprecation"] == "@1767225600"
            assert old.headers["Sunset"] == "Fri, 31 Jul 2026 00:00:00 GMT"
            assert old.headers["Link"] == '</things/v2/projects>; rel="successor-version"'
            assert not {"deprecation", "sunset", "link"} & set(new.headers)


async def test_a_refusal_of_a_deprecated_path_says_it_too(world: World) -> None:
    async with served(world) as client:
        refused = await client.get("/things/projects")
        assert refused.status_code == 401
        assert "Sunset" in refused.headers


def test_the_document_marks_what_is_deprecated() -> None:
    paths = document_of(both(), title="Things", version="1", description="Things.")["paths"]
    assert paths["/things/projects"]["get"]["deprecated"] is True
    assert "deprecated" not in paths["/things/v2/projects"]["get"]


def test_a_path_cannot_go_within_six_months() -> None:
    with pytest.raises(ValueError, match="six months"):
        Deprecation(since=date(2026, 1, 1), sunset=date(2026, 6, 30), successor="/x")
