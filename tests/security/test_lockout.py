"""Nobody can lock an organization out of what it holds: not by removing roles, not by moving things, not by mistake."""

import asyncio
from typing import Any

import pytest

from auth.relations import RelationTuple, object_name
from resolvers.assets.artifacts import get_artifact
from resolvers.assets.data_connections import create_data_connection, get_data_connection, update_data_connection
from resolvers.assets.files import get_file
from resolvers.governance.access import repair_access
from resolvers.governance.permissions import (
    delete_all_permissions,
    grant_permission,
    revoke_permission,
    set_parent,
)
from resolvers.governance.projects import get_project
from rest_compat.setup import repair_organizations
from schema.assets.data_connection import ConnectionType, DataConnectionChange, DataConnectionCreate
from schema.governance.permission import GovernedResource, Grant, ParentLink
from tests.doors import Door
from tests.world import ORG, OTHER_ORG, World

pytestmark = pytest.mark.anyio


async def connection(world: World, door: Door, *, name: str = "store", everywhere: bool = False) -> str:
    """A connection of the shop, or of the whole organization."""
    made = await door(
        create_data_connection,
        world.owner,
        connection=DataConnectionCreate(
            name=name,
            connection_type=ConnectionType.NFS,
            filesystem_config={"path": "/x"},
            credentials=None,
            organization_wide=everywhere,
        ),
    )
    uri: str = made["resource_uri"]
    return uri


def target(type_: str, id_: str) -> GovernedResource:
    """Return what delete-all is asked about."""
    return GovernedResource.model_validate({"resource_type": type_, "resource_id": id_})


def role(user: str, relation: str, type_: str, id_: str, *, is_group: bool = False) -> Grant:
    """A role to grant or to revoke."""
    return Grant.model_validate(
        {
            "user_or_group": user,
            "relation": relation,
            "resource_type": type_,
            "resource_id": id_,
            "is_group": is_group,
        }
    )


async def relations(world: World, type_: str, id_: str) -> set[str]:
    """Return what stands on an object, written `relation@user`."""
    found = await world.app.parts.services.relations.read(ORG, object=object_name(type_, id_), limit=1000)
    return {f"{item.relation}@{item.user}" for item in found}


async def test_the_organization_reaches_what_delete_all_was_called_on(world: World, door: Door) -> None:
    """A project's owner takes every role of it and of what lies in it away, his own included."""
    uri, whole = await connection(world, door), await connection(world, door, name="whole", everywhere=True)
    attacker = await world.member("owner")
    admin = await world.member("admin", type_="organization", id_=ORG)
    for type_, id_ in (("data_connection", uri), ("project", world.shop)):
        answer = await door(delete_all_permissions, attacker, target=target(type_, id_))
        assert set(answer) == {"message", "deleted"}
        assert answer["deleted"] >= 1
    assert (await door(delete_all_permissions, world.owner, target=target("data_connection", whole)))["deleted"] == 1
    assert await door(get_project, attacker, project_id=world.shop) == "PROJECT_ACCESS_DENIED"
    assert await door(get_data_connection, attacker, resource_uri=uri) == "FORBIDDEN"
    for token in (world.owner, admin):
        assert (await door(get_project, token, project_id=world.shop))["id"] == world.shop
        for one in (uri, whole):
            change = DataConnectionChange(description="still ours")
            changed = await door(update_data_connection, token, resource_uri=one, changes=change)
            assert changed["description"] == "still ours"
    # The background worker still reads, and access can be given anew.
    assert "service_worker@user:stoa:worker" in await relations(world, "project", world.shop)
    await door(grant_permission, admin, grant=role("ann", "viewer", "project", world.shop))
    ann = world.token("ann", project=world.shop)
    assert (await door(get_data_connection, ann, resource_uri=uri))["resource_uri"] == uri
    assert (await door(delete_all_permissions, admin, target=target("project", world.shop)))["deleted"] == 1
    assert (await door(delete_all_permissions, admin, target=target("project", world.shop)))["deleted"] == 0


