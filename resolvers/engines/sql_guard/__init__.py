"""The guard of SQL that people or a language model wrote: one query that reads allowed tables, or a refusal.

`judging` parses a text and keeps it to what a query may hold; `binding` gives every name its meaning and writes down
how each column is used; `compiling` builds the policies in (`masking`, `grouping`); `guard` puts the steps together.
"""

from resolvers.engines.sql_guard.guard import GuardedQuery, OutputColumn, guard_sql
from resolvers.engines.sql_guard.policies import (
    Broken,
    Effect,
    MaskStyle,
    Policy,
    is_policy,
    parse_policy,
    policies_for,
)
from resolvers.engines.sql_guard.refusing import QueryRefused
from resolvers.engines.sql_guard.tables import Table, tables_of_catalog

__all__ = [
    "Broken",
    "Effect",
    "GuardedQuery",
    "MaskStyle",
    "OutputColumn",
    "Policy",
    "QueryRefused",
    "Table",
    "guard_sql",
    "is_policy",
    "parse_policy",
    "policies_for",
    "tables_of_catalog",
]
