"""Three more tables: visits to a clinic, requests to a site, and persons with the rates of states.

They hold what good tables hold as well: values that are not there and need not be, codes that are seldom needed, and
several things of one kind.
"""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from benchmarks.quality.spoiling import (
    Cell,
    Made,
    Plan,
    Rows,
    digits,
    gone,
    loud,
    other,
    rewritten,
    spoil,
    stand_in,
    typo,
    unit,
    words,
)  # fmt: skip

SEASON: Final = datetime(2021, 1, 1)  # noqa: DTZ001 - the hour of no place


def times(factor: float, decimals: int) -> Callable[[random.Random, Cell, list[Cell]], Cell]:
    """A figure in another unit."""
    return rewritten(lambda text: f"{float(text) * factor:.{decimals}f}")


def visits(rows: int = 1900, seed: int = 11) -> Made:
    """Visits to a clinic: patients who come again, measures that belong together, codes with their texts."""
    chance = random.Random(seed)
    wards = words(chance, 7)
    illnesses = [
        (f"{chance.choice('ABCDEFG')}{digits(chance, 2)}.{at % 10}", " ".join(words(chance, 2))) for at in range(14)
    ]
    known = [(*illness, chance.choice(wards)) for illness in illnesses]
    patients = [
        (
            f"P{100_000 + 7 * at}",
            chance.choice("MF"),
            (datetime(1935, 1, 1) + timedelta(days=chance.randrange(27_000))).date().isoformat(),  # noqa: DTZ001
            round(chance.gauss(171, 9)),
            chance.choices(["A+", "O+", "B+", "AB+", "A-", "O-", "B-", "AB-"], [34, 36, 10, 4, 6, 6, 2, 0.6])[0],
        )
        for at in range(700)
    ]
    clean: Rows = []
    for number in range(rows):
        person, sex, born, height, blood = chance.choice(patients)
        came = SEASON + timedelta(minutes=chance.randrange(1_300_000))
        left = came + timedelta(minutes=200 + int(chance.expovariate(1 / 5500)))
        upper = round(chance.gauss(128, 15))
        sugar = None if chance.random() < 0.35 else round(min(420, max(55, chance.lognormvariate(4.65, 0.28))))
        clean.append(
            [
                f"V{number:06d}", person, sex, born, f"{came:%Y-%m-%d %H:%M}", f"{left:%Y-%m-%d %H:%M}",
                *chance.choice(known), height, f"{chance.gauss(24, 3) * (height / 100) ** 2:.1f}", upper,
                round(0.62 * upper + chance.gauss(0, 6)), f"{min(41.2, max(35.2, chance.gauss(36.9, 0.6))):.1f}",
                sugar, blood,
            ]
        )  # fmt: skip
    columns = [
        "visit", "patient", "sex", "born", "came", "left", "code", "illness", "ward", "height_cm", "weight_kg",
        "upper", "lower", "warmth_c", "sugar", "blood",
    ]  # fmt: skip
    plans = [
        Plan("sex", 0.03, (rewritten(lambda text: {"M": "male", "F": "female"}[text]),)),
        Plan("born", 0.03, (rewritten(lambda text: ".".join(text.split("-")[::-1])), lambda c, v, _: "1900-01-01")),
        Plan("left", 0.01, (rewritten(lambda text: "2019" + text[4:]),)),
        Plan("code", 0.04, (rewritten(lambda text: text.replace(".", "")), other)),
        Plan("illness", 0.03, (typo, loud)),
        Plan("ward", 0.03, (stand_in, other)),
        Plan("height_cm", 0.02, (times(0.01, 2), lambda c, v, _: 0)),
        Plan("weight_kg", 0.04, (times(2.2046, 1), unit(" kg"), rewritten(lambda text: text.replace(".", ",")))),
        Plan("warmth_c", 0.03, (rewritten(lambda text: f"{float(text) * 1.8 + 32:.1f}"), times(10, 0))),
        Plan("sugar", 0.03, (times(1 / 18, 1),)),
        Plan("blood", 0.02, (typo, rewritten(lambda text: text[:-1] + (" pos" if text[-1] == "+" else " neg")))),
    ]
    return spoil("visits", columns, clean, plans, seed)


