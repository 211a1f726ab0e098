"""Defines how figures and names are written in a report and in its charts."""

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import takewhile
from typing import Any, Final

from markupsafe import Markup, escape

from resolvers.engines.english.grammar import sentence
from schema.data_readiness.profile import ValueKind
from schema.identifiers import Fqn, join_fqn

NOTHING: Final = "\N{EN DASH}"
"""What stands where there is no figure."""
MOST_LABEL: Final = 28
MOST_VALUE: Final = 60
_MOMENT: Final = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[T ](?P<minute>\d\d:\d\d)(:\d\d(\.\d+)?)?(?P<zone>Z|[+-]\d\d:\d\d)?", re.ASCII
)
_WHOLE: Final = re.compile(r"-?\d{1,15}", re.ASCII)
_CODE: Final = re.compile(r"`([^`\n]+)`")


def percent(value: str | float | None) -> str:
    """A share of one as a percentage with one place; a dash when nothing was measured.

    What is not all is never written as 100 %, and what is not nothing never as 0 %.
    """
    if value is None:
        return NOTHING
    share = float(value)
    for places in (1, 2):
        told = f"{share:.{places}%}"
        if share in (0.0, 1.0) or float(told[:-1]) not in (0.0, 100.0):
            return told
    return ">99.99%" if share > 0.5 else "<0.01%"


def count(value: int | None) -> str:
    """A whole number with its thousands apart."""
    return NOTHING if value is None else f"{value:,}"


def figure(value: float | str | None, kind: ValueKind | None = None) -> str:
    """A figure of a profile, short; a moment to the minute."""
    if value is None:
        return NOTHING
    if kind is ValueKind.TEMPORAL and isinstance(value, str):
        value = moment(value)
    if isinstance(value, str) and kind is ValueKind.NUMBER and _WHOLE.fullmatch(value):
        # Four digits may be a year, which nobody writes with a comma.
        return f"{int(value):,}" if len(value.lstrip("-")) > 4 else value
    if isinstance(value, float):
        return _four_digits(value)
    return short(value, 32)


def _four_digits(value: float) -> str:
    """A number with four digits that count, in full as long as it can be read."""
    if not math.isfinite(value) or not 1e-4 <= abs(value) < 1e15:
        return f"{value:.4g}"
    places = 3 - math.floor(math.log10(abs(value)))
    rounded = round(value, places)
    return f"{rounded:,.0f}" if places <= 0 else f"{rounded:,.{places}f}".rstrip("0").rstrip(".")


def moment(text: str) -> str:
    """A moment of a profile to the minute: UTC where no zone follows it; midnight is a day."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return text
    day, minute, zone = found["day"], found["minute"], found["zone"]
    if zone in (None, "Z", "+00:00"):
        return day if minute == "00:00" else f"{day} {minute}"
    return f"{day} {minute} {zone}"


def prose(text: str) -> Markup:
    """A sentence whose names between backticks are set as code; nothing else in it is markup."""
    pieces = _CODE.split(text)  # what is outside, what is inside, and so on
    return Markup().join(Markup("<code>{}</code>").format(one) if at % 2 else one for at, one in enumerate(pieces))


def likely(probability: float) -> str:
    """A probability as so many of a hundred, of which all are never said."""
    return f"{round(probability * 100)} of 100" if probability < 0.995 else ">99 of 100"


def grounds(reason: str) -> str:
    """Why something is to be done, without the severity that stands beside it."""
    return sentence(reason.partition("; ")[2] or reason)


def row_key(key: Mapping[str, Any] | None) -> str:
    """Return what tells a row apart, as `name is value`; a dash where nothing does."""
    if not key:
        return NOTHING
    return ", ".join(
        f"{name} {'empty' if value is None else short(str(value), MOST_VALUE)}" for name, value in key.items()
    )


def weight(value: str) -> str:
    """A weight without the zeros at its end."""
    return f"{Decimal(value).normalize():f}"


def short(text: str, most: int = MOST_LABEL) -> str:
    """A label that fits; the middle of a long one is left out."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[-(most - 1 - head) :]}"


def breakable(name: str) -> Markup:
    """A name that a narrow column may break behind its dots, underscores and slashes, and nowhere inside a word."""
    made = escape(name)
    for mark in "._/":
        made = made.replace(mark, mark + Markup("<wbr>"))
    return made


def common_parent(names: Sequence[str], default: str) -> str:
    """The deepest dotted name that all of some names stand under; `default` when that is not at or under it."""
    paths = [Fqn.parse(name).parts[:-1] for name in names]
    levels = list(zip(*paths, strict=False))
    shared = [level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels)]
    found = join_fqn(shared)
    return found if found.startswith(f"{default}.") else default


def below(name: str, parent: str) -> str:
    """A dotted name without the parent that it stands under; the last part of the parent's own name."""
    if name == parent:
        return Fqn.parse(name).name
    return name[len(parent) + 1 :] if name.startswith(f"{parent}.") else name
