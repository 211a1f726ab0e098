"""Finds what is called by some words, without a scan: postings of words, of their roots and of what is written in one
piece. An entity is a number; it may be called in several ways.

Many entities of a catalog are called alike: every table has its `id` and its `name`. So a form is kept once with all
that bear it, and scored once for all of them.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz, process

from resolvers.engines.nl2sql.language.forms import SAME_ROOT, Form, related, same_root, squeezed, weight_of

IN_ONE_PIECE: Final = 0.97
ABBREVIATED: Final = 0.75
MISSPELLED: Final = 0.85
"""How near words are that differ in spaces only, that shorten one another, and that are misspelled."""
_LEAST_ALIKE: Final = 82
_MOST_WORDS_KEPT: Final = 4_000
_LEAST: Final = 0.2
"""Scores up to here are none."""
_HALF: Final = 1.5
"""The power of the part that was said: half of a name is worth less than half."""
_FEW: Final = 64
"""Up to so many entities are filtered one by one."""


@dataclass(frozen=True, slots=True)
class Found:
    """How well an entity is called by the words."""

    score: float
    how: str
    memory: str | None = None


Hits = dict[int, tuple[float, int, bool]]
"""Of one word: the forms that it occurs in, each with how near, at which of its words, and whether by a guess."""
_Group = tuple[float, Found, Sequence[int]]
"""Entities that are called equally well, in their order, with their score."""


class Index:
    """Forms of entities by their words."""

    def __init__(self, unsaid: float) -> None:
        """`unsaid` is what a form is worth of whose words hardly any was said."""
        self._unsaid = unsaid
        self.forms: list[Form] = []
        self._numbers: dict[Form, int] = {}
        self._bearers: list[list[int]] = []
        self._sums: list[float] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._roots: dict[str, set[str]] = {}
        self._pieces: dict[str, dict[int, list[int]]] = {}
        self._contexts: list[frozenset[str]] = []
        self._last = (0, 0)
        self._hits: dict[str, Hits] = {}
        self.synonyms: dict[str, dict[str, float]] = {}
        """Words that people noted as standing for others."""

    def add(self, entity: int, form: Form) -> None:
        """Another way to call an entity."""
        at = self._numbers.get(form)
        if at is None:
            at = self._numbers[form] = len(self.forms)
            self.forms.append(form)
            self._bearers.append([])
            self._sums.append(sum(form.weights) or 1.0)
            for place, word in enumerate(form.words):
                posting = self._postings.get(word)
                if posting is None:
                    self._postings[word] = [(at, place)]
                    self._roots.setdefault(same_root(word), set()).add(word)
                else:
                    posting.append((at, place))
            self._hits.clear()
        _note(self._bearers[at], entity)
        if form.how != "description":
            self._add_piece(squeezed(form.words), at, entity)
            said = [word for word, weight in zip(form.words, form.weights, strict=True) if weight > 0]
            if 0 < len(said) < len(form.words):
                self._add_piece(squeezed(said), at, entity)
        self._last = (at, entity)

    def add_piece(self, name: str) -> None:
        """The entity added last is also found by its form's name as it stands: `stuid`."""
        self._add_piece(squeezed(sign for sign in name.lower() if sign.isalnum()), *self._last)

    def _add_piece(self, piece: str, at: int, entity: int) -> None:
        _note(self._pieces.setdefault(piece, {}).setdefault(at, []), entity)

    def put_beside(self, entities: int, words: Iterable[str]) -> None:
        """Words that may be said with the next so many entities: those of their table."""
        self._contexts += [frozenset(words)] * entities

    def bearers(self, at: int) -> Sequence[int]:
        """The entities that are called by a form."""
        return self._bearers[at]

    def __contains__(self, word: str) -> bool:
        return word in self._postings

    def near(self, word: str) -> dict[str, float]:
        """The words of the index that a word may stand for, with how near each is."""
        found = {other: near for other, near in related(word) if other in self._postings}
        for other in self._roots.get(same_root(word), ()):
            found[other] = max(found.get(other, 0.0), SAME_ROOT)
        for other, near in self.synonyms.get(word, {}).items():
            if other in self._postings:
                found[other] = max(found.get(other, 0.0), near)
        if word in self._postings:
            found[word] = 1.0
        return found

    def _guessed(self, word: str) -> dict[str, float]:
        """For a word that is found nowhere: what it shortens or is shortened to, or is a misspelling of."""
        if len(word) < 4 or not word.isalpha():
            return {}
        found = {
            other: ABBREVIATED
            for other in self._postings
            if len(other) > 2 and other != word and _shortens(other, word)
        }
        limit = _LEAST_ALIKE + (6 if len(word) < 6 else 0)
        for other, alike, _ in process.extract(
            word, self._postings.keys(), scorer=fuzz.ratio, score_cutoff=limit, limit=4
        ):
            if len(other) > 3 and other[0] == word[0]:
                found[other] = max(found.get(other, 0.0), MISSPELLED * alike / 100)
        return found

    def hits(self, word: str) -> Hits:
        """Where a word occurs, or what it may stand for."""
        known = self._hits.get(word)
        if known is not None:
            return known
        near, guessed = self.near(word), False
        if not near:
            near, guessed = self._guessed(word), True
        found: Hits = {}
        for other, sure in near.items():
            for at, place in self._postings[other]:
                if at not in found or found[at][0] < sure:
                    found[at] = (sure, place, guessed)
        if len(self._hits) > _MOST_WORDS_KEPT:
            self._hits.clear()
        self._hits[word] = found
        return found

    def search(
        self, words: Sequence[str], scope: "Scope | None" = None, most: int | None = None, least: float = 0.0
    ) -> list[tuple[int, Found]]:
        """The entities that are called so, best first, then by number: so many at most, and none of a lower score."""
        if not words:
            return []
        groups = [*self._by_words(words, scope, least), *self._in_one_piece(words, scope, least)]
        return _merged(groups, most)

    def _by_words(self, words: Sequence[str], scope: "Scope | None", least: float) -> Iterator[_Group]:
        each = [self.hits(word) for word in words]
        weights = [weight_of(word) for word in words]
        total = sum(weights)
        said: dict[int, float] = {}
        for hits, weight in zip(each, weights, strict=True):
            for at, hit in hits.items():
                said[at] = said.get(at, 0.0) + weight * hit[0]
        for at, enough in said.items():
            bearers = self._bearers[at] if scope is None else scope.bearers(at, self._bearers[at])
            worth, how = self._worth(at, each) if bearers else (0.0, "")
            if worth < least or worth <= _LEAST:
                continue
            memory = self.forms[at].memory
            score = worth * (enough / total) ** _HALF
            if score > _LEAST and score >= least:
                yield score, Found(score, how, memory), bearers
            for more, entities in self._beside(at, words, weights, each, bearers).items() if self._contexts else ():
                score = worth * ((enough + more) / total) ** _HALF
                if score > _LEAST and score >= least:
                    yield score, Found(score, how, memory), entities

    def _worth(self, at: int, each: Sequence[Hits]) -> tuple[float, str]:
        """What a form is worth when every word is said of those that it has in common with the words, and how."""
        form = self.forms[at]
        covered = 0.0
        places: set[int] = set()
        guessed = own = False
        for hits in each:
            hit = hits.get(at)
            if hit is not None:
                _, place, is_guess = hit
                guessed = guessed or is_guess
                if place not in places:
                    places.add(place)
                    covered += form.weights[place]
                    own = own or form.weights[place] > 0
        if not own:
            return 0.0, ""
        whole = covered / self._sums[at] if form.how != "description" else 1.0
        return form.score * (self._unsaid + (1 - self._unsaid) * whole), "fuzzy" if guessed else form.how

    def _beside(
        self, at: int, words: Sequence[str], weights: Sequence[float], each: Sequence[Hits], bearers: Sequence[int]
    ) -> dict[float, list[int]]:
        """The bearers of a form whose table says other words, by how much that adds to what was said."""
        found: dict[float, list[int]] = {}
        missing = [(word, weight) for word, weight, hits in zip(words, weights, each, strict=True) if at not in hits]
        for entity in bearers if missing else ():
            context, more = self._contexts[entity], 0.0
            for word, weight in missing:
                if word in context:  # of a table of two words, one says half
                    more += weight * (0.5 + 0.5 / len(context))
            if more:
                found.setdefault(more, []).append(entity)
        return found

    def _in_one_piece(self, words: Sequence[str], scope: "Scope | None", least: float) -> Iterator[_Group]:
        for at, entities in self._pieces.get(squeezed(words), {}).items():
            form = self.forms[at]
            score = form.score * (1 if form.words == tuple(words) else IN_ONE_PIECE)
            inside = entities if scope is None else scope.only(entities)
            if inside and score >= least:
                yield score, Found(score, form.how, form.memory), inside


