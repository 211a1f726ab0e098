"""The browser pages as a plain client sees them: paths, headers, escaping, and the page for missing scripts."""

import json
import re
import shutil
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from graphql import NoDeprecatedCustomRule, OperationDefinitionNode, build_schema, parse, specified_rules, validate
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, request_response

from rest_compat import pages
from rest_compat.app import SERVICES
from rest_compat.explorer import ExplorerAt, examples
from rest_compat.pages import (
    CONSOLE_FILES,
    DEFAULT_QUERY,
    DOCS_FILES,
    EXPLORER_FILES,
    ServiceDocument,
    docs_page,
    explorer_page,
    page_routes,
)
from schema.graph import build_graph
from tests.support.subgraphs import subgraph

pytestmark = pytest.mark.anyio

ASSETS = ServiceDocument("assets", "Assets", "Connections & files.", "/assets/openapi.json")
UTILS = ServiceDocument("utils", "Utils", "The catalog.", "/utils/openapi.json")
# Every file a page can name, whatever folder it is in.
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
LINK = re.compile(r'(?:src|href)="([^"]+)"')


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the pages a copy of their own files without any fetched ones."""
    folder = tmp_path / "static"
    folder.mkdir()
    for file in pages.STATIC_FOLDER.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    shutil.copytree(pages.STATIC_FOLDER / "console", folder / "console")
    monkeypatch.setattr(pages, "STATIC_FOLDER", folder)
    return folder


@pytest.fixture
def fetched(static: Path) -> Path:
    """Add small stand-ins for the fetched files, as `make setup` does with the real ones."""
    (static / "vendor").mkdir()
    for name in (*EXPLORER_FILES, *DOCS_FILES, *CONSOLE_FILES):
        (static / name).write_text(f"/* {name} */" + " " * 2000, "utf-8")
    return static


@pytest.fixture
async def client(static: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with _client(Starlette(routes=_routes(ASSETS, UTILS))) as client:
        yield client


async def _data(request: Request) -> Response:
    return JSONResponse({"data": {"asked": dict(request.query_params)}})


def _routes(*services: ServiceDocument) -> list[BaseRoute]:
    """The pages, and a graph that answers everybody who does not come to see a page."""
    graph = ExplorerAt(request_response(_data), services)
    return [Route("/graphql", graph, methods=["GET", "POST"]), *page_routes(services)]


def _client(app: Starlette) -> httpx.AsyncClient:
    """A browser's first request: it would rather have HTML."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://stoa.test", headers=BROWSER)


async def test_a_browser_is_led_to_the_console_and_a_program_reads_the_list_of_services(
    fetched: Path, client: httpx.AsyncClient
) -> None:
    led = await client.get("/")
    assert (led.status_code, led.headers["location"], led.headers["vary"]) == (307, "/console", "Accept")

    listed = await client.get("/", headers={"Accept": "*/*"})
    assert listed.status_code == 200
    assert "/docs/assets" in LINK.findall(listed.text)

    async with _client(Starlette(routes=page_routes([ASSETS]))) as alone:
        assert (await alone.get("/")).status_code == 200, "the console needs the graph of all services"


async def test_the_list_of_services_links_the_explorer_and_every_service(client: httpx.AsyncClient) -> None:
    answer = await client.get("/docs")
    assert (await client.get("/")).text == answer.text, "without its scripts there is no console to be led to"

    assert answer.status_code == 200
    links = LINK.findall(answer.text)
    assert {"/console", "/graphql", "/docs#services", "/docs/assets", "/docs/utils"} <= set(links)
    assert "Connections &amp; files." in answer.text


@pytest.mark.parametrize("path", ["/console", "/graphql", "/docs", "/docs/assets"])
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


@pytest.mark.parametrize("path", ["/console", "/graphql", "/docs", "/docs/assets"])
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
    own = re.sub(r'data-examples="[^"]*"', "", html)  # variables of GraphQL begin with that sign too
    assert "$" not in own.split("<body")[1], "a placeholder was not filled"


async def test_a_file_named_with_its_version_is_kept_by_browsers_and_any_other_is_asked_again(
    fetched: Path, client: httpx.AsyncClient
) -> None:
    html = (await client.get("/graphql")).text
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
    before = LINK.findall((await client.get("/docs")).text)
    with (fetched / "pages.css").open("a", encoding="utf-8") as file:
        file.write("\n/* changed */\n")
    after = LINK.findall((await client.get("/docs")).text)

    assert [link for link in after if "pages.css" in link] != [link for link in before if "pages.css" in link]


async def test_no_file_outside_the_static_folder_is_served(fetched: Path, client: httpx.AsyncClient) -> None:
    (fetched.parent / "secret.txt").write_text("secret", "utf-8")

    for path in ("/static/../secret.txt", "/static/%2e%2e/secret.txt", "/static/vendor/..%2f..%2fsecret.txt"):
        answer = await client.get(path)
        assert answer.status_code == 404
        assert "secret" not in answer.text


@pytest.mark.parametrize("path", ["/graphql", "/docs/assets"])
async def test_without_the_fetched_scripts_a_page_says_how_to_get_them(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)

    assert answer.status_code == 503
    assert "make setup" in answer.text
    assert (await client.get("/")).status_code == 200