async def test_the_last_who_administers_an_organization_keeps_his_role(world: World, door: Door) -> None:
    last = role("olga", "owner", "organization", ORG)
    before = await world.dump()
    refused = await door(revoke_permission, world.owner, grant=last)
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert await world.dump() == before
    # Whoever proves by his own token that a group has a member may: somebody is left.
    by_group = world.token("gil", groups=("org-owners",))
    assert set(await door(revoke_permission, by_group, grant=last)) == {"message"}
    await door(grant_permission, by_group, grant=role("adam", "admin", "organization", ORG))
    # An admin is enough: he can grant the role of an owner.
    assert set(await door(revoke_permission, by_group, grant=role("org-owners", "owner", "organization", ORG,
                                                                 is_group=True))) == {"message"}  # fmt: skip
    adam = world.token("adam")
    assert await door(revoke_permission, adam, grant=role("adam", "admin", "organization", ORG)) == "VALIDATION_ERROR"
    assert set(await door(grant_permission, adam, grant=role("olga", "owner", "organization", ORG))) == {"message"}


async def test_two_who_revoke_each_other_at_once_leave_somebody(world: World, door: Door) -> None:
    await world.grant("adam", "owner", "organization", ORG)
    adam = world.token("adam")
    for _ in range(3):
        await asyncio.gather(
            door(revoke_permission, world.owner, grant=role("adam", "owner", "organization", ORG)),
            door(revoke_permission, adam, grant=role("olga", "owner", "organization", ORG)),
        )
        left = {item for item in await relations(world, "organization", ORG) if item.startswith("owner@user:")}
        assert left
        for name in ("adam", "olga"):
            await world.grant(name, "owner", "organization", ORG)


async def test_what_inherits_from_nothing_keeps_its_last_owner(world: World, door: Door) -> None:
    """An answer of Talk2Data is its owner's alone: taken from him, it would be nobody's."""
    made = await world.request(
        "POST",
        "/assets/artifacts",
        token=world.owner,
        json={"name": "answer", "artifact_type": "text", "content": "secret"},
    )
    uri = made.json()["resource_uri"]
    name = object_name("artifact", uri)
    link = RelationTuple(object_name("project", world.shop), "project", name)
    await world.app.parts.services.relations.write(ORG, deletes=[link])
    for call in (
        door(delete_all_permissions, world.owner, target=target("artifact", uri)),
        door(revoke_permission, world.owner, grant=role("olga", "owner", "artifact", uri)),
    ):
        refused = await call
        assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert (await door(get_artifact, world.owner, resource_uri=uri))["resource_uri"] == uri


async def test_moving_leaves_exactly_one_parent(world: World, door: Door) -> None:
    uri = await connection(world, door)
    attacker = await world.member("owner")

    def to(type_: str, id_: str) -> ParentLink:
        return ParentLink.model_validate(
            {"resource_type": "data_connection", "resource_id": uri, "parent_type": type_, "parent_id": id_}
        )

    before = await world.dump()
    for parent in (("project", world.lab), ("project", "none"), ("project", world.theirs), ("organization", "none"),
                   ("organization", OTHER_ORG), ("organization", ORG)):  # fmt: skip
        refused = await door(set_parent, attacker, link=to(*parent))
        assert refused.status in (403, 404), parent
    assert await world.dump() == before
    extra = RelationTuple(object_name("project", world.lab), "project", object_name("data_connection", uri))
    await world.app.parts.services.relations.write(ORG, [extra])
    await door(set_parent, world.owner, link=to("project", world.shop))
    links = {item for item in await relations(world, "data_connection", uri) if not item.startswith("owner@")}
    assert links == {f"project@project:{world.shop}"}


async def orphaned(world: World, *objects: str) -> None:
    """Take every relation of objects away, as delete-all once did."""
    for name in objects:
        await world.app.parts.services.relations.delete_object(ORG, name)


