"""400 or 422: which of the two a wrong body or parameter is, and which field it names (section 7)."""

from typing import Any

import pytest

from resolvers.assets.data_connections import create_data_connection, list_data_connections
from resolvers.data_readiness.workflows import create_workflow_configuration, get_workflow_configuration
from resolvers.governance.projects import create_project
from schema.assets.data_connection import ConnectionType, DataConnectionCreate
from schema.data_readiness.workflow import WorkflowConfigurationCreate
from schema.governance.project import ProjectCreate
from tests.contract.envelopes import assert_envelope, assert_variant
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio


@pytest.fixture
def store_kind() -> str:
    """Return what a failure looks like does not depend on the store; the tests that say otherwise run on both."""
    return "sqlite"


# 400 or 422 ---------------------------------------------------------------------------------------------------------

BODIES: list[tuple[str, dict[str, Any], int, str, str]] = [
    ("/governance/projects", {}, 400, "MISSING_REQUIRED_FIELD", "name"),
    ("/governance/projects", {"name": 7}, 400, "INVALID_FORMAT", "name"),
    ("/governance/projects", {"name": None}, 400, "INVALID_FORMAT", "name"),
    ("/governance/projects", {"name": ["a"]}, 400, "INVALID_FORMAT", "name"),
    ("/governance/projects", {"name": "a", "color": 1}, 400, "VALIDATION_ERROR", "color"),
    ("/governance/projects", {"name": ""}, 422, "VALIDATION_ERROR", "name"),
    ("/governance/projects", {"name": "a" * 256}, 422, "VALIDATION_ERROR", "name"),
    ("/governance/projects", {"name": "a", "description": "d" * 1001}, 422, "VALIDATION_ERROR", "description"),
    # What is wrong in form is told before what is wrong in meaning.
    ("/governance/projects", {"name": "", "description": 7}, 400, "INVALID_FORMAT", "description"),
    (
        "/governance/permissions/grant",
        {"user_or_group": "a", "relation": "king", "resource_type": "project", "resource_id": "x"},
        422,
        "VALIDATION_ERROR",
        "relation",
    ),
    (
        "/governance/permissions/grant",
        {"user_or_group": "a", "relation": "viewer", "resource_type": "project", "resource_id": "x", "is_group": "yes"},
        400,
        "INVALID_FORMAT",
        "is_group",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "paper"},
        422,
        "VALIDATION_ERROR",
        "connection_type",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "postgres"},
        400,
        "MISSING_REQUIRED_FIELD",
        "database_config",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "postgres", "database_config": {"database": "d"}},
        400,
        "MISSING_REQUIRED_FIELD",
        "database_config.host",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "postgres", "database_config": {"host": "h", "database": "d", "port": "x"}},
        400,
        "INVALID_FORMAT",
        "database_config.port",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "postgres", "database_config": {"host": "h", "database": "d", "port": 70000}},
        422,
        "VALIDATION_ERROR",
        "database_config.port",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "nfs", "filesystem_config": {"path": "/x"}, "tags": ["ok", 7]},
        400,
        "INVALID_FORMAT",
        "tags.1",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "nfs", "filesystem_config": "/x"},
        400,
        "INVALID_FORMAT",
        "filesystem_config",
    ),
]


@pytest.mark.parametrize(("path", "body", "status", "code", "field"), BODIES)
async def test_a_wrong_body_is_a_400_for_its_form_and_a_422_for_its_meaning(
    world: World, path: str, body: dict[str, Any], status: int, code: str, field: str
) -> None:
    before = await world.dump()
    answer = await world.request("POST", path, token=world.owner, json=body)
    error = assert_envelope(answer, status, code)
    assert error["details"]["field"] == field
    assert error["details"]["problems"][0].keys() == {"field", "message"}
    assert field in [problem["field"] for problem in error["details"]["problems"]]
    assert await world.dump() == before


