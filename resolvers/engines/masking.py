"""Profiles without the values of personal data: the counts stay, whatever quotes the data goes."""

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
