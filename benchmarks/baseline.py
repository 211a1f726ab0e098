"""The plain baseline: a bare ASGI function, the driver and orjson, on the database that the application reads.

No framework, no tokens, no permissions, no limits, and SQL written by hand: what a program does that only ever answers
these requests. Rows come by position, JSON columns pass through as text and moments are written by the database, so
the baseline has the known ways to be fast and the ratio shows what everything else of the platform costs.
"""

import asyncio
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson
import psycopg

from schema.utils.metadata_asset import MetadataAsset

CONNECTIONS = 10
FIELDS = tuple(MetadataAsset.model_fields)
GRAPH_FIELDS = {
    "id": "id",
    "name": "name",
    "fullyQualifiedName": "fully_qualified_name",
    "resourceUri": "resource_uri",
    "type": "type",
    "version": "version",
    "versionMajor": "version_major",
    "versionMinor": "version_minor",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "createdBy": "created_by",
    "updatedBy": "updated_by",
    "displayName": "display_name",
    "description": "description",
    "dataType": "data_type",
    "dataTypeDisplay": "data_type_display",
    "ordinalPosition": "ordinal_position",
    "nullable": "nullable",
    "isPiiTagged": "is_pii_tagged",
    "isDqTagged": "is_dq_tagged",
}
"""The twenty fields of the GraphQL query, and the columns that they show."""

_JSON = {
    "owners",
    "extension",
    "tags",
    "constraint",
    "column_relationships",
    "change_description",
    "change_summary",
    "changed_by",
}
_MOMENTS = {"created_at", "updated_at", "deleted_at"}
_FLAGS = {"is_dq_tagged", "is_pii_tagged", "is_sensitivity_tagged", "nullable"}

Rows = Sequence[Sequence[Any]]
Fetch = Callable[[str, Sequence[Any]], Awaitable[Rows]]


@dataclass(frozen=True)
class Place:
    """Holds where the data is, and what is asked for."""

    url: str
    port: int
    organization: str
    project: str
    uri: str
    fqn: str
    word: str
    limit: int = 50

    @property
    def postgres(self) -> bool:
        """Return which of the two stores it is."""
        return self.url.startswith("postgresql")

    def dumped(self) -> str:
        """For the command line of the baseline's process."""
        return orjson.dumps(asdict(self)).decode()


def _spelled(name: str, postgres: bool, table: str = "a") -> str:
    column = f'{table}."{name}"'
    if name == "children":
        return "null"
    if name == "version":
        return f"cast({table}.version_major as text) || '.' || cast({table}.version_minor as text)"
    if name in _MOMENTS and postgres:
        return f"to_char({column} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    if name in _MOMENTS:
        return f"substr({column}, 1, 10) || 'T' || substr({column}, 12) || 'Z'"
    return f"{column}::text" if name in _JSON and postgres else column


def _columns(names: Sequence[str], postgres: bool) -> str:
    return ", ".join(_spelled(name, postgres) for name in names)


def _builder(keys: Sequence[str], names: Sequence[str], postgres: bool, graph: bool) -> Callable[[Any], dict[str, Any]]:
    parts = []
    for at, (key, name) in enumerate(zip(keys, names, strict=True)):
        value = f"r[{at}]"
        if name in _JSON:
            value = f"None if {value} is None else Fragment({value})"
        elif name in _FLAGS and not postgres:
            value = f"None if {value} is None else {value} == 1"
        elif name == "type" and graph:
            value = f"{value}.upper()"
        parts.append(f"{key!r}: {value}")
    built: Callable[[Any], dict[str, Any]] = eval(f"lambda r: {{{', '.join(parts)}}}", {"Fragment": orjson.Fragment})
    return built


