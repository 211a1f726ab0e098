"""The profile of one column, out of what a scan told of it and of its values in a sample."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from resolvers.engines.profiling import distribution
from resolvers.engines.profiling.basics import Basics
from resolvers.engines.profiling.battery import ColumnFigures, top_values
from resolvers.engines.profiling.kinds import is_integer, kind_of, type_of
from resolvers.engines.profiling.values import is_blank, moment_of, number_of, seconds_of, text_of
from schema.data_readiness.profile import ColumnProfile, ValueCount, ValueKind
from schema.data_readiness.source import ColumnFacts

_BASICS: Final = {
    ValueKind.NUMBER: ("null_count", "minimum", "maximum", "mean", "stddev"),
    ValueKind.TEXT: (
        "null_count", "blank_count", "minimum", "maximum", "min_length", "max_length", "mean_length",
    ),
    ValueKind.TEMPORAL: ("null_count", "minimum", "maximum"),
    ValueKind.BOOLEAN: ("null_count",),
    ValueKind.OTHER: ("null_count",),
}  # fmt: skip
"""What is approximate when no scan told it."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Holds how much of a table was looked at."""

    rows: int
    """Of the table."""
    sampled: int
    """Of the sample."""
    is_whole: bool
    """Whether the sample is the table."""
    is_scanned: bool = True
    """Whether the basics come from every row."""


def column_profile(
    of: ColumnFacts, basics: Basics | None, values: Sequence[Any] | None, extent: Extent
) -> ColumnProfile:
    """One column's profile. `values` are those of the sample, null too; None where they cannot be read."""
    kind = kind_of(of)
    approximate: list[str] = []
    seen = [] if values is None else list(values)
    if kind is ValueKind.TEMPORAL and str in set(map(type, seen)):
        # Where Python has no such moment, sources hand over its text; others do it for all.
        seen = [moment_of(value) or value if isinstance(value, str) else value for value in seen]
    if basics is None:
        basics = basics_of(seen, kind, extent)
        if not extent.is_whole:
            approximate += [name for name in _BASICS[kind] if getattr(basics, _FROM[name]) is not None]
    counts: Mapping[Hashable, int] = {}
    if kind is not ValueKind.OTHER:
        counts = distribution.counts_of(seen)
    whole = extent.is_whole and values is not None
    figures = _distribution(of, kind, basics, counts, extent)
    if not whole and counts:
        approximate += [name for name, value in figures.items() if value]
    _settle(of, kind, basics, figures, approximate, known=bool(counts) or whole)
    return ColumnProfile(
        column_fqn=of.fqn,
        name=of.name,
        ordinal_position=of.ordinal_position,
        data_type=of.data_type,
        kind=kind,
        row_count=extent.rows,
        null_count=max(0, extent.rows - basics.filled),
        blank_count=basics.blanks,
        minimum=_shown(basics.minimum, kind),
        maximum=_shown(basics.maximum, kind),
        mean=basics.mean,
        stddev=basics.stddev,
        min_length=basics.min_length,
        max_length=basics.max_length,
        mean_length=basics.mean_length,
        approximate=sorted(approximate),
        sample_size=extent.sampled if approximate else None,
        masked=False,
        **figures,
    )


_FROM: Final = {
    "null_count": "filled", "blank_count": "blanks", "minimum": "minimum", "maximum": "maximum", "mean": "mean",
    "stddev": "stddev", "min_length": "min_length", "max_length": "max_length", "mean_length": "mean_length",
}  # fmt: skip


def _distribution(
    of: ColumnFacts, kind: ValueKind, basics: Basics, counts: Mapping[Hashable, int], extent: Extent
) -> dict[str, Any]:
    filled = basics.filled
    whole = is_integer(of) or type_of(of) == "DATE"
    limits = (basics.minimum, basics.maximum)
    ordered, n = distribution.ranked(counts, kind), sum(counts.values())
    return {
        "distinct_count": distribution.estimated_distinct(counts, filled) if counts else None,
        "quantiles": distribution.quantiles(ordered),
        "histogram": distribution.histogram(ordered, kind, n, filled, whole=whole, limits=limits),
        "top_values": distribution.top_values(counts, filled),
        "patterns": distribution.patterns(counts, filled) if kind is ValueKind.TEXT else [],
    }


