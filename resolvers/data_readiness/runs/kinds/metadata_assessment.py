"""The assessment of descriptions: for each asset of the catalog, whether it is described, owned, tagged and linked.

Which types of assets are asked for what is said by the kinds of violation. Whoever answers for a table answers for its
columns, and a link to a glossary term may stand on a table or on any of its columns. No data is read.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from persistence.jobs.port import JobError
from persistence.queries.catalog_rows import chunks
from persistence.queries.metric_results import Measured
from persistence.queries.source_facts import asset_names, described_assets
from persistence.queries.violations import Finding
from persistence.store import UnitOfWork
from resolvers.data_readiness.report_building import REPORT
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write, nothing_to_do
from resolvers.data_readiness.runs.reading import targets
from schema.data_readiness.quality_builtin import METRICS, VIOLATIONS
from schema.identifiers import Version
from schema.utils.metadata_asset import AssetType

AT_ONCE: Final = 50
"""Tables of one unit, each with its columns."""

MOST_ASSETS: Final = 50_000

_METRIC: Final = {one.name: one for one in METRICS}
_KIND: Final = {one.name: one for one in VIOLATIONS}
LOOKED_FOR: Final = (
    ("described_assets", "missing_description"),
    ("owned_assets", "missing_owner"),
    ("tagged_assets", "missing_tags"),
    ("linked_assets", "missing_glossary_term"),
)
"""What is measured, with the kind of violation that its absence is."""


class MetadataAssessment(RunWork):
    """One run of metadata-assessment."""

    reporter = REPORT

    async def units(self) -> Sequence[RunUnit]:
        """Databases and schemas, then tables with their columns, a few dozen in each unit."""
        found = await self.ctx.store.read(
            lambda uow: asset_names(uow.connection, self.scope, targets(self.run), MOST_ASSETS)
        )
        if not found:
            raise nothing_to_do("The catalog has nothing that could be assessed.")
        if len(found) > MOST_ASSETS:
            raise JobError(f"One run assesses {MOST_ASSETS} assets at most. Limit it by asset_fqn or include.")
        tables = sorted(fqn for fqn, kind in found if kind == AssetType.TABLE)
        others = sorted(fqn for fqn, kind in found if kind in (AssetType.DATABASE, AssetType.DATABASE_SCHEMA))
        columns = sorted(fqn for fqn, kind in found if kind == AssetType.COLUMN)
        units = [
            RunUnit(f"{some[0]} and {len(some) - 1} more" if len(some) > 1 else some[0], {"assets": list(some)})
            for group in (others, columns)
            for some in chunks(group, AT_ONCE)
        ]
        units += [
            RunUnit(f"{some[0]} and {len(some) - 1} more" if len(some) > 1 else some[0], {"tables": list(some)})
            for some in chunks(tables, AT_ONCE)
        ]
        return units

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Look at some assets; what is written is read in the same transaction, for it is all in the store."""

        def write(uow: UnitOfWork) -> dict[str, int]:
            rows = described_assets(
                uow.connection, self.scope, arguments.get("assets") or (), arguments.get("tables") or ()
            )
            linked = self._linked(uow, rows)
            figures: list[Measured] = []
            findings: list[Finding] = []
            checked: list[str] = []
            owners = {row["fully_qualified_name"]: bool(row["owners"]) for row in rows}
            for row in rows:
                fqn = row["fully_qualified_name"]
                has = {
                    "described_assets": bool((row["description"] or "").strip()),
                    "owned_assets": bool(row["owners"])
                    or (row["type"] == AssetType.COLUMN and owners.get(row["parent_fqn"], False)),
                    "tagged_assets": bool(row["tags"]),
                    "linked_assets": fqn in linked,
                }
                for metric, kind in LOOKED_FOR:
                    if row["type"] not in _KIND[kind].applicable_asset_types:
                        continue
                    figures.append(Measured(_METRIC[metric].id, fqn, int(has[metric]), 1))
                    check = f"metadata:{kind}:{row['id']}"
                    checked.append(check)
                    if not has[metric]:
                        findings.append(
                            Finding(
                                check=check,
                                definition_id=_KIND[kind].id,
                                asset_fqn=fqn,
                                metric_definition_id=_METRIC[metric].id,
                                asset_version=str(Version(row["version_major"], row["version_minor"])),
                            )
                        )
            now = self.ctx.now()
            recorded = uow.metric_results.record(self.scope, self.run.id, figures, at=now)
            done = uow.violations.record(
                self.scope, self.run.id, findings, checked=checked, actor=self.ctx.caller.user_id, at=now
            )
            return {
                "assets": len(rows), "measured": recorded, "new_violations": done.new, "seen_again": done.seen_again,
                "reopened": done.reopened, "resolved": done.resolved,
            }  # fmt: skip

        return write

    def _linked(self, uow: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> set[str]:
        """The assets that a glossary term is linked to, and the tables of linked columns."""
        names = {row["id"]: (row["fully_qualified_name"], row["parent_fqn"]) for row in rows}
        return {name for id in uow.term_assets.linked_among(self.scope, list(names)) for name in names[id]}
