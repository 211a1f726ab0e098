"""Violations: what people decide about them, and what runs find, one violation for the same thing seen again."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

import sqlalchemy as sa

from persistence.queries.events import Happening, tell
from persistence.queries.filters import at_or_under, is_like
from persistence.queries.metadata_search import in_scope, prefix_range
from persistence.queries.quality import (
    MetricDefinitionRepository,
    ViolationDefinitionRepository,
    WithDimension,
    below,
    insert_new,
    parts_of,
)
from persistence.queries.sorting import order_of
from persistence.repository import Expected, Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.quality import violation_events as events
from persistence.tables.quality import violations
from schema.data_readiness.scorecard import ScoredPart
from schema.data_readiness.violation import (
    UNRESOLVED,
    Severity,
    Violation,
    ViolationEvent,
    ViolationFilter,
    ViolationStatus,
)
from schema.identifiers import Fqn
from schema.pagination import Page
from schema.utils.event import EventType

RANKS: Final = {severity: rank for rank, severity in enumerate(Severity)}
"""How severities sort: the worst is the highest."""

SORTABLE: Final = {
    "created_at": "created_at",
    "updated_at": "updated_at",
    "last_seen_at": "last_seen_at",
    "severity": "severity_rank",
    "status": "status",
    "name": "name",
    "asset_fqn": "asset_fqn",
}
"""What a list can be sorted by, with the columns."""

AT_ONCE: Final = 500
"""How many fingerprints one statement looks for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong that a run has found.

    `check` names the rule that found it, `key` what is wrong where a rule can find several things on one asset; both,
    with the asset, are what makes two findings the same violation.
    """

    check: str
    definition_id: str
    asset_fqn: str
    key: str = ""
    severity: Severity | None = None
    """The definition's when None."""
    metric_definition_id: str | None = None
    """The metric whose score it lowers."""
    display_name: str | None = None
    asset_version: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    dq_rule_execution_id: str | None = None

    @property
    def fingerprint(self) -> str:
        """The same for the same thing in every run."""
        text = "\x1f".join((self.check, self.asset_fqn, self.key))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Recorded:
    """Holds what a run's findings came to."""

    new: int
    seen_again: int
    reopened: int
    resolved: int


