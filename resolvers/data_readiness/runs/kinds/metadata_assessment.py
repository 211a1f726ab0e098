"""The assessment of descriptions: for each asset of the catalog, whether it is described, owned, tagged and linked.

Which types of assets are asked for what is said by the kinds of violation. Whoever answers for something answers for
all that is in it, and a link to a glossary term may stand on a table or on any of its columns. A tag that somebody
rejected was thought about, so its asset is not asked for one again. No data is read.

Each asset counts in the figures, but violations are sums that one person can act on: of the columns of all tables of a
schema, of its tables, and a missing owner where one would answer for everything below. Where a run does not come to
what something is in, it stands by itself: the columns of a table in a sum of their own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from persistence.jobs.port import JobError
from persistence.queries.catalog_rows import chunks
from persistence.queries.inherited import inherited
from persistence.queries.metric_results import Measured
from persistence.queries.source_facts import asset_names, described_assets
from persistence.queries.violations import Finding
from persistence.store import UnitOfWork
from resolvers.data_readiness.report_building import REPORT
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write, nothing_to_do
from resolvers.data_readiness.runs.reading import targets
from schema.data_readiness.classification import ClassificationState
from schema.data_readiness.quality_builtin import METRICS, VIOLATIONS
from schema.identifiers import Fqn, Version
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


OWNER: Final = "missing_owner"
"""What is missing of everything below, too, where it is missing."""

COUNTED: Final = (AssetType.COLUMN, AssetType.TABLE)
"""The types of which what is missing is counted where they are in."""

MOST_NAMED: Final = 20
"""How many of the assets that a sum counts are named in it."""


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
            schemas = [row["fully_qualified_name"] for row in rows if row["type"] == AssetType.DATABASE_SCHEMA]
            inside = described_assets(uow.connection, self.scope, (), (), schemas)
            has = self._has(uow, [*rows, *inside])
            figures: list[Measured] = []
            found: list[tuple[str, Finding | None]] = []
            below: dict[str | None, list[Mapping[str, Any]]] = {}
            for one in (*rows, *inside):
                below.setdefault(one["parent_fqn"], []).append(one)
            for row in rows:
                figures += [
                    Measured(_METRIC[metric].id, row["fully_qualified_name"], int(metric in has[row["id"]]), 1)
                    for metric, kind in LOOKED_FOR
                    if row["type"] in _KIND[kind].applicable_asset_types
                ]
                found += self._alone(row, has[row["id"]])
                found += self._summed(row, below.get(row["fully_qualified_name"], ()), has)
            self._keep_sums(uow, arguments, rows, has)
            now = self.ctx.now()
            recorded = uow.metric_results.record(self.scope, self.run.id, figures, at=now)
            done = uow.violations.record(
                self.scope,
                self.run.id,
                [finding for _, finding in found if finding is not None],
                checked=[check for check, _ in found],
                actor=self.ctx.caller.user_id,
                at=now,
            )
            return {
                "assets": len(rows), "measured": recorded, "new_violations": done.new, "seen_again": done.seen_again,
                "reopened": done.reopened, "resolved": done.resolved,
            }  # fmt: skip

        return write

    def _has(self, uow: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
        """The metrics that each asset is good in, by its id."""
        names = [row["fully_qualified_name"] for row in rows]
        owned, linked = inherited(uow.connection, self.scope, names), self._linked(uow, rows)
        rejected = uow.classifications.of_assets(self.scope, names)
        found = {}
        for row in rows:
            fqn = row["fully_qualified_name"]
            thought_about = any(one.state is ClassificationState.REJECTED for one in rejected.get(fqn, ()))
            good = {
                "described_assets": bool((row["description"] or "").strip()),
                "owned_assets": bool(owned[fqn].owners),
                "tagged_assets": bool(row["tags"]) or thought_about,
                "linked_assets": fqn in linked,
            }
            found[row["id"]] = {metric for metric, is_good in good.items() if is_good}
        return found

    def _alone(self, row: Mapping[str, Any], good: set[str]) -> list[tuple[str, Finding | None]]:
        """Return what is missing of an asset itself, by check: nothing of what is counted where it is in."""
        above = row["parent_fqn"]
        is_counted = row["type"] != AssetType.DATABASE and above is not None and self._comes_to(above)
        found: list[tuple[str, Finding | None]] = []
        for metric, kind in LOOKED_FOR:
            if row["type"] not in _KIND[kind].applicable_asset_types:
                continue
            counted = is_counted and (kind == OWNER or row["type"] in COUNTED)
            check = f"metadata:{kind}:{row['id']}"
            found.append((check, None if metric in good or counted else _finding(check, metric, kind, row)))
        return found

    def conclude(self, uow: UnitOfWork, output: dict[str, Any], failed: int) -> None:
        """Sum up what is missing of the columns of each schema; of one that was not wholly read nothing is said."""
        if failed:
            return
        sums: dict[str, dict[str, dict[str, Any]]] = {}
        for _, arguments in uow.run_tasks.planned(self.run.id):
            for schema, kinds in arguments.get("columns_missing", {}).items():
                for kind, one in kinds.items():
                    _add(sums.setdefault(schema, {}).setdefault(kind, dict(_NOTHING)), one)
        found: list[tuple[str, Finding | None]] = []
        for some in chunks(sorted(sums)):
            for row in described_assets(uow.connection, self.scope, some, ()):
                found += _of_columns(row, sums[row["fully_qualified_name"]])
        done = uow.violations.record(
            self.scope,
            self.run.id,
            [finding for _, finding in found if finding is not None],
            checked=[check for check, _ in found],
            actor=self.ctx.caller.user_id,
            at=self.ctx.now(),
        )
        for name, number in (
            ("new_violations", done.new), ("seen_again", done.seen_again),
            ("reopened", done.reopened), ("resolved", done.resolved),
        ):  # fmt: skip
            output[name] = output.get(name, 0) + number

    def _keep_sums(
        self, uow: UnitOfWork, arguments: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], has: Mapping[str, Any]
    ) -> None:
        """Write down with the task what is missing of columns, by schema, for the run's end to sum up."""
        sums: dict[str, dict[str, dict[str, Any]]] = {}
        for row in rows:
            if row["type"] != AssetType.COLUMN or not self._comes_to(schema := _schema_of(row)):
                continue
            for metric, kind in LOOKED_FOR:
                if kind != OWNER and row["type"] in _KIND[kind].applicable_asset_types:
                    missing = metric not in has[row["id"]]
                    name = ".".join(Fqn.parse(row["fully_qualified_name"]).parts[-2:])
                    one = {
                        "missing": int(missing), "of": 1, "names": [name] if missing else [],
                        "tables": [row["parent_fqn"]] if missing else [],
                    }  # fmt: skip
                    _add(sums.setdefault(schema, {}).setdefault(kind, dict(_NOTHING)), one)
        if sums:
            uow.run_tasks.keep_arguments(arguments["task_id"], {**arguments, "columns_missing": sums})

    def _summed(
        self, row: Mapping[str, Any], below: Sequence[Mapping[str, Any]], has: Mapping[str, set[str]]
    ) -> list[tuple[str, Finding | None]]:
        """Return what is missing of the tables of a schema, or of the columns of a table alone, as one sum of each
        kind.
        """
        found: list[tuple[str, Finding | None]] = []
        some = [one for one in below if one["type"] in COUNTED]
        for metric, kind in LOOKED_FOR:
            asked = [one for one in some if one["type"] in _KIND[kind].applicable_asset_types]
            if kind == OWNER or not asked:
                continue
            check = f"metadata:{kind}:in:{row['id']}"
            missing = [one["name"] for one in asked if metric not in has[one["id"]]]
            if row["type"] == AssetType.TABLE and self._comes_to(str(row["parent_fqn"])):
                missing = []  # the sum of the schema counts them
            of = asked[0]["type"]
            told = {"assets": len(missing), "of": len(asked), "asset_type": of, "names": missing[:MOST_NAMED]}
            said = f"{len(missing)} of {len(asked)} {of}s: {(_KIND[kind].display_name or kind).lower()}"
            found.append((check, _finding(check, metric, kind, row, told, said) if missing else None))
        return found

    def _comes_to(self, fqn: str) -> bool:
        """Return whether the run assesses an asset of this name."""
        names = targets(self.run)
        return not names or any(fqn == name or fqn.startswith(f"{name}.") for name in names)

    def _linked(self, uow: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> set[str]:
        """The assets that a glossary term is linked to, and the tables of linked columns."""
        names = {row["id"]: (row["fully_qualified_name"], row["parent_fqn"]) for row in rows}
        return {name for id in uow.term_assets.linked_among(self.scope, list(names)) for name in names[id]}


_NOTHING: Final[Mapping[str, Any]] = {"missing": 0, "of": 0, "names": (), "tables": ()}


def _add(total: dict[str, Any], one: Mapping[str, Any]) -> None:
    """Add a sum to another: figures as they are, the first names, and the tables once each."""
    total["missing"] += one["missing"]
    total["of"] += one["of"]
    total["names"] = [*total["names"], *one["names"]][:MOST_NAMED]
    total["tables"] = sorted({*total["tables"], *one["tables"]})


def _schema_of(column: Mapping[str, Any]) -> str:
    return str(Fqn.parse(column["parent_fqn"]).parent)


def _of_columns(row: Mapping[str, Any], sums: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Finding | None]]:
    """Return what is missing of the columns in the tables of a schema, as one sum of each kind, by check."""
    found: list[tuple[str, Finding | None]] = []
    metrics = {kind: metric for metric, kind in LOOKED_FOR}
    for kind, one in sums.items():
        check = f"metadata:{kind}:columns_in:{row['id']}"
        told = {
            "assets": one["missing"], "of": one["of"], "asset_type": AssetType.COLUMN, "names": one["names"],
            "tables": len(one["tables"]),
        }  # fmt: skip
        tables = f"in {len(one['tables'])} table{'s' if len(one['tables']) != 1 else ''}"
        said = f"{one['missing']} of {one['of']} columns, {tables}: {(_KIND[kind].display_name or kind).lower()}"
        found.append((check, _finding(check, metrics[kind], kind, row, told, said) if one["missing"] else None))
    return found


def _finding(
    check: str,
    metric: str,
    kind: str,
    row: Mapping[str, Any],
    details: Mapping[str, Any] | None = None,
    display_name: str | None = None,
) -> Finding:
    return Finding(
        check=check,
        definition_id=_KIND[kind].id,
        asset_fqn=row["fully_qualified_name"],
        metric_definition_id=_METRIC[metric].id,
        asset_version=str(Version(row["version_major"], row["version_minor"])),
        details=details or {},
        display_name=display_name,
    )
