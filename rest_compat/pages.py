"""The pages a person opens in a browser: console (which is the front page), services, GraphQL explorer, documentation.

The pages are plain files of `rest_compat/static/`. What differs between deployments (paths, titles, the first query) is
filled into their `$placeholders` as escaped text, so no page holds a line of script of its own and the content security
policy can forbid all script that is not a file of this server. Third-party code is served from
`rest_compat/static/vendor/`, which `make setup` fills; without it the pages say how to get it. No page asks any other
host for anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from rest_compat.sign_in import SignIn
from rest_compat.visits import is_visit

STATIC_FOLDER = Path(__file__).parent / "static"
GRAPHQL_PATH = "/graphql"

EXPLORER_FILES = (
    "vendor/react.js",
    "vendor/react-dom.js",
    "vendor/graphiql.js",
    "vendor/graphiql.css",
    "vendor/plugin-explorer.js",
    "vendor/plugin-explorer.css",
    "vendor/graphql-sse.js",
)
DOCS_FILES = ("vendor/swagger-ui.js", "vendor/swagger-ui.css")
CONSOLE_LINKS = ("console/console.css", "console/app.js")
"""What the page of the console names; the modules are named by one another."""
CONSOLE_FILES = ("vendor/preact.js", "vendor/preact-hooks.js", "vendor/htm.js", "vendor/graphql-sse.js")


def _policy(styles: str, *asked: str) -> str:
    """A content security policy: nothing but files of this server can run or be shown, and nobody else but `asked`."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            f"style-src {styles}",
            "img-src 'self' data:",
            "font-src 'self' data:",
            " ".join(("connect-src 'self'", *asked)),
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


# Widgets of the explorer add style elements, hence the one relaxation for styles. Style cannot run code, and nothing
# but this server can be asked for images or data.
CONTENT_SECURITY_POLICY = _policy("'self' 'unsafe-inline'")

PAGE_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

CONSOLE_HEADERS = PAGE_HEADERS | {"Content-Security-Policy": _policy("'self'")}
"""Of the console, which is all our own and needs no relaxation."""

DEFAULT_QUERY = """\
# Stoa's graph. Ctrl-Enter runs,
# Ctrl-Space completes. The icons
# on the left: types and fields,
# history, examples, a builder.

# The play button asks which one
# of these two to run.

query Projects {
  projectsConnection {
    totalCount
    nodes {
      id
      name
      dataConnections {
        name
        connectionType
        status
      }
    }
  }
}

# The catalog of one project: the
# token's or the one named above.
query Catalog {
  searchMetadataConnection(assetType: TABLE, first: 10) {
    totalCount
    nodes {
      fullyQualifiedName
      columnCount
      description
    }
  }
}
"""


@dataclass(frozen=True)
class ServiceDocument:
    """One service that has an OpenAPI document.

    Attributes:
        name: The last part of its page's path, such as `assets`.
        title: What a person reads, such as `Assets`.
        summary: One sentence on what the service answers for.
        openapi_path: The path of its OpenAPI document on this server.
    """

    name: str
    title: str
    summary: str
    openapi_path: str


def index_page(services: Sequence[ServiceDocument], *, root: str = "") -> str:
    """Return the list of services: what Stoa is, and links to the console, the explorer and each documentation.

    Args:
        services: The services to list, in this order.
        root: The path under which the application is mounted, without a slash at its end.
    """
    cards = "\n".join(
        f'        <li><a href="{escape(root)}/docs/{escape(service.name)}"><strong>{escape(service.title)}</strong> '
        f"<span>{escape(service.summary)}</span></a></li>"
        for service in services
    )
    return _fill("index.html", root=root, title="Stoa", raw={"services": cards})


