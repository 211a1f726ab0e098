"""The conditions of a plan one by one, with what each came from, and how they are put together."""

from collections.abc import Sequence
from dataclasses import dataclass

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Both, Comparison, Condition, Either, Operator
from resolvers.engines.nl2sql.planner.frame import Cond


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
