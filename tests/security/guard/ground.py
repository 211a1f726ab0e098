"""The ground of the guard's suite: a small shop, what of it may be read, and its rows in two variants.

The variants differ only in what may not be read: the values of forbidden columns, whole tables that are not selected,
and the rows that a row filter hides. They differ in every way that could be told from outside: in value, order,
equality, null, length, sum, number, and in whether a cast of them succeeds. So a query that answers differently has
read what it may not; and every such value bears a mark, so that one is known wherever it turns up.
"""

import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from resolvers.engines.sql_guard import Effect, Policy, Table

DIALECTS: Final = ("postgres", "mysql", "duckdb")
VARIANTS: Final = ("a", "b")

# Name, kind of value, and whether it is forbidden.
_COLUMNS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "sales.teams": (("id", "int"), ("name", "text"), ("city", "text"), ("budget", "number"), ("founded", "date")),
    "sales.staff": (
        *(("id", "int"), ("name", "text"), ("team_id", "int"), ("city", "text"), ("level", "int"), ("hired", "date")),
        *(("boss_id", "int"), ("salary", "int"), ("ssn", "text"), ("born", "date")),
    ),
    "sales.jobs": (("id", "int"), ("title", "text"), ("salary", "int"), ("level", "int")),
    "sales.orders": (
        *(("id", "int"), ("staff_id", "int"), ("customer_id", "int"), ("amount", "number"), ("placed", "date")),
        *(("shipped", "date"), ("status", "text"), ("region", "text")),
    ),
    "sales.customers": (("id", "int"), ("name", "text"), ("email", "text"), ("city", "text"), ("points", "int")),
    "sales.payroll": (("id", "int"), ("staff_id", "int"), ("pay", "int"), ("iban", "text")),
    "sales.seen": (("id", "int"), ("ssn", "text"), ("salary", "int")),
    "vault.secrets": (("id", "int"), ("label", "text"), ("secret", "text")),
    "vault.staff": (("id", "int"), ("name", "text"), ("ssn", "text"), ("salary", "int")),
}
_NEUTRAL: Final = {"int": "INTEGER", "text": "TEXT", "number": "NUMERIC", "date": "DATE"}
SELECTED: Final = ("sales.teams", "sales.staff", "sales.jobs", "sales.orders", "sales.customers")
STAFF: Final = "shop.live.sales.staff"
ORDERS: Final = "shop.live.sales.orders"
CUSTOMERS: Final = "shop.live.sales.customers"
FORBIDDEN: Final = frozenset({(STAFF, "salary"), (STAFF, "ssn")})
"""What the caller may not read."""
_NORTH: Final = "upper(lower(trim(region))) = 'NORTH'"
"""Dearer to compute than what a query may ask, so that a database would rather try that first."""
POLICIES: Final = (
    Policy("p1", "Birthdays", Effect.FORBID, columns=("sales.staff.born",)),
    Policy("p2", "Addresses", Effect.MASK, columns=("sales.customers.email",)),
    Policy("p3", "North only", Effect.ROW_FILTER, tables=("sales.orders",), condition=_NORTH),
)
CLOSED: Final = frozenset({*FORBIDDEN, (STAFF, "born"), (CUSTOMERS, "email")})
"""What no harmless draft names."""

CANARY: Final = re.compile(r"kanari|(?<![\d.])777\d(?:\d{3}|-\d|, \d)", re.IGNORECASE)
"""What every value bears that may not be read. No draft holds it, so it can only come from the data."""

_NAMES: Final = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo", "Jun", "Kai", "Lea")
_CITIES: Final = ("Bonn", "Lyon", "Oslo", "Rome")
_DAY: Final = date(2023, 1, 31)


def tables() -> list[Table]:
    """The tables that may be read, as the guard takes them; forbidden columns are among theirs."""
    return [
        Table(
            f"shop.live.{name}",
            "live",
            *name.split("."),
            tuple(column for column, _ in _COLUMNS[name]),
            tuple(_NEUTRAL[kind] for _, kind in _COLUMNS[name]),
            key="id",
        )
        for name in SELECTED
    ]


def columns() -> dict[str, tuple[tuple[str, str], ...]]:
    """Every table of both schemas with its columns and their kinds."""
    return _COLUMNS


