"""The platform's vocabulary of access: the permissions, relations and resource types of contract 5.1.

What is granted to whom is read from `auth/model.fga`; these names are only its Python spelling, and a test compares
the two.
"""

from enum import StrEnum

from auth.model import Model


class Permission(StrEnum):
    """What an operation may require. Computed by the model, never granted."""

    CAN_READ = "can_read"
    CAN_WRITE = "can_write"
    CAN_DELETE = "can_delete"
    CAN_EXECUTE = "can_execute"
    CAN_CREATE_RESOURCES = "can_create_resources"
    CAN_SHARE = "can_share"
    CAN_READ_SECRETS = "can_read_secrets"
    CAN_MANAGE_SECRETS = "can_manage_secrets"
    CAN_READ_METADATA = "can_read_metadata"
    CAN_MANAGE_METADATA = "can_manage_metadata"
    CAN_MANAGE_PROJECTS = "can_manage_projects"
    CAN_MANAGE_USERS = "can_manage_users"


class Relation(StrEnum):
    """What may be granted to a user or a group; which of them where, `grantable` says."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    DEVELOPER = "developer"
    OPERATOR = "operator"
    VIEWER = "viewer"
    SERVICE_WORKER = "service_worker"


class ParentRelation(StrEnum):
    """The links of the hierarchy: a resource to its project, both to their organization."""

    ORGANIZATION = "organization"
    PROJECT = "project"


class ResourceType(StrEnum):
    """What access is given to."""

    ORGANIZATION = "organization"
    PROJECT = "project"
    ARTIFACT = "artifact"
    FILE = "file"
    DATA_CONNECTION = "data_connection"
    MCP_SERVER = "mcp_server"
    API_SERVER = "api_server"
    MODEL = "model"


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