class ViolationRepository(WithDimension[Violation]):
    """Violations of a project."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Violation, violations, noun="violation")

    def listed(
        self,
        scope: Scope,
        *,
        sort: str,
        offset: int,
        limit: int,
        asset_parts: Sequence[str] = (),
        dimension_ids: Collection[str] | None = None,
        assets_like: str | None = None,
        **equals: Any,
    ) -> Page[Violation]:
        """One window of what is wrong at or under a name, of dimensions if given, in the order that was asked for."""
        where = below(violations, asset_parts)
        if assets_like is not None:
            where.append(is_like(violations.c.asset_fqn, assets_like))
        if dimension_ids is not None:
            where.append(violations.c.dimension_id.in_(dimension_ids))
        order = order_of(violations, sort, SORTABLE)
        return self.page(scope, offset=offset, limit=limit, order=order, where=where, **equals)

    def standing(
        self, scope: Scope, only: ViolationFilter, dimension_ids: Collection[str] | None
    ) -> dict[tuple[ViolationStatus, str | None], int]:
        """Return how many violations match, by their status and who looks after them."""
        where = [*self._within(scope), *_matching(only, dimension_ids)]
        columns = (violations.c.status, violations.c.assigned_to)
        query = sa.select(*columns, sa.func.count()).where(*where).group_by(*columns)
        return {(ViolationStatus(status), to): number for status, to, number in self._connection.execute(query)}

    def movable(
        self,
        scope: Scope,
        only: ViolationFilter,
        dimension_ids: Collection[str] | None,
        statuses: Collection[ViolationStatus],
        most: int,
        *,
        unlike: tuple[ViolationStatus | None, str | None] | None = None,
    ) -> list[Violation]:
        """Return the first matching violations of some statuses, the worst first.

        `unlike` leaves out what stands at a status, with an assignee; None there is any.
        """
        where = [violations.c.status.in_(statuses), *_matching(only, dimension_ids)]
        if unlike is not None:
            status, to = unlike
            same = [] if status is None else [violations.c.status == status]
            same += [] if to is None else [violations.c.assigned_to.is_not_distinct_from(to)]
            where.append(~sa.and_(*same))
        query = self.select(scope).where(*where)
        order = (violations.c.severity_rank.desc(), violations.c.created_at, violations.c.id)
        return self.resources(self._connection.execute(query.order_by(*order).limit(most)).all())

    def decide(self, scope: Scope, seen: Mapping[str, str], values: Mapping[str, Any], event: Mapping[str, Any]) -> int:
        """Change violations alike, by the status that each was seen in, and write it into their histories; how many.

        One that somebody has moved in between stays. An `event` without `to_status` leaves the status.
        """
        number, ids = 0, sorted(seen)
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            held = self._connection.execute(self._held(scope).where(violations.c.id.in_(some))).all()
            rows = [row for row in held if row.status == seen[row.id]]
            changed = violations.c.id.in_([row.id for row in rows])
            self._connection.execute(
                violations.update()
                .where(*self._within(scope), changed)
                .values(**values, revision=violations.c.revision + 1)
            )
            told = [
                _event(scope, row.id, row.revision + 1, {"from_status": row.status, "to_status": row.status, **event})
                for row in rows
            ]
            self._put_down(scope, told, {row.id: _facts(row) for row in rows})
            number += len(rows)
        return number

    def unresolved(
        self, scope: Scope, parts: Sequence[str], as_of: datetime | None, dimension_ids: Collection[str], *, most: int
    ) -> Page[Violation]:
        """Return the first violations of some dimensions that stand at or under a name, or did at a moment, the worst
        first.
        """
        where = [*below(violations, parts), violations.c.dimension_id.in_(dimension_ids), unresolved(as_of)]
        order = (violations.c.severity_rank.desc(), violations.c.created_at, violations.c.id)
        return self.page(scope, offset=0, limit=most, order=order, where=where)

    def unresolved_checks(self, scope: Scope, asset_fqn: str, prefix: str) -> set[str]:
        """The checks, of those that start with a prefix, that unresolved violations at or under a name stand for."""
        query = sa.select(violations.c.check_key).where(
            *self._within(scope),
            *below(violations, Fqn.parse(asset_fqn).parts),
            violations.c.status.in_(UNRESOLVED),
            violations.c.check_key.startswith(prefix),
        )
        return set(self._connection.execute(query).scalars())

    def stood_before(self, scope: Scope, asset_fqn: str, check: str, run_id: str) -> bool:
        """Return whether an unresolved violation of a check was seen by another run than this."""
        query = sa.select(violations.c.id).where(
            *self._within(scope),
            *below(violations, Fqn.parse(asset_fqn).parts),
            violations.c.status.in_(UNRESOLVED),
            violations.c.check_key == check,
            sa.or_(violations.c.workflow_run_id != run_id, violations.c.seen_count > 1),
        )
        return self._connection.execute(query.limit(1)).first() is not None

    def move(
        self,
        scope: Scope,
        current: Violation,
        values: Mapping[str, Any],
        event: Mapping[str, Any],
        *,
        expected: Expected,
    ) -> Violation:
        """Change a violation and write that into its history, if it changes. Raises VersionConflict."""
        changed = self.change(scope, current.id, values, expected=expected)
        if changed._as_it_stood:
            return changed
        assert changed._revision is not None  # which is the position in its history
        told = _event(scope, current.id, changed._revision, event)
        self._put_down(scope, [told], {current.id: _facts(changed)})
        return changed

    def record(
        self,
        scope: Scope,
        run_id: str,
        findings: Iterable[Finding],
        *,
        checked: Collection[str],
        actor: str,
        at: datetime,
    ) -> Recorded:
        """Take in what a run has found.

        Seen again stays one violation: only its count, its last sight and its details move. Back after it was resolved,
        it is open again. What `checked` rules no longer find is resolved; a rule that could not be evaluated is not
        among them, so it resolves nothing. What a person called a false positive stays one. Recording the same findings
        of a run twice changes nothing. Raises ValueError for a definition or metric that the project does not have.
        """
        if scope.project_id is None:
            raise ValueError("violations belong to a project")
        found = {finding.fingerprint: finding for finding in findings}
        rows = self._rows(scope, run_id, found, actor, at)
        standing = self._standing(scope, list(found))
        fresh = [row for fingerprint, row in rows.items() if fingerprint not in standing]
        if fresh:
            insert_new(self._connection, violations, fresh)
            stored = self._standing(scope, [row["fingerprint"] for row in fresh])
            own = {row["id"] for row in fresh} & {row.id for row in stored.values()}
            # What another run has written in the same moment is seen again.
            standing |= {print_: row for print_, row in stored.items() if row.id not in own}
        else:
            own = set()
        if own:
            opened = {"at": at, "to_status": ViolationStatus.OPEN, "actor": actor, "workflow_run_id": run_id}
            facts = {
                row["id"]: {name: row[name] for name in _FACTS} | {"figures": _figures(row["details"])} for row in fresh
            }
            self._put_down(scope, [_event(scope, id, 1, opened) for id in sorted(own)], facts)
        reopened = again = 0
        for fingerprint, row in standing.items():
            if row.workflow_run_id == run_id:
                continue  # recorded already; what was decided since then stands
            values = {
                name: rows[fingerprint][name]
                for name in (
                    "severity", "severity_rank", "details", "display_name", "asset_version", "dq_rule_execution_id",
                    "metric_definition_id", "workflow_run_id", "last_seen_at", "updated_at",
                )
            }  # fmt: skip
            values["seen_count"] = row.seen_count + 1
            if row.status == ViolationStatus.RESOLVED:
                reopened += 1
                values |= {"status": ViolationStatus.OPEN} | CLEARED
                self._by_run(scope, row, values, ViolationStatus.OPEN, run_id, actor, at)
            else:
                again += 1
                self._set(row, values)
        resolved = self._resolve(scope, run_id, set(found), checked, actor, at)
        return Recorded(len(own), again, reopened, resolved)

    def withdraw(self, scope: Scope, checks: Collection[str], *, actor: str, at: datetime, notes: str) -> int:
        """Resolve what rules have found that are not executed any more; how many violations."""
        query = self._held(scope).where(violations.c.check_key.in_(sorted(checks)), violations.c.status.in_(UNRESOLVED))
        rows = self._connection.execute(query).all()
        for row in rows:
            self._resolve_one(scope, row, None, actor, at, notes)
        return len(rows)

    def bury(self, scope: Scope, service: str, *, run_id: str, actor: str, at: datetime) -> int:
        """Resolve what stands open on assets of a service that the catalog no longer has; how many violations."""
        lives = sa.exists().where(
            *in_scope(scope),
            metadata_assets.c.fully_qualified_name == violations.c.asset_fqn,
            metadata_assets.c.deleted_at.is_(None),
        )
        query = self._held(scope).where(
            prefix_range(violations.c.asset_fqn, f"{service}."), violations.c.status.in_(UNRESOLVED), ~lives
        )
        rows = self._connection.execute(query).all()
        for row in rows:
            self._resolve_one(scope, row, run_id, actor, at, VANISHED)
        return len(rows)

    def of_parts(self, scope: Scope, parts: Sequence[ScoredPart], most: int) -> dict[ScoredPart, list[Violation]]:
        """Return what stands behind figures of scorecards, the worst first: one statement for each card."""
        cards: dict[tuple[Any, ...], list[ScoredPart]] = {}
        for part in parts:
            cards.setdefault((part.project_id, part.asset_parts, part.as_of, part.workflow_run_id), []).append(part)
        found: dict[ScoredPart, list[Violation]] = {part: [] for part in parts}
        for (project, asset_parts, as_of, run_id), group in cards.items():
            where = [*below(violations, asset_parts), unresolved(as_of)]
            if run_id is not None:
                where.append(violations.c.workflow_run_id == run_id)
            metric = violations.c.metric_definition_id
            where.append(metric.in_([part.metric_definition_id for part in group]))
            order = (violations.c.severity_rank.desc(), violations.c.created_at, violations.c.id)
            rank = sa.func.row_number().over(partition_by=metric, order_by=order)
            inside = Scope(scope.organization_id, project)
            ranked = (
                sa.select(*self._columns, metric.label("of_metric"), rank.label("of_rank"))
                .where(*self._within(inside), *where)
                .subquery()
            )
            query = sa.select(ranked).where(ranked.c.of_rank <= most).order_by(ranked.c.of_metric, ranked.c.of_rank)
            rows = self._connection.execute(query).all()
            by_metric: dict[str, list[Violation]] = {}
            for row, item in zip(rows, self.resources(rows), strict=True):
                by_metric.setdefault(row.of_metric, []).append(item)
            for part in group:
                found[part] = by_metric.get(part.metric_definition_id, [])
        return found

    def _rows(
        self, scope: Scope, run_id: str, found: Mapping[str, Finding], actor: str, at: datetime
    ) -> dict[str, dict[str, Any]]:
        """The row of each finding, were it new."""
        definitions = ViolationDefinitionRepository(self._connection).of_ids(
            scope, {finding.definition_id for finding in found.values()}
        )
        metrics = MetricDefinitionRepository(self._connection).of_ids(
            scope, {finding.metric_definition_id for finding in found.values() if finding.metric_definition_id}
        )
        rows = {}
        for fingerprint, finding in found.items():
            if finding.definition_id not in definitions:
                raise ValueError(f"there is no violation definition {finding.definition_id!r} in the project")
            if finding.metric_definition_id is not None and finding.metric_definition_id not in metrics:
                raise ValueError(f"there is no metric {finding.metric_definition_id!r} in the project")
            definition = definitions[finding.definition_id]
            severity = finding.severity or definition.default_severity
            rows[fingerprint] = {
                "id": str(uuid4()),
                "organization_id": scope.organization_id,
                "project_id": scope.project_id,
                "definition_id": definition.id,
                "name": definition.name,
                "fqn": str(Fqn.parse(finding.asset_fqn).child(definition.name)),
                "dimension_id": definition.dimension.id,
                "metric_definition_id": finding.metric_definition_id,
                "check_key": finding.check,
                "fingerprint": fingerprint,
                "asset_fqn": finding.asset_fqn,
                **parts_of(finding.asset_fqn),
                "asset_version": finding.asset_version,
                "severity": severity,
                "severity_rank": RANKS[severity],
                "status": ViolationStatus.OPEN,
                "workflow_run_id": run_id,
                "created_at": at,
                "display_name": finding.display_name or definition.display_name,
                "details": dict(finding.details),
                "dq_rule_execution_id": finding.dq_rule_execution_id,
                "updated_at": at,
                "last_seen_at": at,
                "seen_count": 1,
                "revision": 1,
            }
        return rows

    def _standing(self, scope: Scope, fingerprints: Sequence[str]) -> dict[str, Any]:
        """The rows with these fingerprints, held until the transaction ends."""
        found: dict[str, Any] = {}
        for start in range(0, len(fingerprints), AT_ONCE):
            query = self._held(scope).where(violations.c.fingerprint.in_(fingerprints[start : start + AT_ONCE]))
            found |= {row.fingerprint: row for row in self._connection.execute(query)}
        return found

    def _held(self, scope: Scope) -> sa.Select[Any]:
        names = ("id", "fingerprint", "status", "workflow_run_id", "seen_count", "revision", *_FACTS)
        query = sa.select(*(violations.c[name] for name in names)).where(*self._within(scope))
        # In one order everywhere, so that two runs cannot wait for one another in a circle.
        return query.order_by(violations.c.fingerprint).with_for_update()

    def _resolve(
        self, scope: Scope, run_id: str, found: set[str], checked: Collection[str], actor: str, at: datetime
    ) -> int:
        """Resolve what the rules that were evaluated no longer find."""
        number, rules = 0, sorted(checked)
        for start in range(0, len(rules), AT_ONCE):
            query = self._held(scope).where(
                violations.c.check_key.in_(rules[start : start + AT_ONCE]), violations.c.status.in_(UNRESOLVED)
            )
            for row in self._connection.execute(query).all():
                if row.fingerprint not in found:
                    self._resolve_one(scope, row, run_id, actor, at, GONE)
                    number += 1
        return number

    def _resolve_one(self, scope: Scope, row: Any, run_id: str | None, actor: str, at: datetime, notes: str) -> None:
        values = {"status": ViolationStatus.RESOLVED, "resolved_by": actor, "resolved_at": at}
        values |= {"resolution_notes": notes, "updated_at": at}
        self._by_run(scope, row, values, ViolationStatus.RESOLVED, run_id, actor, at, notes)

    def _by_run(
        self,
        scope: Scope,
        row: Any,
        values: Mapping[str, Any],
        to: ViolationStatus,
        run_id: str | None,
        actor: str,
        at: datetime,
        notes: str | None = None,
    ) -> None:
        self._set(row, values)
        told = {name: values[name] for name in ("severity", "display_name") if name in values}
        told["figures"] = _figures(values.get("details") or {})
        event = {"at": at, "from_status": row.status, "to_status": to, "actor": actor, "workflow_run_id": run_id}
        self._put_down(scope, [_event(scope, row.id, row.revision + 1, event, notes)], {row.id: _facts(row) | told})

    def _put_down(
        self, scope: Scope, told: Sequence[Mapping[str, Any]], facts: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Write into the histories of violations, and tell what has happened where that is more than a remark."""
        if not told:
            return
        self._connection.execute(events.insert(), list(told))
        for at in sorted({one["at"] for one in told}):
            moved = [(one, _happened(one["from_status"], one["to_status"])) for one in told if one["at"] == at]
            happenings = [
                Happening(
                    what,
                    facts[one["violation_id"]]["asset_fqn"],
                    Severity(facts[one["violation_id"]]["severity"]),
                    {
                        "violation_id": one["violation_id"],
                        "name": facts[one["violation_id"]]["name"],
                        "display_name": facts[one["violation_id"]]["display_name"],
                        **facts[one["violation_id"]]["figures"],
                        "status": one["to_status"],
                        "workflow_run_id": one["workflow_run_id"],
                    },
                )
                for one, what in moved
                if what is not None
            ]
            tell(self._connection, scope, at, happenings)

    def _set(self, row: Any, values: Mapping[str, Any]) -> None:
        where = (violations.c.id == row.id, violations.c.revision == row.revision)
        self._connection.execute(violations.update().where(*where).values(**values, revision=row.revision + 1))


