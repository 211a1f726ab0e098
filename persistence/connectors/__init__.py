"""The connectors by their contract name, and the one way to open them.

A connector's module is imported when its kind is first asked for, so a deployment pays only for the drivers it uses.
`open_connector` checks the config and the credentials; the connector resolves and checks the address when it
connects. Both report what is wrong as a `ConnectorError` whose reason is safe to show.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from persistence.connectors.core.base import Connector, ConnectorError, ConnectorSettings, Outbound
from persistence.connectors.core.folders import NOWHERE, Folders

__all__ = ["CONNECTION_TYPES", "connector_class", "in_thread", "open_connector"]

T = TypeVar("T")

_CONNECTORS: Mapping[str, str] = {
    "postgres": "postgres.connector:PostgresConnector",
    "redshift": "postgres.redshift:RedshiftConnector",
    "mysql": "mysql.connector:MysqlConnector",
    "bigquery": "dbapi.bigquery:BigqueryConnector",
    "snowflake": "dbapi.snowflake:SnowflakeConnector",
    "databricks": "dbapi.databricks:DatabricksConnector",
    "couchbase": "documents.couchbase:CouchbaseConnector",
    "oracle": "dbapi.oracle:OracleConnector",
    "hive": "dbapi.hive:HiveConnector",
    "mongodb": "documents.mongodb:MongodbConnector",
    "s3": "files.s3:S3Connector",
    "gcs": "files.gcs:GcsConnector",
    "minio": "files.minio:MinioConnector",
    "nfs": "files.nfs:NfsConnector",
    "smb": "files.smb:SmbConnector",
}

CONNECTION_TYPES: tuple[str, ...] = tuple(_CONNECTORS)
"""The values of `connection_type`, in the order of the contract (2.1)."""


def connector_class(connection_type: str) -> type[Connector]:
    """The class that serves a connection type.

    Raises ConnectorError("bad_config") for a name that is not one of CONNECTION_TYPES.
    """
    try:
        module, _, name = _CONNECTORS[connection_type].partition(":")
    except KeyError:
        raise ConnectorError(
            "bad_config", f"There is no connection type of that name. Use one of: {', '.join(CONNECTION_TYPES)}."
        ) from None
    return cast(type[Connector], getattr(import_module(f"persistence.connectors.{module}"), name))


def open_connector(
    connection_type: str,
    config: Mapping[str, Any],
    credentials: Mapping[str, Any],
    settings: ConnectorSettings,
    outbound: Outbound,
    folders: Folders = NOWHERE,
) -> Connector:
    """Build a connector from what the tenant stored. It connects on its first use, not here.

    `config` is the content of the section that the class names in `config_section`; `credentials` is the decrypted
    secret; `folders` is what the organization may read of this machine. Raises ConnectorError("bad_config") with the
    path of every field that does not fit, never with its value.
    """
    kind = connector_class(connection_type)
    checked_config = _checked(kind.config_model, config, kind.config_section)
    checked_credentials = _checked(kind.credentials_model, credentials, "credentials")
    build = cast(Callable[[BaseModel, BaseModel, ConnectorSettings, Outbound], Connector], kind)
    connector = build(checked_config, checked_credentials, settings, outbound)
    connector.folders = folders
    return connector


def _checked(model: type[BaseModel], values: Mapping[str, Any], section: str) -> BaseModel:
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        # Only the path and the rule: the refused value itself may be a secret.
        problems = "; ".join(
            f"{'.'.join((section, *map(str, problem['loc'])))}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False, include_context=False)
        )
    # Outside the handler, so that not even a chained traceback carries the refused values.
    raise ConnectorError("bad_config", f"Correct these fields and try again: {problems}.")


async def in_thread(work: Callable[[], T], *, timeout: float) -> T:  # noqa: ASYNC109 - the deadline is the point
    """Run a blocking call of a connector in a thread of its own and wait at most `timeout` seconds for it.

    Raises ConnectorError("timeout") at the deadline. A thread cannot be stopped, so it is left to end by itself (its
    driver has time-outs of its own); being a daemon, it never holds up the end of the process. The connector that it
    uses must then only be closed.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(set_outcome: Callable[[Any], None], value: object) -> None:
        if not outcome.done():
            set_outcome(value)

    def run() -> None:
        step: tuple[Callable[[Any], None], object]
        try:
            step = (outcome.set_result, context.run(work))
        except BaseException as error:
            step = (outcome.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the loop was closed while the call went on
            loop.call_soon_threadsafe(deliver, *step)

    threading.Thread(target=run, name="stoa-connector", daemon=True).start()
    try:
        async with asyncio.timeout(timeout):
            return await outcome
    except TimeoutError as error:
        if outcome.done() and not outcome.cancelled() and outcome.exception() is error:
            raise  # the call itself said so
        raise ConnectorError(
            "timeout",
            f"The source did not answer within {timeout:g} seconds. Check that it is up and not overloaded, "
            "then try again.",
        ) from None
