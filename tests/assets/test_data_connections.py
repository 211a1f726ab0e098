"""Data connections: every field and bound, their states, credentials that never show, and the lists."""

import logging
from pathlib import Path
from typing import Any

import pytest

from resolvers.assets.data_connections import (
    create_data_connection,
    get_data_connection,
    get_data_connection_secret,
    list_data_connections,
    update_data_connection,
    verify_data_connection,
)
from schema.assets.data_connection import DataConnectionChange, DataConnectionCreate
from tests.doors import Door
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

PASSWORD = "swordfish-4711"
FIELDS = {
    "resource_uri", "name", "connection_type", "status", "status_message", "description", "tags", "organization_id",
    "project_id", "owner_id", "created_at", "updated_at", "created_by", "updated_by", "type", "database_config",
    "storage_config", "filesystem_config", "secret_names",
}  # fmt: skip
POSTGRES = {"host": "127.0.0.1", "port": 1, "database": "d"}


@pytest.fixture
def setting_overrides(tmp_path: Path) -> dict[str, Any]:
    """One folder that nfs connections may read, with a table in it."""
    folder = tmp_path / "files"
    folder.mkdir(exist_ok=True)
    (folder / "orders.csv").write_text("id,total\n1,2.5\n2,3.5\n")
    return {"filesystem_roots": (f"acme={folder}",), "connect_timeout": 3}


def made_of(**given: Any) -> DataConnectionCreate:
    """A connection to create, as somebody would send it; what is wrong in it is for the server to find."""
    values = {"name": "Store", "connection_type": "postgres", "database_config": POSTGRES} | given
    values = {name: value for name, value in values.items() if value is not ...}
    return DataConnectionCreate.model_construct(_fields_set=set(values), **values)


def changed_to(**given: Any) -> DataConnectionChange:
    """A change, as somebody would send it."""
    return DataConnectionChange.model_construct(_fields_set=set(given), **given)


async def make(world: World, door: Door, token: str | None = None, **given: Any) -> dict[str, Any]:
    """A connection that stands."""
    made = await door(create_data_connection, token or world.owner, connection=made_of(**given))
    assert isinstance(made, dict), made
    return made


async def test_a_new_connection_has_every_documented_field(world: World, door: Door) -> None:
    made = await make(
        world, door, description="d", tags=["a", "b"], credentials={"username": "u", "password": PASSWORD}
    )
    assert set(made) == FIELDS
    assert made["resource_uri"] == f"data:acme:{world.shop}:store"
    assert (made["status"], made["status_message"], made["type"]) == ("PENDING", None, "data")
    assert (made["organization_id"], made["project_id"]) == ("acme", world.shop)
    assert made["owner_id"] == made["created_by"] == made["updated_by"] == "olga"
    assert made["created_at"] == made["updated_at"]
    assert (made["description"], made["tags"]) == ("d", ["a", "b"])
    assert (made["storage_config"], made["filesystem_config"]) == (None, None)
    config = made["database_config"]
    assert config.pop("options") is not None
    assert config == POSTGRES | {"auth_type": "basic", "ssl_mode": "disable", "selected_tables": []}
    made = await door(get_data_connection, world.owner, resource_uri=made["resource_uri"])
    assert made["secret_names"] == ["password", "username"]
    assert await door(get_data_connection, world.owner, resource_uri=made["resource_uri"]) == made


async def test_the_defaults_are_the_documented_ones(world: World, door: Door) -> None:
    made = await make(world, door)
    assert (made["description"], made["tags"], made["secret_names"]) == (None, [], [])