def explorer_page(
    graphql_path: str, *, default_query: str = DEFAULT_QUERY, examples: str = "[]", root: str = ""
) -> str:
    """Return the GraphQL explorer.

    Args:
        graphql_path: The path of the GraphQL endpoint on this server.
        default_query: What the editor shows to somebody who opens it for the first time.
        examples: The requests to start from, as JSON: titles of groups, each with its examples.
        root: The path under which the application is mounted, without a slash at its end.
    """
    if missing := missing_files(EXPLORER_FILES):
        return _missing_page("GraphQL explorer", missing, root)
    return _fill(
        "explorer.html",
        root=root,
        title="GraphQL explorer | Stoa",
        text={"graphql_path": graphql_path, "default_query": default_query, "examples": examples},
    )


def explorer_answer(request: Request, *, default_query: str = DEFAULT_QUERY, examples: str = "[]") -> Response:
    """Return the answer to a browser that comes to see the explorer."""
    root = root_of(request)
    html = explorer_page(root + GRAPHQL_PATH, default_query=default_query, examples=examples, root=root)
    answer = _page(html, 503 if missing_files(EXPLORER_FILES) else 200)
    answer.headers["Vary"] = "Accept"  # another client gets data at the same address
    return answer


def docs_page(openapi_path: str, title: str, *, root: str = "") -> str:
    """Return the interactive documentation of one OpenAPI document.

    Args:
        openapi_path: The path of the document on this server.
        title: The service's name as a person reads it.
        root: The path under which the application is mounted, without a slash at its end.
    """
    if missing := missing_files(DOCS_FILES):
        return _missing_page("API documentation", missing, root)
    return _fill("docs.html", root=root, title=f"{title} API | Stoa", text={"openapi_path": openapi_path})


def console_page(graphql_path: str, *, root: str = "", sign_in: SignIn | None = None) -> str:
    """Return the console, a client of the graph and of nothing else.

    Args:
        graphql_path: The path of the GraphQL endpoint on this server.
        root: The path under which the application is mounted, without a slash at its end.
        sign_in: The provider at which people sign in; None where they bring a token.
    """
    if missing := missing_files(CONSOLE_FILES):
        return _missing_page("Console", missing, root)
    # Modules import each other without a version, so they are named without one here too, or each would come twice.
    own = sorted((STATIC_FOLDER / "console").glob("*.js"))
    modules = [f"console/{path.name}" for path in own if path.name != "app.js"]
    modules += [name for name in CONSOLE_FILES if name != "vendor/graphql-sse.js"]
    preloads = "\n    ".join(f'<link rel="modulepreload" href="{escape(root)}/static/{name}">' for name in modules)
    return _fill(
        "console.html",
        root=root,
        title="Console | Stoa",
        text={"graphql_path": graphql_path, "sign_in": sign_in.as_json() if sign_in else ""},
        raw={"preloads": preloads},
    )


def unbuilt_guide(request: Request) -> Response:
    """Return what a browser is told that comes for a guide which nobody has built."""
    return _page(_fill("unbuilt.html", root=root_of(request), title="Guide | Stoa"), 404)


def missing_files(names: Sequence[str]) -> list[str]:
    """Return those of the named static files that have not been fetched."""
    return [name for name in names if not (STATIC_FOLDER / name).is_file()]


