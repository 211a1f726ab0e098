"""Words that mean nothing, and ways in which a good value goes wrong."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

Cell = str | int | float | None
Rows = list[list[Cell]]

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_STARTS: Final = (
    "b",
    "br",
    "c",
    "d",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
)
_MIDDLES: Final = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_ENDS: Final = ("", "", "l", "n", "r", "s", "nd", "rt", "ck", "m")


@dataclass(frozen=True, slots=True)
class Made:
    """A table with errors, and the same without."""

    name: str
    columns: tuple[str, ...]
    dirty: Rows
    clean: Rows

    @property
    def errors(self) -> set[tuple[int, int]]:
        """The cells that differ."""
        pairs = enumerate(zip(self.dirty, self.clean, strict=True))
        return {(row, at) for row, (one, other) in pairs for at in range(len(self.columns)) if one[at] != other[at]}


def word(chance: random.Random, least: int = 2, most: int = 3) -> str:
    """A word that can be said and means nothing."""
    syllables = range(chance.randint(least, most))
    return "".join(chance.choice(_STARTS) + chance.choice(_MIDDLES) + chance.choice(_ENDS) for _ in syllables)


def words(chance: random.Random, number: int, least: int = 2, most: int = 3) -> list[str]:
    """Some different words."""
    found: dict[str, None] = {}
    while len(found) < number:
        found[word(chance, least, most).capitalize()] = None
    return list(found)


def digits(chance: random.Random, number: int) -> str:
    """So many digits, the first not 0."""
    return str(chance.randint(1, 9)) + "".join(str(chance.randint(0, 9)) for _ in range(number - 1))


Spoil = Callable[[random.Random, Cell, "list[Cell]"], Cell]
"""Makes a wrong value of a good one, given the column's good values."""


def typo(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """One character wrong, left out, doubled, or changed for its neighbour."""
    text = str(value)
    if len(text) < 2:
        return value
    at = chance.randrange(len(text) - 1)
    kind = chance.randrange(4)
    if kind == 0:
        return text[:at] + chance.choice(LETTERS) + text[at + 1 :]
    if kind == 1:
        return text[:at] + text[at + 1 :]
    if kind == 2:
        return text[:at] + chance.choice(LETTERS) + text[at:]
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def blot(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """Every occurrence of one character became another letter."""
    text = str(value)
    return text.replace(chance.choice(text), chance.choice(LETTERS)) if text else value


def gone(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """Nothing is left."""
    return chance.choice([None, ""])


def stand_in(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """Return what people write for nothing."""
    return chance.choice(["N/A", "-", "unknown", "?"])


def other(chance: random.Random, value: Cell, values: list[Cell]) -> Cell:
    """Another good value, in the wrong place."""
    return chance.choice(values)


def loud(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """In capitals, or with a space at its end."""
    text = str(value)
    return text.upper() if chance.random() < 0.5 else text + " "


def factor(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """A decimal point in the wrong place, or the wrong sign."""
    number = float(value)  # type: ignore[arg-type]
    return round(number * chance.choice([100, 1000, -1]), 2)


def unit(sign: str) -> Spoil:
    """Written with a unit behind it."""
    return lambda chance, value, values: f"{value}{sign}"


def rewritten(form: Callable[[str], str]) -> Spoil:
    """Written in another form."""
    return lambda chance, value, values: form(str(value))


@dataclass(frozen=True, slots=True)
class Plan:
    """Holds what goes wrong in a column, and how often."""

    column: str
    share: float
    spoils: tuple[Spoil, ...]


def spoil(name: str, columns: Sequence[str], clean: Rows, plans: Sequence[Plan], seed: int) -> Made:
    """A table with errors put in."""
    chance = random.Random(seed)
    dirty = [list(row) for row in clean]
    for plan in plans:
        at = columns.index(plan.column)
        values = [row[at] for row in clean if row[at] is not None]
        for row in dirty:
            if row[at] is not None and chance.random() < plan.share:
                row[at] = chance.choice(plan.spoils)(chance, row[at], values)
    return Made(name, tuple(columns), dirty, clean)