async def test_credentials_show_in_no_answer_log_or_failure(
    world: World, door: Door, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    owner, kept = world.owner, {"username": "u", "password": PASSWORD}
    answers: list[Any] = []
    with caplog.at_level(logging.DEBUG):
        made = await make(world, door, credentials=kept, resource_uri="one")
        uri = made["resource_uri"]
        answers += [made, await door(get_data_connection, owner, resource_uri=uri)]
        answers.append(await door(list_data_connections, owner))
        again = made_of(credentials=kept, resource_uri="one")
        answers.append(await door(create_data_connection, owner, connection=again))
        for wrong in (
            {"password": {"deep": PASSWORD}},
            {"username": "u", "password": PASSWORD, "extra": PASSWORD},
            PASSWORD,
        ):
            answers.append(await door(create_data_connection, owner, connection=made_of(credentials=wrong)))
            answers.append(
                await door(update_data_connection, owner, resource_uri=uri, changes=changed_to(credentials=wrong))
            )
        answers.append(
            await door(update_data_connection, owner, resource_uri=uri, changes=changed_to(credentials=kept))
        )
        answers.append(await door(verify_data_connection, owner, resource_uri=uri))
        answers.append(await door(get_data_connection, owner, resource_uri=uri))
    captured = capsys.readouterr()
    for place in (repr(answers), caplog.text, captured.out, captured.err, repr(await world.dump())):
        assert PASSWORD not in place
    assert await door(get_data_connection_secret, owner, resource_uri=uri) == {"credentials": kept}


async def test_credentials_are_replaced_as_a_whole(world: World, door: Door) -> None:
    owner = world.owner
    uri = (await make(world, door, credentials={"username": "u", "password": PASSWORD}))["resource_uri"]
    kept = await door(update_data_connection, owner, resource_uri=uri, changes=changed_to(description="x"))
    assert kept["secret_names"] == ["password", "username"]
    changed = await door(
        update_data_connection, owner, resource_uri=uri, changes=changed_to(credentials={"username": "v"})
    )
    assert changed["secret_names"] == ["username"]
    assert await door(get_data_connection_secret, owner, resource_uri=uri) == {"credentials": {"username": "v"}}


@pytest.mark.parametrize(
    ("given", "status", "code", "field"),
    [
        ({"name": ...}, 400, "MISSING_REQUIRED_FIELD", "name"),
        ({"name": ""}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "a" * 256}, 422, "VALIDATION_ERROR", "name"),
        ({"name": " a"}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "a/b"}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "ü"}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "a\n"}, 422, "VALIDATION_ERROR", "name"),
        ({"description": "d" * 1001}, 422, "VALIDATION_ERROR", "description"),
        ({"tags": [""]}, 422, "VALIDATION_ERROR", "tags.0"),
        ({"tags": ["a,b"]}, 422, "VALIDATION_ERROR", "tags.0"),
        ({"tags": ["t"] * 101}, 422, "VALIDATION_ERROR", "tags"),
        ({"resource_uri": "Upper"}, 422, "VALIDATION_ERROR", "resource_uri"),
        ({"resource_uri": "a:b"}, 422, "VALIDATION_ERROR", "resource_uri"),
        ({"resource_uri": "a" * 201}, 422, "VALIDATION_ERROR", "resource_uri"),
        ({"database_config": ...}, 400, "MISSING_REQUIRED_FIELD", "database_config"),
        ({"database_config": POSTGRES | {"port": 0}}, 422, "VALIDATION_ERROR", "database_config.port"),
        ({"database_config": POSTGRES | {"port": 65_536}}, 422, "VALIDATION_ERROR", "database_config.port"),
        ({"database_config": POSTGRES | {"ssl_mode": "maybe"}}, 422, "VALIDATION_ERROR", "database_config.ssl_mode"),
        ({"database_config": POSTGRES | {"color": 1}}, 400, "VALIDATION_ERROR", "database_config.color"),
        ({"storage_config": {"bucket": "b"}}, 422, "VALIDATION_ERROR", "storage_config"),
        ({"filesystem_config": {"path": "/x"}}, 422, "VALIDATION_ERROR", "filesystem_config"),
    ],
)
async def test_what_lies_outside_its_bounds_is_refused(
    world: World, door: Door, given: dict[str, Any], status: int, code: str, field: str
) -> None:
    before = await world.dump()
    refused = await door(create_data_connection, world.owner, connection=made_of(**given))
    if door.name == "graphql" and refused.details == {}:  # the graph's own types refuse what is missing
        assert (refused.code, refused.status, code) == ("VALIDATION_ERROR", 400, "MISSING_REQUIRED_FIELD")
    else:
        assert (refused.status, refused.code, refused.details["field"]) == (status, code, field)
    assert await world.dump() == before


