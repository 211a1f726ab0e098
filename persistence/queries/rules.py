"""Quality rules, and what evaluating them came to."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol
from uuid import NAMESPACE_URL, uuid4, uuid5

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.quality import below, insert_new, parts_of
from persistence.repository import Repository, Scope
from persistence.tables.rules import quality_rules, rule_executions
from schema.data_readiness.rule import (
    Expectation,
    QualityRule,
    RuleExecution,
    RuleOrigin,
    RuleOutcome,
    RuleState,
)
from schema.data_readiness.scorecard import ScoredPart
from schema.pagination import Page

LONGEST_REASON: Final = 1000


class Drafted(Expectation, Protocol):
    """A rule before it is kept, as the engine of rules draws it up."""

    @property
    def evidence(self) -> dict[str, Any]: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def expected_false_positive_rate(self) -> float | None: ...
    @property
    def key(self) -> str:
        """Return what the same conclusion always has."""


@dataclass(frozen=True, slots=True)
class KeptRule:
    """Holds what has become of a draft: the rule that stands for it, and whether this run made or renewed it."""

    rule: QualityRule
    is_new: bool = False
    is_renewed: bool = False


class QualityRuleRepository(Repository[QualityRule]):
    """Quality rules of a project."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [quality_rules.c.asset_fqn, quality_rules.c.created_at]
        super().__init__(connection, QualityRule, quality_rules, noun="quality_rule", order=order)

    def listed(
        self,
        scope: Scope,
        *,
        offset: int,
        limit: int,
        asset_parts: Sequence[str] = (),
        dimension_ids: Collection[str] | None = None,
        **equals: Any,
    ) -> Page[QualityRule]:
        """One window of the rules at or under a name, of dimensions if given, by what they are about, oldest first."""
        where = below(self.table, asset_parts)
        if dimension_ids is not None:
            where.append(self.table.c.dimension_id.in_(dimension_ids))
        return self.page(scope, offset=offset, limit=limit, where=where, **equals)

    def count(self, scope: Scope) -> int:
        """Return how many rules the project has."""
        query = sa.select(sa.func.count()).select_from(self.table).where(*self._within(scope))
        number: int = self._connection.execute(query).scalar_one()
        return number

    def by_keys(self, scope: Scope, keys: Iterable[str]) -> dict[str, QualityRule]:
        """The rules that stand for conclusions, by key."""
        found: dict[str, QualityRule] = {}
        for some in chunks(sorted(set(keys))):
            query = sa.select(*self._columns, self.table.c.rule_key).where(
                *self._within(scope), self.table.c.rule_key.in_(some)
            )
            rows = self._connection.execute(query).all()
            found |= {row.rule_key: rule for row, rule in zip(rows, self.resources(rows), strict=True)}
        return found

    def put(self, scope: Scope, rule: QualityRule, key: str) -> QualityRule:
        """Add a rule. Raises IntegrityError when one with the same key stands."""
        return self.add(
            rule,
            organization_id=scope.organization_id,
            project_id=scope.project_id,
            rule_key=key,
            **parts_of(rule.asset_fqn),
        )

    def put_drafts(
        self,
        scope: Scope,
        drafts: Sequence[Drafted],
        *,
        run_id: str | None,
        actor: str,
        at: datetime,
        origin: RuleOrigin = RuleOrigin.GENERATED,
        state: RuleState = RuleState.PROPOSED,
    ) -> list[KeptRule]:
        """Take in drafts, in their order, one rule for each key.

        A draft whose key is new becomes a rule in `state`. One that an earlier run proposed and nobody has decided
        about takes the newer figures. What people wrote or imported, and what they approved, disabled or rejected,
        stays as it is. A key that comes twice counts once: the first stands.
        """
        if scope.project_id is None:
            raise ValueError("rules belong to a project")
        wanted: dict[str, Drafted] = {}
        for draft in drafts:
            wanted.setdefault(draft.key, draft)
        standing = self.by_keys(scope, wanted)
        fresh = {key: self._made(draft, run_id, actor, at, origin, state) for key, draft in wanted.items()}
        rows = [
            {
                **rule.model_dump(mode="python"),
                **parts_of(rule.asset_fqn),
                "organization_id": scope.organization_id,
                "project_id": scope.project_id,
                "rule_key": key,
                "revision": 1,
            }
            for key, rule in fresh.items()
            if key not in standing
        ]
        for some in chunks(rows):
            insert_new(self._connection, self.table, some)
        now_standing = self.by_keys(scope, wanted)
        kept: list[KeptRule] = []
        for key, draft in wanted.items():
            rule = now_standing[key]
            is_new = rule.id == fresh[key].id
            renewed = not is_new and (rule.origin, rule.state) == (RuleOrigin.GENERATED, RuleState.PROPOSED)
            if renewed:
                rule = self.change(scope, rule.id, _figures(draft) | {"workflow_run_id": run_id, "updated_at": at})
            kept.append(KeptRule(rule, is_new, renewed))
        return kept

    def decide(self, scope: Scope, ids: Sequence[str], state: RuleState, *, at: datetime) -> None:
        """Make proposed rules active or rejected, or rejected ones proposed; what people have moved since stays."""
        from_ = RuleState.REJECTED if state is RuleState.PROPOSED else RuleState.PROPOSED
        for some in chunks(sorted(set(ids))):
            self._connection.execute(
                self.table.update()
                .where(*self._within(scope), self.table.c.id.in_(some), self.table.c.state == from_)
                .values(state=state.value, updated_at=at, revision=self.table.c.revision + 1)
            )

    def about(self, scope: Scope, table_fqn: str, *, state: RuleState = RuleState.ACTIVE) -> list[QualityRule]:
        """The rules of one table and its columns that are in a state, the oldest first."""
        return self.under(scope, [table_fqn], state=state)

    def under(
        self, scope: Scope, fqns: Sequence[str | None], *, state: RuleState = RuleState.ACTIVE
    ) -> list[QualityRule]:
        """The rules at or under any of the dotted names (None: all) that are in a state, the oldest first."""
        found: dict[str, QualityRule] = {}
        for fqn in fqns:
            parts = [] if fqn is None else [part for part in parts_of(fqn).values() if part is not None]
            query = self.select(scope).where(*below(self.table, parts), self.table.c.state == state)
            rows = self._connection.execute(query.order_by(self.table.c.created_at, self.table.c.id)).all()
            found |= {rule.id: rule for rule in self.resources(rows)}
        return list(found.values())

    @staticmethod
    def _made(
        draft: Drafted, run_id: str | None, actor: str, at: datetime, origin: RuleOrigin, state: RuleState
    ) -> QualityRule:
        values = _figures(draft) | {"threshold": list(draft.threshold)}
        return QualityRule(
            id=str(uuid4()),
            asset_fqn=draft.asset_fqn,
            resource_uri=draft.resource_uri,
            type=draft.type,
            metric=draft.metric,
            state=state,
            origin=origin,
            workflow_run_id=run_id,
            created_at=at,
            updated_at=at,
            created_by=actor,
            **values,
        )


