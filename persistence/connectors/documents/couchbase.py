"""Couchbase through the REST interface of its query service: buckets, scopes and collections as SQL++ sees them.

A bucket is a database, a scope a schema, a collection a table. Columns come from INFER, which samples documents; the
fields of an embedded document are columns with dotted names.

Interface: https://docs.couchbase.com/server/current/n1ql-rest-query/index.html
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from persistence.connectors.core.base import (
    ColumnInfo,
    ConnectorError,
    ConnectorSettings,
    Discovery,
    Outbound,
    SchemaInfo,
    TableInfo,
)
from persistence.connectors.core.reading import cancelled
from persistence.connectors.core.sql import (
    Selection,
    no_answer,
    not_permitted,
    tls_context,
    unknown_database,
    wrong_password,
)
from persistence.connectors.documents.reading import DEEPEST, MOST_COLUMNS, Document, DocumentConnector
from persistence.connectors.files.objects import HttpAnswer, PinnedHttp, redirected
from schema.assets.connection_configs.databases import BasicCredentials, CouchbaseConfig

VERIFIED = "a stub of ours of the query service's REST interface; not against a Couchbase server"

_LONGEST_ANSWER = 32 << 20
_PAGE = 1000

_NEUTRAL = {"string": "VARCHAR", "number": "NUMERIC", "boolean": "BOOLEAN", "array": "ARRAY", "object": "JSON"}

_KEYSPACES = (
    "SELECT k.`bucket` AS b, k.`scope` AS s, k.name AS n FROM system:keyspaces AS k WHERE k.namespace_id = 'default'"
)


class CouchbaseConnector(DocumentConnector[CouchbaseConfig, BasicCredentials]):
    """Collections of a Couchbase cluster as tables."""

    kind = "couchbase"
    config_section = "database_config"
    config_model = CouchbaseConfig
    credentials_model = BasicCredentials

    def __init__(
        self,
        config: CouchbaseConfig,
        credentials: BasicCredentials,
        settings: ConnectorSettings,
        outbound: Outbound,
    ) -> None:
        super().__init__(config, credentials, settings, outbound)
        self._user = credentials.username
        secret = f"{credentials.username}:{credentials.password.get_secret_value()}".encode()
        self._headers = {
            "Authorization": "Basic " + base64.b64encode(secret).decode(),
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self._port = config.port or (8093 if config.ssl_mode == "disable" else 18093)
        self._selection = Selection(config.selected_tables, config.db_schema)
        self._http: PinnedHttp | None = None

    def __repr__(self) -> str:
        return f"<CouchbaseConnector {self.config.host}:{self._port}>"

    def verify(self) -> Discovery:
        """Log on and count the collections. Raises ConnectorError."""
        version = "".join(str(row) for row in self._ask("SELECT RAW version()")[:1])
        found = self.schemas()
        tables = sum(len(schema.tables) for schema in found)
        return Discovery(
            f"Connected to Couchbase: {tables} collection{'' if tables == 1 else 's'} in "
            f"{len(found)} scope{'' if len(found) == 1 else 's'}.",
            {"server_version": version, "schemas": len(found), "tables": tables},
        )

    def schemas(self) -> Sequence[SchemaInfo]:
        """The scopes of every selected bucket."""
        held: dict[tuple[str, str], set[str]] = {}
        for row in self._ask(_KEYSPACES):
            if not isinstance(row, Mapping) or not isinstance(row.get("n"), str):
                continue
            # A bucket's default collection is listed under the bucket's own name.
            bucket, scope, name = (
                (str(row["b"]), str(row.get("s") or "_default"), row["n"])
                if row.get("b")
                else (row["n"], "_default", "_default")
            )
            chosen = self.config.database is None or self.config.database == bucket
            if scope != "_system" and chosen and self._selection.has_table(bucket, scope, name):
                held.setdefault((bucket, scope), set()).add(name)
        if self.config.database is not None and not held:
            raise unknown_database(self.config.database)
        return [SchemaInfo(bucket, scope, tuple(sorted(names))) for (bucket, scope), names in sorted(held.items())]

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named collections. Couchbase infers one at a time: a sample and a count of each."""
        for name in names:
            if not self._selection.has_table(database, schema, name):
                continue
            path = _path(database, schema, name)
            try:
                found = self._ask(f'INFER default:{path} WITH {{"sample_size": {self.config.options.sample_size}}}')
            except ConnectorError as error:
                if error.kind == "not_found":
                    continue
                if error.kind not in {"permission", "failed"}:
                    raise
                yield TableInfo(name, "TABLE", (), comment=f"The columns are not known. {error.reason}")
                continue
            columns, note = _columns(found)
            yield TableInfo(name, "TABLE", columns, comment=note, row_count=self._count(path))

    def hang_up(self) -> None:
        """Close the connections; the service stops a statement whose client is gone."""
        http = self._http
        if http is not None:
            http.close()

    def holds(self, database: str, schema: str, table: str) -> bool:
        """Return whether the collection is there and selected."""
        return any(
            (found.database, found.name) == (database, schema) and table in found.tables for found in self.schemas()
        )

    def size(self, database: str, schema: str, table: str) -> int | None:
        """The collection's own counter."""
        return self._count(_path(database, schema, table))

    def documents(self, database: str, schema: str, table: str, share: float, most: int) -> Iterator[Document]:
        """The documents page by page in the order of their keys; of a larger collection, each by chance."""
        path, last, page, left = _path(database, schema, table), "", _PAGE, most
        chance = "" if share >= 1 else f" AND RANDOM() < {share:.10f}"
        while left > 0:
            size = min(page, left)
            statement = (
                f"SELECT META(d).id AS k, d AS v FROM default:{path} AS d WHERE META(d).id > $last{chance}"  # noqa: S608
                f" ORDER BY META(d).id LIMIT {size}"
            )
            try:
                rows = self._ask(statement, last=last)
            except _TooLong:
                if page == 1:
                    raise
                page = max(1, page // 10)
                continue
            for row in rows:
                last = str(row["k"])
                value = row.get("v")
                yield value if isinstance(value, Mapping) else {"value": value}
            if len(rows) < size:
                return
            left -= len(rows)

    def close(self) -> None:
        """Close the connections."""
        http, self._http = self._http, None
        if http is not None:
            http.close()

    def _count(self, path: str) -> int | None:
        """The collection's own counter, which is read without a scan; None where it may not be read."""
        try:
            rows = self._ask(f"SELECT RAW COUNT(*) FROM default:{path}")  # noqa: S608 - quoted names
        except ConnectorError as error:
            if error.kind in {"failed", "permission", "not_found"}:
                return None
            raise
        return rows[0] if rows and type(rows[0]) is int else None

    def _ask(self, statement: str, **values: str) -> list[Any]:
        """Run a statement that the service itself refuses to let write. Raises ConnectorError."""
        if self._stopped.is_set():
            raise cancelled()
        limits = self.settings
        seconds = limits.statement_timeout if self._active is None else limits.source_statement_timeout
        if self._http is None:
            config = self.config
            context = tls_context(config, config.options.ssl_ca)
            host = f"[{config.host}]" if ":" in config.host else config.host
            origin = f"{'http' if context is None else 'https'}://{host}:{self._port}"
            limits = limits.model_copy(update={"statement_timeout": seconds})
            self._http = PinnedHttp(origin, limits, self.outbound, context)
        form = {"statement": statement, "readonly": "true", "timeout": f"{max(1, int(seconds))}s"}
        form |= {f"${name}": json.dumps(value) for name, value in values.items()}
        answer = self._sent(self._http, urlencode(form).encode())
        if answer.status in {301, 302, 303, 307, 308}:
            raise redirected(answer, "The query service")
        held = _object(answer.body)
        errors = held.get("errors")
        codes = [error.get("code") for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
        if answer.status == 401 and 13014 not in codes:
            raise wrong_password(self._user)
        if answer.status in {401, 403} or 13014 in codes:
            # The same code is for strangers and for users without the role; only the latter may ask for the version.
            if "version()" in statement:
                raise wrong_password(self._user)
            raise not_permitted("query this keyspace")
        if {12003, 12021, 12020} & set(codes):
            raise ConnectorError("not_found", "The bucket, scope or collection does not exist any more.")
        if 1080 in codes or held.get("status") == "timeout":
            raise no_answer(self.config.host, self._port, seconds)
        if codes:
            raise ConnectorError("failed", f"The query service refused a statement with the code {codes[0]}.")
        if answer.status == 200 and len(answer.body) >= _LONGEST_ANSWER:
            raise _TooLong("failed", "The query service's answer is longer than this deployment reads.")
        if answer.status != 200 or held.get("status") != "success" or not isinstance(held.get("results"), list):
            raise ConnectorError(
                "failed",
                f"{self.config.host}:{self._port} did not answer as Couchbase's query service does. Check the port: "
                "it is 8093, or 18093 with TLS.",
            )
        return list(held["results"])

    def _sent(self, http: PinnedHttp, content: bytes) -> HttpAnswer:
        failure: ConnectorError | None = None
        try:
            return http.send("POST", "/query/service", self._headers, content=content, at_most=_LONGEST_ANSWER)
        except (ConnectorError, RuntimeError):  # the latter where it was closed meanwhile
            if not self._stopped.is_set():
                raise
            failure = cancelled()
        raise failure


class _TooLong(ConnectorError):
    """The answer does not fit into what is read at once."""


def _path(database: str, schema: str, table: str) -> str:
    return ".".join(_quoted(part) for part in (database, schema, table))


def _columns(found: Sequence[Any]) -> tuple[tuple[ColumnInfo, ...], str | None]:
    """The columns of all flavours of documents that INFER found, and a remark."""
    flavours = [f for group in found for f in (group if isinstance(group, list) else [group]) if isinstance(f, dict)]
    seen: dict[str, tuple[dict[str, None], int]] = {}
    documents = 0
    for flavour in flavours:
        documents += _whole(flavour.get("#docs"))
        _fields("", flavour.get("properties"), seen, 1)
    if not flavours:
        return (), "It is empty."
    columns = []
    # A sample comes in any order, and an unchanged collection should look unchanged.
    for at, (path, (types, filled)) in enumerate(sorted(seen.items())[:MOST_COLUMNS], start=1):
        names = [name for name in types if name not in {"null", "missing"}]
        neutral = "UNKNOWN" if not names else _NEUTRAL.get(names[0], "VARIANT") if len(names) == 1 else "VARIANT"
        optional = "null" in types or "missing" in types or filled < documents
        columns.append(ColumnInfo(path, neutral, " | ".join(sorted(types)), at, nullable=optional))
    note = "Columns are inferred from a sample of its documents."
    if len(seen) > MOST_COLUMNS:
        note += f" It has more fields than the {MOST_COLUMNS} that are listed."
    return tuple(columns), note


def _fields(prefix: str, properties: Any, seen: dict[str, tuple[dict[str, None], int]], depth: int) -> None:
    for name, about in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(about, dict):
            continue
        path = f"{prefix}{name}"
        stated = about.get("type")
        types = [str(kind) for kind in (stated if isinstance(stated, list) else [stated]) if kind]
        inner = about.get("properties")
        if "object" in types and inner and depth < DEEPEST:
            _fields(f"{path}.", inner, seen, depth + 1)
            types = [kind for kind in types if kind != "object"]
            if not set(types) - {"null", "missing"}:
                continue
        known, filled = seen.get(path, ({}, 0))
        seen[path] = (known | dict.fromkeys(types), filled + _whole(about.get("#docs")))


def _whole(value: Any) -> int:
    """A count; INFER gives one per type where a field has several."""
    if isinstance(value, list):
        return sum(_whole(part) for part in value)
    return value if isinstance(value, int) else 0


def _object(body: bytes) -> dict[str, Any]:
    try:
        held = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
