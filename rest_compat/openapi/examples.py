"""One realistic example per field, and the bodies that clients start from; every other example is made of these."""

import json
from typing import Any

ID = "7d0c6a34-52b1-4a50-8b39-6f4f1c3f9f10"
RUN = "3b1f8a52-1b0e-4d7e-9a3f-0b8f6a2d5c77"
FQN = "warehouse.shop.public.orders"
NOW, LATER = "2026-11-02T09:30:00Z", "2026-11-02T09:30:42Z"

FIELDS: dict[str, Any] = {
    "name": "Orders",
    "description": "Every order since 2019, one row each.",
    "title": "Revenue by region",
    "organization_id": "acme",
    "org_id": "acme",
    "created_by": "olga",
    "updated_by": "olga",
    "owner_id": "olga",
    "decided_by": "olga",
    "reviewed_by": "olga",
    "resolved_by": "olga",
    "validated_by": "olga",
    "actor": "olga",
    "user": "olga",
    "created_at": NOW,
    "updated_at": LATER,
    "started_at": NOW,
    "completed_at": LATER,
    "asset_fqn": FQN,
    "fqn": FQN,
    "fqn_prefix": "warehouse.shop",
    "fully_qualified_name": FQN,
    "service": "warehouse",
    "service_name": "warehouse",
    "database": "shop",
    "database_name": "shop",
    "schema": "public",
    "schema_name": "public",
    "table": "orders",
    "table_name": "orders",
    "column": "customer_email",
    "tags": ["sales"],
    "secret_names": ["password", "username"],
    "message": "Done.",
    "status_message": "It answered in 12 ms.",
    "database_config": {"host": "db.example.com", "port": 5432, "database": "shop"},
    "credentials": {"username": "reader", "password": "a secret"},
    "latency_ms": 12.4,
    "content_type": "text/csv",
    "size": 1024,
    "size_bytes": 1024,
    "key": "reports/orders.csv",
    "url": "/assets/files/file:acme:shop:orders/download",
    "columns": ["id", "region"],
    "rows": [[1, "north"], [2, "south"]],
    "version": "1.4",
    "version_major": 1,
    "version_minor": 4,
    "version_change_reason": "A column was described.",
    "previous_version": "1.3",
    "display_name": "Customer orders",
    "summary_text": "Orders of the shop.",
    "schedule_name": "Every night",
    "cron": "0 3 * * *",
    "cron_expression": "0 3 * * *",
    "timezone": "UTC",
    "topic": "nightly-reports",
    "next_run_at": "2026-11-03T03:00:00Z",
    "last_run_at": "2026-11-02T03:00:00Z",
    "scheduled_for": "2026-11-02T03:00:00Z",
    "confidence": 0.9,
    "confidence_score": 0.9,
    "content": {"type": "text", "text": "Revenue is net of returns."},
    "priority": "normal",
    "key_topics": ["revenue", "returns"],
    "rating": "thumbs_up",
    "comment": "Exactly what I asked for.",
    "role": "user",
    "definition": "What customers paid, less what they got back.",
    "synonyms": ["turnover"],
    "notes": "Checked against the ledger.",
    "review_notes": "Checked against the ledger.",
    "resolution_notes": "The column was filled.",
    "numerator": 17,
    "denominator": 20,
    "score": "0.8500",
    "overall_score": "0.8500",
    "weight": "1.0000",
    "unit": "columns",
    "asset_count": 20,
    "purpose": "So that people find what they can trust.",
    "total_tables": 12,
    "completed_tables": 12,
    "total_schemas": 1,
    "completed_schemas": 1,
    "duration_seconds": 42.0,
    "dimension": "completeness",
    "dimension_id": ID,
    "metric_definition_id": RUN,
    "definition_id": RUN,
    "category": "profiling",
    "entity_type": "table",
    "entity_id": FQN,
    "indexed_at": NOW,
    "resource_type": "data_connection",
    "resource_id": "data:acme:shop:orders",
    "resource_uri": "data:acme:shop:orders",
    "row_count": 120000,
    "column_count": 14,
    "data_type": "VARCHAR",
    "data_type_display": "character varying(255)",
    "table_type": "TABLE",
    "total": 1,
    "page": 1,
    "limit": 20,
    "per_page": 20,
    "total_items": 1,
    "total_pages": 1,
    "offset": 0,
    "reads": 300,
    "writes": 60,
    "bulk": 10,
    "anonymous": 30,
    "allowed": True,
    "model_version": "1",
    "chain": ["user:olga is owner of organization:acme", "organization:acme is the parent of project:shop"],
    "grants": ["owner on organization:acme"],
    "accepted": 2,
    "deleted": 2,
    "sequence": 4,
    "session_id": ID,
    "turn_id": RUN,
    "task_id": RUN,
    "run_id": RUN,
    "workflow_run_id": RUN,
    "configuration_id": ID,
    "q": "orders AND tags:sales",
    "search": "orders",
    "sort": "name:asc",
    "value": "a secret",
    "event": "message_delta",
    "is_described": True,
    "is_owned": True,
    "success": True,
    "verified": True,
    "enabled": True,
    "tag_fqn": "PII.Email",
    "category_name": "PII",
    "tag_name": "Email",
    "tag_description": "An address of electronic mail.",
    "field_name": "description",
    "type": "user",
    "id": ID,
    "X-Project-ID": ID,
}
"""What a field or parameter of this name may hold. Where its schema refuses it, the schema's own default is shown."""

