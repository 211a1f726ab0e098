"""A large catalog of tables that are all alike: twenty-five areas of a company with twenty things each.

Every table has the same columns, so that what a question is about hangs on the name of its table alone.
"""

from datetime import UTC, datetime
from itertools import product
from typing import Final

from schema.data_readiness.profile import ColumnProfile, ProfileTier, TableProfile, ValueCount, ValueKind
from schema.data_readiness.source import ColumnFacts, TableFacts

NOW: Final = datetime(2026, 1, 15, 12, tzinfo=UTC)
AREAS: Final = (
    "sales", "purchase", "stock", "payroll", "travel", "fleet", "energy", "clinic", "school", "hotel", "harbour",
    "rail", "bank", "claim", "press", "film", "farm", "forest", "mine", "sport", "court", "library", "museum", "lab",
    "water",
)  # fmt: skip
NOUNS: Final = (
    "order", "invoice", "contract", "person", "device", "location", "visit", "payment", "budget", "supplier",
    "document", "incident", "inspection", "shipment", "category", "schedule", "reservation", "rating", "permit", "unit",
)  # fmt: skip
TEXTS: Final = ("name", "status", "city", "country", "kind", "owner", "comment", "currency")
NUMBERS: Final = ("amount", "quantity", "price", "discount", "weight")
MOMENTS: Final = ("created_on", "due_on", "closed_on")
CITIES: Final = ("Lyon", "Porto", "Graz", "Turku", "Leeds", "Ghent", "Brno", "Split", "Malmo", "Cork")
TEMPLATES: Final = (
    (
        "group",
        "How many {0} orders are there per status?",
        "select status, count(*) from {0}_order group by status",
    ),
    (
        "one table",
        "What is the average price of {0} devices in Lyon?",
        "select avg(price) from {0}_device where city = 'Lyon'",
    ),
    (
        "one table",
        "Show the names of the five {0} reservations with the highest amount.",
        "select name from {0}_reservation order by amount desc limit 5",
    ),
    (
        "one table",
        "Show the names of the {0} visits that were created in 2024.",
        "select name from {0}_visit where year(created_on) = 2024",
    ),
    (
        "group",
        "What is the total amount of {0} payments for each country?",
        "select country, sum(amount) from {0}_payment group by country",
    ),
    (
        "join",
        "How many {0} orders have a {0} invoice with an amount above 60?",
        "select count(*) from {0}_order o join {0}_invoice i on o.{0}_invoice_id = i.id where i.amount > 60",
    ),
    (
        "nested",
        "Which {0} permits have a weight above the average weight of {0} permits? Show their names.",
        "select name from {0}_permit where weight > (select avg(weight) from {0}_permit)",
    ),
)
"""The class, the question and its answer, of an area."""


def asked(at: int) -> tuple[str, str, str]:
    """One of 175 questions with its class and its answer; nothing that is kept of one helps much with the next."""
    template, area = divmod(at * 47 % (len(TEMPLATES) * len(AREAS)), len(AREAS))
    kind, question, gold = TEMPLATES[template]
    return kind, question.format(AREAS[area]), gold.format(AREAS[area])


def names_of(tables: int) -> list[str]:
    """The names of so many tables."""
    return [f"{area}_{noun}" for area, noun in product(AREAS, NOUNS)][:tables]


def targets_of(at: int, names: list[str]) -> list[str]:
    """The tables that a table refers to, by a column called after each."""
    return sorted({names[(at + step) % len(names)] for step in (1, 7, len(NOUNS))} - {names[at]})


