"""MongoDB: databases and collections, with columns inferred from a bounded sample of documents.

A MongoDB database is a database, its one schema is called "default", a collection is a table. A field is a column; the
fields of an embedded document are columns with dotted names. Fields of documents inside arrays are not.

The driver connects to the one vetted server and does not go on to the members that the server names. With
`ssl_mode: verify-full` it is given the host's name, which the certificate proves; otherwise the vetted address.
"""

from __future__ import annotations

import json
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

from persistence.connectors.core.base import (
    ConnectorError,
    ConnectorSettings,
    Discovery,
    KeyInfo,
    Outbound,
    SchemaInfo,
    TableInfo,
    vetted_addresses,
)
from persistence.connectors.core.reading import SAMPLE_SEED, cancelled
from persistence.connectors.core.sql import (
    Selection,
    bad_certificate,
    no_answer,
    no_tls,
    not_listening,
    not_permitted,
    tls_context,
    unknown_database,
    wrong_password,
)
from persistence.connectors.documents.mongodb_shape import DocumentShape
from persistence.connectors.documents.reading import DEEPEST, MOST_COLUMNS, Document, DocumentConnector
from schema.assets.connection_configs.databases import MongodbConfig, MongodbCredentials

VERIFIED = (
    "the driver against FerretDB 1.24, an independent server of the protocol, and a wire-level stub of ours; not "
    "against MongoDB's own server"
)

T = TypeVar("T")

_SCHEMA = "default"
_OWN = frozenset({"admin", "local", "config"})
_NOT_THERE: Final = frozenset({2, 59, 168, 238, 40324})
"""How servers answer that they have no such command, stage or operator: not all draw samples."""


