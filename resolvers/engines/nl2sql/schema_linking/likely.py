"""Defines which tables of a large catalog a question is likeliest about."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

MOST_TABLES: Final = 40
"""In a larger catalog, columns and values are looked for in the likeliest tables only, and what is tied to them."""
_RARE: Final = 4 * MOST_TABLES
"""The name of a column that more tables have says little."""

Spread = tuple[dict[str, float], float, float]
"""The tables in which a word is said, with how near it is; how near at best; and what it says that few have it."""


def likeliest(named: Mapping[str, float], said: Sequence[Spread], most: int) -> list[str]:
    """So many tables that a question is likeliest about, by what it names and by the words of columns.

    Words that are said in very many tables are left for the end: mostly they change nothing but the order.
    """
    rare = [found for found, _, _ in said if len(found) <= _RARE]
    some = set(named).union(*rare)
    common = sum(highest * rarity for found, highest, rarity in said if len(found) > _RARE)
    best = _scored(some, named, said)[:most]
    if common and (len(best) < most or -best[-1][0] <= common * (1 + 1e-9)):
        best = _scored(some.union(*(found for found, _, _ in said)), named, said)[:most]
    return [fqn for _, fqn in best]


def _scored(some: Collection[str], named: Mapping[str, float], said: Sequence[Spread]) -> list[tuple[float, str]]:
    """Some tables with what speaks for each, below zero, the likeliest first."""
    scores = {fqn: named.get(fqn, 0.0) for fqn in some}
    for found, _, rarity in said:
        for fqn in scores.keys() & found.keys():
            scores[fqn] += found[fqn] * rarity
    return sorted([(-score, fqn) for fqn, score in scores.items()])
