"""The conditions of a plan one by one, with what each came from, and how they are put together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Both, Column, Comparison, Condition, Either, Literal, Operator, Plan, Related
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.sql_writing.uses import parts_of


@dataclass(slots=True)
class Part:
    """A condition of the plan, with what it came from."""

    condition: Condition | None
    cond: Cond
    column: ColumnKey | None = None
    tables: tuple[str, ...] = ()
    """Tables that must be joined for it though no term names them."""


def also_of(parts: Sequence[Part], main: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(table for part in parts for table in part.tables if table != main))


def conjoined(parts: Sequence[Part]) -> Condition | None:
    """All parts as one condition, `or` binding those that it stands between."""
    groups: list[list[Condition]] = []
    for part in parts:
        if part.condition is None:
            continue
        if part.cond.joined == "or" and groups:
            groups[-1].append(part.condition)
        else:
            groups.append([part.condition])
    made = [group[0] if len(group) == 1 else either_of(group) for group in groups]
    if not made:
        return None
    return made[0] if len(made) == 1 else Both(tuple(made))


def either_of(group: list[Condition]) -> Condition:
    """Values of one column that are said one after the other become a list."""
    equal = [
        one
        for one in group
        if isinstance(one, Comparison) and one.operator in (Operator.EQUAL, Operator.IN) and not one.negated
    ]
    if len(equal) == len(group) and len({one.left for one in equal}) == 1:
        values = tuple(value for one in equal for value in one.right)
        return Comparison(equal[0].left, Operator.IN, values)
    return Either(tuple(group))


def instead(parts: Sequence[Part], main: str, catalog: Catalog) -> None:
    """Makes each thing that a row may have instead of another a condition by itself."""
    for at, part in enumerate(parts):
        if "or" not in {one.cond.joined for one in parts[at : at + 2] if one is not parts[0]}:
            continue
        others = [one for one in parts[max(0, at - 1) : at + 2] if one is not part]
        following = parts[at + 1] if at + 1 < len(parts) else None
        if part.condition is None and following is not None and not following.cond.apart and not following.cond.negated:
            part.tables = ()  # took part in the race of Kiel: the race says all
        elif part.condition is None and part.tables and part.cond.count is None:
            part.condition, part.tables = Related(main, Plan(part.tables[0], ())), ()
        elif (
            isinstance(part.condition, Comparison)
            and part.column is not None
            and any(isinstance(one.condition, Related) or one.condition is None for one in others)
            and part.column.table != main
            and not catalog.refers(main, part.column.table)
        ):
            part.condition = Related(main, Plan(part.column.table, (), where=part.condition))


def whole_names(parts: list[Part], catalog: Catalog) -> None:
    """`neither Ann Lee nor ...`: the last name behind a first name that is denied is denied with it."""
    for at in range(len(parts) - 1, 0, -1):
        one, other = parts[at - 1], parts[at]
        ours, theirs = one.condition, other.condition
        if other.cond.apart or other.cond.negated or not one.cond.negated or one.column is None or other.column is None:
            continue
        names = catalog.names(one.column.table)
        if one.column == other.column or one.column not in names or other.column not in names:
            continue
        if isinstance(ours, Related) and ours.negated and isinstance(theirs, Comparison):
            both = Both((*parts_of(ours.plan.where), theirs))
            one.condition = replace(ours, plan=replace(ours.plan, where=both))
        elif isinstance(ours, Comparison) and ours.negated and isinstance(theirs, Comparison):
            one.condition = Either((ours, replace(theirs, negated=True)))
        else:
            continue
        del parts[at]


def of_one_kind(conds: Sequence[Cond]) -> None:
    """`both a Scan and a Blood test`: values of one column, though one of them stands in another as well."""
    for one, other in pairwise(conds):
        if not one.both or {one.kind, other.kind} != {"value"} or len(one.values) != 1 or len(other.values) != 1:
            continue
        refs = (one.values[0], other.values[0])
        first, second = ({mention.column for mention in ref.values} for ref in refs)
        for ref in refs if first & second else ():
            ref.mentions = tuple(
                mention
                for mention in ref.mentions
                if mention.kind is not MentionKind.VALUE or mention.column in first & second
            )


def denies(parts: Sequence[Part]) -> bool:
    """Return whether the last of some conditions is that there are no such rows."""
    last = parts[-1].condition if parts else None
    return isinstance(last, Related) and last.negated


@dataclass(frozen=True, slots=True)
class Held:
    """Rows that are counted, the table that has them, and the token with which what is asked for begins."""

    table: str
    holder: str
    asked: int


def take_counted(parts: list[Part], count: Cond, held: Held, catalog: Catalog) -> Condition | None:
    """Takes out what is said of the rows that are counted: `placed 5 orders in 1997`, `In 1997, which ...`.

    What stands between (`customers who live in Rome and have ...`) is said of the one who has them.
    """
    taken = [part for part in parts if _follows(part.cond, count, held) and _is_of(part, held, catalog)]
    if any(part.cond.joined == "or" for part in parts):
        return None
    parts[:] = [part for part in parts if not any(part is one for one in taken)]
    return conjoined(taken)


def _follows(cond: Cond, count: Cond, held: Held) -> bool:
    """Return whether something is said behind a number of rows, or before all that is asked for."""
    said = min((ref.first for ref in cond.values), default=held.asked)
    return cond.first >= count.first or said < held.asked


def _is_of(part: Part, held: Held, catalog: Catalog) -> bool:
    """Return whether a condition is of the rows that are counted, or of what each has, and not of what the
    holder has.
    """
    one = part.condition
    if not isinstance(one, Comparison) or not isinstance(one.left, Column) or one.left.instance:
        return False
    if not all(isinstance(value, Literal) for value in one.right):
        return False
    told = one.left.table
    if told in (held.table, held.holder):
        return told == held.table
    return catalog.refers(held.table, told) and not catalog.refers(held.holder, told)


def about(parts: Sequence[Part], table: str) -> Condition | None:
    """Return what is said of the rows of one table: the largest of them is the largest of those."""
    found = [
        part.condition
        for part in parts
        if isinstance(part.condition, Comparison)
        and isinstance(part.condition.left, Column)
        and (part.condition.left.table, part.condition.left.instance) == (table, 0)
        and all(isinstance(one, Literal) for one in part.condition.right)
    ]
    return Both(tuple(found)) if len(found) > 1 else next(iter(found), None)