def page_routes(services: Sequence[ServiceDocument], sign_in: SignIn | None = None) -> list[BaseRoute]:
    """Return the routes of the pages and of `/static/...`, none of which needs a token.

    The explorer itself stands at the endpoint of the graph (`rest_compat.explorer`), and `/explorer` leads there.

    A browser that comes to `/` is led to the console, where there is one: it needs the graph of all services.

    `/docs` is the documentation itself when there is one service, else the list of them. A service
    that is not listed answers 404 with that same page.
    """
    by_name = {service.name: service for service in services}

    headers = CONSOLE_HEADERS
    if sign_in is not None:
        headers = PAGE_HEADERS | {"Content-Security-Policy": _policy("'self'", *sign_in.origins)}

    async def index(request: Request) -> Response:
        if len(services) > 1 and is_visit(request) and not missing_files(CONSOLE_FILES):
            return RedirectResponse(f"{root_of(request)}/console", 307, PAGE_HEADERS | {"Vary": "Accept"})
        return _page(index_page(services, root=root_of(request)))

    async def console(request: Request) -> Response:
        root = root_of(request)
        html = console_page(root + GRAPHQL_PATH, root=root, sign_in=sign_in)
        return _page(html, 503 if missing_files(CONSOLE_FILES) else 200, headers)

    async def explorer(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"{root_of(request)}{GRAPHQL_PATH}{query}", 308, PAGE_HEADERS)

    async def docs(request: Request) -> Response:
        root = root_of(request)
        name = request.path_params.get("service")
        service = by_name.get(name) if name else (services[0] if len(services) == 1 else None)
        if service is None:
            return _page(index_page(services, root=root), 404 if name else 200)
        html = docs_page(root + service.openapi_path, service.title, root=root)
        return _page(html, 503 if missing_files(DOCS_FILES) else 200)

    return [
        Route("/", index, name="index"),
        Route("/console", console, name="console"),
        Route("/explorer", explorer, name="explorer"),
        Route("/docs", docs, name="docs"),
        Route("/docs/{service}", docs, name="service-docs"),
        static_app(),
    ]


def static_app() -> Mount:
    """Return the mount of the static files, compressed and with headers that let a browser keep them."""
    return Mount("/static", GZipMiddleware(KeptFiles(directory=STATIC_FOLDER), compresslevel=5), name="static")


class KeptFiles(StaticFiles):
    """Static files; an answer whose address names its version may be kept for a year, any other is asked again."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        versioned = scope["query_string"].startswith(b"v=") and response.status_code in (200, 304)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if versioned else "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        # A page among these files has its placeholders unfilled; only `page_routes` shows it as it should be.
        response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return response


def root_of(request: Request) -> str:
    """Return the path under which the application is mounted, without a slash at its end."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def _page(html: str, status: int = 200, headers: Mapping[str, str] = PAGE_HEADERS) -> Response:
    return HTMLResponse(html, status, headers)


def _missing_page(what: str, missing: Sequence[str], root: str) -> str:
    return _fill(
        "missing.html",
        root=root,
        title=f"{what} | Stoa",
        text={"what": what, "files": ", ".join(name.removeprefix("vendor/") for name in missing)},
    )


def _fill(
    file: str, *, root: str, title: str, text: dict[str, str] | None = None, raw: dict[str, str] | None = None
) -> str:
    """Fill one page: `text` is escaped, `raw` is markup that was made here; `static` files get their version."""
    bar = Template((STATIC_FOLDER / "bar.html").read_text("utf-8")).substitute(root=escape(root))
    values = {
        "root": escape(root),
        "title": escape(title),
        "bar": bar,
        **{key: escape(value) for key, value in (text or {}).items()},
        **(raw or {}),
        **{_placeholder(name): f"{escape(root)}/static/{name}?v={_version(name)}" for name in _linked_files()},
    }
    return Template((STATIC_FOLDER / file).read_text("utf-8")).substitute(values)


def _linked_files() -> list[str]:
    own = sorted(path.name for path in STATIC_FOLDER.iterdir() if path.suffix in {".css", ".js", ".svg"})
    fetched = (*EXPLORER_FILES, *DOCS_FILES)
    return [*own, *CONSOLE_LINKS, *(name for name in fetched if (STATIC_FOLDER / name).is_file())]


def _placeholder(name: str) -> str:
    """Return the placeholder of a static file: `vendor/swagger-ui.css` is `$vendor_swagger_ui_css`."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def _version(name: str) -> str:
    """Return a short text that changes whenever the file does."""
    state = (STATIC_FOLDER / name).stat()
    return f"{state.st_mtime_ns:x}-{state.st_size:x}"
