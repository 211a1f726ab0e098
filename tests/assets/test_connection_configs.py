"""The config and the credentials of each type of connection: what a slip is answered with, through both doors."""

import json
import os
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from persistence.connectors import open_connector
from persistence.connectors.core.base import ConnectorError, ConnectorSettings
from persistence.connectors.core.gateway import Gateway
from resolvers.assets.data_connections import _checked_config, create_data_connection
from schema.errors import ApiError
from tests.assets.test_data_connections import POSTGRES, made_of
from tests.doors import Door
from tests.support.slips import slips
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

HOST = {"host": "db.example.com"}
FORM, BOUND = ("INVALID_FORMAT", 400), ("VALIDATION_ERROR", 422)

SLIPS: list[tuple[str, str, dict[str, Any], tuple[str, int], str]] = [
    ("s3", "storage_config", {"bucket": "s3://my-bucket/folder"}, BOUND, "storage_config.bucket"),
    ("s3", "storage_config", {"bucket": "b", "region": "eu west 1"}, BOUND, "storage_config.region"),
    ("gcs", "storage_config", {"bucket": "my bucket"}, BOUND, "storage_config.bucket"),
    ("s3", "storage_config", {"bucket": 5}, FORM, "storage_config.bucket"),
    ("bigquery", "database_config", {"database": "My-Project"}, BOUND, "database_config.database"),
    (
        "databricks",
        "database_config",
        HOST | {"options": {"http_path": "https://adb.example/sql 1"}},
        BOUND,
        "database_config.options.http_path",
    ),
    ("postgres", "database_config", POSTGRES | {"port": "5432"}, FORM, "database_config.port"),
    ("postgres", "database_config", POSTGRES | {"port": True}, FORM, "database_config.port"),
    ("postgres", "database_config", POSTGRES | {"port": 5432.5}, FORM, "database_config.port"),
    ("postgres", "database_config", POSTGRES | {"ssl_mode": 5}, FORM, "database_config.ssl_mode"),
    ("postgres", "database_config", POSTGRES | {"database": 5}, FORM, "database_config.database"),
    (
        "mongodb",
        "database_config",
        HOST | {"options": {"sample_size": "9"}},
        FORM,
        "database_config.options.sample_size",
    ),
    (
        "mysql",
        "database_config",
        HOST | {"options": {"max_concurrency": True}},
        FORM,
        "database_config.options.max_concurrency",
    ),
    ("mysql", "database_config", HOST | {"options": []}, FORM, "database_config.options"),
    ("mysql", "database_config", HOST | {"selected_tables": {}}, FORM, "database_config.selected_tables"),
    (
        "mysql",
        "database_config",
        HOST | {"selected_tables": [{"database_name": "d", "schemas": "s"}]},
        FORM,
        "database_config.selected_tables.0.schemas",
    ),
    ("hive", "database_config", HOST | {"options": {"auth_mechanism": "KERBEROS"}}, BOUND,
     "database_config.options.auth_mechanism"),
    ("hive", "database_config", HOST | {"options": {"auth_mechanism": 1}}, FORM,
     "database_config.options.auth_mechanism"),
    ("smb", "filesystem_config", {"path": "//s/share", "auth_required": "yes"}, FORM,
     "filesystem_config.auth_required"),
    ("nfs", "filesystem_config", {"path": "/mnt", "auth_required": 1}, FORM, "filesystem_config.auth_required"),
    ("mysql", "database_config", {"host": "db.example.com:3306"}, BOUND, "database_config.host"),
    ("minio", "storage_config", {"bucket": "b", "endpoint_url": "http://[1]"}, BOUND, "storage_config.endpoint_url"),
    ("smb", "filesystem_config", {"path": "//[::g]/share"}, BOUND, "filesystem_config.path"),
    ("nfs", "filesystem_config", {"path": "mnt"}, BOUND, "filesystem_config.path"),
    ("nfs", "filesystem_config", {"path": "/mnt", "protocol": "ftp"}, BOUND, "filesystem_config.protocol"),
]  # fmt: skip

