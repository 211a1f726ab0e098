"""What the platform has beside the contract, as section 9.2 lets a version add: each with its reason.

Everything that is neither in the table nor here fails the contract test.
"""

LIMITS = "administrators configure the limits of their tenant (section 8)"
WHY = "an administrator asks why somebody may do something"
CATALOG = "what can be created and read must be found, changed and removed again"
PACKS = "their states are documented, and something must move them"
MEMORIES = "the lifecycle of memories is documented, and something must move them"
RUNS = "a run that hangs is stopped, and one that failed is tried again"
ANSWERING = "a project says how it wants to be answered"
LEARNING = "people say what was wrong with an answer, and stewards decide what is learned from it"
BENCHMARKS = "who runs the platform measures it on questions of their own"
PROVENANCE = "an answer shows where it comes from, and an old one can be asked again"
RESUMED = "browsers follow a stream by GET"
ANY = "the contract writes these resources as `any ...` and leaves their paths open"
APPROVAL = "who decides on proposals must see them first"
FIND = "what is indexed must be found"
RULES = "the rules that dq-execution executes are written, imported and decided about, and their outcomes read"
REPORT = "what was measured is shown to people on one page"
TAGGED = "what engines have recognised must be read and decided"
SUSPECTS = "cells that look wrong are looked through, decided and handed on"
HAPPENED = "other systems hear of what has become true"
SEMANTICS = "measures, joins and words that other tools keep are taken over, and handed on"
TOLD = "other systems that keep lineage hear of runs in their own words"
REACHES = "what is wrong is found out of what depends on it"
LINEAGE = "what depends on what is told, followed and taken back"
SERVERS = "servers of tools and APIs are resources of the authorization model; they are registered and called"
MEASURED = "what profiling has measured must be read"

