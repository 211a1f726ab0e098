"""The lists that hang on resources: what makes a row an item of a parent, for each list in one place.

A parent of the catalog is its project and its dotted name; others are their id. See `windows.py`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import sqlalchemy as sa

from persistence.queries.quality import PARTS
from persistence.queries.suspects import still_cataloged
from persistence.queries.windows import Joined, Parent, Ranked, Ranks, windows_of
from persistence.queries.workflows import ancestry
from persistence.repository import Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.classification import classifications
from persistence.tables.data_readiness import proposals, run_targets, workflow_runs
from persistence.tables.glossary import glossary_term_assets, glossary_terms
from persistence.tables.quality import violations
from schema.base import Resource
from schema.data_readiness.violation import ViolationOrder
from schema.identifiers import Fqn

ResourceT = TypeVar("ResourceT", bound=Resource)

VIOLATION_ORDERS: Final[Mapping[ViolationOrder | None, Sequence[sa.ColumnElement[Any]]]] = {
    None: (violations.c.severity_rank.desc(), violations.c.created_at.desc()),
    ViolationOrder.WORST_FIRST: (violations.c.severity_rank.desc(), violations.c.created_at.desc()),
    ViolationOrder.NEWEST_FIRST: (violations.c.created_at.desc(),),
    ViolationOrder.LAST_SEEN_FIRST: (violations.c.last_seen_at.desc(),),
    ViolationOrder.BY_ASSET: (violations.c.asset_fqn, violations.c.severity_rank.desc()),
}


def among(column: sa.ColumnElement[Any], values: Collection[Any] | None) -> list[sa.ColumnElement[bool]]:
    """The condition that a column has one of some values; none where nothing is said."""
    return [] if values is None else [column.in_(list(values))]


def of_column(repository: Repository[Any], name: str) -> Joined:
    """The rows of which one column names the parent, which is told by its id alone."""
    return lambda wanted: (repository.table.c[name] == wanted.k0,)


def below_names(
    repository: Repository[ResourceT], scope: Scope, parents: Iterable[Parent], ranks: Ranks, **how: Any
) -> dict[Parent, Ranked[ResourceT]]:
    """Items about assets and all that is under them, of a table that holds the parts of names; by project and name.

    One statement for each level of the catalog that a parent stands on.
    """
    table = repository.table
    found: dict[Parent, Ranked[ResourceT]] = {}
    levels: dict[int, dict[Parent, Parent]] = {}
    for parent in parents:
        parts = Fqn.parse(parent[1]).parts
        levels.setdefault(len(parts), {})[parent[0], *parts] = parent
    for depth, of in levels.items():
        names = PARTS[:depth]

        def joined(wanted: Any, names: Sequence[str] = names) -> list[sa.ColumnElement[bool]]:
            same = [table.c[name] == wanted[f"k{place}"] for place, name in enumerate(names, 1)]
            return [table.c.project_id == wanted.k0, *same]

        some = windows_of(repository, scope, list(of), joined, ranks, **how)
        found |= {of[key]: ranked for key, ranked in some.items()}
    return found


def suspects_below(
    repository: Repository[ResourceT], scope: Scope, parents: Iterable[Parent], ranks: Ranks, **how: Any
) -> dict[Parent, Ranked[ResourceT]]:
    """Suspect cells of assets and of all that is under them, the most probable first; by project and name."""
    table = repository.table
    how["where"] = [still_cataloged(scope), *how["where"]]
    named: dict[str, list[Parent]] = {"table_fqn": [], "asset_fqn": []}
    above: list[Parent] = []
    for parent in parents:
        depth = len(Fqn.parse(parent[1]).parts)
        {4: named["table_fqn"], 5: named["asset_fqn"]}.get(depth, above).append(parent)
    found = below_names(repository, scope, above, ranks, **how)
    for name, some in named.items():

        def joined(wanted: Any, name: str = name) -> list[sa.ColumnElement[bool]]:
            return [table.c.project_id == wanted.k0, table.c[name] == wanted.k1]

        found |= windows_of(repository, scope, some, joined, ranks, **how) if some else {}
    return found


def proposals_below(
    repository: Repository[ResourceT], scope: Scope, parents: Iterable[Parent], ranks: Ranks, **how: Any
) -> dict[Parent, Ranked[ResourceT]]:
    """Proposals about assets and all that is under them, the newest run's first; by project and name."""
    of: dict[Parent, Parent] = {(project, fqn, f"{fqn}."): (project, fqn) for project, fqn in parents}
    column = proposals.c.asset_fqn

    def joined(wanted: Any) -> list[sa.ColumnElement[bool]]:
        under = sa.func.substr(column, 1, sa.func.length(wanted.k2)) == wanted.k2
        return [proposals.c.project_id == wanted.k0, sa.or_(column == wanted.k1, under)]

    order = [proposals.c.created_at.desc(), proposals.c.run_id, proposals.c.position]
    some = windows_of(repository, scope, list(of), joined, ranks, order=order, **how)
    return {of[key]: ranked for key, ranked in some.items()}