async def test_scripts_fetched_later_are_found_without_a_restart(static: Path, client: httpx.AsyncClient) -> None:
    assert (await client.get("/graphql")).status_code == 503
    (static / "vendor").mkdir()
    for name in EXPLORER_FILES:
        (static / name).write_text("", "utf-8")

    assert (await client.get("/graphql")).status_code == 200


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
    app = Starlette(routes=[Mount("/platform", routes=_routes(ASSETS, UTILS))])
    async with _client(app) as client:
        explorer = (await client.get("/platform/graphql")).text
        docs = (await client.get("/platform/docs/utils")).text

    assert 'data-graphql="/platform/graphql"' in explorer
    assert 'data-openapi="/platform/utils/openapi.json"' in docs
    assert all(link.startswith("/platform/") for link in LINK.findall(explorer + docs))


async def test_the_old_address_of_the_explorer_leads_to_the_graph_with_all_that_it_carries(
    fetched: Path, client: httpx.AsyncClient
) -> None:
    answer = await client.get("/explorer?query=%7B__typename%7D&operationName=A%26B")

    assert (answer.status_code, answer.headers["location"]) == (
        308,
        "/graphql?query=%7B__typename%7D&operationName=A%26B",
    )
    assert (await client.get("/explorer")).headers["location"] == "/graphql"


@pytest.mark.parametrize(
    ("accept", "page"),
    [
        (BROWSER["Accept"], True),
        ("text/html", True),
        ("TEXT/HTML;q=0.9, application/json;q=0.8", True),
        ("application/xhtml+xml", True),
        ("*/*", False),
        ("", False),
        ("application/json", False),
        ("application/graphql-response+json, text/html", False),
        ("text/html;q=0.5, application/json", False),
        ("text/html;q=much", False),
        ("text/html;q=0", False),
        ("text/event-stream, text/html;q=0.9", False),
        ("text/*", False),
    ],
)
async def test_only_a_client_that_would_rather_have_html_gets_the_page(
    fetched: Path, client: httpx.AsyncClient, accept: str, page: bool
) -> None:
    answer = await client.get("/graphql?query={a}", headers={"Accept": accept})

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html") == page
    if page:
        assert answer.headers["vary"] == "Accept"
    else:
        assert answer.json() == {"data": {"asked": {"query": "{a}"}}}


async def test_a_post_and_a_query_named_by_its_hash_are_never_visits(fetched: Path, client: httpx.AsyncClient) -> None:
    assert "data" in (await client.post("/graphql")).json()
    assert "data" in (await client.get("/graphql?extensions={}")).json()
    assert (await client.head("/graphql")).headers["content-type"].startswith("text/html")


def _shown(html: str) -> list[dict[str, Any]]:
    found = re.search(r'data-examples="([^"]*)"', html)
    assert found is not None
    groups: list[dict[str, Any]] = json.loads(unescape(found.group(1)))
    return groups


async def test_the_explorer_offers_the_examples_of_the_services_that_are_served(
    fetched: Path, client: httpx.AsyncClient
) -> None:
    groups = _shown((await client.get("/graphql")).text)
    assert [group["title"] for group in groups] == ["Across services", "Assets", "Utils"]
    assert [one["title"] for one in groups[0]["examples"]] == [
        "From a project to its columns",
        "The tables, with their scores",
    ]
    connect = next(one for one in groups[1]["examples"] if one["title"] == "Connect a database")
    assert connect["note"] == "Credentials go in and never come out: an answer names them only."
    assert json.loads(connect["variables"])["host"] == "db.example.com"

    async with _client(Starlette(routes=_routes(UTILS))) as alone:
        html = (await alone.get("/graphql")).text
    assert [group["title"] for group in _shown(html)] == ["Utils"]
    assert 'data-query="# Search the catalog' in html, "a graph of one service has no projects to begin with"


@pytest.mark.parametrize("service", [service.name for service in SERVICES])
def test_every_service_has_examples_and_each_fits_its_part_of_the_graph(service: str) -> None:
    whole, part = build_graph()._schema, subgraph(service)._schema
    found = [example for example in examples() if example.service == service]

    assert len(found) >= 3
    for example in found:
        document = parse(example.query)
        assert (validate(whole, document), validate(part, document)) == ([], []), example.title
        (operation,) = (one for one in document.definitions if isinstance(one, OperationDefinitionNode))
        assert operation.name is not None, f"the tab of {example.title!r} has no name"
        declared = {
            one.variable.name.value for one in operation.variable_definitions or () if one.default_value is None
        }
        assert declared == set(example.variables or {}), example.title


def test_the_examples_across_services_fit_the_whole_graph() -> None:
    found = [example for example in examples() if example.service == "across"]

    assert found
    for example in found:
        assert validate(build_graph()._schema, parse(example.query)) == []
    assert {example.service for example in examples()} == {"across"} | {service.name for service in SERVICES}


def test_text_that_is_filled_in_is_escaped(fetched: Path) -> None:
    attack = '"><script>alert(1)</script>$root'

    for html in (explorer_page(attack, default_query=attack, examples=attack), docs_page(attack, attack)):
        assert "<script>alert" not in html
        assert "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;$root" in html


def test_the_pages_name_every_file_that_they_need(fetched: Path) -> None:
    explorer, docs = explorer_page("/graphql"), docs_page("/openapi.json", "Assets")

    assert all(name in explorer for name in EXPLORER_FILES)
    assert all(name in docs for name in DOCS_FILES)


def test_the_queries_to_start_from_fit_the_graph_that_is_served() -> None:
    graph = build_schema(build_graph().as_str())

    for query in (DEFAULT_QUERY, *(example.query for example in examples())):
        found = validate(graph, parse(query), [*specified_rules, NoDeprecatedCustomRule])
        assert found == [], "newcomers begin with what stays"
