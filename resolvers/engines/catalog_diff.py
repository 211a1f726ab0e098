"""Defines what the source says now against what stands: is it a new version, and a structural one?

A version counts its major number when something that queries rely on went away or changed its form: a column dropped
or retyped, a table turned into a view. Everything else that people read counts the minor number: a comment, a key, a
new column, nullability, a definition. Figures that move by themselves (row counts, positions) are no version at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from schema.utils.source_asset import ColumnChange, Judgement

STRUCTURAL_FIELDS: Final = frozenset(
    {"data_type", "data_type_display", "precision", "scale", "data_length", "table_type"}
)
"""A change of one of these from one value to another changes the form of the data."""

FIGURES: Final = frozenset({"row_count", "column_count", "table_count", "children_total", "ordinal_position"})
"""What is measured rather than said."""


def judge(
    before: Mapping[str, Any], after: Mapping[str, Any], columns: Sequence[ColumnChange] = ()
) -> Judgement | None:
    """Judge the difference between two states of an asset, and what happened to its columns if it is a table.

    Only the fields of `after` are compared. None: nothing that deserves a version.
    """
    added: list[str] = []
    updated: list[str] = []
    deleted: list[str] = []
    structural = False
    for name, new in after.items():
        old = before.get(name)
        if name in FIGURES or old == new or (_empty(old) and _empty(new)):
            continue
        (added if _empty(old) else deleted if _empty(new) else updated).append(name)
        # A form that becomes known where none was known takes nothing away.
        structural = structural or (name in STRUCTURAL_FIELDS and not _empty(old))
    for column in columns:
        structural = structural or column.structural or column.kind == "deleted"
        if column.kind == "added":
            added.append(f"columns.{column.name}")
        elif column.kind == "deleted":
            deleted.append(f"columns.{column.name}")
        else:
            updated += [f"columns.{column.name}.{name}" for name in column.fields]
    if not (added or updated or deleted):
        return None
    return Judgement(structural, _sorted(added), _sorted(updated), _sorted(deleted))


def _empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
