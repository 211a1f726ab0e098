"""Defines what carries a run out: one class per kind of work, on the frame of `runs/executor.py`."""

from collections.abc import Mapping
from typing import Final

from resolvers.data_readiness.runs.executor import RunWork
from resolvers.data_readiness.runs.kinds.data_assessment import DataAssessment
from resolvers.data_readiness.runs.kinds.descriptions import ColumnEnrichment, MetadataEnrichment, TableDescriptions
from resolvers.data_readiness.runs.kinds.ingestion import Ingestion
from resolvers.data_readiness.runs.kinds.intelligence import Intelligence
from resolvers.data_readiness.runs.kinds.metadata_assessment import MetadataAssessment
from resolvers.data_readiness.runs.kinds.profiling import Profiling
from resolvers.data_readiness.runs.kinds.rule_execution import Execution
from resolvers.data_readiness.runs.kinds.rule_generation import ColumnDimensions, RuleGeneration, TableDimensions
from resolvers.data_readiness.runs.kinds.run_all_enrichment import Pipeline
from resolvers.data_readiness.runs.kinds.tagging import PiiTagging, SensitivityTagging
from schema.data_readiness.workflow import WorkflowType

WORKS: Final[Mapping[WorkflowType, type[RunWork]]] = {
    WorkflowType.SERVICE_INGESTION: Ingestion,
    WorkflowType.PROFILING: Profiling,
    WorkflowType.DQ_EXECUTION: Execution,
    WorkflowType.DQ_ASSESSMENT: DataAssessment,
    WorkflowType.METADATA_ASSESSMENT: MetadataAssessment,
    WorkflowType.GENERATE_PII_TAGS: PiiTagging,
    WorkflowType.GENERATE_SENSITIVITY_TAGS: SensitivityTagging,
    WorkflowType.GENERATE_DQ_TAGS: ColumnDimensions,
    WorkflowType.DQ_TAG_GENERATION: TableDimensions,
    WorkflowType.DQ_RULE_GENERATION: RuleGeneration,
    WorkflowType.GENERATE_TABLE_DESCRIPTION: TableDescriptions,
    WorkflowType.ENRICH_TABLE_COLUMNS: ColumnEnrichment,
    WorkflowType.METADATA_ENRICHMENT: MetadataEnrichment,
    WorkflowType.INTELLIGENCE: Intelligence,
    WorkflowType.RUN_ALL_ENRICHMENT: Pipeline,
}
"""The work of each type of workflow."""