ADDITIONS: dict[str, str] = {
    "GET /governance/organizations/{org_id}/rate-limits": LIMITS,
    "PUT /governance/organizations/{org_id}/rate-limits": LIMITS,
    "GET /governance/permissions/explain": WHY,
    "GET /governance/resources/{resource_type}/{resource_id}/roles": "who was let in must be seen",
    "GET /governance/audit": "who did what, and was allowed to, must be shown",
    "POST /governance/permissions/repair": "what was left to nobody must be found and given back",
    "GET /assets/data": CATALOG,
    "DELETE /assets/data/{resource_uri}": "what is registered must be removable",
    "GET /assets/files": CATALOG,
    "PUT /assets/files/{resource_uri}": CATALOG,
    "DELETE /assets/files/{resource_uri}": CATALOG,
    "GET /assets/artifacts": CATALOG,
    "DELETE /assets/artifacts/{resource_uri}": CATALOG,
    **{
        f"{method} /assets/servers{path}": SERVERS
        for method, path in (
            ("POST", ""),
            ("GET", ""),
            ("GET", "/{resource_uri}"),
            ("PUT", "/{resource_uri}"),
            ("DELETE", "/{resource_uri}"),
            ("POST", "/{resource_uri}/verify"),
            ("GET", "/{resource_uri}/tools"),
            ("PUT", "/{resource_uri}/approval"),
            ("POST", "/{resource_uri}/calls"),
            ("GET", "/{resource_uri}/calls"),
        )
    },
    "GET /utils/schedules": CATALOG,
    "GET /utils/schedules/{schedule_id}/runs": "each firing leaves a record, which is read here",
    "GET /utils/events": HAPPENED,
    "GET /utils/events/stream": HAPPENED,
    "POST /utils/webhooks": HAPPENED,
    "GET /utils/webhooks": HAPPENED,
    "GET /utils/webhooks/{webhook_id}": HAPPENED,
    "PUT /utils/webhooks/{webhook_id}": HAPPENED,
    "DELETE /utils/webhooks/{webhook_id}": HAPPENED,
    "POST /utils/webhooks/{webhook_id}/secret": HAPPENED,
    "POST /utils/webhooks/{webhook_id}/test": HAPPENED,
    "GET /utils/webhooks/{webhook_id}/deliveries": HAPPENED,
    "POST /utils/webhooks/{webhook_id}/replay": HAPPENED,
    "GET /utils/context-packs/{pack_id}": PACKS,
    "PUT /utils/context-packs/{pack_id}": PACKS,
    "DELETE /utils/context-packs/{pack_id}": PACKS,
    "GET /utils/context-packs/{pack_id}/semantic-model": SEMANTICS,
    "POST /utils/semantic-models": SEMANTICS,
    "PUT /utils/memories/{memory_id}": MEMORIES,
    "DELETE /utils/memories/{memory_id}": MEMORIES,
    **{
        f"POST /utils/memories/{{memory_id}}/{move}": MEMORIES
        for move in ("pin", "unpin", "archive", "reactivate", "supersede", "validate")
    },
    **{
        f"{method} /utils/{{resource_type}}/{{resource_uri}}/lineage{path}": LINEAGE
        for method, path in (
            ("GET", ""),
            ("GET", "/edges"),
            ("GET", "/impact"),
            ("GET", "/path"),
            ("GET", "/answers"),
            ("GET", "/statements"),
            ("POST", "/statements"),
            ("POST", "/statements/{statement_id}/end"),
            ("POST", "/dbt"),
            ("POST", "/openlineage"),
        )
    },
    "POST /utils/{resource_type}/{resource_uri}/metadata/relationships": LINEAGE,
    "DELETE /utils/{resource_type}/{resource_uri}/metadata/relationships": LINEAGE,
    "GET /talk2data/chat/messages/sessions/{session_id}/turns/{turn_id}/stream": RESUMED,
    "GET /talk2data/chat/sessions/{session_id}/turns/{turn_id}/provenance": PROVENANCE,
    "POST /talk2data/chat/sessions/{session_id}/turns/{turn_id}/replay": PROVENANCE,
    "POST /talk2data/chat/sessions/{session_id}/turns/{turn_id}/correction": LEARNING,
    "GET /talk2data/chat/notes": LEARNING,
    "GET /talk2data/chat/notes/{note_id}": LEARNING,
    "PATCH /talk2data/chat/notes/{note_id}": LEARNING,
    "POST /talk2data/benchmarks": BENCHMARKS,
    "GET /talk2data/benchmarks": BENCHMARKS,
    "GET /talk2data/benchmarks/{benchmark_id}": BENCHMARKS,
    "DELETE /talk2data/benchmarks/{benchmark_id}": BENCHMARKS,
    "GET /talk2data/benchmarks/{benchmark_id}/results": BENCHMARKS,
    "POST /talk2data/benchmarks/{benchmark_id}/cancel": BENCHMARKS,
    "GET /talk2data/chat/settings": ANSWERING,
    "PUT /talk2data/chat/settings": ANSWERING,
    "GET /data-readiness/workflows/definitions": "a configuration is made from a definition",
    "GET /data-readiness/workflows/pipelines": CATALOG,
    "GET /data-readiness/workflows/runs": CATALOG,
    "PUT /data-readiness/workflows/{configuration_id}": CATALOG,
    "DELETE /data-readiness/workflows/{configuration_id}": CATALOG,
    "POST /data-readiness/workflows/{configuration_id}/runs/{run_id}/cancel": RUNS,
    "POST /data-readiness/workflows/{configuration_id}/runs/{run_id}/retry": RUNS,
    "GET /data-readiness/workflows/runs/{run_id}/proposals": APPROVAL,
    "GET /data-readiness/workflows/runs/{run_id}/proposals/groups": APPROVAL,
    "GET /data-readiness/workflows/runs/{run_id}/approval": APPROVAL,
    "GET /data-readiness/data-assets": ANY,
    "GET /data-readiness/data-assets/{asset_id}": ANY,
    "GET /data-readiness/data-assets/{asset_id}/runs": ANY,
    "POST /data-readiness/reports": REPORT,
    "GET /data-readiness/classifications": TAGGED,
    "GET /data-readiness/classifications/taxonomy": TAGGED,
    "GET /data-readiness/classifications/{classification_id}": TAGGED,
    "PATCH /data-readiness/classifications/{classification_id}": TAGGED,
    "GET /data-readiness/profiles": MEASURED,
    "GET /data-readiness/profiles/table": MEASURED,
    "GET /data-readiness/profiles/column": MEASURED,
    "GET /data-readiness/metrics/dimensions": ANY,
    "POST /data-readiness/metrics/dimensions": ANY,
    "PUT /data-readiness/metrics/dimensions/{dimension_id}": ANY,
    "DELETE /data-readiness/metrics/dimensions/{dimension_id}": ANY,
    "GET /data-readiness/metrics/definitions": ANY,
    "POST /data-readiness/metrics/definitions": ANY,
    "PUT /data-readiness/metrics/definitions/{definition_id}": ANY,
    "DELETE /data-readiness/metrics/definitions/{definition_id}": ANY,
    "GET /data-readiness/metrics/results": ANY,
    **{
        f"{method} /data-readiness/quality-rules{path}": RULES
        for method, path in (
            ("GET", ""),
            ("POST", ""),
            ("GET", "/executions"),
            ("GET", "/export"),
            ("POST", "/import"),
            ("POST", "/try"),
            ("GET", "/{rule_id}"),
            ("PUT", "/{rule_id}"),
            ("DELETE", "/{rule_id}"),
            ("POST", "/{rule_id}/check"),
        )
    },
    "POST /data-readiness/violations/definitions": ANY,
    "PUT /data-readiness/violations/definitions/{definition_id}": ANY,
    "DELETE /data-readiness/violations/definitions/{definition_id}": ANY,
    "GET /data-readiness/workflows/{configuration_id}/runs/{run_id}/openlineage": TOLD,
    "GET /data-readiness/violations/{violation_id}/history": ANY,
    "GET /data-readiness/violations/{violation_id}/impact": REACHES,
    "POST /data-readiness/violations/decisions": ANY,
    "GET /data-readiness/suspect-cells": SUSPECTS,
    "GET /data-readiness/suspect-cells/groups": SUSPECTS,
    "POST /data-readiness/suspect-cells/decisions": SUSPECTS,
    "POST /data-readiness/suspect-cells/exports": SUSPECTS,
    "GET /data-readiness/actions": "which of many violations to mend first",
    "GET /data-readiness/glossary/terms": ANY,
    "POST /data-readiness/glossary/terms": ANY,
    "GET /data-readiness/glossary/terms/{term_id}": ANY,
    "PUT /data-readiness/glossary/terms/{term_id}": ANY,
    "POST /data-readiness/glossary/terms/{term_id}/approval": ANY,
    "GET /data-readiness/glossary/terms/{term_id}/assets": ANY,
    "POST /data-readiness/glossary/terms/{term_id}/assets": ANY,
    "DELETE /data-readiness/glossary/terms/{term_id}/assets": ANY,
    "GET /search/entities": FIND,
}

