"""Secrets: kept sealed, read through one operation, bound to their row, and never anywhere else."""

import asyncio
import errno
import json
import logging
import threading
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from pydantic import SecretStr

from persistence.blobs import StoredBlobs
from persistence.keyring import KeyRing
from persistence.queries.secrets import SecretRepository
from persistence.tables.governance import secrets as table
from resolvers.assets.data_connections import create_data_connection, get_data_connection_secret
from resolvers.governance.secrets import (
    create_project_secret,
    create_resource_secret,
    delete_project_secret,
    delete_resource_secret,
    get_project_secret,
    get_resource_secret,
    list_project_secrets,
    list_resource_secrets,
    update_project_secret,
    update_resource_secret,
)
from resolvers.utils.schedule_execution import Firings
from resolvers.worker import Worker
from rest_compat import setup
from rest_compat.cli import main
from rest_compat.setup import rotate_secrets
from schema.assets.data_connection import ConnectionType, DataConnectionCreate
from schema.governance.secret import SecretChange, SecretCreate
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio

VALUE = "swordfish-4711"
FIELDS = {"name", "description", "resource_type", "resource_id", "created_at", "updated_at"}


async def rows(world: World) -> list[Any]:
    """The stored rows, as the database has them."""
    return await world.app.parts.services.store.read(
        lambda uow: list(uow.connection.execute(sa.select(table).order_by(table.c.name)).mappings())
    )


async def connection(world: World, door: Door) -> str:
    """A connection with a password."""
    made = await door(
        create_data_connection,
        world.owner,
        connection=DataConnectionCreate(
            name="db",
            connection_type=ConnectionType.POSTGRES,
            database_config={"host": "127.0.0.1", "port": 1, "database": "d"},
            credentials={"username": "u", "password": VALUE},
        ),
    )
    uri: str = made["resource_uri"]
    return uri


async def test_a_value_is_answered_by_the_one_read_and_by_nothing_else(
    world: World, door: Door, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    owner, answers = world.owner, []
    with caplog.at_level(logging.DEBUG):
        made = await door(create_project_secret, owner, secret=SecretCreate(name="key", value=VALUE, description="d"))
        assert set(made) == FIELDS | {"created_by", "updated_by"}
        assert (made["resource_type"], made["resource_id"], made["created_by"]) == ("project", world.shop, "olga")
        answers += [made, await door(list_project_secrets, owner)]
        answers.append(await door(create_project_secret, owner, secret=SecretCreate(name="key", value=VALUE)))
        answers.append(await door(update_project_secret, owner, name="key", changes=SecretChange(value=VALUE + "2")))
        long = SecretCreate.model_construct(_fields_set={"name", "value"}, name="k", value=VALUE * 10_000)
        answers.append(await door(create_project_secret, owner, secret=long))
        answers.append(await door(get_project_secret, owner, name="none"))
        read = await door(get_project_secret, owner, name="key")
        answers.append(await door(delete_project_secret, owner, name="key"))
    assert read["value"] == VALUE + "2"
    assert set(read) == FIELDS | {"value"}
    assert VALUE not in repr(answers)
    assert VALUE not in caplog.text
    captured = capsys.readouterr()
    assert VALUE not in captured.out + captured.err
    assert [getattr(answer, "code", None) for answer in answers] == [
        None, None, "RESOURCE_ALREADY_EXISTS", None, "VALIDATION_ERROR", "RESOURCE_NOT_FOUND", None
    ]  # fmt: skip


async def test_the_store_holds_sealed_text_only(world: World, door: Door) -> None:
    uri = await connection(world, door)
    await door(create_project_secret, world.owner, secret=SecretCreate(name="key", value=VALUE))
    await door(
        create_resource_secret,
        world.owner,
        resource_type="data_connection",
        resource_id=uri,
        secret=SecretCreate(name="extra", value=VALUE),
    )
    assert VALUE not in repr(await world.dump())
    found = await rows(world)
    assert {row["name"] for row in found} == {"username", "password", "key", "extra"}
    assert all(row["sealed"].startswith("v1.") for row in found)
    assert len({row["sealed"] for row in found}) == 4
    folder: Path = world.app.parts.settings.data
    for file in folder.rglob("*"):
        if file.is_file():
            assert VALUE.encode() not in file.read_bytes(), file


async def test_a_sealed_value_that_is_moved_to_another_row_does_not_open(world: World, door: Door) -> None:
    owner = world.owner
    for name, value in (("mine", "a"), ("theirs", VALUE)):
        await door(create_project_secret, owner, secret=SecretCreate(name=name, value=value))
    stolen = next(row["sealed"] for row in await rows(world) if row["name"] == "theirs")
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(table.update().where(table.c.name == "mine").values(sealed=stolen))
    )
    refused = await door(get_project_secret, owner, name="mine")
    assert (refused.code, refused.status) == ("INTERNAL_ERROR", 500)
    assert VALUE not in refused.message
    assert (await door(get_project_secret, owner, name="theirs"))["value"] == VALUE


