"""A small file whose columns nest deep costs its reader twice as much for each level: it is refused by its footer."""

from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from persistence.connectors.core.base import ConnectorError
from persistence.parquet import MOST_LEVELS, levels
from persistence.tabular import NotATable, Scratch
from tests.support.sources import opened


def nested(file: Path, depth: int) -> Path:
    """A file of one value, so many lists deep."""
    values = pyarrow.array([1])
    for _ in range(depth):
        values = pyarrow.ListArray.from_arrays(pyarrow.array([0, 1], pyarrow.int32()), values)
    parquet.write_table(pyarrow.table({"a": values, "b": [1]}), file)
    return file


@pytest.mark.parametrize("depth", [MOST_LEVELS // 2, 26, 60])
def test_a_preview_reads_no_deep_table(tmp_path: Path, depth: int) -> None:
    with Scratch() as scratch, pytest.raises(NotATable, match="nest deeper"):
        scratch.window(nested(scratch.folder / "table", depth), offset=0, limit=1, max_bytes=1000)


def test_a_table_of_some_levels_is_shown(tmp_path: Path) -> None:
    with Scratch() as scratch:
        window = scratch.window(nested(scratch.folder / "table", 5), offset=0, limit=1, max_bytes=1000)
    assert window.rows == [[[[[[[1]]]]], 1]]


def test_no_connection_reads_a_deep_table(tmp_path: Path) -> None:
    nested(tmp_path / "deep.parquet", 60)
    with opened("nfs", {"path": str(tmp_path)}, roots=(str(tmp_path),)) as connector:
        (schema,) = connector.schemas()
        with connector.source() as source, pytest.raises(ConnectorError, match="nest deeper"):
            source.relation(schema.database, schema.name, schema.tables[0])


@pytest.mark.parametrize(
    ("children", "expected"),
    [([], 0), ([0], 0), ([2, 0, 0], 1), ([1, 1, 1, 0], 3), ([2, 1, 0, 1, 1, 0], 3), ([3, 0, 2, 0, 1, 0, 0], 3)],
)
def test_levels_are_counted_from_the_numbers_of_children(children: list[int], expected: int) -> None:
    assert levels(children) == expected