ADDED_STATUS = {
    "POST /assets/servers": 201,
    "POST /utils/webhooks": 201,
    "POST /utils/webhooks/{webhook_id}/test": 202,
    "POST /utils/webhooks/{webhook_id}/replay": 202,
    "POST /data-readiness/workflows/{configuration_id}/runs/{run_id}/retry": 202,
    "POST /data-readiness/metrics/dimensions": 201,
    "POST /data-readiness/metrics/definitions": 201,
    "POST /data-readiness/violations/definitions": 201,
    "POST /data-readiness/reports": 201,
    "POST /data-readiness/suspect-cells/exports": 201,
    "POST /talk2data/benchmarks": 202,
    "POST /talk2data/chat/sessions/{session_id}/turns/{turn_id}/correction": 201,
    "POST /data-readiness/quality-rules": 201,
    "POST /utils/{resource_type}/{resource_uri}/lineage/statements": 201,
    "POST /data-readiness/glossary/terms": 201,
    "POST /data-readiness/glossary/terms/{term_id}/assets": 201,
}
"""The success of an addition that is not 200."""

SECRETS = tuple(f"{verb}_{of}_secret" for verb in ("create", "get", "update") for of in ("project", "resource"))
METADATA_WORDS = (
    "business_definition business_rules description display_name extension is_dq_tagged is_pii_tagged "
    "is_sensitivity_tagged owners summary_text tags"
)

