"""What a verb further on says of a noun: `the year they were formed`, `the country where they were born`."""

from dataclasses import replace
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.verbs import is_participle
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind

_BEGINS: Final = word_set("where when that which in on they it he she the each every a an was were is are")
"""How what is said of a noun begins, right behind it."""
_PASSIVE: Final = word_set("was were is are been be got did")
_COMPARES: Final = word_set("before after since until between by than in during")
"""What a verb compares its moment or its figure with."""
_FARTHEST: Final = 8
"""Tokens between a noun and its verb at most."""
_NAMED: Final = 0.75
"""How well a noun fits a column of which it is a word."""
_ALMOST: Final = 0.85
"""How well other columns fit a noun that a verb gives to one."""
_SPOKEN: Final = 0.55


def with_told(linked: Linked) -> Linked:
    """The mentions, where a noun and its verb together name one column, and none of a noun with what is told of it."""
    ends = _told_before(linked)
    apart = [one for one in linked.mentions if not (one.last in ends and _is_told(one, linked))]
    return replace(linked, mentions=tuple(apart)) if len(apart) < len(linked.mentions) else linked


def _told_before(linked: Linked) -> set[int]:
    """Where something is compared right behind a participle: `born | before 1970`."""
    tokens = linked.tokens
    compared = (at for at in range(2, len(tokens) - 1) if tokens[at].lemma in _COMPARES)
    return {at for at in compared if is_participle(tokens[at - 1].text.lower())}


def _is_told(one: Mention, linked: Linked) -> bool:
    """Return whether a column is `candidates born`, and `before 1970` follows: the candidates are asked for."""
    if one.kind is not MentionKind.COLUMN or one.last - one.first < 2:
        return False
    return any(
        other.kind is MentionKind.TABLE and (other.first, other.last) == (one.first, one.last - 1)
        for other in linked.mentions
    )
