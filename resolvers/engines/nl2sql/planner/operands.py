"""Numbers, years and spans of time as the other side of a comparison."""

import re
from collections.abc import Sequence
from decimal import Decimal

from resolvers.engines.nl2sql.mention import Mention
from resolvers.engines.nl2sql.plan import Comparison, Literal, Operator, Term


def equal_to(left: Term, values: Sequence[Literal]) -> Comparison:
    """That something is one of some values."""
    return Comparison(left, Operator.IN if len(values) > 1 else Operator.EQUAL, tuple(values))


def numbers(values: Sequence[int]) -> tuple[Literal, ...]:
    """Whole numbers as the other side of a comparison."""
    return tuple(Literal("number", Decimal(value)) for value in values)


def in_time(operator: Operator, mention: Mention) -> tuple[Operator, tuple[Literal, ...]]:
    """A span of time as a moment is compared with it: after a year is after its last day."""
    first, last = mention.values[0], mention.values[-1]
    if operator in (Operator.EQUAL, Operator.IN):
        return (Operator.EQUAL, (first,)) if first == last else (Operator.BETWEEN, (first, last))
    return operator, (last,) if operator in (Operator.MORE, Operator.AT_MOST) else (first,)


def year_in(text: str, moments: Sequence[Mention]) -> int | None:
    """The year that is said."""
    if moments and isinstance(moments[0].values[0].value, str):
        return int(moments[0].values[0].value[:4])
    found = number_in(text)
    return int(found) if found is not None and found == int(found) else None


def number_in(text: str) -> Decimal | None:
    """A number in digits."""
    cleaned = text.replace(",", "").replace("$", "").strip()
    return Decimal(cleaned) if re.fullmatch(r"-?\d+(\.\d+)?", cleaned) else None
