"""Things that two columns name, each in its way: the number of a shop and its name.

Where a number and a name come with one another and with nothing else, a row that has both is of that thing. Of two
errors at once they would be, if others in the same town had another shop: so what such others have tells nothing.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from resolvers.engines.error_detection.dependencies import Votes
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 8
"""Things, at least, that both columns name."""
STRONG: Final = 0.85
"""The strength from which one column names what the other does."""
OFTENER: Final = 3
"""How many times as often a value of one row comes with another such, at least, for things of one row to be usual."""


def twofold(table: Sequence[TableColumn], votes: Sequence[Votes]) -> dict[tuple[int, int], set[int]]:
    """For each column and code of a thing with two names, the columns of its other names."""
    strong = {
        (one.dependency.determinant, one.dependency.dependent) for one in votes if one.dependency.strength >= STRONG
    }
    found: dict[tuple[int, int], set[int]] = {}
    for a, b in strong:
        if a > b or (b, a) not in strong or max(a, b) >= len(table):
            continue
        left, right = table[a], table[b]
        pairs = Counter(zip(left.codes, right.codes, strict=True))
        whole = [
            pair
            for pair, count in pairs.items()
            if MISSING not in pair and count == left.counts[pair[0]] == right.counts[pair[1]]
        ]
        single = sum(pairs[pair] == 1 for pair in whole)
        alone = sum(1 for count in left.counts[1:] if count == 1) + sum(1 for count in right.counts[1:] if count == 1)
        are_usual = single >= OFTENER * (alone - 2 * single)
        kept = [pair for pair in whole if pairs[pair] > 1 or are_usual]
        for one, other in kept if len(kept) >= FEWEST else ():
            found.setdefault((a, one), set()).add(b)
            found.setdefault((b, other), set()).add(a)
    return found
