"""The condition of any check that one scan can count, of one column or of several."""

from resolvers.engines.checks.formulas import formula_condition
from resolvers.engines.checks.model import Check
from resolvers.engines.checks.predicates import RowCondition, value_condition
from schema.data_readiness.source import TableFacts


def condition_of(check: Check, table: TableFacts, dialect: str, alias: str = "t") -> RowCondition:
    """Return which rows a check looks at, and which of them break it. Raises CannotEvaluate."""
    if check.metric == "brokenFormulas":
        return formula_condition(check, table, dialect, alias)
    return value_condition(check, table, dialect, alias)
