"""What is asked for by a verb: what somebody earns, what the average one weighs, what was bought."""

from typing import Final

from resolvers.engines.nl2sql.language.degrees import Degree, degree_of_action
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.language.words import HELPING, UNITS
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.plan import Aggregate
from resolvers.engines.nl2sql.planner.atoms import Atom
from resolvers.engines.nl2sql.planner.clauses import Clauses
from resolvers.engines.nl2sql.planner.every import EVERY
from resolvers.engines.nl2sql.planner.frame import Noun
from resolvers.engines.nl2sql.planner.nouns import may_be_table

DONE: Final = "done"
"""The question word of a noun that is what somebody did something with."""
_WORTH: Final = frozenset(("cost", "weigh", "spend", "earn"))
"""Verbs of which `what did` asks how much."""
_RATES: Final = frozenset((*UNITS, "hour", "night"))
"""Words behind `per` that only say what an amount is for: per week."""
_WITHIN = ("in", "at", "of", "do", "does", "did")
"""Words before what everything is of."""
_SAYING_MORE = (
    Cue.MOST, Cue.SUPERLATIVE, Cue.AGGREGATE, Cue.COUNT, Cue.COMPARE, Cue.COMMON, Cue.NOT, Cue.NO, Cue.AND, Cue.OR,
    Cue.EACH, Cue.MORE,
)  # fmt: skip
"""Phrases that make more of a question than who did what is asked for as well."""
_EMPTY = frozenset(("content", "figure", "level", "amount", "value", "measurement", "reading"))
"""Nouns behind a column that add nothing to what it is called."""


