"""Proposals of runs, moved by decisions, and the latest decision about each run."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.filters import at_or_under, is_like
from persistence.repository import Repository, Scope
from persistence.tables.data_readiness import proposals, run_approvals
from schema.data_readiness.proposal import (
    MOST_CONFLICTS_SHOWN,
    MOST_PARTS_SHOWN,
    Decision,
    Proposal,
    ProposalConflict,
    ProposalFilter,
    ProposalGroup,
    ProposalKind,
    ProposalPart,
    ProposalState,
    RunApproval,
)
from schema.identifiers import Fqn, common_fqn, join_fqn
from schema.pagination import Page
from schema.utils.metadata_asset import LEVEL, AssetType

TABLE_PARTS = LEVEL[AssetType.TABLE]
_KEPT = ("current_value", "proposed_value")
_NOT_KEPT: Final = {"standing_value", "says", "parts_total", "parts_pending", "parts"}


EVERY: Final = ProposalFilter()
"""The filter that every proposal matches."""


def matching(only: ProposalFilter) -> list[sa.ColumnElement[bool]]:
    """The conditions of what a filter asks for."""
    table = proposals.c
    where: list[sa.ColumnElement[bool]] = []
    if only.kinds is not None:
        where.append(table.kind.in_(only.kinds))
    if only.min_confidence is not None:
        where.append(table.confidence >= only.min_confidence)
    if only.under is not None:
        where += at_or_under(table.asset_fqn, only.under)
    if only.assets_like is not None:
        where.append(is_like(table.asset_fqn, only.assets_like))
    if only.group is not None:
        where.append(sa.or_(table.group == only.group, sa.and_(table.group.is_(None), table.id == only.group)))
    return where


def _whole() -> sa.ColumnElement[str]:
    """The id of what a proposal is a part of, or its own."""
    return sa.func.coalesce(proposals.c.part_of, proposals.c.id)


def _named(ids: Sequence[str]) -> sa.ColumnElement[bool]:
    """Those of these ids, and the parts of those."""
    return sa.or_(proposals.c.id.in_(ids), proposals.c.part_of.in_(ids))


def _standing(state: ProposalState) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((proposals.c.state == state, 1), else_=0))


class ProposalRepository(Repository[Proposal]):
    """Proposals."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Proposal, proposals, noun="proposal", order=[proposals.c.position])

    def listed(
        self, scope: Scope, *, offset: int, limit: int, only: ProposalFilter = EVERY, **equals: Any
    ) -> Page[Proposal]:
        """One window of the proposals in the order of their run, one by one; only those that match."""
        return self.page(scope, offset=offset, limit=limit, where=matching(only), **equals)

    def joined(
        self, scope: Scope, *, offset: int, limit: int, only: ProposalFilter = EVERY, **equals: Any
    ) -> Page[Proposal]:
        """One window of the proposals of a run with the parts of one as one, in the order of their first parts.

        Only parts that match count and are shown. What a whole says is left to whoever knows what is joined.
        """
        table = proposals.c
        conditions = [*self._within(scope), *matching(only), *self._equal(equals)]
        name = self._by_code_point(table.asset_fqn + ".")  # so that what is in one asset stands together
        grouped = (
            sa.select(
                _whole().label("key"),
                sa.func.count().label("parts"),
                *(_standing(state).label(state) for state in ProposalState),
                sa.func.min(table.confidence).label("lowest"),
                sa.func.min(table.position).label("first"),
                sa.func.min(name).label("least_fqn"),
                sa.func.max(name).label("most_fqn"),
            )
            .where(*conditions)
            .group_by(_whole())
            .subquery()
        )
        total = self._connection.execute(sa.select(sa.func.count()).select_from(grouped)).scalar_one()
        rows = self._connection.execute(sa.select(grouped).order_by(grouped.c.first).offset(offset).limit(limit)).all()
        parts = self._first_parts(scope, [row.key for row in rows], conditions)
        items = [_joined(row, parts[row.key]) for row in rows]
        return Page[Any].model_construct(items=items, total=total, offset=offset, limit=limit)

    def count_joined(self, scope: Scope, run_id: str) -> int:
        """Return how many proposals of a run there are, with the parts of one as one."""
        return self._connection.execute(
            sa.select(sa.func.count(_whole().distinct())).where(*self._within(scope), proposals.c.run_id == run_id)
        ).scalar_one()

    def _first_parts(
        self, scope: Scope, keys: Sequence[str], conditions: Sequence[sa.ColumnElement[bool]]
    ) -> dict[str, list[Proposal]]:
        table = proposals.c
        ranked = (
            sa.select(table.id, sa.func.row_number().over(partition_by=_whole(), order_by=table.position).label("rank"))
            .where(*conditions, _whole().in_(keys))
            .subquery()
        )
        query = self.select(scope).join(ranked, ranked.c.id == table.id).where(ranked.c.rank <= MOST_PARTS_SHOWN)
        found: dict[str, list[Proposal]] = {}
        for one in self.resources(self._connection.execute(query.order_by(table.position)).all()):
            found.setdefault(one.part_of or one.id, []).append(one)
        return found

    def _by_code_point(self, column: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
        """A text as both stores compare it."""
        return sa.collate(column, "C") if self._connection.dialect.name == "postgresql" else column

    def groups(
        self, scope: Scope, *, offset: int, limit: int, only: ProposalFilter = EVERY, **equals: Any
    ) -> Page[ProposalGroup]:
        """One window of the groups of a run's proposals that match, the largest first, each with its first proposal.

        What all of a group say is left to whoever knows how proposals are alike.
        """
        table = proposals.c
        conditions = [*self._within(scope), *matching(only), *self._equal(equals)]
        grouped = (
            sa.select(
                sa.func.coalesce(table.group, table.id).label("key"),
                sa.func.count().label("proposals"),
                sa.func.count(table.asset_fqn.distinct()).label("assets"),
                *(_standing(state).label(state) for state in ProposalState),
                sa.func.min(table.confidence).label("lowest"),
                sa.func.max(table.confidence).label("highest"),
                sa.func.min(table.position).label("first"),
                table.run_id,
            )
            .where(*conditions)
            .group_by(sa.func.coalesce(table.group, table.id), table.run_id)
            .subquery()
        )
        total = self._connection.execute(sa.select(sa.func.count()).select_from(grouped)).scalar_one()
        query = sa.select(grouped).order_by(grouped.c.proposals.desc(), grouped.c.first).offset(offset).limit(limit)
        rows = self._connection.execute(query).all()
        firsts = sorted(row.first for row in rows)  # a place is of one proposal of its run
        examples = self.select(scope).where(table.position.in_(firsts), *self._equal({"run_id": equals.get("run_id")}))
        first = self.resources(self._connection.execute(examples.order_by(table.position)).all())
        at = dict(zip(firsts, first, strict=True))
        found = [
            ProposalGroup(
                group=row.key,
                kind=at[row.first].kind,
                says="",
                proposals=row.proposals,
                assets=row.assets,
                pending=row.proposed,
                approved=row.approved,
                rejected=row.rejected,
                lowest_confidence=row.lowest,
                highest_confidence=row.highest,
                example=at[row.first],
            )
            for row in rows
        ]
        return Page[Any].model_construct(items=found, total=total, offset=offset, limit=limit)

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Take the values out of the objects that they are kept in: SQLite would make a bare number of one."""
        return values | {name: values[name]["value"] for name in _KEPT}

    def put(self, scope: Scope, made: Sequence[Proposal], start: int = 0) -> None:
        """Write down what an engine proposes; `start` is the position of the first of them in its run."""
        tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id, "revision": 1}
        rows = [
            {
                **item.model_dump(mode="python", exclude=_NOT_KEPT),
                **{name: {"value": getattr(item, name)} for name in _KEPT},
                **tenant,
                "position": position,
            }
            for position, item in enumerate(made, start)
        ]
        for some in chunks(rows):
            self._connection.execute(proposals.insert(), list(some))

    def of_run(
        self,
        scope: Scope,
        run_id: str,
        *,
        ids: Sequence[str] | None = None,
        state: ProposalState | None = None,
        kinds: Sequence[ProposalKind] | None = None,
        limit: int | None = None,
    ) -> list[Proposal]:
        """The proposals of a run in their order; only the named ones, those in a state or of some kinds if given."""
        query = self.select(scope).where(proposals.c.run_id == run_id).order_by(proposals.c.position).limit(limit)
        if state is not None:
            query = query.where(proposals.c.state == state)
        if kinds is not None:
            query = query.where(proposals.c.kind.in_(kinds))
        if ids is None:
            return self.resources(self._connection.execute(query).all())
        found: list[Proposal] = []
        for some in chunks(ids):
            found += self.resources(self._connection.execute(query.where(proposals.c.id.in_(some))).all())
        return found

    def parts_of(self, scope: Scope, run_id: str, ids: Sequence[str]) -> dict[str, list[tuple[str, ProposalState]]]:
        """The parts of the joined proposals among these ids, in their order: id and state of each, by the whole's."""
        table = proposals.c
        found: dict[str, list[tuple[str, ProposalState]]] = {}
        for some in chunks(ids):
            query = sa.select(table.part_of, table.id, table.state).where(
                *self._within(scope), table.run_id == run_id, table.part_of.in_(some)
            )
            for whole, id, state in self._connection.execute(query.order_by(table.position)):
                found.setdefault(whole, []).append((id, ProposalState(state)))
        return found

    def by_table(
        self,
        scope: Scope,
        run_id: str,
        state: ProposalState = ProposalState.PROPOSED,
        only: ProposalFilter = EVERY,
    ) -> dict[str, list[tuple[int, str]]]:
        """The matching proposals of a run in a state, by the table that they are about something of: place and id."""
        table = proposals.c
        query = sa.select(table.asset_fqn, table.position, table.id).where(
            *self._within(scope), table.run_id == run_id, table.state == state, *matching(only)
        )
        found: dict[str, list[tuple[int, str]]] = {}
        for fqn, position, id in self._connection.execute(query):
            found.setdefault(join_fqn(Fqn.parse(fqn).parts[:TABLE_PARTS]), []).append((position, id))
        return found

    def placed(self, run_id: str, start: int, end: int) -> int:
        """Return how many places of a stretch are taken, from its start to the last one taken."""
        table = proposals.c
        last = self._connection.execute(
            sa.select(sa.func.max(table.position)).where(
                table.run_id == run_id, table.position >= start, table.position < end
            )
        ).scalar_one()
        return 0 if last is None else int(last) - start + 1

    def resource_uris(
        self, scope: Scope, run_id: str, ids: Sequence[str] | None, only: ProposalFilter = EVERY
    ) -> set[str]:
        """Return whose catalogs the matching proposals of a run are about."""
        query = sa.select(proposals.c.resource_uri).where(
            *self._within(scope), proposals.c.run_id == run_id, *matching(only)
        )
        query = query.distinct()
        found: set[str] = set()
        for part in _parts(ids):
            narrowed = query if part is None else query.where(_named(part))
            found.update(self._connection.execute(narrowed).scalars())
        return found

    def move(
        self,
        scope: Scope,
        run_id: str,
        ids: Sequence[str] | None,
        moves: tuple[ProposalState, ProposalState],
        *,
        by: str | None,
        at: datetime | None,
    ) -> None:
        """Move proposals of a run, all of them or the named ones, from one state to another."""
        source, target = moves
        statement = (
            proposals.update()
            .where(*self._within(scope), proposals.c.run_id == run_id, proposals.c.state == source)
            .values(state=target.value, decided_by=by, decided_at=at, revision=proposals.c.revision + 1)
        )
        for part in _parts(ids):
            self._connection.execute(statement if part is None else statement.where(proposals.c.id.in_(part)))

    def undecided_tags(self, scope: Scope, asset_fqn: str, kind: ProposalKind, tag_fqn: str) -> dict[str, list[str]]:
        """The undecided proposals of one tag of one asset: run → ids."""
        query = sa.select(proposals.c.run_id, proposals.c.id, proposals.c.proposed_value).where(
            *self._within(scope),
            proposals.c.asset_fqn == asset_fqn,
            proposals.c.kind == kind,
            proposals.c.state == ProposalState.PROPOSED,
        )
        found: dict[str, list[str]] = {}
        for run_id, id, kept in self._connection.execute(query.order_by(proposals.c.run_id, proposals.c.position)):
            if isinstance(kept["value"], dict) and kept["value"].get("tag_fqn") == tag_fqn:
                found.setdefault(run_id, []).append(id)
        return found

    def count(self, scope: Scope, run_id: str, state: ProposalState) -> int:
        """Return how many proposals of a run stand in a state."""
        return self._connection.execute(
            sa.select(sa.func.count()).where(
                *self._within(scope), proposals.c.run_id == run_id, proposals.c.state == state
            )
        ).scalar_one()

    def counts(self, scope: Scope, run_id: str) -> dict[ProposalState, int]:
        """Return how many proposals of a run stand in each state."""
        query = (
            sa.select(proposals.c.state, sa.func.count())
            .where(*self._within(scope), proposals.c.run_id == run_id)
            .group_by(proposals.c.state)
        )
        return dict.fromkeys(ProposalState, 0) | {
            ProposalState(state): number for state, number in self._connection.execute(query)
        }

    def decide(
        self, scope: Scope, run_id: str, decision: Decision, notes: str | None, *, by: str, at: datetime
    ) -> None:
        """Keep the latest decision about a run. The run's row must be held."""
        values: dict[str, Any] = {"decision": decision.value, "notes": notes, "decided_by": by, "decided_at": at}
        changed = self._connection.execute(
            run_approvals.update()
            .where(run_approvals.c.run_id == run_id)
            .values(revision=run_approvals.c.revision + 1, **values)
        )
        if not changed.rowcount:
            tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id}
            self._connection.execute(run_approvals.insert().values(run_id=run_id, revision=1, **tenant, **values))

    def approval(self, scope: Scope, run_id: str, conflicts: Sequence[ProposalConflict] = ()) -> RunApproval:
        """The latest decision about a run, and where its proposals stand."""
        table = run_approvals.c
        row = self._connection.execute(
            sa.select(table.decision, table.decided_by, table.decided_at, table.notes).where(
                table.organization_id == scope.organization_id,
                table.project_id == scope.project_id,
                table.run_id == run_id,
            )
        ).one_or_none()
        decision, by, at, notes = row or (Decision.PENDING, None, None, None)
        counts = self.counts(scope, run_id)
        return RunApproval(
            run_id=run_id,
            decision=Decision(decision),
            decided_by=by,
            decided_at=at,
            notes=notes,
            approved=counts[ProposalState.APPROVED],
            rejected=counts[ProposalState.REJECTED],
            pending=counts[ProposalState.PROPOSED],
            conflicted=len(conflicts),
            conflicts=list(conflicts[:MOST_CONFLICTS_SHOWN]),
        )


