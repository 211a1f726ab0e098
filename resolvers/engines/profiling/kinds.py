"""Defines which figures a column can have, from the neutral name of its type."""

from typing import Final

from schema.data_readiness.profile import ValueKind
from schema.data_readiness.source import ColumnFacts

_INTEGERS: Final = frozenset(
    [
        "TINYINT",
        "SMALLINT",
        "MEDIUMINT",
        "INTEGER",
        "INT",
        "BIGINT",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "UHUGEINT",
        "YEAR",
    ]
)
_FRACTIONS: Final = frozenset(["NUMERIC", "DECIMAL", "REAL", "FLOAT", "DOUBLE"])
_PLAIN_TEXTS: Final = frozenset(["VARCHAR", "CHAR", "TEXT", "STRING"])
_OTHER_TEXTS: Final = frozenset(["ENUM", "SET", "UUID", "INET"])
_MOMENTS: Final = frozenset(
    {"DATE", "TIMESTAMP", "TIMESTAMPTZ", "DATETIME", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
)
_TIMES: Final = frozenset(["TIME", "TIMETZ"])


def type_of(column: ColumnFacts) -> str:
    """The neutral name of a column's type, without a length."""
    return (column.data_type or "").partition("(")[0].strip().upper()


def kind_of(column: ColumnFacts) -> ValueKind:
    """Return which figures the column can have."""
    name = type_of(column)
    if name in _INTEGERS or name in _FRACTIONS:
        return ValueKind.NUMBER
    if name in _PLAIN_TEXTS or name in _OTHER_TEXTS:
        return ValueKind.TEXT
    if name in _MOMENTS or name in _TIMES:
        return ValueKind.TEMPORAL
    return ValueKind.BOOLEAN if name in ("BOOLEAN", "BOOL") else ValueKind.OTHER


def is_integer(column: ColumnFacts) -> bool:
    """Return whether the column holds whole numbers by its type."""
    return type_of(column) in _INTEGERS


def is_exact_fraction(column: ColumnFacts) -> bool:
    """Return whether the column holds decimal numbers of any number of digits."""
    return type_of(column) in ("NUMERIC", "DECIMAL")


def is_plain_text(column: ColumnFacts) -> bool:
    """Return whether the column's values are texts in the source too, and not only for us."""
    return type_of(column) in _PLAIN_TEXTS


def is_moment(column: ColumnFacts) -> bool:
    """Return whether the column's values name a day or a moment, and not a time of any day."""
    return type_of(column) in _MOMENTS
