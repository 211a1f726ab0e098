"""What the authorization model says about the vocabulary of `schema/governance/permission.py`.

What is granted to whom is read from `auth/model.fga`; the names are only its Python spelling, and a test compares the
two.
"""

from enum import StrEnum

from auth.model import Model
from schema.governance.permission import Permission, Relation, ResourceType


class ParentRelation(StrEnum):
    """The links of the hierarchy: a resource to its project, both to their organization."""

    ORGANIZATION = "organization"
    PROJECT = "project"


def grantable(model: Model, type_: ResourceType) -> frozenset[Relation]:
    """The relations that a user or a group can be given on a type."""
    return frozenset(
        Relation(name)
        for name, restrictions in model.direct(type_).items()
        if any(item.type == "user" for item in restrictions)
    )


def permissions_of(model: Model, type_: ResourceType) -> frozenset[Permission]:
    """The permissions that can be asked for on a type."""
    return frozenset(Permission(name) for name in model.types[type_] if name.startswith("can_"))


def parents(model: Model, type_: ResourceType) -> dict[ParentRelation, ResourceType]:
    """The links that a resource of the type may have to what it lies in, and the type at the other end."""
    return {
        ParentRelation(name): ResourceType(restrictions[0].type)
        for name, restrictions in model.direct(type_).items()
        if all(item.type != "user" for item in restrictions)
    }