def _settle(
    of: ColumnFacts, kind: ValueKind, basics: Basics, figures: dict[str, Any], approximate: list[str], *, known: bool
) -> None:
    """Put in what the scan settles exactly, however small the sample."""

    def exactly(name: str, value: Any) -> None:
        figures[name] = value
        if name in approximate:
            approximate.remove(name)

    if "null_count" in approximate:
        return
    if basics.filled == 0:
        for name, nothing in (("distinct_count", 0 if kind is not ValueKind.OTHER else None), ("top_values", [])):
            exactly(name, nothing)
    elif basics.trues is not None:
        told = {"true": basics.trues, "false": basics.filled - basics.trues}
        kept = sorted(((value, count) for value, count in told.items() if count), key=lambda one: (-one[1], one[0]))
        exactly("top_values", [ValueCount(value=value, count=count) for value, count in kept])
        exactly("distinct_count", len(kept))
    elif kind in (ValueKind.NUMBER, ValueKind.TEMPORAL) and basics.minimum is not None:
        if basics.minimum == basics.maximum:
            exactly("distinct_count", 1)
        elif known and is_integer(of) and figures["distinct_count"] is not None:
            figures["distinct_count"] = min(
                figures["distinct_count"], int(basics.maximum) - int(basics.minimum) + 1, basics.filled
            )


def with_pass(profile: ColumnProfile, told: ColumnFigures) -> ColumnProfile:
    """The profile with what a pass over every row tells better than the sample."""
    better: dict[str, Any] = {}
    approximate = set(profile.approximate)
    if told.values is not None:
        better |= {"distinct_count": len(told.values), "top_values": top_values(told.values)}
        approximate -= better.keys()
    elif told.distinct_count is not None and "distinct_count" in approximate:
        better["distinct_count"] = told.distinct_count
    kept = sorted(approximate)
    return profile.model_copy(
        update={**better, "approximate": kept, "sample_size": profile.sample_size if kept else None}
    )


def with_key(profile: ColumnProfile) -> ColumnProfile:
    """The profile of a column that the source itself keeps unique: as many distinct values as there are any."""
    if profile.distinct_count is None or profile.null_count is None or "null_count" in profile.approximate:
        return profile
    kept = [name for name in profile.approximate if name != "distinct_count"]
    told = {"distinct_count": profile.row_count - profile.null_count, "approximate": kept}
    return profile.model_copy(update={**told, "sample_size": profile.sample_size if kept else None})


def basics_of(values: Sequence[Any], kind: ValueKind, extent: Extent) -> Basics:
    """Return what a scan would have told, out of a sample; counts are those of the whole."""
    there = [value for value in values if value is not None]

    def whole(count: int) -> int:
        return distribution.scaled(count, extent.sampled, extent.rows) if count else 0

    filled = whole(len(there))
    if kind is ValueKind.TEXT:
        texts = [str(value) for value in there]
        lengths = [len(text) for text in texts]
        return Basics(
            filled=filled,
            minimum=min(texts, default=None),
            maximum=max(texts, default=None),
            blanks=whole(sum(1 for text in texts if is_blank(text))),
            min_length=min(lengths, default=None),
            max_length=max(lengths, default=None),
            mean_length=distribution.mean_of([float(length) for length in lengths]),
        )
    if kind is ValueKind.BOOLEAN:
        return Basics(filled=filled, trues=whole(sum(1 for value in there if value)))
    place = {ValueKind.NUMBER: number_of, ValueKind.TEMPORAL: seconds_of}.get(kind)
    if place is None:
        return Basics(filled=filled)
    placed = [(where, value) for value in there if (where := place(value)) is not None]
    numbers = [where for where, _ in placed] if kind is ValueKind.NUMBER else []
    return Basics(
        filled=filled,
        minimum=min(placed, key=lambda one: one[0])[1] if placed else None,
        maximum=max(placed, key=lambda one: one[0])[1] if placed else None,
        mean=distribution.mean_of(numbers),
        stddev=distribution.stddev_of(numbers),
    )


def _shown(value: Any, kind: ValueKind) -> str | None:
    if kind is ValueKind.TEMPORAL and isinstance(value, str):
        # Databases write a blank where ISO 8601 has a T; what is no moment to Python stays as it is.
        value = moment_of(value) or value
    return None if value is None else text_of(value)
