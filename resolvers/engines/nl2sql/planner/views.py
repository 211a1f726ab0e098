"""Views, and tables like them. A view shows what is in tables: what words say of a table nearly as well is meant of the
table, unless the view is named. A view that is called as the rows of its table are, `v_call` of `port_call`, is not
named by that word: it is meant only where something else is said that no table holds.
"""

from collections import defaultdict
from dataclasses import replace
from itertools import chain
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
_HEAD: Final = 0.75
"""How well a word must fit a table for its rows to be called so."""
_OWN: Final = 0.85
"""How well words must fit a column or a value of a view for them to speak for it."""
_SHOWN: Final = 2
"""How many columns of a table a view has at least that shows its rows."""
_LESS: Final = 0.7
"""What is left of the name of a view that is no other than what the rows of its table are called."""


def behind_tables(linked: Linked, catalog: Catalog) -> Linked:
    """Put columns and values of views behind those of tables that the same words fit nearly as well."""
    linked = _called_as_rows(linked, catalog)
    mentioned = {one.column.table if one.column is not None else one.table for one in linked.mentions}
    views = {one for one in mentioned if one is not None and catalog.is_view(one)}
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


def _called_as_rows(linked: Linked, catalog: Catalog) -> Linked:
    """Let a word that a view is called by, and the rows of the table that it shows too, stand for the table."""
    tables = {(one.first, one.last, one.table): one for one in linked.mentions if one.kind is MentionKind.TABLE}
    turned: dict[int, Mention] = {}
    for (first, last, view), one in tables.items():
        if view is None or one.score < _NAMED or not catalog.is_view(view):
            continue
        base = _base(catalog, view)
        rows = tables.get((first, last, base)) if base is not None else None
        if base is None or rows is None or not _HEAD <= rows.score < one.score:
            continue
        says_more = set(catalog.table_words(view)) - set(catalog.table_words(base))
        if not says_more and not _speaks_for(linked, catalog, view, base, one):
            turned[id(rows)] = rows._replace(score=one.score, how=one.how)
            turned[id(one)] = one._replace(score=_LESS * one.score)
    if not turned:
        return linked
    return replace(linked, mentions=tuple(turned.get(id(one), one) for one in linked.mentions))


def _base(catalog: Catalog, view: str) -> str | None:
    """The table whose rows a view shows: it has the key, and the most columns of all such tables, and as many rows."""
    names = {column.name.lower() for column in catalog.tables[view].columns}
    rows = catalog.tables[view].row_count or 0
    found: dict[str, int] = {}
    for table, facts in catalog.tables.items():
        key = catalog.joins.key(table)
        shared = names & {column.name.lower() for column in facts.columns}
        shows = bool(key) and shared.issuperset(name.lower() for name in key) and len(shared) >= _SHOWN
        if shows and not catalog.is_view(table) and (not facts.row_count or rows <= facts.row_count):
            found[table] = len(shared)
    most = [table for table, shared in found.items() if shared == max(found.values())]
    return most[0] if len(most) == 1 else None


def _speaks_for(linked: Linked, catalog: Catalog, view: str, base: str, named: Mention) -> bool:
    """Return whether other words fit a column or a value of a view, and nothing nearly as well that its table is tied
    to.
    """
    best: dict[tuple[int, int], float] = defaultdict(float)
    others = [one for one in linked.mentions if one.last <= named.first or named.last <= one.first]
    tied = _tied(catalog, base)
    for one in others:
        if (one.column.table if one.column is not None else one.table) in tied:
            best[one.first, one.last] = max(one.score, best[one.first, one.last])
    return any(
        one.column is not None
        and one.column.table == view
        and one.score >= _OWN
        and best[one.first, one.last] < _NEARLY * one.score
        for one in others
    )


def _tied(catalog: Catalog, table: str) -> set[str]:
    """The tables that keys tie to one, and that to others, over no view."""
    found, reached = {table}, [table]
    while reached:
        links = chain.from_iterable(catalog.links.get(one, ()) for one in reached)
        reached = [one for one in dict.fromkeys(links) if one not in found and not catalog.is_view(one)]
        found.update(reached)
    return found


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
    """Return what a mention competes for: the same words, and for a value a column of the same name."""
    assert one.column is not None
    name = one.column.column.casefold() if one.kind is MentionKind.VALUE else None
    return one.first, one.last, one.kind, name