async def stock(world: World, door: Door) -> dict[str, str]:
    """One of everything that inherits, in the shop."""
    file = await world.client.post(
        "/assets/files",
        headers={"Authorization": f"Bearer {world.owner}"},
        data={"name": "notes", "key": "notes.txt"},
        files={"file": ("notes.txt", b"notes", "text/plain")},
    )
    artifact = await world.request(
        "POST", "/assets/artifacts", token=world.owner, json={"name": "a", "artifact_type": "text", "content": "x"}
    )
    return {
        "data_connection": await connection(world, door),
        "whole": await connection(world, door, name="whole", everywhere=True),
        "file": file.json()["resource_uri"],
        "artifact": artifact.json()["resource_uri"],
    }


async def test_what_was_orphaned_before_is_found_and_repaired(world: World, door: Door) -> None:
    uris = await stock(world, door)
    await world.grant("olga", "viewer", "data_connection", uris["data_connection"])
    foreign = await world.app.parts.services.relations.read(OTHER_ORG, limit=1000)
    reads: list[tuple[Any, dict[str, str]]] = [
        (get_project, {"project_id": world.shop}),
        (get_data_connection, {"resource_uri": uris["data_connection"]}),
        (get_data_connection, {"resource_uri": uris["whole"]}),
        (get_file, {"resource_uri": uris["file"]}),
        (get_artifact, {"resource_uri": uris["artifact"]}),
    ]
    await orphaned(
        world,
        object_name("data_connection", uris["data_connection"]),
        object_name("data_connection", uris["whole"]),
        object_name("file", uris["file"]),
        object_name("artifact", uris["artifact"]),
        object_name("project", world.shop),
    )
    for op, arguments in reads:
        assert (await door(op, world.owner, **arguments)).status == 403, op.name
    for token in (await world.member("owner", id_=world.lab), await world.member("member", type_="organization",
                                                                                  id_=ORG)):  # fmt: skip
        assert (await door(repair_access, token)).status == 403
    done = await door(repair_access, world.owner)
    assert set(done) == {"message", "repaired", "objects"}
    assert done["repaired"] == len(done["objects"]) == 6  # the project's worker is the sixth
    assert {item["resource_id"] for item in done["objects"]} == {world.shop, *uris.values()}
    for op, arguments in reads:
        assert not hasattr(await door(op, world.owner, **arguments), "code"), op.name
    # Nobody got more than before: an artifact that inherits from nothing is its owner's alone.
    member = await world.member("viewer")
    assert await door(get_artifact, member, resource_uri=uris["artifact"]) == "FORBIDDEN"
    assert (await door(get_file, member, resource_uri=uris["file"]))["resource_uri"] == uris["file"]
    before = await world.dump()
    again = await door(repair_access, world.owner)
    assert (again["repaired"], again["objects"]) == (0, [])
    assert await world.dump() == before
    assert await world.app.parts.services.relations.read(OTHER_ORG, limit=1000) == foreign


async def test_a_dangling_parent_is_repaired_and_a_moved_thing_stays_where_it_is(world: World, door: Door) -> None:
    dangling, moved = await connection(world, door, name="dangling"), await connection(world, door, name="moved")
    for uri, parent in ((dangling, "gone"), (moved, world.lab)):
        name = object_name("data_connection", uri)
        await world.app.parts.services.relations.write(
            ORG,
            [RelationTuple(object_name("project", parent), "project", name)],
            [RelationTuple(object_name("project", world.shop), "project", name)],
        )
    done = await door(repair_access, world.owner)
    assert [(item["resource_id"], item["holder"]) for item in done["objects"]] == [(dangling, f"project:{world.shop}")]
    assert f"project@project:{world.lab}" in await relations(world, "data_connection", moved)
    assert "project@project:gone" not in await relations(world, "data_connection", dangling)


async def test_the_command_repairs_one_organization_or_all(world: World) -> None:
    settings = world.app.parts.settings
    await orphaned(world, object_name("project", world.shop))
    [(organization, items)] = await repair_organizations(settings, ORG)
    assert (organization, {item.resource_id for item in items}) == (ORG, {world.shop})
    assert (await world.request("GET", f"/governance/projects/{world.shop}", token=world.owner)).status_code == 200
    assert await repair_organizations(settings, None) == [(ORG, []), (OTHER_ORG, [])]
    with pytest.raises(ValueError, match="stoa bootstrap"):
        await repair_organizations(settings, "none")
