"""Our own runs as events of OpenLineage: START, and how they ended, with the tables that they read.

Source: https://openlineage.io/spec/2-0-2/OpenLineage.json, and its facets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from schema.data_readiness.source import TableFacts
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.identifiers import Fqn

_SPECIFICATION: Final = "https://openlineage.io/spec"
_EVENT: Final = f"{_SPECIFICATION}/2-0-2/OpenLineage.json#/$defs/RunEvent"
_FACETS: Final = {
    "jobType": "2-0-4/JobTypeJobFacet",
    "documentation": "1-1-0/DocumentationJobFacet",
    "processing_engine": "1-1-1/ProcessingEngineRunFacet",
    "errorMessage": "1-0-1/ErrorMessageRunFacet",
    "schema": "1-2-0/SchemaDatasetFacet",
}
_ENDS: Final = {RunStatus.COMPLETED: "COMPLETE", RunStatus.FAILED: "FAIL", RunStatus.CANCELED: "ABORT"}


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that a run reads, and how OpenLineage calls the store that it is in."""

    namespace: str
    facts: TableFacts


def run_events(run: WorkflowRun, namespace: str, tables: Sequence[ReadTable], version: str) -> list[dict[str, Any]]:
    """The events of a run so far, the first one first; none of a run that has not begun.

    A run reads its sources and writes into none of them, so its events have no outputs.
    """
    producer = f"urn:stoa:{version}"
    happened: list[tuple[str, datetime | None]] = [("START", run.started_at)]
    if (end := _ENDS.get(run.status)) is not None:
        happened.append((end, run.completed_at))
    inputs = [_dataset(one, producer) for one in tables]
    return [
        {
            "eventType": kind,
            "eventTime": at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "producer": producer,
            "schemaURL": _EVENT,
            "run": {"runId": run.id, "facets": _of_run(run, kind, producer, version)},
            "job": {
                "namespace": namespace,
                # Configurations may share a name, and may be renamed.
                "name": f"{run.workflow_type.value}.{run.configuration_id}",
                "facets": {
                    "jobType": _facet(
                        "jobType",
                        producer,
                        {"processingType": "BATCH", "integration": "STOA", "jobType": run.workflow_type.value},
                    ),
                    "documentation": _facet("documentation", producer, {"description": run.workflow_name}),
                },
            },
            "inputs": inputs,
            "outputs": [],
        }
        for kind, at in happened
        if at is not None and run.started_at is not None
    ]


def test_event(id: str, at: datetime, namespace: str, version: str) -> dict[str, Any]:
    """An event that a receiver takes as any other, and that tells of no run: of the type OTHER."""
    return {
        "eventType": "OTHER",
        "eventTime": at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "producer": f"urn:stoa:{version}",
        "schemaURL": _EVENT,
        "run": {"runId": id},
        "job": {"namespace": namespace, "name": "webhook.test"},
        "inputs": [],
        "outputs": [],
    }


def _of_run(run: WorkflowRun, kind: str, producer: str, version: str) -> dict[str, Any]:
    facets = {"processing_engine": _facet("processing_engine", producer, {"version": version, "name": "Stoa"})}
    if kind == "FAIL":
        said = {"message": run.error_message or "The run failed.", "programmingLanguage": "PYTHON"}
        facets["errorMessage"] = _facet("errorMessage", producer, said)
    return facets


def _dataset(one: ReadTable, producer: str) -> dict[str, Any]:
    fields = []
    for column in one.facts.columns:
        said = {"name": column.name, "type": column.data_type, "description": column.description}
        fields.append({name: value for name, value in said.items() if value is not None})
    return {
        "namespace": one.namespace,
        "name": ".".join(Fqn.parse(one.facts.fqn).parts[1:]),
        "facets": {"schema": _facet("schema", producer, {"fields": fields})},
    }


def _facet(name: str, producer: str, said: Mapping[str, Any]) -> dict[str, Any]:
    at = _FACETS[name]
    return {"_producer": producer, "_schemaURL": f"{_SPECIFICATION}/facets/{at}.json#/$defs/{at.split('/')[1]}", **said}
