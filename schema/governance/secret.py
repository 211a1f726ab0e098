"""A secret is stored sealed; only the operation that reads one value ever answers with it."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from schema.base import Change, Maybe, Resource, change, resource

SecretName = Annotated[
    str,
    Field(min_length=1, max_length=255, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", description="Unique per resource."),
]
SecretText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=65_536,
        description="The value to keep sealed.",
        json_schema_extra={"writeOnly": True},
    ),
]
Description = Annotated[str, Field(max_length=1000)]


@resource
class Secret(Resource):
    """What is known of a secret without its value."""

    name: str
    description: str | None
    resource_type: str
    resource_id: str
    created_at: datetime
    updated_at: datetime
    created_by: str
    updated_by: str


@resource
class SecretValue(Resource):
    """A secret with its value."""

    name: str
    value: str
    description: str | None
    resource_type: str
    resource_id: str
    created_at: datetime
    updated_at: datetime


@change
class SecretCreate(Change):
    """A new secret."""

    name: SecretName
    value: SecretText
    description: Description | None = None


@change
class SecretChange(Change):
    """A new value, a new description, or both. A field left out stays; a null description is none."""

    value: Maybe[SecretText] = None
    description: Maybe[Description | None] = None
