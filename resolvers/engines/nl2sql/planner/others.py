"""Other rows of the same: `which other plants are of the same family as the rose`, the rose itself left out."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.nl2sql.plan import Comparison, Operator
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.parts import Part
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_OTHERS: Final = frozenset(("other", "others", "another", "else"))


def others(resolver: Resolver, found: Sequence[Part], main: str) -> Part | None:
    """That the row which others are likened to is none of them; None where nothing says `other`, or no row is named."""
    tokens, frame = resolver.cut.linked.tokens, resolver.frame
    if not any(token.text.lower() in _OTHERS for token in tokens):
        return None
    for part in found:
        nest = part.cond.nest
        if nest is None or nest.aggregate is not None or part.cond.operator is not Operator.EQUAL or part.cond.negated:
            continue
        named = [resolver.value(ref, cond.near) for cond in nest.conditions for ref in cond.values[:1]]
        if len(named) != 1 or named[0] is None or named[0][0] not in resolver.catalog.names(main):
            continue
        for spans in (frame.modifiers, frame.unknown, frame.loose):
            spans[:] = [one for one in spans if tokens[one[0]].text.lower() not in _OTHERS]
        column, values = named[0]
        other = Comparison(as_column(column), Operator.EQUAL, values[:1], True)
        return Part(other, Cond("compare", part.cond.first, negated=True), column)
    return None