class Scope:
    """Some of an index's entities, to be asked about several times."""

    def __init__(self, ranges: Iterable[range]) -> None:
        self._ranges = sorted((one for one in ranges if one), key=lambda one: one.start)
        self._entities = frozenset(entity for one in self._ranges for entity in one)
        self._bearers: dict[int, list[int]] = {}

    def bearers(self, at: int, entities: list[int]) -> list[int]:
        """Those of a form's bearers that are among them."""
        found = self._bearers.get(at)
        if found is None:
            found = self._bearers[at] = self.only(entities)
        return found

    def only(self, entities: list[int]) -> list[int]:
        """Those of some entities that are among them, both in their order."""
        if len(entities) <= _FEW:
            return [one for one in entities if one in self._entities]
        return [one for inside in self._ranges for one in _inside(entities, inside)]


def _note(entities: list[int], entity: int) -> None:
    """Add a number to others in their order, once."""
    if not entities or entities[-1] < entity:
        entities.append(entity)
    elif entity not in entities:
        insort(entities, entity)


def _inside(entities: Sequence[int], inside: range) -> Sequence[int]:
    """The numbers of a list in order that lie in a range."""
    start = bisect_left(entities, inside.start)
    if start == len(entities) or entities[start] >= inside.stop:
        return ()
    return entities[start : bisect_left(entities, inside.stop, start)]


def _merged(groups: list[_Group], most: int | None) -> list[tuple[int, Found]]:
    """The entities of all groups, each as it is called best; the best first, then by number."""
    groups.sort(key=lambda group: -group[0])
    found: dict[int, Found] = {}
    at = 0
    while at < len(groups) and (most is None or len(found) < most):
        end = at + 1
        while end < len(groups) and groups[end][0] == groups[at][0]:
            end += 1
        alike = [(entity, one) for _, one, entities in groups[at:end] for entity in entities]
        if end - at > 1:
            alike.sort(key=lambda item: item[0])
        for entity, one in alike:
            found.setdefault(entity, one)
        at = end
    return list(found.items())[:most]


def _shortens(one: str, other: str) -> bool:
    """Whether the shorter of two words is how the longer one begins."""
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return len(short) >= 3 and len(long) - len(short) > 1 and long.startswith(short)
