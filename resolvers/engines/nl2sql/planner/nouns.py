"""Reading along the atoms: nouns with what stands before and behind them, and values."""

from typing import Final

from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.verbs import is_participle
from resolvers.engines.nl2sql.language.words import NUMBER_WORDS
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.plan import Aggregate
from resolvers.engines.nl2sql.planner.atoms import Atom, Cut, Ref
from resolvers.engines.nl2sql.planner.frame import DONE_TO, Cond, Frame, Noun, Sort
from resolvers.engines.nl2sql.planner.verbal import tells_which

_BEFORE: Final = (Cue.AGGREGATE, Cue.COUNT, Cue.DISTINCT, Cue.ALL, Cue.SHARE, Cue.DIFFERENCE, Cue.EVERYTHING)
MODIFIED: Final = 0.8
"""How well a noun must be known for a word before it to be passed over."""
_HELD: Final = 0.95
"""How well a word must be a value to tell which rows are meant rather than what is shown of them."""
STRONG: Final = 0.5
"""How well words must fit to be a noun or a value."""


class Reader:
    """Where in the question the parser is, and what it knows so far."""

    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        self.atoms = [atom for atom in cut.atoms if not atom.is_(Cue.NTH)]
        self.i = 0
        self.frame = Frame()
        places = [int(atom.said) for atom in cut.atoms if atom.is_(Cue.NTH)]
        self.frame.skipped = places[0] - 1 if places else 0
        self.near: list[Ref] = []
        """Table words so far, the nearest first."""

    # Looking.

    def at(self, offset: int = 0) -> Atom | None:
        """The atom some places ahead."""
        at, atoms = self.i + offset, self.atoms
        return atoms[at] if 0 <= at < len(atoms) else None

    def is_(self, *cues: Cue, offset: int = 0) -> bool:
        """Return whether the atom some places ahead has one of these roles."""
        at, atoms = self.i + offset, self.atoms
        return 0 <= at < len(atoms) and atoms[at].cue in cues

    def skip(self, *cues: Cue) -> None:
        """Goes past atoms of these roles."""
        while self.is_(*cues):
            self.i += 1

    def noun_at(self, offset: int = 0) -> bool:
        """Return whether a noun stands there."""
        atom = self.at(offset)
        if atom is not None and atom.unit is not None:
            return True
        if atom is None or atom.ref is None or not atom.ref.is_noun or atom.verbal:
            return False
        if atom.cue is Cue.ORDER and atom.text.lower() in ("order", "orders", "the order", "the orders"):
            return may_be_table(atom.ref) and not self.is_(Cue.BY, Cue.DIRECTION, Cue.OF, offset=offset + 1)
        if atom.cue is Cue.ORDER and atom.text.lower().endswith("ed"):
            return False
        if atom.cue in (Cue.AGGREGATE, Cue.COUNT, Cue.TOP, Cue.SUPERLATIVE, Cue.MOST, Cue.ORDER):
            return not self._leads_on(offset + 1)
        if atom.cue is Cue.EVERYTHING:
            return not self.is_(Cue.OF, Cue.PREPOSITION, offset=offset + 1)
        if atom.cue is not None and atom.cue not in (Cue.LIGHT, Cue.ASK, Cue.DIFFERENCE, Cue.SHARE):
            return False
        return not value_first(atom.ref)

    def _leads_on(self, offset: int) -> bool:
        """Return whether a noun follows that a word before it can belong to."""
        while self.is_(Cue.OF, Cue.ALL, Cue.DISTINCT, Cue.AGGREGATE, Cue.AND, Cue.COMMA, Cue.COUNT, offset=offset):
            offset += 1
        if self.value_at(offset) and self.number_at(offset) is None:
            offset += 1  # the average math score
        atom = self.at(offset)
        return atom is not None and atom.ref is not None and atom.ref.is_noun and not value_first(atom.ref)

    def table_at(self, offset: int = 0) -> bool:
        """Return whether a noun stands there that may be a table."""
        atom = self.at(offset)
        return self.noun_at(offset) and atom is not None and atom.ref is not None and may_be_table(atom.ref)

    def value_at(self, offset: int = 0) -> bool:
        """Return whether a value stands there."""
        atom = self.at(offset)
        if atom is None or atom.ref is None or (atom.cue is not None and atom.cue is not Cue.LIGHT):
            return False
        ref = atom.ref
        if atom.unit is not None:
            return False
        if not ref.mentions:
            return True
        held = bool(ref.literals or ref.values or ref.patterns)
        return held and (not ref.is_noun or value_first(ref) or self._says_which(offset))

    def _says_which(self, offset: int) -> bool:
        """`open invoices`, of invoices some of which are open: what another table calls a column so says nothing."""
        atom, rows = self.at(offset), self.at(offset + 1)
        if atom is None or atom.ref is None or rows is None or rows.ref is None or rows.first != atom.last:
            return False
        if not surely_table(rows.ref) or may_be_table(atom.ref):
            return False
        tables = {one.table for one in rows.ref.tables if one.score >= rows.ref.best(MentionKind.TABLE)}
        held = {one.column.table for one in atom.ref.values if one.column is not None and one.score >= _HELD}
        shown = {one.column.table for one in atom.ref.columns if one.column is not None}
        return bool(held & tables) and not shown & tables

    def maybe_value_at(self, offset: int = 0) -> bool:
        """Return whether what stands there may be a value, though a noun fits as well."""
        atom = self.at(offset)
        return atom is not None and atom.ref is not None and bool(atom.ref.literals or atom.ref.values)

    def number_at(self, offset: int = 0) -> int | None:
        """The whole number that stands there."""
        atom = self.at(offset)
        if atom is None or atom.ref is None or atom.last - atom.first != 1:
            return None
        token = self.cut.linked.tokens[atom.first]
        if token.quoted:
            return None
        text = token.text.lower().replace(",", "")
        if text.isdigit():
            return int(text)
        return NUMBER_WORDS.get(text)

    def first_ahead(self, offset: int = 0) -> int:
        """How many atoms `oldest first` or `most plays first` take from there on; 0 when it does not stand there."""
        start = offset
        while self.is_(Cue.WITH, Cue.COMMA, Cue.AND, offset=offset) and offset - start < 3:
            offset += 1
        if not self.is_(Cue.SUPERLATIVE, Cue.MOST, Cue.COMMON, offset=offset):
            return 0
        for ahead in range(offset + 1, offset + 4):
            atom = self.at(ahead)
            if atom is None:
                return 0
            if atom.is_(Cue.SUPERLATIVE) and atom.text.lower() == "first":
                after = self.at(ahead + 1)
                ends = after is None or after.is_(Cue.END, Cue.COMMA, Cue.AND)
                return ahead + 1 if ends else 0
            if not (self.noun_at(ahead) or atom.is_(Cue.COUNT, Cue.AGGREGATE, Cue.LIGHT) or atom.verbal):
                return 0
        return 0

    def is_year(self, offset: int = 0) -> bool:
        """Return whether the number that stands there is a year: `the 2023 harvests` are not so many of them."""
        text = self.atoms[self.i + offset].text
        return len(text) == 4 and text.isdigit() and text[:2] in ("19", "20")

    # Reading.

    def remember(self, ref: Ref) -> None:
        """Takes note of table words."""
        self.near.insert(0, ref)
        self.frame.tables.append(ref)

    def sort_before_noun(self) -> Sort | None:
        """`top 3`, `3 youngest`, `the most common`, `first five`, in front of a noun."""
        start = self.i
        limit: int | None = None
        sort: Sort | None = None
        if self.is_(Cue.TOP) and (self.number_at(1) is not None or not self.noun_at()):
            self.i += 1
            sort = Sort(descending=True)
        if (
            (number := self.number_at()) is not None
            and (sort is not None or self.is_(Cue.SUPERLATIVE, Cue.COMMON, Cue.MOST, offset=1))
            and (sort is not None or not self.is_year())
        ):
            limit = number
            self.i += 1
        if self.is_(Cue.SUPERLATIVE) and isinstance(self.atoms[self.i].said, Degree):
            sort = Sort(degree=self.atoms[self.i].said)
            self.i += 1
            ahead = self.at()
            if ahead is not None and ahead.verbal and ahead.ref is not None and ahead.ref.columns and self.noun_at(1):
                sort.noun = Noun(ahead.ref, near=tuple(self.near))
                self.i += 1
            if limit is None and (number := self.number_at()) is not None and self.noun_at(1):
                limit = number
                self.i += 1
        elif self.is_(Cue.COMMON):
            sort = Sort(descending=self.atoms[self.i].said, by_count=True, common=True)
            self.i += 1
            if limit is None and (number := self.number_at()) is not None:
                limit = number
                self.i += 1
        if sort is None:
            self.i = start
            return None
        sort.limit = limit if limit is not None else 1
        return sort

    def noun(self) -> Noun | None:
        """A noun with what is computed of it and what it is of; None when none stands here, and nothing is read."""
        start = self.i
        noun = Noun(near=tuple(self.near), first=self.atoms[start].first if start < len(self.atoms) else 0)
        aggregates: list[Aggregate] = []
        while (atom := self.at()) is not None and atom.cue in _BEFORE:
            if self.noun_at() and atom.cue not in (Cue.DISTINCT, Cue.ALL):
                break
            if (
                aggregates
                and atom.is_(Cue.AGGREGATE)
                and atom.ref is not None
                and atom.ref.best(MentionKind.COLUMN) >= 0.95
            ):
                break
            if atom.is_(Cue.AGGREGATE):
                aggregates.append(atom.said)
                ahead = 1
                while self.is_(Cue.COMMA, Cue.AND, offset=ahead):
                    ahead += 1
                if ahead > 1 and self.is_(Cue.AGGREGATE, offset=ahead) and not self.noun_at(ahead):
                    self.i += ahead
                    continue
            elif atom.is_(Cue.COUNT):
                noun.count = True
                noun.first = atom.first
            elif atom.is_(Cue.DISTINCT):
                noun.distinct = True
            elif atom.is_(Cue.SHARE):
                noun.share = True
            elif atom.is_(Cue.EVERYTHING):
                noun.everything = True
            elif atom.is_(Cue.DIFFERENCE):
                break
            self.i += 1
            if not self.is_(Cue.OF) or self.is_(Cue.EACH, offset=1):
                self.skip(Cue.ALL)
                continue
            self.skip(Cue.OF)
        if noun.everything:
            self.skip(Cue.OF, Cue.PREPOSITION, Cue.ALL)
        if noun.count and aggregates == [Aggregate.SUM]:
            aggregates = []
        noun.aggregates = tuple(aggregates)
        if (aggregates or noun.share) and self.value_at() and self.number_at() is None and self.noun_at(1):
            value = self.atoms.pop(self.i)
            self.atoms.insert(self.i + 1, value)  # the total of paid invoices, the average math score
        if noun.aggregates in ((), (Aggregate.SUM,)):
            self._each_span()
        self._modifier()
        named = self.at()
        total = bool(aggregates) and named is not None and named.is_(Cue.AGGREGATE) and named.ref is not None
        if not self.noun_at() and not total:
            if noun.count or aggregates or noun.everything:
                return noun
            self.i = start
            return None
        self._compound(noun)
        self._owner_within(noun)
        self._owner(noun)
        return noun

    def _each_span(self) -> None:
        """`monthly revenue`: what follows is told for each month."""
        atom, head = self.at(), self.at(1)
        if atom is None or atom.unit is None or head is None or head.first != atom.last or not self.noun_at(1):
            return
        if head.unit is None and (atom.text.lower().endswith("ly") or atom.text.lower() == "annual"):
            self.frame.groups.append(Noun(atom.ref, near=tuple(self.near), unit=atom.unit))
            self.frame.per = True
            self.i += 1

    def _modifier(self) -> bool:
        """`dance styles`, where only styles are known: the word is passed over, and noted as a doubt."""
        atom, head = self.at(), self.at(1)
        if atom is None or head is None or head.ref is None or not head.ref.mentions or not self.noun_at(1):
            return False
        best = max(one.score for one in head.ref.mentions)
        rows = atom.last == head.first and best >= MODIFIED and surely_table(head.ref)
        if rows and tells_which(self.cut.linked.tokens, atom, head):
            done = atom.ref is not None and atom.ref.best(MentionKind.COLUMN) >= MODIFIED
            if done and is_participle(atom.text.lower()):  # returned parcels, which have a day of return
                noun = Noun(atom.ref, owner=head.ref)
                self.frame.conditions.append(Cond("null", atom.first, noun=noun, negated=True, how=DONE_TO))
            else:
                self.frame.modifiers.append((atom.first, atom.last))
            self.i += 1
            return True
        token = self.cut.linked.tokens[atom.first]
        if not atom.is_unknown:
            return False
        plain = token.text.isalpha() and token.text.islower() and not token.text.endswith(("ed", "ing", "ly"))
        if plain and atom.last == head.first and best >= MODIFIED and atom.first:
            self.frame.modifiers.append((atom.first, atom.last))
            self.i += 1
            return True
        return False

    def _compound(self, noun: Noun) -> None:
        """`singer names`, `the singer's country`."""
        atom = self.atoms[self.i]
        noun.ref, noun.unit = atom.ref, atom.unit
        self.i += 1
        while noun.ref is not None:
            possessive = self.is_(Cue.POSSESSIVE)
            offset = 1 if possessive else 0
            if not possessive and self._deed_between(noun.ref):
                self.i += 1
            ahead = self.at(offset)
            if not self.noun_at(offset) or ahead is None or ahead.ref is None:
                if possessive:
                    self.i += 1
                return
            if (ahead.cue is not None or ahead.first != self.atoms[self.i - 1].last) and not possessive:
                return
            if not possessive and self._describes(noun.ref, ahead.ref):
                self.i += 1
                noun.ref = ahead.ref  # home matches
                continue
            if not possessive and not (may_be_table(noun.ref) and ahead.ref.columns):
                return
            if noun.count and not possessive and self._says_what(ahead.ref, offset + 1):
                return
            if not possessive and self._is_told(ahead):
                return
            if may_be_table(noun.ref):
                noun.owner = noun.ref
                self.remember(noun.ref)
            self.i += offset + 1
            noun.ref = ahead.ref

    def _deed_between(self, ref: Ref) -> bool:
        """`the parcel release date`: a verb in its base form between rows and a column of theirs says what for."""
        deed, head = self.at(), self.at(1)
        if deed is None or head is None or head.ref is None or not may_be_table(ref) or not self.noun_at(1):
            return False
        deedlike = deed.is_(Cue.LIGHT) and deed.ref is None and deed.last - deed.first == 1
        beside = deed.first == ref.last and head.first == deed.last and not may_be_table(head.ref)
        return deedlike and beside and self.cut.linked.tokens[deed.first].is_lemma

    def _is_told(self, atom: Atom) -> bool:
        """`candidates born before 1970`: a participle tells what is compared, and is not what is asked for."""
        return is_participle(atom.text.lower()) and self.is_(Cue.COMPARE, Cue.BETWEEN, offset=1)

    def _says_what(self, ref: Ref, offset: int) -> bool:
        """`how many bridges cross the Don`: a verb and a value of the column that it is called by."""
        value = self.at(offset)
        if value is None or value.ref is None or not self.value_at(offset):
            return False
        columns = {one.column for one in ref.columns if one.score >= MODIFIED}
        return any(one.column in columns for one in value.ref.values if one.score >= MODIFIED)

    def _describes(self, ref: Ref, thing: Ref) -> bool:
        """Return whether words that are a part of a column's name only say which of the things behind them
        are meant.
        """
        if may_be_table(ref) or not may_be_table(thing) or ref.best(MentionKind.COLUMN) >= 0.9:
            return False
        tables = {one.table for one in thing.tables if one.score >= 0.9}
        return any(one.column is not None and one.column.table in tables for one in ref.columns)

    def _owner_within(self, noun: Noun) -> None:
        """`the level of schooling of nurses`, where all of it is what a column is called: the nurses are its rows."""
        ref = noun.ref
        if ref is None or noun.owner is not None or may_be_table(ref):
            return
        for at in range(ref.first + 2, ref.last):
            said = [token.lemma for token in self.cut.linked.tokens[ref.first : at]]
            own = {one.column.table for one in ref.columns[:1] if one.column is not None}
            rows = [one for one in self.cut.over((at, ref.last)) if one.kind is MentionKind.TABLE and one.table in own]
            if "of" in said[-3:] and any(one.score >= MODIFIED for one in rows):
                noun.owner = Ref(at, ref.last, tuple(rows))
                self.remember(noun.owner)
                return

    def _owner(self, noun: Noun) -> None:
        """`of all singers`, `of the singers of ...`."""
        if noun.ref is None or noun.owner is not None:
            return
        ahead = 0
        if not self.is_(Cue.OF, Cue.PREPOSITION, Cue.FROM) and not (
            self.is_(Cue.EACH) and self.atoms[self.i].text.lower().startswith("of")
        ):
            return
        if not self.is_(Cue.OF) and noun.count:
            return
        ahead = 1
        while self.is_(Cue.ALL, Cue.DISTINCT, Cue.EACH, offset=ahead):
            ahead += 1
        each = self.is_(Cue.EACH, offset=ahead - 1) or self.is_(Cue.EACH)
        many = self.number_at(ahead) if self.is_(Cue.OF) else None
        if many is not None and self.table_at(ahead + 1):
            if self.is_year(ahead):
                return
            self.frame.limit = many
            ahead += 1
        atom = self.at(ahead)
        if atom is not None and atom.ref is not None and self.noun_at(ahead) and not may_be_table(atom.ref):
            mine = {one.column for one in noun.ref.columns if one.score >= 0.9}
            if self.is_(Cue.OF) and mine & {one.column for one in atom.ref.columns}:
                self.i += ahead + 1  # the price of a ticket, where only the price is known
                return
        if atom is None or atom.ref is None or not self.table_at(ahead) or atom.cue is not None:
            return
        if self.is_(Cue.POSSESSIVE, offset=ahead + 1) or not noun.ref.columns:
            return
        if self.number_at(ahead + 1) is not None:
            return
        following = self.at(ahead + 1)
        if following is not None and following.cue is None and self.noun_at(ahead + 1):
            return
        noun.owner = atom.ref
        if each:
            return
        self.remember(atom.ref)
        self.i += ahead + 1


