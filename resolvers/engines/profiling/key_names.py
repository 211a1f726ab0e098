"""Defines which columns a key is expected of although nobody declares one: those whose values name rows."""

import re
from typing import Final

from resolvers.engines.profiling.references import KEY_WORDS, words_of
from schema.data_readiness.profile import CandidateKey, ColumnProfile, ValueKind

FRACTIONS: Final = ("NUMERIC", "DECIMAL", "FLOAT", "DOUBLE", "REAL", "MONEY")
"""The beginnings of the names of types that measure, and do not name things."""

ALWAYS: Final = 0.998
"""The share of unique rows from which values that may name rows are expected to."""

_FRACTION: Final = re.compile(r"9(?:\{\d+\})?[.,]9(?:\{[12]\})?")
"""The pattern of a text that spells a number with one or two decimals."""


def can_be_key(column: ColumnProfile | None) -> bool:
    """Numbers with fractions, moments and long texts differ by chance, and not because they name things."""
    if column is None or column.kind not in (ValueKind.NUMBER, ValueKind.TEXT):
        return False
    if column.kind is ValueKind.NUMBER:
        is_fraction = (column.data_type or "").upper().startswith(FRACTIONS)
        return not is_fraction and not any("." in (end or "") for end in (column.minimum, column.maximum))
    return (column.mean_length or 0) <= 40 and (column.blank_count or 0) == 0 and not _measures(column)


def is_meant_as_key(candidate: CandidateKey, column: ColumnProfile | None) -> bool:
    """Return whether one column that hardly repeats is rather a key than values that differ by chance.

    It is declared, or its name ends as that of a key; else its values must hardly ever repeat, or be written as codes.
    """
    if candidate.is_declared or (words_of(candidate.columns[0]) or ("",))[-1] in KEY_WORDS:
        return True
    if not can_be_key(column):
        return False
    return candidate.uniqueness >= ALWAYS or _has_codes(column)


def _measures(column: ColumnProfile) -> bool:
    """Return whether most texts spell fractions: prices among which a few have a sign of the currency or a comma."""
    fractions = sum(one.count for one in column.patterns if _FRACTION.fullmatch(one.pattern))
    return bool(column.patterns) and 2 * fractions > sum(one.count for one in column.patterns)


def _has_codes(column: ColumnProfile | None) -> bool:
    """Return whether texts have digits or signs, and no words beside one another."""
    shapes = column.patterns if column is not None and column.kind is ValueKind.TEXT else []
    coded = sum(one.count for one in shapes if " " not in one.pattern and _without_counts(one.pattern).strip("A"))
    return bool(shapes) and 2 * coded > sum(one.count for one in shapes)


def _without_counts(pattern: str) -> str:
    """The signs of a pattern, without how long its runs are."""
    return "".join(part.partition("}")[2] if at else part for at, part in enumerate(pattern.split("{")))
