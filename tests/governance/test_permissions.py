"""Relations: granted, revoked, explained, moved and removed, through both doors and on both stores."""

from typing import Any

import pytest

from resolvers.assets.data_connections import create_data_connection, get_data_connection
from resolvers.governance.permissions import (
    check_permission,
    delete_all_permissions,
    explain_permission,
    grant_permission,
    revoke_permission,
    set_parent,
)
from resolvers.governance.projects import get_project
from schema.assets.data_connection import ConnectionType, DataConnectionCreate
from schema.governance.permission import GovernedResource, Grant, ParentLink, Relation, ResourceType
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio


def grant_of(world: World, user: str = "ann", relation: str = "viewer", **more: Any) -> Grant:
    """A relation on the shop, or on what is named."""
    values = {"resource_type": "project", "resource_id": world.shop} | more
    return Grant.model_validate({"user_or_group": user, "relation": relation, **values})


async def allowed(world: World, door: Door, user: str, permission: str, type_: str, id_: str) -> bool:
    """Return what the check says about somebody, asked by the owner."""
    answer = await door(
        check_permission, world.owner, permission=permission, resource_type=type_, resource_id=id_, user=user
    )
    assert set(answer) == {"allowed"}
    return bool(answer["allowed"])


async def connection(world: World, door: Door) -> str:
    """A connection in the shop."""
    made = await door(
        create_data_connection,
        world.owner,
        connection=DataConnectionCreate(
            name="store", connection_type=ConnectionType.NFS, filesystem_config={"path": "/x"}, credentials=None
        ),
    )
    uri: str = made["resource_uri"]
    return uri


async def test_a_grant_opens_at_once_and_a_revoke_closes_at_once(world: World, door: Door) -> None:
    ann = world.token("ann", project=world.shop)
    assert await door(get_project, ann, project_id=world.shop) == "PROJECT_ACCESS_DENIED"
    done = await door(grant_permission, world.owner, grant=grant_of(world))
    assert set(done) == {"message"}
    assert (await door(get_project, ann, project_id=world.shop))["name"] == "shop"
    assert await allowed(world, door, "ann", "can_read", "project", world.shop)
    assert set(await door(revoke_permission, world.owner, grant=grant_of(world))) == {"message"}
    assert await door(get_project, ann, project_id=world.shop) == "PROJECT_ACCESS_DENIED"


async def test_what_stands_cannot_be_granted_and_what_does_not_cannot_be_revoked(world: World, door: Door) -> None:
    await door(grant_permission, world.owner, grant=grant_of(world))
    before = await world.dump()
    again = await door(grant_permission, world.owner, grant=grant_of(world))
    assert (again.code, again.status) == ("RESOURCE_ALREADY_EXISTS", 409)
    assert again.details == {"resource_type": "project", "resource_id": world.shop}
    for other in (grant_of(world, "bob"), grant_of(world, relation="operator"), grant_of(world, is_group=True)):
        missing = await door(revoke_permission, world.owner, grant=other)
        assert (missing.code, missing.status) == ("RESOURCE_NOT_FOUND", 404)
    assert await world.dump() == before


async def test_a_group_is_no_user_and_a_user_no_group(world: World, door: Door) -> None:
    await door(grant_permission, world.owner, grant=grant_of(world, "team", is_group=True))
    inside = world.token("nina", project=world.shop, groups=("team",))
    slash = world.token("nils", project=world.shop, groups=("/team",))
    namesake = world.token("team", project=world.shop)
    assert (await door(get_project, inside, project_id=world.shop))["id"] == world.shop
    assert (await door(get_project, slash, project_id=world.shop))["id"] == world.shop
    assert await door(get_project, namesake, project_id=world.shop) == "PROJECT_ACCESS_DENIED"


@pytest.mark.parametrize("name", ["*", "a b", "user:ann", "a#member", "", "a" * 256, "a\nb"])
async def test_a_name_that_could_mean_more_is_refused(world: World, door: Door, name: str) -> None:
    before = await world.dump()
    wrong = Grant.model_construct(
        user_or_group=name,
        relation=Relation.VIEWER,
        resource_type=ResourceType.PROJECT,
        resource_id=world.shop,
    )
    refused = await door(grant_permission, world.owner, grant=wrong)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "user_or_group")
    assert await world.dump() == before


