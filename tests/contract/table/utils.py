"""Schedules, context packs, memories and the metadata catalog (contract 2.3, 2.4, 2.5 and 4.4)."""

from tests.contract.table.kinds import (
    Documented,
    Field,
    Fields,
    anything,
    choice,
    constant,
    flag,
    many,
    moment,
    number,
    opt,
    page_of,
    record,
    req,
    text,
    whole,
)

PACK_STATUSES = ("active", "archived", "deprecated", "deleted")
PACK_TYPES = ("user", "team", "project", "domain", "session", "data_source")
MEMORY_TYPES = (
    "fact",
    "experience",
    "observation",
    "instruction",
    "preference",
    "summary",
    "glossary",
    "ontology",
    "textual_pattern",
    "kpi",
    "exemplar",
    "join",
    "numeric_pattern",
    "policy",
)
ASSET_TYPES = ("database", "database_schema", "table", "column")

CONTEXT_PACK: Fields = {
    "id": text(),
    "organization_id": text(),
    "project_id": text(),
    "name": text(),
    "version": whole(),
    "summary_version": whole(),
    "key_topics": many(text()),
    "topic_distribution": anything(),
    "meta_data": anything(),
    "config": anything(),
    "created_by": text(),
    "updated_by": text(),
    "created_at": moment(),
    "updated_at": moment(),
    "description": opt(text()),
    "summary_text": opt(text()),
    "archived_at": opt(moment()),
    "deprecated_at": opt(moment()),
    "deleted_at": opt(moment()),
    "reactivated_at": opt(moment()),
}

MEMORY: Fields = {
    "id": text(),
    "name": text(),
    "organization_id": text(),
    "project_id": text(),
    "context_pack_id": text(),
    "version": whole(),
    "content": anything(),
    "memory_type": choice(*MEMORY_TYPES),
    "source": record(
        {
            "type": opt(text()),
            "conversation_id": opt(text()),
            "turn_index": opt(whole()),
            "actor": opt(text()),
            "confidence": number(),
            "document_url": opt(text()),
        }
    ),
    "classification": record(
        {"domain": opt(text()), "priority": text(), "tags": many(text()), "sensitivity": opt(text())}
    ),
    "meta_data": anything(),
    "quality": record(
        {
            "validation_status": choice("unvalidated", "validated", "disputed"),
            "confidence_score": opt(number()),
            "validated_by": opt(text()),
            "validated_at": opt(moment()),
        }
    ),
    "access": record(
        {
            "count": whole(),
            "last_accessed": opt(moment()),
            "success_count": whole(),
            "failure_count": whole(),
            "success_rate": opt(number()),
        }
    ),
    "status": choice("active", "superseded", "archived", "deleted"),
    "pinned": flag(),
    "created_at": moment(),
    "updated_at": moment(),
    "asset_fqn": opt(text()),
    "content_url": opt(text()),
    "search_text": opt(text()),
    "superseded_by": opt(text()),
    "pinned_at": opt(moment()),
    "unpinned_at": opt(moment()),
    "archived_at": opt(moment()),
    "deleted_at": opt(moment()),
    "superseded_at": opt(moment()),
    "reactivated_at": opt(moment()),
    "expires_at": opt(moment()),
}

NAMED: Fields = {"field_name": text()}
ASSET: Fields = {
    **{
        name: text() for name in ("id", "name", "fully_qualified_name", "resource_uri", "organization_id", "project_id")
    },
    "type": choice(*ASSET_TYPES),
    "version": text(),
    "version_major": whole(),
    "version_minor": whole(),
    "version_change_reason": text(),
    "created_at": moment(),
    "updated_at": moment(),
    "created_by": text(),
    "updated_by": text(),
    **{
        name: opt(text())
        for name in ("display_name", "description", "summary_text", "service_name", "schema_definition")
    },
    "owners": opt(many({"name": text(), "type": text(), "id": text()})),
    "extension": anything(),
    "deleted_at": opt(moment()),
    "is_dq_tagged": flag(),
    "is_pii_tagged": flag(),
    "is_sensitivity_tagged": flag(),
    "tags": opt(many({name: text() for name in ("tag_id", "tag_fqn", "category_name", "tag_name", "tag_description")})),
    "children": opt(Field("array")),
    "children_total": opt(whole()),
    "table_type": opt(text()),
    "row_count": opt(whole()),
    "column_count": opt(whole()),
    "table_count": opt(whole()),
    "data_type": opt(text()),
    "data_type_display": opt(text()),
    "ordinal_position": opt(whole()),
    "nullable": opt(flag()),
    "constraint": anything(),
    "column_relationships": opt(many(anything())),
    "precision": opt(whole()),
    "scale": opt(whole()),
    "data_length": opt(whole()),
    "business_definition": opt(text()),
    "business_rules": opt(text()),
    "change_description": record(
        {
            "fields_added": many(NAMED),
            "fields_updated": many(NAMED),
            "fields_deleted": many(NAMED),
            "previous_version": text(),
        }
    ),
    "change_summary": anything(),
    "changed_by": opt(many(text())),
}

