"""More than ten thousand hostile drafts for each dialect, by class of attack, the same in every run."""

import functools
import random
from typing import Final

from tests.security.guard.drafts import Draft, Maker, distinct, filled, grammar
from tests.security.guard.hostile_columns import POSITIONS, read, whole

_FORBIDDEN: Final = ("ssn", "salary", "born")
_CROSSED: Final = ("staff", "teams", "jobs", "customers")


def _pick(chance: random.Random, name: str, dialect: str) -> str:
    return chance.choice(grammar(name, dialect))


def _reads(position: str) -> Maker:
    return functools.partial(read, position)


def _table(kind: str) -> Maker:
    def make(chance: random.Random, dialect: str) -> str:
        return filled(_pick(chance, "tables.place", dialect), R=_pick(chance, f"tables.{kind}", dialect))

    return make


def _call(kind: str) -> Maker:
    def make(chance: random.Random, dialect: str) -> str:
        return filled(_pick(chance, "calls.place", dialect), X=_pick(chance, f"calls.{kind}", dialect))

    return make


def _statement(kind: str) -> Maker:
    def make(chance: random.Random, dialect: str) -> str:
        return filled(_pick(chance, "statements.put", dialect), S=_pick(chance, f"statements.{kind}", dialect))

    return make


def _bomb(chance: random.Random, dialect: str) -> str:
    """Return what takes long: recursion, products of tables, and queries too long or too deep."""
    number = chance.choice((3, 5, 12, 60, 150, 400, 1500))
    crossed = ", ".join(f"{chance.choice(_CROSSED)} a{at}" for at in range(1, chance.choice((3, 4, 5))))
    query = "select id from teams"
    return filled(
        _pick(chance, "statements.denial", dialect),
        CROSS=crossed,
        LONG=" or ".join(f"id = {at}" for at in range(number)),
        DEEP="(" * number + "id" + ")" * number,
        NESTED=functools.reduce(lambda inner, at: f"select id from ({inner}) n{at}", range(min(number, 400)), query),
        MANY=", ".join(str(at) for at in range(number * 4)),
        UNIONS=" union all ".join([query] * min(number, 400)),
        PERCENTS="%a" * number,
    )


def _text(chance: random.Random, dialect: str) -> str:
    """A text that would end too early if it were written back carelessly."""
    text = filled(_pick(chance, "tricks.text", dialect), C=chance.choice(_FORBIDDEN))
    return filled(_pick(chance, "tricks.text_place", dialect), L=text)


def _name(chance: random.Random, dialect: str) -> str:
    """A name that would end too early, or mean something else, if it were written back carelessly."""
    name = filled(_pick(chance, "tricks.name", dialect), C=chance.choice(_FORBIDDEN))
    return filled(_pick(chance, "tricks.name_place", dialect), L=name)


def _rename(chance: random.Random, dialect: str) -> str:
    """Names that hide one another: aliases, inner names, columns joined by name, and what policies rewrite."""
    query = filled(_pick(chance, "tricks.rename", dialect), C=chance.choice(_FORBIDDEN))
    return query if chance.random() < 0.3 else filled(_pick(chance, "columns.around", dialect), Q=query)


CLASSES: Final[dict[str, tuple[Maker, int, bool]]] = {
    **{f"column in {position}": (_reads(position), 390, False) for position in POSITIONS},
    "whole rows": (whole, 650, False),
    "hidden names": (_rename, 900, False),
    "table elsewhere": (_table("elsewhere"), 500, False),
    "system catalog": (_table("catalog"), 600, False),
    "file or table function": (_table("file"), 600, False),
    "function that reaches out": (_call("reach"), 550, False),
    "setting": (_call("setting"), 450, False),
    "function that waits or grows": (_call("denial"), 400, False),
    "write": (_statement("write"), 450, False),
    "definition": (_statement("define"), 400, False),
    "command": (_statement("command"), 400, False),
    "lock": (_statement("lock"), 150, False),
    "bomb": (_bomb, 200, False),
    "text that ends early": (_text, 550, True),
    "name that ends early": (_name, 500, True),
}
"""How each class is made, how many of it, and whether it goes without a disguise, which it is itself."""


def drafts_of(attack: str, dialect: str, number: int | None = None) -> list[Draft]:
    """The drafts of one class, or the first of them."""
    make, quota, plain = CLASSES[attack]
    return list(distinct(attack, make, dialect, number or quota, plain=plain))


@functools.cache  # many tests of one dialect take a part each
def hostile(dialect: str) -> tuple[Draft, ...]:
    """All hostile drafts of a dialect, no two of which differ only in case or white space."""
    found: dict[str, Draft] = {}
    for attack in CLASSES:
        for draft in drafts_of(attack, dialect):
            found.setdefault(" ".join(draft.text.casefold().split()), draft)
    return tuple(found.values())
