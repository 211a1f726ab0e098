"""Which table or column nouns stand for, told by the words beside them and by what lies near in the keys."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache, partial
from itertools import combinations, pairwise
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.language.degrees import BETTER, BUSY, PRAISE, Degree
from resolvers.engines.nl2sql.language.lives import ORIGIN, of_life
from resolvers.engines.nl2sql.language.plans import is_foreseen
from resolvers.engines.nl2sql.language.tokens import lemma_of, root_of
from resolvers.engines.nl2sql.language.verbs import VERBS, is_kin
from resolvers.engines.nl2sql.mention import Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.atoms import ROLE, Cut, Ref
from resolvers.engines.nl2sql.planner.catalog import FAR, Catalog
from resolvers.engines.nl2sql.planner.frame import Frame, Noun

LOOSE: Final = 0.65
"""Below this, words fit a column loosely."""
_NAMED: Final = 0.95
"""How well several words must fit a key for it to be meant as such."""
_PRAISING: Final = frozenset(("best", "worst", "better", "worse"))
"""Before what is done they say how much of it: the best paid."""
_PRAISED: Final = 0.3
"""What is doubted of the best and the worst of a column that nothing tells the good side of."""
_RELATED: Final = 0.6
"""How much less a figure fits what it is only related to."""
_RATIOS: Final = frozenset(("ratio", "percentage", "pct", "percent", "proportion", "share", "rate"))
_DONE: Final = 0.2
"""What it adds that the name of a date says what was done."""
_PART: Final = 0.5
"""What it adds that a noun is named by its part: the key that tells it stands nearer, and is not meant."""
Target = str | ColumnKey
"""The FQN of a table, or a column."""
_SAME: Final = 0.25
"""What it adds that a column stands where the rest of what is named does."""
_OWN: Final = 0.4
"""The same where a value tells whose it is: `Nancy's phone` is hers, rather than one called just `phone` elsewhere."""
_TOGETHER: Final = 0.06
"""What it adds that a table holds more than others of what the question names."""
_DEED: Final = 0.15
"""What it adds that the name of a column says what is done."""
_FORESEEN: Final = 0.06
"""What it takes off that a column holds what was only planned, and nothing is said of a plan."""
_HELD: Final = 0.8
"""How well words must fit a value for its tables to tell where the rest stands."""
_FEW: Final = 4
"""In how many tables words may name a column and still tell which tables are meant."""
_NEARLY: Final = 0.1
"""How much worse a column may fit than the best and still be one that is named."""
_LASTING: Final = frozenset(("long", "short"))
"""Adjectives that say of a time how long ago it was."""
_Named = Sequence[tuple[float, Mapping[str, int]]]


@lru_cache(maxsize=20_000)
def spelled(target: Target) -> str:
    """Return what puts things in order that fit equally well."""
    return str(target)


def _belongs(distances: Mapping[str, int], table: str) -> float:
    """How much the owner that is said speaks for a table, by its distance."""
    far = distances.get(table, FAR)
    return 0.4 if far == 0 else (-0.5 if far >= FAR else 0.12 - 0.14 * far)


def _lies_near(named: _Named, table: str) -> float:
    """How much the tables that are named speak for another."""
    score = -0.5
    for worth, distances in named:
        far = distances.get(table)
        if far is not None and far < FAR and worth - 0.16 * far > score:
            score = worth - 0.16 * far
    return score


@dataclass(slots=True)
class Choice:
    """Words that could stand for several things, best first."""

    first: int
    last: int
    kind: str
    options: list[tuple[Target, float]]
    taken: int = 0


@dataclass(slots=True)
class Targets:
    """Tables and columns of one question. `forced` takes another option for some words than the best."""

    catalog: Catalog
    cut: Cut
    frame: Frame
    forced: Mapping[tuple[int, int, str], Target] = field(default_factory=dict)
    choices: dict[tuple[int, int, str], Choice] = field(default_factory=dict)
    trouble: list[tuple[str, float]] = field(default_factory=list)
    """What makes the plan less likely: a reason, and what it costs."""
    used: set[tuple[int, int]] = field(default_factory=set)
    memories: set[str] = field(default_factory=set)
    _mentioned: list[str] | None = None
    _tables: dict[int, tuple[Ref, str | None]] = field(default_factory=dict)
    """The table of each reference that was asked about, by its identity."""
    _together: frozenset[str] | None = None
    _beside: dict[tuple[tuple[int, ...], str | None], tuple[tuple[Ref, ...], _Named]] = field(default_factory=dict)
    """What words beside speak of, by their identity."""

    def doubt(self, why: str, cost: float) -> None:
        """Notes what makes the plan less likely."""
        self.trouble.append((why, cost))

    # Tables.

    def mentioned(self) -> list[str]:
        """The tables that the question names, in their order."""
        if self._mentioned is None:
            self._mentioned = []
            found: list[str] = []
            for ref in self.frame.tables:
                table = self.table(ref)
                if table is not None and table not in found:
                    found.append(table)
            self._mentioned = found
        return self._mentioned

    def table(self, ref: Ref | None) -> str | None:
        """The table that words stand for."""
        if ref is None:
            return None
        known = self._tables.get(id(ref))
        if known is None:
            known = self._tables[id(ref)] = ref, self._table(ref)
        return known[1]

    def _table(self, ref: Ref) -> str | None:
        mentions = ref.tables
        if not mentions:
            return None
        others = self._certain(ref)
        options: dict[str, float] = {}
        for mention in mentions:
            if mention.table is None:
                continue
            score = mention.score
            far = self.catalog.farness(mention.table, others)
            score -= 0.3 if far >= FAR else 0.03 * far
            score -= 0.1 if mention.score < 0.9 and self.catalog.only_ties(mention.table) else 0.0
            options[mention.table] = max(score, options.get(mention.table, -1.0))
        taken = self.choose(ref, "table", list(options.items()))
        return taken if isinstance(taken, str) else None

    def _certain(self, ref: Ref) -> list[str]:
        found = []
        for other in self.frame.tables:
            tables = other.tables if other is not ref else ()
            if not tables:
                continue
            best = tables[0]
            second = tables[1].score if len(tables) > 1 else 0.0
            if best.table is not None and best.score - second > 0.1:
                found.append(best.table)
        return found

    def choose(self, ref: Ref, kind: str, options: list[tuple[Target, float]]) -> Target | None:
        """The best option for some words, or the one that is forced; noted for others to be tried."""
        if not options:
            return None
        key = (ref.first, ref.last, kind)
        if len(options) > 1:
            options.sort(key=lambda option: (-option[1], spelled(option[0])))
        choice = Choice(ref.first, ref.last, kind, options)
        forced = self.forced.get(key)
        if forced is not None:
            choice.taken = next((at for at, (target, _) in enumerate(options) if target == forced), 0)
        self.choices[key] = choice
        self.used.add((ref.first, ref.last))
        for mention in ref.mentions:
            if mention.memory is not None and options[choice.taken][0] in (mention.table, mention.column):
                self.memories.add(mention.memory)
        return options[choice.taken][0]

    # Columns.

    def context(self, table: str, owner: str | None, near: Iterable[Ref], subject: str | None) -> float:
        """How much the words beside speak for a table."""
        return self._contexts(owner, near, subject)(table)

    def _contexts(self, owner: str | None, near: Iterable[Ref], subject: str | None) -> Callable[[str], float]:
        """The same for any table."""
        if owner is not None:
            return partial(_belongs, self.catalog.distances(owner))
        named = self._named(tuple(near), subject)
        if named:
            return partial(_lies_near, named)
        values = (ref for cond in self.frame.conditions for ref in cond.values)
        shown = (item.ref for item in self.frame.items if item.ref is not None)
        told = list(values)
        if valued := self.alone(told, MentionKind.VALUE) or self._side_by_side(told):
            return partial(self._lies_by, valued, _OWN)
        held = self.alone(shown, MentionKind.COLUMN) or sorted(self.together())
        return partial(self._lies_by, held, _SAME)

    def _lies_by(self, held: Sequence[str], own: float, table: str) -> float:
        """How much tables that are held speak for another; `own` is what they do for themselves."""
        far = self.catalog.farness(table, held)
        if far >= FAR or not held:
            return 0.0
        return own if far == 0 else _SAME - 0.16 * far

    def _named(self, near: tuple[Ref, ...], subject: str | None) -> _Named:
        """The tables that words beside speak of, each with what it says at best, and how far others are from it."""
        asked = (tuple(map(id, near)), subject)
        known = self._beside.get(asked)
        if known is None:
            distances = self.catalog.distances
            nearest = [found for ref in near if (found := self.table(ref)) is not None]
            said = [(one, 0.3 - 0.05 * min(at, 2)) for at, one in enumerate(nearest[:4])]
            said += [(subject, 0.27)] if subject is not None else []
            said += [(one, 0.2) for one in self.mentioned()]
            best: dict[str, float] = {}
            for one, worth in said:
                best[one] = max(worth, best.get(one, 0.0))
            known = self._beside[asked] = near, [(worth, distances(one)) for one, worth in best.items()]
        return known[1]

    def alone(self, refs: Iterable[Ref], kind: MentionKind) -> list[str]:
        """The tables of what stands in one table only: whose phone, where no table is named."""
        found: list[str] = []
        for ref in refs:
            best = ref.best(kind)
            mentions = ref.values if kind is MentionKind.VALUE else ref.columns
            tables = {one.column.table for one in mentions if one.column is not None and one.score > best - 0.03}
            found += tables if len(tables) == 1 and best >= 0.85 else ()
        return list(dict.fromkeys(found))

    def _side_by_side(self, refs: Iterable[Ref]) -> list[str]:
        """The tables of a value that several hold which are tied to one another: a team, and its franchise."""
        found: list[str] = []
        for ref in refs:
            best = ref.best(MentionKind.VALUE)
            held = {one.column.table for one in ref.values if one.column is not None and one.score > best - 0.03}
            tied = all(self.catalog.distance(one, other) <= 1 for one, other in combinations(sorted(held), 2))
            found += sorted(held) if best >= _HELD and 1 < len(held) <= _FEW and tied else []
        return list(dict.fromkeys(found))

    def together(self) -> frozenset[str]:
        """The tables that hold most of the columns that are named: runs by year, of 20 tables with a year, are those of
        the tables with runs. Where tables with such columns are named themselves, it is the only one, or the words
        beside tell.
        """
        if self._together is None:
            refs = self._named_columns()
            held = [(ref, self._held_close(ref)) for ref in refs]
            few = {table for _, tables in held if len(tables) <= _FEW for table in tables}
            more = (one.column.table for ref, _ in held for one in self._farther(ref, few) if one.column is not None)
            covered = Counter([*(table for _, tables in held for table in tables), *more])
            most = max(covered.values(), default=0)
            best = frozenset(table for table, times in covered.items() if times == most > 1)
            named = {key.table for ref in refs for key in self._close(ref)}.intersection(self.mentioned())
            self._together = best.intersection(named if len(named) == 1 else ()) if named else best
        return self._together

    def is_said_nearer(self, taken: Target, other: Target) -> bool:
        """Return whether what is taken is called as another, and stands with the rest of what is named, as that does
        not.
        """
        return (
            isinstance(taken, ColumnKey)
            and isinstance(other, ColumnKey)
            and taken.column.casefold() == other.column.casefold()
            and taken.table in self.together()
            and other.table not in self.together()
        )

    def _close(self, ref: Ref) -> list[ColumnKey]:
        """The columns that words may stand for about as well as for any."""
        least = ref.best(MentionKind.COLUMN) - _NEARLY
        return [one.column for one in ref.columns if one.column is not None and one.score > least]

    def _held_close(self, ref: Ref) -> set[str]:
        """The tables of these columns; when one is forced, its alone."""
        forced = self.forced.get((ref.first, ref.last, "column"))
        return {key.table for key in self._close(ref) if forced is None or key == forced}

    def _farther(self, ref: Ref, tables: Iterable[str]) -> list[Mention]:
        """Columns of some tables that words may stand for as well as for those that were noted, of which there are only
        so many for each word.
        """
        known = {one.column.table for one in ref.columns if one.column is not None}
        missing = sorted(set(tables) - known)
        if not missing or (ref.first, ref.last, "column") in self.forced:
            return []
        words, least = self.cut.linked.words(ref.first, ref.last), max(0.0, ref.best(MentionKind.COLUMN) - _NEARLY)
        found = self.catalog.vocabulary.found_columns(words, missing, len(missing), least)
        return [
            Mention(ref.first, ref.last, MentionKind.COLUMN, one.score, one.how, column=key, memory=one.memory)
            for key, one in found
        ]

    def _named_columns(self) -> list[Ref]:
        """The words that are asked for, compared, sorted or grouped by and may name columns, each once."""
        frame = self.frame
        nouns: list[Noun | None] = [*frame.items, *frame.shown, *frame.groups]
        nouns += [*(one.noun for one in frame.conditions), *(one.noun for one in frame.sorts)]
        refs = {id(one.ref): one.ref for one in nouns if one is not None and one.ref is not None}
        return [ref for ref in refs.values() if ref.best(MentionKind.COLUMN) >= (ref.best(MentionKind.TABLE) or 0.01)]

    def subject(self) -> str | None:
        """The table that the question is about, when it names one."""
        return self.table(self.frame.subject)

    def column(self, noun: Noun, want: str = "") -> ColumnKey | None:
        """The column that a noun stands for."""
        if noun.ref is None:
            return None
        options = self.column_options(noun, want)
        taken = self.choose(noun.ref, "column", list(options.items()))
        if not isinstance(taken, ColumnKey):
            return None
        fit = max((one.score for one in noun.ref.columns if one.column == taken), default=1.0)
        named = fit >= _NAMED and noun.ref.last - noun.ref.first > 1
        if (
            not named
            and self._is_strange_key(noun, taken)
            and ("a key of a table that is not named", 0.3) not in self.trouble
        ):
            self.doubt("a key of a table that is not named", 0.3)
        subject = self.subject() if noun.owner is None else None
        far = self.catalog.distance(subject or self.table(noun.owner) or taken.table, taken.table)
        if far > 2 or (far > 1 and fit < LOOSE):
            self.doubt("a column far away from what is asked about", 0.3)
        return taken

    def tables_of_numbers(self, nouns: Iterable[Noun | None]) -> Iterator[str]:
        """The tables of the numbers that nouns name. Each is looked for when it is taken, for that makes a choice."""
        for noun in nouns:
            if noun is not None and noun.ref is not None and (column := self.column(noun, "number")) is not None:
                yield column.table

    def _is_strange_key(self, noun: Noun, key: ColumnKey) -> bool:
        """A key in a table that nobody names, which is no key of its own rows: another's league."""
        if not self.catalog.is_key(key) or key.table in self.mentioned() or self.catalog.key(key.table) == key:
            return False
        if key.table in self.together():  # the year of the wages that are asked for
            return False
        subject = self.subject() if noun.owner is None else self.table(noun.owner)
        return subject is not None and not self.catalog.refers(subject, key.table)

    def column_options(self, noun: Noun, want: str = "") -> dict[ColumnKey, float]:
        """The columns that a noun may stand for, with how well each fits here."""
        options: dict[ColumnKey, float] = {}
        if noun.ref is None:
            return options
        owner, catalog = self.table(noun.owner), self.catalog
        subject = self.subject() if noun.owner is None else None
        rows = self._rows_behind(noun)
        context: Callable[[str], float] | None = None
        together, deeds = self.together(), self._deeds(noun.ref)
        said = self.cut.linked.words(noun.ref.first, noun.ref.last)
        for mention in (*noun.ref.columns, *self._farther(noun.ref, together)):
            key = mention.column
            if key is None or key not in catalog.columns:
                continue
            context = context or self._contexts(owner, noun.near, subject)
            score = mention.score - 0.8 * (1 - mention.score) + context(key.table)
            score += _PART if mention.how == ROLE else 0.0
            if want == "number":
                if not catalog.is_number(key):
                    score -= 0.05 if catalog.is_numeric_text(key) else 0.45
                if catalog.is_key(key):
                    score -= 0.3
            elif want == "time" and not catalog.is_moment_like(key):
                score -= 0.3
            if key in catalog.references:
                score -= 0.04
            score -= _RELATED if self._relates(key, noun.ref) else 0.0
            score += (0.35 if key.table in rows else 0.0) + (_TOGETHER if key.table in together else 0.0)
            score += _DEED if deeds and self._tells_of(key, deeds, said) else 0.0
            score -= _DEED if deeds and self._tells_another_life(key, deeds) else 0.0
            score -= _FORESEEN if is_foreseen(catalog.words(key), self.cut.linked.words()) else 0.0
            options[key] = max(score, options.get(key, -9.0))
        if said == ["name"]:
            self._by_name(noun, owner, options)
        if owner is not None:
            self._by_number(noun.ref, owner, options)
        beside = [owner] if owner is not None else self._around(noun)[:2]
        least = 0.7 if any(self.catalog.distance(one, key.table) <= 1 for key in options for one in beside) else 0.4
        for table in beside:
            if not any(key.table == table for key in options):
                for key, found in self.catalog.vocabulary.found_columns(said, [table], 3):
                    if found.score >= least:
                        score = found.score - 0.8 * (1 - found.score)
                        options[key] = score + self.context(key.table, owner, noun.near, subject)
        return options

    def _relates(self, key: ColumnKey, ref: Ref) -> bool:
        """Return whether things in the plural are only what a figure is related to: no number of students is that of
        the `cost_per_student`, nor the `student_teacher_ratio`.
        """
        tokens = self.cut.linked.tokens[ref.first : ref.last]
        if tokens[-1].is_lemma or not self.catalog.is_number(key):
            return False
        names = tokens_of(key.column)
        heads = names[: names.index("per")] if "per" in names[1:] else names[-1:] if names[-1] in _RATIOS else []
        said = {*_RATIOS, "per"} if heads[-1:] == names[-1:] else {lemma_of(head) for head in heads}
        return bool(heads) and not said & {token.lemma for token in tokens}

    def _deeds(self, ref: Ref) -> list[str]:
        """The verbs of the question, without those among these words."""
        tokens = (*self.cut.linked.tokens[: ref.first], *self.cut.linked.tokens[ref.last :])
        verbs = [token.lemma for token in tokens if token.lemma in VERBS]
        return [*verbs, "bear"] if ORIGIN.intersection(one.lemma for one in tokens) else verbs  # came from each country

    def _tells_of(self, key: ColumnKey, deeds: Iterable[str], said: Iterable[str]) -> bool:
        """Return whether the name of a column says beside these words what is done: died, and the country of death."""
        more = set(self.catalog.words(key)).difference(said)
        return any(is_kin(deed, word) for word in more for deed in deeds)

    def _tells_another_life(self, key: ColumnKey, deeds: Iterable[str]) -> bool:
        """Return whether a column tells of a death where a birth is said, or the other way round."""
        told, said = of_life(set(self.catalog.words(key))), of_life(set(deeds))
        return bool(told and said and not told & said)

    def _rows_behind(self, noun: Noun) -> set[str]:
        """The tables of a value in the plural that it is said to be of: names of jugglers."""
        ref, tokens = noun.ref, self.cut.linked.tokens
        if ref is None or noun.owner is not None or [one.lemma for one in tokens[ref.last : ref.last + 1]] != ["of"]:
            return set()
        values = (one for cond in self.frame.conditions if cond.kind == "value" for one in cond.values)
        behind = (one for one in values if ref.last < one.first <= ref.last + 2)
        plural = (one for one in behind if not tokens[one.last - 1].is_lemma)
        return {one.column.table for each in plural for one in each.values if one.column is not None}

    def _by_number(self, ref: Ref, owner: str, options: dict[ColumnKey, float]) -> None:
        """The number of a flight is its own key, rather than that of an aeroplane."""
        said = set(self.cut.linked.words(ref.first, ref.last)) - set(self.catalog.table_words(owner))
        key, named = self.catalog.key(owner), [one for one in ref.columns if one.score >= 0.95]
        if said and said <= {"number", "code", "id"} and key is not None and not named:
            options[key] = max(0.9 + self.context(owner, owner, (), None), options.get(key, -9.0))

    def _by_name(self, noun: Noun, owner: str | None, options: dict[ColumnKey, float]) -> None:
        """`name` is whatever names a row, where no column is called so."""
        tables = [owner] if owner is not None else self._around(noun)[:1]
        shown = [one.ref for one in self.frame.items if one.ref is not None and one.ref is not noun.ref]
        for table in tables or self.alone(shown, MentionKind.COLUMN):
            names = self.catalog.names(table)
            if not names and tables:
                beside = [one for one in self.catalog.links.get(table, ()) if self.catalog.refers(table, one)]
                called = [one for one in beside if self.catalog.names(one)]
                people = [one for one in called if self.catalog.vocabulary.is_person(one)]
                called = people if len(people) == 1 else called
                names = self.catalog.names(called[0]) if len(called) == 1 else names
            if names and not any(key.table == table and score > 0.9 for key, score in options.items()):
                options[names[0]] = 0.95 + self.context(table, owner, noun.near, self.subject())

    def _around(self, noun: Noun) -> list[str]:
        found = []
        for ref in (noun.owner, *noun.near, self.frame.subject):
            table = self.table(ref)
            if table is not None and table not in found:
                found.append(table)
        return found + [one for one in self.mentioned() if one not in found]

    def measured(
        self, degree: Degree, tables: list[str], number: Decimal | None = None
    ) -> tuple[ColumnKey, bool] | None:
        """The column that an adjective speaks of, and whether its greatest values are the most so.

        A `number` that it is compared with is one that it may hold.
        """
        if not degree.measures:
            return None
        best: tuple[float, ColumnKey] | None = None
        done = {root_of(token.lemma) for token in self.cut.linked.tokens if token.lemma in VERBS}
        for place, table in enumerate(tables):
            for near in [table, *sorted(self.catalog.links.get(table, ()))]:
                for key, fit in self.catalog.vocabulary.measured(degree, [near]):
                    if key in self.catalog.known.forbidden or self.catalog.is_key(key):
                        continue
                    if near != table and fit < 0.85 and number is None:
                        continue
                    if degree.adjective in BUSY and not any(one in key.column.lower() for one in degree.measures):
                        continue  # a flight is told by its number
                    if number is not None and not self.catalog.may_reach(key, number):
                        continue
                    score = fit - 0.15 * place - (0.25 if near != table else 0.0)
                    if self.catalog.is_moment_like(key) and done & set(map(root_of, self.catalog.words(key))):
                        score += _DONE  # who was hired first: by the date of hire
                    if best is None or score > best[0]:
                        best = (score, key)
        if best is None:
            return None
        if best[0] < 0.55:
            self.doubt("an adjective fits a column only loosely", 0.08)
        return best[1], self.direction(degree, best[1])

    def direction(self, degree: Degree, key: ColumnKey) -> bool:
        """Return whether the greatest values of a column are the most so."""
        turned = self.catalog.vocabulary.is_reversed(degree, key) and "age" not in self.catalog.words(key)
        if degree.adjective in _LASTING and self.catalog.is_time(key):
            turned = not turned  # what has been open the longest was opened first
        if degree.adjective in PRAISE and not turned and not BETTER & set(self.catalog.words(key)):
            tokens = self.cut.linked.tokens
            if not any(token.lemma in VERBS and one.lemma in _PRAISING for one, token in pairwise(tokens)):
                self.doubt("whether more of a figure is better is not known", _PRAISED)
        return degree.descending != turned  # the oldest has the most of `age_years`