_FIELDS: list[tuple[str, str, str, str]] = [
    ("create_data_connection", "body", "typed_config typed_credentials", "the configs with a type for each connection"),
    ("update_data_connection", "body", "typed_config typed_credentials", "the configs with a type for each connection"),
    (
        "list_violations",
        "params",
        "assessment_type assets_like assigned_to asset_fqn dimension name service severity sort status workflow_run_id",
        "filters",
    ),
    ("list_memories", "params", "asset_fqn context_pack_id memory_type pinned q status validation_status", "filters"),
    ("list_workflow_configurations", "params", "search status workflow_type", "filters"),
    ("list_workflow_runs", "params", "asset_fqn started_after started_before status", "filters"),
    ("search_metadata", "params", "sort_by=relevance", "what is called so stands before what only speaks of it"),
    ("preview_artifact", "params", "offset", "the next page of a table"),
    ("download_artifact", "params", "format", "the rows of a table as CSV, XLSX or JSON"),
    ("list_turn_artifacts", "params", "page limit", "it is a list as every other"),
    ("create_turn", "body", "reading_id", "which reading of a question back is meant"),
    ("stream_turn", "params", "last_event_id", "in the graph, which has no header for it"),
    ("create_artifact", "body", "columns rows content file_uri", "what the artifact holds"),
    ("upload_file", "body", "file", "the bytes"),
    ("create_data_connection", "body", "organization_wide", "`project_id` null means the whole organization"),
    ("create_metadata", "body", f"fully_qualified_name name type {METADATA_WORDS}", "the fields of 2.5"),
    (
        "create_metadata",
        "body",
        "column_relationships constraint data_length data_type data_type_display nullable ordinal_position "
        "precision row_count scale schema_definition table_type",
        "the fields of 2.5",
    ),
    ("update_metadata", "body", f"expected_version version_change_reason {METADATA_WORDS}", "the fields of 2.5"),
    (
        "create_workflow_configuration",
        "body",
        "data_asset_types description is_default require_reference_pack",
        "fields of the configuration",
    ),
    (
        "get_scorecard",
        "answer",
        "data_quality data_quality.score metadata metadata.score",
        "two scores, with two trends",
    ),
    ("update_violation", "body", "assigned_to", "who is to look after it"),
    ("decide_run", "body", "proposal_ids", "to decide on some of the proposals"),
    ("decide_run", "body", "after_table dry_run only", "to decide on those that match, and to see before what it does"),
    ("update_schedule", "body", "schedule.run_at", "the moment of a schedule that fires once"),
    ("create_schedule", "body", "schedule.run_at", "the moment of a schedule that fires once"),
    *(
        (operation, "answer", "description resource_id resource_type updated_at", "what the secret is")
        for operation in (*SECRETS, "list_project_secrets", "list_resource_secrets")
    ),
    *(
        (operation, "answer", "created_by updated_by", "who wrote the secret")
        for operation in (*SECRETS, "list_project_secrets", "list_resource_secrets")
        if not operation.startswith("get_")
    ),
    *(
        (operation, "answer", "pack_type status", "what the filters of the list ask for")
        for operation in ("create_context_pack", "list_context_packs")
    ),
    *(
        (operation, "answer", "supersedes", "the other end of `superseded_by`")
        for operation in ("create_memory", "get_memory", "list_memories")
    ),
    *(
        (
            operation,
            "answer",
            "configuration_id created_at created_by last_run_at next_run_at organization_id project_id schedule.run_at "
            "updated_at updated_by",
            "what becomes of the schedule",
        )
        for operation in ("get_schedule", "update_schedule")
    ),
    *(
        (operation, "answer", "feedback.created_at feedback.turn_id feedback.updated_at", "which feedback it is")
        for operation in ("get_turn", "list_turns")
    ),
    ("submit_turn_feedback", "answer", "created_at turn_id updated_at", "which feedback it is"),
    *(
        (
            operation,
            "answer",
            "assigned_to last_seen_at resolved_at seen_count updated_at",
            "what became of the violation",
        )
        for operation in ("get_violation", "list_violations", "update_violation")
    ),
    *(
        (
            operation,
            "answer",
            "progress tasks.*.error_message tasks.*.rows_done tasks.*.rows_total tasks.*.waits_for",
            "how far the run has come",
        )
        for operation in ("get_workflow_run", "list_workflow_runs")
    ),
    ("list_run_tasks", "answer", "error_message rows_done rows_total waits_for", "how far the task has come"),
    ("list_violation_definitions", "answer", "is_built_in", "built-in definitions cannot be changed"),
    ("list_turn_artifacts", "answer", "pagination", "it is a list as every other"),
    ("preview_artifact", "answer", "data height text value width", "what the other variants show"),
]

ADDED_FIELDS: dict[str, set[str]] = {}
"""By operation: the parameters, fields of bodies and fields of answers that the contract does not have."""
for _operation, _where, _names, _why in _FIELDS:
    ADDED_FIELDS.setdefault(_operation, set()).update(f"{_where}.{name}" for name in _names.split())

IN_THE_GRAPH = {"answer.items", "answer.total", "answer.offset", "answer.limit"}
"""What a list is called in the graph, where there is one way to page for all of them."""
