"""The tier `sample`: one scan in the source for the exact basics, and a sample of rows for everything else."""

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from resolvers.engines.profiling.basics import Basics, Scanned, is_refused, scan
from resolvers.engines.profiling.columns import Extent, column_profile
from resolvers.engines.profiling.kinds import kind_of
from resolvers.engines.profiling.tables import Header, structure, table_profile
from resolvers.engines.profiling.values import Progress
from schema.data_readiness.profile import ProfileTier, TableProfile, ValueKind
from schema.data_readiness.source import ColumnFacts, Sample, Source, TableFacts

SAMPLE_ROWS: Final = 20_000
"""Rows of a sample that nobody has asked another size of."""

FEWEST_SAMPLED: Final = 500
MOST_CELLS: Final = 4_000_000
"""Values of a sample: of a wide table fewer rows are taken."""

MOST_CHARACTERS: Final = 200_000_000
"""Characters of a sample: of a table of long texts fewer rows are taken."""


def by_sample(source: Source, facts: TableFacts, rows: int, header: Header, progress: Progress) -> TableProfile:
    """Profile a table by one scan and a sample."""
    relation = source.relation(facts.database, facts.schema, facts.name)
    scanned = scan_or_none(source, relation, facts)
    if scanned is not None:
        progress(scanned.row_count, scanned.row_count)
    columns = readable(facts, scanned)
    sample = take(source, relation, columns, scanned, rows)
    extent = extent_of(facts, scanned, sample)
    values = sample.by_column()
    profiles = []
    for of in columns:
        basics = None if scanned is None else scanned.columns[of.name]
        profiles.append(column_profile(of, basics, values.get(of.name), extent))
    approximate = [] if extent.is_scanned or extent.is_whole else ["row_count"]
    found = structure(facts, sample, {one.name: one for one in profiles}, source.dialect)
    size = None if extent.is_whole else extent.sampled
    return table_profile(
        header, facts, ProfileTier.SAMPLE, extent, profiles, found, sample_size=size, approximate=approximate
    )


def scan_or_none(source: Source, relation: exp.Table, facts: TableFacts) -> Scanned | None:
    """The exact basics; None when the table is too large for one scan within the statement's time."""
    try:
        return scan(source, relation, facts.columns)
    except Exception as error:
        if getattr(error, "kind", None) != "timeout":
            raise
        return None


def readable(facts: TableFacts, scanned: Scanned | None) -> list[ColumnFacts]:
    """The columns that the source still has."""
    return [of for of in facts.columns if scanned is None or of.name in scanned.columns]


def take(
    source: Source, relation: exp.Table, columns: Sequence[ColumnFacts], scanned: Scanned | None, rows: int
) -> Sample:
    """A sample of all columns whose values can be looked at, of a size that memory holds."""
    wanted = [of for of in columns if kind_of(of) is not ValueKind.OTHER]
    whole = scanned is not None and scanned.row_count == 0
    if not wanted or whole:
        return Sample((), (), is_whole=whole or not columns)
    known = {} if scanned is None else scanned.columns
    most = min(rows, max(FEWEST_SAMPLED, MOST_CELLS // len(wanted), 1))
    characters = sum(_length(known[of.name]) for of in wanted if of.name in known)
    if characters:
        most = max(1, min(most, int(MOST_CHARACTERS / characters)))
    return _sampled(source, relation, [of.name for of in wanted], most)


def _length(basics: Basics) -> float:
    return basics.mean_length or 0.0


def _sampled(source: Source, relation: exp.Table, names: list[str], rows: int) -> Sample:
    """A sample of columns, without those whose values the driver cannot hand over."""
    try:
        return source.sample(relation, names, rows)
    except Exception as error:
        if not is_refused(error) and getattr(error, "kind", None) is not None:
            raise
        if len(names) == 1:
            return Sample((), (), is_whole=False)
    left = [name for name in names if _can_be_read(source, relation, name)]
    if not left or left == names:
        return Sample((), (), is_whole=False)
    return source.sample(relation, left, rows)


def _can_be_read(source: Source, relation: exp.Table, name: str) -> bool:
    try:
        source.sample(relation, [name], FEWEST_SAMPLED)
    except Exception as error:
        if not is_refused(error) and getattr(error, "kind", None) is not None:
            raise
        return False
    return True


def extent_of(facts: TableFacts, scanned: Scanned | None, sample: Sample) -> Extent:
    """Return how much was looked at. Without a scan the rows are those that the catalog or the sample knows of."""
    sampled = len(sample.rows)
    if scanned is not None:
        # What was written between the scan and the sample changes neither.
        whole = sample.is_whole or scanned.row_count == 0
        return Extent(scanned.row_count, sampled, is_whole=whole, is_scanned=True)
    rows = sampled if sample.is_whole else max(sampled, facts.row_count or 0)
    return Extent(rows, sampled, is_whole=sample.is_whole, is_scanned=False)
