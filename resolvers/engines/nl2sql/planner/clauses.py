"""The clauses behind what is asked for: conditions, groups, orders, superlatives, things had or not had."""

from typing import Literal as OneOf

from resolvers.engines.nl2sql.language_degrees import Degree
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.plan import Aggregate, Operator
from resolvers.engines.nl2sql.planner.atoms import Atom, Cut, Ref
from resolvers.engines.nl2sql.planner.frame import Cond, Nest, Noun, Sort
from resolvers.engines.nl2sql.planner.nouns import Reader, may_be_table
from resolvers.engines.nl2sql.planner.phrases import Cue

_PATH = (Cue.RELATIVE, Cue.WITH, Cue.PREPOSITION, Cue.FROM, Cue.TO, Cue.BE, Cue.OF, Cue.HAVE, Cue.WHOSE, Cue.AS,
         Cue.WHO, Cue.WHICH, Cue.WHAT, Cue.LIGHT, Cue.ONLY, Cue.BY, Cue.WHERE, Cue.ALL, Cue.ASK, Cue.POSSESSIVE,
         Cue.EVERYTHING, Cue.THAN)  # fmt: skip
_ENDS = (Cue.SUPERLATIVE, Cue.MOST, Cue.COMMON)
_POSTFIX = {"or more", "or above", "or higher", "or greater", "or older", "or over", "or later", "or less", "or fewer",
            "or below", "or lower", "or younger", "or earlier"}  # fmt: skip