class MongodbConnector(DocumentConnector[MongodbConfig, MongodbCredentials]):
    """Collections of a MongoDB server as tables."""

    kind = "mongodb"
    config_section = "database_config"
    config_model = MongodbConfig
    credentials_model = MongodbCredentials
    extra = "mongodb"

    def __init__(
        self,
        config: MongodbConfig,
        credentials: MongodbCredentials,
        settings: ConnectorSettings,
        outbound: Outbound,
    ) -> None:
        super().__init__(config, credentials, settings, outbound)
        self._port = config.port or 27017
        self._selection = Selection(config.selected_tables)
        self._client: Any = None
        self._authority: Path | None = None

    def __repr__(self) -> str:
        return f"<MongodbConnector {self.config.host}:{self._port}>"

    def verify(self) -> Discovery:
        """Log on and count the collections. Raises ConnectorError."""
        version = self._guarded(lambda: str(self._connected().server_info().get("version", "")))
        found = self.schemas()
        tables = sum(len(schema.tables) for schema in found)
        return Discovery(
            f"Connected to MongoDB {version}: {tables} collection{'' if tables == 1 else 's'} in "
            f"{len(found)} database{'' if len(found) == 1 else 's'}.",
            {"server_version": version, "databases": len(found), "tables": tables},
        )

    def schemas(self) -> Sequence[SchemaInfo]:
        """The schema "default" of every selected database, with its collections and views."""
        found = []
        for database in self._databases():
            names = sorted(
                name for name in self._collections(database) if self._selection.has_table(database, _SCHEMA, name)
            )
            if names:
                found.append(SchemaInfo(database, _SCHEMA, tuple(names)))
        return found

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named collections. MongoDB describes one at a time: a sample, the indexes and the count of each."""
        if schema != _SCHEMA:
            return
        there = self._collections(database)
        for name in names:
            if name not in there or not self._selection.has_table(database, schema, name):
                continue
            try:
                table: TableInfo = self._guarded(partial(self._table, database, name, there[name]))
            except ConnectorError as error:
                # One collection that may not be read, or a view that no longer works, must not hide the others.
                if error.kind not in {"permission", "failed"}:
                    raise
                kind = "VIEW" if there[name].get("type") == "view" else "TABLE"
                table = TableInfo(name, kind, (), comment=f"The columns are not known. {error.reason}")
            yield table

    def hang_up(self) -> None:
        """Close the connections; the server stops what a client that is gone was waiting for."""
        client = self._client
        if client is not None:
            with suppress(Exception):
                client.close()

    def holds(self, database: str, schema: str, table: str) -> bool:
        """Return whether the collection is there and selected."""
        named = self.config.database is None or database == self.config.database
        selected = schema == _SCHEMA and self._selection.has_table(database, schema, table)
        own = database in _OWN or table.startswith("system.")
        chosen = named or self._selection.databases() is not None
        return chosen and selected and not own and table in self._collections(database)

    def size(self, database: str, schema: str, table: str) -> int | None:
        """The server's own count, which needs no scan; None for a view."""
        if self._collections(database).get(table, {}).get("type") == "view":
            return None
        collection = self._connected()[database][table]
        return self._guarded(
            lambda: self._unless_refused(lambda: int(collection.estimated_document_count(maxTimeMS=self._limit())))
        )

    def documents(self, database: str, schema: str, table: str, share: float, most: int) -> Iterator[Document]:
        """The documents in the order in which they are stored; of a larger collection, each by chance."""
        collection = self._connected()[database][table]
        chosen: list[dict[str, Any]] = [] if share >= 1 else [{"$match": {"$sampleRate": share}}]
        pipeline = [*chosen, {"$limit": most}]
        found, drawn = self._guarded(lambda: self._drawn(collection, pipeline, batch=1000))
        chance, given = Random(SAMPLE_SEED), 0  # noqa: S311 - which rows are looked at is no secret
        with closing(found):
            while (document := self._guarded(lambda: next(found, None))) is not None:
                if drawn or chance.random() < share:
                    yield document
                    given += 1
                if given >= most:
                    return

    def _drawn(self, collection: Any, pipeline: list[dict[str, Any]], batch: int) -> tuple[Any, bool]:
        """The documents of a pipeline that draws a sample, and True; all of them, and False, where it is not known."""
        from pymongo.errors import OperationFailure

        limit = max(1, self._limit())
        try:
            return collection.aggregate(pipeline, maxTimeMS=limit, batchSize=batch), True
        except OperationFailure as error:
            if error.code not in _NOT_THERE:
                raise
            return collection.find(batch_size=batch, max_time_ms=limit), False

    def _limit(self) -> int:
        """Milliseconds that an operation may take: few on the catalog, more on the data."""
        limits = self.settings
        return int(1000 * (limits.statement_timeout if self._active is None else limits.source_statement_timeout))

    def close(self) -> None:
        """Close the driver's connections."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):  # nothing is lost: it only read, and may have been closed by `hang_up`
                client.close()
        if self._authority is not None:
            self._authority.unlink(missing_ok=True)
            self._authority = None

    def _databases(self) -> list[str]:
        wanted = self._selection.databases()
        if wanted is None and self.config.database is not None:
            wanted = [self.config.database]
        if wanted is None:
            found = self._guarded(lambda: self._connected().list_database_names())
            return sorted(set(found) - _OWN)
        if wanted == [self.config.database] and not self._collections(wanted[0]):
            raise unknown_database(wanted[0])
        return wanted

    def _collections(self, database: str) -> dict[str, Mapping[str, Any]]:
        found = self._guarded(lambda: self._listed(self._connected()[database]))
        return {str(entry["name"]): entry for entry in found if not str(entry["name"]).startswith("system.")}

    def _listed(self, database: Any) -> list[Mapping[str, Any]]:
        """The collections; for a user of single collections only those that they may read, without their options."""
        found = self._unless_refused(lambda: list(database.list_collections()))
        return list(database.list_collections(nameOnly=True, authorizedCollections=True)) if found is None else found

    def _table(self, database: str, name: str, entry: Mapping[str, Any]) -> TableInfo:
        collection = self._connected()[database][name]
        limit = max(1, self._limit())
        size = self.config.options.sample_size
        shape = DocumentShape()
        found, drawn = self._drawn(collection, [{"$sample": {"size": size}}], batch=50)
        with closing(found):
            for document in islice(found, size):
                shape.add(document)
        which = f"at most {size}" if drawn else f"the first {size}"
        notes = [f"Columns are inferred from {which} documents." if shape.documents else "It is empty."]
        if shape.cut:
            notes.append(f"It has more fields than are listed: the first {MOST_COLUMNS}, {DEEPEST} levels deep.")
        if entry.get("type") == "view":
            options = entry.get("options", {})
            definition = json.dumps(
                {key: options[key] for key in ("viewOn", "pipeline") if key in options}, default=str
            )
            return TableInfo(name, "VIEW", shape.columns(), comment=" ".join(notes), definition=definition)
        keys = [KeyInfo("PRIMARY_KEY", "_id_", ("_id",))]
        for index in self._unless_refused(lambda: list(collection.list_indexes())) or []:
            # A partial index says nothing about the documents that it leaves out.
            if index.get("unique") and "partialFilterExpression" not in index and index["name"] != "_id_":
                keys.append(KeyInfo("UNIQUE", str(index["name"]), tuple(index["key"])))
        rows = self._unless_refused(lambda: int(collection.estimated_document_count(maxTimeMS=limit)))
        return TableInfo(name, "TABLE", shape.columns(), tuple(keys), " ".join(notes), rows)

    def _unless_refused(self, call: Callable[[], T]) -> T | None:
        """None where a user may read documents but nothing about them."""
        from pymongo.errors import OperationFailure

        try:
            return call()
        except OperationFailure as error:
            if error.code == 13:
                return None
            raise

    def _connected(self) -> Any:
        if self._client is not None:
            return self._client
        try:
            import pymongo
        except ImportError:
            raise ConnectorError(
                "missing_extra", "Reading MongoDB needs a driver. Install it with: pip install 'stoa-platform[mongodb]'"
            ) from None
        config, credentials = self.config, self._credentials
        address = self._reachable()
        milliseconds = max(1, int(self.settings.connect_timeout * 1000))
        options: dict[str, Any] = {
            "directConnection": True,
            "connectTimeoutMS": milliseconds,
            "serverSelectionTimeoutMS": milliseconds,
            "socketTimeoutMS": max(1, self._limit()),
            "maxPoolSize": 2,
            "retryReads": False,
            "readPreference": "secondaryPreferred",
            "datetime_conversion": "DATETIME_AUTO",
            "unicode_decode_error_handler": "replace",
            "appname": "stoa",
        }
        host = address
        if config.ssl_mode != "disable":
            tls_context(config, config.options.ssl_ca)  # says what is wrong with the certificate
            options |= {
                "tls": True,
                "tlsAllowInvalidHostnames": config.ssl_mode != "verify-full",
                "tlsAllowInvalidCertificates": config.ssl_mode == "require",
            }
            if config.ssl_mode == "require":
                del options["tlsAllowInvalidHostnames"]
            if config.ssl_mode == "verify-full":
                host = config.host
            if config.options.ssl_ca:
                with tempfile.NamedTemporaryFile("w", prefix="stoa-ca-", suffix=".pem", delete=False) as authority:
                    authority.write(config.options.ssl_ca)
                self._authority = Path(authority.name)
                options["tlsCAFile"] = authority.name
        if credentials.username:
            options |= {
                "username": credentials.username,
                "password": credentials.password.get_secret_value(),
                "authSource": config.options.auth_source,
            }
        self._client = pymongo.MongoClient(f"[{host}]" if ":" in host else host, self._port, **options)
        return self._client

    def _reachable(self) -> str:
        """The first vetted address that accepts a connection; the driver alone would try in vain until its time-out."""
        host = self.config.host
        failure: ConnectorError | None = None
        began = time.monotonic()
        for address in vetted_addresses(self.outbound, host, self._port):
            left = max(0.1, self.settings.connect_timeout - (time.monotonic() - began))
            try:
                socket.create_connection((address, self._port), timeout=left).close()
            except TimeoutError:
                failure = no_answer(host, self._port, self.settings.connect_timeout)
            except OSError:
                failure = not_listening(host, self._port)
            else:
                return address
        raise failure or not_listening(host, self._port)

    def _guarded(self, call: Callable[[], T]) -> T:
        """Run a step and say in a sentence what went wrong with it, without the driver's own text."""
        if self._stopped.is_set():
            raise cancelled()
        try:
            return call()
        except (ConnectorError, KeyboardInterrupt):
            raise
        except Exception as error:
            # Whatever the driver made of being interrupted, that is why.
            failure = cancelled() if self._stopped.is_set() else self._failure(error)
        # Outside the handler: the driver's messages may name the user and the servers behind the vetted one.
        raise failure

    def _failure(self, error: Exception) -> ConnectorError:
        from pymongo import errors

        host, text = self.config.host, str(error)
        if isinstance(error, errors.OperationFailure):
            if error.code in {18, 8000} or (error.code == 11 and "ser" in text):
                return wrong_password(self._credentials.username or "")
            if error.code == 13:
                if not self._credentials.username:
                    return ConnectorError("authentication", "The server asks for a user name and a password.")
                return not_permitted("read this database")
            if error.code == 50:
                return no_answer(host, self._port, self.settings.statement_timeout)
            return ConnectorError("failed", f"The server refused a request with the code {error.code}.")
        if "CERTIFICATE_VERIFY_FAILED" in text or "certificate verify failed" in text:
            return bad_certificate(host, "it is not trusted, has expired or is issued for another name")
        late = "timed out" in text and "SSL" not in text
        if self.config.ssl_mode != "disable" and isinstance(error, errors.ConnectionFailure) and not late:
            return no_tls(host, self._port, self.config.ssl_mode)
        if isinstance(error, errors.NetworkTimeout | errors.ExecutionTimeout) or "timed out" in text:
            return no_answer(host, self._port, self.settings.connect_timeout)
        if isinstance(error, errors.ConfigurationError):
            return ConnectorError(
                "failed", "The driver cannot work with this server or config. The server must be MongoDB 4.2 or newer."
            )
        if isinstance(error, errors.ConnectionFailure):
            return ConnectorError(
                "unreachable",
                f"{host}:{self._port} broke off the connection. Check that it is a MongoDB server, and whether it asks "
                "for TLS (ssl_mode).",
            )
        return ConnectorError("failed", "The server's answer could not be understood.")
