"""Workflows and runs (contract 2.6, 2.7 and 4.3)."""

from tests.contract.table.kinds import (
    PAGED,
    Documented,
    Fields,
    anything,
    choice,
    flag,
    many,
    moment,
    number,
    opt,
    page_of,
    record,
    req,
    text,
    uuid,
    whole,
)

BASE = "/data-readiness"
TYPES = (
    "generate-table-description",
    "generate-pii-tags",
    "generate-dq-tags",
    "generate-sensitivity-tags",
    "enrich-table-columns",
    "service-ingestion",
    "profiling",
    "dq-rule-generation",
    "dq-execution",
    "metadata-assessment",
    "dq-assessment",
    "dq-tag-generation",
    "intelligence",
    "metadata-enrichment",
    "run-all-enrichment",
)
RUN_STATES = ("pending", "running", "completed", "failed", "canceled")

SCHEDULE = record({"cron_expression": req(text()), "enabled": flag(), "timezone": text()})
CONFIGURATION: Fields = {
    "id": uuid(),
    "name": text(),
    "workflow_type": choice(*TYPES),
    "category": text(),
    "config": anything(),
    "data_asset_types": many(text()),
    "description": opt(text()),
    "is_default": flag(),
    "require_reference_pack": flag(),
    "schedule": opt(SCHEDULE),
    "status": text(),
    "triggers": many(text()),
    "created_at": moment(),
    "updated_at": moment(),
}
TASK: Fields = {
    "id": uuid(),
    "run_id": uuid(),
    "name": text(),
    "status": choice(*RUN_STATES, "skipped"),
    "started_at": opt(moment()),
    "completed_at": opt(moment()),
}
RUN: Fields = {
    "id": uuid(),
    "configuration_id": uuid(),
    "status": choice(*RUN_STATES),
    "workflow_name": text(),
    "workflow_type": choice(*TYPES),
    "asset_fqn": opt(text()),
    "started_at": opt(moment()),
    "completed_at": opt(moment()),
    "service_name": opt(text()),
    "database_name": opt(text()),
    "schema_name": opt(text()),
    "table_name": opt(text()),
    "duration_seconds": opt(number()),
    "error_message": opt(text()),
    "input": anything(),
    "output": anything(),
    "tasks": many(TASK),
}
COUNTS = (
    "total_tables",
    "completed_tables",
    "failed_tables",
    "total_schemas",
    "completed_schemas",
    "failed_schemas",
)
PIPELINE: Fields = {
    "id": uuid(),
    "asset_fqn": text(),
    "status": text(),
    **{name: whole() for name in COUNTS},
    "created_at": moment(),
    "completed_at": opt(moment()),
    "created_by": opt(text()),
}

CONFIGURATION_ID: Fields = {"configuration_id": req(uuid())}
RUN_ID: Fields = {"run_id": req(uuid())}
ONE = BASE + "/workflows/{configuration_id}"
RUNS = ONE + "/runs"
RUN_PATH = RUNS + "/{run_id}"

ROWS = [
    Documented(
        "GET",
        BASE + "/workflows",
        "list_workflow_configurations",
        params=PAGED,
        answer=page_of(CONFIGURATION),
    ),
    Documented(
        "POST",
        BASE + "/workflows",
        "create_workflow_configuration",
        201,
        body={
            "workflow_definition_id": opt(text()),
            "workflow_type": opt(choice(*TYPES)),
            "name": req(text()),
            "config": anything(),
            "schedule": opt(SCHEDULE),
            "triggers": many(text()),
        },
        answer=CONFIGURATION,
    ),
    Documented("GET", ONE, "get_workflow_configuration", params=CONFIGURATION_ID, answer=CONFIGURATION),
    Documented(
        "POST",
        RUNS,
        "trigger_run",
        202,
        params=CONFIGURATION_ID,
        body={
            "asset_fqn": opt(text()),
            "parameters": anything(),
            "save_all": flag(),
        },
        optional_body=True,
        answer={
            "id": uuid(),
            "configuration_id": uuid(),
            "asset_fqn": opt(text()),
            "save_all": flag(),
            "started_at": opt(moment()),
            "status": choice(*RUN_STATES),
        },
    ),
    Documented("GET", RUNS, "list_workflow_runs", params=CONFIGURATION_ID | PAGED, answer=page_of(RUN)),
    Documented("GET", RUN_PATH, "get_workflow_run", params=CONFIGURATION_ID | RUN_ID, answer=RUN),
    Documented(
        "GET",
        RUN_PATH + "/tasks",
        "list_run_tasks",
        params=CONFIGURATION_ID
        | RUN_ID
        | {
            "page": whole(1, default=1),
            "per_page": whole(1, 100, default=20),
            "status": opt(text()),
        },
        answer={
            "pagination": record(
                {
                    "page": whole(),
                    "per_page": whole(),
                    "total": whole(),
                    "total_pages": whole(),
                    "has_next": flag(),
                    "has_prev": flag(),
                }
            ),
            "data": many(TASK),
        },
    ),
    Documented(
        "GET",
        BASE + "/workflows/pipelines/{pipeline_id}",
        "get_pipeline_run",
        params={"pipeline_id": req(uuid())},
        answer=PIPELINE,
    ),
    Documented(
        "POST",
        BASE + "/workflows/runs/{run_id}/approval",
        "decide_run",
        params=RUN_ID,
        body={"decision": req(choice("approve", "reject", "pending")), "notes": opt(text())},
    ),
]
