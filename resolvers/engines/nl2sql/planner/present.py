"""What is so at present: `still works here`, `in hospital right now`, `active members`, of rows that have an end."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.mention import Linked
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Comparison, Condition, Operator, Plan, Related
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.parts import Part
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_NOW: Final = (("still",), ("right", "now"), ("at", "the", "moment"), ("at", "present"))
"""Words that say that something is so at present, and was perhaps not or will not be."""
_ENDED: Final = word_set(
    "end ended left leave return returned discharge discharged close closed finish finished terminate terminated "
    "resign resigned retire retired resolve resolved until to checkout departure"
)
"""Words of the times at which something ends."""
_ACTIVE: Final = frozenset(("active", "current", "existing"))
"""Words before rows that say that they go on."""
_KNOWN: Final = 0.6
"""How well something must be called by words for them to be known."""
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
    ends = [key for key in catalog.of(main) if _is_end(catalog, key)]
    below = [key for one in catalog.below(main) for key in catalog.of(one) if _is_end(catalog, key)]
    if not ends and len(below) == 1 and catalog.vocabulary.is_person(main):
        resolver.doubt("what has no end is taken to go on", _TAKEN)
        going_on = Comparison(as_column(below[0]), Operator.IS_NULL, ())
        return [Related(main, Plan(below[0].table, (), where=going_on))]
    if len(ends) != 1 or ends[0] in said:
        resolver.doubt("what is so still is asked for, and nothing tells until when", _UNTOLD)
        return []
    resolver.doubt("what has no end is taken to go on", _TAKEN)
    return [Comparison(as_column(ends[0]), Operator.IS_NULL, ())]


def going_on(linked: Linked, catalog: Catalog) -> str | None:
    """The question with `active members` as members right now, where they have an end and nothing says their state."""
    tokens = linked.tokens
    known = {at for one in linked.mentions if one.score >= _KNOWN for at in range(one.first, one.last)}
    for one in linked.mentions:
        at = one.first - 1
        if one.table is None or one.score < _KNOWN or at < 0 or at in known or tokens[at].text.lower() not in _ACTIVE:
            continue
        columns = catalog.of(one.table)
        ends = [key for key in columns if _is_end(catalog, key)]
        if len(ends) == 1 and not any(_STATES & set(catalog.words(key)) for key in columns):
            rows = linked.text[tokens[one.first].start : tokens[one.last - 1].end]
            return f"{linked.text[: tokens[at].start]}{rows} right now{linked.text[tokens[one.last - 1].end :]}"
    return None


def _is_end(catalog: Catalog, key: ColumnKey) -> bool:
    profile = catalog.profile(key)
    sometimes = profile is None or profile.null_count is None or profile.null_count > 0
    return catalog.is_time(key) and bool(_ENDED & set(catalog.words(key))) and sometimes
