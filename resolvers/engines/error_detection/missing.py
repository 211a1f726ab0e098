"""Defines what people write where there is no value."""

from typing import Final

STAND_INS: Final = frozenset(
    [
        *("n/a", "na", "n.a.", "n.a", "#n/a", "null", "none", "nil", "nan", "(null)", "<null>", "\\n", "void"),
        *("-", "--", "---", "?", "??", "???", ".", "..", "...", "_", "*", "/", "n/k", "n.k."),
        *("unknown", "unk", "not available", "not applicable", "not specified", "not provided", "not known"),
        *("undefined", "unspecified", "missing", "empty", "blank", "no data", "no value", "tbd", "tba", "to be"),
        *("test", "testing", "asdf", "asdfg", "qwerty", "tbc", "none given", "not given", "not recorded", "no entry"),
        *("xx", "xxx", "xxxx", "xxxxx", "dummy", "unbekannt", "inconnu", "desconocido", "keine angabe", "k.a."),
    ]
)
"""Texts that stand for a missing value, in lower case."""

PLACEHOLDER_DATES: Final = ("9999-12-31", "9999-01-01", "1900-01-01", "1899-12-30", "0001-01-01", "2999-12-31")
"""The days that stand for `never` or `not known`; where they are the edge of a column's range, they may be meant."""

PLACEHOLDER_NUMBERS: Final = frozenset(
    [
        -1.0,
        -9.0,
        -99.0,
        -999.0,
        -9999.0,
        -99999.0,
        -9.9,
        -99.9,
        -999.9,
        -9.99,
        -99.99,
        -999.99,
        999.0,
        9999.0,
        99999.0,
        999999.0,
        9999999.0,
        99999999.0,
        999999999.0,
    ]
)
"""Numbers that stand for a missing value when they lie apart from the others."""


def is_stand_in(text: str) -> bool:
    """Return whether a text stands for a missing value, whatever the column."""
    return text.strip().lower() in STAND_INS


def is_nothing(text: str) -> bool:
    """Return whether a text is empty or stands for a missing value."""
    return not text or is_stand_in(text)


def is_placeholder_date(text: str) -> bool:
    """Return whether a text spells one of the days that stand for none."""
    return text[:10] in PLACEHOLDER_DATES
