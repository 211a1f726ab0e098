"""What rules expect, in words: how many rows may do what, and how many do."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from resolvers.engines.english.grammar import listed
from resolvers.engines.report.wording import short
from schema.data_readiness.rule import Expectation, RuleOperator, RuleUnit
from schema.identifiers import Fqn

MOST_VALUES: Final = 6
LONGEST_VALUE: Final = 40
DAY: Final = 86_400
_BASES: Final = (100, 1_000, 10_000, 100_000)

_FORMATS: Final = {
    "uuid": "a UUID", "email": "an e-mail address", "uri": "an address of the web", "ipv4": "an IP address",
    "date": "a date", "date-time": "a date with a time", "number": "a number", "integer": "a whole number",
    "day-month-year": "a day, month and year", "month-day-year": "a month, day and year",
}  # fmt: skip
_LIMITS: Final = {
    RuleOperator.MUST_NOT_BE: "any number but {0}",
    RuleOperator.MUST_BE_GREATER_THAN: "more than {0}",
    RuleOperator.MUST_BE_GREATER_OR_EQUAL_TO: "{0} or more",
    RuleOperator.MUST_BE_LESS_THAN: "fewer than {0}",
    RuleOperator.MUST_BE_BETWEEN: "{0} to {1}",
    RuleOperator.MUST_NOT_BE_BETWEEN: "any number but {0} to {1}",
}


def in_words(rule: Expectation, good: int | None, of: int | None, *, hides_values: bool = False) -> str:
    """Return what a rule allows, and what was found: "At most 2 of 100 rows may be empty; 7 are (70 of 1,000)."

    With `hides_values` no value out of the data is named, as where they are personal.
    """
    if rule.metric == "rowCount":
        return _rows(rule, good, of)
    if rule.metric == "staleData":
        return _fresh(rule, good, of)
    thing = "cell" if rule.metric == "suspectValues" else "row"
    breach = _breach(rule, hides_values)
    bad = None if good is None or of is None else of - good
    allowed, base = _allowed(rule, thing)
    said = f"{allowed} may {breach}"
    return f"{said}." if bad is None or of is None else f"{said}; {_found(bad, of, base, breach)}."


@dataclass(frozen=True, slots=True)
class Measure:
    """What a metric looked at, where no rule stands behind it."""

    metric: str | None
    asset_fqn: str
    arguments: Mapping[str, Any]
    description: str | None = None


def breach_in_words(measure: Measure, bad: int, of: int) -> str:
    """Return what was found without a rule: "20 of 2,910 rows have the same `number` as another." No value is named."""
    breach = _breach(measure, hides=True)
    verb, _, rest = breach.partition(" ")
    one, many = {"be": ("is", "are"), "have": ("has", "have")}.get(verb, (f"{verb}s", verb))
    thing = "cells" if measure.metric == "suspectValues" else "rows"
    return f"{bad:,} of {of:,} {thing} {one if bad == 1 else many} {rest}."


def _allowed(rule: Expectation, thing: str) -> tuple[str, tuple[Decimal, int] | None]:
    """How many rows may break a rule, in words; of a percentage also that many, of how many."""
    exact = (RuleOperator.MUST_BE, RuleOperator.MUST_BE_LESS_OR_EQUAL_TO)
    numbers = [Decimal(repr(float(one))) for one in rule.threshold]
    of = ""
    base: tuple[Decimal, int] | None = None
    if rule.unit is RuleUnit.PERCENT and any(numbers):
        share = min((one for one in numbers if one), key=lambda one: one)
        whole = next((one for one in _BASES if share * one % 100 == 0), 100)
        numbers = [one * whole / 100 for one in numbers]
        base = (numbers[-1], whole)
        of = f" of {whole:,}"
    told = [f"{one.normalize():,f}" for one in numbers]
    if rule.operator in exact and not any(numbers):
        return f"No {thing}", None
    things = f"{thing}s"
    if rule.operator is RuleOperator.MUST_BE_LESS_OR_EQUAL_TO:
        return f"At most {told[0]}{of} {thing if told[0] == '1' and not of else things}", base
    if rule.operator is RuleOperator.MUST_BE:
        return f"Exactly {told[0]}{of} {thing if told[0] == '1' and not of else things}", base
    limit = _LIMITS[rule.operator].format(*told)
    return f"{limit[0].upper()}{limit[1:]}{of} {things}", base


def _found(bad: int, of: int, base: tuple[Decimal, int] | None, breach: str) -> str:
    """How many do, with the verb that the sentence began with."""
    one, many = ("is", "are") if breach.startswith("be ") else ("does", "do")
    if not bad:
        return f"none of {of:,} {one}"
    counted = f"{bad:,} of {of:,}"
    if base is None:
        return f"{counted} {one if bad == 1 else many}"
    limit, whole = base
    share = Decimal(bad * whole) / of if of else Decimal(0)
    told = f"{share:,.0f}" if share >= 10 else f"{float(share):.2g}"
    if share != limit and Decimal(told.replace(",", "")) == limit:
        told = "hardly more" if share > limit else "hardly fewer"
    return f"{told} {one if told == '1' else many}" + ("" if whole == of else f" ({counted})")


def _breach(rule: Expectation | Measure, hides: bool) -> str:
    make = _BREACHES.get(rule.metric or "")
    return "break it" if make is None else make(rule, rule.arguments, hides)


def _missing(rule: Expectation | Measure, arguments: Mapping[str, Any], hides: bool) -> str:
    told = [f"`{one}`" for one in _texts(arguments.get("missingValues")) if one.strip()]
    if not told:
        return "be empty or blank"
    return "be empty or hold a word for it" if hides else f"be {listed(['empty', 'blank', *told], MOST_VALUES, 'or')}"


def _invalid(rule: Expectation | Measure, arguments: Mapping[str, Any], hides: bool) -> str:
    values = _texts(arguments.get("validValues"))
    if values:
        told = [f"`{short(one, LONGEST_VALUE)}`" for one in values]
        known = f"the {len(values)} known ones" if len(values) > 1 else "the one known"
        return f"have another value than {known}" + ("" if hides else f" ({listed(told, MOST_VALUES)})")
    if (pattern := arguments.get("pattern")) is not None:
        said = None if hides else form_in_words(str(pattern))
        if said is None:
            return "have another form than most" + ("" if hides else f" (`{short(str(pattern), 80)}`)")
        return f"have another form than {said}"
    if (named := arguments.get("format")) is not None:
        return f"be anything but {_FORMATS.get(str(named), str(named))}"
    return _outside(rule, arguments, hides)


def _outside(rule: Expectation | Measure, arguments: Mapping[str, Any], hides: bool) -> str:
    low, high = (None if (one := arguments.get(name)) is None else str(one) for name in ("minimum", "maximum"))
    if hides and low != "0":
        return "have a value outside what is expected"
    if high == "now":
        high = "the moment of the check"
    if low is None and high is None:
        return "have a value outside what is expected"
    if high is None or hides:
        return "be negative" if low == "0" else f"have a value below {low}"
    return f"have a value above {high}" if low is None else f"have a value outside {low} to {high}"


def _repeats(rule: Expectation | Measure, arguments: Mapping[str, Any], hides: bool) -> str:
    names = _names(arguments.get("properties")) or [f"`{Fqn.parse(rule.asset_fqn).parts[-1]}`"]
    return f"have the same {listed(names)} as another"


def _unreferred(rule: Expectation | Measure, arguments: Mapping[str, Any], hides: bool) -> str:
    target = str(arguments.get("targetFqn") or "")
    name = Fqn.parse(target).parts[-1] if target else "another table"
    return f"refer by {listed(_names(arguments.get('columns')))} to nothing in `{name}`"


def _disagrees(rule: Expectation | Measure, arguments: Mapping[str, Any], hides: bool) -> str:
    settled = listed(_names(arguments.get("dependent")))
    return f"have another {settled} than most with the same {listed(_names(arguments.get('determinant')))}"


def _alike(rule: Expectation | Measure, arguments: Mapping[str, Any], hides: bool) -> str:
    return f"say nearly the same as another in {listed(_names(arguments.get('columns')))}"


def _miscounted(rule: Expectation | Measure, arguments: Mapping[str, Any], hides: bool) -> str:
    said = (rule.description or "").partition(", but for at most")[0].rstrip(".")
    return f"be at odds with this: {said}" if said else "come to another figure than its formula"


_BREACHES: Final[Mapping[str, Callable[[Expectation | Measure, Mapping[str, Any], bool], str]]] = {
    "nullValues": lambda rule, arguments, hides: "be empty",
    "missingValues": _missing,
    "invalidValues": _invalid,
    "outlierValues": _outside,
    "duplicateValues": _repeats,
    "brokenReferences": _unreferred,
    "inconsistentRows": _disagrees,
    "nearDuplicates": _alike,
    "suspectValues": lambda rule, arguments, hides: "look wrong beside all others",
    "brokenFormulas": _miscounted,
}


def _rows(rule: Expectation, good: int | None, of: int | None) -> str:
    told = [f"{one:,g}" for one in rule.threshold]
    at_most = rule.operator is RuleOperator.MUST_BE_LESS_OR_EQUAL_TO
    limit = f"{told[0]} or fewer" if at_most else _LIMITS.get(rule.operator, "exactly {0}").format(*told)
    has_some = rule.operator is RuleOperator.MUST_BE_GREATER_THAN and told == ["0"]
    return "The table must have rows." if has_some else f"The table must have {limit} rows."


def _fresh(rule: Expectation, good: int | None, of: int | None) -> str:
    seconds = float(rule.arguments.get("maxAgeSeconds") or 0)
    age = f"{seconds / DAY:.0f} days" if seconds >= 2 * DAY else f"{seconds / 3600:.0f} hours"
    said = f"The newest {listed(_names(rule.arguments.get('column')))} must be no older than {age}"
    if good is None or of is None:
        return f"{said}."
    return f"{said}; it is {'older' if good < of else 'not'}."


def _names(named: Any) -> list[str]:
    return [f"`{one}`" for one in _texts(named)]


def _texts(given: Any) -> list[str]:
    if given is None:
        return []
    return [str(one) for one in given] if isinstance(given, list | tuple) else [str(given)]


_PIECE: Final = re.compile(
    r"(?P<kind>\[A-Z\]|\[a-z\]|\[0-9\]|\[A-Za-z\])(?P<times>\+|\{\d+\})?|\\(?P<escaped>.)|(?P<plain>[^\\^$*+?()\[\]{}|.])"
)
_SIGNS: Final = {
    "[A-Z]": "capital letter", "[a-z]": "small letter", "[0-9]": "digit", "[A-Za-z]": "letter",
}  # fmt: skip


def form_in_words(pattern: str) -> str | None:
    """A pattern as rules are drawn up with, in words: "2 capital letters, `-`, digits". None for any other."""
    inner = re.fullmatch(r"\^(.*)\$", pattern)
    if inner is None:
        return None
    body = inner[1]
    forms = body[1:-1].split("|") if body.startswith("(") and body.endswith(")") else [body]
    told = [_form(one) for one in forms]
    if any(one is None for one in told):
        return None
    return " or ".join(dict.fromkeys(filter(None, told))) or None


def _form(body: str) -> str | None:
    told: list[str] = []
    literal, at = "", 0
    while at < len(body):
        found = _PIECE.match(body, at)
        if found is None:
            return None
        at = found.end()
        if found["kind"] is None:
            literal += found["escaped"] or found["plain"]
            continue
        if literal:
            told.append(_literal(literal))
            literal = ""
        sign, times = _SIGNS[found["kind"]], found["times"]
        number = 1 if times is None else int(times[1:-1]) if times != "+" else None
        told.append(f"{sign}s" if number is None else f"{number} {sign}{'' if number == 1 else 's'}")
    if literal:
        told.append(_literal(literal))
    return ", ".join(told) or None


def _literal(text: str) -> str:
    return "a space" if text == " " else f"`{text}`"
