"""One plain sentence or two about the rows of an answer.

Every number in it is a cell of the answer or a calculation that the sentence names, and `figures` says which, so that
anybody can check it. A text of the data is quoted as it stands, and shortened.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from resolvers.engines.answering.shape import Rows, names_things
from resolvers.engines.english.grammar import plural_phrase
from schema.data_readiness.profile import ValueKind

MOST_NAMED: Final = 10
"""How many values a sentence lists."""
MOST_FIELDS: Final = 8
_MOST_NAMES: Final = 2
"""Columns that name a row together at most: a first and a last name."""
LONGEST_VALUE: Final = 80
LONGEST_READING: Final = 120
_DIGIT: Final = re.compile(r"\d")
_STOP: Final = re.compile(r"[.?!]\W*\s")
"""The end of a sentence that another one follows."""
_TWICE: Final = re.compile(r"^(\w+) \1\b", re.IGNORECASE)
MOST_PLACES: Final = 4
"""Places behind the point that are shown as they are."""
LARGEST: Final = 20
"""Numbers of more digits before the point are not rounded."""


@dataclass(frozen=True, slots=True)
class FigureSource:
    """Holds where a number of the sentence comes from: a cell (`row` and `column`, from 0), a calculation, or both."""

    text: str
    row: int | None = None
    column: int | None = None
    calculation: str | None = None
    """`rows of the answer`, or `rounded` of a cell."""

    def told(self) -> dict[str, Any]:
        """As JSON."""
        names = ("text", "row", "column", "calculation")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(slots=True)
class Sentence:
    """Holds what is said, and where its numbers come from."""

    text: str = ""
    figures: list[FigureSource] = field(default_factory=list)

    def add(self, *parts: "str | FigureSource") -> None:
        """Say more; a figure is said and noted."""
        for part in parts:
            if isinstance(part, FigureSource):
                self.figures.append(part)
                self.text += part.text
            else:
                # What the data says may end in a stop of its own.
                self.text += part[1:] if part.startswith(".") and self.text.endswith(".") else part


def sentence_of(answer: Rows, reading: str | None = None, *, tied: int | None = None) -> Sentence:
    """Return what the rows say. A single figure is introduced by how the question was understood, where that is
    short. `tied` is a column in which the row behind the last one holds the same.
    """
    said = Sentence()
    if not answer.total:
        said.add("No row fits the question.")
    elif answer.total == 1 and len(answer.columns) == 1:
        what = (reading or "").strip().rstrip(".")
        fits = what and len(what) <= LONGEST_READING and not _DIGIT.search(what) and not _STOP.search(what)
        said.add(f"{what if fits else _title(answer.columns[0])}: ", _cell(answer, 0, 0), ".")
    elif answer.total == 1 and (named := _naming(answer)):
        for index in range(named):
            said.add(" " if index else "", _cell(answer, 0, index))
        for index in range(named, len(answer.columns)):
            said.add("; " if index > named else ": ", f"{_name(answer.columns[index])} ", _cell(answer, 0, index))
        said.add(".")
    elif answer.total == 1:
        for index, name in enumerate(answer.columns[:MOST_FIELDS]):
            said.add("; " if index else "", f"{_name(name) if index else _title(name)}: ", _cell(answer, 0, index))
        said.add("." if len(answer.columns) <= MOST_FIELDS else ", and more.")
    elif len(answer.columns) == 1:
        _listed(said, answer)
    else:
        _table(said, answer)
    if answer.is_cut_off:
        said.add(" There are more; only the first ", _rows(answer), " were taken.")
    if tied is not None and answer.rows:
        last = len(answer.rows) - 1
        like = " as the last one" if last else ""
        said.add(f" At least one more has the same {_name(answer.columns[tied])}{like}, ")
        said.add(_cell(answer, last, tied), ", and is left out.")
    return said


def _naming(answer: Rows) -> int:
    """How many of the first columns say whose figures the others are: `Nolan Ryan: total runs 2`; 0 where none do."""
    kinds = answer.kinds[:MOST_FIELDS]
    named = next((at for at, kind in enumerate(kinds) if kind is not ValueKind.TEXT), 0)
    figures = kinds[named:]
    plain = all(kind is ValueKind.NUMBER for kind in figures) and len(answer.columns) <= MOST_FIELDS
    whole = all(answer.rows[0][at] is not None for at in range(named))
    return named if 0 < named <= _MOST_NAMES and figures and plain and whole else 0


def _listed(said: Sentence, answer: Rows) -> None:
    said.add(_rows(answer), f" values of {_name(answer.columns[0])}: ")
    named = min(MOST_NAMED, len(answer.rows))
    for row in range(named):
        said.add(", " if row else "", _cell(answer, row, 0))
    said.add(", and so on." if answer.total > named else ".")


def _table(said: Sentence, answer: Rows) -> None:
    """Groups with a figure: the greatest and the least; other tables: the first row."""
    said.add(_rows(answer), " rows. ")
    numbers = [
        index
        for index, kind in enumerate(answer.kinds)
        if kind is ValueKind.NUMBER and not names_things(answer.columns[index])
    ]
    labels = [index for index in range(len(answer.columns)) if index not in numbers]
    if len(numbers) == 1 and labels and len(answer.rows) == answer.total:
        (figure,) = numbers
        # What is no number (NaN) is not equal to itself, and cannot be put in order.
        cells = [row[figure] for row in answer.rows]
        filled = [row for row, cell in enumerate(cells) if cell is not None and cell == cell]
        greatest = max(filled, key=cells.__getitem__, default=0)
        least = min(filled, key=cells.__getitem__, default=0)
        if filled and cells[greatest] != cells[least]:
            name = _name(answer.columns[figure])
            said.add(f"The greatest {name} is ", _cell(answer, greatest, figure), " (")
            _label(said, answer, greatest, labels, figure)
            said.add("), the least ", _cell(answer, least, figure), " (")
            _label(said, answer, least, labels, figure)
            said.add(").")
            return
    said.add("The first: ")
    for index, name in enumerate(answer.columns[:MOST_FIELDS]):
        said.add("; " if index else "", f"{_name(name)}: ", _cell(answer, 0, index))
    said.add("." if len(answer.columns) <= MOST_FIELDS else ", and more.")


def _label(said: Sentence, answer: Rows, row: int, labels: Sequence[int], figure: int) -> None:
    """Return what a figure belongs to, and whether others have the same."""
    for place, index in enumerate(labels[:3]):
        said.add(", " if place else "", _cell(answer, row, index))
    if sum(one[figure] == answer.rows[row][figure] for one in answer.rows) > 1:
        said.add(", among others")


def _rows(answer: Rows) -> FigureSource:
    return FigureSource(f"{answer.total:,}", calculation="rows of the answer")


def _cell(answer: Rows, row: int, column: int) -> FigureSource:
    value = answer.rows[row][column]
    if (whole := _whole(value)) is not None and names_things(answer.columns[column]):
        return FigureSource(str(whole), row=row, column=column)
    if isinstance(value, Decimal | float) and (rounded := _rounded(value)) is not None:
        return FigureSource(f"about {shown(rounded)}", row=row, column=column, calculation="rounded")
    return FigureSource(shown(value), row=row, column=column)


def _whole(value: Any) -> int | None:
    """A whole number, of whatever type its database gives it; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, Decimal | float):
        return None
    number = Decimal(value)
    fits = number.is_finite() and number.adjusted() < LARGEST
    return int(number) if fits and number == number.to_integral_value() else None


