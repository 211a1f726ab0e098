"""Formulas as the arguments of a rule say them, by the names of their columns, and back."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from resolvers.engines.error_detection.formulas import PARTS, Formula, FormulaKind

MOST_TERMS: Final = 16


def arguments_of(formula: Formula, names: Sequence[str]) -> dict[str, Any]:
    """Return what a rule says of a formula; what is as it is without being said is left out."""
    said: dict[str, Any] = {"formula": formula.kind.value}
    if formula.result is not None:
        said["result"] = names[formula.result]
    said["columns"] = [names[at] for at in formula.terms]
    if formula.factors:
        said["factors"] = [float(f"{one:.12g}") for one in formula.factors]
    if formula.factor != 1:
        said["factor"] = float(f"{formula.factor:.12g}")
    if formula.constant:
        said["constant"] = float(f"{formula.constant:.12g}")
    if formula.rate is not None:
        said |= {"rate": names[formula.rate], "rateScale": formula.rate_scale}
    if formula.added is not None:
        said["added"] = names[formula.added]
    if formula.part:
        said["part"] = formula.part
    if formula.kind in (FormulaKind.SUM, FormulaKind.PRODUCT, FormulaKind.SPAN):
        said["tolerance"] = float(f"{formula.tolerance:.6g}")
        said["relative"] = formula.relative
    return said


def formula_of(said: Mapping[str, Any]) -> tuple[Formula, tuple[str, ...]]:
    """A formula and the names of its columns, by their number in it. Raises ValueError, with what is amiss."""
    try:
        kind = FormulaKind(str(said.get("formula")))
    except ValueError:
        raise ValueError(f"`formula` is one of {', '.join(FormulaKind)}.") from None
    columns = said.get("columns")
    if not isinstance(columns, list) or not 0 < len(columns) <= MOST_TERMS:
        raise ValueError(f"`columns` names the 1 to {MOST_TERMS} columns that the result is worked out of.")
    singles = [None if said.get(name) is None else str(said[name]) for name in ("result", "rate", "added")]
    names = [str(one) for one in columns] + [one for one in singles if one is not None]
    if len(set(names)) < len(names):
        raise ValueError("Each column stands in a formula once.")
    result, rate, added = (None if one is None else names.index(one) for one in singles)
    if result is None and kind is not FormulaKind.SUM:
        raise ValueError(f"A formula of the kind {kind} needs `result`, a column.")
    needed = {FormulaKind.SPAN: 2, FormulaKind.YEARS: 2, FormulaKind.PART: 1, FormulaKind.ORDER: 1}.get(
        kind, len(columns)
    )
    if len(columns) != needed:
        raise ValueError(f"A formula of the kind {kind} takes {needed} in `columns`.")
    factors = said.get("factors", [1.0] * len(columns) if kind in (FormulaKind.SUM, FormulaKind.PRODUCT) else [])
    if not isinstance(factors, list) or (
        kind in (FormulaKind.SUM, FormulaKind.PRODUCT) and len(factors) != len(columns)
    ):
        raise ValueError("`factors` has a number for each of `columns`.")
    part = str(said.get("part") or "")
    if (kind is FormulaKind.PART) != (part in PARTS):
        raise ValueError(f"`part` is one of {', '.join(PARTS)}, for the kind {FormulaKind.PART}.")
    scale = _number(said, "rateScale", 1.0)
    if rate is not None and (kind is not FormulaKind.PRODUCT or not scale):
        raise ValueError("`rate` is for products, and `rateScale` is not 0.")
    if added is not None and kind is not FormulaKind.PRODUCT:
        raise ValueError("`added` is for products.")
    made = Formula(
        kind, result, tuple(range(len(columns))), tuple(finite(one, "factors") for one in factors),
        factor=_number(said, "factor", 1.0), constant=_number(said, "constant", 0.0), rate=rate, rate_scale=scale,
        added=added, part=part, tolerance=abs(_number(said, "tolerance", 0.0)),
        relative=abs(_number(said, "relative", 1e-9)),
    )  # fmt: skip
    if kind is FormulaKind.PRODUCT and any(one not in (1, -1) for one in made.factors):
        raise ValueError("The `factors` of a product are 1, or -1 for what it is divided by.")
    return made, tuple(names)


def _number(said: Mapping[str, Any], name: str, default: float) -> float:
    value = said.get(name)
    return default if value is None else finite(value, name)


def finite(value: Any, name: str) -> float:
    """A number that an argument says, also as a text. Raises ValueError, with what is amiss."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"`{name}` takes numbers.")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"`{name}` takes numbers.") from None
    if not math.isfinite(number):
        raise ValueError(f"`{name}` takes finite numbers.")
    return number
