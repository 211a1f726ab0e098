"""A secret goes where somebody who may read it has sent it, and nowhere else, whoever changes an address."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.connectors.core.destination import destination
from persistence.keyring import secret_data
from persistence.tables.assets import data_connections
from persistence.tables.governance import secrets
from resolvers.assets.data_connections import (
    create_data_connection,
    get_data_connection,
    get_data_connection_secret,
    update_data_connection,
    verify_data_connection,
)
from resolvers.governance.secrets import update_resource_secret
from rest_compat.setup import rotate_secrets
from schema.assets.data_connection import DataConnectionChange, DataConnectionCreate
from tests.doors import Door, Refused
from tests.support.http_stub import Asked, HttpStub, Reply, http_stub
from tests.support.thief import Thief, postgres_thief
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # bodies are made here as they are sent
]

PASSWORD = "swordfish-4711"
LOGIN = {"username": "reader", "password": PASSWORD}
POSTGRES = {"host": "127.0.0.1", "port": 1, "database": "d"}


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Nothing that does not answer is waited for."""
    return {"connect_timeout": 3, "model_timeout": 2.0, "rate_limit_writes": 100_000}


@pytest.fixture
def thief() -> Iterator[Thief]:
    """A PostgreSQL server of the attacker's own."""
    with postgres_thief() as server:
        yield server


@pytest.fixture
def web() -> Iterator[HttpStub]:
    """An HTTP server of the attacker's own."""

    def answer(asked: Asked) -> Reply:
        return 401, {"WWW-Authenticate": 'Basic realm="yours"'}, b"{}"

    with http_stub(answer) as stub:
        yield stub


def heard(thief: Thief, web: HttpStub) -> str:
    """All that arrived at the attacker's servers."""
    return repr(thief.heard) + repr([(asked.path, asked.query, asked.headers, asked.body) for asked in web.asked])


async def registered(world: World, door: Door, **given: Any) -> str:
    """A connection of the owner's; its URI."""
    values = {"name": "Store", "connection_type": "postgres", "database_config": POSTGRES, "credentials": LOGIN} | given
    values = {name: value for name, value in values.items() if value is not ...}
    body = DataConnectionCreate.model_construct(_fields_set=set(values), **values)
    made = await door(create_data_connection, world.owner, connection=body)
    assert isinstance(made, dict), made
    uri: str = made["resource_uri"]
    return uri


async def changed(door: Door, token: str, uri: str, **given: Any) -> Any:
    """The answer to a change."""
    body = DataConnectionChange.model_construct(_fields_set=set(given), **given)
    return await door(update_data_connection, token, resource_uri=uri, changes=body)


async def test_who_may_not_read_credentials_cannot_have_them_sent_to_a_server_of_his_own(
    world: World, door: Door, thief: Thief, web: HttpStub
) -> None:
    developer = await world.member("developer")
    key = {"access_key_id": "AKIAQUAGGA", "secret_access_key": PASSWORD}
    service: dict[str, Any] = {"database_config": {"host": "127.0.0.1", "port": 2}, "credentials": LOGIN}
    bucket: dict[str, Any] = {"storage_config": {"bucket": "b", "endpoint_url": "http://127.0.0.1:2"}}
    attacks: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("postgres", {}, {"database_config": POSTGRES | {"port": thief.port}}),
        ("postgres", {}, {"database_config": POSTGRES | {"port": thief.port, "host": "localhost"}}),
        ("redshift", {}, {"database_config": POSTGRES | {"port": thief.port}}),
        ("couchbase", service, {"database_config": {"host": "localhost", "port": web.port}}),
        (
            "minio",
            bucket | {"database_config": ..., "credentials": key},
            {"storage_config": {"bucket": "b", "endpoint_url": web.url}},
        ),
    ]
    for number, (kind, given, change) in enumerate(attacks):
        uri = await registered(world, door, connection_type=kind, name=f"Store {number}", **given)
        after = await changed(door, developer, uri, **change, status="ACTIVE", status_message="all is well")
        assert (after["status"], after["secret_names"]) == ("PENDING", []), kind
        assert "may not read" in after["status_message"], kind
        assert "Enter them again" in after["status_message"], kind
        await door(verify_data_connection, developer, resource_uri=uri)
        assert await door(get_data_connection_secret, world.owner, resource_uri=uri) == {"credentials": {}}
    told = heard(thief, web)
    assert not any(word in told for word in (PASSWORD, "reader", "AKIAQUAGGA", "cmVhZGVyO"))
    await registered(world, door, name="Own", credentials=LOGIN, database_config=POSTGRES | {"port": thief.port})
    await door(verify_data_connection, world.owner, resource_uri=f"data:acme:{world.shop}:own")
    assert PASSWORD in heard(thief, web), "the server hears what it is sent"


