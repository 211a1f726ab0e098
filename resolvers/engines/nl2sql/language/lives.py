"""Words that tell of a birth or of a death."""

from collections.abc import Set
from typing import Final

_BIRTH: Final = frozenset(("birth", "born", "dob", "birthday", "bear"))
_DEATH: Final = frozenset(("death", "die", "dead", "deceased"))
BORN: Final = _BIRTH | _DEATH
"""Words of dates that tell of a life: nothing else happens then."""
ORIGIN: Final = frozenset(("come", "hail", "originate"))
"""Verbs of where somebody is from, which is where they were born."""


def of_life(said: Set[str]) -> Set[str]:
    """All words for a birth, where one of them is said or where somebody comes from, and the same of a death."""
    lives = ((_BIRTH, _BIRTH | ORIGIN), (_DEATH, _DEATH))
    return frozenset().union(*(words for words, saying in lives if said & saying))
