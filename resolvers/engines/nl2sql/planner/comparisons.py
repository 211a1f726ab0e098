"""Conditions that compare: with values, with counts, with what must be computed first."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal as OneOf

from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.language.measures import measures_of
from resolvers.engines.nl2sql.language.phrases import PHRASES, Cue
from resolvers.engines.nl2sql.language.words import UNITS
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.plan import Aggregate, Operator
from resolvers.engines.nl2sql.planner.atoms import Atom, Ref
from resolvers.engines.nl2sql.planner.frame import Cond, Nest, Noun, Sort
from resolvers.engines.nl2sql.planner.multiples import multiple
from resolvers.engines.nl2sql.planner.nouns import calls_a_table, may_be_table
from resolvers.engines.nl2sql.planner.ordering import Ordering

POSTFIX = {" ".join(words) for words, (cue, _) in PHRASES.items() if cue is Cue.COMPARE and words[0] == "or"}
"""What stands behind a number: `4 or more`."""


_OWN = frozenset(("own", "same", "its", "their", "his", "her", "respective"))
"""Words of what each row has to itself."""
_ONWARD = frozenset(("on", "onward", "onwards"))


class Comparisons(Ordering):
    """Reads what is compared."""

    def _had(
        self, noun: Noun, negated: bool, count: tuple[Operator, tuple[int, ...]] | None = None, plain: bool = False
    ) -> None:
        """Things that are had, or not."""
        cond = self._new("exists", negated=negated)
        cond.noun, cond.table, cond.count = noun, noun.owner or noun.ref, count
        if noun.ref is not None and may_be_table(noun.ref):
            self.remember(noun.ref)
        self._add(cond)
        if negated:
            self.scope = cond.inner

    def _new(self, kind: OneOf["compare", "value", "exists", "null", "superlative"], negated: bool = False) -> Cond:
        cond = Cond(
            kind, self.i, negated=negated or self.negated, near=tuple(self.near), joined=self.joined, both=self.both
        )
        cond.apart, cond.those = self.apart, self.those and cond.negated
        self.those = False
        return cond

    def _add(self, cond: Cond) -> None:
        nest = self.last.nest if self.last is not None else None
        if nest is not None and nest.aggregate is not None and not cond.apart and cond.how == "time":
            nest.conditions.append(cond)  # the average guide born after 1970
        elif self.scope is not None and cond.kind != "exists":
            cond.negated = False if not cond.negated else cond.negated
            self.scope.append(cond)
        else:
            self.frame.conditions.append(cond)
        self.negated = False
        self.listing = False
        self.apart = False
        self.last = cond
        if self.joined == "but":
            self.joined = "and"

    def plain_value(self) -> Cond:
        """A value by itself: its column follows from it."""
        atom = self.atoms[self.i]
        cond = self._new("value")
        values = [atom.ref] if atom.ref is not None else []
        self.i += 1
        while self.value_at(1) and (self.is_(Cue.OR, Cue.COMMA) or (cond.negated and self.is_(Cue.AND))):
            ref = self.atoms[self.i + 1].ref
            if cond.negated and not (self.is_(Cue.OR) or self._same_kind(values[0], ref)):
                break  # from neither the USA nor Mexico, said as `not from the USA and Mexico`
            if self.is_(Cue.COMMA) and not self._or_follows(self.i + 2, *((Cue.AND,) if cond.negated else ())):
                break
            self.i += 2
            if ref is not None:
                values.append(ref)
        cond.values = tuple(values)
        if len(values) == 1 and any(
            one.values and one.values[0].kind in ("date", "time") for one in values[0].literals
        ):
            self._from_then_on(cond)
        before = self.atoms[atom_at] if (atom_at := self.atoms.index(atom) - 1) >= 0 else None
        cond.how = "in" if before is not None and before.is_(Cue.PREPOSITION, Cue.FROM) else ""
        return cond

    def _from_then_on(self, cond: Cond) -> None:
        """`in 2015 or later`."""
        atom = self.at()
        if atom is not None and atom.text.lower() in _ONWARD and self.is_(Cue.FROM, offset=-2):
            after = self.at(1)
            if after is None or after.is_(Cue.END, Cue.COMMA, Cue.AND):
                cond.kind, cond.operator, cond.how = "compare", Operator.AT_LEAST, "time"  # from 2021 on
                self.i += 1
            return
        if atom is None or not atom.is_(Cue.COMPARE) or atom.text.lower() not in POSTFIX:
            return
        operator = atom.said[0] if isinstance(atom.said, tuple) else atom.said
        if isinstance(operator, Operator):
            cond.kind, cond.operator, cond.how = "compare", operator, "time"
            self.i += 1

    def _or_follows(self, at: int, *also: Cue) -> bool:
        return any(atom.is_(Cue.OR, *also) for atom in self.atoms[at : at + 4])

    def _valued(self, noun: Noun) -> None:
        """`whose country is France or Spain`."""
        cond = self._new("compare")
        cond.noun = noun
        value = self.plain_value()
        cond.values, cond.operator, cond.how = value.values, value.operator, "time" if value.kind == "compare" else ""
        if self.is_(Cue.AND) and self.value_at(1) and self._same_kind(cond.values[0], self.atoms[self.i + 1].ref):
            self._add(cond)
            self.i += 1
            more = self._new("compare")
            more.noun, more.both = noun, True
            more.values = self.plain_value().values
            self._add(more)
            return
        cond.operator = self._or_beyond() or cond.operator
        self._add(cond)

    def _or_beyond(self) -> Operator | None:
        """`60 or more`, `60 days or longer`: which way a value is not the only one, behind its unit."""
        unit = self.at()
        lemma = self.cut.linked.tokens[unit.first].lemma if unit is not None else ""
        at = 1 if lemma in UNITS or measures_of(lemma) else 0
        atom = self.at(at)
        if atom is None or not atom.is_(Cue.COMPARE) or atom.text.lower() not in POSTFIX:
            return None
        self.i += at + 1
        return atom.said if isinstance(atom.said, Operator) else None

    def _same_kind(self, one: Ref, other: Ref | None) -> bool:
        columns = {mention.column for mention in one.values}
        return other is not None and bool(columns & {mention.column for mention in other.values})

    def _counted(self, noun: Noun, operator: Operator, number: int, ref: Ref | None) -> None:
        """`more than 3 courses`, `at least 20 years`."""
        if noun.ref is not None and not noun.count and not may_be_table(noun.ref):
            cond = self._new("compare")
            cond.noun, cond.operator = noun, operator
            cond.values = (ref,) if ref is not None else ()
            self._add(cond)
            return
        self._had(noun, self.negated, (operator, (number,)))

    def _compared(self, noun: Noun | None) -> bool:
        """Return what stands behind a word that compares."""
        start = self.i
        atom = self.atoms[self.i]
        cond = self._new("compare")
        cond.noun = noun
        self.i += 1
        if atom.is_(Cue.NULL):
            cond.kind = "null"
            if noun is None:
                if not self.noun_at():
                    self.i = start
                    return False
                cond.noun = self.noun()
            self._add(cond)
            return True
        if atom.is_(Cue.MATCH):
            if not self.value_at() and not (self.maybe_value_at() or self._one_letter()):
                self.i = start
                return False
            if noun is None and self.value_at() and self._is_held(atom):
                self._add(self.plain_value())  # products that contain almonds, trips that end in Leeds
                return True
            cond.operator, cond.how = Operator.LIKE, atom.said
            ref = self.atoms[self.i].ref
            if ref is None:
                ref = Ref(self.atoms[self.i].first, self.atoms[self.i].last, ())
            self.i += 1
            cond.values = (ref, *self._other_beginnings(ref, cond.how))
            last, conditions = self.last, self.frame.conditions
            if noun is None and last is not None and last.kind == "null" and last.negated and conditions[-1:] == [last]:
                cond.noun = conditions.pop().noun  # have a family name that begins with N
            elif self.is_(Cue.PREPOSITION) and noun is None and self.noun_at(1):
                self.i += 1
                cond.noun = self.noun()
            self._add(cond)
            return True
        if atom.is_(Cue.BETWEEN):
            low = self.at()
            if low is None or low.ref is None:
                self.i = start
                return False
            if self.is_(Cue.AND, Cue.TO, offset=1) and (high := self.at(2)) is not None and high.ref is not None:
                cond.operator = Operator.BETWEEN
                cond.values = (low.ref, high.ref)
                self.i += 3
            elif low.ref.literals or low.ref.values:
                cond.operator = Operator.BETWEEN
                cond.values = (low.ref,)
                self.i += 1
            else:
                self.i = start
                return False
            if cond.noun is None and self.noun_at() and not self.table_at():
                cond.noun = self.noun()
            self._add(cond)
            return True
        return self._operand(cond, atom, start)

    def _other_beginnings(self, first: Ref, how: str) -> Iterator[Ref]:
        """`begins with A or B`, `A or with B`: the letters behind the first one."""
        tokens = self.cut.linked.tokens
        while how in ("starts", "ends") and first.last - first.first == 1 and len(tokens[first.first].text) == 1:
            at = 2 if self.is_(Cue.OR) and self.is_(Cue.WITH, offset=1) else 1
            atom = self.at(at) if self.is_(Cue.OR) else None
            if atom is None or atom.last - atom.first != 1 or len(tokens[atom.first].text) != 1:
                return
            self.i += at + 1
            yield Ref(atom.first, atom.last, ())

    def _is_held(self, atom: Atom) -> bool:
        """Return whether what is contained is a value of its own rather than a part of a text."""
        ref = self.atoms[self.i].ref
        contains = atom.said == "contains" and atom.text.lower() not in ("like", "likes")
        last = (
            atom.last - atom.first == 2 and atom.said in ("starts", "ends") and atom.text.lower()[-3:] in (" in", "ith")
        )
        plain = (atom.last - atom.first == 1 and contains) or last
        quoted = ref is not None and self.cut.linked.tokens[ref.first].quoted
        return plain and not quoted and ref is not None and ref.best(MentionKind.VALUE) >= 0.9

    def _one_letter(self) -> bool:
        atom = self.at()
        return atom is not None and (atom.is_unknown or atom.text.lower() in ("a", "i"))

    def _operand(self, cond: Cond, atom: Atom, start: int) -> bool:
        said = atom.said
        if isinstance(said, Degree):
            cond.degree = said
            cond.operator = Operator.MORE if said.descending else Operator.LESS
        elif isinstance(said, tuple):
            cond.operator, cond.how = said
        elif isinstance(said, Operator):
            cond.operator = said
        self.skip(Cue.THAN, Cue.OF, Cue.BE)
        if cond.noun is None and self.noun_at() and not self.table_at() and self.value_at(1):
            cond.noun = self.noun()
        if self.is_(Cue.RELATIVE) and self.is_(Cue.EACH, Cue.ALL, Cue.OF, offset=1):
            self.i += 1  # than that of every
        self.skip(Cue.OF)
        every = self.is_(Cue.ALL, Cue.EACH) or self._says_every(atom.last)
        self.skip(Cue.ALL, Cue.EACH)
        times = self._times()
        if self.is_(Cue.AGGREGATE, Cue.SUPERLATIVE):
            self._nested(cond, times)
            return True
        if (cond.noun is not None or cond.degree is not None) and self.is_(Cue.WITH, Cue.RELATIVE) and self.near:
            cond.nest = Nest(None, Noun(self.near[0]))  # than the one with, of the same rows
            if self._first_of(cond.nest):
                self._add(cond)
                return True
            cond.nest = None
        if every and self._spans_all(atom):
            self.i = start + 1
            return True  # the average count over all treatments
        number = self.number_at()
        if (often := self._often()) is not None:
            self._done_often(cond, often)
            return True
        if number is not None and cond.degree is None and cond.how != "time":
            unit = (
                self.table_at(1)
                or (self.is_(Cue.DISTINCT) and self.table_at(2))
                or (self.is_(Cue.DISTINCT, offset=1) and self.noun_at(2))
                or (self.is_(Cue.AGGREGATE, offset=1) and self.noun_at(2))  # more than 500 total points
            )
            if self.table_at(1) and start > 0 and self.atoms[start - 1].verbal:
                cond.noun = None  # that air more than one cartoon
            if unit and cond.noun is None:
                ref = self.atoms[self.i].ref
                self.i += 1
                counted = self.noun()
                if counted is not None:
                    self._counted(counted, cond.operator, number, ref)
                    return True
            if not unit and self._counted_kind(cond.operator, (number,), 1):
                return True
        if self.maybe_value_at() or self.value_at():
            ref = self.atoms[self.i].ref
            is_value = ref is not None and not ref.literals and bool(ref.values)
            self.i += 1
            if ref is not None and is_value and (cond.degree is not None or cond.operator is not Operator.EQUAL):
                cond.nest = Nest(None, None, [Cond("value", self.i, values=(ref,), near=tuple(self.near))], every)
                while self.value_at() and (more := self.atoms[self.i].ref) is not None and more.values:
                    cond.nest.conditions.append(Cond("value", self.i, values=(more,), near=tuple(self.near)))
                    self.i += 1
                if self.table_at() and (noun := self.noun()) is not None and noun.ref is not None:
                    self.remember(noun.ref)
                    cond.nest.noun = noun
            else:
                cond.values = (ref,) if ref is not None else ()
            if cond.noun is None and self.noun_at() and not self.table_at():
                cond.noun = self.noun()
            self._add(cond)
            return True
        if self.noun_at() and (cond.noun is not None or every or cond.degree is not None):
            cond.nest = Nest(None, self.noun(), every=every)
            cond.nest.every = every or (self.is_(Cue.EACH) or self._says_every(self.atoms[self.i - 1].last))
            if cond.nest.noun is not None and cond.nest.noun.ref is not None and may_be_table(cond.nest.noun.ref):
                self.remember(cond.nest.noun.ref)
            self._first_of(cond.nest)
            self._inner(cond.nest)
            self._add(cond)
            table = cond.nest.noun is not None and cond.nest.noun.ref is not None and may_be_table(cond.nest.noun.ref)
            told = (follows := self.at()) is not None and (follows.verbal or follows.is_(Cue.LIGHT, Cue.FROM, Cue.WITH))
            if table and cond.nest.every and told:
                self.scope = cond.nest.conditions  # than every wine made from Merlot
            return True
        self.i = start
        return False

    def _times(self) -> Decimal | None:
        """How many times the figure that follows is meant: twice the average."""
        found = multiple(self.atoms, self.i)
        ahead = found[1] if found is not None else 0
        if found is None or not self.is_(Cue.AGGREGATE, Cue.SUPERLATIVE, offset=ahead):
            return None
        self.i += ahead
        return found[0]

    def _spans_all(self, atom: Atom) -> bool:
        """`over all treatments`: of which rows, rather than more than what."""
        return atom.text.lower() in ("over", "under", "within") and self.table_at()

    def _often(self) -> int | None:
        """How often something is said to be done, which is read: once, twice, three times."""
        atom, times = self.at(), self.at(1)
        if atom is not None and atom.text.lower() in ("once", "twice"):
            self.i += 1
            return 1 if atom.text.lower() == "once" else 2
        number = self.number_at()
        if number is None or times is None or not self._says_times(1) or self.value_at(2):
            return None
        self.i += 2
        return number

    def _says_times(self, offset: int) -> bool:
        atom = self.at(offset)
        return atom is not None and atom.text.lower() in ("time", "times")

    def _done_often(self, cond: Cond, often: int) -> None:
        """`repaired at least three times`: counts what the verb before it speaks of."""
        if (cond.operator, often) == (Operator.AT_LEAST, 1) and self.last is not None:
            return  # cost more than 50 at least once
        done = self._done()
        cond.kind, cond.noun, cond.table, cond.count = "exists", Noun(done), done, (cond.operator, (often,))
        self._add(cond)

    def _done(self) -> Ref | None:
        """Return what was done so often: the table that a verb speaks of, or the last one named; None for what is
        shown.
        """
        verbs = [atom.ref for atom in self.atoms[: self.i] if atom.verbal and atom.ref is not None]
        named = [ref for ref in verbs if ref.tables and calls_a_table(ref)]
        named = named or [ref for ref in verbs if _is_noted_so(ref)]
        found = named[-1] if named else self.near[0] if self.near else None
        if named and found is not None:
            self.remember(found)
        return found

    def _indefinite(self, start: int) -> bool:
        """`a school`: one that is had, rather than something to show."""
        first = self.atoms[start].first
        return first > 0 and self.cut.linked.tokens[first - 1].text.lower() in ("a", "an")

    def _possessed(self, start: int) -> bool:
        """`with their departments`: shown as well."""
        first = self.atoms[start].first
        said = self.cut.linked.tokens[first - 1].text.lower() if first else ""
        return start > 0 and self.atoms[start - 1].is_(Cue.WITH) and said in ("its", "their", "his", "her")

    def _listed_with(self, start: int) -> bool:
        """`invoices with customer and amount`: what is shown beside, as a list in the singular says."""
        atom, tokens = self.atoms[start], self.cut.linked.tokens
        bare = start > 0 and self.atoms[start - 1].is_(Cue.WITH) and atom.first == self.atoms[start - 1].last
        return bare and tokens[atom.last - 1].is_lemma and self.is_(Cue.AND, Cue.COMMA) and self.noun_at(1)

    def _touches(self) -> bool:
        return self.atoms[self.i].first == self.atoms[self.i - 1].last

    def _says_every(self, first: int) -> bool:
        """Return whether `all` or the like stands between a token and what is read next."""
        last = self.atoms[self.i].first if self.i < len(self.atoms) else first
        said = {token.text.lower() for token in self.cut.linked.tokens[first:last]}
        return bool(said & {"all", "any", "every", "each"})

    def _nested(self, cond: Cond, times: Decimal | None = None) -> None:
        """`than the average age of all singers`, `than twice the average`."""
        atom = self.atoms[self.i]
        extreme = Aggregate.MAX if getattr(atom.said, "descending", True) else Aggregate.MIN
        aggregate = atom.said if atom.is_(Cue.AGGREGATE) else extreme
        self.i += 1
        own = self._of_own_kind()
        self.skip(Cue.OF)
        values: list[Cond] = []
        if atom.is_(Cue.SUPERLATIVE) and self.value_at() and self.table_at(1):
            values.append(self.plain_value())  # the oldest German explorer
            values[0].negated = False
        noun = self.noun() if own is None else None
        cond.nest = Nest(aggregate, noun, values, own=own, times=times)
        if atom.is_(Cue.SUPERLATIVE) and noun is not None and noun.ref is not None and may_be_table(noun.ref):
            noun.degree = atom.said
        if noun is not None and cond.noun is None and noun.ref is not None and not may_be_table(noun.ref):
            cond.noun = noun
        self._inner(cond.nest)
        self._add(cond)
        table = noun is not None and noun.ref is not None and may_be_table(noun.ref)
        if table and (follows := self.at()) is not None and follows.verbal:
            self.scope = cond.nest.conditions  # the average boat built after 2010

    def _of_own_kind(self) -> Noun | None:
        """`of their own category`, `in its city`, `for the same job`: those that are like each row in something."""
        if not self.is_(Cue.OF, Cue.PREPOSITION, Cue.FROM):
            return None
        ahead = 1
        while self.is_(Cue.SAME, Cue.HAVE, Cue.ALL, Cue.EACH, Cue.OF, offset=ahead):
            ahead += 1
        noun = self.at(ahead) if self.noun_at(ahead) else None
        if noun is None:
            return None
        between = self.cut.linked.tokens[self.atoms[self.i].first : noun.first]
        if not _OWN & {token.text.lower() for token in between}:
            return None
        start = self.i
        self.i += ahead
        found = self.noun()
        if found is None or found.ref is None:
            self.i = start
            return None
        return found

    def _first_of(self, nest: Nest) -> bool:
        """`than the boat with the highest mast`, `than the boat that has the most berths`: the row that comes first."""
        start, told = self.i, nest.noun is not None and nest.noun.ref is not None and may_be_table(nest.noun.ref)
        self.skip(Cue.WITH, Cue.RELATIVE, Cue.HAVE)
        atom = self.at()
        if not told or self.i == start or atom is None or not atom.is_(Cue.SUPERLATIVE, Cue.MOST):
            self.i = start
            return False
        self.i += 1
        noun = self.noun()
        if noun is None or noun.ref is None or may_be_table(noun.ref):
            self.i = start
            return False
        degree = atom.said if isinstance(atom.said, Degree) else None
        nest.sort = Sort(noun, None if degree is not None else bool(atom.said), degree, limit=1)
        return True

    def _inner(self, nest: Nest) -> None:
        """Conditions of what is computed first: `of the singers from France`."""
        noun = nest.noun
        if noun is not None and noun.ref is not None and noun.owner is not None:
            between = self.cut.linked.tokens[noun.ref.last : noun.owner.first]
            if _OWN & {token.text.lower() for token in between}:
                nest.own, noun.owner = Noun(noun.owner), None  # than the average product in its category
        nest.own = nest.own or self._of_own_kind()
        while self.is_(Cue.OF, Cue.PREPOSITION, Cue.FROM, Cue.ALL, Cue.EACH, Cue.WITH, Cue.LIGHT) and (
            self.value_at(1) or self.noun_at(1) or self.is_(Cue.ALL, offset=1)
        ):
            self.i += 1
        if self.noun_at() and not self.is_(Cue.OF, offset=1):
            if (
                (noun := self.noun()) is not None
                and noun.ref is not None
                and nest.noun is not None
                and nest.noun.owner is None
            ):
                nest.noun.owner = noun.ref
            elif noun is not None and nest.noun is None:
                nest.noun = noun
            while self.is_(Cue.PREPOSITION, Cue.FROM, Cue.WITH, Cue.LIGHT, Cue.OF) and self.value_at(1):
                self.i += 1
        while self.value_at():
            nest.conditions.append(self.plain_value())
        if nest.conditions and self.table_at() and self._touches() and (noun := self.noun()) is not None:
            if noun.ref is not None:
                self.remember(noun.ref)
            if nest.noun is not None and nest.noun.owner is None:
                nest.noun.owner = noun.ref  # of all jazz teachers

    def _same(self) -> bool:
        """`the same country as 'Foo'`."""
        start = self.i
        self.i += 1
        noun = self.noun()
        if noun is None or not self.is_(Cue.AS):
            self.i = start
            return False
        self.i += 1
        cond = self._new("compare")
        cond.noun = noun
        cond.nest = Nest(None, noun)
        self.skip(Cue.ALL)
        while self.noun_at() and not self.value_at():
            if (other := self.noun()) is None:
                break
            if other.ref is not None and may_be_table(other.ref):
                self.remember(other.ref)
            self.skip(Cue.LIGHT, Cue.BE, Cue.OF, Cue.WITH)
        self._inner(cond.nest)
        if not cond.nest.conditions:
            self.i = start
            return False
        self._add(cond)
        return True

    def _more_than(self) -> bool:
        """`more seats than the Falcon`."""
        following = self.at(1)
        summed = following is not None and following.is_(Cue.AGGREGATE) and following.said is Aggregate.SUM
        if not self.is_(Cue.MORE) or not self.noun_at(2 if summed else 1):
            return False  # more career home runs than Ann
        start = self.i
        self.i += 2 if summed else 1
        noun = self.noun()
        if noun is None or not self.is_(Cue.THAN):
            self.i = start
            return False
        cond = self._new("compare")
        cond.noun = noun
        return self._operand(cond, self.atoms[start], start)

    def _numbers_of(self) -> tuple[tuple[int, int], int] | None:
        """Two whole numbers that something lies between, and how many atoms say so: `between 3 and 5`, `3 to 5`."""
        atom = self.at()
        if atom is None or atom.ref is None:
            return None
        for one in atom.ref.literals:
            ends = [value.value for value in one.values if value.kind == "number"]
            if len(ends) == 2 and all(isinstance(end, Decimal) and end == int(end) for end in ends):
                return (int(str(ends[0])), int(str(ends[1]))), 1
        low, high = self.number_at(), self.number_at(2) if self.is_(Cue.TO, offset=1) else None
        return ((low, high), 3) if low is not None and high is not None else None

    def _refs(self, at: int) -> tuple[Ref, ...]:
        ref = self.atoms[at].ref
        return (ref,) if ref is not None else ()

    def _between_rows(self) -> bool:
        """`between 3 and 5 films`: how many rows there are of something that is had."""
        found = self._numbers_of()
        if found is None:
            return False
        if not self.table_at(found[1]):
            return self._counted_kind(Operator.BETWEEN, *found)
        self.i += found[1]
        if (noun := self.noun()) is not None:
            self._had(noun, self.negated, (Operator.BETWEEN, found[0]))
        return True

    def _rows_ahead(self, offset: int) -> int | None:
        """Where a table is named behind values that tell which of its rows are meant; None where it is not so."""
        ahead = offset
        while not self.table_at(ahead) and (self._is_kind(ahead) or (ahead > offset and self._is_verb(ahead))):
            ahead += 1  # more than 3 French films, R-rated films
        return ahead if self.table_at(ahead) else None

    def _is_kind(self, offset: int) -> bool:
        return self.value_at(offset) and self.number_at(offset) is None

    def _is_verb(self, offset: int) -> bool:
        atom = self.at(offset)
        return atom is not None and atom.verbal

    def _counted_kind(self, operator: Operator, numbers: tuple[int, ...], offset: int) -> bool:
        """`more than 3 French films`: rows of a kind are counted, which values before them tell."""
        ahead = self._rows_ahead(offset)
        if ahead is None:
            return False
        kinds = [self.i + at for at in range(offset, ahead) if self._is_kind(at)]
        self.i += ahead
        if (noun := self.noun()) is None:
            return False
        self._had(noun, self.negated, (operator, numbers))
        behind = self.i
        for at in kinds:
            cond = Cond("value", behind, values=self._refs(at), near=tuple(self.near))
            self.frame.conditions.append(cond)
        return True

    def _range_of(self) -> bool:
        """`between 3 and 4 credits`, where the range is one value."""
        atom = self.atoms[self.i]
        if atom.ref is None or atom.cue is not None:
            return False
        if not any(len(one.values) == 2 and one.values[0].kind == "number" for one in atom.ref.literals):
            return False
        ahead = 2 if self.is_(Cue.OF, Cue.PREPOSITION, offset=1) else 1
        named = self.noun_at(ahead) and not self.table_at(ahead) and (ahead == 1 or not self.value_at(ahead + 1))
        tokens = self.cut.linked.tokens
        if not named and not (atom.last < len(tokens) and measures_of(tokens[atom.last].lemma)):
            return False
        cond = self._new("compare")
        cond.operator, cond.values = Operator.BETWEEN, (atom.ref,)
        self.i += 1
        if named:
            self.i += ahead - 1
            cond.noun = self.noun()
        self._add(cond)
        return True


def _is_noted_so(ref: Ref) -> bool:
    """Return whether a verb names a column of the table that it names as well: admitted, of admissions with a day of
    it.
    """
    tables = {one.table for one in ref.tables}
    return any(one.column is not None and one.column.table in tables for one in ref.columns if one.score >= 0.8)
