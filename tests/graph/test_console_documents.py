"""What the console asks, asked of a running platform: bounds and rules of operations are no part of a schema."""

from typing import Any

import pytest
from graphql import NonNullTypeNode, OperationDefinitionNode, OperationType, parse

from tests.test_console import DOCUMENT, DOCUMENTS
from tests.world import World

pytestmark = pytest.mark.anyio

TEXTS = {name: text for file in DOCUMENTS for name, text in DOCUMENT.findall(file.read_text("utf-8"))}


def variables_of(operation: OperationDefinitionNode, known: dict[str, Any]) -> dict[str, Any] | None:
    """The variables of a document as far as they are known; None where one that is needed is not."""
    declared = operation.variable_definitions or ()
    names = {one.variable.name.value for one in declared}
    needed = {
        one.variable.name.value
        for one in declared
        if isinstance(one.type, NonNullTypeNode) and one.default_value is None
    }
    return {name: known[name] for name in names & (needed | {"version"})} if needed <= known.keys() else None


@pytest.fixture
async def known(world: World) -> dict[str, Any]:
    """Values of variables: a table with two versions in the catalog of a connection."""

    async def made(method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await world.request(method, path, token=world.owner, headers={"X-Project-ID": world.shop}, json=body)
        assert answer.is_success, answer.text
        told: dict[str, Any] = answer.json()
        return told

    connection = {"name": "svc", "connection_type": "postgres", "database_config": {"host": "db", "database": "d"}}
    uri = (await made("POST", "/assets/data", connection))["resource_uri"]
    path = f"/utils/data_connection/{uri}/metadata"
    for kind, name in (("database", "svc.d"), ("database_schema", "svc.d.s"), ("table", "svc.d.s.t")):
        await made("POST", path, {"fully_qualified_name": name, "type": kind})
    await made("PUT", f"{path}?fqn=svc.d.s.t", {"description": "another"})
    return {"resourceUri": uri, "fqn": "svc.d.s.t", "version": "0.1", "orgId": "acme"}


async def test_no_query_of_the_console_is_refused(world: World, known: dict[str, Any]) -> None:
    asked = 0
    for name, text in TEXTS.items():
        operation = parse(text).definitions[0]
        assert isinstance(operation, OperationDefinitionNode)
        variables = variables_of(operation, known)
        if operation.operation is not OperationType.QUERY or variables is None:
            continue
        headers = {"X-Project-ID": world.shop}
        body = {"query": text, "variables": variables}
        answer = (await world.request("POST", "/graphql", token=world.owner, headers=headers, json=body)).json()
        refused = [one for one in answer.get("errors", ()) if one["extensions"]["status"] != 404]
        assert refused == [], name  # what is not there, such as a profile of this table, is no refusal
        asked += 1
    assert asked >= 20
