"""Scorecard, metrics, violations, data assets and the glossary (contract 2.8, 2.9 and 4.3)."""

from tests.contract.table.kinds import (
    PAGED,
    Documented,
    Fields,
    anything,
    choice,
    flag,
    many,
    moment,
    opt,
    page_of,
    record,
    req,
    text,
    uuid,
    whole,
)

BASE = "/data-readiness"
ASSESSMENTS = ("metadata", "data_quality")
SEVERITIES = ("low", "medium", "high", "critical")
VIOLATION_STATES = ("open", "acknowledged", "resolved", "false_positive")

DIMENSION: Fields = {
    "id": uuid(),
    "name": text(),
    "assessment_type": choice(*ASSESSMENTS),
    "display_name": opt(text()),
}
VIOLATION: Fields = {
    "id": uuid(),
    "name": text(),
    "fqn": text(),
    "dimension": record(DIMENSION),
    "service": text(),
    "asset_fqn": text(),
    "asset_version": opt(text()),
    "severity": choice(*SEVERITIES),
    "status": choice(*VIOLATION_STATES),
    "workflow_run_id": uuid(),
    "created_at": moment(),
    **{name: opt(text()) for name in ("display_name", "database", "schema", "table", "column")},
    "details": anything(),
    "dq_rule_execution_id": opt(uuid()),
    "resolved_by": opt(text()),
    "resolution_notes": opt(text()),
}
DEFINITION: Fields = {
    "id": uuid(),
    "name": text(),
    "fqn": text(),
    "dimension": record(DIMENSION),
    "default_severity": choice(*SEVERITIES),
    "is_active": flag(),
    "display_name": opt(text()),
    "description": opt(text()),
    "applicable_asset_types": many(text()),
}
SCORED_METRIC: Fields = {
    "metric_definition_id": uuid(),
    "name": text(),
    "fqn": text(),
    "numerator": whole(),
    "denominator": whole(),
    "score": opt(text()),
    "asset_count": whole(),
    **{name: opt(text()) for name in ("display_name", "unit", "purpose", "description")},
}
SCORED_DIMENSION: Fields = {
    "dimension_id": uuid(),
    "name": text(),
    "fqn": text(),
    "assessment_type": choice(*ASSESSMENTS),
    "weight": text(),
    "numerator": whole(),
    "denominator": whole(),
    "score": opt(text()),
    "metrics": many(SCORED_METRIC),
    **{name: opt(text()) for name in ("display_name", "purpose", "description")},
}
VIOLATION_ID: Fields = {"violation_id": req(uuid())}
TERM_ID: Fields = {"term_id": req(text())}
TERMS = BASE + "/glossary/terms"

ROWS = [
    Documented(
        "POST",
        BASE + "/metrics/scorecard",
        "get_scorecard",
        optional_body=True,
        body={
            "asset_fqn": opt(text()),
            "assessment_type": opt(choice(*ASSESSMENTS)),
            "as_of": opt(moment()),
            "workflow_run_id": opt(uuid()),
            "weight_overrides": opt(anything()),
        },
        answer={
            "overall_score": opt(text()),
            "scope": choice("service", "database", "schema", "table"),
            "entity": record(
                {
                    "service": opt(text()),
                    "database_name": opt(text()),
                    "schema_name": opt(text()),
                    "table_name": opt(text()),
                }
            ),
            "dimensions": many(SCORED_DIMENSION),
            "as_of": opt(moment()),
            "workflow_run_id": opt(uuid()),
        },
    ),
    Documented(
        "GET",
        BASE + "/violations/{violation_id}",
        "get_violation",
        params=VIOLATION_ID,
        answer=VIOLATION,
    ),
    Documented("GET", BASE + "/violations", "list_violations", params=PAGED, answer=page_of(VIOLATION)),
    Documented(
        "PATCH",
        BASE + "/violations/{violation_id}",
        "update_violation",
        params=VIOLATION_ID,
        body={"status": choice(*VIOLATION_STATES), "resolution_notes": opt(text(longest=1000))},
        answer=VIOLATION,
    ),
    Documented(
        "GET",
        BASE + "/violations/definitions",
        "list_violation_definitions",
        answer={"definitions": many(DEFINITION), "total": whole()},
    ),
    Documented("DELETE", TERMS + "/{term_id}", "delete_glossary_term", params=TERM_ID),
]
"""Of the rows that the contract writes as `any`, these are the ones it gives a method or a field to; the others,
with what their resources hold, stand in the list of additions."""