@pytest.mark.parametrize(
    "given",
    [
        {"name": "a"},
        {"name": "0" + "a" * 254},
        {"name": "A1 _.:-"},
        {"description": "d" * 1000},
        {"description": ""},
        {"tags": ["t" * 255] * 100},
        {"resource_uri": "a" * 100},
        {"database_config": POSTGRES | {"port": 65_535, "ssl_mode": "require", "db_schema": "public"}},
    ],
)
async def test_what_lies_within_its_bounds_is_kept(world: World, door: Door, given: dict[str, Any]) -> None:
    made = await make(world, door, **given)
    for name, value in given.items():
        if name == "resource_uri":
            assert made[name].endswith(f":{value}")
        elif isinstance(value, dict):
            assert made[name] | value == made[name]
        else:
            assert made[name] == value


async def test_the_last_part_is_made_of_the_name_and_unique(world: World, door: Door) -> None:
    parts = [
        (await make(world, door, name=name))["resource_uri"].rsplit(":", 1)[1]
        for name in ("My: Store", "my store", "My.Store")
    ]
    assert parts[0] == "my-store"
    assert len(set(parts)) == 3
    given = await make(world, door, resource_uri="given")
    assert given["resource_uri"] == f"data:acme:{world.shop}:given"
    taken = await door(create_data_connection, world.owner, connection=made_of(resource_uri="given"))
    assert (taken.code, taken.status, taken.details["resource_type"]) == (
        "RESOURCE_ALREADY_EXISTS",
        409,
        "data_connection",
    )
    elsewhere = await door(
        create_data_connection, world.owner, {"X-Project-ID": world.lab}, connection=made_of(resource_uri="given")
    )
    assert elsewhere["resource_uri"] == f"data:acme:{world.lab}:given"


async def test_a_connection_of_the_whole_organization_is_listed_in_every_project(world: World, door: Door) -> None:
    wide = await make(world, door, organization_wide=True, name="wide")
    assert wide["project_id"] is None
    for project in (world.shop, world.lab):
        listed = await door(list_data_connections, world.owner, {"X-Project-ID": project})
        assert [item["resource_uri"] for item in listed["items"]] == [wide["resource_uri"]]
    viewer = await world.member("viewer")
    assert await door(get_data_connection, viewer, resource_uri=wide["resource_uri"]) == "FORBIDDEN"


async def test_null_clears_and_absence_keeps(world: World, door: Door) -> None:
    owner = world.owner
    made = await make(world, door, description="d", tags=["t"], credentials={"username": "u"})
    uri = made["resource_uri"]
    same = await door(update_data_connection, owner, resource_uri=uri, changes=changed_to())
    assert {n: same[n] for n in FIELDS - {"updated_at"}} == {n: made[n] for n in FIELDS - {"updated_at"}}
    named = await door(update_data_connection, owner, resource_uri=uri, changes=changed_to(name="New"))
    assert (named["name"], named["description"], named["tags"]) == ("New", "d", ["t"])
    cleared = await door(update_data_connection, owner, resource_uri=uri, changes=changed_to(description=None))
    assert (cleared["name"], cleared["description"]) == ("New", None)
    for name in ("name", "status", "tags"):
        refused = await door(update_data_connection, owner, resource_uri=uri, changes=changed_to(**{name: None}))
        assert refused.status in (400, 422), name
    assert (await door(get_data_connection, owner, resource_uri=uri))["tags"] == ["t"]
    assert uri == named["resource_uri"]


async def test_what_cannot_change_is_refused_as_a_field(world: World) -> None:
    made = await world.request(
        "POST",
        "/assets/data",
        token=world.owner,
        json={"name": "a", "connection_type": "postgres", "database_config": POSTGRES},
    )
    path = f"/assets/data/{made.json()['resource_uri']}"
    for name in (
        "resource_uri",
        "connection_type",
        "organization_id",
        "project_id",
        "created_by",
        "secret_names",
        "type",
    ):
        answer = await world.request("PUT", path, token=world.owner, json={name: "x"})
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["details"]["field"]) == (400, "VALIDATION_ERROR", name)


