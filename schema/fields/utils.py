"""Defines what the graph offers of Utils: one line per field."""

import strawberry

from resolvers.utils.context_packs import (
    create_context_pack,
    delete_context_pack,
    get_context_pack,
    list_context_packs,
    update_context_pack,
)
from resolvers.utils.event_streaming import stream_events
from resolvers.utils.events import list_events
from resolvers.utils.lineage import (
    create_lineage_statement,
    end_lineage_statement,
    get_lineage,
    get_lineage_impact,
    get_lineage_path,
    list_lineage_edges,
    list_lineage_statements,
)
from resolvers.utils.lineage_answers import get_lineage_answers
from resolvers.utils.lineage_events import import_openlineage_event
from resolvers.utils.lineage_imports import import_dbt_manifest
from resolvers.utils.memories import (
    archive_memory,
    create_memory,
    delete_memory,
    get_memory,
    list_memories,
    pin_memory,
    reactivate_memory,
    supersede_memory,
    unpin_memory,
    update_memory,
    validate_memory,
)
from resolvers.utils.metadata import create_metadata, delete_metadata, get_metadata, search_metadata, update_metadata
from resolvers.utils.relationships import add_relationship, remove_relationship
from resolvers.utils.schedules import (
    create_schedule,
    delete_schedule,
    get_schedule,
    list_schedule_runs,
    list_schedules,
    update_schedule,
)
from resolvers.utils.semantic_models import export_semantic_model, import_semantic_model
from resolvers.utils.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_webhook_deliveries,
    list_webhooks,
    replay_webhook,
    rotate_webhook_secret,
    send_webhook_test,
    update_webhook,
)
from schema.door import connects, follows, opens
from schema.governance.permission import Done
from schema.pagination import Connection, Page
from schema.utils.context_pack import ContextPack
from schema.utils.event import PlatformEvent
from schema.utils.lineage import LineageEdge, LineageImpact, LineagePath, LineageReach, LineageStatement
from schema.utils.lineage_answer import LineageAnswers
from schema.utils.lineage_import import LineageImported
from schema.utils.memory import Memory
from schema.utils.metadata_asset import MetadataAsset
from schema.utils.schedule import CreatedSchedule, Schedule, ScheduleRun
from schema.utils.semantic_model import SemanticModelExported, SemanticModelImported
from schema.utils.webhook import Webhook, WebhookDelivery, WebhookReplayed, WebhookSecret, WebhookTest


@strawberry.type(name="Query")
class UtilsQuery:
    """What can be read of Utils."""

    search_metadata_connection: Connection[MetadataAsset] = connects(search_metadata)
    search_metadata: Page[MetadataAsset] = opens(search_metadata)
    metadata: MetadataAsset = opens(get_metadata)
    lineage: LineageReach = opens(get_lineage)
    lineage_edges: Page[LineageEdge] = opens(list_lineage_edges)
    lineage_edges_connection: Connection[LineageEdge] = connects(list_lineage_edges)
    lineage_impact: LineageImpact = opens(get_lineage_impact)
    lineage_path: LineagePath = opens(get_lineage_path)
    lineage_answers: LineageAnswers = opens(get_lineage_answers)
    lineage_statements: Page[LineageStatement] = opens(list_lineage_statements)
    lineage_statements_connection: Connection[LineageStatement] = connects(list_lineage_statements)
    context_packs: Page[ContextPack] = opens(list_context_packs)
    context_packs_connection: Connection[ContextPack] = connects(list_context_packs)
    context_pack: ContextPack = opens(get_context_pack)
    semantic_model: SemanticModelExported = opens(export_semantic_model)
    memories: Page[Memory] = opens(list_memories)
    memories_connection: Connection[Memory] = connects(list_memories)
    memory: Memory = opens(get_memory)
    schedules: Page[Schedule] = opens(list_schedules)
    schedules_connection: Connection[Schedule] = connects(list_schedules)
    schedule: Schedule = opens(get_schedule)
    events: Page[PlatformEvent] = opens(list_events)
    events_connection: Connection[PlatformEvent] = connects(list_events)
    webhooks: Page[Webhook] = opens(list_webhooks)
    webhooks_connection: Connection[Webhook] = connects(list_webhooks)
    webhook: Webhook = opens(get_webhook)
    webhook_deliveries: Page[WebhookDelivery] = opens(list_webhook_deliveries)
    webhook_deliveries_connection: Connection[WebhookDelivery] = connects(list_webhook_deliveries)
    schedule_runs: Page[ScheduleRun] = opens(list_schedule_runs)
    schedule_runs_connection: Connection[ScheduleRun] = connects(list_schedule_runs)


@strawberry.type(name="Mutation")
class UtilsMutation:
    """What can be changed of Utils."""

    create_metadata: MetadataAsset = opens(create_metadata)
    update_metadata: MetadataAsset = opens(update_metadata)
    delete_metadata: Done = opens(delete_metadata)
    add_relationship: MetadataAsset = opens(add_relationship)
    remove_relationship: MetadataAsset = opens(remove_relationship)
    create_lineage_statement: LineageStatement = opens(create_lineage_statement)
    end_lineage_statement: LineageStatement = opens(end_lineage_statement)
    import_dbt_manifest: LineageImported = opens(import_dbt_manifest)
    import_openlineage_event: LineageImported = opens(import_openlineage_event)
    create_context_pack: ContextPack = opens(create_context_pack)
    update_context_pack: ContextPack = opens(update_context_pack)
    delete_context_pack: Done = opens(delete_context_pack)
    import_semantic_model: SemanticModelImported = opens(import_semantic_model)
    create_memory: Memory = opens(create_memory)
    update_memory: Memory = opens(update_memory)
    delete_memory: Done = opens(delete_memory)
    pin_memory: Memory = opens(pin_memory)
    unpin_memory: Memory = opens(unpin_memory)
    archive_memory: Memory = opens(archive_memory)
    reactivate_memory: Memory = opens(reactivate_memory)
    supersede_memory: Memory = opens(supersede_memory)
    validate_memory: Memory = opens(validate_memory)
    create_schedule: CreatedSchedule = opens(create_schedule)
    update_schedule: Schedule = opens(update_schedule)
    delete_schedule: Done = opens(delete_schedule)
    create_webhook: WebhookSecret = opens(create_webhook)
    update_webhook: Webhook = opens(update_webhook)
    delete_webhook: Done = opens(delete_webhook)
    rotate_webhook_secret: WebhookSecret = opens(rotate_webhook_secret)
    send_webhook_test: WebhookTest = opens(send_webhook_test)
    replay_webhook: WebhookReplayed = opens(replay_webhook)


@strawberry.type(name="Subscription")
class UtilsSubscription:
    """What can be followed of Utils."""

    events = follows(stream_events)
