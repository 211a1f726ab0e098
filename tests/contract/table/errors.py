"""The error table: in which way each operation can fail, or why it cannot (contract section 7)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.contract.stage import Place, Stage

ALWAYS: dict[str, tuple[int, str]] = {
    "no token": (401, "UNAUTHENTICATED"),
    "an expired token": (401, "TOKEN_EXPIRED"),
    "a token of another issuer": (401, "TOKEN_INVALID"),
    "a token that is none": (401, "TOKEN_MALFORMED"),
    "a full window": (429, "RATE_LIMIT_EXCEEDED"),
    "the engine is down": (502, "UPSTREAM_UNAVAILABLE"),
    "the service starts": (503, "SERVICE_STARTING"),
    "the store fails": (500, "DATABASE_ERROR"),
    "an unexpected failure": (500, "INTERNAL_ERROR"),
}
"""What every operation can meet."""

IN_REST: dict[str, tuple[int, str]] = {
    "a method that the path does not take": (405, "INVALID_REQUEST"),
    "a body that is too large": (413, "INVALID_REQUEST"),
    "a body that is no JSON": (400, "INVALID_FORMAT"),
    "a body of another media type": (415, "INVALID_REQUEST"),
}
"""What only a path can meet: the graph has one path for all operations (`test_unreadable.py` asks it the same)."""

KEY_TAKEN = (409, "RESOURCE_ALREADY_EXISTS")
"""Every operation that writes: its Idempotency-Key stands for another request."""
NO_PROJECT = (400, "MISSING_REQUIRED_FIELD")
"""Every operation in a project: none is selected."""
NOT_HIS_PROJECT = (403, "PROJECT_ACCESS_DENIED")
"""Every operation: the project that X-Project-ID selects is not one that the caller may read."""


@dataclass(frozen=True)
class Never:
    """A failure that cannot occur, and why."""

    why: str


OWN_VIEW = Never("shows every caller what is his own, which may be nothing")
NAMES_NOTHING = Never("names no resource that could be missing")
NAMES_NO_TWIN = Never("makes nothing whose identifier could be taken")
KEEPS_NO_REVISION = Never("changes nothing that a client may hold a version of")

TAKEN: dict[str, tuple[int, str]] = {
    operation: (409, "RESOURCE_ALREADY_EXISTS")
    for operation in (
        "create_project",
        "grant_permission",
        "create_project_secret",
        "create_resource_secret",
        "create_data_connection",
        "create_registered_server",
        "create_context_pack",
        "add_relationship",
        "create_artifact",
        "upload_file",
        "create_metadata",
        "create_dimension",
        "create_metric_definition",
        "create_violation_definition",
        "create_glossary_term",
        "link_glossary_term",
        "create_quality_rule",
    )
}
"""The operations that refuse to make the same twice. Others make two, or, as memories do, keep the one."""

TAKEN_ID: dict[str, Callable[[Any, dict[str, Any]], str]] = {
    "grant_permission": lambda made, given: given["grant"]["resource_id"],
    "create_project_secret": lambda made, given: f"{made['resource_id']}/{made['name']}",
    "create_resource_secret": lambda made, given: f"{made['resource_id']}/{made['name']}",
    "create_data_connection": lambda made, given: made["resource_uri"],
    "create_registered_server": lambda made, given: made["resource_uri"],
    "create_artifact": lambda made, given: made["resource_uri"],
    "upload_file": lambda made, given: made["resource_uri"],
    "add_relationship": lambda made, given: made["fully_qualified_name"],
    "create_metadata": lambda made, given: made["fully_qualified_name"],
    "link_glossary_term": lambda made, given: f"{made['term_id']}/{made['asset_fqn']}",
}
"""Whom a 409 names, by what stands and by what was asked: the id that reading it takes; that of all others is `id`."""

GONE: frozenset[str] = frozenset(
    {
        "revoke_permission",
        "delete_project_secret",
        "delete_resource_secret",
        "delete_data_connection",
        "delete_registered_server",
        "delete_file",
        "delete_artifact",
        "delete_metadata",
        "remove_relationship",
        "delete_schedule",
        "delete_webhook",
        "delete_context_pack",
        "delete_memory",
        "delete_chat_session",
        "delete_benchmark",
        "delete_workflow_configuration",
        "delete_dimension",
        "delete_metric_definition",
        "delete_violation_definition",
        "delete_glossary_term",
        "unlink_glossary_term",
        "delete_quality_rule",
    }
)
"""What is deleted is not there to be deleted again: 404."""

NO_STORE: dict[str, Never] = {}
"""The operations that ask nothing of the store."""

STATELESS: frozenset[str] = frozenset(
    {
        "add_relationship",
        "create_artifact",
        "create_chat_session",
        "create_context_pack",
        "create_data_connection",
        "create_dimension",
        "create_lineage_statement",
        "create_metadata",
        "create_project",
        "create_project_secret",
        "create_registered_server",
        "create_report",
        "create_resource_secret",
        "create_schedule",
        "create_workflow_configuration",
        "decide_suspect_cells",
        "decide_violations",
        "delete_artifact",
        "delete_benchmark",
        "delete_chat_session",
        "delete_context_pack",
        "delete_entities",
        "delete_file",
        "delete_metadata",
        "delete_project_secret",
        "delete_quality_rule",
        "delete_registered_server",
        "delete_resource_secret",
        "delete_webhook",
        "end_lineage_statement",
        "export_suspect_cells",
        "grant_permission",
        "import_dbt_manifest",
        "import_openlineage_event",
        "import_quality_rules",
        "index_entities",
        "remove_relationship",
        "repair_access",
        "replay_turn",
        "set_chat_settings",
        "set_parent",
        "set_rate_limits",
        "submit_turn_feedback",
        "unlink_glossary_term",
        "update_answer_note",
        "update_chat_session",
        "update_data_connection",
        "update_file",
        "update_metadata",
        "update_project_secret",
        "update_registered_server",
        "update_resource_secret",
        "update_webhook",
        "update_workflow_configuration",
        "upload_file",
        "verify_model",
    }
)
"""The operations that write and that no state refuses: what they name, or make, can always be made or changed."""

Makes = Callable[[Stage, Place], Awaitable[dict[str, Any]]]

MISSING = (404, "RESOURCE_NOT_FOUND")
IN_USE = (422, "VALIDATION_ERROR")


@dataclass(frozen=True)
class State:
    """One state in which an operation is refused."""

    operation: str
    state: str
    makes: Makes
    """Reaches the state; the arguments of the call."""
    field: str | None
    """What `details` names; None where it names the resource."""
    told: tuple[int, str] = (422, "VALIDATION_ERROR")
