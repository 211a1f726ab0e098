"""Defines what is told of personal data without its values: the counts stay, whatever quotes the data goes."""

import re
from collections.abc import Collection
from typing import Any, Final

from schema.data_readiness.profile import ColumnProfile, TableProfile

_LEFT_OUT: Final[dict[str, Any]] = {
    "minimum": None,
    "maximum": None,
    "quantiles": [],
    "histogram": [],
    "top_values": [],
    "masked": True,
}
"""A histogram goes as a whole, for its bounds are values."""


def masked_column(profile: ColumnProfile, personal: frozenset[str] | None) -> ColumnProfile:
    """A column's profile as it may be shown; `personal` are the FQNs of personal columns, None for all of them."""
    if personal is not None and profile.column_fqn not in personal:
        return profile
    approximate = [name for name in profile.approximate if name not in _LEFT_OUT]
    return profile.model_copy(update={**_LEFT_OUT, "approximate": approximate})


def masked_table(profile: TableProfile, personal: frozenset[str] | None) -> TableProfile:
    """A table's profile as it may be shown."""
    columns = [masked_column(column, personal) for column in profile.columns]
    hidden = {column.name for column in columns if column.masked}
    newest = None if profile.freshness_column in hidden else profile.newest
    return profile.model_copy(update={"columns": columns, "newest": newest})


GONE: Final = "…"
"""Stands where something was left out."""
_QUOTED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»|(?<!\w)'[^']*'(?!\w)")
_FIGURE: Final = re.compile(r"[\w.,:/+@#-]*\d(?:[\w.,:/+@#-]*\w)?")


def masked_text(text: str, names: Collection[str]) -> str:
    """Words about personal data without what may be a value of it: what is quoted, and every word with a digit.

    What is made of `names` (of tables and columns, in small letters; dots between them) stays.
    """

    def is_name(written: str) -> bool:
        return all(part in names for part in written.casefold().split("."))

    def unquoted(match: "re.Match[str]") -> str:
        sign, inner, end = match.group()[0], match.group()[1:-1], match.group()[-1]
        return match.group() if is_name(inner) else f"{sign}{GONE}{end}"

    def unnumbered(match: "re.Match[str]") -> str:
        return match.group() if is_name(match.group()) else GONE

    return _FIGURE.sub(unnumbered, _QUOTED.sub(unquoted, text))