def may_be_table(ref: Ref) -> bool:
    """Return whether words may name a table."""
    table = ref.best(MentionKind.TABLE)
    if any(one.how == "reference" for one in ref.tables):
        return True
    return table >= STRONG and table >= ref.best(MentionKind.COLUMN) - 0.25


def surely_table(ref: Ref) -> bool:
    """Return whether words name a table rather than a column."""
    return may_be_table(ref) and ref.best(MentionKind.TABLE) > ref.best(MentionKind.COLUMN)


def value_first(ref: Ref) -> bool:
    """Return whether words are rather a value than a noun."""
    if ref.patterns:
        return True
    value = max(ref.best(MentionKind.VALUE), ref.best(MentionKind.LITERAL))
    noun = max(ref.best(MentionKind.TABLE), ref.best(MentionKind.COLUMN), *(one.score for one in ref.measures), 0.0)
    return value > noun + 0.05


def calls_a_table(ref: Ref) -> bool:
    """Return whether a verb says a table rather than a column: `tasted`, of tastings, that may hold a `tasted_on`."""
    table, column = ref.best(MentionKind.TABLE), ref.best(MentionKind.COLUMN)
    meant = {one.table for one in ref.tables if one.score >= table}
    own = all(one.column is not None and one.column.table in meant for one in ref.columns if one.score >= column)
    return table > column or (table == column and own)
