"""Rules are tried on the data that they were drawn up from, in the store itself, before they are offered.

A rule is learned from values as they were read; its check is worked out by the store, which may write or compare them
in another way. One query over as many first rows as the sample had tells whether the check says there what was learned.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from sqlglot import exp

from resolvers.engines.checks.conditions import condition_of
from resolvers.engines.checks.counting import aliased, counted, named
from resolvers.engines.checks.evaluate import OF_THE_CHECK
from resolvers.engines.checks.model import CannotEvaluate, Check
from resolvers.engines.checks.predicates import RowCondition, at_moment, column_of
from resolvers.engines.rules.draft import RuleDraft
from schema.data_readiness.rule import RuleUnit
from schema.data_readiness.source import Sample, Source, TableFacts

OF_VALUES: Final = frozenset({"invalidValues", "outlierValues", "brokenFormulas"})
"""The metrics that say which values are right, by themselves or together."""

LEFT_OUT: Final = "left_out_as_suspect"
"""The evidence of what was learned from values: how many were left out."""

MOST_MORE: Final = 0.02
"""How much larger the share that breaks a rule may be than it says, where the sample was the whole table."""

MOST_MORE_OF_PART: Final = 0.5
"""The same where the first rows are others than those of the sample, and may hold the errors together."""


def tried(source: Source, table: TableFacts, drafts: Sequence[RuleDraft], sample: Sample) -> list[RuleDraft]:
    """The drafts without those about values whose check cannot be evaluated, or is broken far oftener than they say.

    Raises ConnectorError when the source cannot be reached.
    """
    about_values = [at for at, draft in enumerate(drafts) if draft.metric in OF_VALUES and LEFT_OUT in draft.evidence]
    learned = {at: drafts[at] for at in about_values if sample.rows}
    conditions: dict[int, RowCondition] = {}
    for at, draft in learned.items():
        check = Check(draft.key, draft.metric, draft.asset_fqn, draft.metric_definition_id, draft.arguments)
        try:
            now = datetime.fromisoformat(str(draft.evidence["measured_at"]))
            conditions[at] = condition_of(at_moment(check, now), table, source.dialect)
        except CannotEvaluate:
            continue
    found = _shares(source, table, conditions, len(sample.rows))
    more = MOST_MORE if sample.is_whole else MOST_MORE_OF_PART
    return [
        draft for at, draft in enumerate(drafts)
        if at not in learned or (at in found and found[at] <= _claimed(draft) + more)
    ]  # fmt: skip


def _claimed(draft: RuleDraft) -> float:
    """The share of values that break a rule by what it says itself: its threshold, and what looked wrong."""
    left_out, rows = draft.evidence[LEFT_OUT], draft.evidence["rows"]
    tolerated = draft.threshold[0] / 100 if draft.unit is RuleUnit.PERCENT else 0.0
    return float(tolerated + left_out / max(1, left_out + rows))


def _shares(source: Source, table: TableFacts, conditions: Mapping[int, RowCondition], rows: int) -> dict[int, float]:
    """Of the first rows, which share of those looked at breaks each condition; without what the store cannot tell."""
    if not conditions:
        return {}
    names = sorted({column.name for one in conditions.values() for column in one.bad.find_all(exp.Column)})
    relation = aliased(source.relation(table.database, table.schema, table.name), "t")
    first = exp.select(*(column_of(name) for name in names)).from_(relation).limit(rows)
    figures = [counted(part) for one in conditions.values() for part in (one.looked_at or exp.true(), one.bad)]
    try:
        (row,) = source.ask(exp.select(*figures).from_(first.subquery(named("t"))))
    except Exception as error:
        if getattr(error, "kind", None) not in OF_THE_CHECK:
            raise
        if len(conditions) == 1:
            return {}
        alone = [_shares(source, table, {at: one}, rows) for at, one in conditions.items()]
        return {at: share for one in alone for at, share in one.items()}
    counts = [int(one or 0) for one in row]
    return {at: bad / max(1, of) for at, of, bad in zip(conditions, counts[::2], counts[1::2], strict=True)}