_CONNECTION = {
    "name": "Shop",
    "connection_type": "postgres",
    "description": "The database of the shop.",
    "tags": ["sales"],
    "database_config": {"host": "db.example.com", "port": 5432, "database": "shop", "ssl_mode": "require"},
    "credentials": {"username": "reader", "password": "a secret"},
}
_REFERENCE = {"organization_id": "acme", "entity_type": "table", "entity_id": FQN}

BODIES: dict[str, dict[str, Any]] = {
    "ProjectCreate": {"name": "Shop", "description": "Everything about the shop."},
    "RateLimitsChange": {"reads": 600, "writes": 120},
    "Grant": {
        "user_or_group": "dana",
        "relation": "developer",
        "resource_type": "project",
        "resource_id": ID,
        "is_group": False,
    },
    "ParentLink": {
        "resource_type": "data_connection",
        "resource_id": "data:acme:shop:orders",
        "parent_type": "project",
        "parent_id": ID,
    },
    "GovernedResource": {"resource_type": "data_connection", "resource_id": "data:acme:shop:orders"},
    "SecretCreate": {"name": "smtp-password", "value": "a secret", "description": "For the nightly mail."},
    "SecretChange": {"value": "another secret"},
    "DataConnectionCreate": _CONNECTION,
    "DataConnectionChange": {"description": "The database of the shop, read only.", "tags": ["sales", "orders"]},
    "FileChange": {"description": "Orders of the last year.", "tags": ["sales"]},
    "ArtifactCreate": {
        "name": "Orders by region",
        "artifact_type": "csv",
        "columns": ["region", "orders"],
        "rows": [["north", 120], ["south", 80]],
    },
    "RegisteredServerCreate": {
        "kind": "mcp",
        "name": "Tickets",
        "url": "https://tools.example.com/mcp",
        "credentials": {"bearer_token": "a-secret"},
    },
    "RegisteredServerUpdate": {"enabled": False},
    "ServerApproval": {"sha256": "0f" * 32},
    "ServerCallCreate": {"tool": "search_tickets", "arguments": {"words": "late delivery"}},
    "ModelVerify": {"llm_model": "openai/gpt-4o-mini", "credentials": {"api_key": "a secret"}},
    "MetadataAssetCreate": {
        "type": "table",
        "fully_qualified_name": FQN,
        "description": "Every order since 2019, one row each.",
    },
    "MetadataAssetUpdate": {"description": "Every order since 2018, one row each."},
    "ScheduleCreate": {
        "schedule_name": "Every night",
        "schedule": {"type": "CRON", "cron": "0 3 * * *", "timezone": "UTC"},
        "config": {"type": "NOTIFICATION", "topic": "nightly-reports", "extra_data": {"report": "orders"}},
        "enabled": True,
    },
    "ScheduleUpdate": {"enabled": False},
    "WebhookCreate": {
        "name": "On call",
        "url": "https://hooks.example.com/stoa",
        "types": ["violation.opened", "violation.reopened"],
        "asset_prefix": "warehouse.shop",
        "least_severity": "high",
    },
    "WebhookUpdate": {"status": "active"},
    "WebhookReplay": {"since": NOW, "until": LATER},
    "ContextPackCreate": {"name": "Sales", "pack_type": "domain", "description": "What sales people know."},
    "ContextPackUpdate": {"description": "What sales people know and ask."},
    "MemoryCreate": {
        "context_pack_id": ID,
        "name": "Revenue",
        "content": {"type": "text", "text": "Revenue is net of returns."},
        "memory_type": "fact",
        "asset_fqn": FQN,
    },
    "MemoryUpdate": {"content": {"type": "text", "text": "Revenue is net of returns and taxes."}},
    "MemorySupersession": {
        "replacement": {
            "name": "Revenue",
            "content": {"type": "text", "text": "Revenue is net of returns and taxes."},
            "memory_type": "fact",
        }
    },
    "MemoryValidation": {"validation_status": "validated", "confidence_score": 0.9},
    "ChatSessionCreate": {"title": "Revenue by region"},
    "ChatSessionChange": {"title": "Revenue by region and month"},
    "TurnCreate": {"message": "What did each region sell last month?"},
    "TurnFeedbackCreate": {"rating": "thumbs_up", "comment": "Exactly what I asked for."},
    "WorkflowConfigurationCreate": {
        "name": "Find personal data",
        "workflow_type": "generate-pii-tags",
        "description": "Looks at every new table.",
        "schedule": {"cron_expression": "0 3 * * *", "enabled": True, "timezone": "UTC"},
    },
    "WorkflowConfigurationUpdate": {"description": "Looks at every new table, each night."},
    "RunCreate": {"asset_fqn": FQN, "save_all": False},
    "ApprovalDecision": {"decision": "approve", "notes": "Checked against the ledger."},
    "DimensionCreate": {"name": "timeliness", "assessment_type": "data_quality", "display_name": "Timeliness"},
    "DimensionChange": {"purpose": "So that nobody reads old numbers."},
    "MetricDefinitionCreate": {"dimension_id": ID, "name": "filled_rows", "unit": "rows"},
    "MetricDefinitionChange": {"display_name": "Filled rows"},
    "ScorecardRequest": {"asset_fqn": "warehouse.shop", "assessment_type": "metadata"},
    "ViolationChange": {"status": "acknowledged"},
    "ViolationsDecision": {"only": {"severities": ["low"]}, "status": "acknowledged", "dry_run": True},
    "ViolationDefinitionCreate": {"dimension_id": ID, "name": "half_empty", "default_severity": "high"},
    "ViolationDefinitionChange": {"default_severity": "medium"},
    "SuspectCellsDecision": {"only": {"kinds": ["pattern"], "under": FQN}, "verdict": "fine", "dry_run": True},
    "SuspectCellsExport": {"only": {"probability_at_least": 0.9}, "name": "Cells to mend"},
    "QualityRuleCreate": {
        "name": "orders.amount.range",
        "asset_fqn": "warehouse.shop.public.orders.amount",
        "type": "library",
        "metric": "invalidValues",
        "arguments": {"minimum": "0", "maximum": "100000"},
    },
    "QualityRuleUpdate": {"threshold": [1.5], "operator": "mustBeLessOrEqualTo", "unit": "percent"},
    "QualityRuleImport": {
        "format": "dbt",
        "text": "version: 2\nmodels: [{name: orders, columns: [{name: id, data_tests: [not_null, unique]}]}]\n",
    },
    "GlossaryTermCreate": {"name": "Revenue", "definition": "What customers paid, less what they got back."},
    "GlossaryTermUpdate": {"synonyms": ["turnover"]},
    "TermReview": {"decision": "approve", "notes": "Checked against the ledger."},
    "TermAssetCreate": {"asset_fqn": FQN},
    "IndexEntity": _REFERENCE | {"project_id": ID, "title": "Orders", "permission_id": "data:acme:shop:orders"},
    "EntityReference": _REFERENCE,
}
"""A body that the operation takes, by the name of its schema."""

