"""What a verb further on says of a noun: `the year they were formed`, `the country where they were born`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.verbs import VERBS, is_participle
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
    if len(apart) < len(linked.mentions):
        linked = replace(linked, mentions=tuple(apart))
    told = {(noun.first, noun.last): noun for noun in _told(linked)}
    if not told:
        return linked
    kept = []
    for one in linked.mentions:
        span = (one.first, one.last)
        if span in told and one.kind is MentionKind.COLUMN:
            mine = one.column == told[span].column
            one = one._replace(score=1.0 if mine else min(one.score, _ALMOST))
        kept.append(one)
    return replace(linked, mentions=tuple(kept))


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


def _told(linked: Linked) -> Iterator[Mention]:
    """For each such noun the mention of the column that its verb speaks of."""
    columns = [one for one in linked.mentions if one.kind is MentionKind.COLUMN and one.column is not None]
    verbs = {last: verb for last in {one.last for one in columns} if (verb := _verb(linked, last)) is not None}
    if not verbs:
        return
    named = {(one.first, one.last) for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= 0.8}
    best: dict[tuple[int, int], float] = {}
    for one in columns:
        span = (one.first, one.last)
        best[span] = max(one.score, best.get(span, 0.0))
    for noun in columns:
        span = (noun.first, noun.last)
        temporal = linked.words(*span) in (["year"], ["date"], ["day"], ["month"])
        least, spoken = (_SPOKEN, _NAMED) if temporal and noun.score < _NAMED else (_NAMED, _SPOKEN)
        if noun.score < least or span in named or noun.score >= best[span]:
            continue
        verb = verbs.get(noun.last)
        if verb is not None and any(
            one.first == verb and one.score >= spoken and one.column == noun.column for one in columns
        ):
            yield noun


def _verb(linked: Linked, after: int) -> int | None:
    """Where the verb of a clause stands that begins there, in the passive."""
    words = [token.text.lower() for token in linked.tokens[after : after + _FARTHEST]]
    if not words or words[0] not in _BEGINS:
        return None
    passive = False
    for at, word in enumerate(words):
        if word in (",", "and", "or", "."):
            return None
        lemma = linked.tokens[after + at].lemma
        if passive and (word.endswith("ed") or lemma in VERBS or word == "born"):
            return after + at
        passive = passive or word in _PASSIVE
    return None
