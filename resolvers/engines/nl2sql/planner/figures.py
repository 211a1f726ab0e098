"""Figures and numbers: words that may be a figure or a name, units behind a number, and none of something."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.lives import BORN
from resolvers.engines.nl2sql.language.measures import measures_of, scale
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.tokens import lemma_of
from resolvers.engines.nl2sql.language.words import AGGREGATES, TIME_NAMES
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Comparison, Condition, Either, Literal, Operator
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.denied import says_none
from resolvers.engines.nl2sql.planner.frame import Cond, Noun
from resolvers.engines.nl2sql.planner.operands import equal_to
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column


def split_aggregate(resolver: Resolver, noun: Noun) -> None:
    """`average attendance` may be the name of a column far away, or the average of one right here."""
    catalog, ref = resolver.catalog, noun.ref
    if ref is None or ref.last - ref.first < 2:
        return
    aggregate = AGGREGATES.get((resolver.cut.linked.tokens[ref.first].text.lower(),))
    if aggregate is None or aggregate is Aggregate.COUNT:
        return
    inner = Ref(ref.first + 1, ref.last, tuple(resolver.cut.linked.over(ref.first + 1, ref.last, MentionKind.COLUMN)))
    inner.mentions = tuple(one for one in inner.mentions if one.first == inner.first and one.last == inner.last)
    other = Noun(inner, noun.owner, noun.near)
    mine = max(resolver.column_options(noun).values(), default=-9.0)
    theirs = max(resolver.column_options(other, "number").values(), default=-9.0)
    key = resolver.column(noun)
    said = resolver.cut.linked.tokens[ref.first].lemma
    if key is not None and catalog.is_measure(key) and said not in key.column.lower() and theirs < mine:
        noun.aggregates = (aggregate,)  # the whole phrase names the column, which has no such word
    elif theirs > mine:
        noun.ref, noun.aggregates = inner, (aggregate,)


def measured_in(resolver: Resolver, values: Sequence[Ref], tables: Sequence[str]) -> ColumnKey | None:
    """The column that the unit behind a number speaks of: `above 2500 metres` of what is high; None without one."""
    tokens, catalog = resolver.cut.linked.tokens, resolver.catalog
    last = max((ref.last for ref in values), default=0)
    if not last or last >= len(tokens):
        return None
    unit = tokens[last].lemma
    named = measures_of(unit)
    for table in tables if named else ():
        fits = {
            key: 2 if unit in catalog.words(key) else 1
            for key in catalog.of(table)
            if catalog.is_measure(key) and not catalog.is_year(key) and named & set(catalog.words(key))
        }
        best = [key for key, fit in fits.items() if fit == max(fits.values())]
        if len(best) > 1:
            resolver.doubt("several columns are measured in that unit", 0.3)
        if best:
            if not _is_told_in(catalog, best[0], unit) and _told_elsewhere(catalog, unit, best[0]):
                resolver.doubt("another column is measured in that unit", 0.3)
            return best[0]
    return None


def _is_told_in(catalog: Catalog, key: ColumnKey, unit: str) -> bool:
    """Return whether a column is called after a unit, or after another of what that measures: `vol_ml`, of litres."""
    words = catalog.words(key)
    return unit in words or scale(unit, words) is not None


def _told_elsewhere(catalog: Catalog, unit: str, column: ColumnKey) -> bool:
    """Return whether a column of a table that is tied to this one's is called after the unit of a number."""
    tables = {table for key in catalog.joins.keys_of(column.table) for table in (key.table, key.to)}
    return any(
        catalog.is_measure(key) and _is_told_in(catalog, key, unit) for table in tables for key in catalog.of(table)
    )


def says_an_amount(resolver: Resolver, ref: Ref) -> bool:
    """Return whether what stands before a number is said of amounts alone, so that it is no year: `under 1500`."""
    before = resolver.cut.linked.tokens[max(0, ref.first - 1) : ref.first]
    is_number = any(one.values and one.values[0].kind == "number" for one in ref.literals)
    return is_number and any(token.text.lower() in _OF_AMOUNTS for token in before)


_OF_AMOUNTS: Final = word_set("over under above below beneath exceeding exceed exceeds least most")
"""What is said of amounts alone, and of no times."""


def only_number(resolver: Resolver, tables: Sequence[str]) -> ColumnKey | None:
    """The column that a number is compared with when none is named: the only one of the first table that measures."""
    catalog = resolver.catalog
    for table in tables[:1]:
        numbers = [key for key in catalog.of(table) if catalog.is_measure(key) and not catalog.is_year(key)]
        numbers = [key for key in numbers if catalog.vocabulary.flag(key) is None]
        if len(numbers) == 1:
            resolver.doubt("the only number is taken", 0.1)
            return numbers[0]
        amounts = [key for key in numbers if _PAID & set(catalog.words(key))]
        if len(amounts) == 1:
            resolver.doubt("a number of nothing is taken for an amount of money", 0.25)
            return amounts[0]
    return None


def none_of(resolver: Resolver, column: ColumnKey) -> Condition:
    """That a row has none of what a column tells: it is empty, says so, or is 0 where a number is never left out."""
    profile = resolver.catalog.profile(column)
    if resolver.catalog.is_measure(column):
        if profile is not None and profile.null_count == 0:
            return Comparison(as_column(column), Operator.EQUAL, (Literal("number", Decimal(0)),))
        resolver.doubt("none may be said by nothing or by 0", 0.3)
    elif (flag := resolver.catalog.vocabulary.flag(column)) is not None:
        return Comparison(as_column(column), Operator.EQUAL, (flag[0],), True)  # huts without a shower
    empty = Comparison(as_column(column), Operator.IS_NULL, ())
    said = _said_none(resolver.catalog, column)
    if not said:
        if profile is not None and profile.row_count and profile.null_count == 0:
            resolver.doubt("no row is without one", _NEVER_NONE)
        return empty
    none = equal_to(as_column(column), said)
    return none if profile is not None and profile.null_count == 0 else Either((none, empty))


