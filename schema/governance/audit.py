"""The audit log: who did what to what, when, through which door, and whether they were allowed to."""

import hashlib
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

import orjson
from pydantic import Field

from schema.base import JsonObject, Resource, Size, choice
from schema.belonging import belonging
from schema.identifiers import UuidText

FIRST_HASH: Final = "0" * 64
"""What stands for the entry before the first one of an organization."""


@choice
class Door(StrEnum):
    """How a call came in."""

    REST = "rest"
    """A path of the REST contract."""
    GRAPH = "graph"
    """The GraphQL graph, subscriptions included."""
    MCP = "mcp"
    """The Model Context Protocol: an agent's client."""
    JOB = "job"
    """A background job of the platform, for the one who began it."""


@choice
class AuditOutcome(StrEnum):
    """What became of a call."""

    ALLOWED = "allowed"
    """The caller was allowed to, and it was done."""
    REFUSED = "refused"
    """The caller was not allowed to, and nothing was done."""


@belonging()
class AuditEntry(Resource):
    """One line of the audit log of an organization. It is written once and never changes.

    The entries of an organization are a chain: each holds the hash of the one before, and its own hash is made of that
    and of everything that it says. So a line that was changed or removed shows. Values of what was sent are not kept,
    beyond the names and ids that say what was meant.
    """

    id: UuidText
    sequence: Size = Field(description="Its place in the log of its organization: 1, 2, 3, without a gap.")
    organization_id: str
    project_id: str | None = Field(description="The project that was selected; null when none was.")
    occurred_at: datetime = Field(description="When it was written.")
    user_id: str = Field(description="Who called: the `sub` of the token.")
    client_id: str | None = Field(description="The application that asked for the token, where the token says it.")
    door: Door
    operation: str = Field(description="What was called, such as `delete_data_connection`.")
    outcome: AuditOutcome
    error_code: str | None = Field(description="The code that a refusal was answered with.")
    object_type: str | None = Field(description="The type of what the permission was asked on, such as `project`.")
    object_id: str | None = Field(description="The id of what the permission was asked on.")
    result_id: str | None = Field(description="The id, or else the name, of what was made or changed.")
    arguments: JsonObject = Field(description="The names and ids that were called with; values are never kept.")
    changed_fields: list[str] = Field(description="The fields that the body gave a value to, without the values.")
    request_id: str = Field(description="The `X-Request-ID` of the answer; the access log has the same.")
    previous_hash: str = Field(description="The hash of the entry before; zeros at the first.")
    hash: str = Field(description="SHA-256, in hexadecimal, of this entry's other fields as JSON with sorted keys.")

    def expected_hash(self) -> str:
        """What its hash is where nothing was changed."""
        return hash_of(self.model_dump(exclude={"hash"}))


def hash_of(fields: dict[str, Any]) -> str:
    """SHA-256 in hexadecimal of what an entry says besides, as JSON with sorted keys and no blanks, times in UTC."""
    plain = {name: value.astimezone(UTC) if isinstance(value, datetime) else value for name, value in fields.items()}
    return hashlib.sha256(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_UTC_Z)).hexdigest()
