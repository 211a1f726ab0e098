"""Defines which columns a key is expected of although nobody declares one: those whose values name rows."""

import re
from collections.abc import Iterator
from typing import Final

from resolvers.engines.profiling.references import KEY_WORDS, words_of
from schema.data_readiness.profile import CandidateKey, ColumnProfile, TableProfile, ValueKind

FRACTIONS: Final = ("NUMERIC", "DECIMAL", "FLOAT", "DOUBLE", "REAL", "MONEY")
"""The beginnings of the names of types that measure, and do not name things."""

ALWAYS: Final = 0.998
"""The share of unique rows from which values that may name rows are expected to."""

_FRACTION: Final = re.compile(r"9(?:\{\d+\})?[.,]9(?:\{[12]\})?")
"""The pattern of a text that spells a number with one or two decimals."""


FEWEST: Final = 50
"""Values by which a column is told to be a key of the rows that have one."""

MOST_REPEATED: Final = 0.01
"""The share of these that may be there already; one may in any case."""

_MOMENT: Final = re.compile(r"(?:9\{4\}([-/.])9(?:\{2\})?\1|9(?:\{2\})?([-/.])9(?:\{2\})?\2)9.*")
"""The pattern of a text that begins with a day."""


def sparse_keys(profile: TableProfile) -> Iterator[CandidateKey]:
    """Yield columns that not every row has a value of, and whose values are written as keys and hardly ever repeat.

    Such a column tells no rows apart, so it is no key of the table; but what has the number of another is a mistake:
    the number of a passport, of those that have one. `uniqueness` is the share of the values that occur once.
    """
    for column in profile.columns:
        filled = column.row_count - (column.null_count or 0)
        known = column.distinct_count is not None and not {"distinct_count", "null_count"} & set(column.approximate)
        if not column.null_count or not known or filled < FEWEST:
            continue
        repeated = filled - (column.distinct_count or 0)
        is_key = can_be_key(column) and (_is_named_key(column.name) or _has_codes(column))
        if is_key and repeated <= max(1, MOST_REPEATED * filled):
            # A value that occurs twice is one different value fewer, and two rows that have it.
            share = max(0.0, 1 - 2 * repeated / filled)
            yield CandidateKey(columns=[column.name], uniqueness=share, is_declared=False, is_exact=True)


def can_be_key(column: ColumnProfile | None) -> bool:
    """Numbers with fractions, moments and long texts differ by chance, and not because they name things."""
    if column is None or column.kind not in (ValueKind.NUMBER, ValueKind.TEXT):
        return False
    if column.kind is ValueKind.NUMBER:
        is_fraction = (column.data_type or "").upper().startswith(FRACTIONS)
        return not is_fraction and not any("." in (end or "") for end in (column.minimum, column.maximum))
    if (column.mean_length or 0) > 40 or column.blank_count:
        return False
    return not (_mostly(column, _FRACTION) or _mostly(column, _MOMENT))


def is_meant_as_key(candidate: CandidateKey, column: ColumnProfile | None) -> bool:
    """Return whether one column that hardly repeats is rather a key than values that differ by chance.

    It is declared, or its name ends as that of a key; else its values must hardly ever repeat, or be written as codes.
    """
    if candidate.is_declared or _is_named_key(candidate.columns[0]):
        return True
    if not can_be_key(column):
        return False
    return candidate.uniqueness >= ALWAYS or _has_codes(column)


def _is_named_key(name: str) -> bool:
    return (words_of(name) or ("",))[-1] in KEY_WORDS


def _mostly(column: ColumnProfile, form: re.Pattern[str]) -> bool:
    """Return whether most texts have a form: prices of which few have a sign, days of which few are words."""
    alike = sum(one.count for one in column.patterns if form.fullmatch(one.pattern))
    return bool(column.patterns) and 2 * alike > sum(one.count for one in column.patterns)


def _has_codes(column: ColumnProfile | None) -> bool:
    """Return whether texts have digits or signs, and no words beside one another."""
    shapes = column.patterns if column is not None and column.kind is ValueKind.TEXT else []
    coded = sum(one.count for one in shapes if " " not in one.pattern and _without_counts(one.pattern).strip("A"))
    return bool(shapes) and 2 * coded > sum(one.count for one in shapes)


def _without_counts(pattern: str) -> str:
    """The signs of a pattern, without how long its runs are."""
    return "".join(part.partition("}")[2] if at else part for at, part in enumerate(pattern.split("{")))