class Asking(Clauses):
    """Reads what verbs ask for."""

    def clause(self) -> None:
        """Reads one clause."""
        if not (
            self._how_many_of_them()
            or self._how_much_done()
            or self._what_as_well()
            or self._had_every()
            or self._each_once()
            or self._by_figure()
        ):
            super().clause()

    def _asks_worth(self) -> bool:
        """`What did the repairs cost`: how much."""
        said = [token.text.lower() for token in self.cut.linked.tokens]
        return said[:1] == ["what"] and said[1:2] in (["did"], ["does"], ["do"]) and bool(_WORTH & set(said))

    def _subject_of_degree(self) -> None:
        """How old is the singer ..."""
        self.skip(Cue.BE, Cue.ALL, Cue.EACH)
        if (sort := self.sort_before_noun()) is not None:
            self.frame.sorts.append(sort)
        if self.table_at() and (noun := self.noun()) is not None and noun.ref is not None:
            self.frame.items[0].owner = noun.ref
            self.remember(noun.ref)

    def _action(self, offset: int) -> Degree | None:
        """Return what the verb there is measured by."""
        atom = self.at(offset)
        if atom is None or atom.last - atom.first != 1 or not (atom.verbal or atom.is_(Cue.LIGHT)):
            return None
        return degree_of_action(self.cut.linked.tokens[atom.last - 1].lemma, most=True)

    def _rate(self) -> None:
        """Passes over `per week`, which only says what an amount is for."""
        atom = self.at(1)
        if not self.is_(Cue.PER, Cue.EACH) or atom is None or atom.last - atom.first != 1:
            return
        if self.cut.linked.tokens[atom.first].lemma in _RATES:
            self.i += 2

    def _each_once(self) -> bool:
        """`Each name only once`: no group, but that nothing is shown twice."""
        if not self.is_(Cue.EACH) or not self.noun_at(1):
            return False
        ahead = 3 if self.is_(Cue.ONLY, offset=2) else 2
        once = self.at(ahead)
        if once is None or once.text.lower() not in ("once", "only once"):
            return False
        self.frame.distinct = True
        self.i += ahead + 1
        return True

    def _by_figure(self) -> bool:
        """`the three biggest huts by number of beds`: what an adjective before is measured by."""
        last = self.frame.sorts[-1] if self.frame.sorts else None
        by = last.noun.ref if last is not None and last.noun is not None else None
        if last is None or last.degree is None or by is not None or last.limit is None or last.most:
            return False
        if not self.is_(Cue.BY) or not (self.is_(Cue.COUNT, offset=1) or self.noun_at(1)):
            return False
        self.i += 1
        noun = self.noun()
        if noun is None:
            return False
        if noun.count:
            last.descending, last.degree, last.most = last.degree.descending, None, True
        last.noun, last.by_count = noun, noun.count
        return True

    def _had_every(self) -> bool:
        """`Which players took every course`: none is left out."""
        said, before = self.at(), self.at(-1)
        if said is None or before is None or said.text.lower().split()[-1] not in ("every", "all", "the", "of"):
            return False
        if not {"every", "all"} & set(said.text.lower().split()):
            return False
        frame, start = self.frame, self.i
        rows = [one for one in frame.items if one.owner is not None or (one.ref is not None and may_be_table(one.ref))]
        which = frame.which or any(one.is_(Cue.WHO, Cue.RELATIVE) for one in self.atoms[:start])
        ahead = 1
        while self.value_at(ahead) and not self.noun_at(ahead):
            ahead += 1
        if not (which and rows and self.table_at(ahead)) or self.is_figured() or frame.sorts or self.negated:
            return False
        if not self._is_deed(before, start) or frame.groups or frame.grouped_first:
            return False
        self.i += 1
        values = [self.plain_value() for _ in range(ahead - 1)]
        noun = self.noun()
        if noun is None or noun.ref is None:
            self.i = start
            return False
        self._had(noun, negated=False)
        had = self.frame.conditions[-1]
        had.how, had.inner = EVERY, values
        self.scope = had.inner  # every plant of the rose family
        return True

    def _is_deed(self, before: Atom, at: int) -> bool:
        """Return whether what stands before `every` says what was done, or where something is: `bought every`, `is in
        all`.
        """
        if before.verbal or before.is_(Cue.LIGHT, Cue.HAVE, Cue.BY):
            return True
        if self.atoms[at].text.lower() in ("in every", "on every", "at every"):
            return before.is_(Cue.BE) or before.text.lower().endswith("ed")
        done = self.atoms[at - 2] if at > 1 else None
        low = done.text.lower() if done is not None else ""
        return (
            done is not None
            and before.is_(Cue.PREPOSITION, Cue.FROM)
            and (done.verbal or done.is_(Cue.LIGHT, Cue.BE, Cue.HAVE) or low.endswith("ed"))
        )

    def _how_many_of_them(self) -> bool:
        """`visits without a guide - how many?`: the rows that were named are counted."""
        items = self.frame.items
        alone = len(items) == 1 and items[0].ref is not None and may_be_table(items[0].ref)
        if not self.is_(Cue.COUNT) or not alone or not (self.at(1) is None or self.is_(Cue.END, offset=1)):
            return False
        if self.atoms[self.i].text.lower() != "how many" or self.frame.groups or self.frame.sorts:
            return False
        if self.frame.which and (self.is_(Cue.AND, offset=-1) or any(one.count for one in self.frame.conditions)):
            return False  # which shops have red cars, and how many
        items[0].count = True
        self.i += 1
        return True

    def _what_as_well(self) -> bool:
        """`the name of each pilot and what glider they fly`: asked for as well, where nothing is said of it."""
        before = self.at(-1)
        if before is None or not before.is_(Cue.AND, Cue.COMMA) or not self.frame.items:
            return False
        ahead = 1 if self.is_(Cue.PREPOSITION) else 0
        much = self.at(ahead)
        if much is not None and much.is_(Cue.MUCH) and not much.said and (ahead or before.is_(Cue.AND)):
            following = self.at(ahead + 1)
            if following is None or following.is_(Cue.END):
                self.frame.items.append(Noun(wh="much", near=tuple(self.near)))  # were sold, and for how much
                self.i += ahead + 1
                return True
        if not self.is_(Cue.WHAT, Cue.WHICH) or not self.noun_at(1) or self.frame.items[0].share:
            return False
        start, near, tables = self.i, list(self.near), list(self.frame.tables)
        self.i += 1
        noun = self.noun()
        tail = self.atoms[self.i :]
        end = next((at for at, one in enumerate(tail) if one.is_(Cue.END)), len(tail))
        said = any(one.is_(*_SAYING_MORE) or not (one.may_be_verb or one.cue) for one in tail[:end])
        if noun is None or noun.ref is None or said:
            self.i, self.near, self.frame.tables = start, near, tables
            return False
        self.frame.items.append(noun)
        self.i += end
        return True

    def _how_much_done(self) -> bool:
        """`... and what do they earn`: an amount that a verb tells."""
        atom = self.at()
        if atom is None or not self.listing or not atom.is_(Cue.WHAT, Cue.MUCH) or isinstance(atom.said, Degree):
            return False
        if atom.is_(Cue.WHAT) and atom.text.split()[-1].lower() not in HELPING:
            return False
        degree = self._action(1)
        if degree is None:
            return False
        self.frame.items.append(Noun(degree=degree, near=tuple(self.near)))
        self.i += 2
        self._rate()
        return True

    def _average_one(self) -> bool:
        """`What does the average driver earn`: the average of what the verb tells."""
        asks = self.at(-1)
        if asks is None or not asks.is_(Cue.WHAT, Cue.MUCH) or not self.table_at(1):
            return False
        if not self.is_(Cue.AGGREGATE) or self.atoms[self.i].said is not Aggregate.AVG:
            return False
        for ahead in range(2, len(self.atoms) - self.i):
            if self.is_(Cue.END, Cue.AND, Cue.OR, Cue.COMMA, offset=ahead):
                return False
            if (degree := self._action(ahead)) is None:
                continue
            rows = self.atoms[self.i + 1].ref
            del self.atoms[self.i + ahead]
            self.i += 2
            if rows is not None:
                self.remember(rows)
            self.frame.items.append(Noun(owner=rows, near=tuple(self.near), degree=degree, aggregates=(Aggregate.AVG,)))
            self._rate()
            return True
        return False

    def _what_done(self) -> bool:
        """`What did Ann buy`: what belongs to the rows that the verb speaks of."""
        asks, verb = self.at(-1), self.at(1)
        if asks is None or not asks.is_(Cue.WHAT) or asks.text.split()[-1].lower() not in HELPING:
            return False
        if verb is None or not self.value_at() or verb.ref is None or not verb.ref.tables:
            return False
        if not verb.verbal and self.cut.linked.tokens[verb.last - 1].lemma not in VERBS:
            return False
        self.frame.items.append(Noun(owner=verb.ref, near=tuple(self.near), wh=DONE))
        del self.atoms[self.i + 1]
        return True

    def _is_explained(self, span: tuple[int, int]) -> bool:
        """`wooden boats (hull W)`, `steel, code S`, `turned down, i.e. refused`: what is meant stands behind it."""
        tokens = self.cut.linked.tokens
        ahead = range(span[1], min(span[1] + 4, len(tokens)))
        opened = next((at for at in ahead if tokens[at].text.lower() in ("(", "i.e.", "i.e", ",")), None)
        if opened is None:
            return False
        within = 4 if tokens[opened].text != "," else 3
        values = (ref for cond in self.frame.conditions for ref in cond.values if ref.values)
        told = [ref for ref in values if opened < ref.first <= opened + within]
        said = [token.text.lower() for token in tokens[opened + 1 : told[0].first]] if told else []
        return bool(told) and (tokens[opened].text != "," or bool({"code", "i.e.", "i.e", "type"} & set(said)))

    def _says_nothing(self, span: tuple[int, int]) -> bool:
        """`alcohol content`, where the alcohol is known; `by age`, from the youngest to the oldest."""
        tokens = self.cut.linked.tokens
        word, before = tokens[span[0]].lemma, span[0]
        if word in _EMPTY:
            ends = (atom.ref for atom in self.atoms if atom.last == before and atom.ref is not None)
            return any(ref.best(MentionKind.COLUMN) >= 0.75 for ref in ends)
        if word == "late":
            compared = [cond.noun.ref for cond in self.frame.conditions if cond.noun is not None and cond.noun.ref]
            return any("delay" in one.column.column.lower() for ref in compared for one in ref.columns if one.column)
        sorts = (sort.degree for sort in self.frame.sorts if sort.degree is not None)
        return word == "age" and any(degree.adjective in ("old", "young") for degree in sorts)

    def _is_whole(self, span: tuple[int, int]) -> bool:
        """`in the league`, `does the society have`: a word for all of the data, where nothing else is said."""
        said = [token.text.lower() for token in self.cut.linked.tokens]
        first, last = span
        around = first > 1 and said[first - 1] in ("the", "our", "this") and said[first - 2] in _WITHIN
        ends = all(word in ("have", "own", "altogether", "in", "total", ".", "?") for word in said[last:])
        return around and ends and last - first == 1 and not self.frame.conditions
