"""The profile of one table, put together: keys and dependencies of its sample, freshness, and its columns."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from resolvers.engines.profiling.columns import Extent
from resolvers.engines.profiling.dependencies import (
    Coded,
    coded,
    found_dependencies,
    found_keys,
    unique_share,
)
from resolvers.engines.profiling.kinds import is_exact_fraction, is_integer, is_moment
from resolvers.engines.profiling.values import seconds_of
from schema.data_readiness.profile import (
    CandidateKey,
    ColumnProfile,
    FunctionalDependency,
    ProfileTier,
    TableProfile,
    ValueKind,
)
from schema.data_readiness.source import ColumnFacts, Sample, TableFacts

ENFORCED: Final = frozenset({"postgres", "mysql", "oracle"})
"""The dialects of stores that keep to the keys they declare; elsewhere a key is a remark."""

_LONGEST_NAME: Final = 64
"""Characters on average from which on a text is prose rather than the name of something."""


@dataclass(frozen=True, slots=True)
class Header:
    """Holds what a profile is of and when it is made: the engine has neither ids nor a clock of its own."""

    id: str
    workflow_run_id: str
    now: datetime


@dataclass(frozen=True, slots=True)
class Structure:
    """Holds what the rows of a sample say of a table as a whole."""

    keys: list[CandidateKey]
    dependencies: list[FunctionalDependency]


def structure(facts: TableFacts, sample: Sample, columns: Mapping[str, ColumnProfile], dialect: str) -> Structure:
    """Keys and dependencies. `columns` are the profiles of the columns that the sample has."""
    rows = len(sample.rows)
    known = {of.name: of for of in facts.columns}
    found: list[Coded] = []
    for name, values in sample.by_column().items():
        if name not in columns or columns[name].kind is ValueKind.OTHER:
            continue
        made = coded(name, values, is_key_like=_names_things(known[name], columns[name]))
        if made is not None:
            found.append(made)
    by_name = {one.name: one for one in found}
    enforced = dialect in ENFORCED
    declared = [names for names in facts.key_sets if enforced or set(names) <= by_name.keys()]
    keys = []
    for names in declared:
        share = 1.0 if enforced else unique_share([by_name[name] for name in names], rows)
        keys.append(
            CandidateKey(
                columns=list(names),
                uniqueness=share,
                is_declared=True,
                is_exact=enforced or sample.is_whole,
            )
        )
    whole = max((column.row_count for column in columns.values()), default=rows)
    for names_found, share in found_keys(found, rows, declared, of=None if sample.is_whole else whole):
        keys.append(CandidateKey(columns=names_found, uniqueness=share, is_declared=False, is_exact=sample.is_whole))
    return Structure(keys, found_dependencies(found, rows, is_exact=sample.is_whole))


def _names_things(of: ColumnFacts, column: ColumnProfile) -> bool:
    """Return whether values may be names of rows: neither measures, nor prose, nor mere moments."""
    if column.kind is ValueKind.NUMBER:
        values = [column.minimum or "", column.maximum or ""]
        values += [one.value for one in column.top_values] + [one.value for one in column.quantiles]
        return is_integer(of) or (is_exact_fraction(of) and all("." not in value for value in values))
    if column.kind is ValueKind.TEXT:
        return (column.mean_length or 0.0) <= _LONGEST_NAME
    return column.kind is ValueKind.TEMPORAL and is_moment(of)


_RECENT: Final = (
    re.compile(r"(last)?.*(updat|modif|chang|mtime)"),
    re.compile(r"load|ingest|import|sync|extract|snapshot|etl"),
    re.compile(r"creat|insert|added|record|log|event|ts$|timestamp|posted|sent|seen|access|active"),
    re.compile(r"order|placed|purchas|transaction|payment|paid|invoice|ship|visit|arriv|booked|rental|sale"),
    re.compile(r"date|time|day|_at$|_on$"),
)
MOST_LACKING: Final = 0.5
"""The share of the rows without a moment, up to which it may tell how recent a table is."""
_NOT_RECENT: Final = re.compile(r"birth|dob|expir|valid|until|due|end|hire|deadline|delet|retire|scheduled|planned")


def freshness(facts: TableFacts, columns: Sequence[ColumnProfile], now: datetime) -> tuple[ColumnProfile, str] | None:
    """The column that tells how recent a table is, and its latest moment; what lies ahead tells nothing."""
    known = {of.name: of for of in facts.columns}
    latest = (now + timedelta(days=1)).timestamp()
    rated: list[tuple[int, float, ColumnProfile]] = []
    for column in columns:
        of = known.get(column.name)
        if of is None or column.kind is not ValueKind.TEMPORAL or not is_moment(of) or column.maximum is None:
            continue
        seconds = seconds_of(column.maximum)
        name = column.name.lower()
        if seconds is None or seconds > latest or _NOT_RECENT.search(name):
            continue
        if (column.null_count or 0) > MOST_LACKING * column.row_count:
            continue  # what befalls few things, as that one died, tells nothing of when the table was filled
        rank = next((at for at, words in enumerate(_RECENT) if words.search(name)), len(_RECENT))
        rated.append((rank, -seconds, column))
    if not rated:
        return None
    _, _, best = min(rated, key=lambda one: one[:2])
    return best, _iso(best.maximum or "")


def _iso(text: str) -> str:
    # Databases write a blank where ISO 8601 has a T, and leave minutes out of an offset.
    try:
        return datetime.fromisoformat(text).isoformat() if len(text) > 10 else text
    except ValueError:
        return text


def table_profile(
    header: Header,
    facts: TableFacts,
    tier: ProfileTier,
    extent: Extent,
    columns: Sequence[ColumnProfile],
    found: Structure | None,
    *,
    sample_size: int | None,
    approximate: Sequence[str] = (),
) -> TableProfile:
    """The whole profile; which foreign keys a table has is found out when the other tables are known."""
    fresh = freshness(facts, columns, header.now)
    told = list(approximate)
    if fresh is not None and "maximum" in fresh[0].approximate:
        told.append("newest")
    return TableProfile(
        id=header.id,
        workflow_run_id=header.workflow_run_id,
        asset_fqn=facts.fqn,
        resource_uri=facts.resource_uri,
        tier=tier,
        measured_at=header.now,
        row_count=extent.rows,
        column_count=len(facts.columns),
        sample_size=sample_size,
        approximate=sorted(told),
        freshness_column=None if fresh is None else fresh[0].name,
        newest=None if fresh is None else fresh[1],
        candidate_keys=[] if found is None else found.keys,
        functional_dependencies=[] if found is None else found.dependencies,
        foreign_keys=[],
        duration_seconds=0.0,
        columns=list(columns),
    )