def _matching(only: ViolationFilter, dimension_ids: Collection[str] | None) -> list[sa.ColumnElement[bool]]:
    """The conditions of what a filter asks for."""
    table = violations.c
    where: list[sa.ColumnElement[bool]] = [
        column.in_(wanted)
        for column, wanted in (
            (table.id, None if only.ids is None else [str(id) for id in only.ids]),
            (table.name, only.names),
            (table.severity, only.severities),
            (table.status, only.statuses),
            (table.dimension_id, dimension_ids),
        )
        if wanted is not None
    ]
    if only.under is not None:
        where += at_or_under(table.asset_fqn, only.under)
    if only.assets_like is not None:
        where.append(is_like(table.asset_fqn, only.assets_like))
    if only.workflow_run_id is not None:
        where.append(table.workflow_run_id == str(only.workflow_run_id))
    if only.assigned_to is not None:
        where.append(table.assigned_to == only.assigned_to)
    return where


_FACTS: Final = ("asset_fqn", "name", "display_name", "severity")
"""What an event tells of a violation, beside its figures."""


def _facts(violation: Any) -> dict[str, Any]:
    return {name: getattr(violation, name) for name in _FACTS} | {"figures": {}}


def _figures(details: Mapping[str, Any]) -> dict[str, int]:
    """How many rows or cells were looked at, and how many of them are wrong; nothing where that was not counted."""
    right, checked = details.get("numerator"), details.get("denominator")
    if not isinstance(right, int) or not isinstance(checked, int) or not 0 <= right < checked:
        return {}
    return {"wrong": checked - right, "checked": checked}


