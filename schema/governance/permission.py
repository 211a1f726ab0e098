"""Relations between users, groups and resources, and the questions asked about them (contract 5.1)."""

from enum import StrEnum
from typing import Annotated, ClassVar, Self

from pydantic import Field, PrivateAttr

from schema.base import Change, Resource, change, choice, resource
from schema.node import deletion
from schema.typed import Typed

NAMING = r"^[^\s\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb#*]+$"
"""What names somebody or something: nothing blank or invisible, nor `#` and `*`, which mean more than one."""


Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=255,
        pattern=NAMING,
        description="A bare user id (the token's `sub`) or group name, without prefix. The user `stoa:anonymous` is "
        "everybody without a token, where the deployment lets them read.",
    ),
]
ObjectId = Annotated[str, Field(min_length=1, max_length=256, pattern=NAMING, description="The id of the resource.")]


@choice
class ResourceType(StrEnum):
    """The types that relations are kept for."""

    ORGANIZATION = "organization"
    PROJECT = "project"
    ARTIFACT = "artifact"
    FILE = "file"
    DATA_CONNECTION = "data_connection"
    MCP_SERVER = "mcp_server"
    API_SERVER = "api_server"
    MODEL = "model"


TypeName = Annotated[
    str,
    Field(pattern=rf"^({'|'.join(ResourceType)})$", description="The resource's type, such as data_connection."),
    Typed("of_type", ResourceType, "The resource's type; it must be told."),
]
"""A resource's type as a part of a path, where GraphQL's spelling of an enum would not fit; the graph has that, too."""


@choice
class Relation(StrEnum):
    """The roles that can be granted; the model says which type takes which."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    DEVELOPER = "developer"
    OPERATOR = "operator"
    VIEWER = "viewer"
    SERVICE_WORKER = "service_worker"


@choice
class Permission(StrEnum):
    """The permissions that roles confer."""

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


@change
class Grant(Change):
    """A relation to give to, or take from, a user or a group."""

    names_only: ClassVar[bool] = True

    user_or_group: Name
    relation: Relation
    resource_type: ResourceType
    resource_id: ObjectId
    is_group: bool = False


@change
class ParentLink(Change):
    """The parent that a resource inherits permissions from."""

    names_only: ClassVar[bool] = True

    resource_type: ResourceType
    resource_id: ObjectId
    parent_type: ResourceType
    parent_id: ObjectId


@change
class GovernedResource(Change):
    """The resource whose relations are meant."""

    names_only: ClassVar[bool] = True

    resource_type: ResourceType
    resource_id: ObjectId


@resource
class PermissionAnswer(Resource):
    """Whether a permission is held."""

    allowed: bool


@resource
class PermissionExplanation(Resource):
    """Why a permission is held, or what would give it.

    `chain` lists the relations behind a yes, in order; `grants` the smallest grants that would turn a no.
    Each is written `user relation object`.
    """

    allowed: bool
    model_version: str
    chain: list[str]
    grants: list[str]


@resource
class RoleHolder(Resource):
    """A user or group that was given a role on a resource itself."""

    user_or_group: str = Field(description="The bare id of the user or name of the group, as a grant has it.")
    is_group: bool = Field(description="Whether it is a group, whose members the identity provider knows.")
    relation: Relation = Field(description="The role.")


@deletion("_deleted_id")
class Done(Resource):
    """A sentence that says what was done."""

    message: str

    _deleted_id: str | None = PrivateAttr(default=None)

    def of_deleted(self, id: str) -> Self:
        """Return the same, which also tells the graph what was deleted."""
        told = self.model_copy()
        told._deleted_id = id
        return told


@resource
class DeletedRelations(Resource):
    """How many relations were removed."""

    message: str
    deleted: int = Field(description="How many roles of users and groups were removed.")


@resource
class RepairedAccess(Resource):
    """A relation that was put back: the link to a parent, an owner, or the platform's worker."""

    resource_type: ResourceType
    resource_id: str
    relation: str = Field(description="The relation that stands again, such as project or owner.")
    holder: str = Field(description="Who holds it, such as project:3f2b or user:ann.")


@resource
class AccessRepair(Resource):
    """What was repaired of what nobody could reach."""

    message: str
    repaired: int = Field(description="How many relations were put back.")
    objects: list[RepairedAccess] = Field(description="The first 1,000 of them.")