def runs_covering_all(
    repository: Repository[ResourceT], scope: Scope, parents: Sequence[Parent], ranks: Ranks, **how: Any
) -> dict[Parent, Ranked[ResourceT]]:
    """Runs that worked on assets, on what they are in or on all of it, the newest first; by project and name."""
    lines: dict[Parent, Parent] = {}
    for parent in parents:
        line = ancestry(parent[1])
        lines[parent[0], *line, *[line[-1]] * (5 - len(line))] = parent

    def joined(wanted: Any) -> list[sa.ColumnElement[bool]]:
        target = run_targets.c
        covering = sa.select(target.run_id).where(
            target.organization_id == scope.organization_id,
            target.project_id == wanted.k0,
            target.target_fqn.in_([wanted[f"k{place}"] for place in range(1, 6)]),
        )
        runs = workflow_runs.c
        return [runs.project_id == wanted.k0, runs.id.in_(covering.correlate(wanted.k0.table))]

    some = windows_of(repository, scope, list(lines), joined, ranks, **how)
    return {lines[key]: ranked for key, ranked in some.items()}


def terms_of(
    repository: Repository[ResourceT], scope: Scope, parents: Sequence[Parent], ranks: Ranks, **how: Any
) -> dict[Parent, Ranked[ResourceT]]:
    """Glossary terms that are linked to assets, by name; by project and the id of the asset."""

    def joined(wanted: Any) -> list[sa.ColumnElement[bool]]:
        linked = sa.select(glossary_term_assets.c.term_id).where(
            glossary_term_assets.c.organization_id == scope.organization_id,
            glossary_term_assets.c.project_id == wanted.k0,
            glossary_term_assets.c.asset_id == wanted.k1,
        )
        terms = glossary_terms.c
        return [terms.project_id == wanted.k0, terms.id.in_(linked.correlate(wanted.k0.table))]

    return windows_of(repository, scope, parents, joined, ranks, order=[glossary_terms.c.name], **how)


def classifications_of(
    repository: Repository[ResourceT], scope: Scope, parents: Iterable[Parent], ranks: Ranks, **how: Any
) -> dict[Parent, Ranked[ResourceT]]:
    """The tags that engines have found on assets and on what is under them, the surest first; by project and name."""
    of: dict[Parent, Parent] = {  # "/" follows "."
        (project, fqn, f"{fqn}.", f"{fqn}/"): (project, fqn) for project, fqn in parents
    }
    table = classifications.c

    def joined(wanted: Any) -> list[sa.ColumnElement[bool]]:
        under = sa.and_(table.asset_fqn > wanted.k2, table.asset_fqn < wanted.k3)
        return [
            table.project_id == wanted.k0,
            sa.or_(table.asset_fqn == wanted.k1, under),
            sa.exists().where(
                metadata_assets.c.organization_id == table.organization_id,
                metadata_assets.c.project_id == table.project_id,
                metadata_assets.c.fully_qualified_name == table.asset_fqn,
                metadata_assets.c.deleted_at.is_(None),
            ),
        ]

    order = [table.confidence.desc(), table.asset_fqn, table.tag_fqn]
    some = windows_of(repository, scope, list(of), joined, ranks, order=order, **how)
    return {of[key]: ranked for key, ranked in some.items()}


def changed(found: Mapping[Parent, Ranked[Any]], change: Callable[[list[Any]], Sequence[Any]]) -> dict[Parent, Any]:
    """The same windows over other items, which are made of all of them at once."""
    items = iter(change([item for ranked in found.values() for item in ranked.items.values()]))
    return {
        parent: Ranked({rank: next(items) for rank in ranked.items}, ranked.total, ranked.project_id)
        for parent, ranked in found.items()
    }
