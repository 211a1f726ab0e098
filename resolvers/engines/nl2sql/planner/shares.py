"""Shares in percent: of all rows, or of those that are told before what is asked of them."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.plan import Aggregate, Arithmetic, Figure, Literal, Nested, Output, Plan, Term
from resolvers.engines.nl2sql.planner.atoms import Atom
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


def percent_of(figure: Figure, table: str) -> Term:
    """How many of a hundred rows fit, and of a total how much of a hundred."""
    of_all = Figure(Aggregate.COUNT) if figure.aggregate is Aggregate.COUNT and not figure.distinct else figure
    return _percent(figure, Plan(table, (Output(of_all),)))


def of_a_base(resolver: Resolver, outputs: list[Output], parts: Sequence[Part]) -> list[Output]:
    """Shares of the rows that are told before the verb: `what percentage of the days in Oslo were sunny`.

    What stands behind the verb tells which of them are meant, but for a time, which is that of all. Where several
    conditions do, some may belong to what the share is one of. `Among` says of which rows it is one.
    """
    verb = next((atom.first for atom in resolver.cut.atoms[1:] if _is_verb(atom)), None)
    made = [part for part in parts if part.condition is not None]
    times = [part for part in made if part.column is not None and resolver.catalog.is_moment_like(part.column)]
    timed = times if len(times) < len(made) else []
    base = [part for part in made if part in timed or (verb is not None and _behind(part) <= verb)]
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


def _is_often_unknown(resolver: Resolver, part: Part) -> bool:
    """Whether what a share is of is missing in many rows: of all stops, or of those whose gender is known."""
    profile = resolver.catalog.profile(part.column) if part.column is not None else None
    return profile is not None and (profile.null_count or 0) > _MANY * max(profile.row_count, 1)


def _is_verb(atom: Atom) -> bool:
    done = atom.is_(Cue.LIGHT) and atom.text.lower().endswith("ed")
    return (
        done or atom.is_(Cue.BE, Cue.HAVE) or atom.verbal or atom.text.lower().split(" ")[0] in ("has", "have", "had")
    )


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
