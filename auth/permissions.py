"""Defines what the authorization model says about the vocabulary of `schema/governance/permission.py`.

What is granted to whom is read from `auth/model.fga`; the names are only its Python spelling, and a test compares the
two.
"""

import functools
from enum import StrEnum

from auth.evaluator import Evaluator
from auth.model import Model
from auth.relations import RelationTuple
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


@functools.cache
def conferred(model: Model, type_: ResourceType, relation: Relation) -> frozenset[Permission]:
    """The permissions on an object of the type that its relation alone gives; none for one that the type lacks."""
    if relation not in grantable(model, type_):
        return frozenset()
    somebody, something = "user:somebody", f"{type_.value}:something"
    evaluator = Evaluator(model, [RelationTuple(somebody, relation.value, something)])
    return frozenset(name for name in permissions_of(model, type_) if evaluator.holds(somebody, name.value, something))
