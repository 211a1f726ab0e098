"""What descriptions, rules and profiles claim of data, each claim evaluated again in SQL, beside the engines."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from resolvers.engines.checks.predicates import NOW
from resolvers.engines.claims import (
    LONGEST,
    AsManyAs,
    Claim,
    InRange,
    MostCommon,
    NeverNull,
    OneOf,
    RefersTo,
    Unique,
    claims_in,
)
from schema.identifiers import Fqn

Values = Mapping[str | None, int]
"""The values of a column as text, with how many rows have each."""

_ROUNDED: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Judged:
    """One claim, and whether the data bears it out."""

    source: str
    """description, rule or profile."""
    said: str
    asset_fqn: str
    claim: Any
    share: float
    """The share of rows that break it, 0 to 1."""
    allowed: float = 0.0
    """The share that it allows by its own words."""

    @property
    def is_false(self) -> bool:
        """Return whether more rows break it than it says."""
        return self.share > self.allowed + _ROUNDED


class Data:
    """A database that claims are held against. Columns are read once."""

    def __init__(self, address: str) -> None:
        self._connection = psycopg.connect(address, autocommit=True)
        self._values: dict[tuple[str, str, str], Values] = {}

    def close(self) -> None:
        """Let the database go."""
        self._connection.close()

    def one(self, query: sql.Composed) -> int:
        """The number that a query counts."""
        row = self._connection.execute(query).fetchone()
        return int(row[0]) if row and row[0] is not None else 0

    def rows(self, table: Fqn) -> int:
        """How many rows a table has."""
        return self.one(sql.SQL("select count(*) from {}").format(_named(table)))

    def values(self, table: Fqn, column: str) -> Values:
        """The values of a column."""
        key = (*table.parts[2:4], column)
        if key not in self._values:
            query = sql.SQL("select {0}::text, count(*) from {1} group by 1").format(
                sql.Identifier(column), _named(table)
            )
            self._values[key] = dict(self._connection.execute(query).fetchall())
        return self._values[key]

    def repeated(self, table: Fqn, columns: Sequence[str]) -> int:
        """How many rows have their like in some columns, of those with a value in all of them."""
        names = [sql.Identifier(name) for name in columns]
        filled = sql.SQL(" and ").join(sql.SQL("{} is not null").format(name) for name in names)
        query = sql.SQL("select count(*) - count(distinct ({})) from {} where {}")
        return self.one(query.format(sql.SQL(", ").join(names), _named(table), filled))

    def orphans(self, table: Fqn, columns: Sequence[str], target: Fqn, targets: Sequence[str]) -> int:
        """How many rows refer to no row of another table."""
        pairs = sql.SQL(" and ").join(
            sql.SQL("b.{1}::text = a.{0}::text").format(sql.Identifier(one), sql.Identifier(other))
            for one, other in zip(columns, targets, strict=True)
        )
        filled = sql.SQL(" and ").join(sql.SQL("a.{} is not null").format(sql.Identifier(one)) for one in columns)
        query = sql.SQL("select count(*) from {} a where {} and not exists (select 1 from {} b where {})")
        return self.one(query.format(_named(table), filled, _named(target), pairs))

    def unsettled(self, table: Fqn, determinant: Sequence[str], dependent: str) -> int:
        """How many rows have another value of a column than most that agree with them in others."""
        names = sql.SQL(", ").join(map(sql.Identifier, determinant))
        query = sql.SQL(
            "select sum(n - most) from (select sum(n) n, max(n) most from (select {0}, {1}, count(*) n from {2} "
            "where {1} is not null and ({0}) is not null group by {0}, {1}) x group by {0}) y"
        )
        return self.one(query.format(names, sql.Identifier(dependent), _named(table)))


def _named(table: Fqn) -> sql.Identifier:
    return sql.Identifier(*table.parts[2:4])


def judged(data: Data, proposals: Sequence[Mapping[str, Any]], profiles: Sequence[Mapping[str, Any]]) -> list[Judged]:
    """Every claim of proposals and profiles that can be told in SQL, with what the data says to it."""
    found: list[Judged] = []
    for one in proposals:
        if one["kind"] == "description":
            found += _of_description(data, one)
        elif one["kind"] == "rule":
            found += _of_rule(data, one)
    for profile in profiles:
        found += _of_profile(data, profile)
    return found


def _of_description(data: Data, one: Mapping[str, Any]) -> Iterator[Judged]:
    fqn = Fqn.parse(one["asset_fqn"])
    if len(fqn.parts) < 4:
        return
    table, column = Fqn(fqn.parts[:4]), fqn.parts[4] if len(fqn.parts) == 5 else None
    for claim in claims_in(one["proposed_value"], column):
        share = _share(data, table, claim)
        if share is not None:
            yield Judged("description", one["proposed_value"], one["asset_fqn"], claim, share)


def _of_rule(data: Data, one: Mapping[str, Any]) -> Iterator[Judged]:
    fqn, rule = Fqn.parse(one["asset_fqn"]), one["proposed_value"]
    told, table = rule["arguments"], Fqn(fqn.parts[:4])
    column = fqn.parts[4] if len(fqn.parts) == 5 else ""
    claim: Any = None
    share: float | None = None
    rows = max(1, data.rows(table))
    match rule["metric"]:
        case "duplicateValues":
            claim = Unique(tuple(told.get("properties") or (column,)))
        case "nullValues":
            claim = NeverNull(column)
        case "brokenReferences":
            claim = RefersTo(tuple(told["columns"]), told["targetFqn"])
            target = Fqn.parse(told["targetFqn"])
            share = data.orphans(table, told["columns"], target, told["targetColumns"]) / rows
        case "inconsistentRows" if "dependent" in told:
            determinant = told.get("columns") or told.get("determinant")
            claim = ("settles", tuple(determinant), told["dependent"])
            share = data.unsettled(table, determinant, told["dependent"]) / rows
        case "invalidValues" if "validValues" in told:
            claim = OneOf(column, (*map(str, told["validValues"]), *map(str, told.get("missingValues") or ())))
        case "invalidValues" | "outlierValues" if "minimum" in told or "maximum" in told:
            most = told.get("maximum")
            claim = InRange(column, told.get("minimum"), None if most == NOW else most)
        case "rowCount":
            claim = ("has rows",)
            share = float(data.rows(table) == 0)
    if claim is None:
        return
    share = _share(data, table, claim) if share is None else share
    if share is None:
        return
    evidence = one["evidence"]
    threshold = rule["threshold"][0] / 100 if rule["unit"] == "percent" else 0.0
    # What a rule was told to take for mistakes is what it is there to find.
    suspects = float(evidence.get("left_out_as_suspect") or 0) + float(evidence.get("missing") or 0)
    yield Judged("rule", rule["description"], one["asset_fqn"], claim, share, threshold + suspects / rows)


def _of_profile(data: Data, profile: Mapping[str, Any]) -> Iterator[Judged]:
    table = Fqn.parse(profile["asset_fqn"])
    rows = max(1, data.rows(table))
    if "row_count" not in profile["approximate"]:
        yield _told("rows", str(table), profile["row_count"], data.rows(table))
    for key in profile["candidate_keys"]:
        if key["is_exact"] and key["uniqueness"] == 1:
            share = data.repeated(table, key["columns"]) / rows
            yield Judged("profile", "a key", str(table), Unique(tuple(key["columns"])), share)
    for one in profile["foreign_keys"]:
        if one["is_exact"] and one["match_rate"] == 1:
            orphans = data.orphans(table, one["columns"], Fqn.parse(one["target_fqn"]), one["target_columns"])
            claim = RefersTo(tuple(one["columns"]), one["target_fqn"])
            yield Judged("profile", "a reference", str(table), claim, orphans / rows)
    for one in profile["functional_dependencies"]:
        if one["is_exact"] and one["holds"] == 1:
            broken = data.unsettled(table, one["determinant"], one["dependent"])
            settles = ("settles", tuple(one["determinant"]), one["dependent"])
            yield Judged("profile", "settles", str(table), settles, broken / rows)
    for column in profile["columns"]:
        yield from _of_column_profile(data.values(table, column["name"]), column)


def _of_column_profile(values: Values, column: Mapping[str, Any]) -> Iterator[Judged]:
    figures = {
        "null_count": values.get(None, 0),
        "distinct_count": sum(value is not None for value in values),
        "blank_count": sum(count for value, count in values.items() if value is not None and not value.strip()),
    }
    for name, real in figures.items():
        if column[name] is not None and name not in column["approximate"]:
            yield _told(name, column["column_fqn"], column[name], real)
    if "top_values" in column["approximate"] or column["masked"] or column["kind"] != "text":
        return
    for one in column["top_values"]:
        if len(one["value"]) <= LONGEST:
            yield _told(f"rows with {one['value']!r}", column["column_fqn"], one["count"], values.get(one["value"]))


def _told(said: str, fqn: str, claimed: Any, real: Any) -> Judged:
    return Judged("profile", f"{said}: {claimed}, and is {real}", fqn, (said, claimed), float(claimed != real))


def _share(data: Data, table: Fqn, claim: Claim) -> float | None:
    """The share of rows that break a claim; None where it cannot be told."""
    rows = max(1, data.rows(table))
    match claim:
        case Unique(columns):
            return data.repeated(table, columns) / rows
        case NeverNull(column):
            return data.values(table, column).get(None, 0) / rows
        case OneOf(column, values):
            allowed = set(map(_plain, values))
            seen = data.values(table, column).items()
            return sum(n for value, n in seen if value and value.strip() and _plain(value) not in allowed) / rows
        case InRange(column, least, most):
            seen = data.values(table, column).items()
            return sum(n for value, n in seen if value is not None and _lies_outside(value, least, most)) / rows
        case AsManyAs(None, number):
            return float(data.rows(table) != number)
        case AsManyAs(column, number) if column is not None:
            return float(sum(value is not None for value in data.values(table, column)) != number)
        case MostCommon(column, value):
            seen = Counter({_plain(one): n for one, n in data.values(table, column).items() if one is not None})
            return float(bool(seen) and seen[_plain(value)] < max(seen.values()))
    return None


def _lies_outside(value: str, least: str | None, most: str | None) -> bool:
    try:
        number = float(value)
        return (least is not None and number < float(least)) or (most is not None and number > float(most))
    except ValueError:
        pass
    low = least is not None and value[: len(least)].replace("T", " ") < least.replace("T", " ")
    return low or (most is not None and value[: len(most)].replace("T", " ") > most.replace("T", " "))


def _plain(value: str) -> str:
    try:
        return f"{float(value):.12g}"
    except ValueError:
        return value.strip()
