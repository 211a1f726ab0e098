"""Examples of what breaks a check: the key of a row and the values, masked where they are personal data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.checks.counting import CheckedTable, contradictions, guarded, named, repeated_values, total
from resolvers.engines.checks.model import MOST_EXAMPLES, Check, shown
from resolvers.engines.checks.predicates import column_of
from resolvers.engines.sql_guard.guard import GuardedQuery, bound
from schema.data_readiness.source import TableFacts
from schema.data_readiness.suspect import MASKED

MOST_KEY_COLUMNS: Final = 6
MOST_BESIDE: Final = 5
"""Values that are told of those that stand beside one determinant."""


@dataclass(frozen=True, slots=True)
class ExampleStyle:
    """Holds how rows are shown: by which key, and which columns hold personal data."""

    key: tuple[str, ...] = ()
    """The columns that tell a row apart; empty when nothing does."""
    masked: frozenset[str] | None = frozenset()
    """The names of the columns with personal data; None for all of them."""
    elsewhere: frozenset[tuple[str, str]] = frozenset()
    """The (table FQN, column) of other tables that hold personal data."""

    def value(self, column: str, value: Any) -> str | None:
        """A value as it is shown."""
        text = shown(value)
        hidden = self.masked is None or column in self.masked
        return MASKED if hidden and text is not None else text

    def values(self, columns: Sequence[str], row: Sequence[Any]) -> dict[str, str | None]:
        """Values of several columns."""
        return {name: self.value(name, value) for name, value in zip(columns, row, strict=False)}


def key_of(table: TableFacts, candidates: Sequence[Sequence[str]] = ()) -> tuple[str, ...]:
    """The columns that tell the rows of a table apart: a declared key, or else the shortest that was found."""
    names = {column.name for column in table.columns}
    found = sorted((tuple(one) for one in candidates), key=len)
    for key in (*table.key_sets, *found):
        if key and len(key) <= MOST_KEY_COLUMNS and names.issuperset(key):
            return key
    return ()


def of_rows(
    place: CheckedTable, how: ExampleStyle, condition: exp.Expr, columns: Sequence[str]
) -> tuple[dict[str, Any], ...]:
    """Rows that a condition holds for; without a key, their values with how many rows have them."""
    chosen = [*how.key, *(name for name in columns if name not in how.key)] if how.key else list(columns)
    if not chosen:
        return ()
    query = exp.select(*(column_of(name) for name in chosen)).from_(place.relation()).where(condition)
    if how.key:
        query = query.order_by(*(column_of(name) for name in how.key)).limit(MOST_EXAMPLES)
        rows = place.source.ask(query)
        return tuple(
            {"key": how.values(how.key, row)}
            | ({"values": found} if (found := {n: how.value(n, row[chosen.index(n)]) for n in columns}) else {})
            for row in rows
        )
    query = (
        exp.select(*(exp.alias_(column_of(name), named(f"c{at}")) for at, name in enumerate(chosen)), total())
        .from_(place.relation())
        .where(condition)
        .group_by(*(column_of(name) for name in chosen))
        .order_by(exp.Ordered(this=total(), desc=True), *(column_of(name) for name in chosen))
        .limit(MOST_EXAMPLES)
    )
    return tuple({"values": how.values(chosen, row), "rows": int(row[len(chosen)])} for row in place.source.ask(query))


def of_duplicates(check: Check, place: CheckedTable, how: ExampleStyle) -> tuple[dict[str, Any], ...]:
    """The values that occur most often."""
    names = check.columns
    return tuple(
        {"values": how.values(names, row), "rows": int(row[len(names)])}
        for row in place.source.ask(repeated_values(check, place, MOST_EXAMPLES))
    )


def of_contradictions(check: Check, place: CheckedTable, how: ExampleStyle) -> tuple[dict[str, Any], ...]:
    """The determinants with several values beside them, and in how many rows each stands, the most frequent first."""
    query, names, dependent = contradictions(check, place, MOST_EXAMPLES * MOST_BESIDE)
    width = len(names)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in place.source.ask(query):
        key = tuple(map(shown, row[:width]))
        if key not in found and len(found) == MOST_EXAMPLES:
            break
        told = {"dependent": dependent, "different": int(row[width]), "rows": int(row[width + 1]), "beside": []}
        one = found.setdefault(key, {"values": how.values(names, row), **told})
        if len(one["beside"]) < MOST_BESIDE:
            one["beside"].append({"value": how.value(dependent, row[width + 2]), "rows": int(row[width + 3])})
    return tuple(found.values())


def of_sql(check: Check, place: CheckedTable, how: ExampleStyle) -> tuple[dict[str, Any], ...]:
    """The first rows of a person's SQL, all masked when it names any column with personal data."""
    found = guarded(check, place)
    if found.counts:
        return ()
    personal = is_personal(found, place, how)
    query = found.query.copy()
    bound(query, MOST_EXAMPLES)
    names = [f"{name}" for name in query.named_selects]
    plain = replace(how, masked=None if personal else frozenset())
    return tuple({"values": plain.values(names, row)} for row in place.source.ask(query))


def is_personal(found: GuardedQuery, place: CheckedTable, how: ExampleStyle) -> bool:
    """Return whether a query names a column with personal data, of its table or of another."""
    own = {name for fqn, name in found.columns if fqn == place.table.fqn}
    return how.masked is None or bool(own & how.masked) or bool(found.columns & how.elsewhere)