async def test_a_weaker_protection_is_another_place_to_send_a_password_to(world: World, door: Door) -> None:
    developer = await world.member("developer")
    strict = POSTGRES | {"ssl_mode": "verify-full", "options": {"ssl_ca": "own"}}
    for number, change in enumerate(
        ({"ssl_mode": "disable"}, {"ssl_mode": "require"}, {"options": {"ssl_ca": "mine"}}, {"options": {}})
    ):
        uri = await registered(world, door, name=f"Store {number}", database_config=strict)
        after = await changed(door, developer, uri, database_config=strict | change)
        assert (after["status"], after["secret_names"]) == ("PENDING", []), change


async def test_who_may_read_credentials_takes_them_along(world: World, door: Door, thief: Thief) -> None:
    uri = await registered(world, door)
    kept = await changed(door, world.owner, uri, database_config=POSTGRES | {"port": thief.port})
    assert (kept["status"], kept["status_message"]) == ("PENDING", None)
    assert kept["secret_names"] == ["password", "username"]
    await door(verify_data_connection, await world.member("operator"), resource_uri=uri)
    assert PASSWORD in repr(thief.heard)


async def test_what_is_read_is_changed_without_the_credentials(world: World, door: Door, thief: Thief) -> None:
    developer = await world.member("developer")
    uri = await registered(world, door, database_config=POSTGRES | {"port": thief.port})
    narrower = {"db_schema": "sales", "options": {"max_concurrency": 2}}
    narrower |= {"selected_tables": [{"database_name": "d", "schemas": []}]}
    kept = await changed(door, developer, uri, database_config=POSTGRES | {"port": thief.port} | narrower)
    assert (kept["status"], kept["secret_names"]) == ("PENDING", ["password", "username"])
    assert (await changed(door, developer, uri, description="Ours."))["secret_names"] == ["password", "username"]
    await door(verify_data_connection, developer, resource_uri=uri)
    assert PASSWORD in repr(thief.heard)


async def test_new_credentials_go_to_the_new_address_and_the_old_ones_do_not(
    world: World, door: Door, thief: Thief
) -> None:
    developer = await world.member("developer")
    uri = await registered(world, door)
    own = {"username": "me", "password": "hunter2-hunter2"}
    config = POSTGRES | {"port": thief.port}
    after = await changed(door, developer, uri, database_config=config, credentials=own)
    assert (after["status"], after["status_message"]) == ("PENDING", None)
    await door(verify_data_connection, developer, resource_uri=uri)
    assert "hunter2-hunter2" in repr(thief.heard)
    assert PASSWORD not in repr(thief.heard)
    uri = await registered(world, door, name="Null")
    after = await changed(door, developer, uri, database_config=config, credentials=None)
    assert after["secret_names"] == [], "null is no credentials"


