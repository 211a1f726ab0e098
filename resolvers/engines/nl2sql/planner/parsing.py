"""The parts of a question: what it asks for first, then clause by clause what it says of it."""

from dataclasses import replace
from itertools import zip_longest

from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.plan import Aggregate
from resolvers.engines.nl2sql.planner.asking import Asking
from resolvers.engines.nl2sql.planner.atoms import Cut
from resolvers.engines.nl2sql.planner.frame import Cond, Frame, Noun, Sort
from resolvers.engines.nl2sql.planner.nouns import may_be_table, surely_table

_GENERAL = frozenset(("high", "low", "large", "small", "great", "big", "long", "short", "good", "bad", "late", "early"))
"""Adjectives that any number may have: the others tell by which column rows are meant to be compared."""


def parse(cut: Cut) -> Frame:
    """The question in parts."""
    return Parser(cut).parse()


class Parser(Asking):
    """Reads a question from left to right, once."""

    def parse(self) -> Frame:
        """All of it."""
        self._figures()
        if self.is_(Cue.ORDER) and self.atoms[0].text.lower() in ("order", "sort", "rank") and self.noun_at(1):
            self.i += 1  # order amount by country: nothing is there yet to be put in order
        self._front()
        if not self.i and self.first_ahead():
            self._put_first()
            self.skip(Cue.COMMA)
        self._head()
        guard = 0
        while self.i < len(self.atoms) and guard < 500:
            guard += 1
            before = self.i
            self.clause()
            if self.i == before:  # pragma: no cover - each clause reads something
                self.i += 1
        self._finish()
        return self.frame

    def _figures(self) -> None:
        """`the average and the maximum number of points`: figures all, where no rows are counted."""
        for at, atom in enumerate(self.atoms):
            most = atom.is_(Cue.MOST) and atom.text.lower().endswith(("number of", "amount of"))
            beside = most and any(one.is_(Cue.AGGREGATE) for one in self.atoms[max(0, at - 2) : at])
            if beside and self.noun_at(at + 1) and not self.table_at(at + 1):
                atom.cue, atom.said = Cue.AGGREGATE, Aggregate.MAX if atom.said else Aggregate.MIN

    def _front(self) -> None:
        """`For each department, ...`; `Among the singers, ...`; `In 2014, ...`."""
        if self.is_(Cue.EACH, Cue.PER) and (self.noun_at(1)):
            self.i += 1
            self._grouping()
            self.frame.grouped_first = True
            comma = next((at for at in range(self.i, len(self.atoms)) if self.atoms[at].is_(Cue.COMMA)), None)
            if comma is not None and self.is_(Cue.WITH, Cue.WHOSE, Cue.RELATIVE, Cue.HAVE) and self._asks(comma + 1):
                while self.i < comma:
                    self.clause()
                if (group := self.frame.groups[0].ref) is not None and may_be_table(group):
                    self.near.remove(group)
                    self.near.insert(0, group)  # show its name
            while self.is_(Cue.COMMA, Cue.AND):
                self.i += 1
            return
        if not self.is_(Cue.PREPOSITION, Cue.OF, Cue.FROM):
            return
        comma = next((at for at, atom in enumerate(self.atoms) if atom.is_(Cue.COMMA)), None)
        asks = next(
            (at for at, atom in enumerate(self.atoms) if atom.is_(Cue.ASK, Cue.COUNT, Cue.WHICH, Cue.WHAT, Cue.WHO)),
            None,
        )
        if comma is None or asks is None or asks != comma + 1:
            return
        while self.i < comma:
            self.clause()
        self.i = max(self.i, comma + 1)

    def _asks(self, at: int) -> bool:
        """Return whether what is asked for begins there."""
        return at < len(self.atoms) and self.atoms[at].is_(
            Cue.ASK, Cue.COUNT, Cue.WHICH, Cue.WHAT, Cue.WHO, Cue.MUCH, Cue.AGGREGATE
        )

    def _head(self) -> None:
        """Return what is asked for."""
        frame = self.frame
        wh = ""
        while (atom := self.at()) is not None:
            frame.which = frame.which or atom.is_(Cue.WHICH) or (atom.is_(Cue.WHAT) and self.noun_at(1))
            if self.i == 0 and self._asks_worth():
                wh = "much"
            elif atom.is_(Cue.WHO, Cue.WHEN, Cue.WHERE):
                wh = str(atom.cue)
            elif atom.is_(Cue.MUCH):
                degree = atom.said if isinstance(atom.said, Degree) else None
                self.i += 1
                if degree is not None:
                    frame.items.append(Noun(degree=degree, near=tuple(self.near)))
                    self._subject_of_degree()
                    return
                wh = "much"
                continue
            elif atom.is_(Cue.PREPOSITION, Cue.OF, Cue.FROM) and self.is_(Cue.WHICH, Cue.WHAT, Cue.COUNT, offset=1):
                pass
            elif atom.is_(Cue.OF) and self.is_(Cue.WHICH, offset=-1) and self.noun_at(1):
                pass  # which of our titles
            elif not atom.is_(Cue.ASK, Cue.WHAT, Cue.WHICH, Cue.BE, Cue.RELATIVE, Cue.ONLY) or (
                atom.is_(Cue.ASK) and self.noun_at() and self.i > 0 and not self._more_items(1)
            ):
                break
            self.i += 1
        if self._average_one() or self._what_done():
            return
        if not self.i and self.is_(Cue.WHOSE):
            frame.items.append(Noun(wh="who"))  # whose pay is above 3000
            return
        self._items(wh)
        if not frame.items and wh in ("when", "where"):
            noun = Noun(wh=wh, near=tuple(self.near))
            frame.items.append(noun)
            if self.table_at() and (owner := self.noun()) is not None:
                noun.owner = owner.ref
                if owner.ref is not None:
                    self.remember(owner.ref)
        elif not frame.items and wh == "who":
            frame.items.append(Noun(wh=wh))
        elif not frame.items and wh == "much" and self.noun_at():
            self._items("")
        elif not frame.items and wh == "much" and self._amount_in():
            pass
        elif not frame.items and wh == "much":
            frame.items.append(Noun(wh=wh))

    def _amount_in(self) -> bool:
        """`How much did we take in fees`: the amount is what stands behind the verb."""
        deed, within = self.at(), self.at(1)
        if deed is None or within is None or not deed.may_be_verb or within.text.lower() != "in":
            return False
        if not self.noun_at(2) or self.table_at(2):
            return False
        start = self.i
        self.i += 2
        noun = self.noun()
        if noun is None or noun.ref is None or noun.aggregates or noun.count:
            self.i = start
            return False
        noun.aggregates = (Aggregate.SUM,)
        self.frame.items.append(noun)
        return True

    def _more_items(self, offset: int) -> bool:
        return self.noun_at(offset) or self.is_(
            Cue.AGGREGATE, Cue.COUNT, Cue.SUPERLATIVE, Cue.ALL, Cue.DISTINCT, offset=offset
        )

    def sentence(self) -> None:
        """Return what a further sentence says to show."""
        while self.is_(Cue.END, Cue.ASK, Cue.WHAT, Cue.BE, Cue.BOTH):
            self.i += 1
        if self.is_(Cue.TOP) and (number := self.number_at(1)) is not None and self.frame.sorts:
            self.frame.sorts[-1].limit = number
            self.i += 2
            return
        if not self._item_ahead():
            return
        items, frame = self.frame.items, self.frame
        frame.items = []
        self._items("")
        self._number(items)
        if frame.items and self.atoms[0].is_(Cue.WHOSE) and [(one.wh, one.ref) for one in items] == [("who", None)]:
            return  # whose pay is above 3000? list their first names
        frame.shown, frame.items = frame.items, items
        named = [*frame.groups, *items]
        rows = [ref for item in named if (ref := item.ref) is not None and surely_table(ref)]
        subject = next(
            (ref for item in named if (ref := item.ref if item.ref in rows else item.owner or item.ref)), None
        )
        for noun in frame.shown:
            table = noun.ref is not None and may_be_table(noun.ref)
            if noun.owner is None and not noun.count and not table and subject is not None and may_be_table(subject):
                noun.owner = subject

    def _number(self, items: list[Noun]) -> None:
        """`... and the number`: the one that was asked for."""
        figure = next((item for item in items if item.count or item.aggregates), None)
        for at, noun in enumerate(self.frame.items):
            alone = self.is_figure(noun)
            if (figure is not None and alone and noun.owner is None) or (
                figure is not None and noun.count and noun.ref is None
            ):
                self.frame.items[at] = figure

    def _items(self, wh: str) -> None:
        """The list of things to show."""
        frame = self.frame
        while True:
            if self.is_(Cue.BOTH) and self.noun_at(1):
                self.i += 1
            self.skip(Cue.ALL)
            if self.is_(Cue.EACH) and self.noun_at(1) and not frame.items:
                self.i += 1
            if self._difference():
                break
            self._extremes()
            if self._greatest_at():
                atom = self.atoms[self.i]
                atom.cue, atom.said = Cue.AGGREGATE, Aggregate.MAX if atom.said else Aggregate.MIN
            if not frame.items and (greatest := self._most_of()) is not None:
                self._placed(greatest, None)
                break
            sort = self.sort_before_noun()
            if sort is None and (kind := self._numbered_kind()) is not None:
                frame.conditions.append(kind)
            elif sort is None and (number := self.number_at()) is not None and self.noun_at(1) and not self.is_year():
                frame.limit = number
                self.i += 1
            values_before = self._value_before_noun()
            noun = self.noun()
            if noun is None and sort is None:
                break
            if noun is None:
                frame.sorts.append(sort) if sort else None
                break
            noun.wh = wh
            if frame.which and not frame.items and self._asks_for_owner(noun):
                noun.ref, noun.owner = noun.owner, None  # which coach's players
            self._placed(noun, sort)
            for cond in values_before:
                cond.near = tuple(self.near)
                frame.conditions.append(cond)
            if noun.owner is not None:
                for item in frame.items:
                    if item.owner is None and item.ref is not None and item.ref.columns and not may_be_table(item.ref):
                        item.owner = noun.owner
            before = self.i
            if self.is_(Cue.COMMA, Cue.AND, Cue.BUT):
                while self.is_(Cue.COMMA, Cue.AND):
                    self.i += 1
                while self.is_(Cue.ASK, Cue.WHAT, Cue.WHICH) or (self.is_(Cue.BE) and self.i > before):
                    self.i += 1
                if self._item_ahead():
                    continue
                self.i = before
            break

    def _extremes(self) -> None:
        """`the lowest and highest price` are its minimum and its maximum."""
        run = [at for at in range(self.i, len(self.atoms)) if not self.atoms[at].is_(Cue.COMMA, Cue.AND, Cue.ALL)]
        many = next((at for at, one in enumerate(run) if not self.atoms[one].is_(Cue.SUPERLATIVE, Cue.AGGREGATE)), 0)
        if many > 1 and self.atoms[run[many]].is_(Cue.COUNT) and not self.table_at(run[many] - self.i + 1):
            del self.atoms[run[many]]  # the largest, smallest and average number of voters
            run = run[: many + 1]
        if many > 2 and self.noun_at(run[many] - self.i) and run[many] - self.i >= 2 * many - 1:
            for one in (self.atoms[at] for at in run[:many]):
                if one.is_(Cue.SUPERLATIVE):  # the highest, the lowest and the average
                    one.cue, one.said = Cue.AGGREGATE, Aggregate.MAX if one.said.descending else Aggregate.MIN
            return
        if not (self.is_(Cue.SUPERLATIVE) and self.is_(Cue.AND, offset=1)):
            return
        atoms = [self.atoms[self.i], self.at(2)]
        if atoms[1] is None or not atoms[1].is_(Cue.SUPERLATIVE, Cue.AGGREGATE) or not self.noun_at(3):
            return
        if not self.frame.groups and any(
            atom is not None and atom.is_(Cue.SUPERLATIVE) and atom.said.adjective not in _GENERAL for atom in atoms
        ):
            return
        for atom in atoms:
            if atom is not None and atom.is_(Cue.SUPERLATIVE):
                named = self.atoms[self.i + 3]
                turned = set(self.cut.linked.words(named.first, named.last)) & set(atom.said.reversed_on)
                most = atom.said.descending != bool(turned)  # the oldest year is the least
                atom.said = Aggregate.MAX if most else Aggregate.MIN
                atom.cue = Cue.AGGREGATE

    def _most_of(self) -> Noun | None:
        """`What is the greatest number of orders of one customer`: how many, not whose."""
        if not (self.is_(Cue.MOST) and self.atoms[self.i].text.lower().endswith("number of") and self.noun_at(1)):
            return None
        if not self.is_(Cue.ASK, Cue.WHAT, Cue.BE, offset=-1):
            return None
        most = bool(self.atoms[self.i].said)
        self.i += 1
        noun = self.noun()
        if noun is not None:
            noun.count, noun.aggregates = True, (Aggregate.MAX if most else Aggregate.MIN,)
            if noun.owner is None and self.is_(Cue.PREPOSITION, Cue.OF) and self.table_at(1):
                self.i += 1
                noun.owner = self.atoms[self.i].ref
                self.i += 1
        return noun

    def _greatest_at(self) -> bool:
        """`the average price and the maximum number of pages`: a figure beside others."""
        counts = self.is_(Cue.MOST) and self.atoms[self.i].text.lower().endswith(("number of", "amount of"))
        return counts and self.is_figured() and self.noun_at(1) and not self.table_at(1)

    def _difference(self) -> bool:
        """`the difference between the highest and the lowest price`."""
        if not self.is_(Cue.DIFFERENCE):
            return False
        start = self.i
        self.i += 1
        self.skip(Cue.BETWEEN, Cue.OF, Cue.PREPOSITION)
        found: list[Noun] = []
        bare: list[Aggregate] = []
        while len(found) < 2 and self.i < len(self.atoms):
            atom = self.atoms[self.i]
            extreme: Aggregate | None = None
            if atom.is_(Cue.AGGREGATE):
                extreme = atom.said
            elif atom.is_(Cue.SUPERLATIVE):
                extreme = Aggregate.MAX if atom.said.descending else Aggregate.MIN
            if extreme is not None:
                self.i += 1
                self.skip(Cue.OF)
                bare.append(extreme)
            if (noun := self.noun()) is not None:
                for one in bare:
                    found.append(Noun(noun.ref, noun.owner, noun.near, (one,)))
                bare = []
            elif self.is_(Cue.AND):
                self.i += 1
                continue
            else:
                break
            self.skip(Cue.AND)
        if len(found) != 2:
            self.i = start
            return False
        found[0].minus = found[1]
        self.frame.items.append(found[0])
        return True

    def _item_ahead(self) -> bool:
        """Return whether the list of things to show goes on here."""
        if self.first_ahead():
            return False
        if self.is_(Cue.COUNT, Cue.AGGREGATE, Cue.SHARE, Cue.EVERYTHING, Cue.DISTINCT) or self._greatest_at():
            return True
        if self.is_(Cue.ALL, Cue.BOTH):
            return self.noun_at(1)
        if self.is_(Cue.COMMON, Cue.SUPERLATIVE):
            return self.noun_at(1)
        if not self.noun_at():
            return False
        nxt = self.at(1)
        if nxt is None or nxt.is_(Cue.END):
            return True
        if self.value_at(1) and self.table_at(2) and nxt.first > self.atoms[self.i].last:
            return True  # the fee of all advanced courses
        return not (nxt.is_(Cue.COMPARE, Cue.BETWEEN, Cue.MATCH, Cue.BE, Cue.NOT) or self.value_at(1))

    def _numbered_kind(self) -> Cond | None:
        """`two bed flats`, `3 credit courses`: so many of something stand before rows as an adjective does."""
        of, rows = self.at(1), self.at(2)
        if self.number_at() is None or of is None or of.ref is None or rows is None or not self.table_at(2):
            return None
        alone = of.last - of.first == 1 and self.cut.linked.tokens[of.first].is_lemma and of.last == rows.first
        if not alone or not self.noun_at(1) or self.table_at(1) or of.unit is not None:
            return None
        cond = self._new("compare")
        cond.noun, cond.values = Noun(of.ref, owner=rows.ref), self._refs(self.i)
        self.i += 2
        return cond

    def _value_before_noun(self) -> list[Cond]:
        """`French singers`, `female students`, `Ann Bly's age`."""
        found = []
        while self.value_at() and not self.is_(Cue.ALL):
            after = 2 if self.value_at(1) else 1
            if not (self.noun_at(1) or self.noun_at(after) or self._owns(after)):
                break
            if self.number_at() is not None and not self.table_at(1):
                break
            found.append(self.plain_value())
        if found and self._owns(0):
            self.i += 1
        return found

    def _owns(self, offset: int) -> bool:
        """Return whether what stands before has what is named behind."""
        return self.is_(Cue.POSSESSIVE, offset=offset) and self.noun_at(offset + 1)

    def _is_owned(self, noun: Noun) -> bool:
        """Return whether a table stands before a column as what has it: `duel's minutes`."""
        if noun.ref is None:
            return False
        if noun.owner is not None:
            return noun.owner.first < noun.ref.first
        return "'s" in self.cut.linked.words(noun.ref.first, noun.ref.last)

    def _asks_for_owner(self, noun: Noun) -> bool:
        """`Which coach's players have ...`: the coach is asked for, and not the players."""
        if noun.ref is None or noun.owner is None or self.at() is None:
            return False
        between = self.cut.linked.tokens[noun.owner.last : noun.ref.first]
        owned = [token.lemma for token in between] == ["'s"] and may_be_table(noun.owner)
        if not owned or noun.ref.best(MentionKind.TABLE) <= noun.ref.best(MentionKind.COLUMN):
            return False
        self.remember(noun.ref)
        return True

    def _computed_before(self, noun: Noun) -> bool:
        """Return whether a figure of the same column is asked for already."""
        said = {one.column for one in noun.ref.columns if one.score >= 0.9} if noun.ref is not None else set()
        had = (one.ref for one in self.frame.items if one.aggregates and one.ref is not None)
        return any(one.column in said for ref in had for one in ref.columns if one.score >= 0.9)

    def _placed(self, noun: Noun, sort: Sort | None) -> None:
        """Puts an item into the frame."""
        frame = self.frame
        if noun.ref is not None and noun.owner is None and may_be_table(noun.ref):
            self.remember(noun.ref)
        if sort is not None:
            if sort.common:
                sort.noun = noun
                frame.items.append(noun)
                frame.sorts.append(sort)
                return
            is_column = (
                sort.noun is None
                and noun.ref is not None
                and noun.ref.best(MentionKind.COLUMN) > noun.ref.best(MentionKind.TABLE)
            )
            if is_column and sort.degree is not None and sort.limit == 1 and self._computed_before(noun):
                most = sort.degree.descending
                noun.aggregates = (Aggregate.MAX if most else Aggregate.MIN,)  # the average and the quietest traffic
                frame.items.append(noun)
                return
            if self._is_owned(noun):
                frame.sorts.append(sort)  # the longest duel's minutes
                frame.items.append(noun)
                return
            if (
                is_column
                and sort.degree is not None
                and noun.ref is not None
                and sort.limit == 1
                and not frame.skipped
                and not noun.aggregates
                and (noun.owner is None or sort.degree.adjective in _GENERAL)
            ):
                sort.noun = noun
                noun.degree = sort.degree
                frame.items.append(noun)
                return
            if is_column and sort.degree is not None and sort.noun is None and noun.owner is None:
                sort.noun = noun
            elif sort.degree is not None and sort.degree.adjective in _GENERAL and sort.limit == 1:
                noun.extreme = None if frame.skipped else sort
            frame.sorts.append(sort)
        frame.items.append(noun)
        if noun.minus is None and noun.count and noun.ref is None:
            noun.aggregates = (Aggregate.COUNT,)

    def _finish(self) -> None:
        """Return what the list of items tells of the subject."""
        frame = self.frame
        frame.conditions[:] = [
            one for one, behind in zip_longest(frame.conditions, frame.conditions[1:]) if not _goes_on(one, behind)
        ]
        first = self.atoms[0] if self.atoms else None
        if first is not None and first.is_(Cue.WHICH) and len(frame.items) > 2 and not frame.groups:
            degree = frame.items[-1].degree
            if degree is not None and degree.superlative and not frame.sorts:  # in which port and year was the worst ..
                frame.sorts.append(Sort(replace(frame.items.pop(), degree=None), degree=degree, limit=1))
        if first is not None and first.is_(Cue.WHICH) and " " in first.text and not frame.sorts:
            frame.distinct = True  # in which years: each of them once
        frame.dangling = frame.dangling or self.negated
        told = [span for span in frame.unknown if self._is_explained(span) or self._is_whole(span)]
        frame.unknown[:] = [span for span in frame.unknown if span not in told and not self._says_nothing(span)]
        frame.modifiers += told
        for item in frame.items:
            ref = item.owner or (item.ref if item.ref is not None and may_be_table(item.ref) else None)
            if ref is not None and frame.subject is None:
                frame.subject = ref
        if frame.subject is None and frame.tables:
            frame.subject = frame.tables[0]


def _goes_on(cond: Cond, behind: Cond | None) -> bool:
    """`have the cell phone number 0970`: what is had is called by all the words, and is not had besides."""
    if behind is None or cond.kind != "null" or not cond.negated or behind.kind != "compare" or cond.values:
        return False
    one, other = (each.noun.ref if each.noun is not None else None for each in (cond, behind))
    return one is not None and other is not None and one.last == other.first