def _joined(row: Any, parts: Sequence[Proposal]) -> Proposal:
    """A proposal with its parts, or the one that stands alone."""
    if row.parts == 1:
        return parts[0]
    state = next(
        state
        for state in (ProposalState.PROPOSED, ProposalState.APPROVED, ProposalState.REJECTED)
        if getattr(row, state)
    )
    decided = [one for one in parts if one.state is state and one.decided_at is not None]
    return parts[0].model_copy(
        update={
            "id": row.key,
            "asset_fqn": common_fqn(row.least_fqn[:-1], row.most_fqn[:-1]),
            "confidence": row.lowest,
            "state": state,
            "decided_by": decided[0].decided_by if decided else None,
            "decided_at": decided[0].decided_at if decided else None,
            "parts_total": row.parts,
            "parts_pending": row.proposed,
            "parts": [
                ProposalPart(
                    proposal_id=one.id,
                    asset_fqn=one.asset_fqn,
                    field=one.field,
                    current_value=one.current_value,
                    proposed_value=one.proposed_value,
                    confidence=one.confidence,
                    state=one.state,
                )
                for one in parts
            ],
        }
    )


def _parts(ids: Sequence[str] | None) -> Iterator[Sequence[str] | None]:
    if ids is None:
        yield None
    else:
        yield from chunks(ids)