def rows(table: str, variant: str) -> list[tuple[Any, ...]]:
    """The rows of a table in a variant, in the order in which they are loaded."""
    return _MAKERS[table](variant)


def _salary(at: int, variant: str) -> int | None:
    if variant == "a":
        return 7_770_000 + at
    # Some earn what a job pays, so that a join by that tells.
    return None if at % 5 == 0 else 1200 if at % 5 == 1 else 7_779_000 - at * 3 % 11


def _ssn(at: int, variant: str) -> str | None:
    if variant == "a":
        return f"kanari-{at:02d}"
    return None if at % 4 == 0 else f"777{at % 5}00{at * 5 % 9}" if at % 3 == 0 else f"Kanari {'z' * (at % 3)}{13 - at}"


def _born(at: int, variant: str) -> date | None:
    return date(7771, 1, at) if variant == "a" else None if at % 6 == 0 else date(7773, 12, 28 - at * 5 % 13)


def _teams(variant: str) -> list[tuple[Any, ...]]:
    return [
        (
            at,
            f"Team {_NAMES[at]}",
            _CITIES[at % 4],
            Decimal(at * 1000) / 4 if at != 3 else None,
            _DAY.replace(year=2010 + at),
        )
        for at in range(1, 6)
    ]


def _staff(variant: str) -> list[tuple[Any, ...]]:
    return [
        (
            *(at, _NAMES[at - 1], at % 5 + 1, _CITIES[at % 4], at % 3 + 1, _DAY + timedelta(days=at * 37)),
            *(at // 2 or None, _salary(at, variant), _ssn(at, variant), _born(at, variant)),
        )
        for at in range(1, 13)
    ]


def _jobs(variant: str) -> list[tuple[Any, ...]]:
    # What a job pays is public, and some of it equals what somebody earns in one of the variants.
    return [(at, f"Job {at}", (1000 * at, 1200)[at % 2], at % 3 + 1) for at in range(1, 7)]


def _orders(variant: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = [
        (
            *(at, at % 12 + 1, at % 8 + 1, Decimal(at * 7 % 50) + Decimal("0.25"), _DAY + timedelta(days=at * 11)),
            *(None if at % 4 == 0 else _DAY + timedelta(days=at * 11 + 3), ("open", "paid", "sent")[at % 3], "north"),
        )
        for at in range(1, 21)
    ]
    hidden = range(21, 27) if variant == "a" else range(23, 33)
    return found + [
        (
            *(
                at,
                (at * 5 + (variant == "b")) % 12 + 1,
                at % 8 + 1,
                Decimal(7_770_000 + at * (3 if variant == "a" else 7)),
            ),
            *(date(7774, 1 + at % 9, 3), None, f"kanari {variant}{at % 3}", "south"),
        )
        for at in hidden
    ]


def _customers(variant: str) -> list[tuple[Any, ...]]:
    return [
        (
            at,
            f"{_NAMES[at]} Ltd",
            f"kanari{at if variant == 'a' else 9 - at % 5}@x.{variant}",
            _CITIES[at % 4],
            at * 10 % 7,
        )
        for at in range(1, 9)
    ]


def _payroll(variant: str) -> list[tuple[Any, ...]]:
    most = 12 if variant == "a" else 9
    return [(at, at, _salary(at, variant), f"kanari-iban-{variant}{at}") for at in range(1, most)]


def _seen(variant: str) -> list[tuple[Any, ...]]:
    return [(at, _ssn(at, variant), _salary(at, variant)) for at in range(1, 13 if variant == "a" else 7)]


def _secrets(variant: str) -> list[tuple[Any, ...]]:
    return [(at, f"kanari label {at}", f"kanari {variant}{at}") for at in range(1, 4 if variant == "a" else 6)]


def _vault_staff(variant: str) -> list[tuple[Any, ...]]:
    return [
        (at, f"kanari {at}", _ssn(at, variant), _salary(at, variant)) for at in range(1, 5 if variant == "a" else 8)
    ]


_MAKERS: Final = {
    "sales.teams": _teams,
    "sales.staff": _staff,
    "sales.jobs": _jobs,
    "sales.orders": _orders,
    "sales.customers": _customers,
    "sales.payroll": _payroll,
    "sales.seen": _seen,
    "vault.secrets": _secrets,
    "vault.staff": _vault_staff,
}
