"""The browser pages in a real browser: they work, they stay on this server, and they can be read in light and dark."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import strawberry
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, request_response
from strawberry.asgi import GraphQL

from rest_compat.explorer import ExplorerAt
from rest_compat.pages import DOCS_FILES, EXPLORER_FILES, ServiceDocument, missing_files, page_routes
from tests.support.browser import Browser, Page, running_browser, wait_until
from tests.support.needs import missing

# One browser and one server for all of them: they run in one worker.
pytestmark = pytest.mark.xdist_group("browser")

OPENAPI: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Assets", "version": "1.0", "description": "What a team [connects](/assets)."},
    "servers": [{"url": "/", "description": "The host that this document comes from."}],
    "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/assets/echo": {
            method: {
                "summary": "Say who is asking",
                "tags": ["Connections"],
                "security": [{"bearer": []}],
                "responses": {
                    "200": {
                        "description": "The headers that arrived.",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                        "links": {"again": {"operationId": "echo", "description": "Ask once more."}},
                    }
                },
            }
            for method in ("get", "post", "put", "patch", "delete")
        }
    },
}


@strawberry.type
class Pack:
    """A named bundle."""

    name: str


def some_packs(first: int = 2) -> list[Pack]:
    """Return numbered packs."""
    return [Pack(name=f"pack number {number}") for number in range(first)]


@strawberry.type
class Query:
    """Where reading starts."""

    packs: list[Pack] = strawberry.field(resolver=some_packs, description="The packs of the project.")


class Site:
    """A small server with the pages, a graph and one REST path; it keeps the headers that the graph was asked with."""

    def __init__(self) -> None:
        graph = GraphQL(strawberry.Schema(Query), graphql_ide=None)
        self.asked: list[dict[str, str]] = []

        async def graphql(request: Request) -> Response:
            self.asked.append(dict(request.headers))
            return await graph.run(request)

        async def openapi(request: Request) -> Response:
            return JSONResponse(OPENAPI)

        async def echo(request: Request) -> Response:
            return JSONResponse({name: request.headers.get(name) for name in ("authorization", "x-project-id")})

        services = [
            ServiceDocument("assets", "Assets", "Connections and files.", "/assets/openapi.json"),
            ServiceDocument("utils", "Utils", "The catalog.", "/utils/openapi.json"),
        ]
        routes = [
            Route("/graphql", ExplorerAt(request_response(graphql), services), methods=["GET", "POST"]),
            Route("/assets/openapi.json", openapi),
            Route("/assets/echo", echo),
            *page_routes(services),
        ]
        config = uvicorn.Config(Starlette(routes=routes), port=0, log_level="warning", ws="none", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> "Site":
        self._thread.start()
        wait_until(lambda: self._server.started, "the test's server starts")
        self.address = f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if missing_files((*EXPLORER_FILES, *DOCS_FILES)):
        missing("The third-party code of the pages", "run `make setup`, which fetches it.")
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """A fresh tab; after the test, it must have been free of errors and must have asked nobody but the site."""
    page = browser.new_page()
    site.asked.clear()
    yield page
    page.evaluate("1")
    assert page.console == []
    assert page.failures == []
    strangers = [request for request in page.requests if not request.startswith((site.address, "data:", "blob:"))]
    assert strangers == []


def token_of(**claims: Any) -> str:
    """Return the shape of a token; nobody checks its signature here."""
    parts = ({"alg": "RS256"}, claims)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + ".sig"


def write_query(page: Page, name: str, selection: str) -> None:
    """Put a query into the editor as a person does: click into it, select everything, type over it.

    The editor takes a moment to understand what was typed; nobody is fast enough to notice, so this waits for it.
    """
    page.click(".graphiql-query-editor .CodeMirror-lines")
    page.press("a", code=65, control=True)
    page.type(f"query {name} {selection}")
    page.wait_for(f"localStorage.getItem('graphiql:operationName') === {json.dumps(name)}")


def test_the_explorer_knows_the_graph_and_shows_a_query_to_start_from(page: Page, site: Site) -> None:
    page.open(f"{site.address}/graphql")

    page.wait_for_element(".graphiql-query-editor .CodeMirror-code .cm-keyword")
    assert "# Stoa's graph" in page.text(".graphiql-query-editor .CodeMirror-code")
    page.click("button[aria-label='Show Documentation Explorer']")
    page.wait_for("document.querySelector('.graphiql-doc-explorer')?.innerText.includes('Query')")


def test_a_query_that_somebody_types_is_run_and_answered(page: Page, site: Site) -> None:
    page.open(f"{site.address}/graphql")
    write_query(page, "Three", "{ packs(first: 3) { name } }")
    page.click("button.graphiql-execute-button")

    page.wait_for("document.querySelector('.result-window')?.innerText.includes('pack number 2')")


def test_the_explorer_opens_its_settings_and_the_bar_follows_the_theme_that_is_chosen(page: Page, site: Site) -> None:
    page.prefer("light")
    page.open(f"{site.address}/graphql")
    page.click("button[aria-label='Open settings dialog']")
    page.wait_for_element(".graphiql-dialog")
    bar = "getComputedStyle(document.querySelector('.bar')).backgroundColor"
    assert page.evaluate(bar) == "rgb(255, 255, 255)"

    page.evaluate("[...document.querySelectorAll('.graphiql-dialog button')].find(b => b.innerText === 'Dark').click()")

    page.wait_for(f"{bar} === 'rgb(28, 35, 40)'")


def test_the_query_builder_lists_the_fields_of_the_graph(page: Page, site: Site) -> None:
    page.open(f"{site.address}/graphql")
    page.click("button[aria-label='Show GraphiQL Explorer']")

    page.wait_for("document.querySelector('.graphiql-explorer-root')?.innerText.includes('packs')")


def test_a_link_with_a_token_signs_in_and_leaves_no_trace_in_the_address(page: Page, site: Site) -> None:
    token = token_of(sub="alice", organization_id="acme", exp=int(time.time()) + 3600)
    page.open(f"{site.address}/graphql#token={token}&project=proj%3Ared")
    page.wait_for_element(".graphiql-container")
    wait_until(lambda: site.asked and page.evaluate("1"), "the explorer asks the graph")

    assert page.evaluate("location.href") == f"{site.address}/graphql"
    assert site.asked[-1]["authorization"] == f"Bearer {token}"
    assert site.asked[-1]["x-project-id"] == "proj:red"
    assert page.text("#who").startswith("alice at acme, until ")
    assert page.evaluate("JSON.stringify(localStorage)").find(token) == -1
    assert page.evaluate("document.cookie") == ""


def test_a_token_pasted_into_the_field_is_sent_from_then_on_and_kept_in_this_tab_alone(page: Page, site: Site) -> None:
    token = token_of(sub="bob", exp=int(time.time()) + 3600)
    page.open(f"{site.address}/graphql")
    wait_until(lambda: site.asked and page.evaluate("1"), "the explorer asks the graph")
    assert "authorization" not in site.asked[-1]
    assert page.text("#who") == "not signed in"

    page.click("#token")
    page.type(f"Authorization: Bearer {token}")
    page.press("Enter", code=13)
    page.evaluate("document.activeElement.blur()")
    wait_until(
        lambda: page.evaluate("1") and site.asked[-1].get("authorization") == f"Bearer {token}", "the token is sent"
    )

    assert page.text("#who").startswith("bob, until ")
    page.open(f"{site.address}/docs")
    assert page.text("#who").startswith("bob, until ")
    other = page.browser.new_page()
    other.open(f"{site.address}/docs")
    assert other.text("#who") == "not signed in"


@pytest.mark.parametrize(
    ("token", "words"),
    [
        (token_of(sub="carol", exp=1_000_000_000), "the token of carol has expired"),
        ("nonsense", "this is not a token"),
    ],
)
def test_a_token_that_cannot_work_is_named_before_it_is_tried(page: Page, site: Site, token: str, words: str) -> None:
    page.open(f"{site.address}/docs#token={token}")

    assert page.text("#who") == words


def test_the_documentation_tries_a_path_as_the_person_who_signed_in(page: Page, site: Site) -> None:
    token = token_of(sub="alice")
    page.open(f"{site.address}/docs/assets#token={token}&project=red")
    page.click(".opblock-summary-control")
    page.click(".try-out__btn")
    page.click(".execute")

    page.wait_for(f"document.querySelector('.live-responses-table')?.innerText.includes('Bearer {token}')")
    assert '"x-project-id": "red"' in page.text(".live-responses-table")


def test_on_a_phone_the_documentation_is_as_wide_as_the_window(page: Page, site: Site) -> None:
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    page.browser.call("Emulation.setDeviceMetricsOverride", metrics, page.session)
    page.open(f"{site.address}/docs/assets")
    page.click(".opblock-summary-control")
    page.wait_for_element(".responses-table")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("document.querySelector('.operation-filter-input').offsetWidth") > 340


def test_the_documentation_has_one_place_to_sign_in_which_is_the_bar(page: Page, site: Site) -> None:
    page.open(f"{site.address}/docs/assets")
    page.wait_for_element(".opblock-summary-control")
    shown = "[...document.querySelectorAll('.authorize, .authorization__btn, .servers')].filter((e) => e.offsetParent)"
    assert page.evaluate(f"{shown}.length") == 0


# The lowest contrast of texts against what lies behind them, as the accessibility guidelines define it (WCAG 1.4.3).
LOWEST_CONTRAST = """
((selectors) => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const channel = (value) => ((value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const over = (top, under) => top.slice(0, 3).map((v, i) => v * (top[3] ?? 1) + under[i] * (1 - (top[3] ?? 1)));
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parts(getComputedStyle(at).backgroundColor));
    const paper = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
    return layers.reduceRight((under, top) => over(top, under), paper);
  };
  return selectors.map((selector) => {
    const element = document.querySelector(selector);
    if (!element) return [selector, 0];
    const ground = behind(element);
    const pair = [light(over(parts(getComputedStyle(element).color), ground)), light(ground)].sort((a, b) => b - a);
    return [selector, (pair[0] + 0.05) / (pair[1] + 0.05)];
  }).sort((a, b) => a[1] - b[1])[0];
})
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("path", "ready", "selectors"),
    [
        ("/docs", "h1", ["h1", "h2", ".lead", ".cards strong", ".cards span", "pre code", ".brand", "nav a", "#who"]),
        (
            "/graphql",
            ".cm-keyword",
            [".brand", "nav a", "#who", ".bar label", "#token", ".cm-keyword", ".cm-comment", ".cm-property"]
            + [f".examples {name}" for name in ("h1", "h2", "strong", "span")],
        ),
        (
            "/docs/assets",
            ".opblock",
            [".brand", "#who", ".title", ".version", ".opblock-summary-path a", ".renderedMarkdown p", ".info a"]
            + [f".opblock-{m} .opblock-summary-method" for m in ("get", "post", "put", "patch", "delete")],
        ),
    ],
)
def test_every_page_can_be_read_in_light_and_in_dark(
    page: Page, site: Site, scheme: str, path: str, ready: str, selectors: list[str]
) -> None:
    page.prefer(scheme)
    page.open(site.address + path)
    page.wait_for_element(ready)

    selector, contrast = page.evaluate(f"{LOWEST_CONTRAST}({json.dumps(selectors)})")
    assert contrast >= 4.5, f"{selector} has a contrast of {contrast:.2f}"
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (sum(ground) < 300) == (scheme == "dark")
