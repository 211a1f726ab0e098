"""The browser pages as a plain client sees them: paths, headers, escaping, and the page for missing scripts."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from graphql import build_schema, parse, validate
from starlette.applications import Starlette
from starlette.routing import Mount

from rest_compat import pages
from rest_compat.pages import (
    DEFAULT_QUERY,
    DOCS_FILES,
    EXPLORER_FILES,
    ServiceDocument,
    docs_page,
    explorer_page,
    page_routes,
)
from schema.graph import build_graph

pytestmark = pytest.mark.anyio

ASSETS = ServiceDocument("assets", "Assets", "Connections & files.", "/assets/openapi.json")
UTILS = ServiceDocument("utils", "Utils", "The catalog.", "/utils/openapi.json")
# Every file a page can name, whatever folder it is in.
LINK = re.compile(r'(?:src|href)="([^"]+)"')


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the pages a copy of their own files without any fetched ones."""
    folder = tmp_path / "static"
    folder.mkdir()
    for file in pages.STATIC_FOLDER.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(pages, "STATIC_FOLDER", folder)
    return folder


@pytest.fixture
def fetched(static: Path) -> Path:
    """Add small stand-ins for the fetched files, as `make setup` does with the real ones."""
    (static / "vendor").mkdir()
    for name in (*EXPLORER_FILES, *DOCS_FILES):
        (static / name).write_text(f"/* {name} */" + " " * 2000, "utf-8")
    return static


@pytest.fixture
async def client(static: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with _client(Starlette(routes=page_routes([ASSETS, UTILS]))) as client:
        yield client


def _client(app: Starlette) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://stoa.test")


async def test_the_front_page_links_the_explorer_and_every_service(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")

    assert answer.status_code == 200
    links = LINK.findall(answer.text)
    assert {"/explorer", "/docs#services", "/docs/assets", "/docs/utils"} <= set(links)
    assert "Connections &amp; files." in answer.text


@pytest.mark.parametrize("path", ["/", "/explorer", "/docs", "/docs/assets"])
async def test_every_page_forbids_foreign_and_inline_scripts(
    fetched: Path, client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(path)

    assert answer.status_code == 200
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|javascript:", answer.text)


@pytest.mark.parametrize("path", ["/", "/explorer", "/docs", "/docs/assets"])
async def test_every_link_of_a_page_is_on_this_server_and_every_file_is_there(
    fetched: Path, client: httpx.AsyncClient, path: str
) -> None:
    html = (await client.get(path)).text

    links = LINK.findall(html)
    assert links
    for link in links:
        assert link.startswith("/")
        assert not link.startswith("//")
        if link.startswith("/static/"):
            assert (await client.get(link)).status_code == 200
    assert "$" not in html.split("<body>")[1], "a placeholder was not filled"


async def test_a_file_named_with_its_version_is_kept_by_browsers_and_any_other_is_asked_again(
    fetched: Path, client: httpx.AsyncClient
) -> None:
    html = (await client.get("/explorer")).text
    versioned = next(link for link in LINK.findall(html) if "graphiql.js" in link)

    kept = await client.get(versioned)
    asked = await client.get("/static/vendor/graphiql.js")
    again = await client.get("/static/vendor/graphiql.js", headers={"If-None-Match": asked.headers["etag"]})
    absent = await client.get("/static/vendor/absent.js?v=1")

    assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert kept.headers["content-encoding"] == "gzip"
    assert kept.headers["content-type"].startswith("text/javascript")
    assert asked.headers["cache-control"] == "no-cache"
    assert again.status_code == 304
    assert absent.status_code == 404


async def test_a_changed_file_gets_another_address(fetched: Path, client: httpx.AsyncClient) -> None:
    before = LINK.findall((await client.get("/")).text)
    with (fetched / "pages.css").open("a", encoding="utf-8") as file:
        file.write("\n/* changed */\n")
    after = LINK.findall((await client.get("/")).text)

    assert [link for link in after if "pages.css" in link] != [link for link in before if "pages.css" in link]


async def test_no_file_outside_the_static_folder_is_served(fetched: Path, client: httpx.AsyncClient) -> None:
    (fetched.parent / "secret.txt").write_text("secret", "utf-8")

    for path in ("/static/../secret.txt", "/static/%2e%2e/secret.txt", "/static/vendor/..%2f..%2fsecret.txt"):
        answer = await client.get(path)
        assert answer.status_code == 404
        assert "secret" not in answer.text


@pytest.mark.parametrize("path", ["/explorer", "/docs/assets"])
async def test_without_the_fetched_scripts_a_page_says_how_to_get_them(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)

    assert answer.status_code == 503
    assert "make setup" in answer.text
    assert (await client.get("/")).status_code == 200


async def test_scripts_fetched_later_are_found_without_a_restart(static: Path, client: httpx.AsyncClient) -> None:
    assert (await client.get("/explorer")).status_code == 503
    (static / "vendor").mkdir()
    for name in EXPLORER_FILES:
        (static / name).write_text("", "utf-8")

    assert (await client.get("/explorer")).status_code == 200


async def test_one_service_alone_has_its_documentation_at_docs(fetched: Path) -> None:
    async with _client(Starlette(routes=page_routes([ASSETS]))) as client:
        answer = await client.get("/docs")

    assert 'data-openapi="/assets/openapi.json"' in answer.text


async def test_several_services_are_listed_at_docs_and_an_unknown_one_is_not_found(
    fetched: Path, client: httpx.AsyncClient
) -> None:
    assert "/docs/utils" in (await client.get("/docs")).text
    unknown = await client.get("/docs/nothing")
    assert unknown.status_code == 404
    assert "/docs/utils" in unknown.text


async def test_the_pages_work_below_a_prefix(fetched: Path) -> None:
    app = Starlette(routes=[Mount("/platform", routes=page_routes([ASSETS, UTILS], graphql_path="/graphql"))])
    async with _client(app) as client:
        explorer = (await client.get("/platform/explorer")).text
        docs = (await client.get("/platform/docs/utils")).text

    assert 'data-graphql="/platform/graphql"' in explorer
    assert 'data-openapi="/platform/utils/openapi.json"' in docs
    assert all(link.startswith("/platform/") for link in LINK.findall(explorer + docs))


def test_text_that_is_filled_in_is_escaped(fetched: Path) -> None:
    attack = '"><script>alert(1)</script>$root'

    for html in (explorer_page(attack, default_query=attack), docs_page(attack, attack)):
        assert "<script>alert" not in html
        assert "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;$root" in html


def test_the_pages_name_every_file_that_they_need(fetched: Path) -> None:
    explorer, docs = explorer_page("/graphql"), docs_page("/openapi.json", "Assets")

    assert all(name in explorer for name in EXPLORER_FILES)
    assert all(name in docs for name in DOCS_FILES)


def test_the_query_to_start_from_fits_the_graph_that_is_served() -> None:
    graph = build_schema(build_graph().as_str())

    assert validate(graph, parse(DEFAULT_QUERY)) == []