@pytest.mark.parametrize("name", ["a", "a" * 255, "ann@example.com", "Ünïcödé", "auth0|123", "a/b.c-d_e"])
async def test_a_name_within_its_bounds_is_taken(world: World, door: Door, name: str) -> None:
    await door(grant_permission, world.owner, grant=grant_of(world, name))
    assert await allowed(world, door, name, "can_read", "project", world.shop)


@pytest.mark.parametrize(
    ("type_", "relation"), [("project", "member"), ("data_connection", "admin"), ("organization", "viewer")]
)
async def test_a_relation_that_the_type_does_not_have_is_a_422(
    world: World, door: Door, type_: str, relation: str
) -> None:
    ids = {"project": world.shop, "organization": "acme", "data_connection": ""}
    ids["data_connection"] = await connection(world, door)
    wrong = grant_of(world, relation=relation, resource_type=type_, resource_id=ids[type_])
    before = await world.dump()
    refused = await door(grant_permission, world.owner, grant=wrong)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "relation")
    assert await world.dump() == before


async def test_a_caller_asks_for_himself_and_managers_for_anybody(world: World, door: Door) -> None:
    viewer = await world.member("viewer")
    about = {"permission": "can_read", "resource_type": "project", "resource_id": world.shop}
    assert await door(check_permission, viewer, **about) == {"allowed": True}
    assert await door(check_permission, viewer, **about, user="viewer-of-project") == {"allowed": True}
    assert await door(check_permission, viewer, **(about | {"permission": "can_write"})) == {"allowed": False}
    assert await door(check_permission, viewer, **about, user="olga") == "ORG_ACCESS_DENIED"
    assert await door(check_permission, world.owner, **about, user="viewer-of-project") == {"allowed": True}
    assert await door(check_permission, world.owner, **about, user="user:viewer-of-project") == {"allowed": True}
    assert await door(check_permission, world.owner, **about, user="nobody") == {"allowed": False}


async def test_the_groups_of_the_token_count_for_its_bearer_alone(world: World, door: Door) -> None:
    nina = world.token("nina", project=world.shop, groups=("project-viewers",))
    about = {"permission": "can_read", "resource_type": "project", "resource_id": world.shop}
    assert await door(check_permission, nina, **about) == {"allowed": True}
    assert await door(check_permission, world.owner, **about, user="nina") == {"allowed": False}


async def test_a_check_on_what_is_another_tenants_is_a_plain_no(world: World, door: Door) -> None:
    about = {"permission": "can_read", "resource_type": "project"}
    for id_ in (world.theirs, "none"):
        assert await door(check_permission, world.owner, **about, resource_id=id_) == {"allowed": False}
    foreign = await door(explain_permission, world.owner, **about, resource_id=world.theirs)
    assert (foreign["allowed"], foreign["chain"]) == (False, [])


async def test_an_explanation_names_the_chain_and_shows_grants_to_managers_only(world: World, door: Door) -> None:
    uri = await connection(world, door)
    viewer = await world.member("viewer")
    about = {"resource_type": "data_connection", "resource_id": uri}
    yes = await door(explain_permission, viewer, permission="can_read", **about)
    assert set(yes) == {"allowed", "model_version", "chain", "grants"}
    assert yes["allowed"]
    assert "user:viewer-of-project" in yes["chain"][-1]
    assert yes["grants"] == []
    no = await door(explain_permission, viewer, permission="can_write", **about)
    assert (no["allowed"], no["chain"], no["grants"]) == (False, [], [])
    told = await door(explain_permission, world.owner, permission="can_write", **about, user="viewer-of-project")
    assert not told["allowed"]
    assert any("developer" in line for line in told["grants"])