SCHEDULE_PARTS: Fields = {
    "schedule_name": text(),
    "schedule": record({"type": req(text()), "cron": opt(text()), "timezone": text(default="UTC")}),
    "reference_id": opt(text()),
    "config": opt(record({"type": req(constant("NOTIFICATION")), "topic": req(text()), "extra_data": anything()})),
    "enabled": flag(),
}
NEW_SCHEDULE: Fields = SCHEDULE_PARTS | {"schedule_name": req(text()), "schedule": req(SCHEDULE_PARTS["schedule"])}
SCHEDULE_ID: Fields = {"schedule_id": req(text())}
CATALOG: Fields = {"resource_type": req(text()), "resource_uri": req(text())}
METADATA = "/utils/{resource_type}/{resource_uri}/metadata"
VERSION = text(pattern=r"^\d+\.\d+$")

SOURCE_GIVEN: Fields = {
    "type": opt(text()),
    "conversation_id": opt(text()),
    "turn_index": opt(whole()),
    "actor": opt(text()),
    "confidence": Field("number", default=0.5),
    "document_url": opt(text()),
}
CLASSIFICATION_GIVEN: Fields = {
    "domain": opt(text()),
    "priority": text(default="normal"),
    "tags": many(text()),
    "sensitivity": opt(text()),
}

ROWS = [
    Documented(
        "POST",
        "/utils/schedules",
        "create_schedule",
        201,
        body=NEW_SCHEDULE,
        answer={"schedule_id": text()},
    ),
    Documented(
        "GET",
        "/utils/schedules/{schedule_id}",
        "get_schedule",
        params=SCHEDULE_ID,
        answer={"schedule_id": text(), **SCHEDULE_PARTS},
    ),
    Documented(
        "PUT",
        "/utils/schedules/{schedule_id}",
        "update_schedule",
        params=SCHEDULE_ID,
        body=SCHEDULE_PARTS,
        answer={"schedule_id": text(), **SCHEDULE_PARTS},
    ),
    Documented("DELETE", "/utils/schedules/{schedule_id}", "delete_schedule", params=SCHEDULE_ID),
    Documented(
        "POST",
        "/utils/context-packs",
        "create_context_pack",
        201,
        body={
            "name": req(text()),
            "pack_type": req(choice(*PACK_TYPES)),
            "description": opt(text()),
            "meta_data": anything(),
            "config": anything(),
        },
        answer=CONTEXT_PACK,
    ),
    Documented(
        "GET",
        "/utils/context-packs",
        "list_context_packs",
        params={
            "status": opt(choice(*PACK_STATUSES)),
            "pack_type": opt(choice(*PACK_TYPES)),
            "page": whole(1, default=1),
            "page_size": whole(1, 100, default=20),
        },
        answer=page_of(CONTEXT_PACK),
    ),
    Documented(
        "POST",
        "/utils/memories",
        "create_memory",
        created=201,
        body={
            "context_pack_id": req(text()),
            "name": req(text()),
            "content": req(anything()),
            "memory_type": req(choice(*MEMORY_TYPES)),
            "source": opt(record(SOURCE_GIVEN)),
            "asset_fqn": opt(text()),
            "content_url": opt(text()),
            "search_text": opt(text()),
            "classification": opt(record(CLASSIFICATION_GIVEN)),
            "meta_data": anything(),
            "expires_at": opt(moment()),
            "pinned": flag(default=False),
        },
        answer=MEMORY,
    ),
    Documented(
        "GET",
        "/utils/memories",
        "list_memories",
        params={"page": whole(1, default=1), "limit": whole(1, 100, default=20)},
        answer=page_of(MEMORY),
    ),
    Documented("GET", "/utils/memories/{memory_id}", "get_memory", params={"memory_id": req(text())}, answer=MEMORY),
    Documented(
        "GET",
        "/utils/search/metadata",
        "search_metadata",
        params={
            "resource_uri": opt(text()),
            "asset_type": opt(choice(*ASSET_TYPES)),
            "q": opt(text()),
            "fqn_prefix": opt(text()),
            "sort_by": choice("name", "created_at", "ordinal_position", default="name"),
            "sort_order": choice("asc", "desc", default="asc"),
            "limit": whole(1, 200, default=50),
            "offset": whole(0, default=0),
        },
        answer={"pagination": record({"offset": whole(), "limit": whole(), "total": whole()}), "results": many(ASSET)},
        project="required",
    ),
    Documented(
        "GET",
        METADATA,
        "get_metadata",
        params=CATALOG
        | {
            "fqn": req(text()),
            "asset_type": opt(choice(*ASSET_TYPES)),
            "version": opt(VERSION),
            "include_children": flag(default=False),
        },
        answer=ASSET,
        project="required",
    ),
    Documented("POST", METADATA, "create_metadata", 201, params=CATALOG, body={}, answer=ASSET, project="required"),
    Documented(
        "PUT",
        METADATA,
        "update_metadata",
        params=CATALOG | {"fqn": req(text())},
        body={},
        answer=ASSET,
        project="required",
    ),
    Documented("DELETE", METADATA, "delete_metadata", params=CATALOG | {"fqn": req(text())}, project="required"),
]
