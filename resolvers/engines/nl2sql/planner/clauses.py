"""The clauses behind what is asked for: conditions, things had or not had, verbs, and what goes on from before."""

from resolvers.engines.nl2sql.language.degrees import Degree, degree_of
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.verbs import is_participle
from resolvers.engines.nl2sql.mention import Mention, MentionKind
from resolvers.engines.nl2sql.plan import Aggregate, Operator
from resolvers.engines.nl2sql.planner.atoms import Atom, Ref
from resolvers.engines.nl2sql.planner.comparisons import POSTFIX
from resolvers.engines.nl2sql.planner.fractions import Fractions
from resolvers.engines.nl2sql.planner.frame import Noun, Sort
from resolvers.engines.nl2sql.planner.nouns import calls_a_table, may_be_table, surely_table

_PATH = (Cue.RELATIVE, Cue.WITH, Cue.PREPOSITION, Cue.FROM, Cue.TO, Cue.BE, Cue.OF, Cue.HAVE, Cue.WHOSE, Cue.AS,
         Cue.WHO, Cue.WHICH, Cue.WHAT, Cue.LIGHT, Cue.ONLY, Cue.BY, Cue.WHERE, Cue.ALL, Cue.ASK, Cue.POSSESSIVE,
         Cue.EVERYTHING, Cue.THAN, Cue.NONE_TOO)  # fmt: skip


_WHOLE = frozenset(("company", "firm", "business", "organisation", "organization", "staff", "team"))
_HELD = 0.85
"""How well a word must be known as a value for what `that` says behind it to be said of its rows."""
_SAID_OF = (Cue.FROM, Cue.PREPOSITION, Cue.WITH, Cue.LIGHT, Cue.BY, Cue.RELATIVE)
"""What stands between rows and what is said of them."""
_CALLED = 0.95
"""How well words must fit a table to call it."""
_BEFORE_KINDS = frozenset(("the", "a", "an", "of", "in", "at", "from", "for", "by", "with", "on", "to", "and", "or"))
"""Words before one that says what kind of thing the name behind it is."""


