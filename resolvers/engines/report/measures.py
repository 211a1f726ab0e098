"""Defines which columns of numbers measure something, so that their mean says something."""

from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words
from resolvers.engines.profiling.references import KEY_WORDS, words_of
from schema.data_readiness.profile import ColumnProfile, TableProfile, ValueKind

_NAMES_THINGS: Final = KEY_WORDS | words(
    "index idx rowid guid zip zipcode postcode postal plz cep pin phone telephone tel mobile fax isbn ean upc gtin sku "
    "ssn vin iban account acct npi icd naics sic fips hash version latitude longitude lat lon lng seq sequence"
)
"""Words at the end of a name whose numbers tell things apart or places, and measure nothing."""
_ANYWHERE: Final = words("zip zipcode postcode postal phone telephone fax isbn ssn iban")
_COUNTS: Final = words("of number num no nr")
_PARTS_OF_TIME: Final = {
    "year": (1000, 2999), "yr": (1000, 2999), "season": (1000, 2999), "quarter": (1, 4), "month": (0, 12),
    "week": (0, 53), "day": (0, 366), "weekday": (0, 7), "dow": (0, 7), "hour": (0, 24), "minute": (0, 60),
}  # fmt: skip
"""The numbers that tell which year, month and so on is meant, and not how many."""
_YEARS: Final = (1500, 2200)
_DATED: Final = words("founded built established born died opened vintage published released since graduated")
_COUNTING_UP: Final = 1.5
"""How far apart running numbers lie at most, on average."""


def is_measure(column: ColumnProfile, table: TableProfile | None = None) -> bool:
    """Return whether an average of a column says something: it holds amounts, and neither keys, codes nor years."""
    if column.kind is not ValueKind.NUMBER:
        return False
    said = words_of(column.name)
    spelled = {*said, *tokens_of(column.name)}
    if said and said[-1] in _NAMES_THINGS and not _is_count(said):
        return False
    if spelled & _ANYWHERE or tells_when(column):
        return False
    return not (_is_key(column, table) or _counts_up(column))


def _is_count(said: tuple[str, ...]) -> bool:
    """Return whether it is called a number of things: `number_of_rooms` counts, `room_number` does not."""
    return "of" in said and said[0] in _COUNTS


def tells_when(column: ColumnProfile) -> bool:
    """Return whether the numbers of a column tell which year, month, day or hour is meant."""
    said = {*words_of(column.name), *tokens_of(column.name)}
    ends = [_number(column.minimum), _number(column.maximum)]
    low, high = (one if one is not None else 0.0 for one in ends)
    named = [bounds for word, bounds in _PARTS_OF_TIME.items() if word in said]
    if said & _DATED:
        named.append(_YEARS)
    if None in ends:
        return bool(named)
    return any(least <= low and high <= most for least, most in named)


def _is_key(column: ColumnProfile, table: TableProfile | None) -> bool:
    """Return whether the source declares it for a key of one column, or it refers to another table."""
    if table is None:
        return False
    declared = [one.columns for one in table.candidate_keys if one.is_declared]
    return [column.name] in declared or any(column.name in one.columns for one in table.foreign_keys)


def _counts_up(column: ColumnProfile) -> bool:
    """Return whether it numbers the rows: whole numbers that never repeat, hardly with gaps."""
    low, high = _number(column.minimum), _number(column.maximum)
    distinct, filled = column.distinct_count, column.row_count - (column.null_count or 0)
    if low is None or high is None or not distinct or distinct < max(20, filled) or low % 1 or high % 1:
        return False
    return high - low + 1 <= _COUNTING_UP * distinct


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