class Clauses(Reader):
    """Reads one clause after the other."""

    def __init__(self, cut: Cut) -> None:
        super().__init__(cut)
        self.negated = False
        self.joined: OneOf["and", "or", "but"] = "and"
        self.both = False
        self.scope: list[Cond] | None = None
        """Conditions on things that are not had go here."""
        self.listing = False
        """Whether a list went on just before: an item may follow."""
        self.last: Cond | None = None

    def clause(self) -> None:
        """Reads one."""
        atom = self.atoms[self.i]
        if atom.is_(Cue.AND, Cue.OR, Cue.BUT, Cue.COMMA):
            self._connector(atom)
        elif atom.is_(Cue.END):
            self.frame.dangling = self.frame.dangling or self.negated
            self.scope, self.negated, self.joined = None, False, "and"
            if self.is_(Cue.ASK, offset=1):
                self.sentence()
            else:
                self.i += 1
        elif atom.is_(Cue.BOTH, Cue.EITHER, Cue.NEITHER):
            self.frame.both = self.frame.both or atom.is_(Cue.BOTH)
            self.frame.either = self.frame.either or atom.is_(Cue.EITHER)
            self.both = atom.is_(Cue.BOTH)
            self.negated = self.negated or atom.is_(Cue.NEITHER)
            self.i += 1
        elif not (self._order() or self._group() or self._most() or self._negation() or self._condition()):
            self._rest(atom)

    def sentence(self) -> None:
        """What a further sentence says to show."""
        self.i += 1

    # Connections.

    def _connector(self, atom: Atom) -> None:
        if not atom.is_(Cue.COMMA):
            self.joined = "or" if atom.is_(Cue.OR) else "but" if atom.is_(Cue.BUT) else "and"
        self.scope = None
        self.i += 1
        self.listing = True

    # Orders.

    def _order(self) -> bool:
        by_whom = self.is_(Cue.ORDER) and self.atoms[self.i].text.lower() == "ordered by" and self.table_at(1)
        if by_whom and not self._is_column(Noun(self.atoms[self.i + 1].ref)):
            self.i += 1
            return True
        if self.is_(Cue.ORDER):
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
        if (
            self.is_(Cue.SUPERLATIVE, Cue.MOST)
            and self.is_(Cue.SUPERLATIVE, offset=1)
            and self.atoms[self.i + 1].text.lower() == "first"
        ):
            said = self.atoms[self.i].said
            self.frame.sorts.append(
                Sort(degree=said) if isinstance(said, Degree) else Sort(descending=bool(said), by_count=True)
            )
            self.i += 2
            return True
        if self.is_(Cue.FROM) and self.is_(*_ENDS, offset=1) and self.is_(Cue.TO, offset=2):
            self._range()
            return True
        return False

    def _ordering(self, sort: Sort | None) -> None:
        """By what, and which way."""
        made = False
        direction: bool | None = None
        while (atom := self.at()) is not None:
            if atom.is_(Cue.BY, Cue.OF, Cue.PREPOSITION, Cue.ALL, Cue.EACH) or (
                made and atom.is_(Cue.COMMA, Cue.AND) and self._sort_ahead(1)
            ):
                self.i += 1
                continue
            if atom.is_(Cue.DIRECTION):
                self.i += 1
                if made:
                    self.frame.sorts[-1].descending = atom.said == "desc"
                else:
                    direction = atom.said == "desc"
                continue
            if atom.is_(Cue.FROM) and self.is_(*_ENDS, offset=1) and self.is_(Cue.TO, offset=2):
                self._range()
                return
            if made and not self.is_(Cue.COMMA, Cue.AND, offset=-1):
                break
            if (noun := self.noun()) is None:
                break
            if noun.ref is not None and noun.owner is None and may_be_table(noun.ref) and not noun.ref.columns:
                self.remember(noun.ref)
            self.frame.sorts.append(Sort(noun, direction, by_count=noun.count))
            made = True
            direction = None
        if not made and direction is not None:
            self._turned(direction)
        elif not made:
            self.frame.sorts.append(Sort())

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

    def _range(self) -> None:
        """From the oldest to the youngest."""
        first = self.atoms[self.i + 1]
        self.i += 3
        self.skip(*_ENDS)
        open_sort = self.frame.sorts[-1] if self.frame.sorts and self.frame.sorts[-1].limit is None else None
        if isinstance(first.said, Degree):
            if open_sort is not None and (open_sort.descending is None or open_sort.noun is None):
                open_sort.degree = first.said
            else:
                self.frame.sorts.append(Sort(degree=first.said))
        elif open_sort is not None:
            open_sort.descending = bool(first.said)
        else:
            self.frame.sorts.append(Sort(descending=bool(first.said), by_count=True))

    # Groups.

    def _group(self) -> bool:
        if self.is_(Cue.EACH, Cue.PER) and (self.noun_at(1) or self.is_(Cue.DISTINCT, Cue.ALL, offset=1)):
            self.i += 1
            self._grouping()
            return True
        open_top = next((one for one in self.frame.sorts if one.limit and not one.noun and not one.degree), None)
        if self.is_(Cue.BY, Cue.WITH) and self.noun_at(1) and open_top is not None and not open_top.common:
            self.i += 1
            open_top.noun = self.noun()
            return True
        if self.is_(Cue.BY) and self.noun_at(1) and not self.is_(Cue.LIGHT, offset=-1) and self._computes():
            self.i += 1
            self._grouping()
            return True
        if self.is_(Cue.EACH):
            self.i += 1
            return True
        return False

    def _computes(self) -> bool:
        return any(item.count or item.aggregates or item.share for item in self.frame.items)

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

    # Superlatives.

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
            if self.noun_at(ahead):
                self.i += 1
                noun = self.noun()
                if noun is not None:
                    self.frame.sorts.append(Sort(noun, most, limit=1, most=True))
                    if noun.ref is not None and may_be_table(noun.ref):
                        self.remember(noun.ref)
                    return True
            self.i += 1
            self.frame.sorts.append(Sort(None, most, limit=1, most=True))
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
                    and self.at() is None
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
        self._superlative(sort)
        return True

    def _relative_before(self) -> bool:
        return any(atom.is_(Cue.RELATIVE, Cue.WITH, Cue.WHOSE, Cue.HAVE) for atom in self.atoms[: self.i])

    def _superlative(self, sort: Sort) -> None:
        self.frame.sorts.append(sort)
        self.negated = False

    def _is_column(self, noun: Noun) -> bool:
        return noun.ref is not None and noun.ref.best(MentionKind.COLUMN) > noun.ref.best(MentionKind.TABLE) - 0.05

    # Conditions.

    def _negation(self) -> bool:
        if self.is_(Cue.NOT):
            self.negated = True
            if self.frame.conditions and self.joined == "and" and self.atoms[self.i].text.lower().startswith("exce"):
                self.joined = "but"
            self.i += 1
            self.skip(Cue.ALL)
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

    def _had(self, noun: Noun, negated: bool, count: tuple[Operator, int] | None = None, plain: bool = False) -> None:
        """Things that are had, or not."""
        cond = self._new("exists", negated=negated)
        cond.noun, cond.table, cond.count = noun, noun.owner or noun.ref, count
        if noun.ref is not None and may_be_table(noun.ref):
            self.remember(noun.ref)
        self._add(cond)
        if negated:
            self.scope = cond.inner

    def _new(self, kind: OneOf["compare", "value", "exists", "null", "superlative"], negated: bool = False) -> Cond:
        return Cond(
            kind, self.i, negated=negated or self.negated, near=tuple(self.near), joined=self.joined, both=self.both
        )

    def _add(self, cond: Cond) -> None:
        if self.scope is not None and cond.kind != "exists":
            cond.negated = False if not cond.negated else cond.negated
            self.scope.append(cond)
        else:
            self.frame.conditions.append(cond)
        self.negated = False
        self.listing = False
        self.last = cond
        if self.joined == "but":
            self.joined = "and"

    def plain_value(self) -> Cond:
        """A value by itself: its column follows from it."""
        atom = self.atoms[self.i]
        cond = self._new("value")
        values = [atom.ref] if atom.ref is not None else []
        self.i += 1
        while self.is_(Cue.OR, Cue.COMMA) and self.value_at(1):
            ref = self.atoms[self.i + 1].ref
            if self.is_(Cue.COMMA) and not self._or_follows(self.i + 2):
                break
            self.i += 2
            if ref is not None:
                values.append(ref)
        cond.values = tuple(values)
        before = self.atoms[atom_at] if (atom_at := self.atoms.index(atom) - 1) >= 0 else None
        cond.how = "in" if before is not None and before.is_(Cue.PREPOSITION, Cue.FROM) else ""
        return cond

    def _or_follows(self, at: int) -> bool:
        return any(atom.is_(Cue.OR) for atom in self.atoms[at : at + 4])

    def _condition(self) -> bool:
        start = self.i
        if self.is_(Cue.COMPARE, Cue.BETWEEN, Cue.MATCH, Cue.NULL) and self._compared(None):
            return True
        if self.is_(Cue.SAME) and self._same():
            return True
        if (number := self.number_at()) is not None:
            after = self.at(1)
            if after is not None and after.is_(Cue.COMPARE) and after.text.lower() in _POSTFIX and self.noun_at(2):
                self.i += 2
                noun = self.noun()
                if noun is not None:
                    self._counted(noun, after.said, number, self.atoms[start].ref)
                    return True
            if self.noun_at(1) and not self.table_at(1) and not self.is_(Cue.OF, Cue.BE, offset=2):
                self.i += 1
                noun = self.noun()
                if noun is not None:
                    self._counted(noun, Operator.EQUAL, number, self.atoms[start].ref)
                    return True
            if self.table_at(1) and self.is_(Cue.HAVE, Cue.WITH, Cue.LIGHT, Cue.ONLY, offset=-1):
                self.i += 1
                noun = self.noun()
                if noun is not None:
                    self._counted(noun, Operator.EQUAL, number, self.atoms[start].ref)
                    return True
        if self._more_than() or self._range_of() or self._verb():
            return True
        if self.is_(Cue.AGGREGATE, Cue.COUNT) or self.noun_at():
            return self._noun_clause()
        if self.value_at():
            self._add(self.plain_value())
            return True
        return False

    def _more_than(self) -> bool:
        """`more seats than the Falcon`."""
        if not self.is_(Cue.MORE) or not self.noun_at(1):
            return False
        start = self.i
        self.i += 1
        noun = self.noun()
        if noun is None or not self.is_(Cue.THAN):
            self.i = start
            return False
        cond = self._new("compare")
        cond.noun = noun
        return self._operand(cond, self.atoms[start], start)

    def _range_of(self) -> bool:
        """`between 3 and 4 credits`, where the range is one value."""
        atom = self.atoms[self.i]
        if atom.ref is None or atom.cue is not None or not self.noun_at(1) or self.table_at(1):
            return False
        if not any(len(one.values) == 2 and one.values[0].kind == "number" for one in atom.ref.literals):
            return False
        cond = self._new("compare")
        cond.values = (atom.ref,)
        self.i += 1
        cond.noun = self.noun()
        self._add(cond)
        return True

    def _verb(self) -> bool:
        """A verb that suggests a column or a table: `hired after 2018`, `cost more than 5`, `was ordered`."""
        atom = self.atoms[self.i]
        if not atom.verbal or atom.ref is None:
            return False
        self.i += 1
        noun = Noun(atom.ref, near=tuple(self.near))
        if self.is_(Cue.COMPARE) and self.number_at(1) is not None and self.table_at(2):
            return True
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
            if self.negated and not any(
                self.noun_at(ahead) or self.value_at(ahead) or self.maybe_value_at(ahead) for ahead in (0, 1, 2)
            ):
                cond = self._new("null")
                cond.noun, cond.negated = noun, False
                self._add(cond)
                return True
            ref = self.atoms[self.i].ref if self.value_at() else None
            if ref is not None and any(one.values[0].kind != "text" for one in ref.literals if one.values):
                self._valued(noun)
                self.frame.conditions[-1].how = self.frame.conditions[-1].how or "verb"
                return True
            self.i = start
        if atom.ref.best(MentionKind.TABLE) > atom.ref.best(MentionKind.COLUMN):
            if self.negated and not any(self.noun_at(ahead) for ahead in range(0, 3)):
                self._had(noun, negated=True)
            elif self.scope is None and not self.negated and atom.ref.best(MentionKind.TABLE) >= 0.95:
                cond = self._new("exists")
                cond.noun, cond.table, cond.how = noun, atom.ref, "verb"
                self.frame.conditions.append(cond)
        return True

    def _noun_clause(self) -> bool:
        """A noun: with a comparison or value behind it, it is a condition; else it is had, or asked for as well."""
        start = self.i
        asked = self.listing and not self.both
        ambiguous = self.maybe_value_at() and not self.is_(Cue.BE, Cue.COMPARE, offset=1)
        noun = self.noun()
        if noun is None:
            return False
        if noun.ref is None and not noun.count:
            self.frame.loose.append((self.atoms[start].first, self.atoms[self.i - 1].last))
            return True
        table = noun.ref is not None and noun.owner is None and may_be_table(noun.ref)
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
        if (self.is_(Cue.SUPERLATIVE) or self.is_(Cue.AGGREGATE)) and not table and self.at(1) is None:
            said = self.atoms[self.i].said
            self.i += 1
            sort = (
                Sort(noun, degree=said, limit=1)
                if isinstance(said, Degree)
                else Sort(noun, said is Aggregate.MAX, limit=1)
            )
            self.frame.sorts.append(sort)
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
        if (
            table
            and self.i == before
            and self.value_at()
            and noun.ref is not None
            and self.atoms[self.i].first == self.atoms[self.i - 1].last
        ):
            if self.number_at() is not None or self._is_named():
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
        if noun.count or noun.aggregates or (asked and not self.negated and not (table and self._verb_before(start))):
            self.frame.items.append(noun)
            if table and noun.ref is not None:
                self.remember(noun.ref)
            self.negated = False
            return True
        if table and noun.ref is not None:
            if self.negated:
                self._had(noun, negated=True)
            elif self._possessed(start):
                self.frame.items.append(noun)
                self.remember(noun.ref)
            else:
                self.remember(noun.ref)
                self._had(noun, negated=False, plain=True)
                if start and self.atoms[start - 1].is_(Cue.OF) and self.last is not None:
                    self.last.how = "of"
            return True
        if noun.ref is not None:
            if self.negated or self.is_(Cue.HAVE, Cue.WITH, offset=start - self.i - 1):
                if self.is_(Cue.WITH, offset=start - self.i - 1) and not self.negated:
                    self.frame.items.append(noun)
                    return True
                cond = self._new("null")
                cond.noun, cond.negated = noun, not self.negated
                self._add(cond)
            else:
                self.frame.loose.append((noun.ref.first, noun.ref.last))
        return True

    def _possessed(self, start: int) -> bool:
        """`with their departments`: shown as well."""
        first = self.atoms[start].first
        said = self.cut.linked.tokens[first - 1].text.lower() if first else ""
        return start > 0 and self.atoms[start - 1].is_(Cue.WITH) and said in ("its", "their", "his", "her")

    def _is_named(self) -> bool:
        """Whether a value right behind a table is the name of one of its rows."""
        token = self.cut.linked.tokens[self.atoms[self.i].first]
        return token.quoted or token.text[:1].isupper()

    def _elsewhere(self) -> bool:
        return False

    def _verb_before(self, start: int) -> bool:
        return start > 0 and self.atoms[start - 1].is_(Cue.LIGHT, Cue.HAVE, Cue.PREPOSITION, Cue.FROM, Cue.TO, Cue.NOT)

    def _valued(self, noun: Noun) -> None:
        """`whose country is France or Spain`."""
        cond = self._new("compare")
        cond.noun = noun
        value = self.plain_value()
        cond.values = value.values
        if self.is_(Cue.AND) and self.value_at(1) and self._same_kind(cond.values[0], self.atoms[self.i + 1].ref):
            self._add(cond)
            self.i += 1
            more = self._new("compare")
            more.noun, more.both = noun, True
            more.values = self.plain_value().values
            self._add(more)
            return
        atom = self.at()
        if atom is not None and atom.is_(Cue.COMPARE) and atom.text.lower() in _POSTFIX:
            cond.operator = atom.said if isinstance(atom.said, Operator) else Operator.EQUAL
            self.i += 1
        self._add(cond)

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
        self._had(noun, self.negated, (operator, number))

    def _compared(self, noun: Noun | None) -> bool:
        """What stands behind a word that compares."""
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
            cond.operator, cond.how = Operator.LIKE, atom.said
            ref = self.atoms[self.i].ref
            if ref is None:
                ref = Ref(self.atoms[self.i].first, self.atoms[self.i].last, ())
            cond.values = (ref,)
            self.i += 1
            if self.is_(Cue.PREPOSITION) and noun is None and self.noun_at(1):
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
        every = self.is_(Cue.ALL)
        self.skip(Cue.ALL)
        if self.is_(Cue.AGGREGATE, Cue.SUPERLATIVE):
            self._nested(cond)
            return True
        number = self.number_at()
        if number is not None and cond.degree is None and cond.how != "time":
            unit = (
                self.table_at(1)
                or (self.is_(Cue.DISTINCT) and self.table_at(2))
                or (self.is_(Cue.DISTINCT, offset=1) and self.noun_at(2))
            )
            if unit and cond.noun is None:
                ref = self.atoms[self.i].ref
                self.i += 1
                counted = self.noun()
                if counted is not None:
                    self._counted(counted, cond.operator, number, ref)
                    return True
        if self.maybe_value_at() or self.value_at():
            ref = self.atoms[self.i].ref
            is_value = ref is not None and not ref.literals and bool(ref.values)
            self.i += 1
            if (
                ref is not None
                and is_value
                and (cond.degree is not None or (cond.operator is not Operator.EQUAL and cond.how != "time"))
            ):
                cond.nest = Nest(None, None, [Cond("value", self.i, values=(ref,), near=tuple(self.near))])
                while self.value_at() and (more := self.atoms[self.i].ref) is not None and more.values:
                    cond.nest.conditions.append(Cond("value", self.i, values=(more,), near=tuple(self.near)))
                    self.i += 1
            else:
                cond.values = (ref,) if ref is not None else ()
            if cond.noun is None and self.noun_at() and not self.table_at():
                cond.noun = self.noun()
            self._add(cond)
            return True
        if self.noun_at() and (cond.noun is not None or every or cond.degree is not None):
            cond.nest = Nest(None, self.noun(), every=every)
            if cond.nest.noun is not None and cond.nest.noun.ref is not None and may_be_table(cond.nest.noun.ref):
                self.remember(cond.nest.noun.ref)
            self._inner(cond.nest)
            self._add(cond)
            return True
        self.i = start
        return False

    def _nested(self, cond: Cond) -> None:
        """`than the average age of all singers`."""
        atom = self.atoms[self.i]
        extreme = Aggregate.MAX if getattr(atom.said, "descending", True) else Aggregate.MIN
        aggregate = atom.said if atom.is_(Cue.AGGREGATE) else extreme
        self.i += 1
        self.skip(Cue.OF)
        noun = self.noun()
        cond.nest = Nest(aggregate, noun)
        if atom.is_(Cue.SUPERLATIVE) and noun is not None and noun.ref is not None and may_be_table(noun.ref):
            noun.degree = atom.said
        if noun is not None and cond.noun is None and noun.ref is not None and not may_be_table(noun.ref):
            cond.noun = noun
        self._inner(cond.nest)
        self._add(cond)

    def _inner(self, nest: Nest) -> None:
        """Conditions of what is computed first: `of the singers from France`."""
        while self.is_(Cue.OF, Cue.PREPOSITION, Cue.FROM, Cue.ALL, Cue.WITH, Cue.LIGHT) and (
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

    def _rest(self, atom: Atom) -> None:
        """What no rule reads."""
        if atom.is_unknown:
            self.frame.unknown.append((atom.first, atom.last))
        elif (atom.cue not in _PATH and not atom.is_(Cue.DISTINCT, Cue.WHEN)) and (
            atom.cue is not None or atom.ref is not None
        ):
            self.frame.loose.append((atom.first, atom.last))
        if atom.is_(Cue.DISTINCT):
            self.frame.distinct = True
        if not atom.is_(Cue.LIGHT, Cue.PREPOSITION, Cue.HAVE, Cue.BE, Cue.ASK, Cue.WHAT):
            self.listing = False
        self.i += 1
