"""Two columns of a row that are compared: what came about with what was planned, a home town with a birth town."""

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.plans import said_of_plans
from resolvers.engines.nl2sql.planner.atoms import Atom
from resolvers.engines.nl2sql.planner.comparisons import Comparisons
from resolvers.engines.nl2sql.planner.frame import ALIKE, BESIDE, Noun
from resolvers.engines.nl2sql.planner.nouns import MODIFIED, STRONG


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
