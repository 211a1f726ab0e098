"""Two tables whose figures are worked out of one another: invoices with discounts and taxes, and stays at a lodging."""

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from benchmarks.quality.spoiling import Cell, Made, Plan, Rows, digits, other, spoil, stand_in, typo, words

FIRST: Final = date(2021, 1, 1)


def slip(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """One digit wrong."""
    text = str(value)
    at = chance.choice([place for place, sign in enumerate(text) if sign.isdigit()])
    wrong = text[:at] + chance.choice([one for one in "123456789" if one != text[at]]) + text[at + 1 :]
    return float(wrong) if "." in wrong else int(wrong)


def share(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """Some percent more or less."""
    number = float(value or 0) * chance.choice([0.5, 0.8, 0.9, 1.1, 1.25])
    return round(number, 2) if isinstance(value, float) else round(number) + (round(number) == value)


def tenfold(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """The decimal point one place off."""
    return round(float(value or 0) * 10, 2) if isinstance(value, float) else int(value or 0) * 10


def late(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
    """Another day."""
    return (date.fromisoformat(str(value)) + timedelta(days=chance.choice([-365, -30, -7, 7, 30, 365]))).isoformat()


WRONG: Final = (slip, share, tenfold, other)


def invoices(rows: int = 1500, seed: int = 14) -> Made:
    """Lines of invoices: net of a discount, tax at two rates, what is due when."""
    chance = random.Random(seed)
    buyers, goods = words(chance, 60), [(one, round(chance.uniform(1, 400), 2)) for one in words(chance, 120)]
    clean: Rows = []
    for number in range(rows):
        article, price = chance.choice(goods)
        pieces, less, rate = 1 + int(chance.expovariate(0.2)), chance.choice([0, 0, 5, 10, 15]), chance.choice([7, 19])
        net = round(pieces * price * (1 - less / 100), 2)
        tax = round(net * rate / 100, 2)
        day, term = FIRST + timedelta(days=chance.randrange(700)), chance.choice([14, 30, 30, 60])
        clean.append(
            [
                f"I{number:05d}", chance.choice(buyers), article, pieces, price, less, net, rate, tax,
                round(net + tax, 2), day.isoformat(), (day + timedelta(days=term)).isoformat(), term,
            ]
        )  # fmt: skip
    columns = [
        "invoice", "buyer", "article", "pieces", "price", "discount", "net", "rate", "tax", "gross", "issued", "due",
        "term",
    ]  # fmt: skip
    plans = [Plan("buyer", 0.02, (typo,)), *(Plan(name, 0.02, WRONG) for name in ("pieces", "price", "net", "tax")),
             Plan("gross", 0.03, WRONG), Plan("due", 0.02, (late,))]  # fmt: skip
    return spoil("invoices", columns, clean, plans, seed)


def stays(rows: int = 1400, seed: int = 15) -> Made:
    """Stays: nights from arrival to departure, a total with extras, guests that are adults and children."""
    chance = random.Random(seed)
    rooms = [(f"{digits(chance, 3)}", kind, chance.randrange(40, 190)) for kind in words(chance, 40)]
    clean: Rows = []
    for number in range(rows):
        came, nights = FIRST + timedelta(days=chance.randrange(1000)), 1 + int(chance.expovariate(0.15))
        room, kind, rate = chance.choice(rooms)
        extra, adults, children = chance.choice([0, 0, 15, 30]), chance.randint(1, 4), chance.choice([0, 0, 1, 2])
        clean.append(
            [
                f"S{number:05d}", room, kind, came.isoformat(), (came + timedelta(days=nights)).isoformat(), nights,
                rate, extra, nights * rate + extra, adults, children, adults + children, came.year, came.month,
            ]
        )  # fmt: skip
    columns = [
        "stay", "room", "kind", "came", "went", "nights", "rate", "extra", "total", "adults", "children", "guests",
        "year", "month",
    ]  # fmt: skip
    plans = [
        Plan("kind", 0.02, (typo, stand_in)), Plan("went", 0.02, (late,)), Plan("nights", 0.02, WRONG),
        Plan("rate", 0.02, WRONG), Plan("total", 0.03, WRONG), Plan("year", 0.02, (other, slip)),
    ]  # fmt: skip
    return spoil("stays", columns, clean, plans, seed)


FIGURE_MAKERS: Final[tuple[Callable[..., Made], ...]] = (invoices, stays)
