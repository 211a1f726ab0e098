"""Every path under /utils. Additions to the contract are marked."""

from resolvers.utils import (
    context_packs,
    event_streaming,
    events,
    lineage,
    lineage_answers,
    lineage_events,
    lineage_imports,
    memories,
    metadata,
    relationships,
    schedules,
    semantic_models,
    webhooks,
)
from rest_compat.door import Door
from rest_compat.envelopes import OffsetResults, PageLimitList
from rest_compat.following import FollowingRoute

utils = Door("/utils", tag="Utils")

_metadata = "/{resource_type}/{resource_uri}/metadata"
utils.get("/search/metadata", metadata.search_metadata, envelope=OffsetResults, project="required")
utils.get(_metadata, metadata.get_metadata, project="required")
utils.post(_metadata, metadata.create_metadata, project="required")
utils.put(_metadata, metadata.update_metadata, project="required")
utils.delete(_metadata, metadata.delete_metadata, project="required")
utils.post(f"{_metadata}/relationships", relationships.add_relationship, status=200)  # addition
utils.delete(f"{_metadata}/relationships", relationships.remove_relationship)  # addition

# Additions
_lineage = "/{resource_type}/{resource_uri}/lineage"
utils.get(_lineage, lineage.get_lineage)
utils.get(_lineage + "/edges", lineage.list_lineage_edges, envelope=PageLimitList)
utils.get(_lineage + "/impact", lineage.get_lineage_impact)
utils.get(_lineage + "/path", lineage.get_lineage_path)
utils.get(_lineage + "/answers", lineage_answers.get_lineage_answers)
_lineage_statements = _lineage + "/statements"
utils.get(_lineage_statements, lineage.list_lineage_statements, envelope=PageLimitList)
utils.post(_lineage_statements, lineage.create_lineage_statement)
utils.post(_lineage_statements + "/{statement_id}/end", lineage.end_lineage_statement, status=200)
utils.post(_lineage + "/dbt", lineage_imports.import_dbt_manifest, status=200)
utils.post(_lineage + "/openlineage", lineage_events.import_openlineage_event, status=200)

_schedule = "/schedules/{schedule_id}"
utils.post("/schedules", schedules.create_schedule)
utils.get("/schedules", schedules.list_schedules, envelope=PageLimitList)  # addition
utils.get(_schedule, schedules.get_schedule)
utils.put(_schedule, schedules.update_schedule)
utils.delete(_schedule, schedules.delete_schedule)
utils.get(_schedule + "/runs", schedules.list_schedule_runs, envelope=PageLimitList)  # addition

utils.get("/events", events.list_events, envelope=PageLimitList)  # addition
utils.get("/events/stream", event_streaming.stream_events, route=FollowingRoute)  # addition

_webhook = "/webhooks/{webhook_id}"
utils.post("/webhooks", webhooks.create_webhook)  # addition
utils.get("/webhooks", webhooks.list_webhooks, envelope=PageLimitList)  # addition
utils.get(_webhook, webhooks.get_webhook)  # addition
utils.put(_webhook, webhooks.update_webhook)  # addition
utils.delete(_webhook, webhooks.delete_webhook)  # addition
utils.post(_webhook + "/secret", webhooks.rotate_webhook_secret, status=200)  # addition
utils.post(_webhook + "/test", webhooks.send_webhook_test, status=202)  # addition
utils.get(_webhook + "/deliveries", webhooks.list_webhook_deliveries, envelope=PageLimitList)  # addition
utils.post(_webhook + "/replay", webhooks.replay_webhook, status=202)  # addition

_pack = "/context-packs/{pack_id}"
utils.post("/context-packs", context_packs.create_context_pack)
utils.get("/context-packs", context_packs.list_context_packs, envelope=PageLimitList)
utils.get(_pack, context_packs.get_context_pack)  # addition
utils.put(_pack, context_packs.update_context_pack)  # addition
utils.delete(_pack, context_packs.delete_context_pack)  # addition

utils.get(_pack + "/semantic-model", semantic_models.export_semantic_model)  # addition
utils.post("/semantic-models", semantic_models.import_semantic_model, status=200)  # addition

_memory = "/memories/{memory_id}"
utils.post("/memories", memories.create_memory, status=200, created=201)
utils.get("/memories", memories.list_memories, envelope=PageLimitList)
utils.get(_memory, memories.get_memory)
utils.put(_memory, memories.update_memory)  # addition
utils.delete(_memory, memories.delete_memory)  # addition
utils.post(_memory + "/pin", memories.pin_memory, status=200)  # addition
utils.post(_memory + "/unpin", memories.unpin_memory, status=200)  # addition
utils.post(_memory + "/archive", memories.archive_memory, status=200)  # addition
utils.post(_memory + "/reactivate", memories.reactivate_memory, status=200)  # addition
utils.post(_memory + "/supersede", memories.supersede_memory, status=200)  # addition
utils.post(_memory + "/validate", memories.validate_memory, status=200)  # addition
