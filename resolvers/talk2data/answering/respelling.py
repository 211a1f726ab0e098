"""What becomes of a question with words that nothing stands for, and that are nearly words of the data's values.

A name that can only be one other is read as it, and the answer says so; what may be no name, or several, is asked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Final

from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    Drafter,
    Interpretation,
    Outcome,
    QueryDraft,
    Unanswerable,
)
from resolvers.talk2data.answering.catalog_context import Ground
from resolvers.talk2data.answering.drafting import modelled
from resolvers.talk2data.answering.near_values import MOST_NEAR, MOST_WORDS, may_be_misspelled
from resolvers.talk2data.answering.sanitizing import heard
from resolvers.talk2data.answering.value_lookup import Search

_BEFORE_VALUES: Final = frozenset(
    ("in", "from", "at", "of", "near", "to", "for", "by", "like", "is", "are", "named", "called", "equals", "not")
)
_QUOTES: Final = ('"', "'", "“", "`", "«")
MOST_SURE: Final = 0.5
"""How sure an answer is at most whose question was read otherwise than it was written."""


async def respelled(drafter: Drafter, asked: Asked, ground: Ground, without: Unanswerable, search: Search) -> Outcome:
    """The question with nearly the same words that the data have; the honest no where there are none."""
    words = list(dict.fromkeys(without.missing))
    if without.forbidden or not 0 < len(words) <= MOST_WORDS or not all(map(may_be_misspelled, words)):
        return without
    if not all(_is_name(word, asked.text) or _is_behind_preposition(word, asked.text) for word in words):
        return without
    near = await search.near(words)
    if near.keys() < set(words):
        return without
    texts = _texts(asked.text, words, near)
    if len(texts) > 1 or not all(_is_name(word, asked.text) for word in words):
        told = " and ".join(f"“{word}”" for word in words)
        readings = tuple(Interpretation(text) for text in texts)
        return Clarification(f"Nothing in the data is called {told}. Did you mean this?", readings)
    outcome = heard(await modelled(drafter.draft(replace(asked, text=texts[0]), ground.knowledge, search.lookup)))
    if not isinstance(outcome, QueryDraft):
        return without if isinstance(outcome, Unanswerable) else outcome
    read = " ".join(f"Read “{word}” as “{near[word][0]}”." for word in words)
    return replace(outcome, confidence=min(outcome.confidence, MOST_SURE), reading=f"{outcome.reading} {read}")


def _texts(question: str, words: Sequence[str], near: Mapping[str, Sequence[str]]) -> list[str]:
    """The question with each choice of words in the place of those that it has."""
    made = []
    for chosen in islice(product(*(near[word] for word in words)), MOST_NEAR):
        text = question
        for word, other in zip(words, chosen, strict=True):
            text = re.sub(rf"\b{re.escape(word)}\b", other, text, flags=re.IGNORECASE)  # letters alone
        made.append(text)
    return made


def _is_name(word: str, question: str) -> bool:
    """Return whether a question writes a word as a name: in quotes, or with a capital that begins no sentence."""
    found = re.search(rf"\b{re.escape(word)}\b", question, re.IGNORECASE)
    if found is None:
        return False
    before = question[: found.start()].rstrip()
    is_quoted = before[-1:] in _QUOTES
    return is_quoted or (found[0][:1].isupper() and bool(before) and before[-1] not in ".?!:")


def _is_behind_preposition(word: str, question: str) -> bool:
    """Return whether a word in small letters stands where a value does; elsewhere it is a word that is not known."""
    found = re.search(rf"\b(\w+) {re.escape(word)}\b", question, re.IGNORECASE)
    return found is not None and found[1].casefold() in _BEFORE_VALUES