async def test_a_disabled_connection_stays_disabled(world: World, door: Door) -> None:
    developer = await world.member("developer")
    uri = await registered(world, door)
    await changed(door, world.owner, uri, status="DISABLED", status_message="Not this year.")
    for token, given in (
        (world.owner, {"database_config": POSTGRES | {"db_schema": "s"}}),
        (world.owner, {"credentials": LOGIN}),
        (world.owner, {"database_config": POSTGRES | {"port": 3}}),
    ):
        after = await changed(door, token, uri, **given)
        assert (after["status"], after["status_message"]) == ("DISABLED", "Not this year.")
    after = await changed(door, developer, uri, database_config=POSTGRES | {"port": 4}, status="ACTIVE")
    assert (after["status"], after["secret_names"]) == ("PENDING", [])
    await changed(door, world.owner, uri, status="DISABLED", credentials=LOGIN)
    after = await changed(door, developer, uri, database_config=POSTGRES | {"port": 5})
    assert (after["status"], after["secret_names"]) == ("DISABLED", [])
    assert "Enter them again" in after["status_message"]
    assert (await door(verify_data_connection, developer, resource_uri=uri)).status == 422
    found = await door(get_data_connection, world.owner, resource_uri=uri)
    assert not isinstance(found, Refused)


async def test_a_config_that_is_changed_by_another_way_opens_nothing(world: World, door: Door, thief: Thief) -> None:
    uri = await registered(world, door)
    evil = POSTGRES | {"port": thief.port}
    names = ("password", "username")

    async def stored(table: sa.Table, **values: Any) -> None:
        change = table.update().values(**values)
        await world.app.parts.services.store.write(lambda uow: uow.connection.execute(change))

    await stored(data_connections, database_config=evil)
    refused = await door(verify_data_connection, world.owner, resource_uri=uri)
    assert (refused["success"], refused["details"]) == (False, {"reason": "refused_address"})
    assert "entered for another address" in refused["message"]
    assert (await door(get_data_connection, world.owner, resource_uri=uri))["status"] == "ERROR"
    assert (await door(get_data_connection_secret, world.owner, resource_uri=uri)) == {"credentials": LOGIN}
    # Nor does it help to write beside the seal that it is for that address, or that it is for none.
    for claim in (destination("postgres", evil), None):
        await stored(secrets, bound_to=claim)
        answer = await door(verify_data_connection, world.owner, resource_uri=uri)
        assert not isinstance(answer, dict) or not answer["success"]
    assert thief.visits == 0
    # What is entered anew, by whichever door, is for the address that stands.
    for name in names:
        where = {"resource_type": "data_connection", "resource_id": uri, "name": name}
        anew = await door(update_resource_secret, world.owner, **where, changes={"value": LOGIN[name]})
        assert not isinstance(anew, Refused), anew
    await door(verify_data_connection, world.owner, resource_uri=uri)
    assert PASSWORD in repr(thief.heard)


async def test_a_secret_of_an_earlier_version_is_bound_to_the_address_of_its_first_use(
    world: World, door: Door, thief: Thief
) -> None:
    uri = await registered(world, door, database_config=POSTGRES | {"port": thief.port})
    services = world.app.parts.services

    def unbind(uow: Any) -> None:
        for name, value in LOGIN.items():
            sealed = services.keyring.seal(value.encode(), secret_data("acme", "data_connection", uri, name, None))
            row = secrets.update().where(secrets.c.name == name).values(sealed=sealed, bound_to=None)
            uow.connection.execute(row)

    await services.store.write(unbind)
    await door(verify_data_connection, world.owner, resource_uri=uri)
    assert PASSWORD in repr(thief.heard)
    query = sa.select(secrets.c.bound_to).distinct()
    bound = await services.store.read(lambda uow: uow.connection.execute(query).scalars().all())
    assert bound == [destination("postgres", POSTGRES | {"port": thief.port})]
    if door.name == "rest":
        sealed, _ = await rotate_secrets(world.app.parts.settings, drop_old=True)
        assert sealed == len(LOGIN)
        thief.heard = b""
        await door(verify_data_connection, world.owner, resource_uri=uri)
        assert PASSWORD in repr(thief.heard), "it is sealed anew for the same address"
    await services.store.write(unbind)
    developer = await world.member("developer")
    after = await changed(door, developer, uri, database_config=POSTGRES)
    assert after["secret_names"] == []
