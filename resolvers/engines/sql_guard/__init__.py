"""The guard of SQL that people or a language model wrote: one query that reads allowed tables, or a refusal."""

from resolvers.engines.sql_guard.guard import Guarded, Refused, Table, guard_sql, tables_of_catalog

__all__ = ["Guarded", "Refused", "Table", "guard_sql", "tables_of_catalog"]