def _said_none(catalog: Catalog, column: ColumnKey) -> tuple[Literal, ...]:
    """The values by which a column of words says that there is none: `None`, and `no damage` of a damage."""
    profile = catalog.profile(column) if catalog.is_text(column) else None
    if profile is None or profile.masked:
        return ()
    own = set(catalog.words(column))
    return tuple(
        Literal("text", one.value)
        for one in profile.top_values
        if says_none(one.value) and set(map(lemma_of, one.value.lower().split()[1:])) <= own
    )


_PAID: Final = word_set("price cost fee rent salary amount fare charge wage pay premium toll")
"""Words of columns that tell amounts of money."""
_NEVER_NONE: Final = 0.4
"""What is doubted where rows without something are asked for, and no row of the profile is so."""


def is_when(resolver: Resolver, cond: Cond, column: ColumnKey) -> bool:
    """Return whether `in 2018` tells when, rather than what an amount before it is equal to."""
    catalog, ref = resolver.catalog, cond.values[0] if len(cond.values) == 1 else None
    if ref is None or cond.operator is not Operator.EQUAL or catalog.is_year(column):
        return False
    cannot = catalog.is_text(column) and not resolver.may_hold(column, resolver.text(ref))
    if not (cannot or catalog.is_measure(column) or (catalog.is_number(column) and catalog.is_key(column))):
        return False
    dated = any(one.values and one.values[0].kind == "date" for one in ref.literals)
    return dated and resolver.cut.linked.words(max(0, ref.first - 1), ref.first) in (["in"], ["during"])


def when_counted(
    resolver: Resolver, ref: Ref, main: str, counted: Sequence[str], *, figured: bool = False
) -> ColumnKey | None:
    """The column that tells when in the rows that a figure is made of, where a time is said of the figure.

    It is where it stands behind the amount (`spent the most in 2010`), and where the rows asked for tell no time but
    that of their beginning. A word before the time that names a column of the main table's says otherwise. `figured`
    says that the figure asked for is one of the main table's rows (`how many orders did each employee handle in
    2010`): then the time is theirs, unless words before it name a time of another table, or tell it of another's rows.
    """
    catalog = resolver.catalog
    before = {token.text.lower() for token in resolver.cut.linked.tokens[max(0, ref.first - _BEHIND) : ref.first]}
    before |= set(resolver.cut.linked.words(max(0, ref.first - _BEHIND), ref.first))
    own = [key for key in catalog.of(main) if catalog.is_moment_like(key)]
    if figured and any(not BORN & set(catalog.words(key)) for key in own):
        named = {
            word
            for table in resolver.mentioned()
            for key in catalog.of(table)
            if table != main and catalog.is_moment_like(key)
            for word in catalog.words(key)
        }
        elsewhere = before & (named - TIME_NAMES) or _is_told_of_another(resolver, ref, main)
        return None if elsewhere else resolver.time_column([main], hint=before, year=True)
    if not counted or any(before & (set(catalog.words(key)) - TIME_NAMES) for key in own):
        return None
    if not before & _MOST and any(not BORN & set(catalog.words(key)) for key in own):
        return None
    return resolver.time_column(counted, year=True) or when_of_rows(resolver, counted[0])


def _is_told_of_another(resolver: Resolver, ref: Ref, main: str) -> bool:
    """Return whether a verb right behind the name of another table says when of its rows: `trips by vans built in
    2010`.
    """
    catalog = resolver.catalog
    told = [atom for atom in resolver.cut.atoms if atom.last <= ref.first]
    while told and told[-1].is_(Cue.PREPOSITION, Cue.COMPARE, Cue.FROM):
        told.pop()
    if len(told) < 3 or not told[-1].may_be_verb or not told[-3].is_(*_LEADING):
        return False
    table = resolver.table(told[-2].ref) if not told[-2].verbal else None
    times = [key for key in catalog.of(table) if catalog.is_moment_like(key)] if table not in (None, main) else []
    return any(not BORN & set(catalog.words(key)) for key in times)


_LEADING: Final = (Cue.BY, Cue.OF, Cue.WITH, Cue.PREPOSITION, Cue.FROM, Cue.TO)
"""What leads from a noun to one that is told more of."""
_BEHIND: Final = 3
"""Words before a time in which an amount may be said."""
_MOST: Final = word_set("most least fewest highest lowest")


def when_farther(resolver: Resolver, main: str) -> ColumnKey | None:
    """The column that tells when in the nearest table that has one, where none of those named does."""
    around = resolver.catalog.distances(main)
    resolver.doubt("when is told farther away", 0.2)
    return resolver.time_column(sorted(around, key=lambda one: (around[one], one)))


def when_of_rows(resolver: Resolver, table: str) -> ColumnKey | None:
    """The column that tells when, of the nearest table that each row of one belongs to: for a line, of its order."""
    catalog = resolver.catalog
    around = catalog.distances(table)
    above = sorted((one for one in around if one != table and catalog.refers(table, one)), key=lambda one: around[one])
    if above:
        resolver.doubt("when is told farther away", 0.1)
    return resolver.time_column(above)


def may_equal(catalog: Catalog, column: ColumnKey, ref: Ref) -> bool:
    """Return whether a column that a verb suggests can hold a value."""
    kinds = {one.values[0].kind for one in ref.literals if one.values}
    if kinds & {"date", "moment"} or ref.recurs:
        return catalog.is_moment_like(column)
    return "number" not in kinds or catalog.is_measure(column)