def created(at: int, names: list[str]) -> str:
    """The statement that makes a table of thirty rows, in DuckDB's dialect. No two amounts are equal."""
    columns = ["i as id", *(f"(i * 11 + {at}) % 30 as {target}_id" for target in targets_of(at, names))]
    columns += [f"'{name} ' || ((i * 7 + {at}) % 10) as {name}" for name in TEXTS if name not in ("city", "name")]
    columns += [f"'{names[at]} ' || i as name", f"{list(CITIES)}[1 + (i * 3 + {at}) % {len(CITIES)}] as city"]
    columns += [
        f"(((i * {13 + step} + {at}) % 31) * 3.25 + {step})::decimal(10, 2) as {name}"
        for step, name in enumerate(NUMBERS)
    ]
    columns += [
        f"date '2023-01-15' + ((i * 53 + {at} + {step}) % 900)::int as {name}" for step, name in enumerate(MOMENTS)
    ]
    return f"create table {names[at]} as select {', '.join(columns)} from range(30) t(i)"


def catalog(tables: int) -> tuple[TableFacts, ...]:
    """So many tables of twenty columns each: a key, three references, and what such tables hold."""
    names = names_of(tables)
    return tuple(_facts(at, names) for at in range(len(names)))


def _facts(at: int, names: list[str]) -> TableFacts:
    table = names[at]
    targets = targets_of(at, names)
    columns = [("id", "INTEGER"), *((f"{target}_id", "INTEGER") for target in targets)]
    columns += [(name, "VARCHAR") for name in TEXTS] + [(name, "NUMERIC") for name in NUMBERS]
    columns += [(name, "DATE") for name in MOMENTS]
    foreign = [
        {"type": "FOREIGN_KEY", "columns": [f"{target}_id"], "target_schema": "public", "target_table": target}
        | {"target_columns": ["id"]}
        for target in targets
    ]
    return TableFacts(
        fqn=f"bench.main.public.{table}",
        resource_uri="bench",
        database="main",
        schema="public",
        name=table,
        table_type="TABLE",
        row_count=10_000,
        columns=tuple(
            ColumnFacts(
                fqn=f"bench.main.public.{table}.{name}",
                name=name,
                ordinal_position=place,
                data_type=kind,
                is_primary_key=name == "id",
                references=(f"bench.main.public.{name[:-3]}", "id") if name.endswith("_id") else None,
            )
            for place, (name, kind) in enumerate(columns, 1)
        ),
        keys=({"type": "PRIMARY_KEY", "columns": ["id"]}, *foreign),
    )


def profiles(tables: tuple[TableFacts, ...]) -> dict[str, TableProfile]:
    """A profile of every table, with ten values of every text."""
    return {table.fqn: _profile(table) for table in tables}


def _profile(table: TableFacts) -> TableProfile:
    columns = []
    for of in table.columns:
        is_text = of.data_type == "VARCHAR"
        named = [f"{table.name} {one}" for one in range(20)]
        values = {"city": CITIES, "name": named}.get(of.name) or [f"{of.name} {one}" for one in range(10)]
        columns.append(
            ColumnProfile.model_construct(
                column_fqn=of.fqn,
                name=of.name,
                ordinal_position=of.ordinal_position,
                data_type=of.data_type,
                kind=ValueKind.TEXT if is_text else ValueKind.TEMPORAL if of.data_type == "DATE" else ValueKind.NUMBER,
                row_count=10_000,
                null_count=0,
                blank_count=0,
                distinct_count=10 if is_text else 5_000,
                minimum=None,
                maximum=None,
                mean=None,
                stddev=None,
                quantiles=[],
                histogram=[],
                top_values=[ValueCount.model_construct(value=one, count=1_000) for one in values] if is_text else [],
                min_length=None,
                max_length=None,
                mean_length=None,
                patterns=[],
                approximate=[],
                sample_size=None,
                masked=False,
            )
        )
    return TableProfile.model_construct(
        id=table.name,
        workflow_run_id="bench",
        asset_fqn=table.fqn,
        resource_uri="bench",
        tier=ProfileTier.SAMPLE,
        measured_at=NOW,
        row_count=10_000,
        column_count=len(table.columns),
        sample_size=None,
        approximate=[],
        freshness_column=None,
        newest=None,
        candidate_keys=[],
        functional_dependencies=[],
        foreign_keys=[],
        duration_seconds=1.0,
        columns=columns,
    )