class Clauses(Fractions):
    """Reads one clause after the other."""

    def clause(self) -> None:
        """Reads one."""
        atom = self.atoms[self.i]
        if self._beside_the_plan(atom):
            pass
        elif atom.is_(Cue.AND, Cue.OR, Cue.BUT, Cue.COMMA):
            self._connector(atom)
        elif atom.is_(Cue.MUCH) and isinstance(atom.said, Degree):
            self.frame.items.append(Noun(degree=atom.said, near=tuple(self.near)))  # and how old are they
            self.i += 1
        elif atom.is_(Cue.END):
            self.frame.dangling = self.frame.dangling or self.negated
            self.scope, self.negated, self.joined = None, False, "and"
            if self.is_(Cue.ASK, offset=1) or self._only_lists(1):
                self.sentence()
            else:
                self.i += 1
        elif atom.is_(Cue.WHEN, Cue.WHERE) and self.listing and " " in atom.text:
            self.frame.loose.append((atom.first, atom.last))  # and when was that made
            self.i += 1
        elif atom.is_(Cue.BOTH, Cue.EITHER, Cue.NEITHER):
            self.frame.both = self.frame.both or atom.is_(Cue.BOTH)
            self.frame.either = self.frame.either or atom.is_(Cue.EITHER)
            self.both = atom.is_(Cue.BOTH)
            self.negated = self.negated or atom.is_(Cue.NEITHER)
            self.i += 1
        elif self.is_(Cue.LIGHT, offset=-1) and self._whole_ahead():
            self.i += 1  # joined the company in 2024
        elif not (self._order() or self._group() or self._most() or self._negation() or self._condition()):
            self._of_the_value()
            self._rest(atom)

    def _of_the_value(self) -> None:
        """`owners of a dog that is 3 years old`: what `that` says behind a value is said of the rows that hold it."""
        value = self.last.values[0] if self.last is not None and self.last.kind == "value" else None
        atom = self.at()
        if value is None or atom is None or value.last != atom.first or atom.text.lower() not in ("that", "which"):
            return
        if not self.is_(Cue.BE, Cue.HAVE, offset=1) or self.cut.linked.tokens[value.first].quoted:
            return
        held = [one.column.table for one in value.values if one.column is not None and one.score >= _HELD]
        if len(set(held)) == 1 and self.cut.linked.tokens[value.last - 1].text.islower():
            rows = Mention(value.first, value.last, MentionKind.TABLE, 1.0, "value", table=held[0])
            self.near.insert(0, Ref(value.first, value.last, (rows,)))

    def sentence(self) -> None:
        """Return what a further sentence says to show."""
        self.i += 1

    def _only_lists(self, offset: int) -> bool:
        """`... Last names.`: a sentence of nothing but columns."""
        if self.at(offset) is None or not self.noun_at(offset) or self.table_at(offset):
            return False
        while (atom := self.at(offset)) is not None and not atom.is_(Cue.END):
            if not (self.noun_at(offset) or atom.is_(Cue.AND, Cue.COMMA, Cue.ALL)) or self.table_at(offset):
                return False
            offset += 1
        return True

    def _connector(self, atom: Atom) -> None:
        if not atom.is_(Cue.COMMA):
            self.joined = "or" if atom.is_(Cue.OR) else "but" if atom.is_(Cue.BUT) else "and"
        self.scope = None
        self.i += 1
        self.listing = True
        self.apart = True

    def _negation(self) -> bool:
        if self.is_(Cue.NOT):
            self.negated = True
            behind = self.cut.linked.tokens[self.atoms[self.i].last :][:2]
            never = "never" in self.atoms[self.i].text.lower()  # buyers who never paid in cash, in none of their rows
            self.those = never or [token.text.lower() for token in behind] == ["those", "of"]
            taken_away = self.atoms[self.i].text.lower().startswith("exc")
            self.i += 1
            self.skip(Cue.ALL)
            if taken_away and self._rows_again():
                return True
            return True
        if self.is_(Cue.NO):
            self.i += 1
            self.skip(Cue.ALL, Cue.DISTINCT)
            if not self.noun_at():
                self.negated = True
                return True
            noun = self.noun()
            if noun is None or noun.ref is None:
                self.negated = True
                return True
            self._had(noun, negated=True)
            return True
        return False

    def _rows_again(self) -> bool:
        """`excluding orders from France`, of orders: what is said of them is denied, rather than that there are any."""
        behind, ref = self.at(1), self.atoms[self.i].ref if self.table_at() else None
        if ref is None or behind is None or not (behind.verbal or behind.is_(*_SAID_OF)):
            return False
        nouns = [*self.frame.items, *(sort.noun for sort in self.frame.sorts if sort.noun is not None)]
        named = [one for noun in nouns for one in (noun.ref, noun.owner) if one is not None]
        called = [{one.table for one in each.tables if one.score >= _CALLED} for each in (ref, *named)]
        if not any(called[0] & tables for tables in called[1:]):
            return False
        self.i += 1
        self.remember(ref)
        return True

    def _condition(self) -> bool:
        start = self.i
        if self._fraction() or self._like_others() or self._done_to_others():
            return True
        if self.is_(Cue.COMPARE, Cue.BETWEEN, Cue.MATCH, Cue.NULL) and self._compared(None):
            return True
        if self._same_end() or (self.is_(Cue.SAME) and self._same()):
            return True
        if self._between_rows():
            return True
        if (number := self.number_at()) is not None:
            if self.atoms[self.i].text.lower() != "once" and (often := self._often()) is not None:
                cond = self._new("exists")
                behind = self.at()
                if behind is not None and behind.is_(Cue.COMPARE) and behind.text.lower() in POSTFIX:
                    cond.operator = behind.said if isinstance(behind.said, Operator) else cond.operator
                    self.i += 1  # 3 times or more
                self._done_often(cond, often)
                return True
            after = self.at(1)
            if after is not None and after.is_(Cue.COMPARE) and after.text.lower() in POSTFIX and self.noun_at(2):
                self.i += 2
                noun = self.noun()
                if noun is not None:
                    self._counted(noun, after.said, number, self.atoms[start].ref)
                    return True
            if after is not None and after.is_(Cue.COMPARE) and after.text.lower() in POSTFIX:
                cond = self._new("compare")
                cond.values, cond.degree = self._refs(start), degree_of(after.text.split()[-1])
                cond.operator = after.said if isinstance(after.said, Operator) else cond.operator
                self.i += 2
                self._add(cond)  # got a 9 or better
                return True
            behind = self.at(2) if self.table_at(1) else None
            if behind is not None and behind.is_(Cue.COMPARE) and behind.text.lower() in POSTFIX:
                self.i += 1
                if (noun := self.noun()) is not None:
                    self.i += 1
                    self._counted(noun, behind.said, number, self.atoms[start].ref)  # 6 films or more
                    return True
            if self.noun_at(1) and not self.table_at(1) and not self.is_(Cue.OF, Cue.BE, offset=2):
                self.i += 1
                noun = self.noun()
                if noun is not None:
                    operator, behind = Operator.EQUAL, self.at()
                    if behind is not None and behind.is_(Cue.COMPARE) and behind.text.lower() in POSTFIX:
                        operator = behind.said if isinstance(behind.said, Operator) else operator
                        self.i += 1  # got 90 points or more
                    self._counted(noun, operator, number, self.atoms[start].ref)
                    return True
            if self.table_at(1) and (
                self.is_(Cue.HAVE, Cue.WITH, Cue.LIGHT, Cue.ONLY, offset=-1) or self._deed_before()
            ):
                self.i += 1
                noun = self.noun()
                if noun is not None:
                    self._counted(noun, Operator.EQUAL, number, self.atoms[start].ref)
                    return True
        if self._more_than() or self._range_of() or self._verb():
            return True
        if (self._on_average(self.atoms[self.i]) or self._in_total(self.atoms[self.i])) and not self.noun_at(1):
            return False
        if self.is_(Cue.AGGREGATE, Cue.COUNT) or self.noun_at():
            return self._noun_clause()
        if self.value_at():
            self._add(self.plain_value())
            return True
        return False

    def _verb(self) -> bool:
        """A verb that suggests a column or a table: `hired after 2018`, `cost more than 5`, `was ordered`."""
        atom = self.atoms[self.i]
        if not atom.verbal or atom.ref is None:
            return False
        if any(one.how == "flag" for one in atom.ref.values):
            self._add(self.plain_value())
            return True
        self.i += 1
        if atom.ref.columns and self._whole_ahead():
            del self.atoms[self.i]  # have left the company, joined the firm in 2020
        noun = Noun(atom.ref, near=tuple(self.near))
        if self.is_(Cue.COMPARE) and self.number_at(1) is not None and self._rows_ahead(2) is not None:
            return True
        if (numbers := self._numbers_of()) is not None and self._rows_ahead(numbers[1]) is not None:
            return True  # made between 3 and 5 films
        if (
            self.is_(Cue.SUPERLATIVE)
            and atom.ref.columns
            and isinstance(self.atoms[self.i].said, Degree)
            and not self.noun_at(1)
        ):
            self.frame.sorts.append(Sort(noun, degree=self.atoms[self.i].said, limit=1))
            self.i += 1
            return True
        if atom.ref.columns:
            start = self.i
            self.skip(Cue.PREPOSITION, Cue.FROM)
            if self.is_(Cue.COMPARE, Cue.BETWEEN) and self._compared(noun):
                return True
            if (
                self.negated
                and not calls_a_table(atom.ref)
                and (self.is_(Cue.WITH) or not any(map(self._named_at, (0, 1, 2))))
            ):
                cond = self._new("null")
                cond.noun, cond.negated, cond.how = noun, False, "verb"
                self._add(cond)
                return True
            if self.number_at() is not None and (self.table_at(1) or self._says_times(1)):
                return True  # won 2 duels, repaired 3 times
            ref = self.atoms[self.i].ref if self.value_at() else None
            if ref is not None and any(one.values[0].kind != "text" for one in ref.literals if one.values):
                self._valued(noun)
                self.frame.conditions[-1].how = self.frame.conditions[-1].how or "verb"
                return True
            self.i = start
            ends = self._ends() or self.is_(Cue.EACH, Cue.PER)
            rather_rows = atom.ref.best(MentionKind.TABLE) >= atom.ref.best(MentionKind.COLUMN)  # orders were placed
            if atom.cue is None and not self.negated and ends and not rather_rows and self._who_did(self.i - 2):
                cond = self._new("null")
                cond.noun, cond.negated, cond.how = noun, True, "verb"
                self.frame.conditions.append(cond)  # how many have left
                return True
        if calls_a_table(atom.ref):
            if self.negated and not any(self.noun_at(ahead) for ahead in range(0, 3)):
                self._had(noun, negated=True)
            elif self.scope is not None and not self.negated:
                pass  # goods that no warehouse holds
            elif not self.negated and atom.ref.best(MentionKind.TABLE) >= (0.8 if self._says_all() else 0.95):
                cond = self._new("exists")
                cond.noun, cond.table, cond.how = noun, atom.ref, "verb"
                self.frame.conditions.append(cond)
                self.apart = False
        return True

    def _deed_before(self) -> bool:
        """`booked 3 classes`, `enrolled in 2 courses`: a verb stands before a number of things, or before `in`."""
        at = 2 if self.is_(Cue.PREPOSITION, Cue.FROM, offset=-1) else 1
        deed = self.at(-at) if self.i >= at and not self.is_year() else None
        return deed is not None and (deed.verbal or deed.is_(Cue.LIGHT))

    def _whole_ahead(self) -> bool:
        """Return whether a word for those whose data it is stands there, and none of their rows: `the company`."""
        atom, behind = self.at(), self.at(1)
        if atom is None or atom.last - atom.first != 1 or atom.first < 1 or atom.text.lower() not in _WHOLE:
            return False
        if self.cut.linked.tokens[atom.first - 1].text.lower() not in ("the", "our", "this"):
            return False
        called = atom.ref is not None and atom.ref.best(MentionKind.TABLE) >= 0.8
        named = behind is not None and behind.ref is not None and bool(behind.ref.values)
        return not called and not named

    def _says_all(self) -> bool:
        """Return whether a verb is the last thing said, or the only one that tells who is asked for."""
        by_somebody = self.is_(Cue.BY) and (self.at(1) is None or self.is_(Cue.END, offset=1))
        return self._ends() or by_somebody or (len(self.frame.items) == 1 and self.frame.asks_who)

    def _named_at(self, offset: int) -> bool:
        return self.noun_at(offset) or self.value_at(offset) or self.maybe_value_at(offset)

    def _noun_clause(self) -> bool:
        """A noun: with a comparison or value behind it, it is a condition; else it is had, or asked for as well."""
        start = self.i
        asked = self.listing and not self.both and not (start and self.is_(Cue.HAVE, offset=-1) and not self.table_at())
        ambiguous = self.maybe_value_at() and not self.is_(Cue.BE, Cue.COMPARE, offset=1)
        noun = self.noun()
        if noun is None:
            return False
        if noun.ref is None and not noun.count:
            self.frame.loose.append((self.atoms[start].first, self.atoms[self.i - 1].last))
            return True
        if self._alike(noun):
            return True
        table = noun.ref is not None and noun.owner is None and may_be_table(noun.ref)
        if not table and noun.owner is None and self.near and start and self.atoms[start - 1].is_(Cue.WHOSE):
            noun.owner = self.near[0]
        of = self.near[0] if not table and noun.owner is None and self.near and start > 1 else None
        if of is not None and of.mentions[0].how == "value" and of.last == self.atoms[start - 2].first:
            noun.owner = of  # a dog that is age 3
        before = self.i
        negated = False
        while self.is_(
            Cue.BE, Cue.NOT, Cue.OF, Cue.COMMA, Cue.PREPOSITION, Cue.LIGHT, Cue.EITHER, Cue.AS, Cue.HAVE, Cue.ONLY
        ):
            if self.is_(Cue.COMMA, Cue.LIGHT, Cue.HAVE) and not self.is_(Cue.COMPARE, Cue.MATCH, Cue.BETWEEN, offset=1):
                break
            if self.is_(Cue.LIGHT) and table:
                break
            negated = negated or self.is_(Cue.NOT)
            self.i += 1
        mostly_table = table and noun.ref is not None and not self._is_column(noun)
        degree = self.is_(Cue.COMPARE) and (mostly_table or (table and isinstance(self.atoms[self.i].said, Degree)))
        if self.is_(Cue.COMPARE, Cue.BETWEEN, Cue.MATCH, Cue.NULL) and not (degree and not noun.count):
            self.negated = self.negated or negated
            if self._compared(noun):
                return True
        if self.value_at() and self._is_column(noun) and not (noun.ref is not None and table and self._elsewhere()):
            self.negated = self.negated or negated
            self._valued(noun)
            return True
        if (
            self.maybe_value_at()
            and self._is_column(noun)
            and not table
            and (self.i > before or self.atoms[self.i].cue is None)
        ):
            self.negated = self.negated or negated
            self._valued(noun)
            return True
        adjacent = table and self.i == before and self.value_at() and self._touches()
        if adjacent and noun.ref is not None and (self.number_at() is not None or self._is_named()):
            self.remember(noun.ref)
            cond = self._new("compare")
            cond.noun, cond.how = noun, "key"
            cond.values = self.plain_value().values
            self._add(cond)
            return True
        self.i = before
        if noun.ref is not None and ambiguous and self.i == start + 1 and not table and not asked:
            self.i = start
            self._add(self.plain_value())
            return True
        after = self.at()
        goes_on = table and after is not None and after.verbal
        goes_on = goes_on or (table and self.is_(Cue.COMPARE, Cue.RELATIVE, Cue.WITH, Cue.WHO, Cue.WHOSE))
        again = self._indefinite(start) or self._had_both() or self._had_before(noun)
        asked = asked and not (table and self.last is not None and again)
        asked = asked and not self.negated and not (table and self._verb_before(start)) and not goes_on
        if noun.count or noun.aggregates or asked:
            noun.either = self.joined == "or"
            self.frame.items.append(noun)
            if table and noun.ref is not None:
                self.remember(noun.ref)
            self.negated = False
            return True
        behind = start > 0 and self.last is not None and self.last.kind == "value"
        if table and noun.ref is not None and behind and (self._follows(start) or self.atoms[start - 1].is_(Cue.AS)):
            self.remember(noun.ref)  # a cat pet, a cat as a pet
            return True
        if table and noun.ref is not None:
            if self.negated:
                self._had(noun, negated=True)
            elif self._possessed(start) or self._listed_with(start):
                self.frame.items.append(noun)
                self.remember(noun.ref)
            elif self.scope is not None and not self.listing:
                self.remember(noun.ref)
                inner = self._new("exists")
                inner.noun, inner.table, inner.how = noun, noun.ref, "inner"
                self.scope.append(inner)
            else:
                self.remember(noun.ref)
                self._had(noun, negated=False, plain=True)
                if start and self.atoms[start - 1].is_(Cue.OF) and self.last is not None:
                    self.last.how = "of"
            return True
        if noun.ref is not None:
            if self.negated or self.is_(Cue.HAVE, Cue.WITH, offset=start - self.i - 1):
                with_it = self.is_(Cue.WITH, offset=start - self.i - 1) and not self._indefinite(start)
                if with_it and not self.negated:
                    self.frame.items.append(noun)
                    return True
                cond = self._new("null")
                cond.noun, cond.negated = noun, not self.negated
                self._add(cond)
                if self._is_elsewhere(start):  # outside their own district, which is no missing one
                    self.frame.loose.append((noun.ref.first, noun.ref.last))
            else:
                self.frame.loose.append((noun.ref.first, noun.ref.last))
        return True

    def _is_elsewhere(self, start: int) -> bool:
        """Return whether `outside` stands before a noun."""
        return any(one.text.lower().startswith("outside") for one in self.atoms[max(0, start - 2) : start])

    def _who_did(self, before: int) -> bool:
        """Return whether a verb stands behind who did it: have left, patients who died, how many patients died."""
        if before < 0:
            return False
        atom = self.atoms[before]
        done = self.cut.linked.tokens[self.atoms[before + 1].first]
        rows = atom.cue is None and not atom.verbal and atom.ref is not None and surely_table(atom.ref)
        rows = rows and not done.is_lemma  # died, and not begin
        return rows or atom.is_(Cue.HAVE, Cue.BE, Cue.WHO, Cue.RELATIVE)

    def _had_both(self) -> bool:
        """`Which towns have pubs and breweries`: the second is had as the first is."""
        last = self.last
        return self.frame.which and last is not None and last.kind == "exists" and not (last.how or last.count)

    def _had_before(self, noun: Noun) -> bool:
        """`makes with engines built before 2010 and also engines built after 2015`: had twice, and not shown."""
        said = None if noun.ref is None else {one.table for one in noun.ref.tables}
        had = [one.table for one in self.frame.conditions if one.kind == "exists" and one.table is not None]
        return bool(said) and any({one.table for one in ref.tables} == said for ref in had)

    def _names(self, offset: int) -> bool:
        """Return whether a value there is written as a name."""
        atom = self.at(offset)
        return atom is not None and (atom.text[:1].isupper() or self.cut.linked.tokens[atom.first].quoted)

    def _follows(self, start: int) -> bool:
        """Return whether a noun stands right behind a value."""
        before = self.atoms[start - 1]
        return before.last == self.atoms[start].first and before.ref is not None and bool(before.ref.values)

    def _is_named(self) -> bool:
        """Return whether a value right behind a table is the name of one of its rows."""
        token = self.cut.linked.tokens[self.atoms[self.i].first]
        return token.quoted or token.text[:1].isupper()

    def _elsewhere(self) -> bool:
        return False

    def _verb_before(self, start: int) -> bool:
        return start > 0 and self.atoms[start - 1].is_(Cue.LIGHT, Cue.HAVE, Cue.PREPOSITION, Cue.FROM, Cue.TO, Cue.NOT)

    def _rest(self, atom: Atom) -> None:
        """Return what no rule reads."""
        last = self.last if self.last is not None and self.last.kind == "compare" else None
        compared = last.noun if last is not None else None
        if atom.is_(Cue.AGGREGATE) and atom.said is Aggregate.SUM and compared is not None and not compared.aggregates:
            compared.aggregates = (Aggregate.SUM,)  # spent more than 100 in total
            self.i += 1
            return
        if self._on_average(atom) and compared is not None and not compared.aggregates:
            compared.aggregates = (Aggregate.AVG,)  # cost more than 20 on average
            self.i += 1
            return
        whole, item = self._in_total(atom), self.frame.items[-1] if self.frame.items else None
        counted = (self.last is not None and self.last.count is not None) or (item is not None and item.count)
        if whole and counted:
            self.i += 1  # have more than 10 customers in total, how many there are in total
            return
        figure = Aggregate.AVG if self._on_average(atom) else Aggregate.SUM if whole else None
        if figure is not None and last is not None and last.noun is None and last.nest is None and last.values:
            last.figure = figure  # pay over 3500 on average
            self.i += 1
            return
        if self._on_average(atom) and item is not None and (item.count or item.degree) and not item.aggregates:
            item.aggregates = (Aggregate.AVG,)  # how many beers does each brewery make on average
            self.i += 1
            return
        ranked = self.frame.sorts[-1].noun if self.frame.sorts else None
        if self._on_average(atom) and ranked is not None and not ranked.aggregates and self._is_column(ranked):
            ranked.aggregates = (Aggregate.AVG,)  # which airline has the longest delays on average
            self.i += 1
            return
        unnamed = ranked is None or ranked.ref is None
        if self._on_average(atom) and self.frame.sorts and self.frame.sorts[-1].degree and unnamed:
            self.frame.sorts[-1].averaged = True  # which breed is the tallest, has the longest tails, on average
            self.i += 1
            return
        if whole and self.frame.sorts and self.frame.sorts[-1].most and ranked is not None:
            self.frame.sorts[-1].summed = True  # who won the most prizes in total
            self.i += 1
            return
        alone = item is not None and len(self.frame.items) == 1 and not self.frame.sorts and not item.aggregates
        if item is not None and alone and self._is_of_items(item, figure, whole=whole):
            item.aggregates = (figure,) if figure is not None and not (whole and item.wh == "much") else ()
            self.i += 1
            return
        if atom.is_(Cue.LIGHT) and self.scope is not None and (self.at(1) is None or self.is_(Cue.END, offset=1)):
            self.frame.loose.append((atom.first, atom.last))
        named = self.value_at(1) and self.atoms[self.i + 1].first == atom.last and self._names(1)
        named = named or (self.is_(Cue.OF, offset=1) and self.value_at(2) and self._names(2))
        if atom.is_unknown and named and _BEFORE_KINDS & set(self.cut.linked.words(atom.first - 1, atom.first)):
            self.i += 1  # in the state Alabama, of the brand Acme, and not: who coaches Acme
            return
        if self._modifier():
            return  # in which towns are there chess clubs
        denied = self.is_(Cue.NO, offset=1) and self.is_(Cue.HAVE, offset=-1) and self.noun_at(2)
        if atom.is_unknown and denied and is_participle(atom.text.lower()):
            self.i += 1  # who have logged no visits
            return
        if atom.is_unknown:
            self.frame.unknown.append((atom.first, atom.last))
        elif atom.is_(Cue.EVERYTHING) and (self.listing or self.is_(Cue.ALL, offset=-1)) and self._ends_behind():
            if item is not None and item.ref is not None and surely_table(item.ref) and not item.count:
                item.everything = True  # the guides and all their details
            else:
                self.frame.loose.append((atom.first, atom.last))  # and what details
        elif (atom.cue not in _PATH and not atom.is_(Cue.DISTINCT, Cue.WHEN)) and (
            atom.cue is not None or atom.ref is not None
        ):
            self.frame.loose.append((atom.first, atom.last))
        if atom.is_(Cue.DISTINCT):
            self.frame.distinct = True
        asks = atom.is_(Cue.RELATIVE) and self.is_(Cue.ASK, Cue.WHAT, Cue.AND, offset=-1)  # what is that cost
        if not atom.is_(Cue.LIGHT, Cue.PREPOSITION, Cue.HAVE, Cue.BE, Cue.ASK, Cue.WHAT) and not asks:
            self.listing = False
        self.i += 1

    def _is_of_items(self, item: Noun, figure: Aggregate | None, *, whole: bool) -> bool:
        """Return whether a figure said at the end is that of what is asked for: `what does a wash cost on average`,
        `how much did each guest pay in total`.
        """
        if figure is None or item.count or item.share or item.everything:
            return False
        if item.wh == "much":
            return True
        if item.ref is None:
            return False
        return self._is_column(item) and not surely_table(item.ref)

    def _ends(self) -> bool:
        return self.at() is None or self.is_(Cue.END, Cue.AND, Cue.BUT, Cue.COMMA)

    def _ends_behind(self) -> bool:
        return self.at(1) is None or self.is_(Cue.END, offset=1)

    def _in_total(self, atom: Atom) -> bool:
        return atom.is_(Cue.AGGREGATE) and atom.said is Aggregate.SUM and atom.text.lower() == "in total"

    def _on_average(self, atom: Atom) -> bool:
        return atom.is_(Cue.AGGREGATE) and atom.said is Aggregate.AVG and self.atoms[self.i - 1].text == "on"
