"""Defines how many rows of a table a run looks at: what it asks for, within what its engine can use."""

import math

from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from resolvers.data_readiness.runs.parameters import parameters_of
from schema.data_readiness.source import Source, TableFacts
from schema.data_readiness.workflow_run import WorkflowRun


def sample_size(run: WorkflowRun, source: Source, facts: TableFacts, *, usual: int, most: int) -> int:
    """The number of rows, at least 1. `usual` is what a run gets that does not say, `most` what nothing goes beyond.

    A share is taken of the rows that the table has now; for it they are counted. Raises ConnectorError.
    """
    asked = parameters_of(run).sampling
    if asked is None or (asked.rows is None and asked.percent is None):
        return min(usual, most)
    wanted = most if asked.rows is None else asked.rows
    if asked.percent is not None:
        count = _counted(source, facts)
        share = usual if count is None else math.ceil(count * asked.percent / 100)
        wanted = min(wanted, share)
    return max(1, min(wanted, most))


def _counted(source: Source, facts: TableFacts) -> int | None:
    """The rows of a table; of one that cannot be counted in time what the catalog knows, if it does."""
    relation = source.relation(facts.database, facts.schema, facts.name)
    counted: exp.Select = exp.select(exp.Count(this=exp.Star())).from_(relation)
    try:
        [(count,)] = source.ask(counted)
    except ConnectorError as error:
        if error.kind != "timeout":
            raise
        return facts.row_count
    return int(count)
