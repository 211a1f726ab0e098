"""BigQuery, through google-cloud-bigquery.

`database` is the project and a schema is a dataset. Names come from the REST API, which costs nothing; columns, keys
and descriptions come from INFORMATION_SCHEMA, whose queries are few and bounded. The driver brings its own HTTPS
transport, which always checks the certificate; `ssl_mode` has no effect. Only queries are sent; give the service
account no more than the roles to read metadata and to run jobs.
"""

# ruff: noqa: S608 - names of projects and datasets are checked identifiers; all values are bound

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from persistence.connectors.core.base import (
    ColumnInfo,
    ConnectorError,
    ConnectorSettings,
    KeyInfo,
    Outbound,
    SchemaInfo,
    TableInfo,
)
from persistence.connectors.core.sql import no_answer, not_permitted, unknown_database, with_columns
from persistence.connectors.dbapi.connector import Connect, DbApiConnector, Row, keys_of, whole
from persistence.connectors.dbapi.reading import BigqueryReading
from schema.assets.connection_configs.databases import BigqueryConfig, BigqueryCredentials

VERIFIED = "the driver against a REST stand-in (by hand); no BigQuery project"

_TOKEN_URI = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
_SCOPES = ("https://www.googleapis.com/auth/bigquery.readonly", "https://www.googleapis.com/auth/cloud-platform")

_TABLE_TYPES = {
    "VIEW": "VIEW",
    "MATERIALIZED VIEW": "MATERIALIZED_VIEW",
    "EXTERNAL": "EXTERNAL",
}
_TYPES = {
    "INT64": "BIGINT",
    "FLOAT64": "DOUBLE",
    "BIGNUMERIC": "NUMERIC",
    "BOOL": "BOOLEAN",
    "STRING": "VARCHAR",
    "BYTES": "BINARY",
    "DATETIME": "TIMESTAMP",
    "TIMESTAMP": "TIMESTAMPTZ",
}
_KEYS = {"PRIMARY KEY": "PRIMARY_KEY", "FOREIGN KEY": "FOREIGN_KEY"}


