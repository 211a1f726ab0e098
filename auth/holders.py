"""Tells roles from links to parents among what stands on an object, and who holds the roles."""

from collections.abc import Collection, Iterable

from auth.caller import WORKER
from auth.model import platform_model
from auth.permissions import grantable
from auth.relations import RelationTuple, bare_id, split_user, user_subject
from schema.governance.permission import Relation, ResourceType, RoleHolder


def roles_among(type_: ResourceType, standing: Iterable[RelationTuple]) -> list[RelationTuple]:
    """Return what was granted to users and groups; neither links to parents, nor the role of the platform's own
    worker.
    """
    roles = grantable(platform_model(), type_)
    return [
        item
        for item in standing
        if item.relation in roles and (item.user, item.relation) != (user_subject(WORKER), Relation.SERVICE_WORKER)
    ]


def links_among(type_: ResourceType, standing: Iterable[RelationTuple]) -> list[RelationTuple]:
    """The links to parents, from which an object inherits."""
    roles = grantable(platform_model(), type_)
    return [item for item in standing if item.relation not in roles]


def holders_among(
    type_: ResourceType, standing: Iterable[RelationTuple], relations: Collection[Relation] | None = None
) -> list[RoleHolder]:
    """Return who holds a role, or one of some roles: users first, by their names."""
    found = [
        RoleHolder(
            user_or_group=bare_id(item.user),
            is_group=split_user(item.user)[0] == "group",
            relation=Relation(item.relation),
        )
        for item in roles_among(type_, standing)
        if relations is None or item.relation in relations
    ]
    return sorted(found, key=lambda one: (one.is_group, one.user_or_group, one.relation))