async def test_a_resource_moves_to_another_parent_with_everything_inherited(world: World, door: Door) -> None:
    uri = await connection(world, door)
    in_shop = await world.member("viewer")
    await world.grant("len", "viewer", "project", world.lab)
    in_lab = world.token("len", project=world.lab)
    assert (await door(get_data_connection, in_shop, resource_uri=uri))["resource_uri"] == uri
    assert await door(get_data_connection, in_lab, resource_uri=uri) == "FORBIDDEN"
    link = {"resource_type": "data_connection", "resource_id": uri, "parent_type": "project"}
    moved = ParentLink.model_validate(link | {"parent_id": world.lab})
    assert set(await door(set_parent, world.owner, link=moved)) == {"message"}
    assert await door(get_data_connection, in_shop, resource_uri=uri) == "FORBIDDEN"
    assert (await door(get_data_connection, in_lab, resource_uri=uri))["resource_uri"] == uri
    before = await world.dump()
    await door(set_parent, world.owner, link=moved)
    assert await world.dump() == before
    whole = ParentLink.model_validate(link | {"parent_type": "organization", "parent_id": "acme"})
    await door(set_parent, world.owner, link=whole)
    assert await door(get_data_connection, in_lab, resource_uri=uri) == "FORBIDDEN"
    assert (await door(get_data_connection, world.owner, resource_uri=uri))["resource_uri"] == uri


async def test_a_parent_that_does_not_fit_or_is_a_strangers_is_refused(world: World, door: Door) -> None:
    uri = await connection(world, door)
    own = {"resource_type": "data_connection", "resource_id": uri}
    shop = {"resource_type": "project", "resource_id": world.shop}
    acme = {"resource_type": "organization", "resource_id": "acme"}
    cases: list[tuple[dict[str, str], str, str, str]] = [
        (own, "data_connection", uri, "VALIDATION_ERROR"),
        (own, "file", "f", "VALIDATION_ERROR"),
        (shop, "project", world.lab, "VALIDATION_ERROR"),
        (acme, "organization", "acme", "VALIDATION_ERROR"),
        (own, "project", world.theirs, "RESOURCE_NOT_FOUND"),
        (own, "project", "none", "RESOURCE_NOT_FOUND"),
        (shop, "organization", "globex", "RESOURCE_NOT_FOUND"),
    ]
    before = await world.dump()
    for child, parent_type, parent_id, code in cases:
        link = ParentLink.model_validate(child | {"parent_type": parent_type, "parent_id": parent_id})
        refused = await door(set_parent, world.owner, link=link)
        assert refused == code, (child, parent_type)
        if code == "VALIDATION_ERROR":
            assert (refused.status, refused.details["field"]) == (422, "parent_type")
    assert await world.dump() == before


async def test_removing_all_roles_leaves_what_is_inherited(world: World, door: Door) -> None:
    uri = await connection(world, door)
    viewer = await world.member("viewer", type_="data_connection", id_=uri)
    inherits = await world.member("viewer")
    target = GovernedResource.model_validate({"resource_type": "data_connection", "resource_id": uri})
    answer = await door(delete_all_permissions, world.owner, target=target)
    assert (set(answer), answer["deleted"]) == ({"message", "deleted"}, 2)
    assert await door(get_data_connection, viewer, resource_uri=uri) == "FORBIDDEN"
    for token in (inherits, world.owner):
        assert (await door(get_data_connection, token, resource_uri=uri))["resource_uri"] == uri


async def test_an_organization_cannot_be_locked(world: World, door: Door) -> None:
    before = await world.dump()
    target = GovernedResource.model_validate({"resource_type": "organization", "resource_id": "acme"})
    refused = await door(delete_all_permissions, world.owner, target=target)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "resource_type")
    assert await world.dump() == before


async def test_relations_of_two_tenants_never_meet(world: World, door: Door) -> None:
    """The same id in both organizations: a grant in one says nothing in the other."""
    await door(grant_permission, world.owner, grant=grant_of(world, "ann"))
    elsewhere = world.token("ann", org="globex", project=world.shop)
    assert await door(get_project, elsewhere, project_id=world.shop) in ("RESOURCE_NOT_FOUND", "PROJECT_ACCESS_DENIED")
    about = {"permission": "can_read", "resource_type": "project", "resource_id": world.shop}
    assert await door(check_permission, elsewhere, **about) == {"allowed": False}


async def test_a_permission_that_the_type_does_not_have_is_a_malformed_parameter(world: World, door: Door) -> None:
    about = {"permission": "can_manage_projects", "resource_type": "file", "resource_id": "x"}
    for op in (check_permission, explain_permission):
        refused = await door(op, world.owner, **about)
        assert (refused.code, refused.status, refused.details) == ("INVALID_PARAMETER", 400, {"field": "permission"})