FORM = {"file": "id,region\n1,north\n", "key": "reports/orders.csv", "name": "Orders", "tags": "sales"}
EVENT = {
    "sequence": 13,
    "event": "message_delta",
    "final": False,
    "data": {"delta": "25 rows. The greatest number of "},
}


def add_examples(document: dict[str, Any]) -> None:
    """Give each parameter, body and answer of a document an example."""
    schemas = document["components"]["schemas"]
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                # What may be left out has none: the pages fill in examples, and would narrow every list by them.
                if parameter.get("required") and "example" not in parameter["schema"]:
                    parameter["example"] = _example(parameter["schema"], schemas, parameter["name"])
            for kind, media in operation.get("requestBody", {}).get("content", {}).items():
                media["example"] = FORM if kind == "multipart/form-data" else _body(media["schema"], schemas)
            for response in operation["responses"].values():
                for kind, media in response.get("content", {}).items():
                    if kind == "text/event-stream":
                        media["example"] = _frame(media["schema"]["x-event-data"], schemas)
                    elif kind == "application/json" and "example" not in media:
                        media["example"] = _example(media["schema"], schemas)


def _body(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """The example of a request's body."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return BODIES[name] if name in BODIES else _example(schema, schemas)
    for union in ("allOf", "anyOf"):
        if union in schema:
            return _body(schema[union][0], schemas)
    if schema.get("type") == "array":
        return [_body(schema["items"], schemas)]
    return _example(schema, schemas)


def _frame(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """One event of a stream, as it goes over the wire."""
    event = _example(schema, schemas)
    event |= {name: value for name, value in EVENT.items() if name in event and "event" in event}
    name = event.get("event") or event["type"]
    return f"id: {event['sequence']}\nevent: {name}\ndata: {json.dumps(event)}\n\n"


def _example(schema: dict[str, Any], schemas: dict[str, Any], name: str = "", above: tuple[str, ...] = ()) -> Any:
    """A value of a schema that stands under a name; what contains itself ends at once."""
    if "$ref" in schema:
        target = schema["$ref"].rpartition("/")[2]
        return None if target in above else _example(schemas[target], schemas, name, (*above, target))
    if "example" in schema:
        return schema["example"]
    if "enum" in schema:
        known = FIELDS.get(name)
        return known if known in schema["enum"] else schema["enum"][0]
    for union in ("allOf", "anyOf", "oneOf"):
        if union in schema:
            return _example(schema[union][0], schemas, name, above)
    kind = schema.get("type")
    if kind == "object" and "properties" in schema:
        return {key: _example(value, schemas, key, above) for key, value in schema["properties"].items()}
    if name in FIELDS and _fits(FIELDS[name], schema):
        return FIELDS[name]
    if schema.get("default") is not None:
        return schema["default"]
    if schema.get("nullable"):
        return None
    if kind == "array":
        item = _example(schema["items"], schemas, name.removesuffix("s"), above)
        return [] if item is None else [item]
    return _plain(schema)


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    types: dict[str, Any] = {
        "string": str,
        "integer": int,
        "number": int | float,
        "boolean": bool,
        "array": list,
        "object": dict,
    }
    kind = "object" if "$ref" in schema else schema.get("type")
    if kind is None:
        return True
    if not isinstance(value, types[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return False
    if schema.get("format") == "uuid":
        return value in (ID, RUN)
    if schema.get("format") == "date-time":
        return isinstance(value, str) and value.startswith("2026-")
    return kind != "array" or all(_fits(item, schema["items"]) for item in value)


def _plain(schema: dict[str, Any]) -> Any:
    formats = {"uuid": ID, "date-time": NOW, "date": "2026-11-02", "uri": "https://example.com/orders"}
    match schema.get("type"):
        case "string":
            return formats.get(schema.get("format", ""), "orders")
        case "integer" | "number":
            return max(schema.get("minimum", 0), 0)
        case "boolean":
            return False
    return {}