CREDENTIALS: list[tuple[str, str, dict[str, Any], dict[str, Any], tuple[str, int], str]] = [
    ("postgres", "database_config", POSTGRES, {"username": 5}, FORM, "credentials.username"),
    ("postgres", "database_config", POSTGRES, {"username": "u", "password": 5}, FORM, "credentials.password"),
    ("postgres", "database_config", POSTGRES, {"username": ""}, BOUND, "credentials.username"),
    ("databricks", "database_config", HOST, {"token": ["t"]}, FORM, "credentials.token"),
    ("s3", "storage_config", {"bucket": "b"}, {"access_key_id": "a"}, BOUND, "credentials"),
    ("smb", "filesystem_config", {"path": "//s/share"}, {"username": True}, FORM, "credentials.username"),
]


@pytest.mark.parametrize(("kind", "section", "config", "answer", "field"), SLIPS)
async def test_a_slip_in_a_config_is_told_with_its_field(
    world: World, door: Door, kind: str, section: str, config: dict[str, Any], answer: tuple[str, int], field: str
) -> None:
    given = made_of(connection_type=kind, **({"database_config": ...} | {section: config}))
    refused = await door(create_data_connection, world.owner, connection=given)
    assert (refused.code, refused.status) == answer
    assert refused.details["field"] == field


@pytest.mark.parametrize(("kind", "section", "config", "credentials", "answer", "field"), CREDENTIALS)
async def test_a_slip_in_credentials_is_told_with_its_field(
    world: World,
    door: Door,
    kind: str,
    section: str,
    config: dict[str, Any],
    credentials: dict[str, Any],
    answer: tuple[str, int],
    field: str,
) -> None:
    given = made_of(connection_type=kind, credentials=credentials, **({"database_config": ...} | {section: config}))
    refused = await door(create_data_connection, world.owner, connection=given)
    assert (refused.code, refused.status) == answer
    assert refused.details["field"] == field


class Closed:
    """A policy that lets nothing out, so that a connector goes as far as it can without a network."""

    def resolve(self, host: str, port: int) -> list[str]:
        """Refuse."""
        raise PermissionError("No address is allowed here.")


def answered(kind: str, section: str, config: Any, credentials: Any, gateway: Gateway) -> int:
    """The status that the config is answered with. Raises whatever would be a 500."""
    given = {"name": "Store", "connection_type": kind, section: config, "credentials": credentials}
    ctx: Any = SimpleNamespace(services=SimpleNamespace(connectors=gateway))
    try:
        body = create_data_connection.parsed_body(json.dumps(given).encode("utf-8", "surrogatepass"))
        complete = _checked_config(ctx, body.connection_type, body.model_dump(), body.credentials)
    except ApiError as refused:
        return refused.status
    try:
        with open_connector(
            kind, complete[section], body.credentials or {}, gateway.settings, gateway.outbound
        ) as connector:
            connector.schemas()
    except ConnectorError:
        pass  # it says why
    return 201


def test_no_config_of_any_type_is_an_unexpected_failure() -> None:
    """`STOA_TEST_SLIPS=50000` (and `STOA_TEST_SLIPS_SEED`) makes a long run of it."""
    number, seed = (int(os.environ.get(f"STOA_TEST_SLIPS{more}", usual)) for more, usual in (("", 600), ("_SEED", 1)))
    gateway = Gateway(ConnectorSettings(connect_timeout=1, statement_timeout=1), Closed())
    statuses: Counter[int] = Counter()
    for kind, section, config, credentials in slips(seed, number):
        try:
            statuses[answered(kind, section, config, credentials, gateway)] += 1
        except Exception as error:
            raise AssertionError(f"{kind}: {config!r} with {credentials!r}") from error
    print(dict(statuses))  # noqa: T201 - the figures of a long run
    assert set(statuses) == {201, 400, 422}


async def test_no_config_of_any_type_is_a_500_over_http(world: World) -> None:
    for kind, section, config, credentials in slips(2, 90):
        given = {"name": "Store", "connection_type": kind, section: config, "credentials": credentials}
        answer = await world.request(
            "POST",
            "/assets/data",
            token=world.owner,
            content=json.dumps(given).encode("utf-8", "surrogatepass"),
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code in (201, 400, 422), (kind, config, credentials)