PARAMETERS = [
    ("/governance/projects?page=0", "INVALID_PARAMETER", "page"),
    ("/governance/projects?limit=101", "INVALID_PARAMETER", "limit"),
    ("/governance/projects?limit=0", "INVALID_PARAMETER", "limit"),
    ("/governance/permissions/check?resource_type=project&resource_id=x", "MISSING_REQUIRED_FIELD", "permission"),
    (
        "/governance/permissions/check?permission=can_fly&resource_type=project&resource_id=x",
        "INVALID_PARAMETER",
        "permission",
    ),
    ("/assets/data?status=SLEEPING", "INVALID_PARAMETER", "status"),
    ("/assets/data?sort=shoe:asc", "INVALID_PARAMETER", "sort"),
    ("/assets/data?sort=name:up", "INVALID_PARAMETER", "sort"),
    ("/utils/search/metadata?limit=201", "INVALID_PARAMETER", "limit"),
    ("/utils/search/metadata?offset=-1", "INVALID_PARAMETER", "offset"),
    ("/utils/data_connection/x/metadata?fqn=a.b&version=1", "INVALID_PARAMETER", "version"),
    ("/utils/data_connection/x/metadata", "MISSING_REQUIRED_FIELD", "fqn"),
]


@pytest.mark.parametrize(("path", "code", "field"), PARAMETERS)
async def test_a_wrong_parameter_is_always_a_400(world: World, path: str, code: str, field: str) -> None:
    answer = await world.request("GET", path, token=world.owner, headers={"X-Project-ID": world.shop})
    error = assert_envelope(answer, 400, code)
    assert error["details"]["field"] == field


async def test_an_id_that_is_no_uuid_is_a_malformed_parameter(world: World, door: Door) -> None:
    answer = await world.request("GET", "/data-readiness/workflows/nonsense", token=world.owner)
    assert assert_variant(answer, 400, "INVALID_PARAMETER")["details"]["field"] == "configuration_id"
    refused = await door(get_workflow_configuration, world.owner, configuration_id="nonsense")
    assert refused.status == 400


@pytest.mark.parametrize("path", ["/utils/search/metadata", "/governance/resources/projects/secrets"])
async def test_a_header_that_is_demanded_is_demanded_whatever_the_claim_says(world: World, path: str) -> None:
    answer = await world.request("GET", path, token=world.owner)
    assert assert_envelope(answer, 400, "MISSING_REQUIRED_FIELD")["details"]["field"] == "X-Project-ID"
    empty = await world.request("GET", path, token=world.owner, headers={"X-Project-ID": " "})
    assert assert_envelope(empty, 400, "MISSING_REQUIRED_FIELD")["details"]["field"] == "X-Project-ID"


async def test_without_any_project_the_caller_is_told_how_to_select_one(world: World, door: Door) -> None:
    nowhere = world.token("olga")
    refused = await door(list_data_connections, nowhere)
    assert (refused.code, refused.status) == ("MISSING_REQUIRED_FIELD", 400)
    assert refused.details == {"field": "X-Project-ID"}


async def test_both_doors_tell_a_wrong_body_alike(world: World, door: Door) -> None:
    refused = await door(
        create_project, world.owner, project=ProjectCreate.model_construct(name="", description="d" * 1001)
    )
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert refused.details["field"] == "name"
    assert {problem["field"] for problem in refused.details["problems"]} == {"name", "description"}
    wide = DataConnectionCreate(
        name="n", connection_type=ConnectionType.POSTGRES, database_config={"host": "a b", "database": "d"}
    )
    refused = await door(create_data_connection, world.owner, connection=wide)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "database_config.host")


async def test_both_doors_tell_a_wrong_parameter_alike(world: World, door: Door) -> None:
    for arguments in ({"page": 0}, {"limit": 101}, {"sort": "shoe:asc"}, {"search": "x" * 256}):
        refused = await door(list_data_connections, world.owner, **arguments)
        assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400)
        assert refused.details["field"] == next(iter(arguments))


async def test_a_workflow_of_no_type_is_told_in_both_doors(world: World, door: Door) -> None:
    refused = await door(
        create_workflow_configuration, world.owner, configuration=WorkflowConfigurationCreate(name="n")
    )
    assert (refused.code, refused.status, refused.details["field"]) == ("MISSING_REQUIRED_FIELD", 400, "workflow_type")
