"""What a finished plan shows, held against what the question asks to see."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.nl2sql.language.forms import SYNONYM, related
from resolvers.engines.nl2sql.language.lives import of_life
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.verbs import VERBS, is_kin
from resolvers.engines.nl2sql.language.words import TIME_NAMES, UNITS
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Column, Comparison, Figure, Operator, Plan, Term
from resolvers.engines.nl2sql.planner.items import Item
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, figures_in, parts_of

_SAYING_LITTLE: Final = frozenset(
    ("be", "have", "do", "take", "place", "happen", "occur", "get", "make", "go", "come", "hold", "show", "list", "see",
     "use", "play", "run", "perform", "appear", "attend", "last", "date")
)  # fmt: skip
"""Verbs that may be said of anything that happens."""
_STEM: Final = 5
_ABOUT: Final = ("on", "about", "upon", "for", "at", "to", "with")
"""Words that a question for what something is about ends in."""


def doubt_shown(resolver: Resolver, items: Sequence[Item], plan: Plan) -> None:
    """Doubts a plan that shows nothing new, no time where one is asked for, or averages of one row each."""
    _doubt_nothing_new(resolver, items, plan)
    _doubt_time(resolver, plan)
    _doubt_averages(resolver, plan)


def _doubt_nothing_new(resolver: Resolver, items: Sequence[Item], plan: Plan) -> None:
    """Doubts a plan that only shows what the question says already: the name of the one named so."""
    catalog = resolver.catalog
    equal = [
        one.left
        for one in parts_of(plan.where)
        if isinstance(one, Comparison) and one.operator is Operator.EQUAL and not one.negated
    ]
    counted = [item.counted for item in items if item.counted is not None and item.table == item.counted]
    for column in equal if len(counted) == len(items) and not plan.groups else ():
        if not isinstance(column, Column) or column.instance:  # the row above is named
            continue
        key = ColumnKey(column.table, column.column)
        if key in catalog.names(counted[0]) and catalog.is_unique(key):
            resolver.doubt("rows of one name are counted, of which there is one", 0.5)
    if plan.combined is None and all(output.term in equal for output in plan.outputs):
        resolver.doubt("what is shown is what was said", 0.5)
    elif _ends_in_what_about(resolver, plan):
        resolver.doubt("what was said of something is shown, and not of what", 0.3)
    elif all(item.entity is not None and resolver.does_what_is_asked(item.noun.ref) for item in items):
        resolver.doubt("who did something is shown, and not what", 0.5)


def _ends_in_what_about(resolver: Resolver, plan: Plan) -> bool:
    """`What did Ann comment on`: not the comments are asked for, but what they are about."""
    tokens = [token for token in resolver.cut.linked.tokens if token.text not in (".", "?", "!")]
    if len(tokens) < 4 or tokens[0].lemma != "what" or tokens[1].lemma != "do" or tokens[-1].text not in _ABOUT:
        return False
    verb = root_of(tokens[-2].lemma)
    shown = [column for output in plan.outputs for column in columns_in(output.term)]
    keys = [ColumnKey(one.table, one.column) for one in shown]
    return any(verb in map(root_of, resolver.catalog.words(key)) for key in keys)


def _doubt_time(resolver: Resolver, plan: Plan) -> None:
    """Doubts a plan that shows no time where one is asked for, or another than the verb tells of."""
    said = [token.text.lower() for token in resolver.cut.linked.tokens[:3]]
    asks = said[:1] == ["when"] or (said[:2] in (["on", "which"], ["in", "which"]) and said[-1] in UNITS)
    terms = [output.term for output in plan.outputs]
    if not asks or not any(any(True for _ in columns_in(term)) for term in terms):
        return
    told = {ColumnKey(one.table, one.column) for term in terms if _tells_itself(term) for one in columns_in(term)}
    if not any(map(resolver.catalog.is_moment_like, told)):
        resolver.doubt("a time is asked for, and none is shown", 0.5)
    elif _names_another_time(resolver, told):
        resolver.doubt("the verb tells of another time beside the one shown", 0.3)
    elif _tells_of_something_else(resolver, told):
        resolver.doubt("the time that is shown is that of something else", 0.3)


def _tells_itself(term: Term) -> bool:
    """Return whether a term shows values of its columns: those themselves, or the first or last of them."""
    if isinstance(term, Figure):
        return term.aggregate in (Aggregate.MIN, Aggregate.MAX)
    return not any(True for _ in figures_in(term))


def _names_another_time(resolver: Resolver, shown: set[ColumnKey]) -> bool:
    """Return whether a verb speaks of a time of a table beside, and of none that is shown: when was it
    first observed.
    """
    catalog, tokens = resolver.catalog, resolver.cut.linked.tokens
    done = {root_of(one.lemma) for one in tokens if one.text.lower() not in (one.lemma, f"{one.lemma}s")}
    done -= {root_of(word) for word in ("be", "have", "do")}
    beside = {one for key in shown for one in (key.table, *catalog.links.get(key.table, ()))}
    times = [key for table in beside for key in catalog.of(table) if catalog.is_moment_like(key)]
    fits = {key for key in times if done & set(map(root_of, catalog.words(key)))}
    return bool(fits) and not fits & shown


def _tells_of_something_else(resolver: Resolver, shown: set[ColumnKey]) -> bool:
    """Return whether a verb is said, and the times that are shown are called by words that have nothing to do
    with it.
    """
    catalog, tokens = resolver.catalog, resolver.cut.linked.tokens
    verbs = {one.lemma for one in tokens if one.lemma in VERBS and one.lemma not in _SAYING_LITTLE and not one.quoted}
    verbs |= of_life(verbs)
    meant = verbs | {other for verb in verbs for other, near in related(verb) if near >= SYNONYM}
    roots = set(map(root_of, meant))
    for key in shown:
        own = set(catalog.words(key)) - TIME_NAMES - set(catalog.table_words(key.table))
        alike = any(is_kin(verb, word) for verb in verbs for word in own)
        if not verbs or not own or alike or roots & set(map(root_of, own)) or of_life(own) & of_life(verbs):
            return False
        if any(len(root) >= _STEM and word.startswith(root[:_STEM]) for root in roots for word in own):
            return False
    return bool(shown)


def _doubt_averages(resolver: Resolver, plan: Plan) -> None:
    """Doubts averages of one row each, where the average of all rows may be meant, and figures of one value each."""
    catalog = resolver.catalog
    keys = {ColumnKey(one.table, one.column) for one in plan.groups if isinstance(one, Column)}
    single = {key.table for key in keys if catalog.key(key.table) == key}
    beside = [one for one in catalog.keys if one.to in single and one.columns == catalog.joins.key(one.table)]
    single |= {one.table for one in beside}
    figures = [figure for output in plan.outputs for figure in figures_in(output.term)]
    valued = [set(columns_in(one)) for one in figures if one.of is not None and one.aggregate is not Aggregate.COUNT]
    if any(columns and columns <= set(plan.groups) for columns in valued):
        resolver.doubt("a figure is of what it is grouped by", 0.6)
    averaged = [column for one in figures if one.aggregate is Aggregate.AVG for column in columns_in(one)]
    if any(column.table in single for column in averaged):
        resolver.doubt("averages are taken of one row each", 0.4)
