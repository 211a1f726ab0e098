"""What is so at present: `still works here`, `in hospital right now`, of rows that have an end."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Comparison, Condition, Operator, Plan, Related
from resolvers.engines.nl2sql.planner.parts import Part
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_NOW: Final = (("still",), ("right", "now"), ("at", "the", "moment"), ("at", "present"))
"""Words that say that something is so at present, and was perhaps not or will not be."""
_ENDED: Final = word_set(
    "end ended left leave return returned discharge discharged close closed finish finished terminate terminated "
    "resign resigned retire retired resolve resolved until to checkout departure"
)
"""Words of the times at which something ends."""
_STATES: Final = word_set("status state stat condition active current open")
_TAKEN: Final = 0.1
_UNTOLD: Final = 0.3


def at_present(resolver: Resolver, main: str, parts: Sequence[Part]) -> list[Condition]:
    """That rows have no end yet, where they are said to be so still; a doubt where nothing tells the end."""
    tokens = [token.text.lower() for token in resolver.cut.linked.tokens]
    runs = {tuple(tokens[at : at + len(said)]) for said in _NOW for at in range(len(tokens))}
    if runs.isdisjoint(_NOW):
        return []
    catalog = resolver.catalog
    said = {part.column for part in parts if part.column is not None}
    if any(_STATES & set(catalog.words(key)) or catalog.is_moment_like(key) for key in said):
        return []
    ends = [key for key in catalog.of(main) if _is_end(resolver, key)]
    below = [key for one in catalog.below(main) for key in catalog.of(one) if _is_end(resolver, key)]
    if not ends and len(below) == 1 and catalog.vocabulary.is_person(main):
        resolver.doubt("what has no end is taken to go on", _TAKEN)
        going_on = Comparison(as_column(below[0]), Operator.IS_NULL, ())
        return [Related(main, Plan(below[0].table, (), where=going_on))]
    if len(ends) != 1 or ends[0] in said:
        resolver.doubt("what is so still is asked for, and nothing tells until when", _UNTOLD)
        return []
    resolver.doubt("what has no end is taken to go on", _TAKEN)
    return [Comparison(as_column(ends[0]), Operator.IS_NULL, ())]


def _is_end(resolver: Resolver, key: ColumnKey) -> bool:
    catalog, profile = resolver.catalog, resolver.catalog.profile(key)
    sometimes = profile is None or profile.null_count is None or profile.null_count > 0
    return catalog.is_time(key) and bool(_ENDED & set(catalog.words(key))) and sometimes
