"""Who can be named, who cannot, and that no token passes for a stranger, for everybody, or for the platform itself."""

from typing import Any

import pytest

from resolvers.assets.data_connections import create_data_connection, get_data_connection, verify_data_connection
from resolvers.assets.files import list_files
from resolvers.data_readiness.workflows import list_workflow_configurations
from resolvers.governance.organizations import get_organization, list_organizations
from resolvers.governance.permissions import (
    check_permission,
    explain_permission,
    grant_permission,
    revoke_permission,
    set_parent,
)
from resolvers.governance.projects import create_project, get_project, list_projects
from resolvers.governance.secrets import list_project_secrets
from schema.assets.data_connection import ConnectionType, DataConnectionCreate
from schema.governance.permission import Grant, ParentLink, Relation, ResourceType
from schema.governance.project import ProjectCreate
from tests.doors import Door
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

STRANGERS = "stoa:anonymous"
"""How everybody without a token is spelled in a grant."""

FEDERATED = [
    "f:8a1b:bob",
    "auth0|abc",
    "ann@example.com",
    "https://id.example/users/7",
    "urn:uuid:5f0c",
    "a:",
    "::",
    "100%",
    "%2A",
    "repo:acme/shop:ref:refs/heads/main",
    "Ünïcödé:ß",
    "x" * 255,
]


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Strangers may read what the organization gives them."""
    return {"anonymous_reads": True, "anonymous_organization": ORG}


def role(world: World, user: str, relation: str = "viewer", **more: Any) -> Grant:
    """A role on the shop, or on what is named; not checked, so that the door has to."""
    values: dict[str, Any] = {
        "resource_type": ResourceType.PROJECT,
        "resource_id": world.shop,
        "is_group": False,
    } | more
    return Grant.model_construct(user_or_group=user, relation=Relation(relation), **values)


async def allowed(world: World, door: Door, user: str) -> bool:
    """Return whether somebody may read the shop, asked by the owner."""
    about = {"permission": "can_read", "resource_type": "project", "resource_id": world.shop}
    answer = await door(check_permission, world.owner, user=user, **about)
    assert not hasattr(answer, "code"), answer
    explained = await door(explain_permission, world.owner, user=user, **about)
    assert explained["allowed"] == answer["allowed"]
    return bool(answer["allowed"])


async def test_whoever_can_sign_in_can_be_given_a_role(world: World, door: Door) -> None:
    for user in FEDERATED:
        token = world.token(user, project=world.shop)
        assert await door(get_project, token, project_id=world.shop) == "PROJECT_ACCESS_DENIED", user
        assert not await allowed(world, door, user)
        assert set(await door(grant_permission, world.owner, grant=role(world, user))) == {"message"}, user
        assert (await door(get_project, token, project_id=world.shop))["id"] == world.shop, user
        assert await allowed(world, door, user)
        assert await allowed(world, door, f"user:{user}")
        about = {"permission": "can_read", "resource_type": "project", "resource_id": world.shop}
        assert await door(check_permission, token, user=user, **about) == {"allowed": True}
        assert await door(grant_permission, world.owner, grant=role(world, user)) == "RESOURCE_ALREADY_EXISTS"
        assert set(await door(revoke_permission, world.owner, grant=role(world, user))) == {"message"}
        assert await door(get_project, token, project_id=world.shop) == "PROJECT_ACCESS_DENIED", user
        assert not await allowed(world, door, user)


async def test_a_federated_group_can_be_given_a_role(world: World, door: Door) -> None:
    for group in ("urn:acme:data", "data@acme.example", "a/b", "uuid:5f0c"):
        token = world.token("nina", project=world.shop, groups=(f"/{group}",))
        namesake = world.token(group, project=world.shop)
        assert await door(get_project, token, project_id=world.shop) == "PROJECT_ACCESS_DENIED", group
        await door(grant_permission, world.owner, grant=role(world, group, is_group=True))
        assert (await door(get_project, token, project_id=world.shop))["id"] == world.shop, group
        assert await door(get_project, namesake, project_id=world.shop) == "PROJECT_ACCESS_DENIED", group


async def test_an_id_that_begins_like_a_prefix_is_never_taken_for_another(world: World, door: Door) -> None:
    """`user:ann` may be meant as ann or be an id of its own: it is refused, and the id of its own has a spelling."""
    mallory, ann = world.token("user:ann", project=world.shop), world.token("ann", project=world.shop)
    assert await door(grant_permission, world.owner, grant=role(world, "user:ann")) == "VALIDATION_ERROR"
    await door(grant_permission, world.owner, grant=role(world, "user:user:ann"))
    assert (await door(get_project, mallory, project_id=world.shop))["id"] == world.shop
    assert await door(get_project, ann, project_id=world.shop) == "PROJECT_ACCESS_DENIED"
    await door(revoke_permission, world.owner, grant=role(world, "user:user:ann"))
    assert await door(get_project, mallory, project_id=world.shop) == "PROJECT_ACCESS_DENIED"


async def test_nobody_is_everybody_or_the_platform(world: World, door: Door) -> None:
    before = await world.dump()
    names = ["*", "user:*", "group:*", "a#member", "group:org-owners#member", "stoa:worker", "Stoa:Worker",
             "stoa:probe", "STOA:anonymous", "stoa:", "a\u200bb", "a\x00b", "a\u202eb", "\x7f", "a b", ""]  # fmt: skip
    for name in names:
        for is_group in (False, True):
            for op in (grant_permission, revoke_permission):
                refused = await door(op, world.owner, grant=role(world, name, is_group=is_group))
                assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422), (name, op.name)
                assert refused.details["field"] == "user_or_group", (name, op.name)
    for op in (grant_permission, revoke_permission):
        refused = await door(op, world.owner, grant=role(world, STRANGERS, is_group=True))
        assert refused == "VALIDATION_ERROR"
    for id_ in ("*", "a#b", "a b", "a\x00b", "a\u200bb"):
        refused = await door(grant_permission, world.owner, grant=role(world, "ann", resource_id=id_))
        assert (refused.status, refused.details["field"]) == (422, "resource_id"), id_
        link = ParentLink.model_construct(
            resource_type=ResourceType.PROJECT,
            resource_id=world.shop,
            parent_type=ResourceType.ORGANIZATION,
            parent_id=id_,
        )
        assert (await door(set_parent, world.owner, link=link)).status == 422, id_
    assert await world.dump() == before


@pytest.mark.parametrize(
    "sub",
    [STRANGERS, "stoa:worker", "stoa:probe", "STOA:anonymous", "\u017ftoa:anonymous", "stoa:", "*", "a#member", "a b",
     "stoa:anonymous\u200b"],
)  # fmt: skip
async def test_no_token_passes_for_a_stranger_or_the_platform(world: World, door: Door, sub: str) -> None:
    await world.grant(STRANGERS, "viewer", "project", world.shop)
    refused = await door(get_project, world.token(sub, project=world.shop), project_id=world.shop)
    assert (refused.code, refused.status) == ("TOKEN_INVALID", 401)


async def test_no_group_passes_for_the_platform(world: World, door: Door) -> None:
    await world.grant(STRANGERS, "owner", "project", world.shop, is_group=True)
    token = world.token("mallory", project=world.shop, groups=(STRANGERS, f"/{STRANGERS}", "*", "Stoa:worker"))
    assert await door(get_project, token, project_id=world.shop) == "PROJECT_ACCESS_DENIED"


async def connection(world: World, door: Door, project: str) -> str:
    """A connection of a project."""
    made = await door(
        create_data_connection,
        world.token("olga", project=project),
        connection=DataConnectionCreate(
            name="store", connection_type=ConnectionType.NFS, filesystem_config={"path": "/x"}, credentials=None
        ),
    )
    uri: str = made["resource_uri"]
    return uri


async def test_a_project_that_is_given_to_strangers_is_all_that_they_read(world: World, door: Door) -> None:
    """Granted through the API, as its users would."""
    uri, hidden = await connection(world, door, world.shop), await connection(world, door, world.lab)
    assert await door(get_project, None, project_id=world.shop) == "FORBIDDEN"
    assert set(await door(grant_permission, world.owner, grant=role(world, STRANGERS))) == {"message"}
    assert await allowed(world, door, STRANGERS)
    shop, lab = {"X-Project-ID": world.shop}, {"X-Project-ID": world.lab}
    assert (await door(get_project, None, project_id=world.shop))["name"] == "shop"
    assert (await door(get_data_connection, None, resource_uri=uri))["resource_uri"] == uri
    for op in (list_files, list_workflow_configurations):
        assert (await door(op, None, shop))["total"] == 0
        assert await door(op, None, lab) == "PROJECT_ACCESS_DENIED"
    assert [item["id"] for item in (await door(list_projects, None))["items"]] == [world.shop]
    assert (await door(list_organizations, None))["total"] == 0
    assert (await door(get_organization, None, org_id=ORG)).status == 403
    assert (await door(get_project, None, project_id=world.lab)).status == 403
    assert (await door(get_project, None, project_id=world.theirs)).status == 404
    assert (await door(get_data_connection, None, resource_uri=hidden)).status == 403
    assert (await door(list_project_secrets, None, shop)).status == 403
    before = await world.dump()
    for op, arguments in (
        (verify_data_connection, {"resource_uri": uri}),
        (create_project, {"project": ProjectCreate(name="x")}),
        (grant_permission, {"grant": role(world, "ann")}),
    ):
        assert await door(op, None, **arguments) == "UNAUTHENTICATED"
    assert await world.dump() == before
    # Who has a token has what he was given, not what strangers have.
    assert await door(get_project, world.token("ann", project=world.shop), project_id=world.shop) == (
        "PROJECT_ACCESS_DENIED"
    )
    assert set(await door(revoke_permission, world.owner, grant=role(world, STRANGERS))) == {"message"}
    assert await door(get_project, None, project_id=world.shop) == "FORBIDDEN"


async def test_strangers_are_given_nothing_but_reading(world: World, door: Door) -> None:
    uri = await connection(world, door, world.shop)
    before = await world.dump()
    places = [("project", world.shop), ("data_connection", uri), ("organization", ORG)]
    for type_, id_ in places:
        for relation in Relation:
            if relation is Relation.VIEWER and type_ != "organization":
                continue
            wanted = role(world, STRANGERS, relation, resource_type=ResourceType(type_), resource_id=id_)
            refused = await door(grant_permission, world.owner, grant=wanted)
            assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "relation")
    assert await world.dump() == before
    # What was written otherwise can still be taken away.
    await world.grant(STRANGERS, "operator", "project", world.shop)
    assert set(await door(revoke_permission, world.owner, grant=role(world, STRANGERS, "operator"))) == {"message"}


@pytest.mark.parametrize("setting_overrides", [{}])
async def test_a_deployment_without_anonymous_reads_stays_closed(world: World, door: Door) -> None:
    await world.grant(STRANGERS, "viewer", "project", world.shop)
    assert await door(get_project, None, project_id=world.shop) == "UNAUTHENTICATED"