class Answers:
    """The five answers, each as a coroutine that gives the bytes of the body."""

    def __init__(self, place: Place, fetch: Fetch) -> None:
        self._place, self._fetch = place, fetch
        pg = place.postgres
        scope = "a.organization_id = ? and a.project_id = ?"
        by_name = f"from metadata_assets a where {scope} and a.fully_qualified_name = ? and a.resource_uri = ?"
        below = (
            f"from metadata_assets a where {scope} and a.parent_fqn = ? and a.deleted_at is null "
            "order by a.ordinal_position nulls last, a.name limit 500"
        )
        whole, twenty = _columns(FIELDS, pg), _columns(list(GRAPH_FIELDS.values()), pg)
        self._one, self._children = f"select {whole} {by_name}", f"select {whole} {below}"
        self._graph_one, self._graph_children = f"select {twenty} {by_name}", f"select {twenty} {below}"
        if pg:
            tables = "metadata_assets a"
            matches = "array_to_tsvector(string_to_array(btrim(a.search_words), ' ')) @@ ?::tsquery"
        else:  # SQLite joins in the written order here: its statistics are not there yet
            tables = "metadata_words w cross join metadata_assets a on a.row_number = w.rowid"
            matches = "w.metadata_words match ?"
        found = f"from {tables} where {scope} and a.deleted_at is null and {matches}"
        self._count = f"select count(*) {found}"
        self._page = (
            f"with found as materialized (select a.row_number, a.name, a.id {found}), "
            "page as materialized (select row_number from found order by name, id limit ? offset 0) "
            f"select {whole} from page {'' if pg else 'cross '}join metadata_assets a "
            "on page.row_number = a.row_number order by a.name, a.id"
        )
        if pg:
            for name in ("_one", "_children", "_graph_one", "_graph_children", "_count", "_page"):
                setattr(self, name, getattr(self, name).replace("?", "%s"))
        self._values = _builder(FIELDS, FIELDS, pg, False)
        self._graph_values = _builder(list(GRAPH_FIELDS), list(GRAPH_FIELDS.values()), pg, True)
        self._scope = (place.organization, place.project)
        self._named = (*self._scope, place.fqn, place.uri)
        self._below = (*self._scope, place.fqn)
        self._found = (*self._scope, f"'{place.word}'" if pg else f'"{place.word}"')
        self.paths = {
            "/children": self.children,
            "/one": self.one,
            "/search": self.search,
            "/graphql": self.graph,
            "/graphql-one": self.graph_one,
        }

    async def one(self) -> bytes:
        """One asset."""
        (row,) = await self._fetch(self._one, self._named)
        return orjson.dumps(self._values(row))

    async def children(self) -> bytes:
        """One table with its columns."""
        (row,) = await self._fetch(self._one, self._named)
        values = self._values(row)
        values["children"] = list(map(self._values, await self._fetch(self._children, self._below)))
        return orjson.dumps(values)

    async def search(self) -> bytes:
        """One page of what a word finds."""
        ((total,),) = await self._fetch(self._count, self._found)
        rows = await self._fetch(self._page, (*self._found, self._place.limit))
        window = {"offset": 0, "limit": self._place.limit, "total": total}
        return orjson.dumps({"pagination": window, "results": list(map(self._values, rows))})

    async def graph(self) -> bytes:
        """Twenty fields of a table and of its columns, in the shape of a GraphQL answer."""
        (row,) = await self._fetch(self._graph_one, self._named)
        values = self._graph_values(row)
        values["children"] = list(map(self._graph_values, await self._fetch(self._graph_children, self._below)))
        return orjson.dumps({"data": {"metadata": values}})

    async def graph_one(self) -> bytes:
        """Twenty fields of one asset, in the shape of a GraphQL answer."""
        (row,) = await self._fetch(self._graph_one, self._named)
        return orjson.dumps({"data": {"metadata": self._graph_values(row)}})


def _sqlite(place: Place) -> Fetch:
    connection = sqlite3.connect(place.url.removeprefix("sqlite:///"), check_same_thread=False)
    connection.isolation_level = None

    async def fetch(statement: str, values: Sequence[Any]) -> Rows:
        return connection.execute(statement, values).fetchall()

    return fetch


def _postgres(place: Place) -> Fetch:
    free: asyncio.LifoQueue[psycopg.AsyncConnection[Any]] = asyncio.LifoQueue()
    opened = 0

    async def fetch(statement: str, values: Sequence[Any]) -> Rows:
        nonlocal opened
        if free.empty() and opened < CONNECTIONS:
            opened += 1
            url = place.url.replace("postgresql+psycopg://", "postgresql://")
            connection = await psycopg.AsyncConnection.connect(url, autocommit=True, prepare_threshold=0)
        else:
            connection = await free.get()
        try:
            cursor = await connection.execute(statement.encode(), values)
            return await cursor.fetchall()
        finally:
            free.put_nowait(connection)

    return fetch


def app_for(place: Place) -> Any:
    """The bare ASGI function."""
    answers = Answers(place, _postgres(place) if place.postgres else _sqlite(place))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        body = await answers.paths[scope["path"]]()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


if __name__ == "__main__":
    import uvicorn

    chosen = Place(**orjson.loads(sys.argv[1]))
    uvicorn.run(app_for(chosen), port=chosen.port, access_log=False, log_level="warning", lifespan="off")
