"""Views, and tables like them. A view shows what is in tables: what words say of a table nearly as well is meant of the
table, unless the view is named.
"""

from collections import defaultdict
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.catalog import Catalog

_NAMED: Final = 0.9
"""How well words must fit the name of a view for it to be the one that is asked about."""
_NEARLY: Final = 0.9
"""How well they must fit a table's column, as a part of how well they fit the view's, for the table to be meant."""
_PARTLY: Final = 0.5
"""What is left of a name of a view that is said in part, where the same words name a table's column."""
_ROWS: Final = 0.85
"""What is left of a table's name that says its measure, as the name of its rows."""
_BEHIND: Final = 0.9
"""What is left of how well they fit the view's then, as a part of how well they fit the table's."""


def behind_tables(linked: Linked, catalog: Catalog) -> Linked:
    """Put columns and values of views behind those of tables that the same words fit nearly as well."""
    mentioned = {one.column.table if one.column is not None else one.table for one in linked.mentions}
    views = {one for one in mentioned if one in catalog.tables and "VIEW" in (catalog.tables[one].table_type or "")}
    named = {one.table for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _NAMED}
    if not (views := views - named):
        return linked
    best: dict[tuple[object, ...], float] = defaultdict(float)
    for one in linked.mentions:
        if one.column is not None and one.column.table not in views:
            best[_place(one)] = max(one.score, best[_place(one)])

    def placed(one: Mention) -> Mention:
        if one.kind is MentionKind.TABLE and one.table in views:
            called = best.get((one.first, one.last, MentionKind.COLUMN, None), 0.0)
            return one._replace(score=_PARTLY * one.score) if called >= one.score else one
        if one.column is None or one.column.table not in views:
            return one
        of_table = best.get(_place(one), 0.0)
        return one._replace(score=min(one.score, _BEHIND * of_table)) if of_table >= _NEARLY * one.score else one

    return replace(linked, mentions=tuple(map(placed, linked.mentions)))


def with_measures(linked: Linked, catalog: Catalog) -> Linked:
    """Let the name of a table that is called after its measure stand for that: `career_home_runs.home_runs`."""
    found: list[Mention] = []
    for one in linked.mentions:
        named = one.table is not None and one.kind is MentionKind.TABLE and one.score >= _NAMED
        measure = _measure_of(catalog, one.table) if named and one.table is not None else None
        if measure is not None:
            found.append(Mention(one.first, one.last, MentionKind.COLUMN, one.score, one.how, column=measure))
        found.append(one if measure is None else one._replace(score=_ROWS * one.score))
    return replace(linked, mentions=tuple(found)) if len(found) > len(linked.mentions) else linked


def _measure_of(catalog: Catalog, table: str) -> ColumnKey | None:
    """The number of a table that the end of its name says."""
    called = catalog.table_words(table)
    for column in catalog.tables[table].columns if table in catalog.tables else ():
        key = ColumnKey(table, column.name)
        said = catalog.words(key)
        if 0 < len(said) < len(called) and tuple(called[-len(said) :]) == tuple(said) and catalog.is_measure(key):
            return key
    return None


def _place(one: Mention) -> tuple[object, ...]:
    """What a mention competes for: the same words, and for a value a column of the same name."""
    assert one.column is not None
    name = one.column.column.casefold() if one.kind is MentionKind.VALUE else None
    return one.first, one.last, one.kind, name
