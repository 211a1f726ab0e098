"""Rules for a table, from its profile, what the catalog declares, and a sample of its rows."""

from resolvers.engines.rules.claimed import is_borne_out
from resolvers.engines.rules.columns import ColumnSubject, column_rules
from resolvers.engines.rules.draft import RuleDraft
from resolvers.engines.rules.learning import Learned, learn
from resolvers.engines.rules.tables import table_rules
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.source import Sample, TableFacts


def draft_rules(
    facts: TableFacts, profile: TableProfile, sample: Sample, learned: Learned | None = None
) -> list[RuleDraft]:
    """Return what is expected of the table and its columns, one rule for each conclusion."""
    learned = learned or learn(sample)
    profiles = {column.name: column for column in profile.columns}
    found: dict[str, RuleDraft] = {}
    for draft in table_rules(facts, profile, learned):
        found.setdefault(draft.key, draft)
    for column in facts.columns:
        known = profiles.get(column.name)
        if known is not None:
            subject = ColumnSubject(facts, column, profile, known, learned, learned.values(column.name))
            for draft in column_rules(subject):
                found.setdefault(draft.key, draft)
    return [draft for draft in found.values() if is_borne_out(draft, profile)]
