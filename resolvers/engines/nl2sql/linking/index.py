"""Finds what is called by some words, without a scan: postings of words, of their roots and of what is written in one
piece. An entity is a number; it may be called in several ways."""

from collections.abc import Collection, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Found:
    """How well an entity is called by the words."""

    score: float
    how: str
    memory: str | None = None


Hits = dict[int, tuple[float, int, bool]]
"""Of one word: the forms that it occurs in, each with how near, at which of its words, and whether by a guess."""


class Index:
    """Forms of entities by their words."""

    def __init__(self, unsaid: float) -> None:
        """`unsaid` is what a form is worth of whose words hardly any was said."""
        self._unsaid = unsaid
        self.forms: list[tuple[int, Form]] = []
        self._sums: list[float] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._roots: dict[str, set[str]] = {}
        self._pieces: dict[str, list[int]] = {}
        self._hits: dict[str, Hits] = {}
        self.synonyms: dict[str, dict[str, float]] = {}
        """Words that people noted as standing for others."""

    def add(self, entity: int, form: Form) -> None:
        """Another way to call an entity."""
        at = len(self.forms)
        self.forms.append((entity, form))
        self._sums.append(sum(form.weights) or 1.0)
        for place, word in enumerate(form.words):
            posting = self._postings.get(word)
            if posting is None:
                self._postings[word] = [(at, place)]
                self._roots.setdefault(same_root(word), set()).add(word)
            else:
                posting.append((at, place))
        if form.how != "description":
            self._pieces.setdefault(squeezed(form.words), []).append(at)
            said = [word for word, weight in zip(form.words, form.weights, strict=True) if weight > 0]
            if 0 < len(said) < len(form.words):
                self._pieces.setdefault(squeezed(said), []).append(at)
        self._hits.clear()

    def add_piece(self, name: str) -> None:
        """The form added last is also found by a name as it stands: `stuid`."""
        piece = squeezed(sign for sign in name.lower() if sign.isalnum())
        posting = self._pieces.setdefault(piece, [])
        if len(self.forms) - 1 not in posting:
            posting.append(len(self.forms) - 1)

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

    def scope(self, entities: Collection[int]) -> "Scope":
        """Some of the entities, to be asked about several times."""
        return Scope(self, frozenset(entities))

    def search(
        self,
        words: Sequence[str],
        scope: "Scope | None" = None,
        beside: Mapping[int, Collection[str]] | None = None,
    ) -> dict[int, Found]:
        """The entities that are called so. `beside` are words that may be said with an entity: those of its table."""
        found: dict[int, Found] = {}
        if not words:
            return found
        each = [(scope or self).hits(word) for word in words]
        total = sum(weight_of(word) for word in words)
        seen: set[int] = set()
        for hits in each:
            for at in hits:
                if at in seen:
                    continue
                seen.add(at)
                entity, form = self.forms[at]
                self._keep(found, entity, form, self._score(at, form, words, each, total, beside))
        for at in self._pieces.get(squeezed(words), ()):
            entity, form = self.forms[at]
            if scope is None or entity in scope.entities:
                plain = form.words == tuple(words)
                _better(found, entity, Found(form.score * (1 if plain else IN_ONE_PIECE), form.how, form.memory))
        return found

    def _score(
        self,
        at: int,
        form: Form,
        words: Sequence[str],
        each: Sequence[Hits],
        total: float,
        beside: Mapping[int, Collection[str]] | None,
    ) -> tuple[float, bool]:
        said = covered = 0.0
        places: set[int] = set()
        guessed = False
        own = False
        context: Collection[str] = beside.get(self.forms[at][0], ()) if beside is not None else ()
        for word, hits in zip(words, each, strict=True):
            hit = hits.get(at)
            if hit is not None:
                sure, place, is_guess = hit
                said += weight_of(word) * sure
                guessed = guessed or is_guess
                if place not in places:
                    places.add(place)
                    covered += form.weights[place]
                own = own or form.weights[place] > 0
            elif word in context:  # of a table of two words, one says half
                said += weight_of(word) * (0.5 + 0.5 / len(context))
        if not own:
            return 0.0, False
        part = said / total
        whole = covered / self._sums[at] if form.how != "description" else 1.0
        return form.score * part**1.5 * (self._unsaid + (1 - self._unsaid) * whole), guessed

    def _keep(self, found: dict[int, Found], entity: int, form: Form, scored: tuple[float, bool]) -> None:
        score, guessed = scored
        if score > 0.2:
            _better(found, entity, Found(score, "fuzzy" if guessed else form.how, form.memory))


class Scope:
    """Some of an index's entities."""

    def __init__(self, index: Index, entities: frozenset[int]) -> None:
        self.entities = entities
        self._index = index
        self._hits: dict[str, Hits] = {}

    def hits(self, word: str) -> Hits:
        """Where a word occurs among them."""
        known = self._hits.get(word)
        if known is None:
            forms, entities = self._index.forms, self.entities
            known = {at: hit for at, hit in self._index.hits(word).items() if forms[at][0] in entities}
            self._hits[word] = known
        return known


def _better(found: dict[int, Found], entity: int, one: Found) -> None:
    before = found.get(entity)
    if before is None or before.score < one.score:
        found[entity] = one


def _shortens(one: str, other: str) -> bool:
    """Whether the shorter of two words is how the longer one begins."""
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return len(short) >= 3 and len(long) - len(short) > 1 and long.startswith(short)
