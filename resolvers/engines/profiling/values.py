"""Values as texts and as numbers: what a profile can say of anything that a driver hands over."""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

LONGEST_VALUE: Final = 256
"""Characters of a value that a profile shows; a longer one ends in an ellipsis."""

LONGEST_PATTERN: Final = 64
"""Characters of a text that its pattern tells of."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_BARE_EPOCH: Final = _EPOCH.replace(tzinfo=None)
_BLANKS: Final = " \t\n\r\f\v"
BLANKS: Final = _BLANKS
"""What a text of which nothing can be seen consists of."""


def text_of(value: Any) -> str:
    """A value as text: numbers without a needless fraction, moments in ISO 8601, nothing that a store refuses."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, Decimal):
        return _decimal_text(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _duration_text(value)
    return shown(str(value))


def number_text(value: float) -> str:
    """A floating number as short as it can be told apart from every other."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def shown(text: str) -> str:
    """A text as stores and JSON take it, cut to a length that can be shown."""
    if len(text) > LONGEST_VALUE:
        text = text[: LONGEST_VALUE - 1] + "…"
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite():
        return number_text(float("nan")) if value.is_nan() else number_text(math.copysign(math.inf, value))
    if abs(value.adjusted()) > 60:
        return f"{value.normalize():E}"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _duration_text(value: timedelta) -> str:
    seconds = value.total_seconds()
    whole, sign = abs(seconds), "-" if seconds < 0 else ""
    hours, rest = divmod(int(whole), 3600)
    fraction = f".{value.microseconds:06d}" if value.microseconds and seconds >= 0 else ""
    return f"{sign}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}{fraction}"


def number_of(value: Any) -> float | None:
    """A number as a finite float, else None."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float | Decimal):
        try:
            number = float(value)
        except (OverflowError, ValueError):
            return None
        return number if math.isfinite(number) else None
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return None
        return number if math.isfinite(number) else None
    return None


def seconds_of(value: Any) -> float | None:
    """A day, moment or time of day as seconds: since 1970 in UTC, or since midnight. None for what Python has not."""
    if isinstance(value, str):
        value = moment_of(value)
    if isinstance(value, datetime):
        return (value - (_EPOCH if value.tzinfo else _BARE_EPOCH)).total_seconds()
    if isinstance(value, date):
        return float((value - _EPOCH.date()).days * 86400)
    if isinstance(value, time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return value.total_seconds() if isinstance(value, timedelta) else None


def numbers_of(values: Sequence[Any]) -> Sequence[float | None]:
    """Values as `number_of` tells each."""
    if _NUMBERS.issuperset(map(type, values)):
        try:
            found = list(map(float, values))
        except (OverflowError, ValueError):
            found = [math.nan]
        if all(map(math.isfinite, found)):
            return found
    return [number_of(value) for value in values]


def seconds_of_each(values: Sequence[Any]) -> Sequence[float | None]:
    """Values as `seconds_of` tells each."""
    if set(map(type, values)) == {datetime}:
        epoch = _EPOCH if values[0].tzinfo else _BARE_EPOCH
        with suppress(TypeError):  # some with a zone, and some without
            return [(value - epoch).total_seconds() for value in values]
    return [seconds_of(value) for value in values]


_NUMBERS: Final = frozenset({int, float, Decimal})


def moment_of(text: str) -> datetime | date | time | None:
    """A day, a moment or a time of day as databases write them, or None: before Christ, infinity, 0000-00-00."""
    read: Callable[[str], datetime | date | time] = datetime.fromisoformat
    if text[2:3] == ":":
        read = time.fromisoformat
    elif len(text) <= 10:
        read = date.fromisoformat
    try:
        return read(text)
    except ValueError:
        return None


def moment_text(seconds: float, like: Any) -> str:
    """Seconds as text of the same form as another value has: a day, a moment or a time of day."""
    if isinstance(like, str):
        like = moment_of(like)
    if isinstance(like, time | timedelta):
        return _duration_text(timedelta(seconds=seconds))
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return number_text(seconds)
    if isinstance(like, datetime):
        return (moment if like.tzinfo else moment.replace(tzinfo=None)).isoformat()
    return moment.date().isoformat() if moment.timetz() == _EPOCH.timetz() else moment.replace(tzinfo=None).isoformat()


def is_blank(text: str) -> bool:
    """Return whether nothing of a text can be seen."""
    return not text.strip(_BLANKS)


def pattern_of(text: str) -> str:
    """The shape of a text: `A` for a letter, `9` for a digit, other signs as they are; `{n}` counts a run.

    Braces of the text itself are doubled, so that two texts of different shape never have one pattern.
    """
    return pattern_of_shape(shape_of(text))


def shape_of(text: str) -> str:
    """A text with `A` for each letter and `9` for each digit; what `pattern_of_shape` counts the runs of."""
    if text.isascii():
        return text[: LONGEST_PATTERN + 1].translate(_ASCII_SHAPES)
    return "".join(map(_shape, text[: LONGEST_PATTERN + 1]))


def shapes_of(texts: Sequence[str]) -> list[str]:
    """Texts as `shape_of` tells each."""
    joined = _BETWEEN.join([text[: LONGEST_PATTERN + 1] for text in texts])
    if joined.isascii() and joined.count(_BETWEEN) == len(texts) - 1:
        return joined.translate(_ASCII_SHAPES).split(_BETWEEN)
    return list(map(shape_of, texts))


def pattern_of_shape(shape: str) -> str:
    """The pattern of a shape: its runs counted."""
    counted = _RUN.sub(lambda run: f"{run[1]}{{{len(run[0])}}}", shape[:LONGEST_PATTERN])
    counted = counted.replace(_OPEN, "{{").replace(_CLOSE, "}}")
    return shown(counted + ("…" if len(shape) > LONGEST_PATTERN else ""))


def _shape(sign: str) -> str:
    if sign.isalpha():
        return "A"
    if sign.isdigit():
        return "9"
    return _BRACES.get(sign, sign)


# Two signs that are no text stand in for braces while runs are counted.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_BRACES: Final = {"{": _OPEN, "}": _CLOSE}
_BETWEEN: Final = "\x00"
_RUN: Final = re.compile(r"(.)\1+", re.DOTALL)
_ASCII_SHAPES: Final = {ord(sign): _shape(sign) for sign in map(chr, range(128))}


def hashable(value: Any) -> Any:
    """A value that counts can be kept by: equal ones are equal, and a NaN is one value."""
    if isinstance(value, float) and value != value:
        return "NaN"
    if isinstance(value, Decimal) and not value.is_finite():
        return _decimal_text(value)
    return str(value) if isinstance(value, UUID) else value


Progress = Callable[[int, int | None], None]
"""Told how many rows were looked at, of how many if that is known."""
