"""The config and credentials of a connection by their types: inputs of the graph, and shapes of the document."""

from typing import Any

import pytest

from persistence.connectors import CONNECTION_TYPES, connector_class
from rest_compat.app import SERVICES, openapi_of
from schema.assets.connection_configs.types import TYPES
from schema.assets.data_connection import ConnectionType
from tests.support.slips import BASES, CREDENTIALS, DATABASE, PASSWORD
from tests.world import World

CREATE = "mutation ($c: DataConnectionCreate!) { createDataConnection(connection: $c) { %s } }"
UPDATE = """mutation ($uri: String!, $c: DataConnectionChange!) {
    updateDataConnection(resourceUri: $uri, changes: $c) { databaseConfig secretNames status } }"""
SECTIONS = {
    "database_config": "databaseConfig",
    "storage_config": "storageConfig",
    "filesystem_config": "filesystemConfig",
}
IN_THE_GRAPH = {"ssl_mode": "sslMode", "endpoint_url": "endpointUrl", "service_account": "serviceAccount"} | {
    "access_key_id": "accessKeyId",
    "secret_access_key": "secretAccessKey",
}


def spelled(given: dict[str, Any]) -> dict[str, Any]:
    """A config as the typed input has it."""
    typed = {IN_THE_GRAPH.get(name, name): value for name, value in given.items()}
    return typed | ({"sslMode": "REQUIRE"} if "sslMode" in typed else {})


async def asked(world: World, document: str, **variables: Any) -> dict[str, Any]:
    """Return what the graph answers: the data of the one field, or its error's extensions."""
    answer = (
        await world.request("POST", "/graphql", token=world.owner, json={"query": document, "variables": variables})
    ).json()
    if answer.get("errors"):
        found: dict[str, Any] = answer["errors"][0]["extensions"]
        return found
    (value,) = answer["data"].values()
    return dict(value)


def test_the_list_of_types_is_the_contracts_and_that_of_the_connectors() -> None:
    assert tuple(TYPES) == CONNECTION_TYPES == tuple(kind.value for kind in ConnectionType)
    for name, taken in TYPES.items():
        connector = connector_class(name)
        assert taken == (connector.config_section, connector.config_model, connector.credentials_model)


@pytest.mark.anyio
async def test_a_typed_input_makes_the_connection_that_json_makes(world: World) -> None:
    for name, taken in TYPES.items():
        config, credentials = BASES.get(name, DATABASE), CREDENTIALS.get(name, PASSWORD)
        new = {"name": name, "connectionType": name.upper()}
        section = SECTIONS[taken.section]
        fields = f"{section} secretNames"
        untyped = await asked(world, CREATE % fields, c=new | {section: config, "credentials": credentials})
        typed = {"typedConfig": {name: spelled(config)}}
        if credentials:
            typed["typedCredentials"] = {name: spelled(credentials)}
        assert await asked(world, CREATE % fields, c=new | typed) == untyped, name
        assert untyped["secretNames"] == sorted(credentials)


@pytest.mark.anyio
async def test_a_typed_input_is_told_what_is_wrong_with_it(world: World) -> None:
    new = {"name": "Shop", "connectionType": "POSTGRES"}
    good = {"host": "db.example.com", "database": "shop"}
    for given, code, status, field in (
        ({"typedConfig": {"postgres": good | {"port": 0}}}, "VALIDATION_ERROR", 422, "typed_config.postgres.port"),
        ({"typedConfig": {"postgres": good | {"port": "5432"}}}, "INVALID_FORMAT", 400, "typed_config.postgres.port"),
        (
            {"typedConfig": {"postgres": good | {"options": {"sslCa": 5}}}},
            "INVALID_FORMAT",
            400,
            "typed_config.postgres.options.ssl_ca",
        ),
        ({"typedConfig": {"postgres": {"host": "h"}}}, "MISSING_REQUIRED_FIELD", 400, "typed_config.postgres.database"),
        ({"typedConfig": {"mysql": good}}, "VALIDATION_ERROR", 422, ""),
        (
            {"typedConfig": {"postgres": good}, "typedCredentials": {"mysql": {"username": "u"}}},
            "VALIDATION_ERROR",
            422,
            "",
        ),
        ({"typedConfig": {"postgres": good}, "databaseConfig": good}, "VALIDATION_ERROR", 422, ""),
        ({"typedConfig": None}, "MISSING_REQUIRED_FIELD", 400, "database_config"),
    ):
        told = await asked(world, CREATE % "resourceUri", c=new | given)
        assert (told["code"], told["status"], told["details"]["field"]) == (code, status, field), given
    for given in ({"typedConfig": {}}, {"typedConfig": {"postgres": good, "mysql": good}}):
        told = await asked(world, CREATE % "resourceUri", c=new | given)
        assert (told["code"], told["status"]) == ("VALIDATION_ERROR", 400)


@pytest.mark.anyio
async def test_a_typed_change_is_of_the_type_of_the_connection(world: World) -> None:
    new = {"name": "Shop", "connectionType": "POSTGRES", "typedConfig": {"postgres": {"host": "h", "database": "d"}}}
    uri = (await asked(world, CREATE % "resourceUri", c=new))["resourceUri"]
    changed = await asked(
        world,
        UPDATE,
        uri=uri,
        c={
            "typedConfig": {"postgres": {"host": "h", "database": "e", "sslMode": "VERIFY_CA"}},
            "typedCredentials": {"postgres": {"username": "u"}},
        },
    )
    assert (changed["databaseConfig"]["database"], changed["databaseConfig"]["ssl_mode"]) == ("e", "verify-ca")
    assert changed["secretNames"] == ["username"]
    for part in ({"typedConfig": {"mysql": {"host": "h"}}}, {"typedCredentials": {"smb": {"username": "v"}}}):
        told = await asked(world, UPDATE, uri=uri, c=part)
        assert (told["code"], told["status"]) == ("VALIDATION_ERROR", 422)
        assert told["details"]["field"] in ("typed_config", "typed_credentials")


@pytest.mark.anyio
async def test_rest_takes_no_typed_part(world: World) -> None:
    """It needs none: its document has one shape for each type."""
    given = {"name": "Shop", "connection_type": "mysql", "typed_config": {"mysql": {"host": "h"}}}
    answer = await world.request("POST", "/assets/data", token=world.owner, json=given)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["details"]["field"]) == (400, "VALIDATION_ERROR", "typed_config")


def test_the_document_has_one_shape_for_each_type_and_no_open_object() -> None:
    (assets,) = (openapi_of(service) for service in SERVICES if service.name == "assets")
    schemas = assets["components"]["schemas"]
    mapping = schemas["DataConnectionCreate"]["discriminator"]["mapping"]
    assert set(mapping) == set(CONNECTION_TYPES)
    seen: set[str] = set()

    def walk(node: Any, where: str) -> None:
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if name and name not in seen:
                seen.add(name)
                walk(schemas[name], name)
            opens = node.get("type") == "object" and not any(
                key in node for key in ("properties", "allOf", "anyOf", "oneOf")
            )
            assert not opens or node.get("additionalProperties") is False or where.endswith("service_account"), where
            for key, value in node.items():
                walk(value, where if key in ("properties", "anyOf") else f"{where}.{key}")
        elif isinstance(node, list):
            for item in node:
                walk(item, where)

    walk(schemas["DataConnectionCreate"], "create")
    walk(schemas["DataConnectionChange"], "change")
    assert {"PostgresConfig", "SmbConfig", "StorageConfig", "HiveOptions", "SnowflakeCredentials"} <= seen