class BigqueryConnector(DbApiConnector[BigqueryConfig, BigqueryCredentials]):
    """Reads the datasets of one Google Cloud project."""

    kind: ClassVar[str] = "bigquery"
    config_model = BigqueryConfig
    credentials_model = BigqueryCredentials
    extra: ClassVar[str | None] = "bigquery"
    default_port: ClassVar[int] = 443
    auth_types: ClassVar[tuple[str, ...]] = ("basic", "service_account")

    def __init__(
        self,
        config: BigqueryConfig,
        credentials: BigqueryCredentials,
        settings: ConnectorSettings,
        outbound: Outbound,
        *,
        connect: Connect | None = None,
    ) -> None:
        super().__init__(config, credentials, settings, outbound, connect=connect)
        key = self._key().get("private_key")
        if isinstance(key, str):
            self._secrets += (key, *(line for line in key.splitlines() if len(line) >= 16))

    def schemas(self) -> Sequence[SchemaInfo]:
        """The selected datasets with their tables; one listing for the project and one for each dataset."""
        client, project = self.connected(), self.config.database
        seconds = self.seconds

        def listing() -> list[SchemaInfo]:
            found = []
            for dataset in client.list_datasets(project=project, timeout=seconds):
                name = dataset.dataset_id
                if not self.selection.has_schema(project, name):
                    continue
                tables = (t.table_id for t in client.list_tables(f"{project}.{name}", timeout=seconds))
                names = tuple(sorted(t for t in tables if self.selection.has_table(project, name, t)))
                found.append(SchemaInfo(project, name, names))
            return sorted(found, key=lambda s: s.name)

        return self.guarded(listing)

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables in five queries, sorted by name."""
        wanted = sorted({name for name in names if self.selection.has_table(database, schema, name)})
        if database != self.config.database or not wanted or not re.fullmatch(r"\w+", schema):
            return
        dataset = f"`{database}.{schema}`"
        information = f"{dataset}.INFORMATION_SCHEMA"
        relations = {
            row[0]: row
            for row in self._ask(
                "select t.table_name, t.table_type, o.option_value, v.view_definition"
                f" from {information}.TABLES t"
                f" left join {information}.TABLE_OPTIONS o on o.table_name = t.table_name"
                " and o.option_name = 'description'"
                f" left join {information}.VIEWS v on v.table_name = t.table_name"
                " where t.table_name in unnest(@names)",
                wanted,
            )
        }
        counts: dict[str, Any] = dict(
            self._ask(f"select table_id, row_count from {dataset}.__TABLES__ where table_id in unnest(@names)", wanted)
        )
        keys = self._keys(information, wanted)
        columns = self._ask(
            "select c.table_name, c.column_name, c.data_type, c.is_nullable, c.column_default, p.description,"
            f" c.ordinal_position from {information}.COLUMNS c"
            f" left join {information}.COLUMN_FIELD_PATHS p on p.table_name = c.table_name"
            " and p.column_name = c.column_name and p.field_path = c.column_name"
            " where c.table_name in unnest(@names)",
            wanted,
        )
        columns.sort(key=lambda row: (row[0], row[-1] or 0))
        for name, rows in with_columns(sorted(relations), columns):
            _, table_type, description, definition = relations[name]
            kind = _TABLE_TYPES.get(str(table_type).upper(), "TABLE")
            yield TableInfo(
                name,
                kind,
                tuple(_column(place, row) for place, row in enumerate(rows, 1)),
                keys.get(name, ()),
                _unquoted(description),
                whole(counts.get(name)) if kind == "TABLE" else None,
                definition or None,
            )

    def _keys(self, information: str, names: Sequence[str]) -> dict[str, tuple[KeyInfo, ...]]:
        rows = self._ask(
            "select c.table_name, c.constraint_type, c.constraint_name, k.column_name, k.ordinal_position,"
            " k.position_in_unique_constraint"
            f" from {information}.TABLE_CONSTRAINTS c join {information}.KEY_COLUMN_USAGE k"
            " on k.constraint_name = c.constraint_name where c.table_name in unnest(@names)"
            " order by c.table_name, c.constraint_name, k.ordinal_position",
            names,
        )
        targets = {
            row[0]: row[1:]
            for row in self._ask(
                "select u.constraint_name, u.table_schema, u.table_name,"
                " array_agg(p.column_name order by p.ordinal_position)"
                f" from {information}.TABLE_CONSTRAINTS c"
                f" join (select distinct constraint_name, table_schema, table_name"
                f" from {information}.CONSTRAINT_COLUMN_USAGE) u on u.constraint_name = c.constraint_name"
                f" join {information}.KEY_COLUMN_USAGE p on p.table_name = u.table_name"
                " and p.constraint_name = concat(u.table_name, '.pk$')"
                " where c.constraint_type = 'FOREIGN KEY' and c.table_name in unnest(@names) group by 1, 2, 3",
                names,
            )
        }
        found: list[Any] = []
        for table, kind, name, column, _, place in rows:
            schema, target, columns = targets.get(name, (None, None, ()))
            target_column = columns[place - 1] if place and place <= len(columns) else None
            if kind in _KEYS:
                short = str(name).removeprefix(f"{table}.")
                found.append((table, _KEYS[kind], short, column, schema, target, target_column))
        return keys_of(found)

    def _ask(self, statement: str, names: Sequence[str]) -> list[Row]:
        client, seconds = self.connected(), self.seconds
        bigquery = self._module()

        def ask() -> list[Row]:
            settings = bigquery.QueryJobConfig(
                query_parameters=[bigquery.ArrayQueryParameter("names", "STRING", list(names))],
                use_legacy_sql=False,
                job_timeout_ms=int(seconds * 1000),
                labels={"application": "stoa"},
            )
            job = client.query(statement, job_config=settings, timeout=seconds)
            return [tuple(row.values()) for row in job.result(timeout=seconds)]

        return self.guarded(ask)

    def started(self, statement: str, seconds: float) -> Any:
        """A job that runs a query on data."""
        bigquery = self._module()
        settings = bigquery.QueryJobConfig(
            use_legacy_sql=False, job_timeout_ms=int(seconds * 1000), labels={"application": "stoa"}
        )
        return self.connected().query(statement, job_config=settings, timeout=self.settings.statement_timeout)

    def _module(self) -> Any:
        return self.driver("google.cloud.bigquery", "google-cloud-bigquery")

    def reading(self) -> BigqueryReading:
        """The data of what is selected."""
        return BigqueryReading(self)

    def is_own(self, database: str, schema: str, table: str) -> bool:
        """Return what the product itself brings along."""
        return schema.upper() == "INFORMATION_SCHEMA" or table.startswith("__")

    def _server_version(self) -> str:
        self.connected()
        return "BigQuery"

    def _driver_connect(self) -> Connect:
        self._module()
        account = self.driver("google.oauth2.service_account", "google-cloud-bigquery")
        client = self._module().Client

        def connect(**options: Any) -> Any:
            key = options.pop("key")
            identity = account.Credentials.from_service_account_info(key, scopes=_SCOPES)
            return client(credentials=identity, **options)

        return connect

    def _connect(self, connect: Callable[..., Any], addresses: Sequence[str]) -> Any:
        # The key itself names where to fetch tokens; a forged one must not make Stoa call an address of its choice.
        key = {**self._key(), "token_uri": _TOKEN_URI}
        port = "" if self.port == self.default_port else f":{self.port}"
        return connect(
            key=key,
            project=self.config.database,
            location=self.config.options.location,
            client_options={"api_endpoint": f"https://{self.config.host}{port}"},
        )

    def _key(self) -> dict[str, Any]:
        try:
            key = json.loads(self._credentials.service_account.get_secret_value())
        except ValueError:
            key = None
        if not isinstance(key, dict) or key.get("type") != "service_account":
            raise ConnectorError(
                "bad_config", "credentials.service_account: give the JSON key of a service account, whole."
            )
        return key

    def _failure(self, error: BaseException) -> ConnectorError:
        name, code = type(error).__name__, getattr(error, "code", None)
        if name in ("RefreshError", "MalformedError") or code == 401:
            return ConnectorError(
                "authentication", "Google refused the key of the service account. Create a new one and store it."
            )
        if code == 403:
            return not_permitted("list the datasets or run queries in this project")
        if code == 404:
            return unknown_database(self.config.database)
        if name in ("RetryError", "ConnectTimeout", "ReadTimeout", "TransportError"):
            return no_answer(self.config.host, self.port, self.settings.connect_timeout)
        return self._general_failure(error)


def _column(place: int, row: Row) -> ColumnInfo:
    _, name, data_type, nullable, default, description, _ = row
    bare = re.split(r"[(<]", str(data_type))[0].strip().upper()
    sizes = re.search(r"^[A-Z0-9]+\((\d+)(?:,\s*(\d+))?\)", str(data_type))
    number = bare in ("NUMERIC", "BIGNUMERIC")
    return ColumnInfo(
        name=name,
        data_type=_TYPES.get(bare, bare),
        data_type_display=data_type,
        ordinal_position=place,
        nullable={"YES": True, "NO": False}.get(str(nullable).upper()),
        comment=description or None,
        precision=int(sizes[1]) if sizes and number else None,
        scale=int(sizes[2] or 0) if sizes and number else None,
        data_length=int(sizes[1]) if sizes and not number else None,
        default=None if default in (None, "NULL") else default,
    )


def _unquoted(option: str | None) -> str | None:
    """The text of an option, which INFORMATION_SCHEMA gives as a SQL string literal."""
    if not option:
        return None
    try:
        text = json.loads(option)
    except ValueError:
        return option.strip('"')
    return text if isinstance(text, str) else option