@pytest.mark.parametrize(
    "value",
    ["x", "ü€🎻 \t\r\n", "x" * 65_536, '{"json": true}'],
    ids=["one", "text", "longest", "json"],
)
async def test_a_value_comes_back_as_it_was(world: World, door: Door, value: str) -> None:
    await door(create_project_secret, world.owner, secret=SecretCreate(name="key", value=value))
    assert (await door(get_project_secret, world.owner, name="key"))["value"] == value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "n" * 256),
        ("name", "a/b"),
        ("name", ".a"),
        ("name", "a b"),
        ("name", "ü"),
        ("name", "a\n"),
        ("value", ""),
        ("value", "x" * 65_537),
        ("description", "d" * 1001),
    ],
)
async def test_what_lies_outside_its_bounds_is_a_422(world: World, door: Door, field: str, value: str) -> None:
    given = {"name": "key", "value": "v"} | {field: value}
    wrong = SecretCreate.model_construct(_fields_set=set(given), **given)
    before = await world.dump()
    refused = await door(create_project_secret, world.owner, secret=wrong)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, field)
    assert await world.dump() == before


@pytest.mark.parametrize("name", ["n", "_", "n" * 255, "a.b-c_D9", "password"])
async def test_a_name_within_its_bounds_is_taken(world: World, door: Door, name: str) -> None:
    made = await door(create_project_secret, world.owner, secret=SecretCreate(name=name, value="v"))
    assert made["name"] == name
    assert (await door(get_project_secret, world.owner, name=name))["value"] == "v"


async def test_a_change_may_be_of_the_value_the_words_or_both(world: World, door: Door) -> None:
    owner = world.owner
    made = await door(create_project_secret, owner, secret=SecretCreate(name="key", value="v", description="d"))
    changed = await door(update_project_secret, owner, name="key", changes=SecretChange(value="w"))
    assert changed["description"] == "d"
    assert changed["updated_at"] > made["updated_at"]
    assert changed["created_at"] == made["created_at"]
    changed = await door(update_project_secret, owner, name="key", changes=SecretChange(description="e"))
    assert changed["description"] == "e"
    cleared = await door(update_project_secret, owner, name="key", changes=SecretChange(description=None))
    assert cleared["description"] is None
    assert (await door(get_project_secret, owner, name="key"))["value"] == "w"
    empty = await door(update_project_secret, owner, name="key", changes=SecretChange())
    assert (empty.code, empty.status, empty.details["field"]) == ("VALIDATION_ERROR", 422, "value")
    missing = await door(update_project_secret, owner, name="none", changes=SecretChange(value="w"))
    assert missing == "RESOURCE_NOT_FOUND"


