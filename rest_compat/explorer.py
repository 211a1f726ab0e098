"""The GraphQL explorer at `/graphql`: GraphiQL, with example requests for each service.

A browser that navigates to the endpoint of the graph asks for `text/html` before anything else and gets the page;
every other client gets what GraphQL over HTTP says. A link may carry `query`, `variables` and `operationName`: the page
opens filled in, and runs nothing by itself. The examples are the files of `static/examples/`: one request each, whose
first line is its title and whose further comment says what to know, with its variables beside it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_compat.pages import DEFAULT_QUERY, ServiceDocument, explorer_answer
from rest_compat.visits import is_visit

_EXAMPLES_FOLDER = Path(__file__).parent / "static" / "examples"
_ACROSS = "across"
"""The folder of examples that need the graph of more than one service."""


@dataclass(frozen=True)
class ExplorerExample:
    """One request to start from.

    Attributes:
        service: The name of its service, or `across`.
        title: What it shows, as a person reads it.
        note: One or two sentences more; may be empty.
        query: The GraphQL document.
        variables: Its variables; those that only the reader knows hold a word on what belongs there.
    """

    service: str
    title: str
    note: str
    query: str
    variables: dict[str, Any] | None


@cache
def examples() -> tuple[ExplorerExample, ...]:
    """Every example, service by service in the order of their file names."""
    return tuple(map(_read, sorted(_EXAMPLES_FOLDER.glob("*/*.graphql"))))


def examples_for(services: Sequence[ServiceDocument]) -> list[tuple[str, list[ExplorerExample]]]:
    """The examples that work on a server with these services, below the title of each service."""
    titles = [(service.name, service.title) for service in services]
    if len(services) > 1:
        titles.insert(0, (_ACROSS, "Across services"))
    groups = [(title, [example for example in examples() if example.service == name]) for name, title in titles]
    return [(title, found) for title, found in groups if found]


class ExplorerAt:
    """The endpoint of the graph, which shows the explorer to a browser that comes by its address bar or a link."""

    def __init__(self, endpoint: ASGIApp, services: Sequence[ServiceDocument]) -> None:
        groups = examples_for(services)
        self._endpoint = endpoint
        self._examples = json.dumps(
            [
                {
                    "title": title,
                    "examples": [
                        {
                            "title": one.title,
                            "note": one.note,
                            "query": one.query,
                            "variables": "" if one.variables is None else json.dumps(one.variables, indent=2),
                        }
                        for one in found
                    ],
                }
                for title, found in groups
            ]
        )
        # The first query reads projects and the catalog, so a server of one service begins with an example of its own.
        self._default = groups[0][1][0].query if len(services) == 1 and groups else DEFAULT_QUERY

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or socket."""
        app = self._endpoint
        if scope["type"] == "http" and is_visit(request := Request(scope)):
            app = explorer_answer(request, default_query=self._default, examples=self._examples)
        await app(scope, receive, send)


def _read(file: Path) -> ExplorerExample:
    query = file.read_text("utf-8")
    comment = []
    for line in query.splitlines():
        if not line.startswith("#"):
            break
        comment.append(line.removeprefix("#").strip())
    beside = file.with_suffix(".json")
    return ExplorerExample(
        service=file.parent.name,
        title=comment[0],
        note=" ".join(comment[1:]),
        query=query,
        variables=json.loads(beside.read_text("utf-8")) if beside.exists() else None,
    )
