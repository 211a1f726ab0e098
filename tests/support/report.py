"""A report's data made by hand: a shop with trouble, and names that would like to be markup."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from resolvers.engines.report.values import (
    ReportData,
    ReportReference,
    RuleResult,
    TableLine,
    TrendPoint,
    ViolationSummary,
)
from schema.data_readiness.action import Action
from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
from schema.data_readiness.profile import (
    ColumnProfile,
    HistogramBin,
    ProfileTier,
    TableProfile,
    ValueCount,
    ValueKind,
)
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS
from schema.data_readiness.rule import RuleOutcome
from schema.data_readiness.scorecard import (
    AssessmentScore,
    Scorecard,
    ScorecardDimension,
    ScorecardEntity,
    ScorecardMetric,
    ScorecardScope,
)
from schema.data_readiness.suspect import SuspectCell, SuspectKind, SuspectVerdict
from schema.data_readiness.violation import Severity

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script>\"'&"
TABLES = ("customers", "orders", "order_lines", "products", "suppliers", "warehouses", "stock", "returns")


def _id(text: str) -> str:
    return str(uuid5(NAMESPACE_URL, text))


def column(name: str, place: int, kind: ValueKind, *, nulls: int = 0, masked: bool = False) -> ColumnProfile:
    """A column of 1,000 rows."""
    number = kind is ValueKind.NUMBER
    return ColumnProfile(
        column_fqn=f"shop.db.sales.customers.{name}",
        name=name,
        ordinal_position=place,
        data_type="INTEGER" if number else "TEXT",
        kind=kind,
        row_count=1000,
        null_count=nulls,
        blank_count=None if number else nulls // 2,
        distinct_count=420,
        minimum=None if masked else "1",
        maximum=None if masked else "99",
        mean=41.5 if number else None,
        stddev=12.0 if number else None,
        quantiles=[],
        histogram=[HistogramBin(lower=str(n * 10), upper=str(n * 10 + 10), count=10 + (n * 37) % 90) for n in range(12)]
        if number
        else [],
        top_values=[]
        if number or masked
        else [ValueCount(value=text, count=900 - 100 * n) for n, text in enumerate(("paid", "open", HOSTILE, " "))],
        min_length=None,
        max_length=None,
        mean_length=None,
        patterns=[],
        approximate=["distinct_count", "quantiles"],
        sample_size=1000,
        masked=masked,
    )


def profile(table: str, columns: list[ColumnProfile]) -> TableProfile:
    """A profile of a table."""
    return TableProfile(
        id=_id(table),
        workflow_run_id=_id("run"),
        asset_fqn=f"shop.db.sales.{table}",
        resource_uri="data:acme:lab:shop",
        tier=ProfileTier.SAMPLE,
        measured_at=NOW,
        row_count=1000,
        column_count=len(columns),
        sample_size=1000,
        approximate=[],
        freshness_column=None,
        newest=None,
        candidate_keys=[],
        functional_dependencies=[],
        foreign_keys=[],
        duration_seconds=0.4,
        columns=columns,
    )


def scorecard(scope: ScorecardScope) -> Scorecard:
    """Six dimensions of data, measured."""
    scored = []
    for place, dimension in enumerate(DIMENSIONS[:6]):
        good = 1000 - place * 70
        metrics = [
            ScorecardMetric(
                metric_definition_id=metric.id,
                name=metric.name,
                fqn=metric.fqn,
                numerator=good,
                denominator=1000,
                score=f"{good / 1000:.4f}",
                asset_count=3,
                display_name=metric.display_name,
                unit=metric.unit,
                purpose=metric.purpose,
                description=metric.description,
            )
            for metric in METRICS
            if metric.dimension_id == dimension.id
        ]
        scored.append(
            ScorecardDimension(
                dimension_id=dimension.id,
                name=dimension.name,
                fqn=dimension.fqn,
                assessment_type=dimension.assessment_type,
                weight="1.0000",
                numerator=good,
                denominator=1000,
                score=f"{good / 1000:.4f}",
                metrics=metrics,
                display_name=dimension.display_name,
                purpose=dimension.purpose,
                description=dimension.description,
            )
        )
    entity = ScorecardEntity(service="shop", database_name=None, schema_name=None, table_name=None)
    return Scorecard(
        overall_score="0.8250",
        data_quality=AssessmentScore(score="0.8250"),
        metadata=AssessmentScore(score="0.4000"),
        scope=scope,
        entity=entity,
        dimensions=scored,
        as_of=None,
        workflow_run_id=None,
    )


def classification(where: str, tag: str, confidence: float, state: ClassificationState) -> Classification:
    """A tag with its evidence."""
    return Classification(
        id=_id(where + tag),
        asset_fqn=where,
        resource_uri="data:acme:lab:shop",
        kind=ClassificationKind.PII,
        tag_fqn=tag,
        state=state,
        confidence=confidence,
        evidence=[{"recognizer": "email", "source": "values", "share": 0.99, "reason": f"Nearly all are. {HOSTILE}"}],
        recognizer_version="1",
        data_fingerprint="x",
        workflow_run_id=_id("run"),
        decided_by=None,
        decided_at=None,
        created_at=NOW,
        updated_at=NOW,
    )


def action(place: int, severity: Severity) -> Action:
    """Something to do."""
    return Action(
        rank=place + 1,
        impact=9.0 - place,
        what=f"Invalid values in `status`: status is `pad` where id is `{place}` {HOSTILE if place == 1 else ''}",
        reason=f"{severity.capitalize()}; {3 + place} of 1,000 are wrong and it has 1,000 rows.",
        violation_id=_id(f"violation {place}"),
        asset_fqn="shop.db.sales.customers.status",
        severity=severity,
        assessment_type=AssessmentType.DATA_QUALITY,
        wrong=3 + place,
        of=1000,
        rows=1000,
        references=0,
        questions=0,
    )


def cell(column: str, value: str | None, repair: str | None, **more: Any) -> SuspectCell:
    """A cell that is probably wrong."""
    return SuspectCell(
        **{
            "id": _id(f"cell {column} {value}"),
            "asset_fqn": f"shop.db.sales.customers.{column}",
            "table_fqn": "shop.db.sales.customers",
            "column": column,
            "row_key": {"id": "7"},
            "kind": SuspectKind.VARIANT,
            "reason": "'pad' is nearly 'paid', which 900 rows have.",
            "further_reasons": [],
            "value": value,
            "repair": repair,
            "probability": 0.97,
            "detected_probability": 0.97,
            "verdict": SuspectVerdict.UNDECIDED,
            "decided_by": None,
            "decided_at": None,
            "workflow_run_id": _id("run"),
            "measured_at": NOW,
            "suspects_in_table": 12,
            **more,
        }
    )


def shop(level: str = "schema") -> ReportData:
    """The report of the shop, or of its customers."""
    columns = [
        column("id", 1, ValueKind.NUMBER),
        column("email", 2, ValueKind.TEXT, nulls=40, masked=True),
        column("status", 3, ValueKind.TEXT, nulls=300),
        column(f"odd {HOSTILE}", 4, ValueKind.TEXT, nulls=800),
        column("age", 5, ValueKind.NUMBER, nulls=120),
    ]
    tables = [
        TableLine(
            f"shop.db.sales.{name}", name, f"The {name}. {HOSTILE}", 5, 1000, profile(name, columns[: 2 + at % 4])
        )
        for at, name in enumerate(TABLES)
    ]
    whole = TableLine(tables[0].fqn, tables[0].name, "Who buys.", 5, 1000, profile("customers", columns))
    suggested, confirmed = ClassificationState.SUGGESTED, ClassificationState.CONFIRMED
    found = [
        classification("shop.db.sales.customers.email", "PII.Email", 0.99, confirmed),
        classification("shop.db.sales.customers.name", "PII.PersonName", 0.71, suggested),
        classification("shop.db.sales.suppliers.phone", "PII.Phone", 0.83, suggested),
    ]
    single = level == "table"
    return ReportData(
        asset_fqn="shop.db.sales.customers" if single else "shop.db.sales",
        level=level,
        title="Customers" if single else f"Sales {HOSTILE}",
        description="What was sold, and to whom.",
        made_at=NOW,
        scorecard=scorecard(ScorecardScope.TABLE if single else ScorecardScope.SCHEMA),
        trend=[TrendPoint(NOW - timedelta(days=7 * n), 0.83 - 0.03 * n) for n in range(6)],
        metadata_trend=[TrendPoint(NOW - timedelta(days=7 * n), 0.4 - 0.1 * n) for n in range(2)],
        tables=[whole] if single else tables,
        tables_total=1 if single else 8,
        classifications=[found[0]] if single else found,
        rules=[
            RuleResult("id is unique", tables[0].fqn, "Uniqueness", RuleOutcome.PASSED, 1000, 1000),
            RuleResult(
                "email is there",
                tables[0].fqn,
                "Completeness",
                RuleOutcome.FAILED,
                960,
                1000,
                None,
                "At most 2 of 100 rows may be empty; 4 are (40 of 1,000).",
            ),
            RuleResult("status is known", tables[0].fqn, "Validity", RuleOutcome.NOT_EVALUATED, None, None, "Gone."),
        ],
        actions=[action(n, severity) for n, severity in enumerate(reversed(Severity))],
        violations_total=40,
        gaps=[ViolationSummary(f"Missing description {HOSTILE}", Severity.LOW, 12, ["shop.db.sales"], 1)],
        gaps_total=12,
        cells=[cell("status", "pad", "paid"), cell("age", HOSTILE, None, row_key=None), cell("email", "***", "***")],
        cells_total=12,
        relations=[
            ReportReference("orders", "customers", "customer_id", True),
            ReportReference("order_lines", "orders", "order_id", True),
            ReportReference("order_lines", "products", "product_id", True),
            ReportReference("products", "suppliers", "supplier_id", False),
            ReportReference("stock", "warehouses", "warehouse_id", True),
            ReportReference("stock", "products", "product_id", False),
            ReportReference("returns", "orders", "order_id", False),
        ],
        previous_score="0.7900",
        previous_metadata="0.3000",
    )
