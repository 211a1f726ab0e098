"""Defines which of several connections a question is about. One query runs on one connection."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import Interpretation
from resolvers.engines.nl2sql.schema_linking.link import link
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from resolvers.talk2data.answering.catalog_context import Ground
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.source import TableFacts

_NAMED: Final = re.compile(r"\s*in\s+(?P<name>[^:]{1,255}):\s*(?P<rest>\S.*)", re.IGNORECASE | re.DOTALL)
_WORD: Final = re.compile(r"[^\W_]+")
CLEARLY: Final = 1.25
"""How many times better than the next the best connection must fit."""
MOST_OFFERED: Final = 5
_NAMING: Final = (MentionKind.TABLE, MentionKind.COLUMN, MentionKind.VALUE, MentionKind.KNOWLEDGE)


@dataclass(frozen=True, slots=True)
class ChosenConnection:
    """The connection that a question is about, and the question without its name."""

    text: str
    ground: Ground | None
    message: str = ""
    """What is asked back when no connection fits best."""
    readings: tuple[Interpretation, ...] = ()


def chosen(text: str, grounds: Sequence[Ground], last: str | None, now: datetime) -> ChosenConnection:
    """The connection whose tables the words fit best; `last` is the one that the session has asked before.

    "In Sales: how many orders?" names one.
    """
    if (named := _NAMED.fullmatch(text)) is not None:
        name = named["name"].strip().casefold()
        by_name = [one for one in grounds if one.name.casefold() == name]
        if len(by_name) == 1:
            return ChosenConnection(named["rest"], by_name[0])
    if len(grounds) == 1:
        return ChosenConnection(text, grounds[0])
    words = {stem for word in _WORD.findall(text) for stem in _stems(word)}
    likely = sorted(grounds, key=lambda one: (-_fit(words, one), one.name))
    scored = sorted(
        ((_linked(text, one, now), one) for one in likely[:MOST_OFFERED]), key=lambda pair: (-pair[0], pair[1].name)
    )
    (best, ground), (second, _) = scored[:2]
    standing = next(((score, one) for score, one in scored if one.uri == last), None)
    if standing is not None and standing[0] * CLEARLY >= best:
        return ChosenConnection(text, standing[1])
    if best > 0 and best >= second * CLEARLY:
        return ChosenConnection(text, ground)
    offered = [one for score, one in scored if score > 0 or best == 0]
    called = [one.name.casefold() for one in offered]
    readings = tuple(
        Interpretation(
            f"In {one.name if called.count(one.name.casefold()) == 1 else one.uri}: {text.strip()}", uri=one.uri
        )
        for one in offered
    )
    return ChosenConnection(
        text, None, "Which data do you mean? The question may be about several connections.", readings
    )


def _linked(text: str, ground: Ground, now: datetime) -> float:
    """Return how many of the question's words the linker finds something for there, each by its best mention."""
    linked = link(text, Vocabulary.of(ground.knowledge), now)
    best: dict[int, float] = {}
    for one in linked.mentions:
        if one.kind in _NAMING:
            for at in range(one.first, one.last):
                best[at] = max(best.get(at, 0.0), one.score)
    return sum(best.values())


def _fit(words: set[str], ground: Ground) -> float:
    """Return how much of the question names something there: tables count most, then columns, then values."""
    told: dict[str, float] = {}
    for table in ground.knowledge.tables:
        for names, worth in _names(table, ground.knowledge.profiles.get(table.fqn)):
            for word in words & names:
                told[word] = max(told.get(word, 0.0), worth)
    return sum(told.values())


def _names(table: TableFacts, profile: TableProfile | None) -> Iterator[tuple[set[str], float]]:
    yield _stemmed(table.name, table.display_name or ""), 3.0
    for column in table.columns:
        yield _stemmed(column.name, column.display_name or ""), 1.5
    for measured in profile.columns if profile else ():
        yield _stemmed(*(value.value for value in measured.top_values)), 1.0


def _stemmed(*names: str) -> set[str]:
    return {stem for name in names for token in tokens_of(name) for stem in _stems(token)}


def _stems(word: str) -> set[str]:
    folded = word.casefold()
    if len(folded) < 3:
        return set()
    return {folded.removesuffix("es") if len(folded) > 4 else folded, folded.removesuffix("s"), folded}
