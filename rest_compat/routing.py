"""A table of routes in place of a scan: a request is tried on the few routes whose fixed beginning it shares.

There are several hundred routes and a request fits one or two. The order of the routes, the path parameters, the 405
that names what a path takes, and the 404 are Starlette's own: each entry of the table is a router of its own with
those of all routes, in their order, that can fit a path at all.
"""

import functools
from collections.abc import Sequence
from typing import Any

from starlette._utils import get_route_path
from starlette.routing import BaseRoute, Router
from starlette.types import Receive, Scope, Send

DEEPEST = 4
"""How many parts of a path are looked at."""

Parts = tuple[str, ...]


class TableRouter(Router):
    """Starlette's router with a table, made from the routes that stand when the first request comes."""

    def __init__(self, routes: Sequence[BaseRoute], **how: Any) -> None:
        super().__init__(routes, redirect_slashes=False, **how)
        self._table: _Table | None = None

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the route for one request and have it handled."""
        if scope["type"] == "lifespan":
            await super().app(scope, receive, send)
            return
        scope.setdefault("router", self)
        await self._of(get_route_path(scope)).app(scope, receive, send)

    def _of(self, path: str) -> Router:
        table = self._table
        if table is None:
            table = self._table = _Table(self.routes)
        return table.of(tuple(path.split("/", DEEPEST + 1)[1 : DEEPEST + 1]))


class _Table:
    """The routes that can fit a path, by the longest fixed beginning of any route that the path shares.

    An entry is made when a path first asks for it: most of the several hundred are never asked for by one process.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = [(route, _beginning(getattr(route, "path", ""))) for route in routes]
        self._known = {parts[:length] for _, parts in self._routes for length in range(len(parts) + 1)} | {()}
        self._made: dict[Parts, Router] = {}

    def of(self, parts: Parts) -> Router:
        """Return the router of a path's parts."""
        while parts not in self._known:  # the empty one is always there
            parts = parts[:-1]
        made = self._made.get(parts)
        if made is None:
            fitting = [route for route, own in self._routes if parts[: len(own)] == own]
            made = self._made[parts] = Router(fitting, redirect_slashes=False)
        return made


@functools.cache
def _beginning(path: str) -> Parts:
    """The parts of a route's path before its first parameter; one application after another has the same paths."""
    parts: list[str] = []
    for part in path.split("/")[1 : DEEPEST + 1]:
        if "{" in part:
            break
        parts.append(part)
    return tuple(parts)
