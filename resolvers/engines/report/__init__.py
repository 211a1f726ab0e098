"""The report: one self-contained HTML page about a table, schema, database or service."""
