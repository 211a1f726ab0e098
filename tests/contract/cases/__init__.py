"""The lines of the matrix of permissions, one module per group of resources, each with what its calls are about."""

from tests.contract.cases import (
    chat,
    files,
    glossary,
    knowledge,
    models,
    profiles,
    reports,
    quality,
    schedules,
    search,
    workflows,
)
from tests.contract.stage import Case

CASES: list[Case] = [
    *chat.CASES,
    *files.CASES,
    *glossary.CASES,
    *knowledge.CASES,
    *models.CASES,
    *profiles.CASES,
    *reports.CASES,
    *quality.CASES,
    *schedules.CASES,
    *search.CASES,
    *workflows.CASES,
]
