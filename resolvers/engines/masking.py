"""Defines what is told of personal data without its values: the counts stay, whatever quotes the data goes."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from schema.data_readiness.profile import ColumnProfile, TableProfile
from schema.data_readiness.suspect import MASKED, SuspectCell, SuspectKind
from schema.descriptions import texts_below
from schema.identifiers import Fqn
from schema.utils.metadata_asset import table_of

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


def hides_values(asset_fqn: str, personal: Mapping[str, frozenset[str] | None]) -> bool:
    """Return whether what is said of an asset may quote none of its values; `personal` are the FQNs of personal columns
    by table, None for all of them.

    What is said of a table may quote any of its columns. A table that is not named shows no values, and what stands
    above tables has none.
    """
    table, name = table_of(asset_fqn), str(Fqn.parse(asset_fqn))
    if table is None:
        return False
    hidden = personal.get(table)
    return hidden is None or (bool(hidden) if name == table else name in hidden)


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


IN_GENERAL: Final[Mapping[SuspectKind, str]] = {
    SuspectKind[name]: " ".join(text.split()) for name, text in texts_below(SuspectKind).items()
}
"""What speaks against a cell of a kind, whatever its values are."""


def masked_cell(cell: SuspectCell, personal: Collection[str] | None) -> SuspectCell:
    """A suspect cell as it may be shown; `personal` are the names of its table's personal columns, None for all.

    What is said of it may quote any column that it names, so it goes without values where it names a personal one. A
    reason that would lose something says in general what its kind shows, and a further one is left out.
    """

    def is_personal(name: str) -> bool:
        return personal is None or name in personal

    changed: dict[str, Any] = {}
    if cell.row_key is not None and any(map(is_personal, cell.row_key)):
        changed["row_key"] = {
            name: MASKED if is_personal(name) and value is not None else value for name, value in cell.row_key.items()
        }
    own = is_personal(cell.column)
    if own:
        changed |= {name: MASKED for name in ("value", "repair") if getattr(cell, name) is not None}
    names = {part.casefold() for part in (*Fqn.parse(cell.asset_fqn).parts, *(cell.row_key or ()), *(personal or ()))}

    def told(text: str) -> str:
        quotes = own or personal is None or any(name in text for name in personal)
        return masked_text(text, names) if quotes else text

    reason = told(cell.reason)
    changed["reason"] = IN_GENERAL.get(cell.kind, reason) if GONE in reason else reason
    changed["further_reasons"] = [one for one in map(told, cell.further_reasons) if GONE not in one]
    return cell.model_copy(update=changed)


def masked_cells(cells: Iterable[SuspectCell], personal: Mapping[str, frozenset[str] | None]) -> list[SuspectCell]:
    """Suspect cells as they may be shown; `personal` are the FQNs of personal columns by table, None for all of them.

    Those of a table that is not named show no values.
    """
    names = {
        table: None if columns is None else frozenset(Fqn.parse(one).parts[-1] for one in columns)
        for table, columns in personal.items()
    }
    return [masked_cell(cell, names.get(cell.table_fqn)) for cell in cells]
