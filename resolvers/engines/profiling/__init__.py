"""Profiling: what can be measured of a table and its columns, in three tiers of cost."""

from resolvers.engines.profiling.known import NoStatistics, by_statistics
from resolvers.engines.profiling.sampling import SAMPLE_ROWS, by_sample
from resolvers.engines.profiling.streaming import by_stream
from resolvers.engines.profiling.tables import Header
from resolvers.engines.profiling.values import Progress
from schema.data_readiness.profile import ProfileTier, TableProfile
from schema.data_readiness.source import Source, TableFacts

__all__ = ["SAMPLE_ROWS", "Header", "NoStatistics", "profile_table"]


def profile_table(
    source: Source,
    facts: TableFacts,
    header: Header,
    *,
    tier: ProfileTier = ProfileTier.SAMPLE,
    rows: int = SAMPLE_ROWS,
    progress: Progress = lambda done, total: None,
) -> TableProfile:
    """Profile one table or view; its foreign keys come later. Raises ConnectorError, and NoStatistics in that tier."""
    if tier is ProfileTier.STATISTICS:
        return by_statistics(source, facts, header)
    if tier is ProfileTier.SAMPLE:
        return by_sample(source, facts, rows, header, progress)
    return by_stream(source, facts, rows, header, progress)
