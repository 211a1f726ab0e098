"""What is won and lost: `won more than 90 games` is said of wins, however many games there were."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.language.verbs import CONTESTS, OUTCOMES
from resolvers.engines.nl2sql.language.words import DOING
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind, Token

_COUNTED: Final = 0.9
"""How well a column must fit the verb to be what is counted."""
_FAR: Final = 5
"""How many words may stand between: `won at least as many as 90 games`."""


def with_outcomes(linked: Linked) -> Linked:
    """The mentions with the contests behind a verb linked to what the verb counts, where a column is called so."""
    tokens = linked.tokens
    moved: list[Mention] = []
    verbs, contests = set(), set()
    for at, token in enumerate(tokens):
        if token.lemma not in OUTCOMES or (token.is_lemma and not _is_asked(tokens, at)):
            continue
        ahead = range(at + 1, min(at + 1 + _FAR, len(tokens)))
        near = ahead if not token.is_lemma else range(at - 1, -1, -1)  # how many games did the Cubs win
        behind = next((one for one in near if tokens[one].lemma in CONTESTS), None)
        columns = [one for one in linked.mentions if _counts(one, at)]
        named = behind is not None and any(_is_table(one, behind) for one in linked.mentions)
        if behind is None or not columns or named:
            continue
        verbs.add(at + 1)
        contests.add((behind, behind + 1))
        moved += [one._replace(first=behind, last=behind + 1) for one in columns]
    if not moved:
        return linked
    kept = [one for one in linked.mentions if (one.first, one.last) not in contests]
    kept = [one for one in kept if one.kind is not MentionKind.COLUMN or one.last not in verbs]
    return replace(linked, mentions=(*kept, *moved))


def _is_asked(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a verb stands behind `did`, and what it is said of before that."""
    return any(one.text.lower() in DOING for one in tokens[max(0, at - _FAR) : at])


def _counts(one: Mention, at: int) -> bool:
    """Return whether a column is called by a verb, or by the verb and who does it: `managers won`."""
    return one.kind is MentionKind.COLUMN and one.last == at + 1 and one.score >= _COUNTED


def _is_table(one: Mention, at: int) -> bool:
    """Return whether rows are contests, which are counted themselves."""
    return one.kind is MentionKind.TABLE and (one.first, one.last) == (at, at + 1) and one.score >= _COUNTED
