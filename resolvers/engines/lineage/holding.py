"""Comparisons of a column with something written that hold in every row, and those that then hold in none."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from sqlglot import exp

Place = tuple[str, str]
"""The alias of a table in FROM, and a column of it."""

_TURNED: Final[dict[type[exp.Expr], type[exp.Expr]]] = {
    exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE,
}  # fmt: skip
"""Each comparison, and what it is with its sides turned round."""
_ASKS: Final[dict[type[exp.Expr], Callable[[Decimal, Decimal], bool]]] = {
    exp.EQ: lambda one, other: one == other,
    exp.NEQ: lambda one, other: one != other,
    exp.GT: lambda one, other: one > other,
    exp.GTE: lambda one, other: one >= other,
    exp.LT: lambda one, other: one < other,
    exp.LTE: lambda one, other: one <= other,
}

_SPELLINGS: Final = frozenset({"t", "true", "y", "yes", "on", "f", "false", "n", "no", "off", "inf", "infinity", "nan"})
"""Texts that are other ways to write a truth or a number, where the column holds one."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column compared with a number or a text that is written there."""

    place: Place
    kind: type[exp.Expr]
    value: Decimal | str

    def excludes(self, other: "Comparison") -> bool:
        """Return whether no value passes both, whatever the collation of texts."""
        if isinstance(self.value, str) or isinstance(other.value, str):
            return self.kind is other.kind is exp.EQ and _are_different(self.value, other.value)
        for one, two in ((self, other), (other, self)):
            if one.kind is exp.EQ:
                return not _ASKS[two.kind](one.value, two.value)  # type: ignore[arg-type]
            if one.kind in (exp.GT, exp.GTE) and two.kind in (exp.LT, exp.LTE):
                is_open = one.kind is exp.GT or two.kind is exp.LT
                return one.value > two.value or (one.value == two.value and is_open)  # type: ignore[operator]
        return False


def comparison(condition: exp.Expr) -> Comparison | None:
    """Return what a condition says of a column beside something written; None where it says nothing of the kind."""
    one = condition.unnest()
    if type(one) not in _TURNED:
        return None
    left, right, kind = one.this.unnest(), one.expression.unnest(), type(one)
    if isinstance(right, exp.Column):
        left, right, kind = right, left, _TURNED[kind]
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Literal):
        return None
    value: Decimal | str = right.name
    if not right.is_string:
        try:
            value = Decimal(right.name)
        except InvalidOperation:
            return None
    return Comparison((left.table, left.name), kind, value)


def _are_different(one: Decimal | str, other: Decimal | str) -> bool:
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    texts = {each.lower() for each in (one, other)}
    # What begins with a digit may be one number or day that is written in two ways.
    plain = all(each.isascii() and each.isalnum() and each[0].isalpha() for each in texts)
    return plain and len(texts) > 1 and not texts <= _SPELLINGS
