"""Personal data that profiling meets: recognised with the figures, so that no value is shown before.

What is found is a suggestion like those of a run of tagging, listed and decided among the classifications, and hides
the values at once. It is no proposal, for profiling proposes nothing; the next run of tagging looks again, and proposes
what nobody has decided. What people decided, and what a run found before, stands.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Final

from persistence.queries.classifications import classification_id
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.recognition import VERSION, TagFinding, fingerprint, recognize
from schema.data_readiness.classification import (
    CATEGORIES,
    Classification,
    ClassificationKind,
    ClassificationState,
)
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.source import Sample, Source, TableFacts

ROWS: Final = 2_000
"""Rows of a table that are looked at for personal data while it is profiled."""


def some_rows(source: Source, facts: TableFacts, most: int) -> Sample:
    """Rows to look at, no more than were profiled."""
    names = [column.name for column in facts.columns]
    return source.sample(source.relation(facts.database, facts.schema, facts.name), names, min(ROWS, most))


def quoted_values(profile: TableProfile) -> Sample:
    """Return what a profile itself quotes, where no row may be read: the values of each column, not those of
    one row.
    """
    columns = [[value.value for value in column.top_values] for column in profile.columns]
    return Sample(tuple(column.name for column in profile.columns), tuple(zip_longest(*columns)), False)


def suggested(
    facts: TableFacts, sample: Sample, now: datetime
) -> tuple[Mapping[str, Sequence[TagFinding]], Mapping[str, str]]:
    """The tags of a table's columns by their names, and the fingerprints of what they were found in."""
    found = {name: some for name, some in recognize(facts, sample, now).items() if some}
    kept = [column for column in facts.columns if column.name in found]
    return found, {column.name: fingerprint(column, sample) for column in kept}


def write_suggested(
    uow: UnitOfWork,
    scope: Scope,
    facts: TableFacts,
    found: Mapping[str, Sequence[TagFinding]],
    prints: Mapping[str, str],
    *,
    run_id: str,
    now: datetime,
) -> int:
    """Keep what nobody knew yet; return how many columns hold personal data."""
    kind = ClassificationKind.PII
    names = {column.name: column.fqn for column in facts.columns if column.name in found}
    standing = uow.classifications.tags_of(scope, names.values())
    known = {one.id for some in uow.classifications.of_assets(scope, names.values(), kind).values() for one in some}
    new = []
    for name, fqn in names.items():
        for one in found[name]:
            tag_fqn = f"{CATEGORIES[kind]}.{one.tag}"
            id = classification_id(scope, fqn, tag_fqn)
            if fqn not in standing or id in known or tag_fqn in standing[fqn].fqns:
                continue
            new.append(
                Classification(
                    id=id,
                    asset_fqn=fqn,
                    resource_uri=standing[fqn].resource_uri,
                    kind=kind,
                    tag_fqn=tag_fqn,
                    state=ClassificationState.SUGGESTED,
                    confidence=one.confidence,
                    evidence=[dict(told) for told in one.evidence],
                    recognizer_version=VERSION,
                    data_fingerprint=prints[name],
                    workflow_run_id=run_id,
                    decided_by=None,
                    decided_at=None,
                    created_at=now,
                    updated_at=now,
                )
            )
    uow.classifications.put(scope, new)
    return len(names)