async def test_secrets_are_listed_by_name_and_page(world: World, door: Door) -> None:
    for name in ("b", "c", "a"):
        await door(create_project_secret, world.owner, secret=SecretCreate(name=name, value="v"))
    listed = await door(list_project_secrets, world.owner)
    assert ([item["name"] for item in listed["items"]], listed["total"]) == (["a", "b", "c"], 3)
    second = await door(list_project_secrets, world.owner, page=2, limit=2)
    assert [item["name"] for item in second["items"]] == ["c"]


async def test_the_same_name_may_stand_on_many_resources(world: World, door: Door) -> None:
    uri, owner = await connection(world, door), world.owner
    on_connection = {"resource_type": "data_connection", "resource_id": uri}
    await door(create_project_secret, owner, secret=SecretCreate(name="key", value="of the project"))
    await door(create_resource_secret, owner, **on_connection, secret=SecretCreate(name="key", value="of the store"))
    in_lab = {"X-Project-ID": world.lab}
    await door(create_project_secret, owner, in_lab, secret=SecretCreate(name="key", value="of the lab"))
    assert (await door(get_project_secret, owner, name="key"))["value"] == "of the project"
    assert (await door(get_project_secret, owner, in_lab, name="key"))["value"] == "of the lab"
    assert (await door(get_resource_secret, owner, **on_connection, name="key"))["value"] == "of the store"
    listed = await door(list_resource_secrets, owner, **on_connection)
    assert [item["name"] for item in listed["items"]] == ["key", "password", "username"]
    await door(delete_resource_secret, owner, **on_connection, name="key")
    assert await door(get_resource_secret, owner, **on_connection, name="key") == "RESOURCE_NOT_FOUND"
    assert (await door(get_project_secret, owner, name="key"))["value"] == "of the project"


async def test_a_projects_secrets_are_also_those_of_the_resource_it_is(world: World, door: Door) -> None:
    await door(create_project_secret, world.owner, secret=SecretCreate(name="key", value="v"))
    same = await door(get_resource_secret, world.owner, resource_type="project", resource_id=world.shop, name="key")
    assert same["value"] == "v"
    changed = await door(
        update_resource_secret,
        world.owner,
        resource_type="project",
        resource_id=world.shop,
        name="key",
        changes=SecretChange(value="w"),
    )
    assert changed["name"] == "key"
    assert (await door(get_project_secret, world.owner, name="key"))["value"] == "w"


async def test_a_secret_that_is_gone_is_gone(world: World, door: Door) -> None:
    await door(create_project_secret, world.owner, secret=SecretCreate(name="key", value="v"))
    assert set(await door(delete_project_secret, world.owner, name="key")) == {"message"}
    for op in (get_project_secret, delete_project_secret):
        refused = await door(op, world.owner, name="key")
        assert (refused.code, refused.details) == (
            "RESOURCE_NOT_FOUND", {"resource_type": "secret", "resource_id": "key"}
        )  # fmt: skip


async def test_a_resource_type_that_there_is_not_is_refused(world: World, door: Door) -> None:
    for type_ in ("Data", "data-connection", "x" * 65, "spaceship"):
        refused = await door(list_resource_secrets, world.owner, resource_type=type_, resource_id="x")
        assert (refused.code, refused.details["field"]) == ("INVALID_PARAMETER", "resource_type")


