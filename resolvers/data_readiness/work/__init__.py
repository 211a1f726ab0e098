"""What carries a run out: one class per kind of work, on the frame of `run_work.py`."""

from collections.abc import Mapping
from typing import Final

from resolvers.data_readiness.work.ingestion import Ingestion
from resolvers.data_readiness.work.run_work import RunWork
from schema.data_readiness.workflow import WorkflowType

WORKS: Final[Mapping[WorkflowType, type[RunWork]]] = {
    WorkflowType.SERVICE_INGESTION: Ingestion,
}
"""The work of each type of workflow."""
