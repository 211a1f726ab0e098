"""Made tables of several domains, clean, with wrong cells put in: the twin of each is the truth.

Names are made of syllables, so that nothing can be known of them but what the table shows. The clean tables have what
makes detection hard: nulls that are meant, long tails, codes that differ by one character, names that occur once.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Final

from benchmarks.quality.figure_tables import FIGURE_MAKERS
from benchmarks.quality.more_tables import MORE_MAKERS
from benchmarks.quality.spoiling import (
    LETTERS,
    Cell,
    Made,
    Plan,
    Rows,
    blot,
    digits,
    factor,
    gone,
    loud,
    other,
    rewritten,
    spoil,
    stand_in,
    typo,
    unit,
    word,
    words,
)


def people(rows: int = 2000, seed: int = 1) -> Made:
    """Tax payers: places that depend on one another, a wage with a long tail, allowances that depend on a state."""
    chance = random.Random(seed)
    states = {"".join(chance.sample(LETTERS.upper(), 2)): chance.randint(0, 9) / 2 for _ in range(12)}
    places = [(city, chance.choice(list(states)), digits(chance, 5), digits(chance, 3)) for city in words(chance, 90)]
    first, last = words(chance, 80, 1, 2), words(chance, 400)
    clean: Rows = []
    for _ in range(rows):
        city, state, code, area = places[min(int(chance.expovariate(0.04)), len(places) - 1)]
        wage = int(chance.lognormvariate(10.5, 0.7) // 100 * 100)
        phone = f"{digits(chance, 3)}-{digits(chance, 4)}"
        clean.append(
            [
                chance.choice(first),
                chance.choice(last),
                chance.choice("MF"),
                area,
                phone,
                city,
                state,
                code,
                chance.choice(["single", "married"]),
                wage,
                states[state],
                chance.choice([None, None, 500, 1000]),
            ]
        )
    columns = ["f_name", "l_name", "gender", "area", "phone", "town", "state", "post_code", "status", "wage", "rate"]
    plans = [
        Plan("f_name", 0.02, (typo, loud)),
        Plan("town", 0.05, (typo, blot, other)),
        Plan("state", 0.03, (other, typo)),
        Plan("post_code", 0.03, (other, typo)),
        Plan("status", 0.02, (typo, stand_in)),
        Plan("phone", 0.03, (rewritten(lambda text: text.replace("-", "")), gone)),
        Plan("wage", 0.01, (factor,)),
        Plan("rate", 0.03, (other,)),
    ]
    return spoil("people", [*columns, "allowance"], clean, plans, seed)


def departures(rows: int = 1500, seed: int = 2) -> Made:
    """Return what many sources say of the same trips: a quarter of it is wrong, missing or written otherwise."""
    chance = random.Random(seed)
    sources = words(chance, 25)
    clock = lambda: f"{chance.randint(1, 12)}:{chance.randint(0, 59):02d} {chance.choice('ap')}.m."  # noqa: E731
    trips = []
    for _ in range(max(2, rows // 25)):
        ends = chance.sample(LETTERS.upper(), 6)
        trips.append((f"{chance.choice(['QX', 'ZU'])}-{digits(chance, 4)}-{''.join(ends)}", *(clock() for _ in "1234")))
    clean: Rows = [[chance.choice(sources), *chance.choice(trips)] for _ in range(rows)]
    columns = ["source", "trip", "due_out", "left", "due_in", "arrived"]
    dated = rewritten(lambda text: "12/02/2011 " + text)
    plans = [
        Plan("due_out", 0.2, (other, gone, dated)),
        Plan("left", 0.3, (other, other, gone, dated)),
        Plan("due_in", 0.25, (other, gone)),
        Plan("arrived", 0.3, (other, other, gone, dated)),
    ]
    return spoil("departures", columns, clean, plans, seed)


def drinks(rows: int = 1800, seed: int = 3) -> Made:
    """A catalogue: sizes and strengths written with units, makers with their town."""
    chance = random.Random(seed)
    makers = [
        (number, f"{name} Works", town, chance.choice(["NK", "PD", "RT", "WB", "LF", "GU"]))
        for number, (name, town) in enumerate(zip(words(chance, 220), words(chance, 220), strict=True))
    ]
    styles = [f"{one} {two}" for one in words(chance, 8) for two in words(chance, 4)]
    nouns = words(chance, 300)
    clean: Rows = []
    for number in range(rows):
        name = " ".join(chance.sample(nouns, chance.randint(1, 3)))
        bitter = chance.choice([None, str(chance.randint(8, 120))])
        strong = f"0.{chance.randint(32, 99):03d}"
        clean.append(
            [
                number,
                name,
                chance.choice(styles),
                chance.choice(["12.0", "16.0", "24.0", "8.4"]),
                strong,
                bitter,
                *list(makers[min(int(chance.expovariate(0.012)), len(makers) - 1)]),
            ]
        )
    columns = ["id", "name", "style", "ounces", "strength", "bitterness", "maker_id", "maker", "town", "state"]
    plans = [
        Plan("ounces", 0.15, (unit(" oz"), unit(" oz."), unit(" ounce"))),
        Plan("strength", 0.1, (unit("%"),)),
        Plan("town", 0.05, (typo, other)),
        Plan("state", 0.07, (gone, other)),
        Plan("maker", 0.02, (typo,)),
        Plan("style", 0.02, (typo, loud)),
    ]
    return spoil("drinks", columns, clean, plans, seed)


def articles(rows: int = 1000, seed: int = 4) -> Made:
    """A bibliography: titles that occur once, journals with their short name and number, pages, days."""
    chance = random.Random(seed)
    journals = []
    for _ in range(130):
        parts = words(chance, 3)
        short = " ".join(part[:4] for part in parts)
        journals.append(("Journal of " + " ".join(parts), short, f"{digits(chance, 4)}-{digits(chance, 4)}"))
    tongues = ["eng"] * 30 + ["fre", "ger", "spa", "chi"]
    vocabulary = words(chance, 500)
    names = words(chance, 500)
    clean: Rows = []
    for number in range(rows):
        start = chance.randint(1, 1500)
        title = " ".join(chance.sample(vocabulary, chance.randint(5, 9))).capitalize()
        authors = ", ".join(f"{name}, {chance.choice(LETTERS).upper()}." for name in chance.sample(names, 3))
        day = date(1995, 1, 1) + timedelta(days=chance.randrange(7000))
        clean.append(
            [
                number,
                title,
                chance.choice(tongues),
                *journals[min(int(chance.expovariate(0.03)), 129)],
                chance.randint(1, 90),
                chance.choice([None, 1, 2, 3, 4, 5, 6]),
                f"{start}-{start + chance.randint(2, 20)}",
                authors,
                day.isoformat(),
            ]
        )
    columns = ["id", "title", "language", "journal", "short", "issn", "volume", "issue", "pages", "authors", "created"]
    plans = [
        Plan("language", 0.03, (gone, typo)),
        Plan("journal", 0.04, (typo, typo)),
        Plan("short", 0.04, (typo, gone)),
        Plan("issn", 0.05, (gone, rewritten(lambda text: text.replace("-", "")), other)),
        Plan("pages", 0.03, (rewritten(lambda text: "Jan-" + text.split("-")[1]),)),
        Plan("created", 0.08, (rewritten(lambda text: f"{int(text[5:7])}/{int(text[8:])}/{text[2:4]}"),)),
    ]
    return spoil("articles", columns, clean, plans, seed)


def stations(rows: int = 2500, seed: int = 5) -> Made:
    """Measurements: numbers above all, stations with a height, figures that stand for none."""
    chance = random.Random(seed)
    posts = [(f"ST{number:03d}", name, chance.randint(3, 2400)) for number, name in enumerate(words(chance, 25))]
    clean: Rows = []
    begin = date(2020, 1, 1)
    for number in range(rows):
        warm = chance.gauss(12, 7)
        clean.append(
            [
                *chance.choice(posts),
                (begin + timedelta(days=number // 25)).isoformat(),
                round(warm, 1),
                round(warm + abs(chance.gauss(4, 2)), 1),
                round(chance.betavariate(5, 2) * 100, 1),
                round(chance.gauss(1013, 8), 1),
                round(chance.expovariate(0.4), 1),
                chance.choice(["ok", "ok", "cal"]),
            ]
        )
    columns = ["post", "place", "height", "day", "coolest", "warmest", "humidity", "pressure", "rain", "state"]
    wild = lambda chance, value, values: chance.choice([-999, 9999])  # noqa: E731
    plans = [
        Plan("coolest", 0.01, (lambda chance, value, values: chance.choice([-999.0, 412.0, -340.0]),)),
        Plan("warmest", 0.01, (gone, wild)),
        Plan("humidity", 0.02, (wild, unit("%"))),
        Plan("pressure", 0.02, (wild, lambda chance, value, values: round(float(value) / 10, 2))),  # type: ignore[arg-type]
        Plan("height", 0.02, (other, factor)),
        Plan("place", 0.03, (typo, blot)),
        Plan("state", 0.01, (typo,)),
        Plan("day", 0.01, (rewritten(lambda text: text[:5] + "13" + text[7:]),)),
    ]
    return spoil("stations", columns, clean, plans, seed)


def orders(rows: int = 2000, seed: int = 6) -> Made:
    """Sales: customers, wares and their groups, days in order, fields that changed places."""
    chance = random.Random(seed)
    lands = [(land, land[:2].upper() + str(at)) for at, land in enumerate(words(chance, 14))]
    buyers = []
    for number, (one, two) in enumerate(zip(words(chance, 260), words(chance, 260), strict=True)):
        buyers.append(
            (f"C{number + 1000}", f"{one} {two}", f"{one}.{two}@{word(chance)}.com".lower(), *chance.choice(lands))
        )
    groups = words(chance, 9)
    wares = [
        (
            f"SKU-{digits(chance, 5)}",
            f"{one} {chance.choice(groups)}",
            chance.choice(groups),
            round(chance.lognormvariate(3, 1), 2),
        )
        for one in words(chance, 120)
    ]
    clean: Rows = []
    for number in range(rows):
        day = date(2022, 1, 1) + timedelta(days=chance.randrange(700))
        sent = (day + timedelta(days=chance.randint(0, 9))).isoformat() if chance.random() < 0.85 else None
        clean.append(
            [
                number + 1,
                *chance.choice(buyers),
                *chance.choice(wares),
                chance.choice([1, 1, 1, 2, 3, 5, 10]),
                day.isoformat(),
                sent,
                chance.choice(["shipped", "open", "returned", "cancelled"]),
            ]
        )
    columns = ["id", "buyer", "name", "email", "land", "land_code", "sku", "ware", "group", "price", "pieces"]
    columns += ["ordered", "sent", "state"]
    plans = [
        Plan("land", 0.03, (typo, other)),
        Plan("land_code", 0.02, (other, typo)),
        Plan("email", 0.03, (rewritten(lambda text: text.replace("@", "")), typo)),
        Plan("group", 0.03, (other, typo)),
        Plan("price", 0.02, (factor,)),
        Plan("state", 0.02, (typo, loud, stand_in)),
        Plan("sku", 0.02, (rewritten(lambda text: text.replace("-", "")),)),
        Plan("sent", 0.02, (lambda chance, value, values: "1900-01-01",)),
    ]
    made = spoil("orders", columns, clean, plans, seed)
    for row in made.dirty:
        if chance.random() < 0.01:
            row[4], row[8] = row[8], row[4]
    return made


def films(rows: int = 2000, seed: int = 7) -> Made:
    """Films: lists of names, figures with words behind them, long texts; hardly any dependency."""
    chance = random.Random(seed)
    directors = [" ".join(words(chance, 2)) for _ in range(700)]
    kinds, tongues = words(chance, 14), words(chance, 12)
    vocabulary = words(chance, 900)
    clean: Rows = []
    for _number in range(rows):
        year = chance.randint(1940, 2015)
        day = date(year, 1, 1) + timedelta(days=chance.randrange(365))
        clean.append(
            [
                f"tt{digits(chance, 7)}",
                " ".join(chance.sample(vocabulary, chance.randint(1, 4))),
                year,
                day.strftime("%d %B %Y"),
                chance.choice(directors),
                ",".join(chance.sample(kinds, chance.randint(1, 3))),
                f"{chance.randint(70, 200)} min",
                f"{chance.randint(10, 95) / 10}",
                f"{int(chance.lognormvariate(8, 2)):,}",
                chance.choice([None, " ".join(chance.sample(vocabulary, 12))]),
                tongues[min(int(chance.expovariate(0.6)), 11)],
            ]
        )
    columns = ["id", "title", "year", "released", "director", "kinds", "length", "rating", "votes", "story", "language"]
    plans = [
        Plan("year", 0.02, (gone, rewritten(lambda text: text[2:]))),
        Plan("released", 0.05, (rewritten(lambda text: text.split(" ", 1)[1]), gone)),
        Plan("length", 0.05, (rewritten(lambda text: f"1 hr. {int(text.split()[0]) - 60} min."), gone)),
        Plan("rating", 0.03, (rewritten(lambda text: text.replace(".", ",")), unit("/10"))),
        Plan("kinds", 0.03, (typo,)),
        Plan("language", 0.03, (typo, gone)),
        Plan("id", 0.02, (rewritten(lambda text: text[2:]),)),
    ]
    return spoil("films", columns, clean, plans, seed)


def survey(rows: int = 1500, seed: int = 8) -> Made:
    """Answers out of few, codes that differ by one character, and figures from 1 to 5."""
    chance = random.Random(seed)
    measures = [
        (f"{kind}-{at}{chance.choice(['', 'a', 'b'])}", " ".join(words(chance, 7)).lower(), kind)
        for kind in ("am", "hf", "pn", "sc")
        for at in range(1, 9)
    ]
    sites = [
        (digits(chance, 5), f"{one} {chance.choice(['clinic', 'center', 'hospital'])}".lower(), two.lower())
        for one, two in zip(words(chance, 40), words(chance, 40), strict=True)
    ]
    clean: Rows = []
    for number in range(rows):
        clean.append(
            [
                number,
                *chance.choice(sites),
                *chance.choice(measures),
                chance.choice(["yes", "yes", "yes", "no"]),
                chance.randint(1, 5),
                f"{chance.randint(30, 100)}%",
                chance.choice(["agree", "disagree", "neither"]),
            ]
        )
    columns = ["id", "site", "site_name", "town", "measure", "text", "kind", "urgent", "mark", "share", "answer"]
    some = (blot, typo)
    plans = [
        *(Plan(name, 0.03, some) for name in ("site", "site_name", "town", "measure", "text", "kind", "urgent")),
        *(Plan(name, 0.03, some) for name in ("share", "answer")),
        Plan("mark", 0.01, (lambda chance, value, values: 55,)),
    ]
    return spoil("survey", columns, clean, plans, seed)


def delays(rows: int = 1500, seed: int = 9) -> Made:
    """The trips again, with a third of the times off by some minutes, missing, or with the day before them."""
    made = departures(rows, seed)

    def off(chance: random.Random, value: Cell, _: list[Cell]) -> Cell:
        hour, rest = str(value).split(":")
        return f"{hour}:{(int(rest[:2]) + chance.randint(1, 15)) % 60:02d}{rest[2:]}"

    dated = rewritten(lambda text: "12/02/2011 " + text)
    plans = [
        Plan("due_out", 0.21, (off, gone)),
        Plan("left", 0.33, (off, off, gone)),
        Plan("due_in", 0.24, (off, gone, dated)),
        Plan("arrived", 0.36, (off, off, gone)),
    ]
    return spoil("delays", made.columns, made.clean, plans, seed)


def labels(rows: int = 1500, seed: int = 10) -> Made:
    """The drinks again, of which half have a unit beside their size, and a third beside their strength."""
    made = drinks(rows, seed)
    plans = [
        Plan("ounces", 0.5, (unit(" oz"), unit(" oz."), unit(" ounce"))),
        Plan("strength", 0.3, (unit("%"),)),
        Plan("state", 0.05, (gone,)),
        Plan("town", 0.05, (other,)),
    ]
    return spoil("labels", made.columns, made.clean, plans, seed)


MAKERS: Final[tuple[Callable[..., Made], ...]] = (
    people, departures, drinks, articles, stations, orders, films, survey, delays, labels,
)  # fmt: skip


def made_tables(seed: int = 0) -> Iterator[Made]:
    """Every table, with other chances for another seed."""
    for at, make in enumerate((*MAKERS, *MORE_MAKERS, *FIGURE_MAKERS)):
        yield make(seed=100 * seed + at + 1)