def _happened(before: str | None, after: str) -> EventType | None:
    """Return what a move of a violation is to others; None for one that changes nothing for them."""
    stood, stands = before in UNRESOLVED, after in UNRESOLVED
    if before is None:
        return EventType.VIOLATION_OPENED
    if stood == stands:
        return None
    return EventType.VIOLATION_REOPENED if stands else EventType.VIOLATION_RESOLVED


CLEARED: Final = {"resolved_by": None, "resolution_notes": None, "resolved_at": None}
"""What an open violation does not have."""

GONE: Final = "A later run no longer found it."
"""The note of a violation that was resolved by itself."""


VANISHED: Final = "The asset is no longer in the source."
"""The note of a violation that was resolved because what it was about is gone."""


class ViolationEventRepository(Repository[ViolationEvent]):
    """The history of violations."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, ViolationEvent, events, noun="violation_event", order=[events.c.position])


def _event(
    scope: Scope, violation_id: str, position: int, event: Mapping[str, Any], notes: str | None = None
) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "organization_id": scope.organization_id,
        "project_id": scope.project_id,
        "violation_id": violation_id,
        "position": position,
        "from_status": None,
        "workflow_run_id": None,
        "notes": notes,
    } | dict(event)


def unresolved(as_of: datetime | None) -> sa.ColumnElement[bool]:
    """That a violation was open or acknowledged at a moment, or is now."""
    if as_of is None:
        return violations.c.status.in_(UNRESOLVED)
    status = (
        sa.select(events.c.to_status)
        .where(events.c.violation_id == violations.c.id, events.c.at <= as_of)
        .order_by(events.c.position.desc())
        .limit(1)
        .scalar_subquery()
    )
    return status.in_(UNRESOLVED)
