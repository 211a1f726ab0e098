"""Columns that conditions mean without naming them: by a verb, by a number of things, by nothing where nothing was."""

from collections.abc import Sequence

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Column, Comparison, Figure, Member, Output, Plan
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.operands import numbers
from resolvers.engines.nl2sql.planner.parts import Part
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_SPOKEN = 0.3
"""How well a verb must fit a column that is the only one that it may speak of."""


def may_be_empty(catalog: Catalog, column: ColumnKey) -> bool:
    """Return whether a column tells when something happened, where it did."""
    profile = catalog.profile(column)
    return catalog.is_time(column) and profile is not None and bool(profile.null_count)


def never_empty(catalog: Catalog, column: ColumnKey) -> bool:
    """Return whether a column holds an amount in every row, none of which is below 0, and some are 0."""
    profile = catalog.profile(column)
    told = profile is not None and catalog.is_measure(column) and profile.null_count == 0
    return told and profile is not None and profile.minimum is not None and profile.minimum.strip("0.") == ""


def says_when(cond: Cond) -> bool:
    """Return whether all that is compared with is dates, and no other number."""
    return all(any(one.values and one.values[0].kind == "date" for one in ref.literals) for ref in cond.values)


def kept_number(resolver: Resolver, cond: Cond, table: str, main: str) -> Part | None:
    """A column that holds the number where the words only suggest a table: `more than 4 staff`."""
    if cond.noun is None or cond.count is None or cond.noun.ref is None:
        return None
    score = max((one.score for one in cond.noun.ref.tables if one.table == table), default=1.0)
    held = [
        one.column
        for one in cond.noun.ref.columns
        if one.column is not None and one.column.table == main and one.score > score - 0.05
    ]
    held = [one for one in held if resolver.catalog.is_measure(one)]
    if len(held) != 1 or table == main:
        return None
    comparison = Comparison(as_column(held[0]), cond.count[0], numbers(cond.count[1]), cond.negated)
    return Part(comparison, cond, held[0])


def held_by(resolver: Resolver, cond: Cond, table: str, main: str) -> Part | None:
    """`dogs of owners with more than one dog`: how many of the rows asked for belong to the one that has each."""
    holder = resolver.table(cond.near[0]) if cond.near else None
    keys = [one for one in resolver.catalog.joins.keys_of(main) if one.table == main and one.to == holder]
    if table != main or holder in (None, main) or cond.count is None or len(keys) != 1 or len(keys[0].columns) != 1:
        return None
    column = Column(main, keys[0].columns[0])
    many = Comparison(Figure(Aggregate.COUNT, rows_of=main), cond.count[0], numbers(cond.count[1]))
    return Part(Member(column, Plan(main, (Output(column),), groups=(column,), having=many), cond.negated), cond)


def by_verb(resolver: Resolver, cond: Cond, tables: Sequence[str]) -> ColumnKey | None:
    """`earn less than 3000`: the only number that the verb before it may speak of; doubt, where it says nothing."""
    atoms = resolver.cut.atoms
    atom = atoms[cond.first - 1] if 0 < cond.first <= len(atoms) else None
    if atom is None or atom.cue is not Cue.LIGHT or atom.last - atom.first != 1:
        return None
    verb = resolver.cut.linked.tokens[atom.first].lemma
    found = [one for one, _ in resolver.catalog.vocabulary.found_columns((verb,), tables[:1], 3, _SPOKEN)]
    found = [one for one in found if resolver.catalog.is_measure(one)]
    resolver.doubt("a verb tells what is compared", 0.1 if len(found) == 1 else 0.4)
    return found[0] if len(found) == 1 else None
