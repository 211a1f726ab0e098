"""How one column depends on another, in the words of OpenLineage."""

from enum import StrEnum
from typing import Final

from schema.base import choice


@choice
class LineageType(StrEnum):
    """Whether values pass from one column to another, or only decide about them."""

    DIRECT = "DIRECT"
    INDIRECT = "INDIRECT"


@choice
class LineageSubtype(StrEnum):
    """In which way. The first three are direct, the others indirect."""

    IDENTITY = "IDENTITY"
    """The value itself."""
    TRANSFORMATION = "TRANSFORMATION"
    """A value worked out of it, row by row."""
    AGGREGATION = "AGGREGATION"
    """A value worked out of those of many rows."""
    FILTER = "FILTER"
    """It decides which rows there are: WHERE, HAVING, EXCEPT, EXISTS."""
    JOIN = "JOIN"
    """It decides which rows meet."""
    GROUP_BY = "GROUP_BY"
    """It decides which rows are taken together: GROUP BY, DISTINCT, UNION."""
    SORT = "SORT"
    """It decides on the order of rows, or which of them come first."""
    WINDOW = "WINDOW"
    """It decides on the partition or the order within a window."""
    CONDITIONAL = "CONDITIONAL"
    """It decides which value is taken: CASE, IF."""
    ROWS = "ROWS"
    """The rows of the table as a whole, whatever is in their columns. OpenLineage has no word for it: there it is an
    input of the data set."""


DIRECT: Final = frozenset({LineageSubtype.IDENTITY, LineageSubtype.TRANSFORMATION, LineageSubtype.AGGREGATION})


def type_of(subtype: LineageSubtype) -> LineageType:
    """Return whether a way of depending is direct."""
    return LineageType.DIRECT if subtype in DIRECT else LineageType.INDIRECT