async def test_a_new_config_or_new_credentials_make_it_pending_again(world: World, door: Door) -> None:
    owner = world.owner
    uri = (await make(world, door))["resource_uri"]
    set_ = changed_to(status="ACTIVE", status_message="by hand")
    active = await door(update_data_connection, owner, resource_uri=uri, changes=set_)
    assert (active["status"], active["status_message"]) == ("ACTIVE", "by hand")
    for change in (changed_to(database_config=POSTGRES | {"port": 2}), changed_to(credentials={"username": "u"})):
        await door(update_data_connection, owner, resource_uri=uri, changes=set_)
        pending = await door(update_data_connection, owner, resource_uri=uri, changes=change)
        assert (pending["status"], pending["status_message"]) == ("PENDING", None)
    both = changed_to(database_config=POSTGRES, status="DISABLED")
    assert (await door(update_data_connection, owner, resource_uri=uri, changes=both))["status"] == "DISABLED"
    long = await door(update_data_connection, owner, resource_uri=uri, changes=changed_to(status_message="m" * 1001))
    assert (long.code, long.status, long.details["field"]) == ("VALIDATION_ERROR", 422, "status_message")
    other = await door(
        update_data_connection, owner, resource_uri=uri, changes=changed_to(storage_config={"bucket": "b"})
    )
    assert (other.code, other.status, other.details["field"]) == ("VALIDATION_ERROR", 422, "storage_config")


async def test_what_stands_already_is_not_new_except_credentials_from_who_may_not_read_them(
    world: World, door: Door
) -> None:
    """Otherwise the entity tag would tell somebody whether he has guessed the password."""
    owner, developer = world.owner, world.token("dave", project=world.shop)
    await world.grant("dave", "developer", "project", world.shop)
    kept = {"username": "u", "password": PASSWORD}
    uri = (await make(world, door, credentials=kept))["resource_uri"]
    path = f"/assets/data/{uri}"

    async def sent(token: str, **given: Any) -> tuple[str, str]:
        made = await door(update_data_connection, token, resource_uri=uri, changes=changed_to(**given))
        return made["status"], (await world.request("GET", path, token=owner)).headers["ETag"]

    first = await sent(owner, status="ACTIVE")
    assert await sent(owner, database_config=POSTGRES) == first
    assert await sent(developer, database_config=POSTGRES) == first
    assert await sent(owner, credentials=kept, database_config=POSTGRES) == first
    other = await sent(owner, credentials=kept | {"password": "another"})
    assert other[0] == "PENDING"
    assert other[1] != first[1]
    again = await sent(owner, credentials=kept)
    assert again[1] != other[1]  # though no field that is shown has changed
    guessed, missed = (
        await sent(developer, credentials=kept),
        await sent(developer, credentials=kept | {"password": "no"}),
    )
    assert len({again[1], guessed[1], missed[1]}) == 3


async def test_a_folder_is_verified_and_a_missing_one_is_an_error(world: World, door: Door, tmp_path: Path) -> None:
    owner, folder = world.owner, str(tmp_path / "files")
    made = await make(world, door, connection_type="nfs", database_config=..., filesystem_config={"path": folder})
    uri = made["resource_uri"]
    assert made["filesystem_config"]["auth_required"] is False
    good = await door(verify_data_connection, owner, resource_uri=uri)
    assert set(good) == {"success", "message", "latency_ms", "details"}
    assert good["success"]
    assert good["latency_ms"] > 0
    assert good["details"]
    active = await door(get_data_connection, owner, resource_uri=uri)
    assert (active["status"], active["status_message"]) == ("ACTIVE", None)
    for path in (f"{folder}/none", "/etc"):
        await door(
            update_data_connection, owner, resource_uri=uri, changes=changed_to(filesystem_config={"path": path})
        )
        bad = await door(verify_data_connection, owner, resource_uri=uri)
        assert (bad["success"], bad["latency_ms"]) == (False, None)
        error = await door(get_data_connection, owner, resource_uri=uri)
        assert (error["status"], error["status_message"]) == ("ERROR", bad["message"])


