"""Figures that are added up along the way: `the running total of fares by month`."""

from collections.abc import Sequence
from typing import Final, TypeGuard

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.mention import Token
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Column, Expression, Figure, Running, Span, Term
from resolvers.engines.nl2sql.planner.catalog import Catalog

_ADDED_UP: Final = word_set("running cumulative cumulated accumulated")
WHOLE_TOO: Final = _ADDED_UP - {"running"}
"""What is said of a plain total too, where nothing is grouped by."""
_OF_NEIGHBOURS: Final = word_set("rolling moving")
_FIGURES: Final = word_set("total sum count number average mean amount")
"""What `running` and `moving` are said of, where they are no deeds of things."""


def over_rows(tokens: Sequence[Token]) -> str | None:
    """Return the word that says that a figure goes over several rows of the answer; None without one."""
    for at, token in enumerate(tokens):
        said = token.text.lower()
        of_figure = at + 1 < len(tokens) and tokens[at + 1].lemma in _FIGURES
        if said in _ADDED_UP | _OF_NEIGHBOURS and (of_figure or said not in ("running", "moving")):
            return said
    return None


def added_up(tokens: Sequence[Token], term: Term, groups: Sequence[Term], catalog: Catalog) -> Term:
    """Return a figure as its running total over the only times that rows are grouped by, where one is asked for."""
    if over_rows(tokens) not in _ADDED_UP or not _can_be_added(term):
        return term
    along = [one for one in groups if _is_time(one, catalog)]
    if len(along) != 1:
        return term
    return Running(term, along[0], tuple(one for one in groups if one != along[0]))


def _is_time(term: Term, catalog: Catalog) -> bool:
    return isinstance(term, Span) or (
        isinstance(term, Column) and catalog.is_moment_like(ColumnKey(term.table, term.column))
    )


def _can_be_added(term: Term) -> TypeGuard[Figure | Expression]:
    if isinstance(term, Figure):
        return term.aggregate is Aggregate.SUM or (term.aggregate is Aggregate.COUNT and not term.distinct)
    return isinstance(term, Expression) and term.aggregates and term.sql.upper().startswith("SUM(")
