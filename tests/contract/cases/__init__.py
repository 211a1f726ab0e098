"""The lines of the matrix of permissions, one module per group of resources, each with what its calls are about."""

from tests.contract.cases import (
    chat,
    classifications,
    events,
    files,
    glossary,
    knowledge,
    lineage,
    models,
    profiles,
    quality,
    reports,
    rules,
    schedules,
    search,
    servers,
    workflows,
)
from tests.contract.stage import Case

CASES: list[Case] = [
    *chat.CASES,
    *classifications.CASES,
    *events.CASES,
    *files.CASES,
    *glossary.CASES,
    *knowledge.CASES,
    *lineage.CASES,
    *models.CASES,
    *profiles.CASES,
    *reports.CASES,
    *quality.CASES,
    *rules.CASES,
    *schedules.CASES,
    *search.CASES,
    *servers.CASES,
    *workflows.CASES,
]
