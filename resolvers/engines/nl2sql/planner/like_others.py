"""Rows that are tied to others of their own table: `in the same city as another customer`, `share their ground with
another club`, `referred three or more other members`.
"""

from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Comparison, Figure, Literal, Member, Operator, Output, Plan
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.column_pairs import ColumnPairs
from resolvers.engines.nl2sql.planner.frame import ALIKE_OTHERS, OF_OTHERS, Cond, Noun
from resolvers.engines.nl2sql.planner.nouns import may_be_table
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_OTHER: Final = frozenset(("other", "others", "another"))
_SHARE: Final = frozenset(("share", "shares", "shared", "sharing"))
_UNSAID: Final = 0.3
"""What is doubted where no word of the only key between rows of a table is the verb that is said of them."""
_ENOUGH: Final = (Operator.MORE, Operator.AT_LEAST, Operator.EQUAL)


class LikeOthers(ColumnPairs):
    """Reads what rows have to do with others of their own table."""

    def _like_others(self) -> bool:
        """`the same city as at least one other`, `share their city with another`."""
        start, before, shares = self.i, len(self.frame.modifiers), self.atoms[self.i].text.lower() in _SHARE
        self.i += 1 if shares else 0
        self.skip(*((Cue.SAME, Cue.ALL) if shares else (Cue.SAME,)))
        noun = self._what_is_alike() if self.i > start else None
        tied = self.is_(Cue.WITH) if shares else self.is_(Cue.AS)
        self.i += 1 if tied else 0
        named = noun is not None and noun.ref is not None and noun.unit is None
        count = self._others_ahead() if tied and named else None
        if count is None:
            del self.frame.modifiers[before:]
            return self._back(start)
        cond = self._new("compare")
        cond.how, cond.noun, cond.count = ALIKE_OTHERS, noun, count
        self._add(cond)
        return True

    def _what_is_alike(self) -> Noun | None:
        """What rows are alike in; a word before it, `home` of the ground, may tell which key leads there."""
        before = self.at()
        if before is not None and self.noun_at(1) and before.last == self.atoms[self.i + 1].first:
            self.frame.modifiers.append((before.first, before.last))
            self.i += 1
        return self.noun() if self.noun_at() else None

    def _done_to_others(self) -> bool:
        """`manage three or more other employees`, of employees."""
        start, verb = self.i, self.atoms[self.i]
        rows = self.frame.items[0].ref if self.frame.items else None
        if not (verb.verbal or verb.is_(Cue.LIGHT)) or rows is None or not may_be_table(rows):
            return False
        self.i += 1
        count = self._others_ahead(rows)
        if count is None:
            return self._back(start)
        cond = self._new("compare")
        cond.how, cond.count = OF_OTHERS, count
        cond.noun = Noun(verb.ref or Ref(verb.first, verb.last, ()))
        self._add(cond)
        return True

    def _back(self, start: int) -> bool:
        self.i = start
        return False

    def _others_ahead(self, rows: Ref | None = None) -> tuple[Operator, tuple[int, ...]] | None:
        """How many others are said, which is read; None where none are. Of some `rows` they must be named again."""
        operator, count, seen = Operator.AT_LEAST, 1, False
        while (atom := self.at()) is not None:
            if atom.is_(Cue.COMPARE) and isinstance(atom.said, Operator):
                operator = atom.said
            elif (number := self.number_at()) is not None:
                count = number
            elif atom.text.lower() in _OTHER:
                seen = True
            elif not atom.is_(Cue.ALL, Cue.DISTINCT):
                break
            self.i += 1
        if not seen or operator not in _ENOUGH:
            return None
        named = self.atoms[self.i].ref if self.table_at() else None
        again = named is not None and rows is not None and _tables(named) & _tables(rows)
        if rows is not None and not again:
            return None
        self.i += 1 if named is not None else 0
        return operator, (count,)


def _tables(ref: Ref) -> set[str | None]:
    best = ref.best(MentionKind.TABLE)
    return {one.table for one in ref.tables if one.score >= best}


def tied_to_others(resolver: Resolver, cond: Cond, main: str) -> tuple[Member, ColumnKey] | None:
    """The condition that there are so many others, and its column; None where nothing in the data ties them."""
    if cond.how == ALIKE_OTHERS:
        own = held = _told(resolver, cond, main)
    else:
        own, held = resolver.catalog.key(main), _own_key(resolver, cond, main)
    if own is None or held is None or cond.count is None:
        return None
    operator, (many,) = cond.count
    if cond.how == ALIKE_OTHERS:
        many += 1  # the row itself
    enough = Comparison(Figure(Aggregate.COUNT), operator, (Literal("number", Decimal(many)),))
    known = Comparison(as_column(held), Operator.IS_NULL, (), True)
    plan = Plan(main, (Output(as_column(held)),), where=known, groups=(as_column(held),), having=enough)
    return Member(as_column(own), plan, cond.negated), own


def _told(resolver: Resolver, cond: Cond, main: str) -> ColumnKey | None:
    """The column in which rows are alike: one of theirs, or the key to what they share."""
    noun = cond.noun
    if noun is None or noun.ref is None:
        return None
    kind = resolver.table(noun.ref) if may_be_table(noun.ref) else None
    keys = [key for key in resolver.catalog.joins.keys_of(main) if key.table == main and len(key.columns) == 1]
    columns = [ColumnKey(main, key.columns[0]) for key in keys if key.to == kind]
    if len(columns) == 1:
        words = {root_of(word) for word in resolver.catalog.words(columns[0])}
        before, tokens = resolver.frame.modifiers, resolver.cut.linked.tokens
        before[:] = [one for one in before if root_of(tokens[one[0]].lemma) not in words]  # their home ground
        return columns[0]
    found = resolver.column(noun)
    return found if found is not None and found.table == main else None


def _own_key(resolver: Resolver, cond: Cond, main: str) -> ColumnKey | None:
    """The key from rows of a table to others of it, which a verb speaks of."""
    catalog = resolver.catalog
    keys = [one for one in catalog.joins.keys_of(main) if one.table == one.to == main and len(one.columns) == 1]
    columns = list(dict.fromkeys(ColumnKey(main, one.columns[0]) for one in keys))
    ref = cond.noun.ref if cond.noun is not None else None
    if ref is None:
        return None
    said = {root_of(one) for one in resolver.cut.linked.words(ref.first, ref.last)}
    named = [one for one in columns if said & {root_of(word) for word in catalog.words(one)}]
    if len(named) != 1 and len(columns) == 1:
        resolver.doubt("the only key between rows is taken for what a verb says", _UNSAID)
        return columns[0]
    return named[0] if len(named) == 1 else None
