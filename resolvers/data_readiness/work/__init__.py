"""What carries a run out: one class per kind of work, on the frame of `run_work.py`."""

from collections.abc import Mapping
from typing import Final

from resolvers.data_readiness.work.describing import ColumnEnrichment, MetadataEnrichment, TableDescriptions
from resolvers.data_readiness.work.ingestion import Ingestion
from resolvers.data_readiness.work.intelligence import Intelligence
from resolvers.data_readiness.work.profiling import Profiling
from resolvers.data_readiness.work.run_work import RunWork
from schema.data_readiness.workflow import WorkflowType

WORKS: Final[Mapping[WorkflowType, type[RunWork]]] = {
    WorkflowType.SERVICE_INGESTION: Ingestion,
    WorkflowType.PROFILING: Profiling,
    WorkflowType.GENERATE_TABLE_DESCRIPTION: TableDescriptions,
    WorkflowType.ENRICH_TABLE_COLUMNS: ColumnEnrichment,
    WorkflowType.METADATA_ENRICHMENT: MetadataEnrichment,
    WorkflowType.INTELLIGENCE: Intelligence,
}
"""The work of each type of workflow."""