def requests(rows: int = 2400, seed: int = 12) -> Made:
    """Requests to a site: a dash where nothing referred to it, sizes and durations with a long tail."""
    chance = random.Random(seed)
    told = {
        200: "OK",
        301: "Moved Permanently",
        304: "Not Modified",
        404: "Not Found",
        201: "Created",
        403: "Forbidden",
    }
    lands = [(one, one[:2].upper()) for one in words(chance, 6)]
    guests = [
        (
            ".".join(str(chance.randint(1, 254)) for _ in range(4)),
            *lands[min(5, int(chance.expovariate(1)))],
            digits(chance, 11),
        )
        for _ in range(350)
    ]
    paths = ["/", "/cart", "/login", "/static/app.js", *(f"/product/{digits(chance, 4)}" for _ in range(60))]
    sites = ["https://search.test/", "https://news.test/deals", "-", "-"]
    clean: Rows = []
    at = SEASON
    for number in range(rows):
        at += timedelta(seconds=int(chance.expovariate(1 / 25)))
        status = chance.choices(list(told), [80, 4, 8, 5, 3, 1])[0]
        clean.append(
            [
                880_000 + number, f"{at:%Y-%m-%dT%H:%M:%SZ}", *chance.choice(guests),
                "POST" if status == 201 else chance.choices(["GET", "POST", "HEAD"], [90, 8, 1])[0],
                chance.choice(paths), status, told[status],
                "-" if status == 304 else int(chance.lognormvariate(8.5, 1.3)),
                1 + int(chance.lognormvariate(4.5, 1)), chance.choice(sites),
            ]
        )  # fmt: skip
    columns = [
        "id", "at", "address", "land", "land_code", "session", "method", "path", "status", "reason", "bytes",
        "duration_ms", "referrer",
    ]  # fmt: skip
    plans = [
        Plan("at", 0.03, (rewritten(lambda text: f"{datetime.fromisoformat(text):%d/%b/%Y:%H:%M:%S +0000}"),)),
        Plan("address", 0.01, (rewritten(lambda text: text.rsplit(".", 1)[0]),)),
        Plan("land", 0.02, (typo, other)),
        Plan("land_code", 0.03, (gone, rewritten(str.lower))),
        Plan("session", 0.02, (stand_in,)),
        Plan("method", 0.02, (rewritten(str.lower),)),
        Plan("path", 0.01, (rewritten(lambda text: text.replace("/", "\\")),)),
        Plan("status", 0.02, (other, unit(".0"))),
        Plan("reason", 0.01, (typo,)),
        Plan("bytes", 0.03, (rewritten(lambda text: text if text == "-" else f"{int(text) / 1024:.1f}K"),)),
        Plan("duration_ms", 0.02, (times(0.001, 3), lambda c, v, _: -1)),
    ]
    return spoil("requests", columns, clean, plans, seed)


def rates(rows: int = 2500, seed: int = 13) -> Made:
    """Persons with their towns, and the rate of their state for what they earn: each state has three."""
    chance = random.Random(seed)
    states = [
        (name[:2].upper() + chr(65 + at), round(chance.uniform(2, 10), 2)) for at, name in enumerate(words(chance, 12))
    ]
    towns = [(town.upper(), *chance.choice(states)) for town in words(chance, 130)]
    places = [(digits(chance, 5), *chance.choice(towns)) for _ in range(220)]
    given, family = words(chance, 60), words(chance, 90)
    clean: Rows = []
    for _number in range(rows):
        postcode, town, state, top = chance.choice(places)
        pay = int(min(99, max(1, chance.expovariate(1 / 45)))) * 1000
        rate = round(top * (1.0 if pay > 40_000 else 0.7 if pay > 15_000 else 0.4), 2)
        clean.append(
            [
                chance.choice(given), chance.choice(family), chance.choice("MF"),
                f"{digits(chance, 3)}-{digits(chance, 4)}", town, state, postcode,
                chance.choice("SM"), pay, f"{rate:g}",
            ]
        )  # fmt: skip
    columns = ["given", "family", "sex", "phone", "town", "state", "postcode", "married", "pay", "rate"]
    plans = [
        Plan("given", 0.02, (typo, rewritten(str.lower))),
        Plan("sex", 0.02, (rewritten(lambda text: {"M": "Male", "F": "Female"}[text]),)),
        Plan("phone", 0.02, (rewritten(lambda text: text.replace("-", "")),)),
        Plan("town", 0.03, (typo, unit("-*"))),
        Plan("state", 0.02, (other,)),
        Plan("postcode", 0.02, (typo, unit("-0000"))),
        Plan("married", 0.02, (stand_in,)),
        Plan("pay", 0.02, (times(100, 0), times(-1, 0), rewritten(lambda text: f"${int(text):,}"))),
        Plan("rate", 0.03, (other, times(100, 0))),
    ]
    return spoil("rates", columns, clean, plans, seed)


MORE_MAKERS: Final[tuple[Callable[..., Made], ...]] = (visits, requests, rates)
