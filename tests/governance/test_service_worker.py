"""A service worker names its project by the header, as everybody may, and gains nothing by it."""

import pytest

from auth.model import platform_model
from auth.permissions import conferred, grantable
from resolvers.assets.data_connections import (
    create_data_connection,
    get_data_connection_secret,
    list_data_connections,
    update_data_connection,
)
from resolvers.governance.secrets import create_project_secret, get_project_secret, list_project_secrets
from rest_compat.request import SELECTING
from schema.assets.data_connection import ConnectionType, DataConnectionChange, DataConnectionCreate
from schema.governance.permission import ResourceType
from schema.governance.secret import SecretCreate
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio


def test_every_role_on_a_project_selects_it() -> None:
    model = platform_model()
    for relation in grantable(model, ResourceType.PROJECT):
        assert conferred(model, ResourceType.PROJECT, relation) & set(SELECTING), relation


@pytest.mark.parametrize("claims", [True, False], ids=["named by its token", "named by the header alone"])
async def test_a_service_worker_may_send_the_header_of_its_project(world: World, door: Door, claims: bool) -> None:
    made = await door(
        create_data_connection,
        world.owner,
        connection=DataConnectionCreate(
            name="store",
            connection_type=ConnectionType.POSTGRES,
            database_config={"host": "127.0.0.1", "port": 1, "database": "d"},
            credentials={"username": "u", "password": "p"},
        ),
    )
    uri = made["resource_uri"]
    await door(create_project_secret, world.owner, secret=SecretCreate(name="key", value="v"))
    await world.grant("robot", "service_worker", "project", world.shop)
    robot = world.token("robot", project=world.shop if claims else None)
    own, sibling, theirs = ({"X-Project-ID": id_} for id_ in (world.shop, world.lab, world.theirs))
    assert (await door(get_project_secret, robot, own, name="key"))["value"] == "v"
    assert (await door(list_project_secrets, robot, own))["total"] == 1
    read = await door(get_data_connection_secret, robot, own, resource_uri=uri)
    assert read == {"credentials": {"username": "u", "password": "p"}}
    # What its role does not give stays closed, whatever it names.
    assert await door(list_data_connections, robot, own) == "PROJECT_ACCESS_DENIED"
    change = DataConnectionChange(description="x")
    assert await door(update_data_connection, robot, own, resource_uri=uri, changes=change) == "FORBIDDEN"
    for other in (sibling, theirs, {"X-Project-ID": "none"}):
        for op, arguments in ((list_project_secrets, {}), (get_data_connection_secret, {"resource_uri": uri})):
            assert await door(op, robot, other, **arguments) == "PROJECT_ACCESS_DENIED"
    stranger = world.token("nobody")
    assert await door(get_data_connection_secret, stranger, own, resource_uri=uri) == "PROJECT_ACCESS_DENIED"