def _figures(draft: Drafted) -> dict[str, Any]:
    """Return what a later run may conclude anew."""
    return {
        "name": draft.name,
        "description": draft.description,
        "arguments": dict(draft.arguments),
        "operator": draft.operator,
        "threshold": list(draft.threshold),
        "unit": draft.unit,
        "query": draft.query,
        "dimension_id": draft.dimension_id,
        "metric_definition_id": draft.metric_definition_id,
        "severity": draft.severity,
        "evidence": dict(draft.evidence),
        "confidence": draft.confidence,
        "expected_false_positive_rate": draft.expected_false_positive_rate,
    }


@dataclass(frozen=True, slots=True)
class Executed:
    """Holds what evaluating a rule came to, in a run."""

    rule: QualityRule
    outcome: RuleOutcome
    numerator: int | None = None
    denominator: int | None = None
    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.outcome is RuleOutcome.NOT_EVALUATED) != (self.numerator is None or self.denominator is None):
            raise ValueError("what was evaluated has a numerator and a denominator, and nothing else has")


class RuleExecutionRepository(Repository[RuleExecution]):
    """Executions of rules: written by runs, never changed."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [rule_executions.c.executed_at.desc()]
        super().__init__(connection, RuleExecution, rule_executions, noun="rule_execution", order=order)

    def listed(
        self, scope: Scope, *, offset: int, limit: int, asset_parts: Sequence[str] = (), **equals: Any
    ) -> Page[RuleExecution]:
        """One window of the executions of rules at or under a name, the newest first."""
        return self.page(scope, offset=offset, limit=limit, where=below(self.table, asset_parts), **equals)

    def record(self, scope: Scope, run_id: str, executed: Iterable[Executed], *, at: datetime) -> dict[str, str]:
        """Write executions down, by rule id the id of each. A run executes a rule once: the first stays."""
        if scope.project_id is None:
            raise ValueError("executions belong to a project")
        rows: dict[str, dict[str, Any]] = {}
        for one in executed:
            id = str(uuid5(NAMESPACE_URL, f"{scope.project_id}/{run_id}/rule/{one.rule.id}"))
            rows.setdefault(
                one.rule.id,
                {
                    "id": id,
                    "organization_id": scope.organization_id,
                    "project_id": scope.project_id,
                    "rule_id": one.rule.id,
                    "rule_name": one.rule.name,
                    "workflow_run_id": run_id,
                    "metric_definition_id": one.rule.metric_definition_id,
                    "asset_fqn": one.rule.asset_fqn,
                    **parts_of(one.rule.asset_fqn),
                    "outcome": one.outcome.value,
                    "numerator": one.numerator,
                    "denominator": one.denominator,
                    "reason": None if one.reason is None else one.reason[:LONGEST_REASON],
                    "details": dict(one.details),
                    "executed_at": at,
                },
            )
        for some in chunks(list(rows.values())):
            insert_new(self._connection, self.table, some)
        return {rule_id: row["id"] for rule_id, row in rows.items()}

    def of_parts(self, scope: Scope, parts: Sequence[ScoredPart], most: int) -> dict[ScoredPart, list[RuleExecution]]:
        """The rules behind figures of scorecards, each by its latest execution, the failed ones first."""
        return {
            part: self.latest(
                Scope(scope.organization_id, part.project_id),
                part.asset_parts,
                most,
                metric=part.metric_definition_id,
                as_of=part.as_of,
                run_id=part.workflow_run_id,
            )
            for part in parts
        }

    def latest(
        self,
        scope: Scope,
        asset_parts: Sequence[str],
        most: int,
        *,
        metric: str | None = None,
        as_of: datetime | None = None,
        run_id: str | None = None,
        standing: bool = False,
    ) -> list[RuleExecution]:
        """The latest execution of each rule at or under a name, the failed ones first; of one metric if it is given.

        Those of rules that were deleted are left out when only what is `standing` is asked for.
        """
        table = self.table
        bad_first = sa.case(
            (table.c.outcome == RuleOutcome.FAILED, 0), (table.c.outcome == RuleOutcome.NOT_EVALUATED, 1), else_=2
        )
        where = [*self._within(scope), *below(table, asset_parts)]
        if metric is not None:
            where.append(table.c.metric_definition_id == metric)
        if as_of is not None:
            where.append(table.c.executed_at <= as_of)
        if run_id is not None:
            where.append(table.c.workflow_run_id == run_id)
        if standing:
            where.append(_stands(table))
        rank = sa.func.row_number().over(
            partition_by=table.c.rule_id, order_by=[table.c.executed_at.desc(), table.c.id]
        )
        ranked = sa.select(*self._columns, bad_first.label("bad_first"), rank.label("of_rank")).where(*where).subquery()
        query = (
            sa.select(ranked)
            .where(ranked.c.of_rank == 1)
            .order_by(ranked.c.bad_first, ranked.c.asset_fqn, ranked.c.id)
            .limit(most)
        )
        return self.resources(self._connection.execute(query).all())


def _stands(executions: sa.Table) -> sa.ColumnElement[bool]:
    """The condition of executions whose rule was not deleted."""
    return sa.exists().where(
        quality_rules.c.organization_id == executions.c.organization_id,
        quality_rules.c.project_id == executions.c.project_id,
        quality_rules.c.id == executions.c.rule_id,
    )