def _rounded(value: Decimal | float) -> Decimal | None:
    """A number of many places with as many as people read; None when it is short enough."""
    number = Decimal(str(value))
    if not number.is_finite() or number == 0:
        return None
    places = -int(number.as_tuple().exponent)
    wanted = 2 if abs(number) >= 1 else 2 - number.adjusted()
    if places <= max(wanted, MOST_PLACES):
        return None
    return number.quantize(Decimal(1).scaleb(-wanted)) if number.adjusted() < LARGEST else None


def _name(column: str) -> str:
    """A column as people say it: the number of orders for count_orders, the total for total_Total."""
    name = _TWICE.sub(r"\1", column.replace("_", " ").strip() or column)
    if (whole := name.removesuffix(" percent")) != name:
        return f"{_name(whole)} in percent"
    counted = name.removeprefix("count ")
    is_count = counted != name and counted.replace(" ", "").isalpha()
    return f"number of {plural_phrase(counted if counted.isupper() else counted.lower())}" if is_count else name


def _title(column: str) -> str:
    name = _name(column)
    return name[:1].upper() + name[1:]


def shown(value: Any) -> str:
    """A value as a sentence has it: numbers exact, with their thousands apart."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Decimal):
        return f"{value:,f}" if value.is_finite() else str(value)
    if isinstance(value, float):
        return f"{value:,}" if abs(value) < 1e16 else str(value)
    if isinstance(value, datetime | date):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
