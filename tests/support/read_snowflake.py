"""Run in `.cache/stand-ins`: reads a small Snowflake database through our connector and the real driver, prints JSON.

The stand-in speaks plain HTTP, so the driver's own `connect` is told its address; all else is the connector's.
"""

import contextlib
import json
import sys
from dataclasses import asdict
from typing import Any

import fakesnow
import snowflake.connector
import sqlglot
from sqlglot import exp

from persistence.connectors.core.base import ConnectorError, ConnectorSettings
from persistence.connectors.dbapi.snowflake import SnowflakeConfig, SnowflakeConnector, SnowflakeCredentials

STATEMENTS = (
    "create database if not exists SHOP",
    "create schema if not exists SHOP.SALES",
    "create schema if not exists SHOP.STOCK",
    "create table SHOP.SALES.CUSTOMERS (ID int not null, NAME varchar(40), SINCE timestamp_ntz)",
    "create table SHOP.SALES.ORDERS (ID int, AMOUNT number(10,2), PAID boolean)",
    "insert into SHOP.SALES.ORDERS select seq, seq / 4, seq % 2 = 0 from (select row_number() over (order by 1) as seq"
    " from table(generator(rowcount => 2000)))",
    "create table SHOP.STOCK.ITEMS (SKU varchar(12) not null, WEIGHT float)",
)


class Loopback:
    """An address policy for which everything is here."""

    def resolve(self, host: str, port: int) -> list[str]:
        """This machine."""
        return ["127.0.0.1"]


def main() -> None:
    """Read, and print what was found."""
    with contextlib.redirect_stdout(sys.stderr), fakesnow.server() as server:
        filling = snowflake.connector.connect(**server, database="SHOP", schema="SALES")
        for statement in STATEMENTS:
            filling.cursor().execute(statement)

        def connect(**given: Any) -> Any:
            return snowflake.connector.connect(**(given | server))

        config = SnowflakeConfig.model_validate({"host": "acme.snowflakecomputing.com", "database": "SHOP"})
        credentials = SnowflakeCredentials(username="ann", password="secret")
        with SnowflakeConnector(config, credentials, ConnectorSettings(), Loopback(), connect=connect) as source:
            found: dict[str, Any] = {"verified": source.verify().details}
            schemas = source.schemas()
            found["schemas"] = {schema.name: list(schema.tables) for schema in schemas}
            found["tables"] = [
                asdict(table) for schema in schemas for table in source.tables("SHOP", schema.name, schema.tables)
            ]
            found["data"] = _data(source)
        settings = ConnectorSettings(connect_timeout=2)
        with SnowflakeConnector(config, credentials, settings, Loopback(), connect=_unreachable) as source:
            try:
                source.verify()
            except ConnectorError as error:
                found["refused"] = [error.kind, error.reason]
    sys.stdout.write(json.dumps(found))


def _data(source: SnowflakeConnector) -> dict[str, Any]:
    """Return what a query, a stream, a sample and a statement that writes come to."""
    told: dict[str, Any] = {}
    with source.source() as reading:
        orders = reading.relation("SHOP", "SALES", "ORDERS")
        everything = exp.select("*").from_(orders)
        told["rows"] = [[str(value) for value in row] for row in reading.ask(everything.limit(3).order_by("1"))]
        told["batches"] = [len(batch) for batch in reading.stream(everything, size=700)]
        sample = reading.sample(orders, ["ID"], 100)
        told["sample"] = [len(sample.rows), sample.is_whole]
        known = reading.statistics("SHOP", "SALES", "ORDERS")
        told["known"] = None if known is None else known.row_count
        for name, ask in (
            ("own", lambda: reading.relation("SHOP", "INFORMATION_SCHEMA", "TABLES")),
            ("write", lambda: reading.ask(sqlglot.parse_one("delete from SHOP.SALES.ORDERS", dialect="snowflake"))),
            ("unknown", lambda: reading.ask(exp.select("*").from_(reading.relation("SHOP", "SALES", "GONE")))),
        ):
            try:
                ask()
            except ConnectorError as error:
                told[name] = [error.kind, error.reason]
    return told


def _unreachable(**given: Any) -> Any:
    """The driver, sent to a port where nobody listens."""
    return snowflake.connector.connect(**(given | {"host": "127.0.0.1", "port": 9, "protocol": "http"}))


if __name__ == "__main__":
    main()
