"""Shares in percent: of all rows, or of those that are told before what is asked of them."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.words import HELPING
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Comparison,
    Condition,
    Figure,
    Literal,
    Nested,
    Output,
    Plan,
    Related,
    Share,
    Term,
)
from resolvers.engines.nl2sql.planner.atoms import Atom
from resolvers.engines.nl2sql.planner.clashes import everything
from resolvers.engines.nl2sql.planner.frame import Noun
from resolvers.engines.nl2sql.planner.parts import Part, also_of, conjoined
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.sql_writing.uses import percentage_of

_HUNDRED: Final = Literal("number", Decimal(100))
_OF_WHAT: Final = 0.3
"""What is doubted of a share where several conditions may tell of what it is one."""

_AMONG: Final = ("among", "amongst")
"""Words before what a share is one of."""
_UNKNOWN: Final = 0.15
"""What is doubted of a share where many rows do not tell whether they belong to it."""
_MANY: Final = 0.05
_EACH_OR_ALL: Final = 0.5
"""What is doubted of a share beside groups, where it may be one of each of them or of all together."""


def percent_of(figure: Figure, table: str) -> Term:
    """How many of a hundred rows fit, and of a total how much of a hundred."""
    of_all = Figure(Aggregate.COUNT) if figure.aggregate is Aggregate.COUNT and not figure.distinct else figure
    return _percent(figure, Plan(table, (Output(of_all),)))


def of_a_base(resolver: Resolver, outputs: list[Output], parts: Sequence[Part]) -> list[Output]:
    """Shares of the rows that are told before the verb: `what percentage of the days in Oslo were sunny`.

    What stands behind the verb tells which of them are meant, but for a time, which is that of all. Where several
    conditions do, some may belong to what the share is one of. `Among` says of which rows it is one.
    """
    made = [part for part in parts if part.condition is not None]
    base = _base(resolver, made, _verb_at(resolver, 0))
    among = next((atom.last for atom in resolver.cut.atoms if atom.text.lower() in _AMONG), None)
    within = [part for part in made if among is not None and part.cond.first >= among]
    if within and len(within) < len(made):
        return [replace(one, term=_of(one.term, within)) for one in outputs]
    if any(_is_often_unknown(resolver, part) for part in made if part not in base):
        resolver.doubt("rows of which it is not known count as others in a share", _UNKNOWN)
    if len(made) - len(base) > 1 or (base and len(base) == len(made)):
        resolver.doubt("of what a share is one may be told otherwise", _OF_WHAT)
        return outputs
    return [replace(one, term=_of(one.term, base)) for one in outputs] if base else outputs


def _verb_at(resolver: Resolver, start: int) -> int | None:
    """The first token of the first verb behind a place, and behind the first word of all."""
    atoms = (atom for atom in resolver.cut.atoms[1:] if atom.first >= start)
    return next((atom.first for atom in atoms if _is_verb(atom)), None)


def _base(resolver: Resolver, made: Sequence[Part], end: int | None) -> list[Part]:
    """Return what chooses the rows that a share is one of: what is said before a place, and a time beside
    other things.
    """
    times = [part for part in made if part.column is not None and resolver.catalog.is_moment_like(part.column)]
    timed = times if len(times) < len(made) else []
    return [part for part in made if part in timed or (end is not None and _behind(part) <= end)]


def within_groups(
    resolver: Resolver, outputs: list[Output], parts: list[Part], shared: Noun, main: str
) -> list[Output]:
    """Shares within each group: `for each club, what share of its players are women`. Takes out what tells the part.

    A group that did something with the rows may have a share of all of them: `did each clerk take in Oslo`.
    """
    last = shared.ref.last if shared.ref is not None else shared.first
    verb = _verb_at(resolver, last)
    made = [part for part in parts if part.condition is not None]
    base = _base(resolver, made, last if verb is None else verb)
    told = [part for part in made if part not in base]
    if not told:
        return outputs
    if any(_does(resolver, one) for one in resolver.frame.groups) or any(part.cond.joined == "or" for part in told):
        resolver.doubt("a share of each group or of all of them may be meant", _EACH_OR_ALL)
        return outputs
    parts[:] = [part for part in parts if part not in told]
    if any(_is_often_unknown(resolver, part) for part in told):
        resolver.doubt("rows of which it is not known count as others in a share", _UNKNOWN)
    if verb is None:
        resolver.doubt("of what a share is one may be told otherwise", _OF_WHAT)
    when = everything([_beside(resolver, part, main) for part in told if part.condition is not None])
    return [replace(one, term=_within(one.term, when)) for one in outputs]


def _does(resolver: Resolver, group: Noun) -> bool:
    """Return whether each of a group did something with the rows: `did each clerk take`."""
    before = resolver.cut.linked.tokens[: group.ref.first][-2:] if group.ref is not None else ()
    return any(token.text.lower() in HELPING for token in before)


def _beside(resolver: Resolver, part: Part, main: str) -> Condition:
    """Return what is said of rows that a row may have several of, as that it has some of them."""
    one, catalog = part.condition, resolver.catalog
    assert one is not None
    if not isinstance(one, Comparison) or part.column is None:
        return one
    beside = part.column.table
    return one if beside == main or catalog.refers(main, beside) else Related(main, Plan(beside, (), where=one))


def _within(term: Term, when: Condition | None) -> Term:
    if not isinstance(term, Share):
        return term
    return Arithmetic("*", _HUNDRED, Arithmetic("/", replace(term.of, when=when), term.of))


def _is_often_unknown(resolver: Resolver, part: Part) -> bool:
    """Return whether what a share is of is missing in many rows: of all stops, or of those whose gender is known."""
    profile = resolver.catalog.profile(part.column) if part.column is not None else None
    return profile is not None and (profile.null_count or 0) > _MANY * max(profile.row_count, 1)


def _is_verb(atom: Atom) -> bool:
    done = atom.is_(Cue.LIGHT) and atom.text.lower().endswith("ed")
    said = atom.text.lower().split(" ")[0]
    return done or atom.is_(Cue.BE, Cue.HAVE) or atom.verbal or said in HELPING


def _behind(part: Part) -> int:
    """One past the last token that a condition is made of."""
    spans = [ref.last for ref in part.cond.values]
    if part.cond.noun is not None and part.cond.noun.ref is not None:
        spans.append(part.cond.noun.ref.last)
    return max(spans, default=part.cond.first)


def _of(term: Term, base: Sequence[Part]) -> Term:
    share = percentage_of(term)
    if share is None:
        return term
    figure, whole = share
    return _percent(figure, replace(whole, where=conjoined(base), also=also_of(base, whole.main)))


def _percent(figure: Figure, whole: Plan) -> Term:
    return Arithmetic("*", _HUNDRED, Arithmetic("/", figure, Nested(whole)))
