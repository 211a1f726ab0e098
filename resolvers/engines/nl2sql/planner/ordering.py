"""Clauses that put rows in order, into groups, or ask for the first of them."""

from typing import Literal as OneOf

from resolvers.engines.nl2sql.language.degrees import Degree, degree_of_action
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.verbs import is_participle
from resolvers.engines.nl2sql.mention import Mention, MentionKind
from resolvers.engines.nl2sql.plan import Aggregate
from resolvers.engines.nl2sql.planner.atoms import Atom, Cut, Ref
from resolvers.engines.nl2sql.planner.frame import Cond, Noun, Sort
from resolvers.engines.nl2sql.planner.nouns import Reader, may_be_table, surely_table

_VERBS = ("ordered", "sorted", "ranked", "arranged")
_SIZES = ("low", "high", "small", "large", "least", "most", "great")
"""Parts of words that say that numbers are put in order."""
_OF_KIND = 0.85
"""How well a word in the plural must be known as a value for the rows to be meant that have it."""
_ASKING = (Cue.ASK, Cue.WHAT, Cue.WHICH, Cue.WHO, Cue.BE, Cue.ALL, Cue.OF, Cue.PREPOSITION)
"""What stands before `the most ordered product` that is asked for, and not had."""


class Ordering(Reader):
    """Reads orders, groups and superlatives."""

    def __init__(self, cut: Cut) -> None:
        super().__init__(cut)
        self.negated = False
        self.those = False
        """Whether what is denied are things of other rows: except those of."""
        self.joined: OneOf["and", "or", "but"] = "and"
        self.both = False
        self.scope: list[Cond] | None = None
        """Conditions on things that are not had go here."""
        self.listing = False
        """Whether a list went on just before: an item may follow."""
        self.apart = True
        self.last: Cond | None = None

    def _order(self) -> bool:
        by_whom = self.is_(Cue.ORDER) and self.atoms[self.i].text.lower() == "ordered by" and self.table_at(1)
        if by_whom and not self._is_column(Noun(self.atoms[self.i + 1].ref)):
            self.i += 1
            return True
        if (
            self.is_(Cue.ORDER)
            and self.atoms[self.i].text.lower() in _VERBS
            and (self.at(1) is None or self.is_(Cue.END, Cue.AND, Cue.COMMA, offset=1))
        ):
            self.i += 1
            return True
        if self.is_(Cue.ORDER):
            if self.atoms[self.i].text.lower() == "ordered by" and self._is_amount_of_rows():
                self.atoms[self.i].cue = Cue.BY  # total quantity ordered by category
                return False
            if (
                self.noun_at()
                and not self.is_(Cue.BY, Cue.DIRECTION, offset=1)
                and self.atoms[self.i].last - self.atoms[self.i].first == 1
            ):
                return False
            self.i += 1
            self._ordering(None)
            return True
        if self.is_(Cue.DIRECTION):
            self._ordering(None)
            return True
        if self.first_ahead():
            self._put_first()
            return True
        return False

    def _put_first(self) -> None:
        """`oldest first`, `with the most plays first`: an order of all rows."""
        end = self.i + self.first_ahead()
        self.skip(Cue.WITH, Cue.COMMA, Cue.AND)
        atom = self.atoms[self.i]
        self.i += 1
        noun = self.noun() if self.noun_at() or self.is_(Cue.COUNT) else None
        if noun is not None and noun.ref is not None and may_be_table(noun.ref) and not noun.ref.columns:
            self.remember(noun.ref)
        if noun is not None and self.is_figure(noun) and self.is_figured():
            noun = None  # highest total first
        last = self.frame.sorts[-1] if self.frame.sorts else None
        if last is not None and last.limit is None and last.descending is None and last.degree is None and noun is None:
            last.degree = atom.said if isinstance(atom.said, Degree) else None
            last.descending = None if last.degree else bool(atom.said)  # by that count, most first
            self.i = end
            return
        if isinstance(atom.said, Degree):
            if not self.frame.items and noun is not None and noun.ref is not None and not self._is_column(noun):
                noun = noun if noun.count else None  # oldest boats first: name and year
            sort = Sort(noun, degree=atom.said, by_count=noun is not None and noun.count)
        else:
            most = atom.is_(Cue.MOST) and noun is not None
            sort = Sort(noun if most else None, bool(atom.said), by_count=not most, most=most)
        self.frame.sorts.append(sort)
        self.i = end

    def _ordering(self, sort: Sort | None) -> None:
        """By what, and which way."""
        made = sized = False
        direction: bool | None = None
        while (atom := self.at()) is not None:
            if atom.is_(Cue.BY, Cue.OF, Cue.PREPOSITION, Cue.ALL, Cue.EACH) or (
                made and atom.is_(Cue.COMMA, Cue.AND) and self._sort_ahead(1)
            ):
                self.i += 1
                continue
            if atom.is_(Cue.RELATIVE) and atom.text.lower() == "that" and not made and self.noun_at(1):
                self.i += 1  # in descending order of that number
                continue
            if atom.is_(Cue.DIRECTION):
                self.i += 1
                sized = sized or any(one in atom.text.lower() for one in _SIZES)
                if made:
                    self.frame.sorts[-1].descending = atom.said == "desc"
                else:
                    direction = atom.said == "desc"
                continue
            if made and not self.is_(Cue.COMMA, Cue.AND, offset=-1):
                break
            if not made and (verb := self._done_ahead()):
                self.frame.sorts.append(Sort(Noun(self.atoms[self.i + verb].ref, near=tuple(self.near)), direction))
                self.i += verb + 1  # in the order they were built, in which they were built
                return
            if (noun := self.noun()) is None:
                break
            if noun.ref is not None and noun.owner is None and may_be_table(noun.ref) and not noun.ref.columns:
                self.remember(noun.ref)
            again = self.is_figure(noun) and self.is_figured() and not noun.count and noun.owner is None
            self.frame.sorts.append(Sort(None if again else noun, direction, by_count=again or noun.count))
            made = True
            direction = None
        if not made and direction is not None:
            self._turned(direction)
            self.frame.sorts[-1].sized = sized
        elif not made:
            self.frame.sorts.append(Sort())

    def _done_ahead(self) -> int:
        """How far ahead the verb of `in which they were built` stands; 0 where none does."""
        ahead = 1 if self.is_(Cue.WHICH, Cue.RELATIVE) else 0
        verb = self.at(ahead + 1) if self.is_(Cue.BE, offset=ahead) else None
        done = verb is not None and verb.verbal and verb.ref is not None and bool(verb.ref.columns)
        return ahead + 1 if done else 0

    def _sort_ahead(self, offset: int) -> bool:
        while self.is_(Cue.ALL, Cue.DIRECTION, Cue.BY, Cue.AND, offset=offset):
            offset += 1
        return self.noun_at(offset) or self.is_(Cue.COUNT, offset=offset)

    def _turned(self, descending: bool) -> None:
        """A direction without a noun belongs to the order before, or to what is shown."""
        for sort in reversed(self.frame.sorts):
            if sort.limit is None and sort.descending is None and sort.degree is None:
                sort.descending = descending
                return
        self.frame.sorts.append(Sort(descending=descending))

    def _group(self) -> bool:
        if self.is_(Cue.EACH, Cue.PER) and (self.noun_at(1) or self.is_(Cue.DISTINCT, Cue.ALL, Cue.COUNT, offset=1)):
            self.frame.per = self.frame.per or (self.is_(Cue.PER) and not self._ranks_rows())
            self.i += 1
            self._grouping()
            return True
        open_top = next((one for one in self.frame.sorts if one.limit and not one.noun and not one.degree), None)
        figure = self.noun_at(1) or self.is_(Cue.COUNT, Cue.AGGREGATE, offset=1)
        if self.is_(Cue.BY, Cue.WITH) and figure and open_top is not None and not open_top.common:
            self.i += 1
            open_top.noun = self.noun()
            open_top.by_count = open_top.noun is not None and open_top.noun.count
            return True
        common = next((one for one in self.frame.sorts if one.common), None)
        if common is not None and self.is_(Cue.BY, Cue.WITH) and self.is_(Cue.COUNT, offset=1) and self.table_at(2):
            self.i += 1
            common.noun, common.common, common.most = self.noun(), False, True  # the most popular by number of guests
            return True
        before = self.at(-1)
        passive = before is not None and (
            before.is_(Cue.LIGHT, Cue.HAVE) or before.verbal or before.text.endswith("ed")
        )
        if self.is_(Cue.BY) and self.noun_at(1) and not passive and self.is_figured():
            self.i += 1
            self._grouping()
            return True
        fresh = not self.frame.sorts and not self.negated
        bare = self.is_(Cue.BY) and self.noun_at(1) and fresh and (not passive or self._is_kind_of_amount())
        if bare and self._bare_by(passive=passive):
            return True
        if self.is_(Cue.EACH):
            self.i += 1
            return True
        return False

    def _ranks_rows(self) -> bool:
        """`the most expensive product per category`: rows, the first of each, and no number of them."""
        items, sort = self.frame.items, self.frame.sorts[-1] if self.frame.sorts else None
        ref = items[0].ref if len(items) == 1 and not (items[0].count or items[0].aggregates) else None
        ranked = sort is not None and sort.limit is not None and ref is not None and surely_table(ref)
        return ranked and ref is not None and ref.last == self.atoms[self.i].first

    def _bare_by(self, *, passive: bool) -> bool:
        """`Invoices by status`, `quantity sold by product and year`: at the end, or before a value that tells which."""
        start, near, tables = self.i, list(self.near), list(self.frame.tables)
        titled = self._is_title()
        found: list[Noun] = []
        while (self.is_(Cue.BY) if not found else self.is_(Cue.AND, Cue.COMMA)) and self.noun_at(1):
            self.i += 1
            if (noun := self.noun()) is None:
                break
            if noun.ref is not None and noun.owner is None and surely_table(noun.ref):
                self.remember(noun.ref)
            found.append(noun)
        told = self.is_(Cue.PREPOSITION, Cue.FROM) and self.value_at(1) and (titled or self._is_amount())
        ends = self.at() is None or self.is_(Cue.END) or told or (self.is_(Cue.COMMA) and titled)
        if not found or not ends or (len(found) > 1 and not (titled or self._is_amount())):
            self.i, self.near, self.frame.tables = start, near, tables
            return False
        if titled:
            self.frame.per = True
            self.frame.groups += found
        else:
            self.frame.sorts += [Sort(noun, bare=True, had=passive) for noun in found]
        return True

    def _is_amount(self) -> bool:
        """Return whether nothing but a column is asked for, which rows may have several of: `revenue`, `quantity`."""
        items = self.frame.items
        return len(items) == 1 and items[0].ref is not None and self._is_column(items[0])

    def _is_amount_of_rows(self) -> bool:
        """Return whether a figure alone is asked for, of which there is nothing yet to be put in order."""
        items = self.frame.items
        return len(items) == 1 and bool(items[0].aggregates or items[0].count) and not self.frame.groups

    def _is_kind_of_amount(self) -> bool:
        """`quantity sold by product`: rather of each product than what a product sells."""
        atom = self.at(1)
        token = self.cut.linked.tokens[atom.last - 1] if atom is not None else None
        return token is not None and token.is_lemma and self._is_amount()

    def _is_title(self) -> bool:
        """`Invoices by status`: the title of a chart, rather than rows to be shown in an order."""
        items = self.frame.items
        alone = len(items) == 1 and items[0].ref is not None and may_be_table(items[0].ref)
        return (
            alone and not self.atoms[0].is_(Cue.ASK, Cue.ORDER, Cue.WHICH, Cue.WHAT, Cue.WHO) and not self.frame.sorts
        )

    def is_figure(self, noun: Noun) -> bool:
        """`the number`, `the total`: what was computed already, where no column is called so."""
        ref = noun.ref
        words = self.cut.linked.words(ref.first, ref.last) if ref is not None else ()
        if ref is None or len(words) != 1:
            return False
        if words[0] in ("number", "count") and self.frame.groups:
            return True
        return words[0] in ("number", "count", "total", "sum") and ref.best(MentionKind.COLUMN) < 0.9

    def is_figured(self) -> bool:
        """Return whether a figure is asked for already, or one that people defined."""
        items = self.frame.items
        defined = any(item.ref is not None and item.ref.measures for item in items)
        return defined or any(item.count or item.aggregates or item.share for item in items)

    def _grouping(self) -> None:
        while True:
            self.skip(Cue.ALL, Cue.DISTINCT, Cue.EACH, Cue.OF)
            noun = self.noun()
            if noun is None:
                return
            if noun.ref is not None and may_be_table(noun.ref) and noun.owner is None:
                self.remember(noun.ref)
            self.frame.groups.append(noun)
            if self.is_(Cue.AND, Cue.COMMA) and self.noun_at(1) and not self.is_(Cue.ASK, offset=2):
                following = self.at(2)
                if self.is_(Cue.COMMA) and following is not None and not following.is_(Cue.AND, Cue.COMMA):
                    return
                if following is None or following.is_(
                    Cue.ORDER, Cue.AND, Cue.COMMA, Cue.DIRECTION, Cue.LIGHT, Cue.WITH
                ):
                    self.i += 1
                    continue
            return

    def _most(self) -> bool:
        if self.is_(Cue.MOST):
            most = bool(self.atoms[self.i].said)
            if self.is_(Cue.OF, offset=1):
                return False
            ahead = 1
            while self.is_(Cue.COUNT, Cue.DISTINCT, Cue.ALL, Cue.OF, offset=ahead):
                ahead += 1
            verb = self.at(ahead)
            if verb is not None and verb.verbal and self.noun_at(ahead + 1):
                self.i += 1
                ahead -= 1
                self.atoms[self.i], self.atoms[self.i - 1] = self.atoms[self.i - 1], self.atoms[self.i]
                ahead += 1
            if self.value_at(ahead) and self.number_at(ahead) is None and self.table_at(ahead + 1):
                value = self.atoms.pop(self.i + ahead)
                self.atoms.insert(self.i + ahead + 1, value)  # the most cancelled trips
            if self.noun_at(ahead):
                self.i += 1
                noun = self.noun()
                if noun is not None:
                    self.frame.sorts.append(Sort(noun, most, limit=1, most=True))
                    if noun.ref is not None and may_be_table(noun.ref):
                        self.remember(noun.ref)
                    return True
            if (kind := self._rows_of_kind(ahead)) is not None:
                self.frame.sorts.append(Sort(kind, most, limit=1, most=True))
                self.i += ahead + 1
                return True
            self.i += 1
            verb = self.at(-2)
            done = self._rows_of_deed(verb)
            deed = verb.ref if verb is not None and verb.verbal else None
            said = "" if done else self._verb_of(verb)
            self.frame.sorts.append(Sort(done, most, limit=1, most=True, verb=said, deed=deed))
            return True
        if (
            self.is_(Cue.AGGREGATE)
            and self.atoms[self.i].said in (Aggregate.MAX, Aggregate.MIN)
            and (self.noun_at(1) or self.is_(Cue.COUNT, Cue.OF, Cue.AGGREGATE, offset=1))
        ):
            descending = self.atoms[self.i].said is Aggregate.MAX
            self.i += 1
            self.skip(Cue.OF)
            noun = self.noun()
            if noun is not None:
                self._superlative(Sort(noun, descending, limit=1, by_count=noun.count))
            return True
        listing = self.listing and not self.frame.sorts
        had = self.is_(Cue.HAVE, Cue.WITH, offset=-1)
        sort = self.sort_before_noun()
        if sort is None:
            return False
        if self.noun_at() or self.is_(Cue.COUNT, Cue.AGGREGATE):
            noun = self.noun()
            if noun is not None:
                if noun.ref is not None and noun.owner is None and may_be_table(noun.ref):
                    self.remember(noun.ref)
                if (
                    listing
                    and self._is_column(noun)
                    and not noun.count
                    and sort.degree is not None
                    and (self.at() is None or self.is_(Cue.END))
                    and not self._relative_before()
                ):
                    noun.degree = sort.degree
                    self.frame.items.append(noun)
                    self.listing = False
                    return True
                sort.by_count = sort.by_count or noun.count
                if sort.common or self._is_column(noun) or noun.count:
                    sort.noun = noun
                elif noun.ref is not None:
                    sort.noun = Noun(None, owner=noun.ref, near=tuple(self.near))
                    sort.had = had
        elif sort.noun is None and sort.degree is not None and sort.degree.is_of_time:
            self._done_when(sort)
        self._superlative(sort)
        return True

    def sort_before_noun(self) -> Sort | None:
        """Beside what stands before any noun, `the most downloaded` and `the 3 most ordered`."""
        return self._most_done() or super().sort_before_noun()

    def _most_done(self) -> Sort | None:
        """`the most ordered product` is the product that was ordered the most; so are the `top 3 most ordered`."""
        top = 1 if self.is_(Cue.TOP) else 0
        many = self.number_at(top) if self.is_(Cue.MOST, offset=top + 1) and not self.is_year(top) else None
        ahead = top + 1 if many is not None else 0
        done = self.at(ahead + 1) if self.is_(Cue.MOST, offset=ahead) else None
        if done is None or done.last - done.first != 1 or not self.table_at(ahead + 2):
            return None
        if not is_participle(done.text.lower()) or self.cut.linked.tokens[done.first].is_lemma:
            return None
        if self.i and self.frame.items and not self.is_(*_ASKING, offset=-1):
            return None  # has the most enrolled students
        most = bool(self.atoms[self.i + ahead].said)
        rows = self._rows_of_deed(done)
        self.i += ahead + 2
        verb = "" if rows else self.cut.linked.tokens[done.first].lemma
        return Sort(rows, most, limit=many or 1, most=True, verb=verb, deed=done.ref)

    def _done_when(self, sort: Sort) -> None:
        """`guests who visited last`: put in order by when they did it."""
        said = self.frame.conditions[-1] if self.frame.conditions else None
        if said is None or said.kind != "exists" or said.how != "verb" or said.table is None:
            return
        if said.negated or said.count is not None or said.inner:
            return
        self.frame.conditions.pop()
        sort.noun = Noun(None, owner=said.table, near=tuple(self.near))

    def _rows_of_kind(self, ahead: int) -> Noun | None:
        """`has the most dogs`: rows of the table that holds such a value, and a condition that they have it."""
        atom = self.at(ahead)
        ref = atom.ref if atom is not None and self.value_at(ahead) and self.number_at(ahead) is None else None
        if ref is None or self.cut.linked.tokens[ref.last - 1].is_lemma or ref.best(MentionKind.VALUE) < _OF_KIND:
            return None
        held = next((one.column.table for one in ref.values if one.column is not None), None)
        if held is None:
            return None
        rows = Ref(ref.first, ref.last, (Mention(ref.first, ref.last, MentionKind.TABLE, 1.0, "value", table=held),))
        self.frame.conditions.append(Cond("value", ref.first, values=(ref,), near=(rows,)))
        self.remember(rows)
        return Noun(rows, count=True)

    def _rows_of_deed(self, verb: Atom | None) -> Noun | None:
        """The table whose rows are what a verb tells: customers who `ordered the most` have the most orders.

        What a verb is measured by goes before it: `spent the most` is an amount, not a number of rows.
        """
        if verb is None or verb.ref is None or verb.ref.first + 1 != verb.ref.last or not may_be_table(verb.ref):
            return None
        token = self.cut.linked.tokens[verb.ref.first]
        if token.is_lemma or degree_of_action(token.lemma, most=True) is not None:
            return None
        said = self.frame.conditions[-1] if self.frame.conditions else None
        if said is not None and said.kind == "exists" and said.how == "verb" and said.table is verb.ref:
            if said.negated or said.count is not None or said.inner:
                return None
            self.frame.conditions.pop()
        self.remember(verb.ref)
        tables = tuple(one for one in verb.ref.mentions if one.kind is MentionKind.TABLE)
        return Noun(Ref(verb.ref.first, verb.ref.last, tables), count=True)

    def _verb_of(self, atom: Atom | None) -> str:
        """The base form of a verb; nothing for what is none."""
        if atom is None or not (atom.verbal or atom.is_(Cue.LIGHT)):
            return ""
        return self.cut.linked.tokens[atom.last - 1].lemma

    def _relative_before(self) -> bool:
        return any(atom.is_(Cue.RELATIVE, Cue.WITH, Cue.WHOSE, Cue.HAVE) for atom in self.atoms[: self.i])

    def _superlative(self, sort: Sort) -> None:
        self.frame.sorts.append(sort)
        self.negated = False

    def _is_column(self, noun: Noun) -> bool:
        return noun.ref is not None and noun.ref.best(MentionKind.COLUMN) > noun.ref.best(MentionKind.TABLE) - 0.05
