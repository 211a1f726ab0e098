"""Two columns of a row that are compared: what came about with what was planned, a home town with a birth town."""

from collections.abc import Set
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.plans import said_of_plans
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.atoms import Atom, Ref
from resolvers.engines.nl2sql.planner.comparisons import Comparisons
from resolvers.engines.nl2sql.planner.frame import ALIKE, BESIDE, Noun
from resolvers.engines.nl2sql.planner.nouns import MODIFIED, STRONG

_VERB_BEHIND: Final = 5
"""Atoms behind `the same station` that the second verb stands among."""
_KEYED: Final = 0.7
"""How well a column must be called by the word for what both ends are."""


class ColumnPairs(Comparisons):
    """Reads what is compared within a row."""

    def _beside_the_plan(self, atom: Atom) -> bool:
        """`started late`, `went over their estimate`: one column of a row is compared with another."""
        tokens = self.cut.linked.tokens
        said = None if any(one.how == BESIDE for one in self.frame.conditions) else said_of_plans(tokens)
        if said is None or not (atom.first <= said.first < atom.last or (said.deed and atom.last == said.first)):
            return False
        told = (one for one in self.cut.linked.mentions if one.first <= said.first < one.last)
        if any(one.score >= MODIFIED for one in told):
            return False  # is_late, or a status that is called so
        cond = self._new("compare")
        cond.how = BESIDE
        self._add(cond)
        while self.i < len(self.atoms) and self.atoms[self.i].first < said.last:
            self.i += 1
        return True

    def _alike(self, noun: Noun) -> bool:
        """`whose home town is different from their birth town`: two columns of a row, that hold the same or not."""
        ahead = 1 if self.is_(Cue.BE) else 0
        said = self.at(ahead)
        denied = said is not None and said.is_(Cue.NOT) and said.text.lower().startswith("differ")
        if said is not None and said.is_(Cue.NOT) and self.is_(Cue.COMPARE, offset=ahead + 1):
            ahead, said, denied = ahead + 1, self.at(ahead + 1), True
        same = said is not None and said.is_(Cue.COMPARE) and "same as" in said.text.lower()
        ahead += 1
        while self.is_(Cue.OR, Cue.ALL, offset=ahead):  # his or her
            ahead += 1
        other = self.at(ahead)
        if not (denied or same) or noun.ref is None or other is None or other.ref is None or not self.noun_at(ahead):
            return False
        own = {one.column.table for one in noun.ref.columns if one.column is not None and one.score >= STRONG}
        if not any(one.column is not None and one.column.table in own for one in other.ref.columns):
            return False
        cond = self._new("compare", denied)
        cond.how, cond.values = ALIKE, (noun.ref, other.ref)
        self._add(cond)
        self.i += ahead + 1
        if (behind := self.at()) is not None and behind.text.lower() in ("one", "ones"):
            self.i += 1
        return True

    def _same_end(self) -> bool:
        """`ended at the same station where they started`: two keys of a row, each told by a verb, that are alike."""
        said, noun = self.at(), self.at(1)
        differ = said is not None and said.is_(Cue.DISTINCT) and said.text.lower().split()[-1] in ("different", "other")
        if said is None or noun is None or noun.ref is None or not (said.is_(Cue.SAME) or differ):
            return False
        behind = range(self.i + 2, min(self.i + 2 + _VERB_BEHIND, len(self.atoms)))
        until = next((at for at in behind if self.atoms[at].is_(Cue.END, Cue.AND, Cue.COMMA)), behind.stop)
        second = next((at for at in range(self.i + 2, until) if self.atoms[at].verbal), None)
        first = next((at for at in range(self.i - 1, max(-1, self.i - 4), -1) if self.atoms[at].verbal), None)
        if first is None or second is None:
            return False
        own = {one.column for one in noun.ref.columns if one.score >= _KEYED}
        one, other = (self._end_of(self.atoms[at], own) for at in (first, second))
        if one is None or other is None or one.columns[0].column == other.columns[0].column:
            return False
        cond = self._new("compare", differ)
        cond.how, cond.values = ALIKE, (one, other)
        self._add(cond)
        self.i = second + 1
        return True

    def _end_of(self, verb: Atom, own: Set[ColumnKey | None]) -> Ref | None:
        """The words of a verb as the one column of some that it speaks of."""
        found = [one for one in verb.ref.columns if one.column in own] if verb.ref is not None else []
        return Ref(verb.first, verb.last, (max(found, key=lambda one: one.score),)) if found else None
