"""Defines which of the rules that are drawn up from a table with errors hold on the same table without them."""

import csv
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import duckdb
from sqlglot import exp

from resolvers.engines.checks.evaluate import evaluate
from resolvers.engines.checks.examples import ExampleStyle
from resolvers.engines.checks.model import Check
from resolvers.engines.profiling import Header, profile_table
from resolvers.engines.rules.draft import RuleDraft
from resolvers.engines.rules.generate import draft_rules
from schema.data_readiness.rule import RuleOutcome
from schema.data_readiness.source import ColumnFacts, Row, Sample, TableFacts
from schema.identifiers import join_fqn

SAMPLE: Final = 10_000


class InMemory:
    """A table in a DuckDB of its own, as engines read it."""

    dialect = "duckdb"

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def relation(self, database: str, schema: str, table: str) -> exp.Table:
        """Return what stands in FROM."""
        return exp.table_(table, quoted=True)

    def ask(self, query: exp.Query) -> list[Row]:
        """All rows of an answer."""
        return self._connection.execute(query.sql("duckdb")).fetchall()

    def stream(self, query: exp.Query, size: int = 5000, seconds: float | None = None) -> Iterator[list[Row]]:
        """The rows of an answer in parts."""
        cursor = self._connection.cursor().execute(query.sql("duckdb"))
        while rows := cursor.fetchmany(size):
            yield rows

    def sample(self, relation: exp.Table, columns: Sequence[str], rows: int) -> Sample:
        """The first rows."""
        wanted = [exp.column(exp.to_identifier(name, quoted=True)) for name in columns]
        found = self.ask(exp.select(*wanted).from_(relation).limit(rows + 1))
        return Sample(tuple(columns), tuple(found[:rows]), len(found) <= rows)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table in its own store, and what a catalog would say of it."""

    source: InMemory
    facts: TableFacts


@contextmanager
def loaded(columns: Sequence[str], rows: Sequence[Sequence[Any]], types: Sequence[str] = ()) -> Iterator[Loaded]:
    """Load a table, with the types that its texts show or with those that are given."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder, "table.csv")
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_MINIMAL)
            writer.writerow(columns)
            writer.writerows([["" if value is None else value for value in row] for row in rows])
        given = {name: kind for name, kind in zip(columns, types, strict=True)} if types else None
        told = {"columns": given, "header": True, "auto_detect": False, "delimiter": ",", "quotechar": '"'}
        connection.read_csv(str(path), **(told if given else {"header": True, "sample_size": -1})).create("data")
        described = connection.execute("DESCRIBE data").fetchall()
        facts = tuple(
            ColumnFacts(join_fqn(("shop", "db", "main", "data", name)), name, at, str(kind), nullable=True)
            for at, (name, kind, *_) in enumerate(described, 1)
        )
        yield Loaded(
            InMemory(connection), TableFacts("shop.db.main.data", "data:o:p:shop", "db", "main", "data", facts)
        )


def drafts_for(table: Loaded, now: datetime) -> list[RuleDraft]:
    """The rules that are drawn up for a table."""
    header = Header(id="", workflow_run_id="", now=now)
    profile = profile_table(table.source, table.facts, header)
    relation = table.source.relation("db", "main", "data")
    sample = table.source.sample(relation, [column.name for column in table.facts.columns], SAMPLE)
    return draft_rules(table.facts, profile, sample)


def outcomes(table: Loaded, drafts: Sequence[RuleDraft], now: datetime) -> dict[str, RuleOutcome]:
    """Return what evaluating rules on a table comes to, by key."""
    checks = [
        Check(
            key=draft.key,
            metric=draft.metric,
            asset_fqn=draft.asset_fqn,
            counts_in=draft.metric_definition_id,
            arguments=draft.arguments,
            operator=draft.operator,
            threshold=draft.threshold,
            unit=draft.unit,
            query=draft.query,
        )
        for draft in drafts
    ]
    found = evaluate(table.source, table.facts, checks, now=now, how=ExampleStyle())
    return {key: result.outcome for key, result in found.results.items()}


@dataclass(frozen=True, slots=True)
class Twin:
    """Holds what became of the rules of a table with errors."""

    drafts: list[RuleDraft]
    on_dirty: dict[str, RuleOutcome]
    on_clean: dict[str, RuleOutcome]

    @property
    def holding(self) -> int:
        """Return how many hold on the table without errors."""
        return sum(1 for outcome in self.on_clean.values() if outcome is RuleOutcome.PASSED)

    @property
    def catching(self) -> int:
        """Return how many of those find something in the table with errors."""
        both = (key for key, outcome in self.on_clean.items() if outcome is RuleOutcome.PASSED)
        return sum(1 for key in both if self.on_dirty[key] is RuleOutcome.FAILED)


def judge(columns: Sequence[str], dirty: Sequence[Sequence[Any]], clean: Sequence[Sequence[Any]]) -> Twin:
    """Draw up rules from the one and evaluate them on both."""
    now = datetime.now(UTC)
    with loaded(columns, dirty) as table:
        drafts = drafts_for(table, now)
        on_dirty = outcomes(table, drafts, now)
        types = [str(column.data_type) for column in table.facts.columns]
    with loaded(columns, clean, types) as table:
        return Twin(drafts, on_dirty, outcomes(table, drafts, now))
