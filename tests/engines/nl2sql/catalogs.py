"""Small catalogs as text, with profiles of the values that a test names."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from resolvers.engines.nl2sql.drafter import Planner
from resolvers.engines.nl2sql.model import Asked, ColumnKey, Knowledge, Lookup, Outcome, QueryDraft, no_lookup
from schema.data_readiness.profile import ColumnProfile, ProfileTier, TableProfile, ValueCount, ValueKind
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.utils.memory import (
    Memory,
    MemoryAccess,
    MemoryClassification,
    MemoryQuality,
    MemorySource,
    MemoryStatus,
    MemoryType,
    ValidationStatus,
)

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SCHEMA = "svc.db.app"


def fqn(table: str) -> str:
    """The FQN of a table."""
    return f"{SCHEMA}.{table}"


def column(path: str) -> ColumnKey:
    """The key of `table.column`."""
    table, name = path.split(".")
    return ColumnKey(fqn(table), name)


def table(name: str, columns: str, **facts: Any) -> TableFacts:
    """A table of `name:TYPE` columns; VARCHAR where no type is given; `*` behind it for the primary key."""
    made = []
    for at, text in enumerate(columns.split(), 1):
        said, _, kind = text.partition(":")
        made.append(
            ColumnFacts(
                fqn=f"{fqn(name)}.{said.rstrip('*')}",
                name=said.rstrip("*"),
                ordinal_position=at,
                data_type=kind or "VARCHAR",
                is_primary_key=said.endswith("*"),
            )
        )
    return TableFacts(
        fqn=fqn(name), resource_uri="data:o:p:svc", database="db", schema="app", name=name, columns=tuple(made), **facts
    )


def profiled(of: TableFacts, values: Mapping[str, Sequence[str]], *, whole: bool = True) -> TableProfile:
    """A profile that knows values of some columns: all of them when it is `whole`."""
    columns = [
        ColumnProfile(
            column_fqn=one.fqn, name=one.name, ordinal_position=one.ordinal_position, data_type=one.data_type,
            kind=ValueKind.TEXT, row_count=100, null_count=0, blank_count=0,
            distinct_count=len(values[one.name]) + (0 if whole else 50), minimum=None, maximum=None, mean=None,
            stddev=None, quantiles=[], histogram=[],
            top_values=[ValueCount(value=value, count=5) for value in values[one.name]],
            min_length=None, max_length=None, mean_length=None, patterns=[], approximate=[], sample_size=None,
        )
        for one in of.columns
        if one.name in values
    ]  # fmt: skip
    return TableProfile(
        id="0" * 8 + "-0000-4000-8000-" + "0" * 12, workflow_run_id="0" * 8 + "-0000-4000-8000-" + "0" * 12,
        asset_fqn=of.fqn, resource_uri=of.resource_uri, tier=ProfileTier.FULL, measured_at=NOW, row_count=100,
        column_count=len(of.columns), sample_size=None, approximate=[], freshness_column=None, newest=None,
        candidate_keys=[], functional_dependencies=[], foreign_keys=[], duration_seconds=0.1, columns=columns,
    )  # fmt: skip


def keyed(facts: TableFacts, **refers: str) -> TableFacts:
    """A table whose columns refer to others, by `table.column`."""
    columns = []
    for one in facts.columns:
        to, _, column = refers.get(one.name, "").partition(".")
        columns.append(replace(one, references=(fqn(to), column)) if to else one)
    return replace(facts, columns=tuple(columns))


def memory(kind: MemoryType, content: dict[str, Any], name: str = "note", about: str | None = None) -> Memory:
    """An active memory, whose id is its name."""
    return Memory(
        id=name, name=name, organization_id="o", project_id="p", context_pack_id="c", version=1, content=content,
        memory_type=kind, source=MemorySource(), classification=MemoryClassification(), meta_data={},
        quality=MemoryQuality(
            validation_status=ValidationStatus.VALIDATED, confidence_score=None, validated_by=None, validated_at=None
        ),
        access=MemoryAccess(count=0, last_accessed=None, success_count=0, failure_count=0, success_rate=None),
        status=MemoryStatus.ACTIVE, pinned=False, created_at=NOW, updated_at=NOW, asset_fqn=about, content_url=None,
        search_text=None, superseded_by=None, supersedes=None, pinned_at=None, unpinned_at=None, archived_at=None,
        deleted_at=None, superseded_at=None, reactivated_at=None, expires_at=None,
    )  # fmt: skip


PUPIL = table("Student", "StuID*:INTEGER LName Fname Age:INTEGER Sex Major:INTEGER city_code")
HAS_PET = table("Has_Pet", "StuID:INTEGER PetID:INTEGER")
PET = table("Pets", "PetID*:INTEGER PetType pet_age:INTEGER weight:REAL")
STAFF = table("tbl_emp", "emp_id*:INTEGER emp_name emp_sal:DECIMAL birthdate:DATE hiredate:DATE job_title is_active")
CAR = table("cars_data", "Id*:INTEGER MPG:REAL Cylinders:INTEGER Horsepower:INTEGER Accelerate:REAL Year:INTEGER")
MAKER = table("car_makers", "Id*:INTEGER Maker FullName Country")
STADIUM = table("stadium", "Stadium_ID*:INTEGER Location Name Capacity:INTEGER opened_on:DATE")
SINGER = table("singer", "Singer_ID*:INTEGER Name Country Song_Name Song_release_year:INTEGER Age:INTEGER")
DRIVER = table("drivers", "drv_cd* drv_nm dob:DATE license_no phone")
ALL = (PUPIL, HAS_PET, PET, STAFF, CAR, MAKER, STADIUM, SINGER, DRIVER)
PROFILES = {
    PUPIL.fqn: profiled(PUPIL, {"Sex": ["F", "M"], "city_code": ["BAL", "NYC", "HKG"], "LName": ["Smith", "Kim"]}),
    PET.fqn: profiled(PET, {"PetType": ["cat", "dog"]}),
    STAFF.fqn: profiled(STAFF, {"is_active": ["Y", "N"], "job_title": ["Sales Manager", "IT Staff", "Technician"]}),
    MAKER.fqn: profiled(MAKER, {"Country": ["usa", "germany", "france"], "Maker": ["gm", "volkswagen"]}),
    SINGER.fqn: profiled(SINGER, {"Country": ["Netherlands", "France", "United States"]}, whole=False),
}


def knowledge(*tables: TableFacts, **more: Any) -> Knowledge:
    """Return what is known of some tables, or of all of this module."""
    return Knowledge(tables or ALL, **{"profiles": PROFILES, **more})


def asked(text: str, known: Knowledge, lookup: Lookup = no_lookup) -> Outcome:
    """Return what the planner makes of a question, with nothing looked up unless it is told how."""
    return asyncio.run(Planner().draft(Asked(text, NOW), known, lookup))


def drafted(text: str, known: Knowledge) -> QueryDraft:
    """The draft that the planner answers a question with."""
    found = asked(text, known)
    assert isinstance(found, QueryDraft), found
    return found