async def test_a_server_that_cannot_be_reached_is_told_without_the_password(world: World, door: Door) -> None:
    uri = (await make(world, door, credentials={"username": "u", "password": PASSWORD}))["resource_uri"]
    bad = await door(verify_data_connection, world.owner, resource_uri=uri)
    assert (bad["success"], bad["latency_ms"]) == (False, None)
    assert PASSWORD not in repr(bad)
    assert (await door(get_data_connection, world.owner, resource_uri=uri))["status"] == "ERROR"


async def test_a_disabled_connection_is_not_verified(world: World, door: Door) -> None:
    uri = (await make(world, door))["resource_uri"]
    await door(update_data_connection, world.owner, resource_uri=uri, changes=changed_to(status="DISABLED"))
    before = await world.dump()
    refused = await door(verify_data_connection, world.owner, resource_uri=uri)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "status")
    assert await world.dump() == before


async def test_a_list_is_sorted_searched_and_filtered(world: World, door: Door) -> None:
    ann = world.token("ann", project=world.shop)
    await world.grant("ann", "developer", "project", world.shop)
    nfs: dict[str, Any] = {"connection_type": "nfs", "database_config": ..., "filesystem_config": {"path": "/x"}}
    await make(world, door, name="alpha", description="50%_off", tags=["red", "big"])
    await make(world, door, name="Beta", tags=["red"], **nfs)
    uri = (await make(world, door, ann, name="gamma", tags=['re"d', "r;x"]))["resource_uri"]
    await door(update_data_connection, world.owner, resource_uri=uri, changes=changed_to(status="DISABLED"))

    async def names(**query: Any) -> list[str]:
        found = await door(list_data_connections, world.owner, **query)
        assert isinstance(found, dict), found
        assert found["total"] >= len(found["items"])
        return [item["name"] for item in found["items"]]

    assert await names(sort="created_at:asc") == ["alpha", "Beta", "gamma"]
    assert await names(sort="created_at:desc") == ["gamma", "Beta", "alpha"]
    assert await names(sort="connection_type,created_at:desc") == ["Beta", "gamma", "alpha"]
    assert await names(sort="created_at", page=2, limit=2) == ["gamma"]
    assert await names(search="ALP") == ["alpha"]
    assert await names(search="%_o") == ["alpha"]
    assert await names(search="%") == ["alpha"]
    assert await names(search="_") == ["alpha"]
    assert sorted(await names(tags="red")) == ["Beta", "alpha"]
    assert await names(tags="red,big") == ["alpha"]
    assert await names(tags=" red , big ,") == ["alpha"]
    assert await names(tags='re"d') == ["gamma"]
    assert await names(tags="r;x") == ["gamma"]
    assert await names(tags="re") == []
    assert await names(tags="%") == []
    assert await names(status="DISABLED") == ["gamma"]
    assert await names(connection_type="nfs") == ["Beta"]
    assert await names(created_by="user:ann") == await names(created_by="ann") == ["gamma"]
    assert await names(created_by="ann", status="PENDING") == []


async def test_both_stores_sort_names_alike(world: World, door: Door) -> None:
    for name in ("b", "A", "a", "B", "a-b", "a b", "0"):
        await make(world, door, name=name)
    listed = [item["name"] for item in (await door(list_data_connections, world.owner))["items"]]
    assert listed == sorted(listed)


async def test_an_unknown_connection_is_not_found(world: World, door: Door) -> None:
    for uri in ("data:acme:x:none", "nonsense"):
        refused = await door(get_data_connection, world.owner, resource_uri=uri)
        assert (refused.code, refused.details) == (
            "RESOURCE_NOT_FOUND", {"resource_type": "data_connection", "resource_id": uri}
        )  # fmt: skip
