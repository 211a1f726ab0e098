"""Figures that belong to the name of a column, and are no figure of it: moorings that have no maximum depth."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.mention import Mention, MentionKind
from resolvers.engines.nl2sql.plan import Aggregate
from resolvers.engines.nl2sql.planner.atoms import Atom, Cut, Ref

_CALLED: Final = {
    Aggregate.MAX: words("max maximum maximal"),
    Aggregate.MIN: words("min minimum minimal"),
    Aggregate.AVG: words("avg average mean"),
    Aggregate.SUM: words("total sum"),
}
"""Words for figures in the names of columns."""
_NAMED: Final = 0.95
"""How well a column fits whose name goes on with the figure."""


def with_named_figures(pieces: Cut) -> Cut:
    """The pieces, with a figure that is denied taken into the name that goes on with it: rows have none of either."""
    kept: list[Atom] = []
    for atom in pieces.atoms:
        figure = kept[-1] if kept and kept[-1].is_(Cue.AGGREGATE) else None
        denied = figure is not None and len(kept) > 1 and kept[-2].is_(Cue.NO)
        named = _named(atom, figure) if denied and figure is not None else ()
        if figure is not None and named:
            kept.pop()
            ref = Ref(figure.first, atom.last, tuple(named))
            atom = replace(atom, first=figure.first, ref=ref, text=pieces.text(figure.first, atom.last))
        kept.append(atom)
    pieces.atoms = kept
    return pieces


def _named(atom: Atom, figure: Atom) -> Sequence[Mention]:
    """The columns that words fit and that have a figure in their names."""
    called = _CALLED.get(figure.said) if isinstance(figure.said, Aggregate) else None
    columns = [one for one in atom.ref.of(MentionKind.COLUMN) if one.column] if atom.ref is not None else []
    return [
        one._replace(first=figure.first, score=max(one.score, _NAMED))
        for one in columns
        if called and one.column is not None and called & set(tokens_of(one.column.column))
    ]
