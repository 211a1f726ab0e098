"""Texts that hold ISO dates, and the few among them that are written in another way and have to be passed over."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from sqlglot import exp

_ISO: Final = re.compile(r"\d{4}-\d{2}(-\d{2}([ T]\d{2}:\d{2}.*)?)?")
_WHOLE: Final = "____-__-__%"


def are_days(filled: Sequence[str]) -> bool:
    """Return whether all of some texts are ISO dates."""
    return bool(filled) and all(_ISO.fullmatch(one.strip()) for one in filled)


def is_day(this: exp.Expr) -> exp.Expr:
    """The condition that a text is a whole ISO date, with a time or without."""
    return exp.Like(this=this.copy(), expression=exp.Literal.string(_WHOLE))


def dashed(this: exp.Expr) -> exp.Expr:
    """The ISO date of a text that is written without dashes: 2024-01-31 of 20240131."""
    year, month, day = (
        exp.Substring(this=this.copy(), start=exp.Literal.number(start), length=exp.Literal.number(length))
        for start, length in ((1, 4), (5, 2), (7, 2))
    )
    dash = exp.Literal.string("-")
    with_month = exp.DPipe(this=exp.DPipe(this=year, expression=dash, safe=True), expression=month, safe=True)
    return exp.DPipe(this=exp.DPipe(this=with_month, expression=dash.copy(), safe=True), expression=day, safe=True)


def passes_over(nodes: Iterable[exp.Expr]) -> bool:
    """Return whether a query leaves out texts that are no such dates."""
    return any(isinstance(node, exp.Like) and node.expression.name == _WHOLE for node in nodes)
