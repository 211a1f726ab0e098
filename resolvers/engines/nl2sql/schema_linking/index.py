"""Finds what is called by some words, without a scan: postings of words, of their roots and of what is written in one
piece. An entity is a number; it may be called in several ways.

Many entities of a catalog are called alike: every table has its `id` and its `name`. So a form is kept once with all
that bear it, and scored once for all of them.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from rapidfuzz import fuzz, process

from resolvers.engines.english.vocabulary import COMMON
from resolvers.engines.nl2sql.language.forms import SAME_ROOT, NameForm, related, same_root, squeezed, weight_of
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.schema_linking.table_context import Beside, Said, with_most

IN_ONE_PIECE: Final = 0.97
CLIPPED: Final = (0.93, 0.86)
"""How near a word is to one of which it keeps the consonants: all of them up to where it ends, or some."""
ABBREVIATED: Final = 0.75
MISSPELLED: Final = 0.85
"""How near words are that differ in spaces only, that shorten one another, and that are misspelled."""
WRITTEN_OUT: Final = frozenset(("description", "meaning"))
"""Forms that people wrote as sentences."""
_LEAST_ALIKE: Final = 82
_MOST_WORDS_KEPT: Final = 4_000
_MOST_ASKED_KEPT: Final = 1_000
_MOST_FOUND_KEPT: Final = 64
"""So many answers are kept, and none that is longer: the same words are asked about again and again."""
_LEAST: Final = 0.2
"""Scores up to here are none."""
_HALF: Final = 1.5
"""The power of the part that was said: half of a name is worth less than half."""
_FEW: Final = 64
"""Up to so many entities are filtered one by one."""


class IndexMatch(NamedTuple):
    """Holds how well an entity is called by the words."""

    score: float
    how: str
    memory: str | None = None


Hits = dict[int, tuple[float, int, bool, float]]
"""Of one word: the forms that it occurs in, each with how near, at which of its words, whether by a guess, and what the
form is worth when nothing else of it is said."""
_Group = tuple[float, str, str | None, Sequence[int]]
"""Entities that are called equally well, in their order, with their score, how it is known, and the memory."""


class Index:
    """Forms of entities by their words."""

    def __init__(self, unsaid: float) -> None:
        """`unsaid` is what a form is worth of whose words hardly any was said."""
        self._unsaid = unsaid
        self.forms: list[NameForm] = []
        self._numbers: dict[NameForm, int] = {}
        self._bearers: list[list[int]] = []
        self._sums: list[float] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._roots: dict[str, set[str]] = {}
        self._named: set[str] = set()
        """The words of names, which may be written short; those of descriptions are not."""
        self._pieces: dict[str, dict[int, list[int]]] = {}
        self.owners: list[int] = []
        """The table of every entity, by number, when they are columns."""
        self.saying: dict[str, list[tuple[int, float]]] = {}
        """The tables that say a word, with how much it says beside their columns: of two words one says half."""
        self._last = (0, 0)
        self._by_owner: dict[int, dict[int, list[int]]] = {}
        """By the identity of a long list of entities: those of each table."""
        self._owners_of: dict[int, frozenset[int]] = {}
        self._says: dict[str, Said] = {}
        self._hits: dict[str, Hits] = {}
        self._found: dict[
            tuple[tuple[str, ...], IndexSubset | None, int | None, float], list[tuple[int, IndexMatch]]
        ] = {}
        self._short: dict[str, list[str]] | None = None
        """Short words that are none of the language, by their first letter; made when first asked for."""
        self.synonyms: dict[str, dict[str, float]] = {}
        """Words that people noted as standing for others."""

    def add(self, entity: int, form: NameForm) -> None:
        """Another way to call an entity."""
        at = self._numbers.get(form)
        if at is None:
            at = self._numbers[form] = len(self.forms)
            self.forms.append(form)
            self._bearers.append([])
            self._sums.append(sum(form.weights) or 1.0)
            for place, word in enumerate(form.words):
                posting = self._postings.get(word)
                if form.how not in WRITTEN_OUT and word not in self._named:
                    self._named.add(word)
                    self._short = None
                if posting is None:
                    self._postings[word] = [(at, place)]
                    self._roots.setdefault(same_root(word), set()).add(word)
                else:
                    posting.append((at, place))
            self._hits.clear()
        self._found.clear()
        self._by_owner.clear()
        self._owners_of.clear()
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
        """The next so many entities are of a table with these words, which may be said with them."""
        owner, context = (self.owners[-1] + 1 if self.owners else 0), frozenset(words)
        self._says.clear()
        self.owners += [owner] * entities
        for word in context if entities else ():
            self.saying.setdefault(word, []).append((owner, 0.5 + 0.5 / len(context)))

    def says(self, word: str) -> Said:
        """The tables that say a word, each with how much of what is asked it says, and how much one says at most."""
        kept = self._says.get(word)
        if kept is None:
            if len(self._says) >= _MOST_WORDS_KEPT:
                self._says.clear()
            weight = weight_of(word)
            kept = self._says[word] = with_most({one: weight * part for one, part in self.saying.get(word, ())})
        return kept

    def owners_of(self, at: int) -> frozenset[int]:
        """The tables of the entities that are called by a form."""
        found = self._owners_of.get(at)
        if found is None:
            found = self._owners_of[at] = frozenset([self.owners[one] for one in self._bearers[at]])
        return found

    def bearers(self, at: int) -> Sequence[int]:
        """The entities that are called by a form."""
        return self._bearers[at]

    def only(self, entities: Sequence[int], owners: frozenset[int]) -> Sequence[int]:
        """Those of a list of this index that are of some tables, in their order."""
        of = self.owners
        if len(entities) <= _FEW:
            return [one for one in entities if of[one] in owners]
        by_owner = self._by_owner.get(id(entities))
        if by_owner is None:
            by_owner = {}
            for one in entities:
                by_owner.setdefault(of[one], []).append(one)
            self._by_owner[id(entities)] = by_owner
        return [one for owner in sorted(by_owner.keys() & owners) for one in by_owner[owner]]

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

    def _clipped(self, word: str) -> dict[str, float]:
        """Return what is written short for a word, known or not: `drv` for driver."""
        if len(word) < 4 or not word.isalpha():
            return {}
        if self._short is None:
            self._short = {}
            for other in self._named:
                if 3 <= len(other) <= 6 and other.isalpha() and other not in COMMON and other not in VERBS:
                    self._short.setdefault(other[0], []).append(other)
        found = {other: clipped(other, word) for other in self._short.get(word[0], ())}
        return {other: near for other, near in found.items() if near}

    def hits(self, word: str) -> Hits:
        """Return where a word occurs, or what it may stand for."""
        known = self._hits.get(word)
        if known is not None:
            return known
        near, guessed = self.near(word), False
        if max(near.values(), default=0.0) < CLIPPED[1]:
            near |= self._clipped(word)
        if not near:
            near, guessed = self._guessed(word), True
        found: Hits = {}
        for other, sure in near.items():
            for at, place in self._postings[other]:
                if at not in found or found[at][0] < sure:
                    found[at] = (sure, place, guessed, self._weighed(at, self.forms[at].weights[place]))
        if len(self._hits) > _MOST_WORDS_KEPT:
            self._hits.clear()
        self._hits[word] = found
        return found

    def search(
        self, words: Sequence[str], scope: "IndexSubset | None" = None, most: int | None = None, least: float = 0.0
    ) -> list[tuple[int, IndexMatch]]:
        """The entities that are called so, best first, then by number: so many at most, and none of a lower score."""
        if not words:
            return []
        asked = (tuple(words), scope, most, least)
        found = self._found.get(asked)
        if found is None:
            groups = self._by_words(words, scope, least)
            groups += self._in_one_piece(words, scope, least)
            found = _merged(groups, most)
            if len(found) <= _MOST_FOUND_KEPT:
                if len(self._found) >= _MOST_ASKED_KEPT:
                    self._found.clear()
                self._found[asked] = found
        return list(found)

    def _by_words(self, words: Sequence[str], scope: "IndexSubset | None", least: float) -> list[_Group]:
        hits_of = self.hits if scope is None else scope.hits
        if len(words) == 1:
            return self._by_word(hits_of(words[0]), weight_of(words[0]), scope, least)
        each = [hits_of(word) for word in words]
        weights = [weight_of(word) for word in words]
        total = sum(weights)
        said: dict[int, float] = {}
        alone: dict[int, int] = {}
        for place, (hits, weight) in enumerate(zip(each, weights, strict=True)):
            for at, hit in hits.items():
                if at in said:
                    said[at] += weight * hit[0]
                    alone[at] = -1
                else:
                    said[at], alone[at] = weight * hit[0], place
        beside = Beside([self.says(word) if scope is None else scope.says(word) for word in words])
        needed = least ** (1 / _HALF) * total * (1 - 1e-9) - beside.most
        above = max(least, _LEAST * (1 + 1e-9))
        hopeless = above * (1 - 1e-9)
        groups: list[_Group] = []
        owners, forms = self.owners, self.forms
        for at, enough in said.items():
            if enough < needed:
                continue
            place = alone[at]
            if place < 0:
                worth, guessed = self._worth(at, [hits[at] for hits in each if at in hits])
                others, most = beside.without(tuple(place for place, hits in enumerate(each) if at in hits))
            else:
                _, _, guessed, worth = each[place][at]
                others, most = beside.without((place,))
            if worth < above or worth * ((enough + most) / total) ** _HALF < hopeless:
                continue
            bearers = self._bearers[at] if scope is None else scope.bearers_of(at)
            form = forms[at]
            how = "fuzzy" if guessed else form.how
            score = worth * (enough / total) ** _HALF
            if score >= above:
                groups.append((score, how, form.memory, bearers))
            if not others:
                continue
            more_of: dict[float, list[int]] = {}
            for entity in bearers:
                more = others.get(owners[entity])
                if more is not None:
                    more_of.setdefault(more, []).append(entity)
            for more, entities in more_of.items():
                score = worth * ((enough + more) / total) ** _HALF
                if score >= above:
                    groups.append((score, how, form.memory, entities))
        return groups

    def _by_word(self, hits: Hits, weight: float, scope: "IndexSubset | None", least: float) -> list[_Group]:
        """The same for one word, which no other is said beside."""
        above = max(least, _LEAST * (1 + 1e-9))
        groups: list[_Group] = []
        for at, (near, _, guessed, worth) in hits.items():
            if worth < above:
                continue
            score = worth * (weight * near / weight) ** _HALF
            if score >= above:
                form = self.forms[at]
                bearers = self._bearers[at] if scope is None else scope.bearers_of(at)
                groups.append((score, "fuzzy" if guessed else form.how, form.memory, bearers))
        return groups

    def _worth(self, at: int, hits: Sequence[tuple[float, int, bool, float]]) -> tuple[float, bool]:
        """Return what a form is worth of which these words are said, as if nothing else were; and whether by a
        guess.
        """
        form = self.forms[at]
        covered = sum(form.weights[place] for place in dict.fromkeys(hit[1] for hit in hits))
        return self._weighed(at, covered), any(hit[2] for hit in hits)

    def _weighed(self, at: int, covered: float) -> float:
        """Return what a form is worth of which words of so much weight are said; nothing when they have none."""
        form = self.forms[at]
        if covered <= 0:
            return 0.0
        whole = covered / self._sums[at] if form.how != "description" else 1.0
        return form.score * (self._unsaid + (1 - self._unsaid) * whole)

    def _in_one_piece(self, words: Sequence[str], scope: "IndexSubset | None", least: float) -> Iterator[_Group]:
        for at, entities in self._pieces.get(squeezed(words), {}).items():
            form = self.forms[at]
            score = form.score * (1 if form.words == tuple(words) else IN_ONE_PIECE)
            if score >= least and (inside := entities if scope is None else scope.only(entities)):
                yield score, form.how, form.memory, inside


class IndexSubset:
    """The entities of some tables of an index, to be asked about several times."""

    def __init__(self, index: Index, tables: Iterable[int]) -> None:
        """`tables` by their number among the owners."""
        self.owners = frozenset(tables)
        self._index = index
        self._bearers: dict[int, Sequence[int]] = {}
        self._hits: dict[str, Hits] = {}
        self._says: dict[str, Said] = {}

    def says(self, word: str) -> Said:
        """Those of the tables that say a word."""
        kept = self._says.get(word)
        if kept is None:
            mine, said = self.owners, self._index.says(word)[0]
            kept = self._says[word] = with_most({one: more for one, more in said.items() if one in mine})
        return kept

    def hits(self, word: str) -> Hits:
        """Return where a word occurs, or what it may stand for: in the forms that are borne by any of them."""
        kept = self._hits.get(word)
        if kept is None:
            mine, owners_of = self.owners, self._index.owners_of
            every = self._index.hits(word).items()
            kept = self._hits[word] = {at: hit for at, hit in every if not mine.isdisjoint(owners_of(at))}
        return kept

    def bearers_of(self, at: int) -> Sequence[int]:
        """Those of the bearers of a form that are among them."""
        kept = self._bearers.get(at)
        if kept is None:
            kept = self._bearers[at] = self.only(self._index.bearers(at))
        return kept

    def only(self, entities: Sequence[int]) -> Sequence[int]:
        """Those of a list of the index that are among them, in their order."""
        return self._index.only(entities, self.owners)


def _note(entities: list[int], entity: int) -> None:
    """Add a number to others in their order, once."""
    if not entities or entities[-1] < entity:
        entities.append(entity)
    elif entity not in entities:
        insort(entities, entity)


def _merged(groups: list[_Group], most: int | None) -> list[tuple[int, IndexMatch]]:
    """The entities of all groups, each as it is called best; the best first, then by number."""
    groups.sort(key=itemgetter(0), reverse=True)
    found: dict[int, IndexMatch] = {}
    at = 0
    while at < len(groups) and (most is None or len(found) < most):
        score, how, memory, entities = groups[at]
        at += 1
        if at == len(groups) or groups[at][0] < score:
            one = IndexMatch(score, how, memory)
            for entity in entities if most is None else entities[:most]:
                found.setdefault(entity, one)
            continue
        some = None if most is None else most + len(found)  # as many are enough, though those found are among them
        alike = [(entity, how, memory) for entity in entities[:some]]
        while at < len(groups) and groups[at][0] == score:
            _, how, memory, entities = groups[at]
            alike += [(entity, how, memory) for entity in entities[:some]]
            at += 1
        alike.sort(key=itemgetter(0))
        for entity, how, memory in alike:
            if entity not in found:
                found[entity] = IndexMatch(score, how, memory)
                if len(found) == most:
                    break
    return list(found.items())[:most]


def _shortens(one: str, other: str) -> bool:
    """Return whether the shorter of two words is how the longer one begins."""
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return len(short) >= 3 and len(long) - len(short) > 1 and long.startswith(short)


def clipped(short: str, word: str) -> float:
    """Return how near a short form is to a word of which it keeps consonants in their order; 0 when it is none."""
    rest = iter(word)
    if len(short) >= len(word) or short[0] != word[0] or not all(sign in rest for sign in short):
        return 0.0
    kept, whole = (_consonants(one) for one in (short, word))
    if len(short) - len(kept) > 1 or len(kept) < 2:
        return 0.0
    if whole.startswith(kept) and (len(kept) > 2 or kept == whole):
        return CLIPPED[0]
    return CLIPPED[1] if len(kept) > 2 and kept[-1] == whole[-1] else 0.0


def _consonants(word: str) -> str:
    """The consonants of a word, doubled ones once, with its first letter."""
    found = word[0]
    for sign in word[1:]:
        if sign not in "aeiou" and sign != found[-1]:
            found += sign
    return found