async def test_every_secret_is_sealed_anew_when_keys_are_rotated(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, settings = world.owner, world.app.parts.settings
    uri = await connection(world, door)
    for number in range(205):  # more than one window of the command
        sealed = world.app.parts.services.keyring.seal(f"v{number}".encode(), _bound(world, f"k{number:03}"))
        await _put(world, f"k{number:03}", sealed)
    before = {row["name"]: row["sealed"] for row in await rows(world)}
    assert await rotate_secrets(settings, drop_old=False) == (207, 0)
    after = {row["name"]: row["sealed"] for row in await rows(world)}
    assert set(after) == set(before)
    assert not set(after.values()) & set(before.values())
    assert len({text.split(".")[1] for text in after.values()}) == 1
    # The running server opens both what is sealed anew and, until it is dropped, what is not.
    await _put(world, "old", before["k000"], "k000")
    assert (await door(get_project_secret, owner, name="k000"))["value"] == "v0"
    assert (await door(get_data_connection_secret, owner, resource_uri=uri))["credentials"]["password"] == VALUE
    assert await rotate_secrets(settings, drop_old=True) == (207, 2)
    assert len(world.app.parts.services.keyring.key_ids) == 1
    assert (await door(get_project_secret, owner, name="k204"))["value"] == "v204"


@pytest.mark.parametrize("way", ["create", "change", "connection", "rotation"])
async def test_a_key_is_not_dropped_while_a_seal_of_it_waits_to_be_committed(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    owner, settings = world.owner, world.app.parts.settings
    await door(create_project_secret, owner, secret=SecretCreate(name="key", value="before"))
    rotations: list[threading.Thread] = []

    def rotated_meanwhile(work: Callable[..., Any]) -> Callable[..., Any]:
        def slow(*given: Any, **named: Any) -> Any:
            if not rotations:
                rotation = threading.Thread(target=lambda: asyncio.run(rotate_secrets(settings, drop_old=True)))
                rotations.append(rotation)
                rotation.start()
                rotation.join(1.5)  # it either ends in this time, or waits for this transaction
            return work(*given, **named)

        return slow

    if way == "rotation":
        monkeypatch.setattr("rest_compat.setup._reseal", rotated_meanwhile(setup._reseal))
        await rotate_secrets(settings, drop_old=True)
    else:
        changed = "change" if way == "change" else "add"
        monkeypatch.setattr(SecretRepository, changed, rotated_meanwhile(getattr(SecretRepository, changed)))
    uri = await connection(world, door) if way == "connection" else None
    if way == "create":
        await door(create_project_secret, owner, secret=SecretCreate(name="late", value="late"))
    if way == "change":
        await door(update_project_secret, owner, name="key", changes=SecretChange(value="after"))
    await asyncio.to_thread(rotations[0].join)
    if uri is not None:
        assert (await door(get_data_connection_secret, owner, resource_uri=uri))["credentials"]["password"] == VALUE
    if way == "create":
        assert (await door(get_project_secret, owner, name="late"))["value"] == "late"
    wanted = "after" if way == "change" else "before"
    assert (await door(get_project_secret, owner, name="key"))["value"] == wanted


async def test_a_rotation_drops_no_key_that_was_made_after_it_began(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, looks = world.app.parts.settings, []
    await door(create_project_secret, world.owner, secret=SecretCreate(name="key", value="v"))
    whole = setup._seal_all

    async def followed(*given: Any) -> Any:
        found = await whole(*given)
        looks.append(found)
        if len(looks) == 2:  # another one begins, and is killed at once
            KeyRing.in_folder(settings.data).rotate()
        return found

    monkeypatch.setattr(setup, "_seal_all", followed)
    assert await rotate_secrets(settings, drop_old=True) == (1, 1)
    assert (await door(get_project_secret, world.owner, name="key"))["value"] == "v"
    monkeypatch.undo()
    assert await rotate_secrets(settings, drop_old=True) == (1, 2)
    assert (await door(get_project_secret, world.owner, name="key"))["value"] == "v"


async def test_keys_of_the_environment_are_rotated_by_their_order(world: World, door: Door) -> None:
    await door(create_project_secret, world.owner, secret=SecretCreate(name="key", value="v"))
    folder = world.app.parts.settings.data
    old = ",".join(f"{id}:{key}" for id, key in json.loads((folder / "keyring.json").read_text())["keys"].items())
    new = b64encode(bytes(range(32))).decode()
    keys = SecretStr(f"fresh:{new},{old}")
    settings = world.app.parts.settings.model_copy(update={"secret_keys": keys})
    assert await rotate_secrets(settings, drop_old=True) == (1, 0)
    assert await rotate_secrets(settings, drop_old=False) == (0, 0)
    [row] = await rows(world)
    ring = KeyRing({"fresh": bytes(range(32))}, active="fresh")  # the old keys are needed no more
    assert ring.open(row["sealed"], _bound(world, "key")) == b"v"


async def test_a_rotation_seals_what_it_can_and_names_what_no_key_opens(world: World, door: Door) -> None:
    await door(create_project_secret, world.owner, secret=SecretCreate(name="key", value="v"))
    lost = KeyRing({"lost": bytes(32)}, active="lost").seal(b"hush", _bound(world, "a-lost-one"))
    await _put(world, "a-lost-one", lost)
    settings = world.app.parts.settings
    with pytest.raises(
        ValueError, match=f"Sealed 1 secrets .* 1 cannot be opened, acme/project/{world.shop}/a-lost-one"
    ):
        await rotate_secrets(settings, drop_old=True)
    ring = world.app.parts.services.keyring
    assert len(ring.key_ids) == 2  # nothing was dropped
    sealed = {row["name"]: row["sealed"] for row in await rows(world)}
    assert sealed["a-lost-one"] == lost
    assert not ring.needs_rotation(sealed["key"])
    assert (await door(get_project_secret, world.owner, name="key"))["value"] == "v"


def _bound(world: World, name: str) -> bytes:
    from persistence.keyring import associated_data

    return associated_data("acme", "project", world.shop, name)


async def _put(world: World, name: str, sealed: str, replaces: str | None = None) -> None:
    now = world.clock()
    row = {
        "organization_id": "acme",
        "resource_type": "project",
        "resource_id": world.shop,
        "name": replaces or name,
        "sealed": sealed,
        "created_at": now,
        "updated_at": now,
        "created_by": "olga",
        "updated_by": "olga",
        "revision": 1,
    }

    def work(uow: Any) -> None:
        uow.connection.execute(table.delete().where(table.c.name == row["name"], table.c.resource_id == world.shop))
        uow.connection.execute(table.insert().values(**row))

    await world.app.parts.services.store.write(work)


def test_a_short_command_begins_no_work_of_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would sweep files and fire schedules for a moment, and be broken off in the middle."""
    begun: list[str] = []
    for kind in (StoredBlobs, Worker, Firings):
        monkeypatch.setattr(kind, "watch", lambda *_, kind=kind: begun.append(kind.__name__))
    data = str(tmp_path / "data")
    for command in (["bootstrap", "--org", "acme", "--owner", "olga"], ["rotate-keys"]):
        done = CliRunner().invoke(main, [*command, "--data", data])
        assert (done.exit_code, begun) == (0, []), done.output


def test_a_full_disk_leaves_the_keys_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    run, data = CliRunner().invoke, tmp_path / "data"
    assert run(main, ["bootstrap", "--org", "acme", "--owner", "olga", "--data", str(data)]).exit_code == 0
    before = (data / "keyring.json").read_text()
    monkeypatch.setattr("persistence.keyring.os.fsync", full)
    done = run(main, ["rotate-keys", "--data", str(data)])
    assert done.exit_code == 1
    assert "No space left on device. Check that the disk of the data folder (STOA_DATA) has room" in done.output
    assert (data / "keyring.json").read_text() == before
    assert {path.name for path in data.glob(".keyring*")} == {".keyring.json.lock"}  # no half-written keys


def test_the_command_rotates_a_filled_store(tmp_path: Path) -> None:
    """`stoa rotate-keys` on a folder of its own: the sentence says what was done, and never a key."""
    run, data = CliRunner().invoke, str(tmp_path / "data")
    assert run(main, ["bootstrap", "--org", "acme", "--owner", "olga", "--data", data]).exit_code == 0
    ring = tmp_path / "data" / "keyring.json"
    old = ring.read_text()
    done = run(main, ["rotate-keys", "--drop-old", "--data", data])
    assert done.exit_code == 0, done.output
    assert "Sealed 0 secrets" in done.output
    assert "dropped 1" in done.output
    assert ring.read_text() != old
    assert ring.stat().st_mode & 0o777 == 0o600
