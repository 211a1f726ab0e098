"""What the tests of recognition share: a table of one or more columns, and what is found in it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from resolvers.engines.recognition import TagFinding, recognize
from schema.data_readiness.source import ColumnFacts, Sample, TableFacts

NOW: Final = datetime(2026, 6, 1, tzinfo=UTC)


def table_of(columns: Mapping[str, Sequence[Any]], *, name: str = "t7", **facts: Any) -> tuple[TableFacts, Sample]:
    """The facts of a table and all of its rows."""
    base = f"svc.db.sch.{name}"
    known = tuple(ColumnFacts(f"{base}.{column}", column, place, **facts) for place, column in enumerate(columns))
    rows = tuple(zip(*columns.values(), strict=True))
    return TableFacts(base, "data:acme:shop:svc", "db", "sch", name, known), Sample(tuple(columns), rows, True)


def found_in(columns: Mapping[str, Sequence[Any]], **facts: Any) -> dict[str, list[TagFinding]]:
    """Return what is found in a table."""
    table, sample = table_of(columns, **facts)
    return recognize(table, sample, NOW)


def tags(values: Sequence[Any], name: str = "c17", **facts: Any) -> set[str]:
    """The tags of one column alone."""
    return {one.tag for one in found_in({name: values}, **facts)[name]}
